package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
	c.topic = cutEdges(c.whole)
	for _, w := range cjkTriggerWords {
		c.topic = strings.ReplaceAll(c.topic, w, " ")
	}
	c.topic = squash(cutEdges(strings.TrimSpace(c.topic)))
	if utf8.RuneCountInString(c.topic) == 1 {
		c.topic = c.whole // one character is found in too many words
	}
	c.bigrams = Bigrams(c.topic)
	others := strings.Join(strings.FieldsFunc(c.topic, IsCJK), " ")
	c.words = contentWords(phraseWords(others))
	return c
}

// cutEdges takes off what opens and ends a phrase, such as 当…时, where it is no
// part of another word and leaves two characters or more.
func cutEdges(s string) string {
	for _, edge := range cjkEdges {
		rest, opens := strings.CutPrefix(s, edge.opening)
		rest, ends := strings.CutSuffix(rest, edge.ending)
		if !opens || !ends || utf8.RuneCountInString(rest) < 2 ||
			edge.opening != "" && opensWithCompound(s) || edge.ending != "" && hasAny(strings.HasSuffix, s, cjkEndingCompounds) {
			continue
		}
		s = rest
	}
	return s
}

// opensWithCompound knows 当前用户 from 当前端出错时, where 前 belongs to 前端.
func opensWithCompound(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	return hasAny(strings.HasPrefix, s, cjkOpeningCompounds) && !hasAny(strings.HasPrefix, s[n:], cjkAfterOpening)
}

func hasAny(has func(s, affix string) bool, s string, affixes []string) bool {
	return slices.ContainsFunc(affixes, func(affix string) bool { return has(s, affix) })
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
