package yamledit

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// This file writes block scalars: literal ones, and folded ones again.

// canBeBlock reports whether a string can stand in a block scalar and is read there as it is:
// something can be seen in it, and nothing in it must be an escape.
func canBeBlock(s string) bool {
	return strings.Trim(s, " \t\n") != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return unseen(r) && r != '\n' && r != '\t' })
}

// block writes a block scalar whose lines stand at column. Blank lines get no spaces.
func (w *writer) block(n *yaml.Node, column int, comment string) {
	sign, marks, lines := " |", "", strings.Split(strings.TrimSuffix(n.Value, "\n"), "\n")
	if n.Style&yaml.FoldedStyle != 0 && n.Alias != nil { // see [Doc.note]
		sign, lines = " >", strings.Split(n.Alias.Value, "\n")
	}
	// The reader takes the first line for the measure, unless it is told how far lines are indented.
	if first := strings.TrimLeft(n.Value, "\n")[0]; first == ' ' || first == '\t' {
		marks = strconv.Itoa(w.step)
	}
	switch {
	case !strings.HasSuffix(n.Value, "\n"):
		marks += "-"
	case isKept(n.Value):
		marks += "+"
		w.keeps = true
	}
	w.line(0, sign+marks+comment)
	for _, line := range lines {
		if line == "" {
			w.line(0, "")
		} else {
			w.line(column, line)
		}
	}
}

// isKept reports whether a string ends in blank lines, so that a block must keep those behind it.
func isKept(s string) bool { return strings.HasSuffix(s, "\n\n") }

// folded gives the lines of a folded block as they stand, without their indentation. Its value
// does not tell where they were folded.
func (s *source) folded(n *yaml.Node) (lines []string, ok bool) {
	at := s.offset(n)
	if at < 0 || s.odd {
		return nil, false
	}
	end, ok := s.blockEnd(n, s.skipTag(at, n))
	indent := -1
	for i := s.lineAt(at) + 1; i <= s.lineAt(end); i++ {
		line := s.line(i)
		column := len(line) - len(strings.TrimLeft(line, " "))
		if indent < 0 && column < len(line) {
			indent = column - leading(n.Value)
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		lines[i] = line[min(max(indent, 0), len(line)):]
	}
	return lines, ok && indent > 0
}
