package yamledit

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

type word string

type shouted string

func (s shouted) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(s))), nil }

type pairOf struct{ a, b int }

func (p pairOf) MarshalYAML() (any, error) { return []int{p.a, p.b}, nil }

type broken struct{}

func (broken) MarshalYAML() (any, error) { return nil, errors.New("broken") }

func (broken) MarshalText() ([]byte, error) { return nil, errors.New("broken") }

type common struct {
	ID string `yaml:"id"`
}

type everything struct {
	common2   int    // not exported
	Common    common `yaml:",inline"`
	NoTag     bool
	Left      string         `yaml:"-"`
	Empty     string         `yaml:"empty,omitempty"`
	EmptyList []string       `yaml:"emptyList,omitempty"`
	EmptyTime time.Time      `yaml:"emptyTime,omitempty"`
	Zero      int            `yaml:"zero"`
	Pointer   *int           `yaml:"pointer"`
	More      map[string]any `yaml:",inline"`
}

// written gives a document of a value alone, under the key v.
func written(t *testing.T, v any) string {
	d, err := Parse(nil)
	require.NoError(t, err)
	d.Set(d.Root(), "v", value(t, v))
	got, err := d.Bytes()
	require.NoError(t, err)
	return string(got)
}

func TestValue(t *testing.T) {
	zone := time.FixedZone("", 3600)
	three := 3
	for _, c := range []struct {
		rule string
		v    any
		want string
	}{
		{"nil", nil, "v: null\n"},
		{"a nil pointer", (*int)(nil), "v: null\n"},
		{"a pointer", &three, "v: 3\n"},
		{"bool", true, "v: true\n"},
		{"numbers", []any{int8(-1), uint64(math.MaxUint64), 1.0, float32(0.1), 1e30, math.Inf(-1), math.NaN()},
			"v:\n  - -1\n  - 18446744073709551615\n  - 1.0\n  - 0.1\n  - 1.0e+30\n  - -.inf\n  - .nan\n"},
		{"text is quoted", word("src/a.ts"), "v: \"src/a.ts\"\n"},
		{"lines are a literal block", "a\n\n# b\n\tc\n", "v: |\n  a\n\n  # b\n  \tc\n"},
		{"lines without a break at the end", "a\nb", "v: |-\n  a\n  b\n"},
		{"a block says how far it is indented where its first line is", []string{" a\nb", "\n\ta\nb", "  \nb\n"}, "v:\n  - |2-\n     a\n    b\n  - |2-\n\n    \ta\n    b\n  - |2\n      \n    b\n"},
		{"a block keeps blank lines at an end", []string{"a\n\n", "\na", "b\n\n\n"}, "v:\n  - |+\n    a\n\n  - |-\n\n    a\n  - |+\n    b\n\n\n"},
		{"a line of spaces stays one", "a\n  \n\t\nb", "v: |-\n  a\n    \n  \t\n  b\n"},
		{"what has nothing to see is quoted", []string{"\n", " \n\n", "\t\n"}, "v:\n  - \"\\n\"\n  - \" \\n\\n\"\n  - \"\\t\\n\"\n"},
		{"lines with control characters are quoted", []string{"a\r\nb\r\n", "a\n\x1b"}, "v:\n  - \"a\\x0D\\nb\\x0D\\n\"\n  - \"a\\n\\x1B\"\n"},
		{"what cannot be seen is escaped", "\x00\t\x1b\u0085\u00ad\u2028\ufeff\U000e0001\"\\", "v: \"\\x00\\t\\x1B\\x85\\xAD\\u2028\\uFEFF\\U000E0001\\\"\\\\\"\n"},
		{"letters, wide spaces and emoji are not", "漢\u3000字 👩\u200d💻", "v: \"漢\u3000字 👩\u200d💻\"\n"},
		{"durations are text", []time.Duration{90 * time.Second, 0}, "v:\n  - \"1m30s\"\n  - \"0s\"\n"},
		{"times are text", []time.Time{time.Date(2026, 1, 2, 4, 4, 5, 0, zone), time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)},
			"v:\n  - \"2026-01-02T03:04:05.000Z\"\n  - \"2026-01-02T03:04:05.000000006Z\"\n"},
		{"empty", []any{[]string{}, []int(nil), map[string]int{}, struct{}{}}, "v:\n  - []\n  - []\n  - {}\n  - {}\n"},
		{"maps are sorted, keys quoted where they must be", map[word]int{"b": 1, "a-b": 2, "yes": 3, "1": 4, "": 5, "x: y": 6, "- z": 7},
			"v:\n  \"\": 5\n  \"- z\": 7\n  \"1\": 4\n  a-b: 2\n  b: 1\n  \"x: y\": 6\n  \"yes\": 3\n"},
		{"numbers as keys, in their order", map[any]int{10: 1, 9: 2, -1: 3, -20: 4, true: 5}, "v:\n  -20: 4\n  -1: 3\n  9: 2\n  10: 1\n  true: 5\n"},
		{"lists in lists and maps", [][]any{{1, []int{2}}, {map[string]any{"a": []int{3}, "b": "x\n"}}},
			"v:\n  - - 1\n    - - 2\n  - - a:\n        - 3\n      b: |\n        x\n"},
		{"the tags of yaml.v3", everything{common2: 1, Common: common{"x"}, Left: "no", More: map[string]any{"k": 1}},
			"v:\n  id: \"x\"\n  notag: false\n  zero: 0\n  pointer: null\n  k: 1\n"},
		{"what is embedded and inline, though its type is not exported", struct {
			common `yaml:",inline"`
			*inner `yaml:",inline"`
			Left   *inner `yaml:",inline"`
		}{common: common{"x"}, inner: &inner{"y"}}, "v:\n  id: \"x\"\n  word: \"y\"\n"},
		{"what writes itself", []any{shouted("a"), pairOf{1, 2}}, "v:\n  - \"A\"\n  - - 1\n    - 2\n"},
		{"a node", &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{plain("", "1")}}, "v: 1\n"},
		{"the zero node", yaml.Node{}, "v: null\n"},
		{"comments of nodes", &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "a", HeadComment: "# h\ni", LineComment: "l\nm", FootComment: "# f"}}},
			"v:\n  # h\n  # i\n  - a # l # m\n  # f\n"},
	} {
		got := written(t, c.v)
		assert.Equal(t, c.want, got, c.rule)
	}
}

type inner struct{ Word string }

type loop struct{ Next *loop }

func TestValueErrors(t *testing.T) {
	endless := &loop{}
	endless.Next = endless
	endlessList := []any{nil}
	endlessList[0] = endlessList
	endlessNode := &yaml.Node{Kind: yaml.SequenceNode}
	endlessNode.Content = []*yaml.Node{endlessNode}
	type inside struct {
		V int `yaml:",inline"`
	}
	type twice struct {
		A int `yaml:"x"`
		B int `yaml:"x"`
	}
	for _, c := range []struct {
		rule, msg string
		v         any
	}{
		{"not UTF-8", "a: not UTF-8", map[string]any{"a": "\xff"}},
		{"a key that is not UTF-8", "not UTF-8", map[string]any{"\xff": 1}},
		{"a long key", "more than 1000 bytes", map[string]any{strings.Repeat("k", 1001): 1}},
		{"a key that is long with its escapes", "more than 1000 bytes", map[string]any{strings.Repeat("\x01", 300): 1}},
		{"a function", "a func() cannot be written", func() {}},
		{"keys that are lists", "neither text nor a number", map[[1]int]int{{1}: 2}},
		{"a key that is null", "neither text nor a number", map[any]int{nil: 2}},
		{"a number and its text as keys", "again", map[any]int{1: 1, "1": 2}},
		{"an endless pointer", "nested too deep", endless},
		{"an endless list", "nested too deep", endlessList},
		{"an endless node", "nested too deep", endlessNode},
		{"a key twice", "again", twice{}},
		{"what cannot be inline", "cannot be inline", inside{}},
		{"what does not write itself", "broken", []any{broken{}}},
		{"a year of five digits", "a year", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"an alias", "neither a scalar", &yaml.Node{Kind: yaml.AliasNode}},
	} {
		_, err := Value(c.v)
		assert.ErrorContains(t, err, c.msg, c.rule)
	}
}

func TestStringsSurvive(t *testing.T) {
	for _, s := range strange {
		v, err := Value(map[string]any{"a": s, "b": []string{s, s}})
		if !utf8.ValidString(s) {
			assert.Error(t, err)
			continue
		}
		require.NoError(t, err)
		d, err := Parse([]byte("l:\n  - x\n"))
		require.NoError(t, err)
		d.Append(d.Root(), "l", v, v)
		text, err := d.Bytes()
		require.NoError(t, err)
		var got struct{ L []any }
		require.NoError(t, yaml.Unmarshal(text, &got), "%s", text)
		want := map[string]any{"a": s, "b": []any{s, s}}
		assert.Equal(t, []any{"x", want, want}, got.L, "%s", text)
	}
}

func TestFieldOf(t *testing.T) {
	type hidden struct{}
	for _, c := range []struct {
		rule  string
		field reflect.StructField
		want  Field
		ok    bool
	}{
		{"its name", reflect.StructField{Name: "AbC"}, Field{Key: "abc"}, true},
		{"its tag", reflect.StructField{Name: "A", Tag: `yaml:"b,omitempty"`}, Field{Key: "b", omitEmpty: true}, true},
		{"a tag that is a name alone", reflect.StructField{Name: "A", Tag: "b"}, Field{Key: "b"}, true},
		{"left out", reflect.StructField{Name: "A", Tag: `yaml:"-"`}, Field{Key: "-"}, false},
		{"not exported", reflect.StructField{Name: "a", PkgPath: "p"}, Field{Key: "a"}, false},
		{"not exported, but inline", reflect.StructField{Name: "a", PkgPath: "p", Anonymous: true, Type: reflect.TypeFor[*hidden](), Tag: `yaml:",inline"`}, Field{Key: "a", Inline: true}, true},
		{"a map that is not exported", reflect.StructField{Name: "a", PkgPath: "p", Anonymous: true, Type: reflect.TypeFor[map[string]int](), Tag: `yaml:",inline"`}, Field{Key: "a", Inline: true}, false},
	} {
		got, ok := FieldOf(c.field)
		assert.Equal(t, c.ok, ok, c.rule)
		assert.Equal(t, c.want, got, c.rule)
	}
}
