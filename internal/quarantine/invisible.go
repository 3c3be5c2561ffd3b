package quarantine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostSoftHyphens is how many soft hyphens a text may have, for each 100 bytes of it and once more.
const mostSoftHyphens = 4

// invisible finds characters that cannot be seen and have no business where they stand.
func invisible(text string) []Finding {
	var found []Finding
	hyphens := 0
	begin, why := -1, ""
	var before rune // the last character that can be seen
	for i, r := range text {
		reason := ""
		if r >= 0xAD {
			reason = unseen(text, i, r, before)
		}
		if r == 0xAD {
			hyphens++
		}
		if begin >= 0 && reason == "" {
			found = append(found, Finding{Invisible, begin, i, why})
			begin = -1
		}
		if begin < 0 && reason != "" {
			begin, why = i, reason
		}
		if reason == "" && !joins(r) {
			before = r
		}
	}
	if begin >= 0 {
		found = append(found, Finding{Invisible, begin, len(text), why})
	}
	if hyphens > mostSoftHyphens*(1+len(text)/100) {
		at := strings.IndexRune(text, 0xAD)
		found = append(found, Finding{Invisible, at, at + utf8.RuneLen(0xAD), "many soft hyphens"})
	}
	return found
}

// joins reports whether a character only changes the one before it.
func joins(r rune) bool {
	return r >= 0x300 && (r == 0x200D || r == 0xFE0F || r == 0xFE0E || 0xE0020 <= r && r <= 0xE007F || unicode.Is(unicode.Mn, r))
}

// unseen says what is wrong with the character r at i, "" for nothing.
func unseen(text string, i int, r, before rune) string {
	switch {
	case r == 0xFEFF:
		if i > 0 {
			return "zero-width character"
		}
	case r == 0x200C || r == 0x200D:
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if !joiner(r, before, next) {
			return "zero-width character"
		}
	case r == 0x200E || r == 0x200F || r == 0x61C:
		if !rightToLeft(before) && !nextRightToLeft(text[i:]) {
			return "direction mark"
		}
	case r == 0x200B || 0x2060 <= r && r <= 0x2064 || r == 0x180E || r == 0x3164 || r == 0x115F || r == 0x1160 || r == 0xFFA0:
		return "zero-width character"
	case 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069:
		return "bidirectional control"
	case 0xE0000 <= r && r <= 0xE007F:
		if before == 0x1F3F4 && flag(text[i:]) { // the flags of regions are written with tags
			return ""
		}
		return "tag character"
	case 0xE0100 <= r && r <= 0xE01EF:
		if !unicode.Is(unicode.Han, before) {
			return "variation selector"
		}
	case 0xFE00 <= r && r <= 0xFE0F:
		if prev, _ := utf8.DecodeLastRuneInString(text[:i]); unicode.Is(unicode.Variation_Selector, prev) || prev == utf8.RuneError || unicode.IsSpace(prev) || unicode.Is(unicode.Latin, prev) {
			return "variation selector"
		}
	case unicode.Is(unicode.Cf, r) && r > 0xFFF0:
		return "format character"
	}
	return ""
}

// joiner reports whether a zero-width joiner or non-joiner belongs between two characters: in
// an emoji, or in a word of a script whose letters join.
func joiner(r, before, next rune) bool {
	if unicode.IsLetter(before) || unicode.Is(unicode.Mn, before) || unicode.Is(unicode.Mc, before) {
		return joining(before)
	}
	return r == 0x200D && before > 0x2000 && next > 0x2000 && !unicode.IsLetter(next)
}

// joining reports whether a character is of a script that needs joiners: the Arabic and the Indic ones.
func joining(r rune) bool {
	return 0x0600 <= r && r <= 0x08FF || 0x0900 <= r && r <= 0x0DFF || 0x0E00 <= r && r <= 0x109F || 0x1780 <= r && r <= 0x18AF || 0xFB50 <= r && r <= 0xFEFC
}

func rightToLeft(r rune) bool {
	return 0x0590 <= r && r <= 0x08FF || 0xFB1D <= r && r <= 0xFEFC
}

// nextRightToLeft looks at the character behind the mark with which s begins.
func nextRightToLeft(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	r, _ := utf8.DecodeRuneInString(s[n:])
	return rightToLeft(r)
}

// flag reports whether s begins within the tags of a flag: a few letters and an end.
func flag(s string) bool {
	n := 0
	for _, r := range s {
		switch {
		case r == 0xE007F:
			return n <= 6
		case r < 0xE0020 || r > 0xE007F:
			return false
		}
		n++
	}
	return false
}
