// Package yamledit changes a YAML document in places and leaves every other byte
// as it is: comments, blank lines, the order of keys, quotes, indentation.
//
// A document is parsed once. Each change becomes an edit of the lines that it
// touches; what stands around the edit is parsed again and compared with what it
// ought to be. What cannot be changed in place (flow style, explicit keys) is
// written anew in block style: the smallest map or list that can be.
package yamledit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rawko/memory/internal/safeyaml"
	"gopkg.in/yaml.v3"
)

const (
	// MaxSize is how many bytes a document may have, before and after the changes.
	MaxSize = 8 << 20
	// maxDepth is how many levels of lists and maps a document may have.
	maxDepth = 100
	// maxKey is how many bytes a key may have; YAML has no room for more than 1,024.
	maxKey = 1000
)

// Doc is a YAML document, and the changes that are to be made to it. It is not
// safe for concurrent use.
type Doc struct {
	*source
	root    *yaml.Node
	bare    bool // the text has nothing but comments yet, or null
	changes map[*yaml.Node]*change
	newRoot *yaml.Node
	err     error // the first change that is not possible
}

// Parse reads a document whose root is a map. Blank space, comments and null are
// an empty map. Every error is a [*safeyaml.Error] with the line; errors are what
// [safeyaml.Load] refuses, a root that is no map, a key that is a list or a map,
// two equal keys in one map, more than 100 levels, and more than [MaxSize] bytes.
func Parse(text []byte) (*Doc, error) {
	d, err := ParseAny(text)
	if err == nil && d.root.Kind != yaml.MappingNode {
		return nil, &safeyaml.Error{Line: d.root.Line, Msg: "not a map of keys and values"}
	}
	return d, err
}

// load reads YAML. Lines that end in CRLF are read as if in LF, or comments would be given
// to the wrong nodes; lines and columns are the same.
func load(text []byte) (*yaml.Node, error) {
	return safeyaml.Load(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
}

// ParseAny is [Parse] for a document whose root may be a list or a scalar, too.
func ParseAny(text []byte) (*Doc, error) {
	if len(text) > MaxSize {
		return nil, &safeyaml.Error{Msg: fmt.Sprintf("%d bytes; at most %d can be read", len(text), MaxSize), Refused: true}
	}
	if !utf8.Valid(text) {
		return nil, &safeyaml.Error{Line: invalidLine(text), Msg: "not UTF-8"}
	}
	root, err := load(text)
	if err != nil {
		return nil, err
	}
	d := &Doc{source: newSource(string(text)), root: root, changes: map[*yaml.Node]*change{}}
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		d.root, d.bare = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, true
		d.null = root
	}
	if _, err := check(d.root, maxDepth); err != nil {
		return nil, err
	}
	d.note(d.root)
	d.adopt()
	return d, nil
}

// note keeps what a node does not say of its text: of a folded block the lines, as its Alias. A comment behind a value that stands apart
// from it by two or more spaces begins with two, one above the first item of a list, which may be
// about the list, with a line break.
func (d *Doc) note(n *yaml.Node) {
	if comment := n.LineComment; comment != "" && n.Line <= len(d.starts) {
		if before, _, found := strings.Cut(d.line(n.Line-1), comment); found && strings.HasSuffix(before, "  ") {
			n.LineComment = "  " + comment
		}
	}
	if n.Kind == yaml.ScalarNode && n.Style&yaml.FoldedStyle != 0 {
		if lines, ok := d.folded(n); ok {
			n.Alias = &yaml.Node{Value: strings.Join(lines, "\n")}
		}
	}
	for i, child := range n.Content {
		d.note(child)
		if i == 0 && n.Kind == yaml.SequenceNode && child.HeadComment != "" {
			child.HeadComment = "\n" + child.HeadComment
		}
	}
}

// invalidLine is the line of the first byte that is not UTF-8.
func invalidLine(text []byte) int {
	valid := 0
	for {
		r, size := utf8.DecodeRune(text[valid:])
		if r == utf8.RuneError && size <= 1 {
			return len(newSource(string(text[:valid])).starts)
		}
		valid += size
	}
}

// Root is the root of the document as it was parsed, without the changes. It is
// for reading and for naming what is to be changed, and must not be changed itself.
func (d *Doc) Root() *yaml.Node { return d.root }

// IsEmpty reports whether the document has nothing but comments, or null.
func (d *Doc) IsEmpty() bool { return d.bare }

// Get gives the value of a key of a map, nil where m is nil, no map, or has no such key.
func Get(m *yaml.Node, key string) *yaml.Node {
	if i := find(m, key); i >= 0 {
		return m.Content[i+1]
	}
	return nil
}

// find gives the index of a key in the content of a map; -1: it is not there.
// Keys are compared by their text.
func find(m *yaml.Node, key string) int {
	if m == nil || m.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// check reports what a tree must not have, and gives how many levels of lists
// and maps it has. More than depth levels are an error.
func check(n *yaml.Node, depth int) (height int, err error) {
	fail := func(format string, args ...any) (int, error) {
		return 0, &safeyaml.Error{Line: n.Line, Msg: fmt.Sprintf(format, args...)}
	}
	switch {
	case n.Kind == yaml.ScalarNode && !utf8.ValidString(n.Value):
		return fail("not UTF-8")
	case n.Kind == yaml.ScalarNode:
		return 0, nil
	case n.Kind != yaml.SequenceNode && n.Kind != yaml.MappingNode, n.Kind == yaml.MappingNode && len(n.Content)%2 != 0:
		return fail("neither a scalar nor a list nor a map")
	case depth == 0:
		return fail("nested too deep")
	case n.Kind == yaml.MappingNode:
		if err := checkKeys(n); err != nil {
			return 0, err
		}
	}
	for _, child := range n.Content {
		h, err := check(child, depth-1)
		if err != nil {
			return 0, err
		}
		height = max(height, h)
	}
	return height + 1, nil
}

// fewKeys can be compared faster with each other than with the help of a map.
const fewKeys = 16

func checkKeys(m *yaml.Node) error {
	var seen map[string]int
	if len(m.Content) > 2*fewKeys {
		seen = make(map[string]int, len(m.Content)/2)
	}
	for i := 0; i < len(m.Content); i += 2 {
		key := m.Content[i]
		if key.Kind != yaml.ScalarNode {
			return &safeyaml.Error{Line: key.Line, Msg: "a key that is a list or a map"}
		}
		first, twice := seen[key.Value]
		if seen != nil {
			seen[key.Value] = i
		} else {
			first = find(m, key.Value)
			twice = first < i
		}
		if twice {
			return &safeyaml.Error{Line: key.Line, Msg: fmt.Sprintf("the key %q again, which is in line %d already", shorten(key.Value), m.Content[first].Line)}
		}
	}
	return nil
}

// shorten cuts a text for a message.
func shorten(s string) string {
	if len(s) <= 60 {
		return s
	}
	return strings.ToValidUTF8(s[:60], "") + "…"
}
