package safeyaml

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

func TestLoadOfNothing(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# comment\n"} {
		root, err := Load([]byte(text))
		require.NoError(t, err)
		assert.Nil(t, root)
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct {
		text, msg string
		line      int
		refused   bool
	}{
		{"a: b: c", "mapping values are not allowed in this context", 0, false},
		{"x: y\na: b: c", "mapping values are not allowed in this context", 2, false},
		{"a: 1\n--- \nb: 2", "a second YAML document", 2, true},
		{"a: 1\n--- \nb: [", "did not find expected", 3, false},
		{"a: 1\nb: [x, y\nc: d", "a list is opened with [ and not closed", 2, false},
		{"a: 1\nb: \"x\nc: d", "a quote is opened and not closed", 2, false},
		{"a: 1\nb:\n  - x\n - y", "the indentation does not fit the lines above", 4, false},
		{"a: 1\n\tb: 2", "indent with spaces, not with tabs", 2, false},
		{"a: 1\nb: &x 2", "YAML anchors (&x) and aliases are not allowed", 2, true},
		{"a: &x 1\nb: *x", "YAML anchors (&x) and aliases are not allowed", 1, true},
		{"a:\n- !x y", "YAML tag !x is not allowed", 2, true},
		{"!!set {a}", "is not allowed", 1, true},
		{"a: *x", "unknown anchor 'x' referenced", 0, false},
		{"a: \x00", "control characters are not allowed", 0, false},
	} {
		_, err := Load([]byte(c.text))
		var e *Error
		require.True(t, errors.As(err, &e), c.text)
		assert.Contains(t, e.Error(), c.msg, c.text)
		assert.NotContains(t, e.Msg, "yaml:")
		assert.Equal(t, c.refused, e.Refused, c.text)
		assert.Equal(t, c.line, e.Line, c.text)
	}
}

func TestPanicIsAnError(t *testing.T) {
	_, err := guarded(nil, func([]byte) (*yaml.Node, error) { panic("oops") })
	assert.EqualError(t, err, "the YAML reader failed: oops")
	assert.IsType(t, &Error{}, err)
}

func TestLoadOfDeepNestingEnds(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 16<<10), strings.Repeat("{a: ", 4<<10), strings.Repeat("- ", 8<<10)} {
		root, err := Load([]byte(text))
		if err == nil {
			_, err = Value(root, 32)
		}
		assert.Error(t, err)
	}
}

func TestValueOfAliasIsItsName(t *testing.T) {
	// Load lets none through; a node that was made otherwise must not be followed.
	v, err := Value(&yaml.Node{Kind: yaml.AliasNode, Value: "x"}, 1)
	require.NoError(t, err)
	assert.Equal(t, "x", v)
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("a: [1, 2.5, !!binary x, 2026-01-01]\n? b\n: {c: d}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := Load(text)
		if err == nil && root != nil {
			_, _ = Value(root, 32)
		}
	})
}
