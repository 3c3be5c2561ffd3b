package redact

import (
	"strconv"
	"strings"
)

// A pattern is the literal text that a token begins with, and then runs of
// characters, with more literal text between them:
//
//	ghp_<a36-255>   36 to 255 letters and digits behind ghp_
//	SG.<u22>.<u43>  exactly 22, a dot, exactly 43
//
// The letter says of which characters a run is; see runClasses. A run takes as
// many as there are, and fails where there are more than its bound. Two marks
// may stand before a pattern: ^ for a prefix so weak that it must not be tied to
// another word by a dash or underscore, and ! for a body that is not looked at,
// because its looks say nothing or are checked by the runs alone.
type pattern struct {
	kind   string
	prefix string
	alone  bool
	any    bool
	parts  []part
}

// part is a run of least to most characters, or literal text where most is 0.
type part struct {
	text        string
	of          class
	least, most int
}

// runClasses are the letters that a pattern may give a run.
var runClasses = map[byte]class{
	'n': digit,
	'h': digit | lowerHex,
	'x': digit | lowerHex | upperHex,
	'A': digit | upper,
	'i': digit | lower,
	'a': alnum,
	'w': alnum | under,
	'u': urlSafe,
	'v': urlSafe | dot,
	'e': urlSafe | equals,
	'b': base64Chars | equals,
	'q': base64Chars | urlSafe | percent | equals,
}

// parsePattern reads a pattern of the table. ok is false for one that is wrong,
// which a test of the table rules out.
func parsePattern(kind, s string) (p pattern, ok bool) {
	p.kind = kind
	s, p.alone = strings.CutPrefix(s, "^")
	s, p.any = strings.CutPrefix(s, "!")
	p.prefix, s, _ = strings.Cut(s, "<")
	for s != "" {
		spec, rest, closed := strings.Cut(s, ">")
		if !closed || spec == "" {
			return p, false
		}
		least, most, ranged := strings.Cut(spec[1:], "-")
		if !ranged {
			most = least
		}
		r := part{of: runClasses[spec[0]]}
		var err1, err2 error
		r.least, err1 = strconv.Atoi(least)
		r.most, err2 = strconv.Atoi(most)
		if err1 != nil || err2 != nil || r.of == 0 || r.most == 0 {
			return p, false
		}
		p.parts = append(p.parts, r)
		var literal string
		if literal, s, _ = strings.Cut(rest, "<"); literal != "" {
			p.parts = append(p.parts, part{text: literal})
		}
	}
	return p, len(p.prefix) >= 2 && len(p.parts) > 0
}

// find matches the pattern where its prefix stands at index at.
func (p *pattern) find(text string, at int) (Secret, bool) {
	if p.alone && !alone(text, at) || !opens(text, at) {
		return Secret{}, false
	}
	body := at + len(p.prefix)
	end := body
	var last class
	for _, r := range p.parts {
		if r.most == 0 {
			if !strings.HasPrefix(text[end:], r.text) {
				return Secret{}, false
			}
			end += len(r.text)
			continue
		}
		n := run(text, end, r.of, r.most) - end
		if n < r.least {
			return Secret{}, false
		}
		end, last = end+n, r.of
	}
	end, ok := ends(text, at, end, last)
	if !ok || !p.any && fake(text[body:end], last) {
		return Secret{}, false
	}
	return Secret{p.kind, at, end}, true
}
