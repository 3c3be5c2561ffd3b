package redact

import (
	"sort"
	"strings"
)

// invisible are characters that show nothing and may stand in the midst of a word.
var invisible = []string{
	"\u00ad", // soft hyphen
	"\u180e", // Mongolian vowel separator
	"\u200b", // zero width space
	"\u200c", // zero width non-joiner
	"\u200d", // zero width joiner
	"\u200e", // left-to-right mark
	"\u200f", // right-to-left mark
	"\u2060", // word joiner
	"\ufeff", // zero width no-break space
}

// cuts are the places of a text where characters were taken out.
type cuts []struct{ at, removed int } // at, in what remains; removed: all bytes before it

// original gives the index in the text that was cut of byte i of what remains.
func (c cuts) original(i int) int {
	n := sort.Search(len(c), func(n int) bool { return c[n].at > i })
	if n == 0 {
		return i
	}
	return i + c[n-1].removed
}

// stripInvisible takes the invisible characters out. It allocates only when there are any.
func stripInvisible(text string) (string, cuts) {
	if !hasInvisible(text) {
		return text, nil
	}
	var c cuts
	var b strings.Builder
	for i := 0; i < len(text); {
		n := invisibleAt(text[i:])
		if n == 0 {
			b.WriteByte(text[i])
			i++
			continue
		}
		i += n
		c = append(c, struct{ at, removed int }{b.Len(), i - b.Len()})
	}
	return b.String(), c
}

func hasInvisible(text string) bool {
	for _, s := range invisible {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// invisibleAt gives the length of the invisible character that text begins with; 0: none.
func invisibleAt(text string) int {
	if text[0] < 0x80 {
		return 0
	}
	for _, s := range invisible {
		if strings.HasPrefix(text, s) {
			return len(s)
		}
	}
	return 0
}
