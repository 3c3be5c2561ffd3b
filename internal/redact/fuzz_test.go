package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzReplace checks what holds for any text: the finds are in order and in
// range, replacing again changes nothing, valid text stays valid, and a long
// secret is gone wherever it stood.
func FuzzReplace(f *testing.F) {
	for _, s := range samples {
		for _, text := range append(s.found, s.not...) {
			f.Add(text)
		}
	}
	for _, s := range assignments {
		f.Add(s.text)
	}
	f.Fuzz(checkReplace)
}

func checkReplace(t *testing.T, text string) {
	clean, found := Replace(text)
	end := 0
	for _, s := range found {
		require.LessOrEqual(t, end, s.Begin)
		require.Less(t, s.Begin, s.End)
		require.LessOrEqual(t, s.End, len(text))
		require.NotEmpty(t, s.Kind)
		end = s.End
		if s.End-s.Begin >= leastRepeat {
			require.NotContains(t, clean, text[s.Begin:s.End], text)
		}
	}
	again, more := Replace(clean)
	require.Equal(t, clean, again, "replacing twice in %q; found %v, then %v", text, found, more)
	require.True(t, utf8.ValidString(clean) || !utf8.ValidString(text))
}

// The same holds for whatever stands side by side, glued or not.
func TestMixtures(t *testing.T) {
	parts := mixtureParts()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 2 + r.IntN(6) {
			part := parts[r.IntN(len(parts))]
			if r.IntN(8) == 0 {
				cut := r.IntN(len(part) + 1)
				part = part[:cut]
			}
			b.WriteString(part)
		}
		checkReplace(t, strings.ToValidUTF8(b.String(), ""))
	}
}

// mixtureParts are samples, what may stand around them, and pieces of code and prose.
func mixtureParts() []string {
	var parts []string
	for _, s := range samples {
		parts = append(parts, s.found[0], s.not[0])
	}
	marks := strings.NewReplacer("‹", "", "›", "")
	for _, s := range slices.Concat(assignments, places) {
		before, rest, _ := strings.Cut(s.text, "‹")
		_, after, _ := strings.Cut(rest, "›")
		parts = append(parts, marks.Replace(s.text), before, after)
	}
	for range 40 {
		for _, a := range around {
			parts = append(parts, a[0], a[1])
		}
		parts = append(parts, " ", "\n", ":", "=", "-", "_", ".", ",", "@", "x", "[REDACTED:x]", "a1", "public", word, "\u200b")
	}
	for _, s := range blocks {
		parts = append(parts, marks.Replace(s.text))
	}
	return parts
}
