// Package lexical cuts text into words and says when two words are the same:
// what trigger matching needs to know of language.
package lexical

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Normalize brings text to Unicode NFKC and takes out what cannot be seen:
// invalid UTF-8 and format characters (zero-width spaces, bidi marks, soft hyphens).
func Normalize(s string) string {
	if isASCII(s) {
		return s
	}
	s = strings.ToValidUTF8(s, " ")
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
