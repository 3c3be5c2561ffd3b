package trigger

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rawko/memory/internal/lexical"
)

// glob is one word with stars, compared with whole words and paths.
type glob struct{ *regular }

func (g glob) in(text *lexical.Text) lexical.Degree {
	if g.MatchString(text.Tokens()) {
		return lexical.Whole
	}
	return lexical.Nothing
}

// isGlob reports whether s is one word with a star beside a letter, a digit or
// one of "._-/", and no address.
func isGlob(s string) bool {
	if strings.ContainsFunc(s, unicode.IsSpace) || strings.Contains(s, "://") {
		return false
	}
	beside := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-/", r)
	}
	for i := range len(s) {
		if s[i] != '*' {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+1:])
		if i > 0 && beside(before) || i+1 < len(s) && beside(after) {
			return true
		}
	}
	return false
}

// isPlainGlob reports whether a glob has nothing that only expressions need.
func isPlainGlob(s string) bool {
	return isGlob(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`._-/\*?{},@+~`, r)
	})
}

func asGlob(source string) (alternative, *Error) {
	re, err := compileRegexp(source, "(?im)^(?:"+globExpr(source)+")$")
	if err != nil {
		return nil, err
	}
	return glob{re}, nil
}

// globExpr writes a glob as a regular expression: a star stops at white space
// and slashes, "**/" crosses folders, braces hold alternatives.
func globExpr(s string) string {
	s = strings.TrimPrefix(strings.ReplaceAll(s, `\`, "/"), "./")
	var b strings.Builder
	braces := 0
	for i := 0; i < len(s); {
		switch rest := s[i:]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:\S*/)?`)
			i += 3
			continue
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`\S*`)
			i += 2
			continue
		case rest[0] == '*':
			b.WriteString(`[^\s/]*`)
		case rest[0] == '?':
			b.WriteString(`[^\s/]`)
		case rest[0] == '{' && strings.Contains(rest, "}"):
			b.WriteString("(?:")
			braces++
		case rest[0] == '}' && braces > 0:
			b.WriteString(")")
			braces--
		case rest[0] == ',' && braces > 0:
			b.WriteString("|")
		default:
			_, n := utf8.DecodeRuneInString(rest)
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			i += n
			continue
		}
		i++
	}
	return b.String() + strings.Repeat(")", braces)
}
