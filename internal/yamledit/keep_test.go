package yamledit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommentsStay(t *testing.T) {
	edits{
		{"of the next section, when the last entry at its column goes", "l:\n- a: 1\n- a: 2\n\n# next:\n #   more\nm: []\n", remove([]int{1}, "l"), "l:\n- a: 1\n\n# next:\n #   more\nm: []\n"},
		{"above the first item, when one behind a block that keeps its lines goes", "l:\n\n# c\n- a: |+\n    x\n\n- a: 2\nm: 1\n", remove([]int{1}, "l"), "l:\n# c\n- a: |+\n    x\n\nm: 1\n"},
		{"of a list in flow style that gets an item", "l: [ # c\n  a, # d\n  # e\n] # f\n", appendTo("l", "b"), "l: # f\n  # c\n  - a # d\n  # e\n  - \"b\"\n"},
		{"of an empty list in flow style", "m:\n  l: [ # c\n    # d\n  ] # e\n", appendTo("l", "b", "m"), "m:\n  # c\n  # d\n  l: # e\n    - \"b\"\n"},
		{"of a map in flow style", "m: {a: 1, # c\n  # d\n  b: 2} # e\n", setTo("a", 3, "m"), "m: # e\n  a: 3 # c\n  # d\n  b: 2\n"},
		{"between a key and its value", "m:\n  a: # c\n    # d\n    x\n", setTo("a", 1, "m"), "m:\n  a: 1 # c # d\n"},
		{"that are in a line twice", "m: {a: 1, # c\n  # c\n  b: 2} # c\n", setTo("b", 3, "m"), "m: # c\n  a: 1 # c\n  # c\n  b: 3\n"},
		{"but not what a text has", "m: {a: '# c', b: \"x\n  # d\"} # e\n", setTo("b", 1, "m"), "m: # e\n  a: '# c'\n  b: 1\n"},
		{"but not those of what goes", "l:\n  - a: 1\n  # c\n  - a: 2 # d\n    # e\n\n  # g\n", remove([]int{1}, "l"), "l:\n  - a: 1\n\n  # g\n"},
		{"that nothing else would keep, in the column of what goes", "l:\n  - a: 1\n  - a: 2\n    # e\n\n    # f\n\n  # g\n", remove([]int{1}, "l"), "l:\n  - a: 1\n  # f\n\n  # g\n"},
		{"but not those below a value that is replaced", "m:\n  a: # c\n    # d\n    - 1 # e\n", setTo("a", []int{2}, "m"), "m:\n  a: # c\n    # d\n    - 2\n"},
	}.run(t)
}

func TestCommentsMove(t *testing.T) {
	for _, c := range []struct{ rule, entry, after string }{
		{"below its last key", "  - id: 1\n    a: x\n    # c\n\n  # not its own\n", "  - id: 1\n    a: x\n    # c\n"},
		{"between a key and its value", "  - a: # c\n      # d\n      x\n", "  - a: x # c # d\n"},
		{"behind an opening bracket", "  - a: [ # c\n      x, # d\n      # e\n    ] # f\n    b: { # g\n    }\n", "  - a: # f\n      # c\n      - x # d\n      # e\n    b: {} # g\n"},
		{"behind a dash", "  - # c\n    # d\n    a: 1\n", "  -\n    # c\n    # d\n    a: 1\n"},
		{"of a block", "  - a: | # c\n      # none\n      x\n    # d\n", "  - a: | # c\n      # none\n      x\n    # d\n"},
	} {
		from, err := Parse([]byte("l:\n  - 0\n" + c.entry + "  - id: 3\n"))
		require.NoError(t, err, c.rule)
		d, err := Parse([]byte("l:\n  - 0\n"))
		require.NoError(t, err)
		d.Append(d.Root(), "l", at(from.Root(), "l", 1))
		got, err := d.Bytes()
		require.NoError(t, err)
		assert.Equal(t, "l:\n  - 0\n"+c.after, string(got), c.rule)
	}
}

func TestTakeOne(t *testing.T) {
	have := []string{"# a # b # c", "#b"}
	for _, c := range []struct {
		text string
		want bool
	}{{"# b", true}, {"# b", false}, {"b", false}, {"# a # c", true}, {"#b", true}, {"#b", false}} {
		assert.Equal(t, c.want, takeOne(have, c.text), c.text)
	}
}
