package trigger

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rawko/memory/internal/lexical"
)

// strongEmphasis is Markdown's; a path such as **/src/** is none.
var strongEmphasis = regexp.MustCompile(`\*\*([^\s*/](?:(?:\*?[^*])*?\*?[^\s*/])?)\*\*`)

// emphasis is taken off a whole alternative of several words: one word between
// stars is a glob.
var emphasis = regexp.MustCompile(`^\*([^\s*][^*]*\s[^*]*[^\s*])\*$`)

// separators stand between alternatives.
const separators = "|、,"

// split gives the alternatives of a line; the empty ones are left out.
func split(line string) []string {
	line = tidy(strings.ReplaceAll(lexical.Normalize(line), "`", ""))
	if _, ok := slashed(line); ok {
		if end := slashedEnd(line); end == 0 || end == len(line) {
			return []string{line}
		}
	}
	line = strongEmphasis.ReplaceAllString(line, "$1")
	var alternatives []string
	for _, alternative := range splitTop(line, '|', '、') {
		items := splitTop(alternative, ',')
		if !allShort(items) {
			items = []string{alternative}
		}
		for _, item := range items {
			if item = tidy(emphasis.ReplaceAllString(tidy(item), "$1")); item != "" {
				alternatives = append(alternatives, item)
			}
		}
	}
	return alternatives
}

// tidy takes off white space and end punctuation, unless nothing else is there.
func tidy(s string) string {
	s = strings.TrimSpace(s)
	t := strings.TrimRight(s, ".,;:!?。 ")
	if t == "" {
		return s
	}
	if strings.HasSuffix(t, `\`) && len(t) < len(s) {
		_, n := utf8.DecodeRuneInString(s[len(t):])
		return s[:len(t)+n] // an escaped dot is no full stop
	}
	return t
}

// splitTop cuts s at the separators that stand outside brackets of any kind; at
// all of them where the brackets do not match. An expression between slashes is
// never cut. A bar may be escaped: Markdown tables ask for it.
func splitTop(s string, separators ...rune) []string {
	var pieces []string
	begin, depth, escaped := 0, 0, false
	balanced := bracketsMatch(s)
	whole := slashedEnd(s)
	for i, r := range s {
		if i < whole {
			continue
		}
		switch {
		case strings.ContainsRune(string(separators), r) && (depth == 0 || !balanced) && !inNumber(s, i):
			end := i
			if escaped {
				end--
			}
			pieces = append(pieces, s[begin:end])
			begin = i + len(string(r))
			whole = begin + strings.IndexFunc(s[begin:]+".", func(r rune) bool { return r != ' ' })
			whole += slashedEnd(s[min(whole, len(s)):])
		case escaped:
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		}
		escaped = r == '\\' && !escaped
	}
	return append(pieces, s[begin:])
}

func bracketsMatch(s string) bool {
	depth, escaped := 0, false
	for _, r := range s {
		switch {
		case escaped:
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			if depth--; depth < 0 {
				return false
			}
		}
		escaped = r == '\\' && !escaped
	}
	return depth == 0
}

// inNumber reports whether the byte at i is the comma of "1,000".
func inNumber(s string, i int) bool {
	return s[i] == ',' && i > 0 && i+1 < len(s) && isDigit(s[i-1]) && isDigit(s[i+1])
}

// allShort reports whether there are several items of one or two words each
// (four characters, in scripts without spaces).
func allShort(items []string) bool {
	if len(items) < 2 {
		return false
	}
	for _, item := range items {
		cjk := 0
		for _, r := range item {
			if lexical.IsCJK(r) {
				cjk++
			}
		}
		if len(strings.FieldsFunc(item, unicode.IsSpace)) > 2 || cjk > 4 {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }
