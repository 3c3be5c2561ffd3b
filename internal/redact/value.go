package redact

import "strings"

// value is what stands behind a name.
type value struct {
	text   string
	at     int
	quoted bool
	// strict: the name is not clearly given this value, as in prose.
	strict bool
	// adjacent: nothing but the place says that the name is given this value.
	adjacent bool
}

const (
	maxQuoted = 16 << 10 // bytes of a value in quotes
	maxBare   = 512      // bytes of a value without quotes that are looked at
)

// valueOf finds the value that the name text[begin:end] is given, and that is
// accepted. In prose that is the next word, or what comes behind a few more. The
// next word is looked at first: it must not become the value only because what
// came behind it was taken out.
func valueOf(text string, begin, end int, accept func(value) bool) (value, bool) {
	if at, how := separator(text, begin, end); how != nothing {
		v, ok := givenValue(text, at, how)
		return v, ok && accept(v)
	}
	for _, find := range []func(string, int) (int, given){next, gap} {
		if at, how := find(text, end); how != nothing {
			if v, ok := givenValue(text, at, how); ok && accept(v) {
				return v, true
			}
		}
	}
	return value{}, false
}

// givenValue reads the value that begins at at.
func givenValue(text string, at int, how given) (value, bool) {
	v, ok := readValue(text, at, how)
	if ok && !v.quoted && how == plain { // what follows a colon may be a type
		if p := run(text, v.at+len(v.text), blank, 4); strings.HasPrefix(text[p:], "= ") {
			how = quotedOnly
			v, ok = readValue(text, p+1, how)
		}
	}
	return v, ok && (v.quoted || how != quotedOnly)
}

// readValue reads the value that begins at at, behind blanks and what opens it.
func readValue(text string, at int, how given) (value, bool) {
	v := value{quoted: how == element, strict: how == prose || how == adjacent, adjacent: how == adjacent}
	at = skip(text, at, " \t*", 12)
	if below := nextLine(text, at); below > at && how == plain {
		at, v.strict = below, true
	}
	if at >= len(text) {
		return v, false
	}
	open := at
	if text[at] == '\\' || is(text[at], letter) || text[at] == '@' {
		open++ // \"x\" and b"x"
	}
	if open < len(text) && strings.IndexByte("\"'`", text[open]) >= 0 {
		return v.inQuotes(text, open)
	}
	return v.bareAt(text, at)
}

// nextLine gives the beginning of the text in the line below, or in a block of
// code there, where the line ends at at; at itself where it does not.
func nextLine(text string, at int) int {
	below := skip(text, at, "\r\n", 4)
	if below == at {
		return at
	}
	below = run(text, below, blank, 12)
	if strings.HasPrefix(text[below:], "```") {
		below = skip(text, run(text, below+len("```"), alnum, 12), "\r\n", 2)
	}
	return below
}

// inQuotes reads a value in quotes, which open at at.
func (v value) inQuotes(text string, at int) (value, bool) {
	quote := text[at : at+1]
	at = skip(text, at, quote, 3)
	rest := text[at:min(len(text), at+maxQuoted)]
	n := strings.Index(rest, quote)
	if n <= 0 {
		return v, false
	}
	v.at, v.quoted = at, true
	v.text = strings.TrimSuffix(rest[:n], `\`)
	return v, v.text != "" && (!strings.ContainsAny(v.text, " \t\r\n") || dense(v.text))
}

// dense reports whether a value with spaces in it is no sentence: it is long, and
// signs stand close, as in the keys that WordPress makes.
func dense(v string) bool {
	if len(v) < 32 || len(v) > maxBare || strings.Contains(v, "\n") {
		return false
	}
	l := lookAt(v)
	return l.specials >= 4 && l.digits >= 2 && strings.Count(v, " ")*8 <= len(v)
}

// bareAt reads a value without quotes: up to what ends it in code, in
// configuration or in a sentence.
func (v value) bareAt(text string, at int) (value, bool) {
	end := at
	for end < len(text) && end < at+maxBare && bare(text, end) {
		end++
	}
	trailing := ".,:&*_)]}"
	if v.strict {
		trailing = ".,:&*_)]}!?"
	}
	v.at, v.text = at, strings.TrimRight(text[at:end], trailing)
	if end == at+maxBare { // take all of a long one
		v.text = text[at:run(text, run(text, end, base64Chars|urlSafe, maxBlock), equals, 2)]
	}
	return v, v.text != "" && !strings.ContainsAny(v.text, "()[]{}")
}

// bare reports whether the byte at index i may be part of a value without
// quotes. A comma or an ampersand may, unless the name of another value follows.
func bare(text string, i int) bool {
	b := text[i]
	if b == ',' || b == '&' {
		name := run(text, i+1, alnum|under, 60)
		return name == len(text) || text[name] != '=' && text[name] != ':' || name == i+1
	}
	return !is(b, stop)
}
