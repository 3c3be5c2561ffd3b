package quarantine

import (
	"strings"
	"sync"
)

// entry gives words their meaning. Words are separated by spaces; a phrase is
// written with _ between its words, {a b} stands for either, and a * at the end
// of a word for any ending.
type entry struct {
	what  set
	role  role
	words string
}

// sense is what a word or phrase means.
type sense struct {
	what set
	role role
	lang lang // 0 where there is nothing but a sign
	sign sign
}

// word is one word of the vocabulary: under its own number and, where it begins like
// an entry with *, under that one's.
type word struct{ id, alt int32 }

// lexicon finds words and phrases. Numbers begin at 1.
type lexicon struct {
	words    map[string]word
	prefixes map[string][]string // by their first letters
	next     map[uint64]int32    // of a phrase: node and word to node
	senses   []sense             // of nodes
	signals  []bool              // by the numbers of words: whether a sign begins with it
	length   int                 // of the longest word, in bytes
}

// prefixLength is how many bytes of a prefix are looked up first.
const prefixLength = 4

// vocabulary is made when the first text is looked at: it takes a tenth of a second and some megabytes,
// which a host that never learns should not pay.
var vocabulary = sync.OnceValue(func() *lexicon {
	return compile([]table{{english, englishWords}, {german, germanWords}, {chinese, chineseWords}, {other, otherWords}},
		englishSigns, germanSigns, chineseSigns)
})

// table is the words of a language.
type table struct {
	lang    lang
	entries []entry
}

// compile makes a lexicon of tables of concepts and of signs.
func compile(tables []table, signs ...[]hint) *lexicon {
	l := &lexicon{words: map[string]word{}, prefixes: map[string][]string{}, next: map[uint64]int32{}, senses: make([]sense, 1)}
	for _, t := range tables {
		for _, e := range t.entries {
			for _, written := range split(e.words) {
				for _, phrase := range expand(written) {
					l.add(plainWord(phrase), sense{what: e.what, role: e.role, lang: t.lang})
				}
			}
		}
	}
	l.signal(signs)
	for w, known := range l.words {
		if p := l.prefixOf(strings.TrimSuffix(w, "*")); p != "" && p != w && !strings.HasSuffix(w, "*") {
			known.alt = l.words[p].id
			l.words[w] = known
		}
	}
	return l
}

// signal enters the signs.
func (l *lexicon) signal(signs [][]hint) {
	for _, hints := range signs {
		for _, h := range hints {
			for _, written := range split(h.words) {
				for _, phrase := range expand(written) {
					first := l.add(plainWord(phrase), sense{sign: h.sign})
					for int(first) >= len(l.signals) {
						l.signals = append(l.signals, false)
					}
					l.signals[first] = true
				}
			}
		}
	}
}

// signalled reports whether a sign may begin with a word.
func (l *lexicon) signalled(w word) bool {
	is := func(id int32) bool { return int(id) < len(l.signals) && l.signals[id] }
	return is(w.id) || is(w.alt)
}

// split cuts at spaces outside of braces.
func split(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth == 0 && (r == ' ' || r == '\n' || r == '\t')
	})
}

// expand gives the phrases that one with braces stands for.
func expand(s string) []string {
	begin := strings.IndexByte(s, '{')
	if begin < 0 {
		return []string{s}
	}
	end := begin + strings.IndexByte(s[begin:], '}')
	var all []string
	for _, tail := range expand(s[end+1:]) {
		for _, choice := range strings.Fields(s[begin+1 : end]) {
			if choice == "-" { // nothing
				choice = ""
			}
			all = append(all, s[:begin]+choice+tail)
		}
	}
	return all
}

// plainWord folds what stands in a table as text is folded.
func plainWord(s string) string {
	return strings.Map(func(r rune) rune {
		if plain, ok := simplified()[r]; ok {
			return plain
		}
		if r == '\'' {
			return -1
		}
		return r
	}, string(fold(s).runes))
}

// add enters a phrase and gives the number of its first word.
func (l *lexicon) add(phrase string, s sense) (first int32) {
	node := int32(0)
	for _, part := range strings.FieldsFunc(phrase, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		for _, w := range cells(part) {
			id := l.enter(w)
			if node == 0 {
				first = id
			}
			node = l.step(node, id)
		}
	}
	at := &l.senses[node]
	at.what |= s.what
	at.role |= s.role
	at.lang |= s.lang
	at.sign |= s.sign
	return first
}

// cells cuts a word into the pieces in which a text has it: each character of a
// script without spaces, else the whole.
func cells(w string) []string {
	var parts []string
	begin := 0
	for i, r := range w {
		if !dense(r) {
			continue
		}
		if begin < i {
			parts = append(parts, w[begin:i])
		}
		parts = append(parts, string(r))
		begin = i + len(string(r))
	}
	if begin < len(w) {
		parts = append(parts, w[begin:])
	}
	return parts
}

// dense reports whether a character is of a script that has no spaces between words.
func dense(r rune) bool { return 0x3040 <= r && r <= 0x30FF || 0x3400 <= r && r <= 0x9FFF }

// enter gives the number of a word.
func (l *lexicon) enter(w string) int32 {
	if known, ok := l.words[w]; ok {
		return known.id
	}
	id := int32(len(l.words) + 1)
	l.words[w] = word{id: id}
	l.length = max(l.length, len(w))
	if p, ok := strings.CutSuffix(w, "*"); ok {
		key := p[:prefixLength]
		l.prefixes[key] = append(l.prefixes[key], p)
	}
	return id
}

// step gives the node that a word leads to.
func (l *lexicon) step(node, id int32) int32 {
	key := uint64(node)<<32 | uint64(id)
	if to, ok := l.next[key]; ok {
		return to
	}
	l.senses = append(l.senses, sense{})
	to := int32(len(l.senses) - 1)
	l.next[key] = to
	return to
}

// prefixOf gives the longest entry with * that a word begins with, "" for none.
func (l *lexicon) prefixOf(w string) string {
	longest := ""
	if len(w) >= prefixLength {
		for _, p := range l.prefixes[w[:prefixLength]] {
			if strings.HasPrefix(w, p) && len(p)+1 > len(longest) {
				longest = p + "*"
			}
		}
	}
	return longest
}

// look gives the number of a folded word; none has 0.
func (l *lexicon) look(w []byte) word {
	if known, ok := l.words[string(w)]; ok {
		return known
	}
	if len(w) >= prefixLength {
		if _, ok := l.prefixes[string(w[:prefixLength])]; ok {
			if p := l.prefixOf(string(w)); p != "" {
				return word{id: l.words[p].id}
			}
		}
	}
	return word{}
}
