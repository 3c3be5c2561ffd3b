package replyjson

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks around the number of a text in the skeleton. Outside of strings they
// are left out, so that nobody else can set them.
const (
	openMark  = '\uE000'
	closeMark = '\uE001'
)

// where in an object or list the scanner is.
type where int

const (
	beforeKey where = iota // of an object
	afterKey
	beforeValue // of an object or list
	afterValue
)

// container is an object or list that is not closed yet.
type container struct {
	list bool
	at   where
	key  string // the last one read
}

// scanner makes a skeleton of an object and takes its texts out. A strict one
// keeps to the quoting of JSON, and otherwise leaves the skeleton as it is.
type scanner struct {
	text     string
	known    map[string]bool
	strict   bool
	pos      int
	out      strings.Builder
	texts    []Text
	stack    []container
	familiar bool // one of the known keys was seen
	decision string
	decided  bool // the key that decides was seen in the outermost object
	cut      bool
	lost     string
}

// object scans the object at pos. It is false where that is none, or is nested too deep.
func (s *scanner) object() bool {
	s.open('{')
	for len(s.stack) > 0 {
		if s.pos >= len(s.text) {
			s.cut = true
			return !s.strict
		}
		if len(s.stack) > maxDepth {
			return false
		}
		next := s.loose
		if s.strict {
			next = s.exact
		}
		if !next() {
			return false
		}
	}
	return true
}

// exact takes the next token of what should be JSON.
func (s *scanner) exact() bool {
	switch c := s.text[s.pos]; c {
	case '{', '[':
		s.open(c)
	case '}', ']':
		s.out.WriteByte(c)
		s.stack = s.stack[:len(s.stack)-1]
		s.pos++
	case '"':
		end, ok := strictEnd(s.text, s.pos)
		if !ok {
			s.pos = len(s.text) // that far it was looked at
			return false
		}
		s.put(Text{raw: s.text[s.pos+1 : end-1]})
		s.pos = end
	default:
		s.out.WriteByte(c)
		s.pos++
	}
	return true
}

// strictEnd is the end of the JSON string at at.
func strictEnd(text string, at int) (int, bool) {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1, true
		}
	}
	return 0, false
}

// loose takes the next token, whatever it looks like.
func (s *scanner) loose() bool {
	if end := s.space(s.pos); end > s.pos {
		s.gap(end)
		return true
	}
	top := s.top()
	c := s.text[s.pos]
	switch {
	case c == '}' || c == ']':
		s.close(c)
	case c == ',':
		s.comma()
	case c == ':' || c == '+': // what follows either is a value
		s.out.WriteByte(c)
		s.pos++
		top.at = beforeValue
	case fenceAt(s.text, s.pos):
		s.cut = true
		s.stack = nil
	case strings.HasPrefix(s.text[s.pos:], "..."):
		s.out.WriteString("...")
		s.pos += 3
	case !top.list && (top.at == beforeKey || top.at == afterValue):
		return s.key()
	case c == '{' || c == '[':
		top.at = afterValue
		s.open(c)
	case quoteAt(s.text, s.pos) != "":
		top.at = afterValue
		s.string()
	default:
		top.at = afterValue
		s.bare()
	}
	return true
}

func (s *scanner) top() *container { return &s.stack[len(s.stack)-1] }

func (s *scanner) open(c byte) {
	s.out.WriteByte(c)
	s.pos++
	at := beforeKey
	if c == '[' {
		at = beforeValue
	}
	s.stack = append(s.stack, container{list: c == '[', at: at})
}

// close closes the innermost container of the kind, and those in it. Without one, c is passed over.
func (s *scanner) close(c byte) {
	s.pos++
	for i := len(s.stack) - 1; i >= 0; i-- {
		if s.stack[i].list == (c == ']') {
			for len(s.stack) > i {
				s.closeTop()
			}
			return
		}
	}
}

func (s *scanner) closeTop() {
	end := byte('}')
	if s.top().list {
		end = ']'
	}
	s.out.WriteByte(end)
	s.stack = s.stack[:len(s.stack)-1]
}

func (s *scanner) comma() {
	s.out.WriteByte(',')
	s.pos++
	top := s.top()
	top.at = beforeKey
	if top.list {
		top.at = beforeValue
	}
}

// gap keeps of white space and comments only whether they end a line.
func (s *scanner) gap(end int) {
	sep := byte(' ')
	if strings.Contains(s.text[s.pos:end], "\n") {
		sep = '\n'
	}
	s.out.WriteByte(sep)
	s.pos = end
}

// key reads a key, with or without quotes.
func (s *scanner) key() bool {
	key, end, ok := s.keyAt(s.pos)
	if !ok && end >= len(s.text) { // it is cut
		s.pos = len(s.text)
		return true
	}
	if !ok {
		return false
	}
	s.put(Text{raw: key})
	s.familiar = s.familiar || s.known[Fold(key)]
	s.decided = s.decided || len(s.stack) == 1 && Fold(key) == s.decision
	top := s.top()
	top.at, top.key = afterKey, key
	s.pos = end
	return true
}

// put writes a text's number into the skeleton.
func (s *scanner) put(t Text) {
	s.out.WriteString(`"` + string(openMark) + strconv.Itoa(len(s.texts)) + string(closeMark) + `"`)
	s.texts = append(s.texts, t)
}

var bareChars = strings.NewReplacer(string(openMark), "", string(closeMark), "", `\`, `\\`)

// bare takes a value without quotes, for the repair to judge. The repair puts it
// in quotes as it is, and so its backslashes are doubled here.
func (s *scanner) bare() {
	end := s.pos
	for end < len(s.text) && !strings.ContainsRune(",}]\"\n", rune(s.text[end])) && !s.comment(end) {
		end++
	}
	end = max(end, s.pos+1)
	value := strings.TrimRight(s.text[s.pos:end], " \t")
	s.out.WriteString(bareChars.Replace(value))
	s.pos = end
}

// comment reports whether a comment begins at i, behind white space.
func (s *scanner) comment(i int) bool {
	if i == 0 || s.text[i-1] != ' ' && s.text[i-1] != '\t' && s.text[i-1] != '\n' {
		return false
	}
	return commentEnd(s.text, i) > i
}

// Bounds of one look past comments, which is taken at each quote.
const (
	maxComment  = 512 // bytes of one
	maxComments = 8
)

// commentEnd is the end of the comment at i; i where there is none.
func commentEnd(text string, i int) int {
	rest := text[i:min(len(text), i+maxComment)]
	switch {
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest[2:], "*/"); end >= 0 {
			return i + end + 4
		}
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "#"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return i + end
		}
		return i + len(rest)
	}
	return i
}

// space is the end of the white space and comments at i.
func (s *scanner) space(i int) int {
	for comments := 0; i < len(s.text) && comments < maxComments; {
		r, size := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s.text[i:])
		}
		if unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' || r == '\u2060' {
			i += size
			continue
		}
		end := commentEnd(s.text, i)
		if end == i {
			return i
		}
		i = end
		comments++
	}
	return i
}

func fenceAt(text string, i int) bool {
	return strings.HasPrefix(text[i:], "```") || strings.HasPrefix(text[i:], "~~~")
}
