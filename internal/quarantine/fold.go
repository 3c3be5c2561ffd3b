package quarantine

import (
	"html"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text in lower case, without what cannot be seen and what only
// dresses it, and with the way back to the bytes it was made of.
type folded struct {
	text  string
	runes []rune
	at    []int32 // for each rune where its source begins, and at the end the length
	end   []int32 // for each rune where its source ends
}

// fold folds a text.
func fold(text string) *folded {
	f := &folded{text: text, runes: make([]rune, 0, len(text)), at: make([]int32, 0, len(text)), end: make([]int32, 0, len(text))}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '&' || c == '%' || c == '\\':
			if r, n := escape(text[i:]); n > 0 {
				f.add(r, i, i+n)
				i += n
				continue
			}
			f.put(rune(c), i, i+1)
			i++
		case c == '<':
			if n, line := tag(text[i:]); n > 0 {
				if line {
					f.put('\n', i, i+n)
				}
				i += n
				continue
			}
			f.put('<', i, i+1)
			i++
		case c < utf8.RuneSelf:
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			f.put(rune(c), i, i+1)
			i++
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			f.add(r, i, i+n)
			i += n
		}
	}
	return f
}

func (f *folded) put(r rune, begin, end int) {
	f.runes = append(f.runes, r)
	f.at = append(f.at, int32(begin))
	f.end = append(f.end, int32(end))
}

// add puts a character in its plain form.
func (f *folded) add(r rune, begin, end int) {
	if r < utf8.RuneSelf {
		f.put(unicode.ToLower(r), begin, end)
		return
	}
	if s, ok := plain()[r]; ok {
		for _, p := range s {
			f.put(p, begin, end)
		}
		return
	}
	switch {
	case 0x4E00 <= r && r <= 0x9FFF || 0x3040 <= r && r <= 0x30FF:
		f.put(r, begin, end)
		return
	case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Variation_Selector, r):
		return
	case 0x1F130 <= r && r <= 0x1F149 || 0x1F150 <= r && r <= 0x1F169 || 0x1F170 <= r && r <= 0x1F189:
		f.put('a'+(r-0x1F130)%0x20, begin, end) // letters in squares and circles
		return
	case 0x1F1E6 <= r && r <= 0x1F1FF:
		f.put('a'+r-0x1F1E6, begin, end) // letters that flags are made of
		return
	case 0x0400 <= r && r <= 0x04FF || 0x3000 <= r && r <= 0x303F && r != 0x3000:
		f.put(unicode.ToLower(r), begin, end)
		return
	}
	for _, p := range norm.NFKD.String(string(r)) {
		if !unicode.Is(unicode.Mn, p) {
			f.put(unicode.ToLower(p), begin, end)
		}
	}
}

// escape reads &#105; %69 \u0069 and the like, and how long it is; 0 for none.
func escape(s string) (rune, int) {
	switch s[0] {
	case '&':
		end := strings.IndexByte(s[:min(len(s), 12)], ';')
		if end < 0 {
			return 0, 0
		}
		r, n := utf8.DecodeRuneInString(html.UnescapeString(s[:end+1]))
		if n == 0 || r == '&' && s[:end+1] != "&amp;" {
			return 0, 0
		}
		return r, end + 1
	case '%':
		return hexEscape(s, 1, 2)
	}
	switch {
	case strings.HasPrefix(s, `\u`):
		return hexEscape(s, 2, 4)
	case strings.HasPrefix(s, `\x`):
		return hexEscape(s, 2, 2)
	}
	return 0, 0
}

// hexEscape reads n hexadecimal digits behind a prefix, where they are a character of ASCII that can be seen.
func hexEscape(s string, prefix, n int) (rune, int) {
	if len(s) < prefix+n {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[prefix:prefix+n], 16, 16)
	if err != nil || v < ' ' || v > '~' {
		return 0, 0
	}
	return rune(v), prefix + n
}

// tag gives the length of an HTML tag that only dresses text, or of an empty
// comment, and whether a line ends with it.
func tag(s string) (length int, line bool) {
	s = s[:min(len(s), 80)]
	if inner, ok := strings.CutPrefix(s, "<!--"); ok {
		if end := strings.Index(inner, "-->"); end >= 0 && strings.TrimSpace(inner[:end]) == "" {
			return len("<!--") + end + len("-->"), false
		}
		return 0, false
	}
	end := strings.IndexByte(s, '>')
	if end < 2 {
		return 0, false
	}
	name := strings.TrimPrefix(s[1:end], "/")
	if cut := strings.IndexAny(name, " /\n"); cut >= 0 {
		name = name[:cut]
	}
	line, ok := tags()[strings.ToLower(name)]
	if !ok {
		return 0, false
	}
	return end + 1, line
}

// tags are those that dress text, and whether a line ends with them.
var tags = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"b": false, "i": false, "u": false, "s": false, "em": false, "strong": false, "span": false, "font": false, "wbr": false,
		"mark": false, "sub": false, "sup": false, "small": false, "big": false, "del": false, "ins": false,
		"br": true, "p": true, "div": true, "li": true, "ul": true, "ol": true, "h1": true, "h2": true, "h3": true, "td": true, "tr": true,
		"summary": true, "details": true,
	}
})
