package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// typical are lines as people and models write them.
var typical = []string{
	"auth|login|security",
	"When implementing security features",
	"implement.*auth",
	"oauth|social.*auth",
	"src/**/*.ts",
	"database migration",
	"当实现用户登录时",
	"React (v18)",
}

// task200 is a task of 200 words.
var task200 = strings.TrimSpace(strings.Repeat("Add a page to the admin tool that lists OAuth2 clients, with paging and search; keep src/admin/list.tsx small. ", 10)) + " Write tests."

func compileAll(tb testing.TB, lines []string) []*Pattern {
	patterns := make([]*Pattern, len(lines))
	for i, line := range lines {
		var err error
		patterns[i], err = CompilePattern(line)
		require.NoError(tb, err)
	}
	return patterns
}

func BenchmarkCompilePattern(b *testing.B) {
	for _, line := range typical {
		b.Run(line, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := CompilePattern(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPattern_Match(b *testing.B) {
	for i, p := range compileAll(b, typical) {
		b.Run(typical[i], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Match(task200)
			}
		})
	}
}

// The text is made ready once, as a bank does it.
func BenchmarkTenThousandPatterns(b *testing.B) {
	var lines []string
	for i := range 10_000 {
		lines = append(lines, fmt.Sprintf("%s topic%d", typical[i%len(typical)], i))
	}
	patterns := compileAll(b, lines)
	b.ReportAllocs()
	for b.Loop() {
		text := readyText(task200)
		for _, p := range patterns {
			p.in(text)
		}
	}
}

// The costliest memories of which something is accepted, on 64 KiB that suit them.
func BenchmarkWorstMemory(b *testing.B) {
	letters, humps := strings.Repeat("a", maxMatchText), strings.Repeat("a1", maxMatchText/2)
	for _, c := range []struct{ name, line, text string }{
		{"repetition", ".{250}x", letters},
		{"class of many ranges", `[\pL\d]{127}=`, letters},
		{"glob", strings.Repeat("*a", 48) + "b*", letters},
		{"phrase of humps", strings.Repeat("a1", 127) + "b", humps},
		{"phrase of words and humps", strings.Repeat("a1 ", 84) + "b", humps},
	} {
		patterns, _ := readPatterns(slices.Repeat([]string{c.line}, 60))
		text := readyText(c.text)
		text.Tokens()
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for _, p := range patterns {
					p.in(text)
				}
			}
		})
	}
}

// The costliest lines that are accepted, on 64 KiB that suit them.
func BenchmarkWorstCase(b *testing.B) {
	letters, words, humps := strings.Repeat("a", maxMatchText), strings.Repeat("a ", maxMatchText/2), strings.Repeat("a1", maxMatchText/2)
	for _, c := range []struct{ name, pattern, text string }{
		{"repetition", ".{254}x", letters},
		{"repetitions", strings.Repeat(".{84}x|", 3), letters},
		{"class of many ranges", `[\pL\d]{127}=`, letters},
		{"literal", "/" + strings.Repeat("a", 252) + "b/", letters},
		{"branches", "/(a?){50}b/", letters},
		{"stars", "/(.*a){30}b/", letters},
		{"glob", strings.Repeat("*a", 48) + "b*", letters},
		{"glob of a path", strings.Repeat("*a", 48) + "b*", "/" + letters[1:]},
		{"phrase", strings.Repeat("a ", 127) + "b", words},
		{"phrase of humps", strings.Repeat("a1", 127) + "b", humps},
		{"phrase of words and humps", strings.Repeat("a1 ", 84) + "b", humps},
	} {
		p, err := CompilePattern(c.pattern)
		require.NoError(b, err, c.name)
		text := readyText(c.text)
		text.Tokens()
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				p.in(text)
			}
		})
	}
	for name, text := range map[string]string{"letters": letters, "words": words, "humps": humps} {
		b.Run("making ready "+name, func(b *testing.B) {
			for b.Loop() {
				readyText(text).Tokens()
			}
		})
	}
}
