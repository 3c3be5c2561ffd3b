package lexical

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// prefixLen is the number of letters from which the beginning of a word stands for the word.
	prefixLen = 4
	// maxGlued bounds how many parts are read together as one word, so that a
	// long hexadecimal number does not make a square of its length.
	maxGlued = 6
)

// Text is a text made ready for being matched by many phrases. It is safe for concurrent use.
type Text struct {
	text   string
	names  []string
	lower  string // with the names, each on a line of its own
	parts  []part
	words  map[string][]int // each word as written, and each part of it, to the parts at which it begins
	stems  map[string]bool  // of the words that are no stop words
	sorted []string         // the words that are no stop words
	runs   string           // the words in which a mere substring counts, a line each
	cjk    string           // lower, squashed; empty when there is no such script in it
	tokens func() string    // made at the first call: few triggers are globs
}

// NewText reads normalized text. Of names, the agent's, only whole words count:
// else every trigger on tests would fire on each task of the agent "tester".
func NewText(text string, names ...string) *Text {
	t := &Text{text: text, words: make(map[string][]int), stems: make(map[string]bool)}
	t.add(text)
	t.runs = t.joinRuns()
	t.sorted = make([]string, 0, len(t.words))
	for word := range t.words {
		if !stopWords[word] {
			t.sorted = append(t.sorted, word)
			t.stems[Stem(word)] = true
		}
	}
	slices.Sort(t.sorted)
	for _, name := range names {
		if name != "" {
			t.names = append(t.names, name)
			t.add(name)
		}
	}
	t.tokens = sync.OnceValue(t.makeTokens)
	return t
}

// String is the text without the names.
func (t *Text) String() string { return t.text }

// Names gives the names that are not empty.
func (t *Text) Names() []string { return t.names }

func (t *Text) add(s string) {
	lower := strings.ToLower(s)
	t.lower += "\n" + lower
	if HasCJK(lower) {
		t.cjk += "\n" + squash(lower)
	}
	first := len(t.parts)
	t.parts = append(t.parts, split(s)...)
	if first < len(t.parts) {
		t.parts[first].glue = ended // nothing stands across two texts
	}
	for i := first; i < len(t.parts); i++ {
		word := ""
		for j := i; j < len(t.parts) && j < i+maxGlued && (j == i || t.parts[j].glue > apart); j++ {
			word += t.parts[j].text
			t.words[word] = append(t.words[word], i)
			if t.parts[j].plural {
				t.words[word+"s"] = append(t.words[word+"s"], i)
			}
		}
	}
}

func (t *Text) joinRuns() string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.glue != inside {
			b.WriteByte('\n')
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// has reports whether one of the forms of a word stands in the text.
func (t *Text) has(forms []string) bool {
	for _, form := range forms {
		if len(t.words[form]) > 0 {
			return true
		}
	}
	return false
}

// hasBeginning reports whether word begins a word of the text, or a word of the
// text begins it; the shorter of the two must have four characters, and words
// without a topic do not count ("with" is not half of "withdraw").
func (t *Text) hasBeginning(word string) bool {
	if utf8.RuneCountInString(word) < prefixLen {
		return false
	}
	if i, _ := slices.BinarySearch(t.sorted, word); i < len(t.sorted) && strings.HasPrefix(t.sorted[i], word) {
		return true
	}
	n := 0
	for i := range word {
		if n >= prefixLen && isContent(word[:i]) {
			if _, ok := slices.BinarySearch(t.sorted, word[:i]); ok {
				return true
			}
		}
		n++
	}
	return false
}

// skip is the index of the first part from i on that carries a topic or begins a sentence.
func (t *Text) skip(i int) int {
	for i < len(t.parts) && t.parts[i].glue != ended && !isContent(t.parts[i].text) {
		i++
	}
	return i
}
