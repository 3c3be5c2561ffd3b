package yamledit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// source is the text of a document and its lines as YAML 1.1 counts them: they end
// not only at LF, but at CR, NEL and the two separators of Unicode too.
type source struct {
	text    string
	starts  []int      // of the lines; behind the last break is a line, too
	odd     bool       // other line breaks than LF, or marks that change how the text is read
	newline string     // the line break that new lines get: the one of the first line
	null    *yaml.Node // the root when it is null

	last struct{ line, column, offset int } // of the last call of offset
}

func newSource(text string) *source {
	s := &source{text: text, starts: make([]int, 1, 1+strings.Count(text, "\n"))}
	if strings.HasPrefix(text, bom) {
		s.starts[0] = len(bom)
	}
	for _, mark := range []string{"\r", "\u0085", "\u2028", "\u2029", bom, "\n%"} {
		s.odd = s.odd || strings.Contains(text, mark)
	}
	s.odd = s.odd || strings.HasPrefix(text, "%")
	s.newline = "\n"
	if end, size := s.nextBreak(0); size == 2 && text[end] == '\r' {
		s.newline = "\r\n"
	}
	for at := s.starts[0]; at < len(text); {
		end, size := s.nextBreak(at)
		if size == 0 {
			break
		}
		at = end + size
		s.starts = append(s.starts, at)
	}
	return s
}

const bom = "\ufeff"

// nextBreak gives where the line that at is in ends, and how long the break is
// that ends it; 0: the text ends.
func (s *source) nextBreak(at int) (end, size int) {
	if !s.odd {
		if i := strings.IndexByte(s.text[at:], '\n'); i >= 0 {
			return at + i, 1
		}
		return len(s.text), 0
	}
	for i := at; i < len(s.text); i++ {
		if size := breakSize(s.text[i:]); size > 0 {
			return i, size
		}
	}
	return len(s.text), 0
}

// breakSize gives the length of the line break that s begins with, or 0.
func breakSize(s string) int {
	switch s[0] {
	case '\n':
		return 1
	case '\r':
		if strings.HasPrefix(s, "\r\n") {
			return 2
		}
		return 1
	case 0xc2, 0xe2:
		for _, b := range [...]string{"\u0085", "\u2028", "\u2029"} {
			if strings.HasPrefix(s, b) {
				return len(b)
			}
		}
	}
	return 0
}

// open reports whether the last line has no break.
func (s *source) open() bool {
	return s.starts[len(s.starts)-1] < len(s.text)
}

// offset gives where a node begins, or -1. Columns count characters, so
// that a long line is read from where the last call left off.
func (s *source) offset(n *yaml.Node) int {
	line := n.Line - 1
	if line < 0 || line >= len(s.starts) {
		return -1
	}
	column, at := 1, s.starts[line]
	if l := s.last; l.line == n.Line && l.column <= n.Column {
		column, at = l.column, l.offset
	}
	for ; column < n.Column; column++ {
		if at >= len(s.text) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	s.last.line, s.last.column, s.last.offset = n.Line, n.Column, at
	return at
}

// lineAt gives the index of the line that has the offset.
func (s *source) lineAt(offset int) int {
	i, found := slices.BinarySearch(s.starts, offset)
	if found {
		return i
	}
	return max(i-1, 0)
}

// line gives a line without its break.
func (s *source) line(i int) string {
	end, _ := s.nextBreak(s.starts[i])
	return s.text[s.starts[i]:end]
}

// lineEnd gives where the line ends that has the offset, before its break.
func (s *source) lineEnd(offset int) int {
	end, _ := s.nextBreak(offset)
	return end
}

// nextLine gives where the next line begins; the end of the text when there is none.
func (s *source) nextLine(offset int) int {
	end, size := s.nextBreak(offset)
	return end + size
}

// isBlank reports whether a line has only spaces and tabs.
func isBlank(line string) bool { return strings.Trim(line, " \t") == "" }

// commentColumn gives the column, from 0, of a line that is a comment; -1: it is none.
func commentColumn(line string) int {
	rest := strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(rest, "#") {
		return -1
	}
	return len(line) - len(rest)
}

// restIsComment reports whether behind the offset there is nothing more in the
// line than a comment, and gives it with the space before it.
func (s *source) restIsComment(offset int) (comment string, ok bool) {
	rest := strings.TrimRight(s.text[offset:s.lineEnd(offset)], " \t")
	if rest == "" {
		return "", true
	}
	if rest[0] == '#' {
		rest = " " + rest // strictly no comment, but it is read as one
	}
	return rest, commentColumn(rest) >= 0
}

// behind gives where something may be added behind a node that ends at end: on
// the next line, or behind those comments that are indented by column or more.
func (s *source) behind(end, column int) int {
	at := s.nextLine(end)
	for next := at; next < len(s.text); {
		line := s.text[next:s.lineEnd(next)]
		c := commentColumn(line)
		if c < 0 && !isBlank(line) {
			break
		}
		next = s.nextLine(next)
		if c >= column {
			at = next
		}
	}
	return at
}

// nextContent gives where the first line begins behind the offset's line that is
// neither blank nor a comment.
func (s *source) nextContent(offset int) int {
	at := s.nextLine(offset)
	for at < len(s.text) {
		line := s.text[at:s.lineEnd(at)]
		if !isBlank(line) && commentColumn(line) < 0 {
			break
		}
		at = s.nextLine(at)
	}
	return at
}
