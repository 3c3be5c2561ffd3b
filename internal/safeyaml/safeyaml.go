// Package safeyaml reads one YAML document that a stranger wrote: one document,
// no aliases, anchors or custom tags, and no panic that reaches the caller.
package safeyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Error says why a text was not read.
type Error struct {
	Line    int    // in the text, from 1; 0: unknown
	Msg     string // what is wrong
	Refused bool   // it is YAML, but of a kind that is not allowed
}

// Error gives the message alone; who reports it knows which file the line is in.
func (e *Error) Error() string { return e.Msg }

// Load reads text and returns its root node, nil when there is only blank space
// and comments. Every error is an [*Error].
func Load(text []byte) (*yaml.Node, error) {
	return guarded(text, load)
}

// guarded turns a panic into an error: yaml.v3 has had some on input from fuzzers.
func guarded(text []byte, load func([]byte) (*yaml.Node, error)) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, &Error{Msg: fmt.Sprintf("the YAML reader failed: %v", r)}
		}
	}()
	return load(text)
}

func load(text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxError(text, err)
	}
	if err := dec.Decode(&second); err == nil {
		return nil, &Error{Line: second.Line, Msg: "a second YAML document", Refused: true}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(text, err)
	}
	if err := refuse(&doc); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

var lineOf = regexp.MustCompile(`^line (\d+): `)

// advice says in a person's words what the usual messages of the reader mean.
var advice = []struct{ msg, advice string }{
	{"did not find expected ',' or ']'", "a list is opened with [ and not closed"},
	{"did not find expected ',' or '}'", "a map is opened with { and not closed"},
	{"did not find expected key", "the indentation does not fit the lines above"},
	{"did not find expected '-' indicator", "the indentation does not fit the lines above"},
	{"found unexpected end of stream", "a quote is opened and not closed"},
	{"found a tab character", "indent with spaces, not with tabs"},
	{"found character that cannot start any token", "put the value in quotes; indent with spaces, not with tabs"},
	{"mapping values are not allowed in this context", "put a value that has a colon in quotes; check the indentation"},
}

// syntaxError takes the line out of the message, where it counts from the wrong
// place, and says what to do.
func syntaxError(text []byte, err error) *Error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	e := &Error{Msg: msg}
	if found := lineOf.FindStringSubmatch(msg); found != nil {
		e.Line, _ = strconv.Atoi(found[1])
		e.Msg = msg[len(found[0]):]
	}
	if strings.HasPrefix(e.Msg, "did not find expected") {
		e.Line = min(e.Line, bytes.Count(text, []byte("\n"))) + 1 // these the reader counts from 0
	}
	if at := openQuote.FindIndex(text); at != nil && strings.HasPrefix(e.Msg, "found unexpected end of stream") {
		e.Line = 1 + bytes.Count(text[:at[0]], []byte("\n")) // it gives the end
	}
	for _, a := range advice {
		if strings.HasPrefix(e.Msg, a.msg) {
			e.Msg = fmt.Sprintf("%s (%s)", a.advice, e.Msg)
			break
		}
	}
	return e
}

// openQuote is a line whose value begins with a quote that the line does not close.
var openQuote = regexp.MustCompile(`(?m)^[^"'\n]*[:-][ \t]+(?:"[^"\n]*|'[^'\n]*)$`)

// known are the tags that a plain text can have.
var known = map[string]bool{
	"": true, "!": true, "!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true,
	"!!timestamp": true, "!!binary": true, "!!seq": true, "!!map": true, "!!merge": true,
}

// refuse walks the whole document: an alias can blow a small text up to
// gigabytes, and a tag asks other readers to build things. An alias stands behind
// its anchor, and so the anchor is enough to look for.
func refuse(n *yaml.Node) error {
	switch {
	case n.Anchor != "":
		return &Error{Line: n.Line, Msg: fmt.Sprintf("YAML anchors (&%s) and aliases are not allowed; quote the text if it is none", n.Anchor), Refused: true}
	case n.Kind != yaml.DocumentNode && !known[n.ShortTag()]:
		return &Error{Line: n.Line, Msg: fmt.Sprintf("YAML tag %s is not allowed; quote the text if it is none", n.Tag), Refused: true}
	}
	for _, child := range n.Content {
		if err := refuse(child); err != nil {
			return err
		}
	}
	return nil
}

// Value gives what a loaded node holds: nil, bool, int, int64, uint64, float64,
// string, time.Time in UTC, []any or map[string]any. Map keys are taken by their
// source text. A scalar that is not what its tag says is its source text.
// Deeper than depth levels of lists and maps is an error, and so is a key that is no scalar.
func Value(n *yaml.Node, depth int) (any, error) {
	switch n.Kind {
	case yaml.SequenceNode:
		return list(n, depth)
	case yaml.MappingNode:
		return mapping(n, depth)
	default:
		return scalar(n), nil
	}
}

var errDepth = errors.New("nested too deep")

func list(n *yaml.Node, depth int) (any, error) {
	if depth == 0 {
		return nil, errDepth
	}
	items := make([]any, len(n.Content))
	for i, child := range n.Content {
		v, err := Value(child, depth-1)
		if err != nil {
			return nil, err
		}
		items[i] = v
	}
	return items, nil
}

func mapping(n *yaml.Node, depth int) (any, error) {
	if depth == 0 {
		return nil, errDepth
	}
	m := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, errors.New("has a key that is a list or a map")
		}
		v, err := Value(n.Content[i+1], depth-1)
		if err != nil {
			return nil, err
		}
		m[key.Value] = v
	}
	return m, nil
}

func scalar(n *yaml.Node) (v any) {
	defer func() {
		if recover() != nil {
			v = n.Value
		}
	}()
	// Bytes in base64 are for whoever put them there; as text they survive.
	if n.ShortTag() == "!!binary" || n.Decode(&v) != nil {
		return n.Value
	}
	if t, ok := v.(time.Time); ok {
		return t.UTC()
	}
	return v
}
