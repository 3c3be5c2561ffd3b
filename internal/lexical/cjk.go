package lexical

import (
	"strings"
	"unicode"
)

// cjkPhrase is a phrase in a script without spaces. It is compared by
// substring and then by pairs of neighbouring characters (bigrams); what words
// in other scripts it holds count beside them.
type cjkPhrase struct {
	whole   string   // squashed
	topic   string   // whole, without trigger words
	bigrams []string // of the topic; none when it is one character
	words   [][]word // content words in other scripts
}

func newCJKPhrase(lower string) *cjkPhrase {
	c := &cjkPhrase{whole: squash(lower)}
	c.topic = c.whole
	for _, w := range cjkTriggerWords {
		c.topic = strings.ReplaceAll(c.topic, w, " ")
	}
	c.topic = strings.TrimSpace(c.topic)
	for _, w := range cjkOpening {
		c.topic = strings.TrimPrefix(c.topic, w)
	}
	for _, w := range cjkEnding {
		c.topic = strings.TrimSuffix(c.topic, w)
	}
	c.topic = squash(c.topic)
	c.bigrams = Bigrams(c.topic)
	others := strings.Join(strings.FieldsFunc(c.topic, IsCJK), " ")
	c.words = contentWords(phraseWords(others))
	return c
}

// in grades by substring, then by the share of bigrams (half counts as all, a
// quarter as half). Words of other scripts are found or not, each as one more thing to find.
func (c *cjkPhrase) in(t *Text) Degree {
	if t.cjk != "" && (strings.Contains(t.cjk, c.whole) || c.topic != "" && strings.Contains(t.cjk, c.topic)) {
		return Whole
	}
	found := 0
	for _, b := range c.bigrams {
		if strings.Contains(t.cjk, b) {
			found++
		}
	}
	own := Nothing
	switch {
	case found > 0 && 2*found >= len(c.bigrams):
		own = All
	case found > 0 && 4*found >= len(c.bigrams):
		own = Half
	case found > 0:
		own = Some
	}
	if len(c.words) == 0 {
		return own
	}
	words := t.share(c.words)
	switch {
	case len(c.bigrams) == 0 || words == own:
		return words
	case words == Nothing || own == Nothing:
		return min(max(words, own), Half)
	}
	return min(words, own)
}

// Bigrams gives the pairs of neighbouring characters of the scripts for which
// [IsCJK] holds; each once, in order.
func Bigrams(s string) []string {
	var bigrams []string
	seen := make(map[string]bool)
	var prev rune
	for _, r := range s {
		if IsCJK(r) && IsCJK(prev) {
			if b := string([]rune{prev, r}); !seen[b] {
				seen[b] = true
				bigrams = append(bigrams, b)
			}
		}
		prev = r
	}
	return bigrams
}

// squash gives the text in lower case, without the white space beside such
// scripts: people break their lines and set spaces there as they like.
func squash(s string) string {
	var b strings.Builder
	var prev rune
	space := false
	for _, r := range strings.TrimSpace(s) {
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		if space && !IsCJK(prev) && !IsCJK(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		prev, space = r, false
	}
	return b.String()
}
