package trigger

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rawko/memory/internal/lexical"
)

// regular is a regular expression.
type regular struct {
	*regexp.Regexp
	named *regexp.Regexp // as it is compared with names: whole words of them
	size  int            // in steps, see maxSteps
}

func (r *regular) steps() int { return r.size }

func (r *regular) in(text *lexical.Text) lexical.Degree {
	if r.MatchString(text.String()) || slices.ContainsFunc(text.Names(), r.named.MatchString) {
		return lexical.Whole
	}
	return lexical.Nothing
}

// never reports whether the expression was found to match nothing at all.
func (r *regular) never() bool {
	re, err := syntax.Parse(r.String(), syntax.Perl)
	return err == nil && impossible(re.Simplify())
}

func impossible(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoMatch:
		return true
	case syntax.OpCharClass:
		return len(re.Rune) == 0
	case syntax.OpCapture, syntax.OpPlus:
		return impossible(re.Sub[0])
	case syntax.OpConcat:
		consumed, ended := false, false
		for _, sub := range re.Sub {
			needs := needsInput(sub)
			if impossible(sub) || ended && needs || consumed && sub.Op == syntax.OpBeginText {
				return true
			}
			consumed = consumed || needs
			ended = ended || sub.Op == syntax.OpEndText
		}
	}
	return false
}

// needsInput reports whether re surely takes at least one character.
func needsInput(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return needsInput(re.Sub[0])
	}
	return false
}

// slashed gives what stands between the slashes of /…/ and of /…/i. There, no
// other slash may be: "/usr/lib/i" is a path.
func slashed(s string) (string, bool) {
	body, flag := strings.CutSuffix(s, "/i")
	if !flag {
		body, _ = strings.CutSuffix(s, "/")
	}
	inner, opened := strings.CutPrefix(body, "/")
	if !opened || inner == "" || body == s || flag && strings.Contains(strings.ReplaceAll(inner, `\/`, ""), "/") {
		return "", false
	}
	return inner, true
}

// slashedEnd is where the expression between slashes ends that s begins with, 0
// for none: behind the first slash that follows a whole expression and is
// followed by a separator or nothing.
func slashedEnd(s string) int {
	for i := range len(s) {
		for end := i + 1; end <= min(i+2, len(s)) && s[i] == '/'; end++ {
			inner, ok := slashed(s[:end])
			next, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[end:], " ") + separators)
			if !ok || !strings.ContainsRune(separators, next) {
				continue
			}
			if _, err := syntax.Parse(inner, syntax.Perl); err == nil {
				return end
			}
		}
	}
	return 0
}

func asRegexp(source string) (*regular, *Error) {
	r, err := compileRegexp(source, "(?is)"+source)
	if err == nil && r.size <= maxSteps {
		parsed, _ := syntax.Parse(r.String(), syntax.Perl)
		r.named = regexp.MustCompile(`(?:\b|^)(?:` + parsed.String() + `)(?:\b|$)`)
	}
	return r, err
}

// compileRegexp names source in its errors: it is what the user wrote.
func compileRegexp(source, expr string) (*regular, *Error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, &Error{Msg: fmt.Sprintf("%q is not a regular expression that can be read (%s); mend it, or say it in words", source, reason(err))}
	}
	if weigh(parsed) > maxWeight {
		return nil, &Error{fmt.Sprintf("%q would compile to far more than %d steps of matching; repeat less, and use smaller classes", source, maxSteps), true}
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, &Error{Msg: fmt.Sprintf("%q cannot be compiled (%s); mend it, or say it in words", source, reason(err))}
	}
	prog, _ := syntax.Compile(parsed.Simplify())
	return &regular{Regexp: re, size: countSteps(prog)}, nil
}

// maxWeight bounds what is compiled only to be refused: compiling a class such as
// \pL eighty times takes as long as a match.
const maxWeight = 4 * maxSteps

// weigh estimates what it costs to compile re, before anything is.
func weigh(re *syntax.Regexp) int {
	n := 1
	for _, sub := range re.Sub {
		n += weigh(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCharClass:
		n += len(re.Rune) / 16
	case syntax.OpRepeat:
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<20) // so that nested repetitions do not overflow
}

// fewRanges is how many ranges Go's regexp goes through one by one.
const fewRanges = 4

// countSteps counts a branch twice, for its two ways, and a class of many ranges,
// which has to be searched. Failing and matching, which every expression can, are none.
func countSteps(prog *syntax.Prog) int {
	n := 0
	for _, in := range prog.Inst {
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			n += 2
		case syntax.InstFail, syntax.InstMatch, syntax.InstNop:
		case syntax.InstRune:
			n++
			if len(in.Rune) > 2*fewRanges {
				n++
			}
		default:
			n++
		}
	}
	return n
}

func reason(err error) string {
	if e, ok := err.(*syntax.Error); ok {
		return e.Code.String()
	}
	return err.Error()
}

// looksRegular reports whether s has syntax that hardly anyone writes who does
// not mean a regular expression. Anchors alone are none: "$HOME" is a name.
func looksRegular(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		rest := s[i+1:]
		switch s[i] {
		case '\\':
			if escapeIsRegular(s, i) {
				return true
			}
			i++
		case '[':
			end := classEnd(s, i)
			if end < 0 {
				continue
			}
			if classIsRegular(s[i+1:end]) || quantified(s[end+1:]) {
				return true
			}
			i = end
		case '(':
			if len(rest) > 1 && rest[0] == '?' && strings.IndexByte(":=!<PimsU-", rest[1]) >= 0 {
				return true
			}
			depth++
		case ')':
			if quantified(rest) && !strings.HasSuffix(s[:i], "(") {
				return true
			}
			depth--
		case '|':
			if depth > 0 {
				return true
			}
		case '.':
			if quantified(rest) {
				return true
			}
		case '{':
			if i > 0 && counted.MatchString(s[i:]) {
				return true
			}
		}
	}
	return false
}

var (
	counted    = regexp.MustCompile(`^\{\d+,\d*\}`)
	countedAny = regexp.MustCompile(`^\{\d+(,\d*)?\}`)
	classRange = regexp.MustCompile(`[A-Za-z]-[A-Za-z]|[0-9]-[0-9]`)
)

func quantified(rest string) bool {
	return rest != "" && strings.IndexByte("*+?", rest[0]) >= 0 || countedAny.MatchString(rest)
}

// escapeIsRegular judges the escape at s[i]: `\.` and `\b \w \s \d` are regular
// where no letter follows; `\bword` is too, but not in `C:\build` and `src\bin`.
func escapeIsRegular(s string, i int) bool {
	if i+1 == len(s) {
		return false
	}
	c := s[i+1]
	if c == '.' {
		return true
	}
	if strings.IndexByte("bBwWsSdD", c) < 0 {
		return false
	}
	if i+2 == len(s) || !isLetter(s[i+2]) {
		return true
	}
	return c == 'b' && (i == 0 || !isLetter(s[i-1]) && !isDigit(s[i-1]) && s[i-1] != ':')
}

// classEnd is the index of the bracket that closes the class which s[i] opens; -1: none.
func classEnd(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch {
		case s[j] == '\\':
			j++
		case s[j] == ']' && j > i+1:
			return j
		}
	}
	return -1
}

// classIsRegular judges what stands in brackets: negated, or with a range. The
// "o-s" of "[auto-save]" is none, nor the "4-2" of "[2024-2025]".
func classIsRegular(class string) bool {
	if class[0] == '^' {
		return true
	}
	for _, at := range classRange.FindAllStringIndex(class, -1) {
		from, to := at[0], at[1]-1
		wordBefore := from > 0 && sameKind(class[from-1], class[from])
		wordAfter := to+1 < len(class) && sameKind(class[to], class[to+1])
		if !wordBefore && !wordAfter {
			return true
		}
	}
	return false
}

// sameKind reports whether two bytes are letters of one case, or digits.
func sameKind(a, b byte) bool {
	return isLetter(a) && isLetter(b) && a&0x20 == b&0x20 || isDigit(a) && isDigit(b)
}
