package resemble

import (
	"strings"

	"github.com/rawko/memory/internal/lexical"
)

// quoted is how many words in a row make a quotation rather than a coincidence.
const quoted = 8

// Known is a text whose quotations are looked for in others.
type Known struct {
	runs  map[uint64]bool // of eight words
	lines map[uint64]bool
}

// NewKnown reads a text once for many others.
func NewKnown(text string) *Known {
	k := &Known{make(map[uint64]bool), make(map[uint64]bool)}
	words := cut(text)
	for i := range len(words) - quoted + 1 {
		k.runs[hashWords(words[i:i+quoted])] = true
	}
	for line := range strings.SplitSeq(text, "\n") {
		if w := cut(line); len(w) > 1 { // one word is no quotation
			k.lines[hashWords(w)] = true
		}
	}
	return k
}

// Without gives text with […] in place of what it repeats of known, and how many
// words that were: lines of known that stand in it as lines, and runs of eight
// words or more, however they are wrapped and marked.
func Without(text, known string) (rest string, n int) { return NewKnown(known).Without(text) }

// Without is the function Without for the text that k was made of.
func (k *Known) Without(text string) (rest string, n int) {
	if len(k.lines) == 0 && len(k.runs) == 0 {
		return text, 0
	}
	words := cut(text)
	repeated := make([]bool, len(words))
	for i := range len(words) - quoted + 1 {
		if k.runs[hashWords(words[i:i+quoted])] {
			for j := range quoted {
				repeated[i+j] = true
			}
		}
	}
	k.markLines(text, words, repeated)
	for _, r := range repeated {
		if r {
			n++
		}
	}
	if n == 0 {
		return text, 0
	}
	var b strings.Builder
	end := 0 // of what was written or left out
	for i, w := range words {
		if !repeated[i] {
			continue
		}
		if i == 0 || !repeated[i-1] {
			b.WriteString(text[end:w.begin] + "[…]")
		}
		end = w.end
	}
	b.WriteString(text[end:])
	return b.String(), n
}

// markLines marks the words of the lines of text that are, word for word, lines of known.
func (k *Known) markLines(text string, words []word, repeated []bool) {
	at := 0
	for first := 0; first < len(words); first = at {
		end := strings.IndexByte(text[words[first].begin:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += words[first].begin
		}
		for at = first; at < len(words) && words[at].begin < end; at++ {
		}
		if k.lines[hashWords(words[first:at])] {
			for i := first; i < at; i++ {
				repeated[i] = true
			}
		}
	}
}

func hashWords(words []word) uint64 {
	h := uint64(len(words))
	for _, w := range words {
		h = mix(h + hash(w.text))
	}
	return h
}

// maxParts is how many ellipses a quotation may have.
const maxParts = 8

// Quotes reports whether the words of a quotation stand in text in a row; an
// ellipsis stands for any words between, eight times at most. Fewer than two
// words are no quotation.
func Quotes(text, quotation string) bool {
	said, n := joined(text), 0
	for _, part := range strings.SplitN(strings.ReplaceAll(quotation, "...", "…"), "…", maxParts+1) {
		words := joined(part)
		_, rest, ok := strings.Cut(said, words)
		if !ok {
			return false
		}
		n += strings.Count(words, " ") - 1
		said = " " + rest
	}
	return n > 1
}

// joined gives the words of a text with a space before and behind each.
func joined(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range cut(lexical.Normalize(text)) {
		b.WriteString(w.text)
		b.WriteByte(' ')
	}
	return b.String()
}
