package yamledit

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// documents are the seeds of all fuzz targets: the examples of the
// convention, and what is hard about YAML.
func documents(f *testing.F) (texts []string) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		texts = append(texts, string(text))
	}
	return append(texts, hard...)
}

var hard = []string{
	"", "# c\n", "---\n", "--- # c\n...\n# d\n", "~\n", "!!null # c\n", "null # c",
	"{}", "{a: 1} # c\n", "--- {a: 1, # x\n b: 2} # c\n...\n", "%YAML 1.1\n---\na: 1\n",
	"a: [x, {y: z}, [w]] # c\nb: {c: d, # e\n e: f}# g\n",
	"? a\n: b\n? |\n  c\n: d\n", "a:\n  ? b\n  : c\nd: 1\n", "!!map\na: !!str 1 # c\nb: !!seq\n- x\nc: !!str\n",
	"a: |\n  x\n # c\n\nb: |+\n  y\n\nc: >-\n  z\n   w\n\n  v\n", "a: |2-\n    x\n  y\nb: |\n  # d\n  e\n   # f\n",
	"a: |\n  x", "a:\n- |+\n x\n\n- y", "a: >1\n  x\n", "l:\n- |+\n  a\n\n- b\n\nc: 1\n",
	"a: x\n  y\n  z # c\nb: \"x\n  # y\n\n  z\" # c\nc: 'it''s\n  # d'\n", "a:\n    b: 1\n    c:\n    - 1\n    -   d: 1\n        e: 2\n",
	"a:\r\n  - b\r\n  - c # d\r\ne: f\r\n", "\ufeffa: 1\nb:\n  - x", "a: 1\rb: 2\r", "a: \"x\u2028y\"\nb: x\u0085 y\n# c\u2029c: 1\n",
	"a:\n  - - b\n    - c\n  -\n    - d\n  -\n  - # e\n    f: 1\n", "a:\n- b\n# c\n- d\n  # e\n\n# f\n\n- g\n# h\ni: 1\n",
	"a:\tb\nc: # d\n  # e\n  - f # g\n  # h\n\n# i\n", "a:\n  b:\n    c: 1\n     # deep\n    d: 2\n   # e\n  # f\n# g\n",
	"<<: {a: 1}\nb: 0x1F\nc: 2001-12-14 21:59:43.10 -5\nd: .inf\ne: !!binary |\n  aGk=\n", "é: ü # ö\n漢字:\n- 字\n- \"😀\"\n",
	"'a': 1\n\"b\\\"\": 2\n\"c d\": 4\n", "  a: 1\n  b:\n  - c\n", "a: ! b\nb: !\nc: !!int \"3\"\n", "a:\n  - b: |\n      x\n    # c\n  - d\n",
	"b:\u20290:", "0:\n    ", "0:\n-\n|+\n-",
	"a:\n  ? \n  :", "a:\n  - b: \n      !\n      -\n      - c",
}

// nodes gives all nodes of a tree that are of a kind.
func nodes(n *yaml.Node, kind yaml.Kind) (found []*yaml.Node) {
	if n.Kind == kind {
		found = append(found, n)
	}
	for _, child := range n.Content {
		found = append(found, nodes(child, kind)...)
	}
	return found
}

// some gives a value made of a string.
func some(kind uint8, s string) any {
	switch kind % 8 {
	case 0:
		return map[string]any{"id": s, "list": []string{s, "x"}, "n": 1, "z": nil}
	case 1:
		return []any{s, []string{}, map[string]any{}, []any{[]string{s}, 2.0}}
	case 2:
		return struct {
			B string         `yaml:"b"`
			A map[string]any `yaml:"a,omitempty"`
			C time.Time      `yaml:"c"`
		}{s, map[string]any{"k": map[string]string{"l": s}}, time.Unix(1, 2)}
	case 3:
		return map[string]any{"a": map[string]any{"b": []any{map[string]string{"c": s}}}}
	}
	return s
}

// clone copies a tree without positions and comments.
func clone(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.ShortTag(), Value: n.Value}
	for _, child := range n.Content {
		c.Content = append(c.Content, clone(child))
	}
	return c
}

// twins gives a document and a copy of its tree to which a test makes the same change in
// the plainest way.
func twins(t *testing.T, text string) (d *Doc, want *yaml.Node) {
	d, err := Parse([]byte(text))
	if err != nil {
		t.Skip()
	}
	return d, clone(d.Root())
}

func setIn(m *yaml.Node, key string, value *yaml.Node) {
	if i := find(m, key); i >= 0 {
		m.Content[i+1] = value
		return
	}
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}

func unsetIn(m *yaml.Node, key string) {
	if i := find(m, key); i >= 0 {
		m.Content = slices.Delete(m.Content, i, i+2)
	}
}

// requireResult checks that the result has the values that it should have, and gives it.
// An error is right where a document cannot be changed in place.
func requireResult(t *testing.T, text string, d *Doc, want *yaml.Node) string {
	result, err := d.Bytes()
	if err != nil {
		isPlain := isInPlace(d.Root()) && !d.odd && !strings.ContainsAny(text, "!\t")
		require.False(t, isPlain && strings.Contains(err.Error(), "in place"), "%q", text)
		t.Skip(err)
	}
	after, err := Parse(result)
	require.NoError(t, err, "%q\n%q", text, result)
	require.True(t, equal(want, after.Root()), "%q\n%q", text, result)
	return string(result)
}

// requireOthers checks that all lines before the first line of a node, from 0, and from the line
// of the next one on are the same. A document that is written anew as a whole may differ.
func requireOthers(t *testing.T, d *Doc, result string, line, next int) {
	if !isInPlace(d.Root()) || strings.Contains(d.text, "!") {
		return
	}
	if line < len(d.starts) {
		require.Equal(t, d.text[:d.starts[line]], result[:min(d.starts[line], len(result))], result)
	}
	if next < len(d.starts) {
		behind := d.text[d.starts[next]:]
		if d.open() && strings.HasSuffix(result, "\n") && !strings.HasSuffix(result, behind) {
			behind += "\n"
		}
		require.True(t, strings.HasSuffix(result, behind), "%q\n%q\n%q", d.text, result, behind)
	}
}

// requireInserted checks that the result is the document with something inserted in one place.
func requireInserted(t *testing.T, d *Doc, result string) {
	if !isInPlace(d.Root()) || strings.Contains(d.text, "!") || d.open() && strings.ContainsAny(d.text, "|>") {
		return
	}
	same, behind := 0, 0
	for same < len(d.text) && d.text[same] == result[same] {
		same++
	}
	for behind < len(d.text)-same && d.text[len(d.text)-1-behind] == result[len(result)-1-behind] {
		behind++
	}
	require.Equal(t, len(d.text), same+behind, "%q\n%q", d.text, result)
}

// isInPlace reports whether nothing in a document calls for more than the change itself.
func isInPlace(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return n.Style&yaml.TaggedStyle == 0
	}
	if n.Style&(yaml.FlowStyle|yaml.TaggedStyle) != 0 {
		return false
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Column != n.Column || !isInPlace(child) {
			return false
		}
	}
	return true
}

// after gives the line, from 0, of what follows a node in the document and is not in it.
func lineBehind(root, n *yaml.Node) int {
	last, found := n, false
	for len(last.Content) > 0 {
		last = last.Content[len(last.Content)-1]
	}
	line := 1 << 30
	var walk func(*yaml.Node)
	walk = func(c *yaml.Node) {
		if len(c.Content) == 0 {
			if found && line == 1<<30 {
				line = c.Line - 1
			}
			found = found || c == last
		}
		for _, child := range c.Content {
			walk(child)
		}
	}
	walk(root)
	return line
}

func FuzzSet(f *testing.F) {
	for i, text := range documents(f) {
		f.Add(text, uint8(i), "new", uint8(i), "text")
		f.Add(text, uint8(i/2), "a", uint8(4), "- a:\n b  \n\n# c\n")
		f.Add(text, uint8(0), "b", uint8(i+1), "x\n\ty\n")
		f.Add(text, uint8(i/3), "", uint8(0), " z\n")
	}
	f.Fuzz(func(t *testing.T, text string, which uint8, key string, kind uint8, s string) {
		d, want := twins(t, text)
		value, err := Value(some(kind, s))
		if err != nil {
			t.Skip()
		}
		maps, wants := nodes(d.Root(), yaml.MappingNode), nodes(want, yaml.MappingNode)
		i := int(which) % len(maps)
		m := maps[i]
		if at := int(kind) / 8; kind >= 64 && at < len(m.Content) { // an existing key
			key = m.Content[at&^1].Value
		}
		d.Set(m, key, value)
		setIn(wants[i], key, value)
		result := requireResult(t, text, d, want)
		if !utf8.ValidString(key) || d.bare {
			return
		}
		if at := find(m, key); at >= 0 {
			requireOthers(t, d, result, m.Content[at].Line-1, lineBehind(d.Root(), m.Content[at+1]))
		} else {
			requireInserted(t, d, result)
		}
	})
}

func FuzzAppend(f *testing.F) {
	for i, text := range documents(f) {
		f.Add(text, uint8(i), "discoveries", uint8(i), "text")
		f.Add(text, uint8(0), "a", uint8(4), "- a:\n b  \n\n# c\n")
		f.Add(text, uint8(0), "b", uint8(3), "x\n\ty\n")
		f.Add(text, uint8(i/3), "l", uint8(0), " z\n")
	}
	f.Fuzz(func(t *testing.T, text string, which uint8, key string, kind uint8, s string) {
		d, want := twins(t, text)
		value, err := Value(some(kind, s))
		if err != nil {
			t.Skip()
		}
		maps, wants := nodes(d.Root(), yaml.MappingNode), nodes(want, yaml.MappingNode)
		i := int(which) % len(maps)
		if at := int(kind) / 8; kind >= 64 && at < len(maps[i].Content) {
			key = maps[i].Content[at&^1].Value
		}
		d.Append(maps[i], key, value)
		d.Append(maps[i], key, value, value)
		list := Get(wants[i], key)
		if list == nil || list.Kind != yaml.SequenceNode {
			list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			setIn(wants[i], key, list)
		}
		list.Content = append(list.Content, value, value, value)
		result := requireResult(t, text, d, want)
		if old := Get(maps[i], key); old != nil && old.Kind == yaml.SequenceNode {
			requireInserted(t, d, result)
		}
	})
}

// fickle is what may call for a list to be written anew when its last item goes: a block that
// would take the lines behind for its own.
var fickle = regexp.MustCompile(`[|>][0-9]?\+|(?m)^[ \t]+$`)

func FuzzRemove(f *testing.F) {
	for i, text := range documents(f) {
		f.Add(text, uint8(i), uint16(1<<(i%3)), uint8(0))
		f.Add(text, uint8(i/2), uint16(6), uint8(i))
		f.Add(text, uint8(0), uint16(255), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, which uint8, items uint16, add uint8) {
		d, want := twins(t, text)
		lists, wants := nodes(d.Root(), yaml.SequenceNode), nodes(want, yaml.SequenceNode)
		if len(lists) == 0 {
			t.Skip()
		}
		list, wantList := lists[int(which)%len(lists)], wants[int(which)%len(lists)]
		var left []*yaml.Node
		first, last := -1, -1
		for i, item := range wantList.Content {
			if items&(1<<(i%16)) == 0 {
				left = append(left, item)
				continue
			}
			d.Remove(list, i)
			if first < 0 {
				first = i
			}
			last = i
		}
		wantList.Content = left
		if add%3 == 1 {
			setIn(want, "new", plain("!!str", "x"))
			d.Set(d.Root(), "new", plain("!!str", "x"))
		}
		result := requireResult(t, text, d, want)
		if first > 0 && len(left) > 0 && add%3 != 1 && !fickle.MatchString(text) {
			requireOthers(t, d, result, list.Content[first-1].Line-1, lineBehind(d.Root(), list.Content[last]))
		}
	})
}

// FuzzArrange changes the order of a list, and moves its items to another document.
func FuzzArrange(f *testing.F) {
	for i, text := range documents(f) {
		f.Add(text, uint8(i), []byte{1, 0, 9})
		f.Add(text, uint8(i/2), []byte{200, 0, 1, 2, 3})
	}
	f.Fuzz(func(t *testing.T, text string, which uint8, script []byte) {
		d, want := twins(t, text)
		lists, wants := nodes(d.Root(), yaml.SequenceNode), nodes(want, yaml.SequenceNode)
		if len(lists) == 0 {
			t.Skip()
		}
		list, wantList := lists[int(which)%len(lists)], wants[int(which)%len(lists)]
		used := map[int]bool{}
		items, left := []*yaml.Node{}, []*yaml.Node{}
		for _, b := range script[:min(len(script), 20)] {
			i := int(b)
			if i >= len(list.Content) || used[i] {
				items, left = append(items, plain("!!int", fmt.Sprint(b))), append(left, plain("!!int", fmt.Sprint(b)))
				continue
			}
			used[i] = true
			items, left = append(items, list.Content[i]), append(left, wantList.Content[i])
			if m := list.Content[i]; b%2 == 0 && m.Kind == yaml.MappingNode {
				d.Set(m, "new", plain("!!int", "1"))
				setIn(wantList.Content[i], "new", plain("!!int", "1"))
			}
		}
		wantMoved := clone(list)
		wantMoved.Tag = "!!seq"
		d.Arrange(list, items)
		wantList.Content = left
		requireResult(t, text, d, want)
		other, err := Parse([]byte("l:\n  - 0\n\nm:   1\n"))
		require.NoError(t, err)
		other.Append(other.Root(), "l", list.Content...)
		result, err := other.Bytes()
		require.NoError(t, err)
		other, err = Parse(result)
		require.NoError(t, err)
		got := Get(other.Root(), "l")
		got.Content = got.Content[1:]
		require.True(t, equal(wantMoved, got), "%q\n%q", text, result)
	})
}

// FuzzMany makes several changes at once.
func FuzzMany(f *testing.F) {
	for i, text := range documents(f) {
		f.Add(text, []byte{1, 2, 3, byte(i), 5, 6, 7, 8, 9}, "x\ny\n")
		f.Add(text, []byte{2, byte(i), 0, 2, byte(i / 2), 2, 0, byte(i), 9}, "x")
		f.Add(text, []byte{byte(i), 0, 0, 1, 0, 1, 2, 0, 2, byte(i), 1, 1}, "x")
	}
	f.Fuzz(func(t *testing.T, text string, script []byte, s string) {
		d, want := twins(t, text)
		maps, wants := nodes(d.Root(), yaml.MappingNode), nodes(want, yaml.MappingNode)
		gone := map[string]bool{}
		for i := 0; i+2 < len(script) && i < 30; i += 3 {
			value, err := Value(some(script[i]>>2, s))
			if err != nil {
				t.Skip()
			}
			at := int(script[i+1]) % len(maps)
			m, w := maps[at], wants[at]
			key := fmt.Sprint("k", script[i+2])
			if n := int(script[i+2]); n < len(m.Content) {
				key = m.Content[n&^1].Value
			}
			if gone[fmt.Sprint(at, key)] {
				continue // set again, it is in its old place
			}
			if script[i]%4 == 2 {
				gone[fmt.Sprint(at, key)] = true
				d.Unset(m, key)
				unsetIn(w, key)
				continue
			}
			if script[i]%2 == 0 {
				d.Set(m, key, value)
				setIn(w, key, value)
				continue
			}
			d.Append(m, key, value)
			list := Get(w, key)
			if list == nil || list.Kind != yaml.SequenceNode {
				list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
				setIn(w, key, list)
			} else {
				list = copyOf(list)
				list.Content = append([]*yaml.Node(nil), list.Content...)
				setIn(w, key, list)
			}
			list.Content = append(list.Content, value)
		}
		requireResult(t, text, d, want)
	})
}

// FuzzValue checks that a string of any content survives.
func FuzzValue(f *testing.F) {
	for _, s := range strange {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, key, s string) {
		value, err := Value(map[string]any{key: []any{s, map[string]string{"k": s}, []string{s}}})
		if !utf8.ValidString(s) || !utf8.ValidString(key) {
			require.Error(t, err)
			return
		}
		if len(quoted(key)) > maxKey {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		d, err := Parse([]byte("a: b\n"))
		require.NoError(t, err)
		d.Set(d.Root(), "a", value)
		d.Set(d.Root(), "b", value)
		result, err := d.Bytes()
		require.NoError(t, err)
		require.False(t, strings.ContainsAny(string(result), "\x00\u0085\u2028\u2029\r"))
		d, err = Parse(result)
		require.NoError(t, err)
		require.True(t, equal(value, Get(d.Root(), "a")), "%s", result)
		require.True(t, equal(value, Get(d.Root(), "b")), "%s", result)
		requireRoot(t, plain("!!str", s), yaml.LiteralStyle)
		requireRoot(t, plain("!!str", s), yaml.FoldedStyle)
	})
}

// requireRoot checks that a scalar of a style survives as a document, and in the middle of one.
func requireRoot(t *testing.T, n *yaml.Node, style yaml.Style) {
	n.Style = style
	d, err := Parse(nil)
	require.NoError(t, err)
	d.SetRoot(n)
	result, err := d.Bytes()
	require.NoError(t, err)
	var got string
	require.NoError(t, yaml.Unmarshal(result, &got))
	require.Equal(t, n.Value, got)
	for _, text := range []string{"a:\n - b: 1\n\nc: 2\n", "a:\n    -   b: 1\n    # c\n\n    -   b: 2\n   \n", "a:\n- b\n- c: 1"} {
		d, err := Parse([]byte(text))
		require.NoError(t, err)
		m := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{plain("!!str", "k"), n}}
		d.Append(d.Root(), "a", n, m, m)
		result, err := d.Bytes()
		require.NoError(t, err)
		var got struct{ A []any }
		require.NoError(t, yaml.Unmarshal(result, &got))
		at := len(got.A) - 3
		require.Equal(t, []any{n.Value, map[string]any{"k": n.Value}, map[string]any{"k": n.Value}}, got.A[at:], "%s", result)
	}
}

var strange = []string{
	"", " ", "  x", "x  ", "\n", "\n\n", "\nx", "x\n", "x\n\n", "x\n y\n", " x\ny", "x\n  \ny", "x \ny\t\n", "\tx\ny", "x\n\ty\n",
	"# x", "x # y", "a: b", "- a", "-", "---", "...", "--- x\ny", "%x\ny", "? a", "!x", "&a", "*a", "|", ">", "@", "`", "'", "\"", "\\", "a\\\nb",
	"null", "~", "true", "Yes", "n", "1", "0x1F", "1e3", "2026-01-01", "12:30:45", ".inf", "=", "<<", "{a}", "[a]", "a,b", "a:b", ":",
	"\u0085", "\u2028x\ny", "\u2029", "\ufeff", "x\ufeff\ny", "\x00", "\x1b[0m", "\x7f", "\r\n", "a\rb", "\u00a0", "\u3000", "😀👩‍💻", "漢字\n漢字\n", "\uffff", "\U0010ffff",
	"\xff", strings.Repeat("long ", 500), strings.Repeat("x", 3000) + "\ny", "# a\nb\n", "a\n# b\n", "a\n---\nb\n", "a\n...\n", "a\n\n\nb", "\v", "\b", "\xed\xa0\x80",
}
