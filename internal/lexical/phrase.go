package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Degree says how much of a phrase a text holds.
type Degree int

// The degrees, from nothing to the whole.
const (
	Nothing Degree = iota
	Some           // fewer than half of the content words, or the phrase inside another word
	Half           // half of the content words or more
	All            // all content words
	Whole          // the phrase itself, or all content words in a row
)

// Phrase is a few words of plain language, made ready for being looked for in texts.
type Phrase struct {
	all     [][]word // every word, in order
	content [][]word // the content words; "a or b" is one entry with two
	literal string   // looked for as it stands when there are no words at all
	marked  bool     // one word with a mark that belongs to it, as in "$HOME"
	cjk     *cjkPhrase
}

// word is one word of a phrase: "OAuth2" is found whole or by its three parts.
type word struct {
	plural    bool     // the small s of "APIs" was cut
	forms     []string // the whole word, then its singular and plural
	stem      string
	parts     []string // more than one, or nil
	partStems []string
	starts    []string // the words of a text at which it can begin
	ended     bool     // a sentence of the phrase ends before it
}

// NewPhrase reads a normalized phrase.
func NewPhrase(s string) *Phrase {
	p := &Phrase{literal: strings.ToLower(strings.TrimSpace(s))}
	if HasCJK(s) {
		p.cjk = newCJKPhrase(p.literal)
	}
	words := phraseWords(s)
	for i := range words {
		p.all = append(p.all, words[i:i+1])
	}
	p.content = contentWords(words)
	if len(words) == 1 && !stopWords[words[0].forms[0]] {
		p.content = p.all // a trigger word that stands alone is what the trigger is about
		p.marked = hasMark(p.literal)
	}
	if len(p.content) == 0 {
		for i := range words {
			words[i].forms = words[i].forms[:1] // literally: "it" is not "its"
		}
	}
	return p
}

// HasContent reports whether the phrase has a word that carries a topic.
// Without one it is looked for literally.
func (p *Phrase) HasContent() bool {
	if p.cjk != nil {
		return p.cjk.topic != ""
	}
	return len(p.content) > 0
}

// Cost tells how often a text must be gone through to find the phrase: once, and
// again for each word that it repeats, for each "or", and for a few bigrams together.
func (p *Phrase) Cost() int {
	cost := 1
	if p.cjk != nil {
		cost += len(p.cjk.bigrams) / 8
	}
	seen := map[string]bool{"or": true}
	for _, one := range p.all {
		parts := one[0].parts
		if parts == nil {
			parts = one[0].forms[:1]
		}
		for _, part := range parts {
			if seen[part] {
				cost++
			}
			seen[part] = true
		}
	}
	return cost
}

// phraseWords puts the parts of one word together again. A single letter before
// a hyphen belongs to the word behind it: "e-mail" is "email".
func phraseWords(s string) []word {
	var groups [][]string
	var words []word
	for i, parts := 0, split(s); i < len(parts); i++ {
		p := parts[i]
		last := len(groups) - 1
		letter := p.glue == hyphen && len(groups[last]) == 1 && utf8.RuneCountInString(groups[last][0]) == 1
		if (p.glue == inside || letter) && len(groups[last]) < maxGlued {
			groups[last] = append(groups[last], p.text)
			words[last].plural = p.plural
			continue
		}
		groups = append(groups, []string{p.text})
		words = append(words, word{plural: p.plural, ended: p.glue == ended})
	}
	for i, parts := range groups {
		whole := strings.Join(parts, "")
		words[i].forms, words[i].stem = numbers(whole), Stem(whole)
		if words[i].plural {
			words[i].forms = append(words[i].forms, whole+"s")
		}
		words[i].starts = words[i].forms
		if len(parts) > 1 {
			words[i].parts = parts
			for _, p := range parts {
				words[i].partStems = append(words[i].partStems, Stem(p))
			}
			words[i].starts = append(slices.Clone(words[i].forms), parts[0])
		}
	}
	return words
}

// contentWords drops what carries no topic, and joins "a or b" into one entry.
func contentWords(all []word) [][]word {
	var content [][]word
	joined := false
	for _, w := range all {
		name := w.forms[0]
		switch {
		case name == "or" && len(content) > 0:
			joined = true
		case !isContent(name):
		case joined:
			joined = false
			last := content[len(content)-1]
			if !slices.ContainsFunc(last, func(o word) bool { return o.forms[0] == name }) {
				content[len(content)-1] = append(last, w)
			}
		default:
			content = append(content, []word{w})
		}
	}
	return content
}

// hasMark reports whether the one word of s carries a mark that a reader would
// call part of it, such as the dollar of "$HOME" and the dot of ".env".
func hasMark(s string) bool {
	s = strings.Trim(s, `"'“”‘’()[]{}<>,;:!?`)
	return s != "" && !strings.ContainsFunc(s, unicode.IsSpace) && (!startsWithWord(s) || strings.ContainsAny(s[len(s)-1:], "$@~%&*=/"))
}

// In tells how much of the phrase stands in the text.
func (p *Phrase) In(t *Text) Degree {
	if p.cjk != nil {
		return p.cjk.in(t)
	}
	switch {
	case len(p.all) == 0:
		if p.literal != "" && strings.Contains(t.lower, p.literal) {
			return Whole
		}
		return Nothing
	case p.marked:
		return p.markedIn(t)
	case t.inARow(p.all, false), len(p.content) > 0 && t.inARow(p.content, true):
		return Whole
	case len(p.content) == 0:
		return Nothing
	}
	return p.wordsIn(t)
}

// markedIn takes "$HOME" in the text for the whole, and "home" for nearly so.
func (p *Phrase) markedIn(t *Text) Degree {
	if d := p.wordsIn(t); d < All || !strings.Contains(t.lower, p.literal) {
		return d
	}
	return Whole
}

// wordsIn grades by the content words. A word that stands alone is also looked
// for inside other words.
func (p *Phrase) wordsIn(t *Text) Degree {
	d := t.share(p.content)
	if d == Nothing && len(p.all) == 1 {
		if name := p.all[0][0].forms[0]; utf8.RuneCountInString(name) > 1 && strings.Contains(t.runs, name) {
			return Some
		}
	}
	return d
}

// share grades by how many of the words are found, in any order.
func (t *Text) share(words [][]word) Degree {
	found := 0
	for _, either := range words {
		if slices.ContainsFunc(either, func(w word) bool { return w.in(t) }) {
			found++
		}
	}
	switch {
	case found == 0:
		return Nothing
	case found == len(words):
		return All
	case 2*found >= len(words):
		return Half
	}
	return Some
}

// in reports whether the text has the word, its stem, or one of which the other
// is the beginning; a word of several parts may be there by its parts.
func (w word) in(t *Text) bool {
	name := w.forms[0]
	if t.has(w.forms) || t.stems[w.stem] || t.hasBeginning(name) {
		return true
	}
	for i, p := range w.parts {
		if len(t.words[p]) == 0 && !t.stems[w.partStems[i]] {
			return false
		}
	}
	return len(w.parts) > 0
}

// inARow reports whether the words stand one behind the other in the text, each
// as it is written or in the other number; content passes over the words of the
// text that carry no topic. A row ends with a sentence, unless the phrase has
// the end of one there too.
func (t *Text) inARow(words [][]word, content bool) bool {
	for _, w := range words[0] {
		for _, start := range w.starts {
			for _, at := range t.words[start] {
				if t.rowFrom(at, words, content) {
					return true
				}
			}
		}
	}
	return false
}

func (t *Text) rowFrom(i int, words [][]word, content bool) bool {
	for n, either := range words {
		if n > 0 && content {
			i = t.skip(i)
		}
		if i == len(t.parts) || n > 0 && t.parts[i].glue == ended && !either[0].ended {
			return false
		}
		next := -1
		for _, w := range either {
			if next = w.endAt(t, i); next >= 0 {
				break
			}
		}
		if next < 0 {
			return false
		}
		i = next
	}
	return true
}

// endAt is the index behind w where it stands at part i of the text; -1 where it does not.
func (w word) endAt(t *Text, i int) int {
	for _, form := range w.forms {
		if end := t.spelledAt(form, i); end >= 0 {
			return end
		}
	}
	for n, p := range w.parts {
		if i+n >= len(t.parts) || t.parts[i+n].text != p || n > 0 && t.parts[i+n].glue == ended {
			return -1
		}
	}
	if len(w.parts) > 0 {
		return i + len(w.parts)
	}
	return -1
}

// spelledAt follows a spelling through parts that hang together.
func (t *Text) spelledAt(form string, i int) int {
	for j := i; j < len(t.parts) && (j == i || t.parts[j].glue > apart); j++ {
		rest, ok := strings.CutPrefix(form, t.parts[j].text)
		if !ok {
			return -1
		}
		if rest == "" || rest == "s" && t.parts[j].plural {
			return j + 1
		}
		form = rest
	}
	return -1
}
