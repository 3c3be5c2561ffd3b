package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"github.com/gosimple/slug"

	"github.com/rawko/memory/internal/lexical"
)

// maxSlug is the longest name that is made from a title, in bytes.
const maxSlug = 80

// foldTitle gives the form in which titles are compared: case, spaces and
// punctuation do not count. Symbols do ("C" is not "C++"), and so does it that
// something stands between two digits ("1.2" is not "12").
func foldTitle(title string) string {
	var b strings.Builder
	var last rune // the last one written
	gap := false  // something was left out since
	for _, r := range strings.ToLower(lexical.Normalize(title)) {
		if !inTitleKey(r) && !(strings.ContainsRune("#%&@", r) && last != 0 && !gap) { // "C#", but not "# C"
			gap = true
			continue
		}
		if gap && unicode.IsDigit(last) && unicode.IsDigit(r) {
			b.WriteByte('.')
		}
		b.WriteRune(r)
		last, gap = r, false
	}
	if b.Len() == 0 {
		return strings.TrimSpace(title)
	}
	return b.String()
}

func inTitleKey(r rune) bool {
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return true
	}
	return r != '`' && unicode.IsSymbol(r)
}

// slugTitle gives the name of the nth file for a title, from 1.
func slugTitle(title string, n int) string {
	base := cleanSlug(slug.Make(title))
	if base == "" || ValidName(base) != nil {
		sum := sha256.Sum256([]byte(foldTitle(title)))
		base = "memory-" + hex.EncodeToString(sum[:4])
	}
	if n == 1 {
		return base
	}
	suffix := fmt.Sprintf("-%d", n)
	return strings.TrimRight(base[:min(len(base), maxSlug-len(suffix))], "-") + suffix
}

// cleanSlug leaves lower-case ASCII letters, digits and single dashes, whatever
// the slug package's settings are, and cuts at a dash where that is near.
func cleanSlug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, s)
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '-' }), "-")
	if len(s) > maxSlug {
		s = s[:maxSlug]
		if dash := strings.LastIndexByte(s, '-'); dash > maxSlug/2 {
			s = s[:dash]
		}
	}
	return strings.Trim(s, "-")
}
