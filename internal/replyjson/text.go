package replyjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// Text is a string as it stands in the reply, with its escapes.
type Text struct {
	raw string
	Cut bool // the reply ends in it
}

// String resolves the escapes that a writer of JSON means: quotes, backslash,
// slash, \n, \r, \t and \u with four hex digits. Any other backslash stays, with
// what follows it: models write \s and \d with one, and nobody means the
// backspace of \b or the form feed of \f.
func (t Text) String() string { return t.resolve(resolveEscape) }

// Pattern is String for a text that may hold a regular expression or a path.
// There, a tab or a return is never meant, and \t and \r stay. So does \n where
// another escape shows that the writer doubles no backslashes. In /…/ a slash
// inside needs its backslash and keeps it.
func (t Text) Pattern() string {
	slashed := strings.HasPrefix(t.raw, "/")
	single := t.hasSingle()
	return t.resolve(func(rest string) (string, int) {
		switch rest[1] {
		case 't', 'r':
			if strings.HasPrefix(rest, `\r\n`) && !single {
				return "\n", 4
			}
			return rest[:2], 2
		case 'n':
			if single {
				return rest[:2], 2
			}
		case '/':
			if slashed {
				return rest[:2], 2
			}
		}
		return resolveEscape(rest)
	})
}

// hasSingle reports whether a backslash stands where JSON allows none, or
// makes a backspace or form feed of a letter.
func (t Text) hasSingle() bool {
	for i := 0; i+1 < len(t.raw); i++ {
		if t.raw[i] != '\\' {
			continue
		}
		if got, _ := resolveEscape(t.raw[i:]); got[0] == '\\' && t.raw[i+1] != '\\' {
			return true
		}
		i++
	}
	return false
}

// resolve replaces each escape by what one gives for it, and its length.
func (t Text) resolve(one func(rest string) (string, int)) string {
	if !strings.Contains(t.raw, `\`) {
		return t.raw
	}
	var b strings.Builder
	for rest := t.raw; rest != ""; {
		at := strings.IndexByte(rest, '\\')
		if at < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:at])
		rest = rest[at:]
		if t.Cut && unfinished(rest) {
			break
		}
		if len(rest) == 1 {
			b.WriteByte('\\')
			break
		}
		s, size := one(rest)
		b.WriteString(s)
		rest = rest[size:]
	}
	return b.String()
}

// unfinished reports whether all that is left is the beginning of an escape.
func unfinished(rest string) bool {
	if len(rest) == 1 {
		return true
	}
	return rest[1] == 'u' && len(rest) < 6 && strings.Trim(rest[2:], "0123456789abcdefABCDEF") == ""
}

// resolveEscape gives what the escape with which rest begins stands for, and
// its length. What is none gives the backslash alone.
func resolveEscape(rest string) (string, int) {
	switch rest[1] {
	case '"', '\\', '/', '\'':
		return rest[1:2], 2
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case 'u':
		first, ok := hex4(rest)
		if !ok {
			break
		}
		if utf16.IsSurrogate(first) {
			second, _ := hex4(rest[6:])
			if r := utf16.DecodeRune(first, second); r != '\uFFFD' {
				return string(r), 12
			}
		}
		return string(first), 6 // half a pair becomes U+FFFD
	}
	return `\`, 1
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(n), err == nil
}
