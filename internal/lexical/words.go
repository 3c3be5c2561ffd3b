package lexical

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// glue says how a part hangs on the part before it.
type glue uint8

const (
	ended  glue = iota // the end of a sentence or paragraph, or another text
	apart              // white space, other punctuation
	hyphen             // one hyphen or dot, as in "e-mail" and "Node.js"
	inside             // a case hump, a digit or an underscore, as in "parseHTTP", "v18" and "user_id"
)

// part is the smallest piece of a word: "OAuth2" is made of "o", "auth" and "2".
type part struct {
	text   string // lower case
	glue   glue
	plural bool // the small s of "APIs" was cut
}

// sentenceEnd is found in what stands between two words.
var sentenceEnd = regexp.MustCompile(`[.!?;]["'”’)\]]*\s|。|\n\s*\n`)

// split cuts normalized text into parts, in order.
func split(s string) []part {
	var parts []part
	g := apart
	for i := 0; i < len(s); {
		n := runLength(s[i:])
		if n == 0 {
			g, i = between(s, i)
			continue
		}
		before := len(parts)
		parts = appendRun(parts, s[i:i+n], g)
		i += n
		g = apart
		if len(parts) == before { // underscores only: nothing hangs on them
			_, i = between(s, i)
		}
	}
	return parts
}

// runLength is the length in bytes of the run of word characters that s begins
// with; zero where it begins with something else.
func runLength(s string) int {
	n := 0
	for i, r := range s {
		if !isWordRune(r) && !(i > 0 && isApostrophe(r) && startsWithLetter(s[i+len(string(r)):])) {
			break
		}
		n = i + len(string(r))
	}
	if n > 0 && n <= 2 && unicode.IsLetter(rune(s[0])) { // C++, C#, F#, g++
		if rest, ok := strings.CutPrefix(s[n:], "++"); ok && !startsWithLetter(rest) { // but C++17
			return n + 2
		}
		if rest, ok := strings.CutPrefix(s[n:], "#"); ok && !startsWithWord(rest) {
			return n + 1
		}
	}
	return n
}

// between skips what stands between two runs, and says whether it glues them.
func between(s string, i int) (glue, int) {
	start := i
	for j, r := range s[i:] {
		if isWordRune(r) {
			break
		}
		i = start + j + len(string(r))
	}
	switch gap := s[start:i]; {
	case start > 0 && (gap == "-" || gap == "."):
		return hyphen, i
	case len(gap) > 1 && sentenceEnd.MatchString(gap):
		return ended, i
	}
	return apart, i
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func startsWithWord(s string) bool {
	for _, r := range s {
		return isWordRune(r)
	}
	return false
}

func startsWithLetter(s string) bool {
	for _, r := range s {
		return unicode.IsLetter(r)
	}
	return false
}

// appendRun cuts one run of word characters where case, digits and underscores say.
// The first part hangs on what was before the run by g.
func appendRun(parts []part, run string, g glue) []part {
	run = dropApostrophes(run)
	rs := []rune(run)
	begin := 0
	emit := func(end int) {
		if end > begin {
			p := part{text: strings.ToLower(string(rs[begin:end])), glue: g}
			if isPluralAcronym(rs[begin:end]) {
				p.text, p.plural = strings.TrimSuffix(p.text, "s"), true
			}
			parts = append(parts, p)
			g = inside
		}
		begin = end
	}
	for i, r := range rs {
		switch {
		case r == '_':
			emit(i)
			begin = i + 1
		case i > begin && cutsBefore(rs, i):
			emit(i)
		}
	}
	emit(len(rs))
	return parts
}

// dropApostrophes takes "'s" from "user's" and the mark out of "don't".
func dropApostrophes(run string) string {
	if !strings.ContainsAny(run, "'’") {
		return run
	}
	run = strings.ReplaceAll(run, "’", "'")
	run = strings.TrimSuffix(strings.TrimSuffix(run, "'s"), "'S")
	return strings.ReplaceAll(run, "'", "")
}

// cutsBefore says whether a part begins at rs[i]: after a lower-case letter comes
// an upper-case one ("camelCase"), an upper-case run ends in a word ("HTTPServer"),
// or letters meet digits or another script.
func cutsBefore(rs []rune, i int) bool {
	prev, r := rs[i-1], rs[i]
	switch {
	case unicode.IsMark(r), r == '+', r == '#':
		return false
	case unicode.IsDigit(prev) != unicode.IsDigit(r):
		return true
	case IsCJK(prev) != IsCJK(r):
		return true
	case !unicode.IsUpper(r):
		return false
	case !unicode.IsUpper(prev):
		return true
	}
	last := i+1 == len(rs) || !unicode.IsLower(rs[i+1])
	plural := i+2 == len(rs) && rs[len(rs)-1] == 's' // "APIs" is one word
	return !last && !plural
}

// isPluralAcronym reports whether rs is an upper-case run with a small s, as "PRs".
func isPluralAcronym(rs []rune) bool {
	last := len(rs) - 1
	return last > 1 && rs[last] == 's' && !slices.ContainsFunc(rs[:last], func(r rune) bool { return !unicode.IsUpper(r) })
}

// IsCJK reports whether r belongs to a script that is written without spaces
// between its words (Korean, which has them, inflects its words so much that
// it is compared in the same way).
func IsCJK(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー'
}

// HasCJK reports whether s has a character for which IsCJK holds.
func HasCJK(s string) bool { return strings.ContainsFunc(s, IsCJK) }
