// Package resemble compares texts by the words that they share: how alike two
// are, what of one stands in another, and whether one says something new.
package resemble

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rawko/memory/internal/lexical"
)

const (
	shingle    = 2  // words of a run that is compared
	sketchSize = 16 // runs of a sketch
)

// Shingles are the hashes of all runs of two words of a text (of the one word,
// where there is no more), each once, in order. Case, punctuation and layout do
// not count. A character of a script without spaces is a word.
type Shingles []uint64

// Of gives the shingles of a text.
func Of(text string) Shingles {
	s := slices.AppendSeq(Shingles(nil), runs(text))
	slices.Sort(s)
	return slices.Compact(s)
}

// Jaccard gives the share of the shingles of both that they have in common, from
// 0 to 1; 0 where there are none.
func (s Shingles) Jaccard(other Shingles) float64 {
	common := 0
	for i, j := 0, 0; i < len(s) && j < len(other); {
		switch {
		case s[i] < other[j]:
			i++
		case s[i] > other[j]:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	if common == 0 {
		return 0
	}
	return float64(common) / float64(len(s)+len(other)-common)
}

// Sketch gives the 16 smallest shingles of a text, in order. Each of the 16
// smallest of two texts together is common to both with the probability of their
// Jaccard index, and then it is in both sketches: at 0.6, all but one of two
// million such pairs have one in common.
func Sketch(text string) []uint64 {
	smallest := make([]uint64, 0, sketchSize+1)
	for h := range runs(text) {
		if len(smallest) == sketchSize && h >= smallest[sketchSize-1] {
			continue
		}
		if i, found := slices.BinarySearch(smallest, h); !found {
			smallest = slices.Insert(smallest, i, h)
			smallest = smallest[:min(len(smallest), sketchSize)]
		}
	}
	return smallest
}

// runs gives the hash of each run of two words, or of the only word.
func runs(text string) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		text = lexical.Normalize(text)
		n, last := 0, uint64(0)
		for begin, end := range words(text) {
			h := hash(text[begin:end])
			if n++; n > 1 && !yield(mix(mix(last)+h)) {
				return
			}
			last = h
		}
		if n == 1 {
			yield(mix(last))
		}
	}
}

// words gives where the words of a text begin and end: runs of letters and
// digits, and each character of a script without spaces.
func words(text string) iter.Seq2[int, int] {
	return func(yield func(begin, end int) bool) {
		begin := -1 // of the word that is being read
		for i, r := range text {
			cjk := lexical.IsCJK(r)
			if !cjk && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) {
				if begin < 0 {
					begin = i
				}
				continue
			}
			if begin >= 0 && !yield(begin, i) {
				return
			}
			begin = -1
			if cjk && !yield(i, i+utf8.RuneLen(r)) {
				return
			}
		}
		if begin >= 0 {
			yield(begin, len(text))
		}
	}
}

// hash is FNV-1a over a word in lower case.
func hash(word string) uint64 {
	h := uint64(14695981039346656037)
	for _, r := range word {
		h = (h ^ uint64(unicode.ToLower(r))) * 1099511628211
	}
	return h
}

// mix spreads what FNV leaves in the low bits over all: the smallest of the
// hashes are to be a fair draw. (The finalizer of MurmurHash3.)
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Topics gives the stems of the words of a text that carry a topic, each once, in
// order of appearance; of scripts without spaces the pairs of neighbouring characters.
func Topics(text string) []string {
	text = strings.ToLower(lexical.Normalize(text))
	var topics []string
	seen := make(map[string]bool)
	add := func(topic string) {
		if !seen[topic] {
			seen[topic] = true
			topics = append(topics, topic)
		}
	}
	for begin, end := range words(text) {
		if w := text[begin:end]; !lexical.IsStopWord(w) && !lexical.HasCJK(w) {
			add(lexical.Stem(w))
		}
	}
	for _, b := range lexical.Bigrams(text) {
		add(b)
	}
	return topics
}

// word is a word of a text, in lower case.
type word struct {
	text       string
	begin, end int // in bytes
}

// cut gives the words of a text.
func cut(text string) []word {
	var found []word
	for begin, end := range words(text) {
		found = append(found, word{strings.ToLower(text[begin:end]), begin, end})
	}
	return found
}
