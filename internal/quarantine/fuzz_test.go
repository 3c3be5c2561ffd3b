package quarantine

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// FuzzFind sees to it that findings lie in the text, on boundaries of characters, in order.
func FuzzFind(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.text)
	}
	for _, seed := range []string{"", "\xff", "%69%", "&#x69;&", "<!---->", "<b", "![", "{\"name\": \"", "a-\u200b\xad", "1gn0re", "\U000E0001x", "i g n o r e", "```", "'\"`"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, found := range Find(text) {
			assert.NotEmpty(t, found.Kind)
			assert.NotEmpty(t, found.Reason)
			if found.Begin < last || found.End <= found.Begin || found.End > len(text) {
				t.Fatalf("%+v after %d in %d bytes", found, last, len(text))
			}
			if utf8.ValidString(text) {
				assert.True(t, utf8.RuneStart(text[found.Begin]))
				assert.True(t, found.End == len(text) || utf8.RuneStart(text[found.End]))
			}
			last = found.End
		}
	})
}
