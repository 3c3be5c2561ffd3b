package redact

import "strings"

// class is a set of ASCII characters.
type class uint16

const (
	digit    class = 1 << iota
	lowerHex       // a to f
	upperHex       // A to F
	lowerRest
	upperRest
	dash
	under
	dot
	plusSlash
	equals
	percent
	tilde
	special // what people put into passwords and code does not put into names
	blank   // space and tab
	stop    // ends a value without quotes: white space, quotes, ;|<>\ and all beyond ASCII

	lower       = lowerHex | lowerRest
	upper       = upperHex | upperRest
	letter      = lower | upper
	alnum       = digit | letter
	urlSafe     = alnum | dash | under
	base64Chars = alnum | plusSlash
)

// classes gives the classes of each byte; none for those beyond ASCII.
var classes = func() (table [256]class) {
	set := func(c class, chars string) {
		for i := range len(chars) {
			table[chars[i]] |= c
		}
	}
	set(digit, "0123456789")
	set(lowerHex, "abcdef")
	set(upperHex, "ABCDEF")
	set(lowerRest, "ghijklmnopqrstuvwxyz")
	set(upperRest, "GHIJKLMNOPQRSTUVWXYZ")
	set(dash, "-")
	set(under, "_")
	set(dot, ".")
	set(plusSlash, "+/")
	set(equals, "=")
	set(percent, "%")
	set(tilde, "~")
	set(special, "!@#$^&*?+~")
	set(blank, " \t")
	set(stop, "\"'`;|<>\\\x7f")
	for i := range table {
		if i <= ' ' || i > '~' {
			table[i] |= stop
		}
	}
	return table
}()

func is(b byte, c class) bool { return classes[b]&c != 0 }

// run gives the end of the bytes of a class from at on, of which it takes most at most.
func run(text string, at int, c class, most int) int {
	end := min(len(text), at+most)
	for at < end && is(text[at], c) {
		at++
	}
	return at
}

// runBack gives the beginning of the bytes of a class before at, of which it takes most at most.
func runBack(text string, at int, c class, most int) int {
	begin := max(0, at-most)
	for at > begin && is(text[at-1], c) {
		at--
	}
	return at
}

// markerStart begins what stands for a secret that was taken out.
const markerStart = "[REDACTED:"

// marker gives the length of the marker that text begins with; 0: none.
func marker(text string) int {
	if !strings.HasPrefix(text, markerStart) {
		return 0
	}
	end := run(text, len(markerStart), lower|digit|dash, 40)
	if end == len(markerStart) || end == len(text) || text[end] != ']' {
		return 0
	}
	return end + 1
}

// before gives the byte before at; a space at the beginning. A marker counts as
// a letter, here and in after: what is glued to one was not found in the first
// place, and must not be found once its neighbour is gone.
func before(text string, at int) byte {
	if at == 0 {
		return ' '
	}
	if text[at-1] == ']' {
		if open := strings.LastIndexByte(text[max(0, at-60):at], '['); open >= 0 {
			open += max(0, at-60)
			if marker(text[open:]) == at-open {
				return 'x'
			}
		}
	}
	return text[at-1]
}

// after gives the byte at end; a space behind the text.
func after(text string, end int) byte {
	switch {
	case end >= len(text):
		return ' '
	case text[end] == '[' && marker(text[end:]) > 0:
		return 'x'
	}
	return text[end]
}

// opens reports whether a word may begin at i: no letter or digit stands before
// it, unless that belongs to an escape such as \n or %3D.
func opens(text string, i int) bool {
	b := before(text, i)
	if !is(b, alnum) || i == 0 {
		return true
	}
	return i >= 2 && text[i-2] == '\\' && (b == 'n' || b == 't' || b == 'r') ||
		i >= 3 && text[i-3] == '%' && is(text[i-2], digit) && is(b, digit|lowerHex|upperHex)
}

// alone reports whether i begins a word that no dash or underscore ties to
// another one; _ and * of Markdown's emphasis do not count.
func alone(text string, i int) bool {
	b := before(text, i)
	if b == '_' {
		return !is(before(text, runBack(text, i, under, 3)), urlSafe|dot)
	}
	return b != '-' && b != '.' && opens(text, i)
}

// ends gives the end of what begins at begin and was read up to end, in
// characters of which the last ones are of a class: without the dots of a
// sentence, and without as many underscores as stand before it, which are
// Markdown's. ok is false where the word goes on behind it.
func ends(text string, begin, end int, last class) (trimmed int, ok bool) {
	marks := begin - runBack(text, begin, under, 3)
	behind := end
	for ; marks > 0 && after(text, behind) == '_'; marks-- {
		behind++
	}
	ok = !is(after(text, behind), last|alnum)
	for ; marks > 0 && behind == end && text[end-1] == '_'; marks-- {
		end, behind = end-1, behind-1
	}
	for last&dot != 0 && text[end-1] == '.' {
		end--
	}
	return end, ok
}

// preceded gives where the n characters of a class begin that stand before at;
// ok is false where there are fewer, or a word goes on before them.
func preceded(text string, at int, c class, n int) (begin int, ok bool) {
	begin = runBack(text, at, c, n)
	return begin, at-begin == n && opens(text, begin)
}
