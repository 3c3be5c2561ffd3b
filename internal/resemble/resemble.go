// Package resemble compares texts by the words that they share: how alike two
// are, what of one stands in another, and whether one says something new.
package resemble

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"github.com/rawko/memory/internal/lexical"
)

const (
	shingle    = 2  // words of a run that is compared
	sketchSize = 16 // runs of a sketch
)

// seed is the same for all texts of a process; hashes are never kept longer.
var seed = maphash.MakeSeed()

// Shingles are the hashes of all runs of two words of a text (of the one word,
// where there is no more), each once, in order. Case, punctuation and layout do
// not count. A character of a script without spaces is a word.
type Shingles []uint64

// Of gives the shingles of a text.
func Of(text string) Shingles {
	words := cut(lexical.Normalize(text))
	var s Shingles
	for i := range max(len(words)-shingle+1, min(len(words), 1)) {
		s = append(s, hash(words[i:min(i+shingle, len(words))]))
	}
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

// Sketch gives the 16 smallest shingles. Each of the smallest of two texts
// together is common to both with the probability of their Jaccard index, and
// then it is in both sketches: at 0.6, all but one of two million such pairs
// have one in common.
func (s Shingles) Sketch() []uint64 { return slices.Clone(s[:min(len(s), sketchSize)]) }

// word is a word of a text, in lower case.
type word struct {
	text       string
	begin, end int // in bytes
}

// cut gives the words of a text: runs of letters and digits, and each character
// of a script without spaces.
func cut(text string) []word {
	var words []word
	begin := -1
	flush := func(end int) {
		if begin >= 0 {
			words = append(words, word{strings.ToLower(text[begin:end]), begin, end})
		}
		begin = -1
	}
	for i, r := range text {
		switch {
		case lexical.IsCJK(r):
			flush(i)
			words = append(words, word{string(r), i, i + len(string(r))})
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if begin < 0 {
				begin = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return words
}

func hash(words []word) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, w := range words {
		h.WriteString(w.text)
		h.WriteByte(0)
	}
	return h.Sum64()
}
