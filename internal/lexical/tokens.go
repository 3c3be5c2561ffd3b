package lexical

import (
	"regexp"
	"slices"
	"strings"
)

var lineNumber = regexp.MustCompile(`:\d+(:\d+)?$`)

// Tokens gives what a glob is compared with, a line each: the text's pieces
// between white space without the punctuation around them, the last part of
// those that are paths, and the parts of their words. Backslashes become slashes.
func (t *Text) Tokens() string { return t.tokens() }

func (t *Text) makeTokens() string {
	seen := make(map[string]bool)
	for _, p := range t.parts {
		seen[p.text] = true
	}
	for token := range strings.FieldsSeq(strings.Join(append([]string{t.text}, t.names...), "\n")) {
		token = strings.TrimLeft(token, "\"'`“‘([{<")
		token = strings.TrimRight(token, "\"'`”’)]}>.,;:!?。，、")
		token = strings.TrimSuffix(strings.TrimSuffix(token, "'s"), "’s")
		token = lineNumber.ReplaceAllString(token, "")
		token = strings.TrimPrefix(strings.ReplaceAll(token, `\`, "/"), "./")
		seen[token] = true
		seen[token[strings.LastIndexByte(token, '/')+1:]] = true
	}
	lines := make([]string, 0, len(seen))
	for line := range seen {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
