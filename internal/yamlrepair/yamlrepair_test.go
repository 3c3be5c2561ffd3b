package yamlrepair

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory/internal/safeyaml"
)

func TestQuote(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colon", "title: a: b", "title: 'a: b'"},
		{"colon at the end", "title: a:", "title: 'a:'"},
		{"apostrophe", "title: don't: x", "title: 'don''t: x'"},
		{"comment stays outside", "title: a: b # note", "title: 'a: b' # note"},
		{"comment with blanks before", "title: a: b \t  # note", "title: 'a: b' # note"},
		{"hash at a word is text", "title: fix: issue #12", "title: 'fix: issue #12'"},
		{"reserved signs", "a: @x\nb: `x`\nc: %x\nd: *x*\ne: - x\nf: ]x\ng: , x\nh: | x", "a: '@x'\nb: '`x`'\nc: '%x'\nd: '*x*'\ne: '- x'\nf: ']x'\ng: ', x'\nh: '| x'"},
		{"glob in a list", "- *.go", "- '*.go'"},
		{"unknown anchor", "- *auth", "- '*auth'"},
		{"regular expression in a list", "  - [a-z]+ test", "  - '[a-z]+ test'"},
		{"item with two colons", "- a: b: c", "- 'a: b: c'"},
		{"item that YAML takes for a map", "- When adding tests: x", ""},
		{"brackets first", "title: [WIP] x", "title: '[WIP] x'"},
		{"brackets at both ends", "title: [a] or [b]", "title: '[a] or [b]'"},
		{"what YAML reads", "a: b\nc: \"d: e\"\nf: [g, h] # i\nj: 'k'\nl: {m: n}\n- o\n# p: q: r", ""},
		{"what YAML reads and is refused later", "a: !x y\nb: &c d", ""},
		{"unknown escape", `- "\bauth\s+token"`, `- '\bauth\s+token'`},
		{"unknown escape and a quote", `- "\d \"x\" it's" # note`, `- '\d "x" it''s' # note`},
		{"hash in quotes", `- "\d # x" # note`, `- '\d # x' # note`},
		{"quotes in quotes", `title: "Use "strict" mode"`, `title: 'Use "strict" mode'`},
		{"quoted words", `title: "a" or "b"`, `title: '"a" or "b"'`},
		{"quoted beginning", `title: "a" b`, `title: '"a" b'`},
		{"apostrophe in quotes", `title: 'it's'`, `title: 'it''s'`},
		{"doubled and single apostrophe", `title: 'it''s Bob's'`, `title: 'it''s Bob''s'`},
		{"open quote", `title: "a`, `title: "a`},
		{"one quote", `title: "`, `title: "`},
		{"flow list", `[]: x`, ""},
		{"flow list item by item", `x: [*.go, [a-z]+ test, "x"]`, `x: ['*.go', '[a-z]+ test', "x"]`},
		{"flow list with a comment", `x: [*.go] # note`, `x: ['*.go'] # note`},
		{"flow list, hash inside", `x: [*.go, "a # b"] # note`, `x: ['*.go', "a # b"] # note`},
		{"flow list, commas in quotes and braces", `x: ["a, \d", [a-z]{2,3}, 'b, c']`, `x: ['a, \d', '[a-z]{2,3}', 'b, c']`},
		{"flow list, apostrophe in a word", `x: [don't, it's, *.go]`, `x: [don't, it's, '*.go']`},
		{"flow list, escaped quotes", `x: ["a \", b", 'it''s, c', *.go]`, `x: ["a \", b", 'it''s, c', '*.go']`},
		{"flow list, empty items", `x: [*.go, , ]`, `x: ['*.go']`},
		{"flow list, open quote", `x: [*.go, "a]`, `x: ['*.go', '"a']`},
		{"flow list in a list", `- [*.go, b]`, `- ['*.go', b]`},
		{"flow list, bracket not closed", `x: [a[, b]`, `x: '[a[, b]'`},
		{"flow list not closed", `x: [a, b`, `x: [a, b`},
		{"block scalars are left alone", "a: |\n  b: c: d\n\n  - *.go\ne: >-\n - *.x\n- |2 # c\n   x: y: z\nf: g: h", "a: |\n  b: c: d\n\n  - *.go\ne: >-\n - *.x\n- |2 # c\n   x: y: z\nf: 'g: h'"},
		{"a value of several lines is left alone", "a: \"b\n  c: d: e\"\nf: g: h", "a: \"b\n  c: d: e\"\nf: 'g: h'"},
		{"quoted and indented keys", "\"a b\": c: d\nx:\n  'e': f: g\n- h: i\n  j k: l: m", "\"a b\": 'c: d'\nx:\n  'e': 'f: g'\n- h: i\n  j k: 'l: m'"},
		{"no key", "prose\nx:y\n*.go: a: b\n\n-x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.in
			}
			got, changed := Quote(c.in)
			assert.Equal(t, c.want, got)
			was, is := strings.Split(c.in, "\n"), strings.Split(got, "\n")
			require.Len(t, is, len(was))
			var want []int
			for i := range is {
				if is[i] != was[i] {
					want = append(want, i+1)
				}
			}
			assert.Equal(t, want, changed)
		})
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("a: [\"b\\\", 'c''], {d}] # e\n- \"\\d\" # f\ng: |\n  h: i: j")
	f.Fuzz(func(t *testing.T, block string) {
		fixed, changed := Quote(block)
		require.Equal(t, strings.Count(block, "\n"), strings.Count(fixed, "\n"))
		// What was quoted can be read, alone.
		lines := strings.Split(fixed, "\n")
		for _, n := range changed {
			if strings.ContainsFunc(lines[n-1], func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }) {
				continue // characters that YAML does not allow, quoted or not
			}
			if _, value, item := split(lines[n-1]); value != "" {
				require.True(t, fits(value, item), "%q", lines[n-1])
			}
		}
		_, _ = safeyaml.Load([]byte(fixed))
	})
}
