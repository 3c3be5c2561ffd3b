package redact

import (
	"strings"
	"unicode/utf8"
)

// given says how a name is given its value.
type given uint8

const (
	nothing    given = iota // not at all
	plain                   // password: x
	element                 // <password>x</password>
	quotedOnly              // password("x")
	prose                   // the password for staging is x
	adjacent                // the password x
)

// maxGap is how much prose may stand between a name and what gives it a value, in bytes.
const maxGap = 48

// separator reads what stands directly between the name text[begin:end] and its
// value, and gives where the value begins, opening quotes included.
func separator(text string, begin, end int) (int, given) {
	p := run(text, end, blank, 8)
	closed := skip(text, p, "\"'`*_])}\\", 4)
	q := run(text, closed, blank, 8)
	rest := text[q:]
	if n := sign(rest); n > 0 {
		return q + n, plain
	}
	switch {
	case begin > 0 && text[begin-1] == '<':
		attributes, _, ok := strings.Cut(text[q:min(len(text), q+maxGap)], ">")
		if !ok || strings.Contains(attributes, markerStart) {
			return 0, nothing
		}
		return q + len(attributes) + 1, element
	case strings.HasPrefix(rest, "||"), strings.HasPrefix(rest, "??"):
		return q + 2, quotedOnly
	case strings.HasPrefix(rest, "|"):
		return q + 1, prose
	case strings.HasPrefix(rest, ",") && closed > p, strings.HasPrefix(rest, "(") && q == end:
		return q + 1, quotedOnly
	case strings.HasPrefix(rest, "(") && len(rest) > 1 && strings.IndexByte("\"'`", rest[1]) >= 0:
		return q + 1, adjacent
	case p > end && closed > p:
		return p, adjacent // the password `x`
	case q > end && closed == p && isFlag(text, begin):
		return q, plain
	}
	return 0, nothing
}

// next gives the word that follows a name, which ends at end.
func next(text string, end int) (int, given) {
	if p := run(text, end, blank, 8); p > end {
		return p, adjacent
	}
	return 0, nothing
}

// isFlag reports whether the name that begins at begin is an option such as --password.
func isFlag(text string, begin int) bool {
	return strings.HasPrefix(text[begin:], "--") && !is(before(text, begin), urlSafe)
}

// signs give a value; longer ones first.
var signs = []string{":=", ":-", "=>", "==", "?=", "->", ":", "=", "：", "＝", "→", "–", "—"}

// sign gives the length of the sign that text begins with; 0: none.
func sign(text string) int {
	if text == "" || text[0] < utf8.RuneSelf && strings.IndexByte(":=?-", text[0]) < 0 {
		return 0
	}
	for _, s := range signs {
		if strings.HasPrefix(text, s) {
			return len(s)
		}
	}
	return 0
}

// verbs give a value in prose.
var verbs = []string{"is still", "is now", "is", "are", "was", "to", "ist jetzt", "ist", "war", "lautet", "es", "est", "是", "为", "為"}

// verb gives the length of the verb at index i, which is a word of its own; 0: none.
func verb(text string, i int) int {
	if is(text[i], alnum) && i > 0 && is(text[i-1], alnum) {
		return 0
	}
	for _, s := range verbs {
		if s[0] == text[i] && strings.HasPrefix(text[i:], s) && (s[0] >= utf8.RuneSelf || i+len(s) < len(text) && is(text[i+len(s)], blank)) {
			return len(s)
		}
	}
	return 0
}

// gap walks over prose behind a name to the sign or verb that gives the value, in
// the same part of a sentence.
func gap(text string, at int) (int, given) {
	end := min(len(text), at+maxGap)
	for i := at; i < end; i++ {
		b := text[i]
		if b == '\n' || b == '[' || b == ';' || b == ',' || b == '.' && i+1 < len(text) && is(text[i+1], blank) {
			return 0, nothing
		}
		if !utf8.RuneStart(b) {
			continue
		}
		n := verb(text, i)
		if b == ':' || b == '=' || b >= utf8.RuneSelf {
			n = max(n, sign(text[i:]))
		}
		if n > 0 {
			return i + n, prose
		}
	}
	return 0, nothing
}
