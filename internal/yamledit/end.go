package yamledit

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// The YAML reader says where a node begins, but not where it ends. This file finds
// that out from the text. It gives up (ok is false) where the text is not what the
// node lets expect.

const spaces = " \t\r\n\u0085\u2028\u2029"

// end gives the offset behind the last character of a node, comments and blank
// lines not counted, and without the line break.
func (s *source) end(n *yaml.Node) (end int, ok bool) {
	at := s.offset(n)
	if at < 0 {
		return 0, false
	}
	if n.Style&yaml.FlowStyle == 0 && n.Kind != yaml.ScalarNode {
		return s.childrenEnd(n)
	}
	if at = s.skipTag(at, n); at >= len(s.text) {
		return at, isEmpty(n)
	}
	switch {
	case n.Kind != yaml.ScalarNode:
		return s.flowEnd(n, at)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return s.quotedEnd(at, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return s.quotedEnd(at, '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return s.blockEnd(n, at)
	}
	return s.plainEnd(at, n.Value)
}

// isEmpty reports whether a node is a scalar that has no text of its own.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0
}

// skipTag gives where the node begins behind its tag.
func (s *source) skipTag(at int, n *yaml.Node) int {
	if !strings.HasPrefix(s.text[at:], "!") {
		return at
	}
	if end := strings.IndexAny(s.text[at:], spaces+",]}"); end >= 0 {
		at += end
	} else {
		at = len(s.text)
	}
	if isEmpty(n) {
		return at
	}
	return s.skipBlank(at, "")
}

// skipBlank goes on over white space, comments, and the given signs.
func (s *source) skipBlank(at int, signs string) int {
	for at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[at:])
		switch {
		case strings.ContainsRune(spaces, r) || strings.ContainsRune(signs, r):
			at += size
		case r == '#':
			at = s.lineEnd(at)
		default:
			return at
		}
	}
	return at
}

// childrenEnd gives where the last child ends.
func (s *source) childrenEnd(n *yaml.Node) (int, bool) {
	last := len(n.Content) - 1
	if last < 0 {
		return 0, false
	}
	if n.Kind == yaml.MappingNode && isEmpty(n.Content[last]) && n.Content[last].Style == 0 {
		// An empty value may be said to begin anywhere up to the next token.
		end, ok := s.end(n.Content[last-1])
		if !ok {
			return 0, false
		}
		if colon, ok := s.colon(end); ok {
			end = colon
			if tag := end + len(s.text[end:]) - len(strings.TrimLeft(s.text[end:], " \t")); strings.HasPrefix(s.text[tag:], "!") {
				return s.skipTag(tag, n.Content[last]), true
			}
		}
		return end, true
	}
	return s.end(n.Content[last])
}

// colon gives the offset behind the colon that follows a key.
func (s *source) colon(keyEnd int) (int, bool) {
	rest := strings.TrimLeft(s.text[keyEnd:], " \t")
	if !strings.HasPrefix(rest, ":") {
		return 0, false
	}
	return len(s.text) - len(rest) + 1, true
}

// flowEnd gives where a list or map in flow style ends. A map of one pair in a
// list needs no brackets.
func (s *source) flowEnd(n *yaml.Node, at int) (int, bool) {
	closing := "]"
	switch {
	case s.text[at] == '{':
		closing = "}"
	case s.text[at] != '[' || n.Kind == yaml.MappingNode:
		return s.childrenEnd(n)
	}
	end, ok := at+1, true
	if len(n.Content) > 0 {
		end, ok = s.childrenEnd(n)
	}
	if end = s.skipBlank(end, ",:?"); !ok || !strings.HasPrefix(s.text[end:], closing) {
		return 0, false
	}
	return end + 1, true
}

func (s *source) quotedEnd(at int, quote byte) (int, bool) {
	if s.text[at] != quote {
		return 0, false
	}
	for i := at + 1; i < len(s.text); i++ {
		switch {
		case s.text[i] == '\\' && quote == '"':
			i++
		case s.text[i] != quote:
		case quote == '\'' && strings.HasPrefix(s.text[i+1:], "'"):
			i++
		default:
			return i + 1, true
		}
	}
	return 0, false
}

// plainEnd looks for the characters of the value in the text; the white space
// between them may have been folded.
func (s *source) plainEnd(at int, value string) (int, bool) {
	for _, r := range value {
		if strings.ContainsRune(spaces, r) {
			continue
		}
		at += len(s.text[at:]) - len(strings.TrimLeft(s.text[at:], spaces))
		found, size := utf8.DecodeRuneInString(s.text[at:])
		if found != r {
			return 0, false
		}
		at += size
	}
	return at, true
}

// keeps reports whether a node is a block scalar to which the blank lines behind it belong.
func (s *source) keeps(n *yaml.Node) bool {
	if !isBlock(n) {
		return false
	}
	at := s.offset(n)
	if at < 0 {
		return true
	}
	at = s.skipTag(at, n)
	header, _, _ := strings.Cut(s.text[at:s.lineEnd(at)], "#")
	return strings.Contains(header, "+")
}

// isBlock reports whether a node is a literal or folded block scalar.
func isBlock(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// blockEnd gives where a block scalar ends. Blank lines behind its text belong to
// it only if they are kept.
func (s *source) blockEnd(n *yaml.Node, at int) (int, bool) {
	keep, indent := s.keeps(n), -1
	first := s.lineAt(at)
	last := first
	for i := first + 1; i < len(s.starts) && s.starts[i] < len(s.text); i++ {
		line := s.line(i)
		column := len(line) - len(strings.TrimLeft(line, " "))
		blank := column == len(line)
		if indent < 0 && !blank {
			if indent = column - leading(n.Value); indent < 0 || leading(n.Value) < 0 {
				break
			}
		}
		switch {
		case blank && (keep || indent < 0 || column > indent):
			last = i
		case blank:
		case column >= indent:
			last = i
		default:
			return s.lineEnd(s.starts[last]), true
		}
	}
	return s.lineEnd(s.starts[last]), true
}

// leading counts the spaces that the first line begins with that is not blank;
// -1: all are.
func leading(value string) int {
	for line := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '\n' || r == '\u2028' || r == '\u2029' }) {
		if rest := strings.TrimLeft(line, " "); rest != "" {
			return len(line) - len(rest)
		}
	}
	return -1
}
