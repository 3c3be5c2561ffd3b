package quarantine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap says what stands between two words. The greater, the more it parts.
type gap uint8

const (
	none  gap = iota // a space, a hyphen, nothing
	line             // the end of a line
	comma            // a comma, a dash, a bracket
	colon            // a colon
	stop             // the end of a sentence, of a list's item, of a paragraph
)

// unit is a word, or a character of a script without spaces.
type unit struct {
	word       word
	begin, end int32 // in runes of the folded text
	gap        gap   // before it
	kind       kind
	quote      int32 // number of the quotation or code that it is in, from 1; 0 for none
	code       bool  // the quotation is code in a line
	fence      int32 // number of the fenced block that it is in, from 1; 0 for none
	asked      bool  // the gap before it is a question mark
	block      int32 // number of its paragraph, item or heading
	passage    int32 // number of its passage: the items of a list are one with the lines around it
}

// kind says what a unit is.
type kind uint8

const (
	plainKind kind = iota
	urlKind        // a URL or a host
	mailKind       // an address
	pathKind       // a file's name
)

// scanner cuts a folded text into units.
type scanner struct {
	*folded
	i       int
	units   []unit
	gap     gap
	asked   bool
	fence   int32 // that is open
	fences  int32
	quote   int32
	quotes  int32
	closer  rune
	opened  int   // unit at which the quotation began
	block   int32 // of the next unit
	passage int32 // of the next unit
	noName  int   // before this rune no name begins: it was looked for
	scratch []byte
}

// cut gives the units of a text, and whether it ends with a question mark.
func cut(f *folded) (units []unit, asked bool) {
	s := &scanner{folded: f, units: make([]unit, 0, len(f.runes)/5+4), gap: stop}
	s.startLine()
	for s.i < len(s.runes) {
		r := s.runes[s.i]
		switch {
		case r == '\n':
			s.newline()
		case letter(r) || r == '@' || r == '$' || r == '~' && s.at1(1) == '/' || r == '/' && letter(s.at1(1)) && !letter(s.at1(-1)) || r == '.' && letter(s.at1(1)) && !letter(s.at1(-1)):
			s.word()
		default:
			s.mark(r)
		}
	}
	s.unquote()
	return s.units, s.asked
}

// at1 gives the rune n further, 0 beyond the text.
func (s *scanner) at1(n int) rune {
	if i := s.i + n; i >= 0 && i < len(s.runes) {
		return s.runes[i]
	}
	return 0
}

func letter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// part sees to it that the next unit is parted by at least g.
func (s *scanner) part(g gap) { s.gap = max(s.gap, g) }

// newBlock ends a paragraph, an item or a heading.
func (s *scanner) newBlock() {
	s.part(stop)
	s.block++
	s.unquote()
}

// unquote forgets a quotation that was never closed.
func (s *scanner) unquote() {
	if s.closer != 0 {
		for i := s.opened; i < len(s.units); i++ {
			s.units[i].quote, s.units[i].code = 0, false
		}
	}
	s.quote, s.closer = 0, 0
}

// newline goes over the end of a line.
func (s *scanner) newline() {
	s.i++
	s.part(line)
	s.startLine()
}

// startLine looks at what a line begins with: it may end the block before.
func (s *scanner) startLine() {
	n := 0
	for s.at1(n) == ' ' || s.at1(n) == '\t' || s.at1(n) == '\r' || s.at1(n) == '>' {
		n++
	}
	switch r := s.at1(n); {
	case r == '\n' || r == 0:
		s.newBlock()
		s.passage++
	case r == '`' && s.at1(n+1) == '`' && s.at1(n+2) == '`' || r == '~' && s.at1(n+1) == '~' && s.at1(n+2) == '~':
		s.toggleFence()
		for s.at1(n) != '\n' && s.at1(n) != 0 {
			n++
		}
	case s.fence > 0:
		s.part(comma)
	case r == '#' || r == '|':
		s.newBlock()
	case (r == '-' || r == '*' || r == '+' || r == '•') && (s.at1(n+1) == ' ' || s.at1(n+1) == '\t' || r == '-' && s.at1(n+1) == '-'):
		s.newBlock()
	case '0' <= r && r <= '9':
		m := n
		for '0' <= s.at1(m) && s.at1(m) <= '9' {
			m++
		}
		if (s.at1(m) == '.' || s.at1(m) == ')') && s.at1(m+1) == ' ' {
			s.newBlock()
			n = m + 1
		}
	}
	s.i += n
}

func (s *scanner) toggleFence() {
	s.newBlock()
	if s.fence > 0 {
		s.fence = 0
		return
	}
	s.fences++
	s.fence = s.fences
}

// closer gives the mark that closes a quotation that r opens, 0 where r opens none.
func closer(r rune) rune {
	switch r {
	case '"', '`', '\'':
		return r
	case '“':
		return '”'
	case '„':
		return '“'
	case '«':
		return '»'
	case '»':
		return '«'
	case '「':
		return '」'
	case '『':
		return '』'
	case '‘':
		return '\''
	case '《':
		return '》'
	}
	return 0
}

// mark goes over a character that is no part of a word.
func (s *scanner) mark(r rune) {
	s.i++
	if s.closer != 0 && (r == s.closer || s.closer == '“' && (r == '”' || r == '"') || s.closer == '’' && r == '\'') && (r != '\'' || !letter(s.at1(0))) {
		s.quote, s.closer = 0, 0
		return
	}
	if c := closer(r); c != 0 && s.closer == 0 && s.fence == 0 && (r != '\'' || !letter(s.at1(-2))) {
		s.quotes++
		s.quote, s.closer, s.opened = s.quotes, c, len(s.units)
		return
	}
	switch r {
	case '.', '!', '?':
		next := s.at1(0)
		if next == 0 || !letter(next) || dense(next) || s.gap > none {
			s.part(stop)
			s.asked = r == '?'
		}
	case '。', '！', '；', ';', '…':
		s.part(stop)
	case '？':
		s.part(stop)
		s.asked = true
	case ',', '，', '、', '(', ')', '（', '）', '–', '—', '[', ']', '{', '}', '【', '】', '→', '=':
		s.part(comma)
	case ':', '：':
		s.part(colon)
	case '|':
		switch {
		case s.at1(-2) == '<' || s.at1(0) == '>': // a token of a chat template
		case s.closer == '`' || s.fence > 0:
			s.part(comma)
		default:
			s.part(stop) // a column of a table, a word of a trigger
		}
	case '-':
		if s.at1(0) == '-' && s.at1(1) == '>' || s.at1(0) == ' ' && s.at1(-2) == ' ' {
			s.part(comma)
		}
	case '<':
		if s.at1(0) == '!' && s.at1(1) == '-' && s.at1(2) == '-' {
			s.newBlock()
			s.i += 3
		}
	}
}

// emit adds a unit.
func (s *scanner) emit(u unit) {
	u.gap, u.asked, u.quote, u.fence, u.block, u.passage = s.gap, s.asked, s.quote, s.fence, s.block, s.passage
	u.code = s.closer == '`'
	s.units = append(s.units, u)
	s.gap, s.asked = none, false
}

// word reads what begins with a letter: a word, a URL, an address or a path.
func (s *scanner) word() {
	begin := s.i
	if dense(s.runes[begin]) {
		s.dense()
		return
	}
	end, kind := s.name(begin)
	if kind != plainKind {
		s.i = end
		s.emit(unit{begin: int32(begin), end: int32(end), kind: kind, word: s.pathWord(begin, end)})
		return
	}
	end = s.wordEnd(begin)
	if end == begin { // a mark that no letter follows
		s.i++
		return
	}
	s.i = end
	s.emit(unit{begin: int32(begin), end: int32(end), word: s.look(begin, end)})
}

// dense emits a character of a script without spaces.
func (s *scanner) dense() {
	r := s.runes[s.i]
	if plain, ok := simplified()[r]; ok {
		r = plain
	}
	s.scratch = utf8.AppendRune(s.scratch[:0], r)
	s.i++
	s.emit(unit{begin: int32(s.i - 1), end: int32(s.i), word: vocabulary().look(s.scratch)})
}

// wordEnd gives the end of the word at begin. Emphasis and quotes inside belong to it,
// and marks that stand for letters do.
func (s *scanner) wordEnd(begin int) int {
	end := begin
	for i := begin; i < len(s.runes); i++ {
		r := s.runes[i]
		switch {
		case letter(r) && !dense(r):
			end = i + 1
		case r == '\'' || r == '*' || r == '@' || r == '$' || r == '!' || r == '’':
			if r == s.closer && (i+1 == len(s.runes) || !letter(s.runes[i+1])) {
				return end
			}
		default:
			return end
		}
		if i-end > 4 {
			return end
		}
	}
	return end
}

// look finds the word between two runes in the vocabulary, as it stands or with its disguise taken off.
func (s *scanner) look(begin, end int) word {
	s.scratch = s.scratch[:0]
	odd := false
	for _, r := range s.runes[begin:end] {
		if r == '\'' || r == '*' || r == '’' {
			continue
		}
		odd = odd || r < 'a' || r > 'z'
		s.scratch = utf8.AppendRune(s.scratch, r)
	}
	if w := vocabulary().look(s.scratch); w.id != 0 || !odd {
		return w
	}
	return unmask(s.scratch)
}

// name reads a URL, an address or a path that begins at begin.
func (s *scanner) name(begin int) (end int, k kind) {
	if begin < s.noName {
		return begin, plainKind
	}
	end = begin
	special := false
	for end < len(s.runes) && nameRune(s.runes[end]) {
		r := s.runes[end]
		special = special || r == '.' || r == '/' || r == '@'
		end++
	}
	if !special {
		s.noName = end
		return begin, plainKind
	}
	if run := string(s.runes[begin:end]); strings.Contains(run, "-") && strings.Contains(run, "@") && !strings.Contains(run, "/") {
		end = begin + utf8.RuneCountInString(run[:strings.IndexByte(run, '-')]) // a slug: each word is for itself
		special = strings.ContainsAny(string(s.runes[begin:end]), ".@")
	}
	s.noName = end
	if !special {
		return begin, plainKind
	}
	for end > begin && strings.ContainsRune(".,:;!?)'*_", s.runes[end-1]) {
		end--
	}
	name := string(s.runes[begin:end])
	if before, _, ok := strings.Cut(name, "://"); ok {
		if cut := strings.LastIndexAny(before, "=<>[]{}&*:@"); cut >= 0 { // a URL begins within
			s.noName = begin + utf8.RuneCountInString(before[:cut+1])
			return begin, plainKind
		}
	}
	return end, nameKind(name)
}

// nameRune reports whether a character may stand in a URL, an address or a path.
func nameRune(r rune) bool {
	return letter(r) && !dense(r) || r < utf8.RuneSelf && strings.ContainsRune("./:@_-~%?&=+#$*{}[]<>", r)
}
