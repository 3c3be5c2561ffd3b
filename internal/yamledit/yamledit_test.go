package yamledit

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// value gives a node of a Go value.
func value(t testing.TB, v any) *yaml.Node {
	n, err := Value(v)
	require.NoError(t, err)
	return n
}

// at gives the node at a path of keys and indices.
func at(n *yaml.Node, path ...any) *yaml.Node {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			n = Get(n, p)
		case int:
			n = n.Content[p]
		}
	}
	return n
}

type entry struct {
	ID      string   `yaml:"id"`
	Content string   `yaml:"content,omitempty"`
	Files   []string `yaml:"files,omitempty"`
	Items   []string `yaml:"actionItems"`
}

// edits are the tests of a rule each: a document, changes, and the whole text behind them.
type edits []struct {
	rule, before string
	change       func(t testing.TB, d *Doc)
	after        string
}

func (tests edits) run(t *testing.T) {
	for _, c := range tests {
		t.Run(c.rule, func(t *testing.T) {
			d, err := Parse([]byte(c.before))
			require.NoError(t, err)
			c.change(t, d)
			got, err := d.Bytes()
			require.NoError(t, err)
			assert.Equal(t, c.after, string(got))
			again, err := d.Bytes()
			require.NoError(t, err)
			assert.Equal(t, got, again)
		})
	}
}

func setTo(key string, v any, path ...any) func(testing.TB, *Doc) {
	return func(t testing.TB, d *Doc) { d.Set(at(d.Root(), path...), key, value(t, v)) }
}

func appendTo(key string, v any, path ...any) func(testing.TB, *Doc) {
	return func(t testing.TB, d *Doc) { d.Append(at(d.Root(), path...), key, value(t, v)) }
}

func remove(items []int, path ...any) func(testing.TB, *Doc) {
	return func(_ testing.TB, d *Doc) { d.Remove(at(d.Root(), path...), items...) }
}

func TestSet(t *testing.T) {
	edits{
		{"the comment behind a value stays", "a: \"x\"  # low | high\nb: 1\n", setTo("a", "y"), "a: \"y\"  # low | high\nb: 1\n"},
		{"all else stays", "b: 'x' # c\n\n\n# d\na:   1\n   \nc: ~", setTo("a", 2), "b: 'x' # c\n\n\n# d\na: 2\n   \nc: ~"},
		{"a new key goes behind the others", "m:\n    a: 1\n\n# c\nb: 2\n", setTo("z", true, "m"), "m:\n    a: 1\n    z: true\n\n# c\nb: 2\n"},
		{"a new key goes behind the comments of the map", "m:\n  a: 1\n  # z: 0\n\n# c\nb: 2\n", setTo("z", 1, "m"), "m:\n  a: 1\n  # z: 0\n  z: 1\n\n# c\nb: 2\n"},
		{"a new section stands apart", "a: 1\n", setTo("m", map[string]any{"x": 1}), "a: 1\n\nm:\n  x: 1\n"},
		{"a section of comments comes before it", "a: 1\n\n# more below\n", setTo("l", []string{"x"}), "a: 1\n\n# more below\n\nl:\n  - \"x\"\n"},
		{"lines become a literal block", "a: x # c\nb: 1\n", setTo("a", "one\n\n- two\n"), "a: | # c\n  one\n\n  - two\nb: 1\n"},
		{"a literal block becomes a line", "a: | # c\n  x\n  # y\n\n# d\nb: 1\n", setTo("a", "z"), "a: \"z\" # c\n\n# d\nb: 1\n"},
		{"no comment is taken into a literal block", "a: x\n     # deep\nb: 1\n", setTo("a", "y\nz\n"), "a: \"y\\nz\\n\"\n     # deep\nb: 1\n"},
		{"no line of spaces is taken into a literal block", "a:   x\n      \nb:   1\n", setTo("a", "y\nz\n"), "a: \"y\\nz\\n\"\n      \nb:   1\n"},
		{"few spaces are not", "m:\n  a: x\n  \n  b: 1\n", setTo("a", "y\nz\n", "m"), "m:\n  a: |\n    y\n    z\n  \n  b: 1\n"},
		{"a new key before a line of spaces", "m:\n    a:   x\n        \nb: 1\n", setTo("c", "y\nz\n", "m"), "m:\n    a:   x\n    c: \"y\\nz\\n\"\n        \nb: 1\n"},
		{"null gets a value", "m:\n  a:\n  b: 1\n", setTo("a", "x", "m"), "m:\n  a: \"x\"\n  b: 1\n"},
		{"a list becomes a word", "l: # c\n- a # d\n- b\nm: 1\n", setTo("l", nil), "l: null # c\nm: 1\n"},
		{"a value of several lines is replaced", "a: x\n  y # c\nb: \"z\n  # no\n  z\" # d\nc: 1\n", func(t testing.TB, d *Doc) {
			setTo("a", 1)(t, d)
			setTo("b", 2)(t, d)
		}, "a: 1 # c\nb: 2 # d\nc: 1\n"},
		{"the first key of an item", "l:\n  - id: 1\n    b: 2\n", setTo("id", 3, "l", 0), "l:\n  - id: 3\n    b: 2\n"},
		{"three keys of an item and one elsewhere", "l:\n  - id: 1 # c\n    b: 2\n\n  - id: 2\n", func(t testing.TB, d *Doc) {
			setTo("id", 3, "l", 0)(t, d)
			setTo("z", 4, "l", 0)(t, d)
			setTo("b", 5, "l", 0)(t, d)
			setTo("x", 6, "l", 0)(t, d)
			appendTo("l", map[string]any{"id": 7})(t, d)
		}, "l:\n  - id: 3 # c\n    b: 5\n    z: 4\n    x: 6\n\n  - id: 2\n\n  - id: 7\n"},
		{"keys are found by their text", "1: a\n\"b\": c\n", func(t testing.TB, d *Doc) {
			setTo("1", "x")(t, d)
			setTo("b", "y")(t, d)
			setTo("2", "z")(t, d)
		}, "1: \"x\"\n\"b\": \"y\"\n\"2\": \"z\"\n"},
		{"CRLF stays", "a: 1\r\nb: 2\r\n", setTo("c", "x\ny\n"), "a: 1\r\nb: 2\r\nc: |\r\n  x\r\n  y\r\n"},
		{"a byte order mark stays", "\ufeffa: 1\n", setTo("a", 2), "\ufeffa: 2\n"},
		{"no newline at the end", "a: 1", setTo("b", 2), "a: 1\nb: 2\n"},
		{"no newline at the end, and none is added", "a: 1\nb: 2", setTo("a", 2), "a: 2\nb: 2"},
		{"a block without a newline at the end keeps its value", "a: |\n  x", setTo("b", 2), "a: |-\n  x\nb: 2\n"},
		{"maps are indented as others are", "a:\n    b: 1\nc: 1\n", setTo("c", map[string]any{"d": map[string]int{"e": 1}}), "a:\n    b: 1\nc:\n    d:\n        e: 1\n"},
		{"no blank line is given to a block that would keep it", "a:   |+\n  x\n", setTo("l", []int{1}), "a:   |+\n  x\nl:\n  - 1\n"},
		{"kept blank lines stay with their block", "a: |+\n  x\n\n\n", setTo("l", []int{1}), "a: |+\n  x\n\n\nl:\n  - 1\n"},
	}.run(t)
}

func TestSetInSpecialDocuments(t *testing.T) {
	edits{
		{"nothing", "", setTo("a", 1), "a: 1\n"},
		{"comments alone", "# c\n", setTo("a", 1), "# c\n\na: 1\n"},
		{"dashes alone", "---\n# c\n...\n", setTo("a", 1), "---\na: 1\n# c\n...\n"},
		{"null", "~ # c\n", setTo("a", 1), "# c\na: 1\n"},
		{"an empty map", "{}\n", setTo("a", []any{}), "a: []\n"},
		{"a map in flow style", "a: 1\nm: {b: 2, c: [x]} # c\nd: 3\n", setTo("e", "y", "m"), "a: 1\nm: # c\n  b: 2\n  c: [x]\n  e: \"y\"\nd: 3\n"},
		{"the root in flow style", "--- {a: 1, # b\n c: 2} # d\n", setTo("e", 3), "--- # d\na: 1 # b\nc: 2\ne: 3\n"},
		{"explicit keys", "m: # c\n  ? a\n  : b # d\n# e\nz: 1\n", setTo("e", 3, "m"), "m: # c\n  a: b # d\n  e: 3\n# e\nz: 1\n"},
		{"a map in flow style in a list", "l:\n  - {a: 'x y', \"b\": \"\\\"\"} # c\n  - d\n", setTo("b", 1, "l", 0), "l:\n  - # c\n    a: 'x y'\n    \"b\": 1\n  - d\n"},
		{"flow style over lines", "m: {a: [b: c, {d}, 'it''s\n  so'], # e\n  # f\n  g: x\n    y, h: }\nz: 1\n", setTo("h", 1, "m"),
			"m:\n  a: [{b: c}, {d: null}, 'it''s so'] # e\n  # f\n  g: x y\n  h: 1\nz: 1\n"},
		{"a tag that does not fit", "m: !!seq {a: !!int x} # c\n", setTo("b", 1, "m"), "m: !!seq # c\n  a: !!int \"x\"\n  b: 1\n"},
		{"an explicit root", "# a\n? b # c\n: d # e\n# f\n", setTo("g", 1), "# a\nb: d # c # e\ng: 1\n# f\n"},
		{"a root in flow style before a deep comment", "{a: 1}\n  # c\n", setTo("b", "x\ny\n"), "a: 1\nb: \"x\\ny\\n\"\n  # c\n"},
		{"dashes before a deep comment", "---\n  # c\n", setTo("b", "x\ny\n"), "---\nb: \"x\\ny\\n\"\n  # c\n"},
		{"dashes and a null", "--- ~ # c\n...\n", setTo("a", 1), "--- # c\na: 1\n...\n"},
		{"a block that keeps nothing, at the end", "a: |+ # +\n  x", setTo("b", 1), "a: |- # +\n  x\nb: 1\n"},
		{"a block in which blank lines are longer", "a: |\n     \n\nb: 1\n", setTo("a", "x"), "a: \"x\"\nb: 1\n"},
		{"a directive and an end", "%YAML 1.1\n---\na: 1\n...\n", setTo("b", 2), "%YAML 1.1\n---\na: 1\nb: 2\n...\n"},
		{"an end", "a: 1\n...\n# c\n", setTo("b", 2), "a: 1\nb: 2\n...\n# c\n"},
		{"a tag", "m: !!map\n  a: !!str 1 # c\nb: 1\n", setTo("c", 2, "m"), "m:\n  a: \"1\" # c\n  c: 2\nb: 1\n"},
		{"separators of lines that most programs do not see", "a: \"x\u2028y\"\nb: 1\n", setTo("b", "\u2028"), "a: \"x\u2028y\"\nb: \"\\u2028\"\n"},
		{"lines before such a separator", "a:   b\u2028c:   d\n", setTo("a", "x\ny\n"), "a: \"x\\ny\\n\"\u2028c:   d\n"},
		{"an indented root", "  a: 1\n  b: 2\n", setTo("c", 3), "  a: 1\n  b: 2\n  c: 3\n"},
	}.run(t)
}

func TestAppend(t *testing.T) {
	edits{
		{"as the items are indented", "l:\n    -   a: 1\n        b: 2\nm: 1\n", appendTo("l", map[string]any{"a": 1, "b": 2}), "l:\n    -   a: 1\n        b: 2\n\n    -   a: 1\n        b: 2\nm: 1\n"},
		{"items at the column of the key", "m:\n  l:\n  - a\n  n: 1\n", appendTo("l", "b", "m"), "m:\n  l:\n  - a\n  - \"b\"\n  n: 1\n"},
		{"a list in an entry follows the others of the document", "a:\n- x\nm:\n    b: 1\n", appendTo("l", "y", "m"), "a:\n- x\nm:\n    b: 1\n    l:\n    - \"y\"\n"},
		{"missing", "a: 1\n", appendTo("l", "x"), "a: 1\n\nl:\n  - \"x\"\n"},
		{"null", "l: # c\na: 1\n", appendTo("l", "x"), "l: # c\n  - \"x\"\na: 1\n"},
		{"empty", "m:\n  l: [] # c\n  a: 1\n", appendTo("l", "x", "m"), "m:\n  l: # c\n    - \"x\"\n  a: 1\n"},
		{"flow style", "l: [a, \"b\"] # c\n", appendTo("l", "x"), "l: # c\n  - a\n  - \"b\"\n  - \"x\"\n"},
		{"behind the comments of the list", "l:\n  - a # c\n  # - b\n\n  # d\n# e\nm: 1\n", appendTo("l", "x"), "l:\n  - a # c\n  # - b\n\n  # d\n  - \"x\"\n# e\nm: 1\n"},
		{"a list in a list", "l:\n  - - a\n    - b\n", func(t testing.TB, d *Doc) { d.Append(d.Root(), "l", value(t, []any{"c", []string{"d"}})) }, "l:\n  - - a\n    - b\n  - - \"c\"\n    - - \"d\"\n"},
		{"twice", "l:\n- a", func(t testing.TB, d *Doc) {
			appendTo("l", 1)(t, d)
			d.Append(d.Root(), "l", value(t, 2), value(t, 3))
		}, "l:\n- a\n- 1\n- 2\n- 3\n"},
		{"twice to a new list", "a: 1\n", func(t testing.TB, d *Doc) {
			appendTo("l", 1)(t, d)
			appendTo("l", 2)(t, d)
		}, "a: 1\n\nl:\n  - 1\n  - 2\n"},
		{"to a list that is set", "a: 1\n", func(t testing.TB, d *Doc) {
			list := value(t, []int{1})
			d.Set(d.Root(), "l", list)
			appendTo("l", 2)(t, d)
			assert.Len(t, list.Content, 1)
		}, "a: 1\n\nl:\n  - 1\n  - 2\n"},
		{"setting comes last", "l:\n- 1\n", func(t testing.TB, d *Doc) {
			appendTo("l", 2)(t, d)
			setTo("l", "x")(t, d)
		}, "l: \"x\"\n"},
		{"before a line of spaces", "l:\n-   a\n        \nb: 1\n", appendTo("l", "y\nz\n"), "l:\n-   a\n- \"y\\nz\\n\"\n        \nb: 1\n"},
		{"lines to a document without a newline at the end", "l:\n-   a", appendTo("l", "x\ny\n"), "l:\n-   a\n- |\n  x\n  y\n"},
		{"behind a block that would keep a blank line", "l:\n-   a: |+\n      x\n", appendTo("l", map[string]int{"a": 1}), "l:\n-   a: |+\n      x\n-   a: 1\n"},
		{"blank lines that would be a block's", "l:\n- a\n\n- b\n\nm:   1\n", func(t testing.TB, d *Doc) {
			d.Append(d.Root(), "l", value(t, "x\n\n"), value(t, "y"))
		}, "l:\n- a\n\n- b\n\n- |+\n  x\n\n- \"y\"\n\nm:   1\n"},
		{"a block before a blank line keeps none", "l:\n- a\n- b\n\nm:   1\n", appendTo("l", "x\n\n"), "l:\n- a\n- b\n- \"x\\n\\n\"\n\nm:   1\n"},
		{"a block at the end keeps its lines", "l:\n- a\n- b", appendTo("l", "x\n"), "l:\n- a\n- b\n- |\n  x\n"},
		{"a block at the end of a text without a line there keeps none", "l:\n- a\n- b", appendTo("l", "x\n\n"), "l:\n- a\n- b\n- \"x\\n\\n\"\n"},
		{"behind a block that keeps its blank lines", "l:\n- a\n\n- |+\n  b\n\n", appendTo("l", "c"), "l:\n- a\n\n- |+\n  b\n\n- \"c\"\n"},
	}.run(t)
}

func TestRemove(t *testing.T) {
	three := "l:\n  # one\n  - a: 1\n    b: 2\n\n  # two\n  - a: 2\n    # deep\n\n  # apart\n\n  # three\n  - a: 3\n\n# end\nm: 1\n"
	edits{
		{"the first, but not the comment above that may be about all", three, remove([]int{0}, "l"), "l:\n  # one\n  # two\n  - a: 2\n    # deep\n\n  # apart\n\n  # three\n  - a: 3\n\n# end\nm: 1\n"},
		{"one between, and the comment above", three, remove([]int{1}, "l"), "l:\n  # one\n  - a: 1\n    b: 2\n\n  # apart\n\n  # three\n  - a: 3\n\n# end\nm: 1\n"},
		{"the last", three, remove([]int{2}, "l"), "l:\n  # one\n  - a: 1\n    b: 2\n\n  # two\n  - a: 2\n    # deep\n\n  # apart\n\n# end\nm: 1\n"},
		{"two", three, remove([]int{2, 0, 0}, "l"), "l:\n  # one\n  # two\n  - a: 2\n    # deep\n\n  # apart\n\n# end\nm: 1\n"},
		{"all", "l: # c\n  - a\n  - b\nm: 1\n", remove([]int{0, 1}, "l"), "l: [] # c\nm: 1\n"},
		{"all of a list in a list", "l:\n  - - a\n    - b\n  - c\n", remove([]int{0, 1}, "l", 0), "l:\n  - []\n  - c\n"},
		{"the first of a list in a list", "l:\n  - - a\n    - b # c\n  - c\n", remove([]int{0}, "l", 0), "l:\n  - - b # c\n  - c\n"},
		{"flow style", "l: [a, b, c]\n", remove([]int{1}, "l"), "l:\n  - a\n  - c\n"},
		{"the first of a list in a list, with what stands below its dash", "l:\n  -\n    # c\n    - a\n    - b\n", remove([]int{0}, "l", 0), "l:\n  -\n    # c\n    - b\n"},
		{"an item below its dash", "l:\n  - a\n  -\n\n    b\n  - # c\n    d: 1\n", remove([]int{1, 2}, "l"), "l:\n  - a\n"},
		{"before a new one", "l:\n  - a\n  - b\n", func(t testing.TB, d *Doc) {
			remove([]int{1}, "l")(t, d)
			appendTo("l", "c")(t, d)
		}, "l:\n  - a\n  - \"c\"\n"},
		{"all before a new one", "l:\n  - a\n  - b\n", func(t testing.TB, d *Doc) {
			remove([]int{0, 1}, "l")(t, d)
			appendTo("l", "c")(t, d)
		}, "l:\n  - \"c\"\n"},
		{"all in a document with CRLF", "l: # c\r\n  -   a\r\nm:   1\r\n", remove([]int{0}, "l"), "l: [] # c\r\nm:   1\r\n"},
		{"behind a block that keeps its blank lines, with CRLF", "l:\r\n- |+\r\n  a\r\n\r\n- b\r\n\r\nm:   1\r\n", remove([]int{1}, "l"), "l:\r\n- \"a\\n\\n\"\r\n\r\nm:   1\r\n"},
		{"behind a block that keeps its blank lines", "l:\n- |+\n  a\n\n- b\n\nm: 1\n", remove([]int{1}, "l"), "l:\n- \"a\\n\\n\"\n\nm: 1\n"},
	}.run(t)
}

func unset(keys []string, path ...any) func(testing.TB, *Doc) {
	return func(_ testing.TB, d *Doc) {
		for _, key := range keys {
			d.Unset(at(d.Root(), path...), key)
		}
	}
}

func TestUnset(t *testing.T) {
	three := "m:\n  # one\n  a: 'x' # c\n\n  # two\n  b: [y] # d\n    # deep\n\n  # apart\n\n  # three\n  c: {k: 1}   # e\n\n# end\nz: 1\n"
	edits{
		{"the first, but not the comment above that may be about all", three, unset([]string{"a"}, "m"), "m:\n  # one\n  # two\n  b: [y] # d\n    # deep\n\n  # apart\n\n  # three\n  c: {k: 1}   # e\n\n# end\nz: 1\n"},
		{"one between, and the comments that are its own", three, unset([]string{"b"}, "m"), "m:\n  # one\n  a: 'x' # c\n\n  # apart\n\n  # three\n  c: {k: 1}   # e\n\n# end\nz: 1\n"},
		{"the last", three, unset([]string{"c"}, "m"), "m:\n  # one\n  a: 'x' # c\n\n  # two\n  b: [y] # d\n    # deep\n\n  # apart\n\n# end\nz: 1\n"},
		{"two", three, unset([]string{"c", "a", "a"}, "m"), "m:\n  # one\n  # two\n  b: [y] # d\n    # deep\n\n  # apart\n\n# end\nz: 1\n"},
		{"all", three, unset([]string{"a", "b", "c"}, "m"), "m: {} # one\n\n# end\nz: 1\n"},
		{"all of the root", "# c\na: 1\n", unset([]string{"a"}), "# c\n{}\n"},
		{"the first of an item", "l:\n  - a: 1 # c\n    b: it's (so) # d\n", unset([]string{"a"}, "l", 0), "l:\n  - b: it's (so) # d\n"},
		{"the first of an item before a comment", "l:\n  - a: 1\n    # d\n    b: x\n", unset([]string{"a"}, "l", 0), "l:\n  -\n    # d\n    b: x\n"},
		{"the only one of an item", "l:\n  - a: 1\n  - b\n", unset([]string{"a"}, "l", 0), "l:\n  - {}\n  - b\n"},
		{"flow style", "m: {a: 1, b: 2}\n", unset([]string{"a"}, "m"), "m:\n  b: 2\n"},
		{"what is not there", three, unset([]string{"x"}, "m"), three},
		{"with its changes, beside others", three, func(t testing.TB, d *Doc) {
			setTo("k", 2, "m", "c")(t, d)
			setTo("y", 1, "m")(t, d)
			setTo("x", 1, "m")(t, d)
			setTo("b", 3, "m")(t, d)
			setTo("c", 3, "m")(t, d)
			unset([]string{"c", "y"}, "m")(t, d)
		}, "m:\n  # one\n  a: 'x' # c\n\n  # two\n  b: 3 # d\n    # deep\n\n  # apart\n  x: 1\n\n# end\nz: 1\n"},
		{"and set again", three, func(t testing.TB, d *Doc) {
			unset([]string{"a"}, "m")(t, d)
			setTo("a", 2, "m")(t, d)
		}, strings.Replace(three, "'x'", "2", 1)},
		{"with CRLF and no line at the end", "a: 1\r\nb: 2", unset([]string{"b"}), "a: 1\r\n"},
	}.run(t)
}

// arrange makes a list one of its items by their index, and of new ones: texts.
func arrange(items []any, path ...any) func(testing.TB, *Doc) {
	return func(t testing.TB, d *Doc) {
		list, all := at(d.Root(), path...), []*yaml.Node{}
		for _, item := range items {
			if i, isOld := item.(int); isOld {
				all = append(all, list.Content[i])
			} else {
				all = append(all, value(t, item))
			}
		}
		d.Arrange(list, all)
	}
}

func TestArrange(t *testing.T) {
	three := "l:\n  # one\n  - a: 'x'  # c\n\n  # two\n  -   b\n\n  - it's\n  # end\nz: 1\n"
	edits{
		{"as it is", three, arrange([]any{0, 1, 2}, "l"), three},
		{"what stays in order is left alone", three, arrange([]any{0, 2, "d"}, "l"), "l:\n  # one\n  - a: 'x'  # c\n\n  - it's\n  # end\n\n  - \"d\"\nz: 1\n"},
		{"others alone", three, arrange([]any{"d"}, "l"), "l:\n  # one\n  - \"d\"\n  # end\nz: 1\n"},
		{"none", three, arrange(nil, "l"), "l: [] # one\n  # end\nz: 1\n"},
		{"another order keeps the comments", three, arrange([]any{2, 1, "d", 0}, "l"), "l:\n  # one\n  - \"it's\"\n  # two\n  - b\n  - \"d\"\n  - a: 'x'  # c\n  # end\nz: 1\n"},
		{"with changes of the items", three, func(t testing.TB, d *Doc) {
			setTo("a", 1, "l", 0)(t, d)
			arrange([]any{"d", 0}, "l")(t, d)
		}, "l:\n  # one\n  - \"d\"\n  - a: 1  # c\n  # end\nz: 1\n"},
		{"a list whose first comment is behind the dash of what it is in", "l:\n  - # c\n    # d\n    - 1\n    - 2\n", arrange([]any{0, "x", 1}, "l", 0), "l:\n  - # c\n    # d\n    - 1\n    - \"x\"\n    - 2\n"},
		{"in flow style", "l: [a, b]\n", arrange([]any{1, 0}, "l"), "l:\n  - b\n  - a\n"},
	}.run(t)
}

func TestSetRoot(t *testing.T) {
	setRoot := func(v any) func(testing.TB, *Doc) {
		return func(t testing.TB, d *Doc) { d.SetRoot(value(t, v)) }
	}
	tests := edits{
		{"a list in nothing", "", setRoot([]int{1, 2}), "- 1\n- 2\n"},
		{"behind a comment", "# c\n", setRoot([]any{}), "# c\n\n[]\n"},
		{"for a list", "# c\n- 1 # d\n# e\n- 2\n# f\n", setRoot([]any{map[string]int{"a": 1}, "x"}), "# c\n- a: 1\n- \"x\"\n# f\n"},
		{"a map for a list", "- 1\n", setRoot(map[string]any{"a": 1, "b": []int{1}}), "a: 1\n\nb:\n  - 1\n"},
		{"a scalar for a map", "a: 1\nb: 2\n", setRoot("x"), "\"x\"\n"},
		{"lines for a scalar", "x # c\n", setRoot("a\nb\n"), "# c\n|\n  a\n  b\n"},
		{"null", "- 1\n", setRoot(nil), "null\n"},
		{"for explicit keys", "---\n!!map\n? a\n: b\n", setRoot(1), "---\n1\n"},
	}
	for _, c := range tests {
		d, err := ParseAny([]byte(c.before))
		require.NoError(t, err, c.rule)
		c.change(t, d)
		got, err := d.Bytes()
		require.NoError(t, err, c.rule)
		assert.Equal(t, c.after, string(got), c.rule)
	}
	d, err := ParseAny([]byte("- a  # c\n- k: 1\n"))
	require.NoError(t, err)
	d.Set(at(d.Root(), 1), "k", value(t, 2))
	d.Arrange(d.Root(), []*yaml.Node{at(d.Root(), 0), at(d.Root(), 1), value(t, "b")})
	got, err := d.Bytes()
	require.NoError(t, err)
	assert.Equal(t, "- a  # c\n- k: 2\n- \"b\"\n", string(got), "a list at the root is changed in place")
}

func TestMove(t *testing.T) {
	from, err := Parse([]byte("l:\n  # about all\n\n  # one\n  - id: 1  # c\n\n  # two\n  - id: 2 # d\n    a: 1\n"))
	require.NoError(t, err)
	edits{
		{"comments go with an entry, but for those that may be about the list", "l:\n- id: 0\n", func(_ testing.TB, d *Doc) {
			d.Append(d.Root(), "l", at(from.Root(), "l").Content...)
		}, "l:\n- id: 0\n\n- id: 1  # c\n\n# two\n- id: 2 # d\n  a: 1\n"},
	}.run(t)
	long := strings.Repeat("more of the text ", 10)
	from, err = Parse([]byte("l:\n    - a: |2\n           indented\n         less\n      b: |\n        x\n          \n        y\n      c: >\n        folded\n        text\n\n        goes on\n" +
		"      d: [a, 'b', \"c\", {k: ~}]  # d\n      e: >-\n        " + long + "\n        end\n      f: {k: [1,\n          2], l: [x, []]}\n      g: >\n        a\n          b\n      h: |+\n        x\n\n    - [a # c\n      ]\n"))
	require.NoError(t, err)
	edits{
		{"blocks and flow style stay what they are", "l:\n- z\n", func(_ testing.TB, d *Doc) {
			d.Append(d.Root(), "l", at(from.Root(), "l").Content...)
		}, "l:\n- z\n- a: |2\n       indented\n     less\n  b: |\n    x\n      \n    y\n  c: >\n    folded\n    text\n\n    goes on\n" +
			"  d: [a, 'b', \"c\", {k: ~}]  # d\n  e: >-\n    " + long + "\n    end\n" +
			"  f:\n    k:\n    - 1\n    - 2\n    l: [x, []]\n  g: >\n    a\n      b\n  h: |+\n    x\n\n- - a # c\n"},
	}.run(t)
}

func TestConvention(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		return string(text)
	}
	e := entry{ID: "new", Content: "Two lines:\n- one\n", Files: []string{"src/a.ts"}}
	discoveries, attempts, context := read("discoveries.yaml"), read("attempts.yaml"), read("context.yaml")
	edits{
		{"a discovery", discoveries, appendTo("discoveries", e), discoveries +
			"\n  - id: \"new\"\n    content: |\n      Two lines:\n      - one\n    files:\n      - \"src/a.ts\"\n    actionItems: []\n"},
		{"an item of a discovery", discoveries, appendTo("actionItems", "do", "discoveries", 0),
			strings.Replace(discoveries, "actionItems: []", "actionItems:\n      - \"do\"", 1)},
		{"an attempt that succeeds", attempts, func(t testing.TB, d *Doc) {
			a := at(d.Root(), "attempts", 1)
			d.Set(a, "result", value(t, "success"))
			d.Set(a, "lessons", value(t, "a\nb\n"))
			d.Set(at(a, "subTasks", 2), "status", value(t, "complete"))
		}, strings.Replace(strings.Replace(attempts, "result: \"in_progress\"", "result: \"success\"", 1),
			"JWT token\"\n        status: \"in_progress\"", "JWT token\"\n        status: \"complete\"", 1) + "    lessons: |\n      a\n      b\n"},
		{"a section behind the comment", read("header.yaml"), appendTo("discoveries", e), read("header.yaml") +
			"\ndiscoveries:\n  - id: \"new\"\n    content: |\n      Two lines:\n      - one\n    files:\n      - \"src/a.ts\"\n    actionItems: []\n"},
		{"a blocker", context, appendTo("blockers", "x", "context"), strings.Replace(context, "blockers: []", "blockers:\n    - \"x\"", 1)},
		{"archived discoveries", discoveries, remove([]int{0, 1, 2}, "discoveries"),
			"discoveries:\n" + discoveries[strings.Index(discoveries, "  - id: \"discovery-004\""):]},
	}.run(t)
}

func TestNothingChanged(t *testing.T) {
	for _, text := range hard {
		d, err := Parse([]byte(text))
		require.NoError(t, err, text)
		got, err := d.Bytes()
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		rule, text, msg string
		line            int
	}{
		{"a list", "# c\n- a\n", "not a map", 2},
		{"a text", "a", "not a map", 1},
		{"a key twice", "a:\n  b: 1\n  \"b\": 2\n", "which is in line 2 already", 3},
		{"a key twice among many", manyKeys() + "k3: 1\n", "which is in line 4 already", 41},
		{"a key that is a list", "a: 1\n? [b]\n: c\n", "a key that is a list or a map", 2},
		{"an anchor", "a: &b c\n", "anchors", 1},
		{"two documents", "a: 1\n---\nb: 1\n", "second", 2},
		{"too deep", "a:\n " + strings.Repeat("[", 101) + strings.Repeat("]", 101), "nested too deep", 2},
		{"not UTF-8", "a: 1\nb: \xff\n", "not UTF-8", 2},
		{"too large", strings.Repeat("#", MaxSize+1), "8388609 bytes; at most 8388608 can be read", 0},
	} {
		_, err := Parse([]byte(c.text))
		var e *safeyaml.Error
		require.True(t, errors.As(err, &e), c.rule)
		assert.Contains(t, e.Msg, c.msg, c.rule)
		assert.Equal(t, c.line, e.Line, c.rule)
	}
}

func manyKeys() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

func TestDeepestDocument(t *testing.T) {
	d, err := Parse([]byte("a: " + strings.Repeat("[", 99) + strings.Repeat("]", 99)))
	require.NoError(t, err)
	lists := nodes(d.Root(), yaml.SequenceNode)
	d.Remove(lists[97], 0)
	_, err = d.Bytes()
	require.NoError(t, err)
	d.Set(d.Root(), "b", lists[0])
	_, err = d.Bytes()
	require.NoError(t, err)
	d.Append(d.Root(), "c", lists[0])
	_, err = d.Bytes()
	assert.ErrorContains(t, err, "nested too deep")
}

func TestChangesThatAreNotPossible(t *testing.T) {
	text := "a: 1\nm:\n  b: [x]\n  c: {d: e}\n"
	for _, c := range []struct {
		rule, msg string
		change    func(d *Doc, v *yaml.Node)
	}{
		{"set in no map", "no map", func(d *Doc, v *yaml.Node) { d.Set(at(d.Root(), "a"), "x", v) }},
		{"set in nil", "no map", func(d *Doc, v *yaml.Node) { d.Set(nil, "x", v) }},
		{"set nothing", "no value", func(d *Doc, v *yaml.Node) { d.Set(d.Root(), "x", nil) }},
		{"set a long key", "more than", func(d *Doc, v *yaml.Node) { d.Set(d.Root(), strings.Repeat("x", 1001), v) }},
		{"set a key that is not UTF-8", "not UTF-8", func(d *Doc, v *yaml.Node) { d.Set(d.Root(), "\xff", v) }},
		{"set what is not UTF-8", "not UTF-8", func(d *Doc, v *yaml.Node) { d.Set(d.Root(), "x", plain("!!str", "\xff")) }},
		{"set an alias", "neither", func(d *Doc, v *yaml.Node) { d.Set(d.Root(), "x", &yaml.Node{Kind: yaml.AliasNode, Alias: v}) }},
		{"set what has a key twice", "again", func(d *Doc, v *yaml.Node) {
			d.Set(d.Root(), "x", &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{v, v, v, v}})
		}},
		{"append to no list", "not a list", func(d *Doc, v *yaml.Node) { d.Append(d.Root(), "a", v) }},
		{"append in no map", "no map", func(d *Doc, v *yaml.Node) { d.Append(at(d.Root(), "a"), "a", v) }},
		{"append nothing", "no value", func(d *Doc, v *yaml.Node) { d.Append(d.Root(), "x", nil) }},
		{"remove from no list", "no list", func(d *Doc, v *yaml.Node) { d.Remove(d.Root(), 0) }},
		{"remove what is not there", "remove item 1 of 1", func(d *Doc, v *yaml.Node) { d.Remove(at(d.Root(), "m", "b"), 1) }},
		{"a map of another document", "not in the document", func(d *Doc, v *yaml.Node) {
			d.Set(&yaml.Node{Kind: yaml.MappingNode}, "x", v)
		}},
		{"in a bare document's other map", "not in the document", nil},
		{"in what is replaced", "replaced or removed", func(d *Doc, v *yaml.Node) {
			d.Set(at(d.Root(), "m", "c"), "x", v)
			d.Set(d.Root(), "m", v)
		}},
		{"the value of another tag", "in place", func(d *Doc, v *yaml.Node) { d.Set(d.Root(), "x", plain("!x", "y")) }},
	} {
		d, err := Parse([]byte(text))
		require.NoError(t, err)
		if c.change == nil {
			d, err = Parse(nil)
			require.NoError(t, err)
			d.Set(&yaml.Node{Kind: yaml.MappingNode}, "x", value(t, "v"))
		} else {
			c.change(d, value(t, "v"))
		}
		_, err = d.Bytes()
		assert.ErrorContains(t, err, c.msg, c.rule)
	}
}

func TestHugeResultIsRefused(t *testing.T) {
	d, err := Parse([]byte("a: 1\n"))
	require.NoError(t, err)
	d.Set(d.Root(), "b", value(t, strings.Repeat("x", MaxSize)))
	_, err = d.Bytes()
	assert.ErrorContains(t, err, "more than 8388608 bytes")
}

func TestIndentationThatMakesTheResultHuge(t *testing.T) {
	deep := strings.Repeat("[", 90) + "\n" + strings.Repeat("a,", 20<<10) + strings.Repeat("]", 90)
	text := "a: " + deep + "\nb: " + deep + "\nc: " + deep + "\n" + strings.Repeat("#\n", 1<<20)
	d, err := Parse([]byte(text))
	require.NoError(t, err)
	for _, key := range []string{"a", "b", "c"} { // each is nearly half of what there may be
		d.Append(d.Root(), key, value(t, 1))
	}
	_, err = d.Bytes()
	assert.ErrorContains(t, err, "more than 8388608 bytes")
}

// TestCommentBelowAChangedItemStandsOnce: it stays where it is when the item above it moves and changes.
func TestCommentBelowAChangedItemStandsOnce(t *testing.T) {
	doc, err := Parse([]byte("m:\n  l:\n    - id: a\n      x: 1\n    - id: b\n      x: 2\n    # trailing\n  z: 1\n"))
	require.NoError(t, err)
	l := Get(Get(doc.Root(), "m"), "l")
	nine, err := Value(9)
	require.NoError(t, err)
	doc.Set(l.Content[1], "x", nine)
	doc.Arrange(l, []*yaml.Node{l.Content[1], l.Content[0]})
	text, err := doc.Bytes()
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), "# trailing"), string(text))
}

// TestCommentsOfCRLF belong to what they belong to where lines end in LF.
func TestCommentsOfCRLF(t *testing.T) {
	const file = "l:\n  - id: a\n    content: |\n      x\n      y\n  # about b\n  - id: b\n    content: z\nn: 1\n"
	move := func(file string) string {
		doc, err := Parse([]byte(file))
		require.NoError(t, err)
		to, err := Parse(nil)
		require.NoError(t, err)
		to.Append(to.Root(), "l", Get(doc.Root(), "l").Content[1])
		text, err := to.Bytes()
		require.NoError(t, err)
		return strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	assert.Equal(t, move(file), move(strings.ReplaceAll(file, "\n", "\r\n")))
}
