package replyjson

import (
	"strings"
	"unicode"
)

// quotes that can begin a string, each with those that can end it.
var quotes = []struct{ open, close string }{
	{`"""`, ""}, {`'''`, ""}, // these end where they stand again
	{`"`, `"`}, {"“", `“”"`}, {"”", `“”"`}, {"„", `“”"`},
	{"'", "'"}, {"‘", "‘’'"}, {"’", "‘’'"}, {"`", "`"},
}

// quoteAt gives the quote that begins at i; "" for none.
func quoteAt(text string, i int) string {
	if i >= len(text) || strings.IndexByte("\"'`\xe2", text[i]) < 0 { // most are none
		return ""
	}
	for _, q := range quotes {
		if strings.HasPrefix(text[i:], q.open) {
			return q.open
		}
	}
	return ""
}

// string reads the string at pos. Where no quote can be its end, it is cut.
func (s *scanner) string() {
	open := quoteAt(s.text, s.pos)
	begin := s.pos + len(open)
	if len(open) == 3 && strings.IndexByte("\"'", open[0]) >= 0 {
		if end := strings.Index(s.text[begin:], open); end >= 0 {
			s.put(Text{raw: s.text[begin : begin+end]})
			s.pos = begin + end + 3
			return
		}
		open, begin = open[:1], s.pos+1
	}
	q := quoted{s: s, pos: begin, spare: -1}
	end, size := q.end(open)
	s.pos = end + size
	t := Text{raw: s.text[begin:end], Cut: size == 0}
	if t.Cut {
		s.cut, s.lost = true, s.stack[0].key
	}
	s.put(t)
}

// quoted looks for the end of a string whose inner quotes may lack their
// backslashes. A quote ends it where what follows is what has to follow a
// string. After one that did not, doubt is in place: then braces that were opened
// in the string have to be closed, or the key that follows has to be a known one.
type quoted struct {
	s      *scanner
	pos    int
	doubt  bool
	braces int // opened in the string so far
	spare  int // the last quote that only the braces kept from being the end; -1: none
}

// end gives where the string ends and the size of the quote there, 0 where the text is cut.
func (q *quoted) end(open string) (at, size int) {
	closing := open
	for _, known := range quotes {
		if known.open == open {
			closing = known.close
		}
	}
	text := q.s.text
	for q.pos < len(text) {
		switch c := text[q.pos]; {
		case c == '\\':
			if q.escapedEnd(open) {
				return q.pos, 1 + len(open)
			}
			q.pos++
		case c == '{':
			q.braces++
		case c == '}':
			q.braces--
		case strings.IndexByte(closing, c) >= 0: // of a longer quote the first byte
			for _, mark := range closing {
				if m := string(mark); strings.HasPrefix(text[q.pos:], m) && q.ends(q.pos+len(m), len(m)) {
					return q.pos, len(m)
				}
			}
		}
		q.pos++
	}
	if q.spare >= 0 && !strings.ContainsFunc(text[q.spare+1:], isWord) {
		return q.spare, 1
	}
	return len(text), 0
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// ends reports whether the string can end before i.
func (q *quoted) ends(i, size int) bool {
	if q.fits(i) {
		return true
	}
	if q.doubt && q.braces > 0 {
		braces := q.braces
		q.braces = 0
		if q.fits(i) && size == 1 {
			q.spare = i - size
		}
		q.braces = braces
	}
	q.doubt = true
	return false
}

// escapedEnd reports whether a quote with a backslash must be the end all the same:
// a known key follows on a line of its own.
func (q *quoted) escapedEnd(open string) bool {
	s := q.s
	if !strings.HasPrefix(s.text[q.pos+1:], open) {
		return false
	}
	i := s.space(q.pos + 1 + len(open))
	if i >= len(s.text) || s.text[i] != ',' || s.top().list {
		return false
	}
	next := s.space(i + 1)
	key, _, ok := s.keyAt(next)
	return ok && s.known[Fold(key)] && quoteAt(s.text, next) == open && strings.Contains(s.text[i:next], "\n")
}

// fits reports whether what stands at i can follow a string.
func (q *quoted) fits(i int) bool {
	s := q.s
	i = s.space(i)
	if i >= len(s.text) {
		return true
	}
	sure := !q.doubt || q.braces <= 0
	switch c := s.text[i]; {
	case c == '+':
		return !q.doubt && quoteAt(s.text, s.space(i+1)) != ""
	case fenceAt(s.text, i):
		return sure && strings.HasSuffix(strings.TrimRight(s.text[:i], " \t"), "\n")
	case s.top().list:
		return q.fitsList(i)
	case c == '}':
		return sure
	case c == ']':
		return !q.doubt
	case c == ',':
		next := s.space(i + 1)
		if next >= len(s.text) || s.text[next] == '}' || strings.HasPrefix(s.text[next:], "...") {
			return sure
		}
		key, end, ok := s.keyAt(next)
		if !ok && end >= len(s.text) { // the key is cut
			return sure && (!q.doubt || quoteAt(s.text, next) != "")
		}
		return ok && (sure || s.known[Fold(key)])
	}
	key, _, ok := s.keyAt(i) // the comma is missing
	return ok && s.known[Fold(key)]
}

// fitsList is fits for an item of a list.
func (q *quoted) fitsList(i int) bool {
	s := q.s
	switch c := s.text[i]; c {
	case ']':
		next := s.space(i + 1)
		return !q.doubt || next >= len(s.text) || strings.IndexByte(",]}", s.text[next]) >= 0
	case ',':
		next := s.space(i + 1)
		return !q.doubt || next >= len(s.text) || s.text[next] == ']' || quoteAt(s.text, next) != ""
	case '}':
		return !q.doubt
	}
	return !q.doubt && quoteAt(s.text, i) != "" && s.text[i-1] <= ' ' // the comma is missing
}

// maxKey bounds a key, in bytes.
const maxKey = 64

// keyAt reads the key at i, and gives where its colon stands. Where there is none
// because the text is cut, end is the text's.
func (s *scanner) keyAt(i int) (key string, end int, ok bool) {
	open := quoteAt(s.text, i)
	if len(open) == 3 && open[0] != 0xe2 { // `"""`; a curly quote has three bytes, too
		return "", i, false
	}
	begin := i + len(open)
	end = begin
	for end < len(s.text) && end-begin <= maxKey && isKeyByte(s.text, end, open != "") {
		end++
	}
	key = s.text[begin:end]
	closing := quoteAt(s.text, end)
	if end >= len(s.text) || key == "" || open != "" && closing == "" {
		return "", end, false
	}
	end = s.space(end + len(closing))
	return key, end, end < len(s.text) && s.text[end] == ':'
}

func isKeyByte(text string, i int, inQuotes bool) bool {
	c := text[i]
	if inQuotes {
		return strings.IndexByte("\n:{}[]\\", c) < 0 && quoteAt(text, i) == ""
	}
	return c == '_' || c == '-' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
