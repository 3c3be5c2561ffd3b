package memory

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/rawko/memory/internal/yamledit"
)

// UpdateContext changes what the agent knows and plans at the moment. change is
// given the context as it is, may be called again, and must not call the session.
// Only what it changes is written: a list that it empties becomes [], a key of TaskContext
// that it deletes and a field that it makes zero are removed.
func (s *Session) UpdateContext(ctx context.Context, change func(*SessionContext)) error {
	err := s.update(ctx, func(d *sessionDoc) error {
		node := yamledit.Get(d.Root(), "context")
		if node != nil && node.Kind != yaml.MappingNode && node.ShortTag() != "!!null" {
			return fmt.Errorf("line %d: context: want keys and values: %w", node.Line, ErrInvalid)
		}
		var c SessionContext
		decodeNode(node, &c)
		was, err := hostNode(c)
		if err == nil {
			change(&c)
			c = cleaned(c)
			err = setContext(d.Doc, node, was, c)
		}
		if err != nil {
			return fmt.Errorf("context: %w", err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("session %q: %w", s.id, err)
	}
	return nil
}

// setContext writes the context where it is not what it was.
func setContext(d *yamledit.Doc, node, was *yaml.Node, c SessionContext) error {
	is, err := hostNode(c)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(was.Content); i += 2 {
		if key := was.Content[i]; was.Content[i+1].Kind == yaml.SequenceNode && yamledit.Get(is, key.Value) == nil {
			is.Content = append(is.Content, key, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}) // emptied
		}
	}
	if node == nil || !merge(d, node, was, is) {
		d.Set(d.Root(), "context", is)
	}
	return nil
}

// hostNode gives a value of the host's as a node.
func hostNode(v any) (*yaml.Node, error) {
	n, err := yamledit.Value(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrInvalid)
	}
	return n, nil
}

// setFields writes those fields of a struct that differ from what they were.
func setFields(d *yamledit.Doc, m *yaml.Node, was, is reflect.Value) error {
	w, err := hostNode(was.Interface())
	if err != nil {
		return err
	}
	n, err := hostNode(is.Interface())
	if err == nil {
		merge(d, m, w, n)
	}
	return err
}

// setField writes a field of a struct if it differs from what it was.
func setField(d *yamledit.Doc, m *yaml.Node, key string, was, is reflect.Value) error {
	w, err := hostNode(was.Interface())
	if err != nil {
		return err
	}
	n, err := hostNode(is.Interface())
	if err == nil {
		mergeKey(d, m, key, w, n)
	}
	return err
}

// merge makes a node of the document what the host's value is, where that differs from what the
// host's value was: a key that it does not have any more is removed, one that the host does not know stays, and so does
// each line of what is the same. It is false where the node is to be replaced.
func merge(d *yamledit.Doc, old, was, is *yaml.Node) bool {
	switch {
	case sameValue(was, is):
		return true
	case old.Kind != is.Kind || old.Kind == yaml.ScalarNode:
		return false
	case old.Kind == yaml.SequenceNode:
		return mergeList(d, old, was, is)
	}
	mergeMap(d, old, was, is)
	return true
}

// mergeMap is [merge] for maps. Was may be nil, for none.
func mergeMap(d *yamledit.Doc, old, was, is *yaml.Node) {
	olds, wases, ises := byKey(old), byKey(was), byKey(is)
	for i := 0; i+1 < len(is.Content); i += 2 {
		key := is.Content[i].Value
		if o, w, v := olds[key], wases[key], is.Content[i+1]; !mergeValue(d, o, w, v) {
			d.SetKey(old, is.Content[i], v)
		}
	}
	if taken := inherited(old); len(taken) > 0 {
		dropInherited(d, old, taken, wases, ises)
	}
	for i := 0; was != nil && i+1 < len(was.Content); i += 2 {
		if key := was.Content[i].Value; ises[key] == nil {
			d.Unset(old, key)
		}
	}
}

// mergeKey merges what a map of the document has under a key.
func mergeKey(d *yamledit.Doc, m *yaml.Node, key string, was, is *yaml.Node) {
	if !mergeValue(d, yamledit.Get(m, key), was, is) {
		d.Set(m, key, is)
	}
}

// mergeValue is [merge] for what the document may not have.
func mergeValue(d *yamledit.Doc, old, was, is *yaml.Node) bool {
	return old == nil && sameValue(was, is) || old != nil && merge(d, old, was, is)
}

// byKey gives the values of a map by the text of their keys; nothing where n is no map.
func byKey(n *yaml.Node) map[string]*yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	values := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		values[n.Content[i].Value] = n.Content[i+1]
	}
	return values
}

// sameValue says whether two nodes hold the same, however they are written. A map's
// order does not count.
func sameValue(a, b *yaml.Node) bool {
	if a == nil || b == nil || a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return sameScalar(a, b)
	case yaml.MappingNode:
		return sameMap(a, b)
	}
	for i := range a.Content {
		if !sameValue(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

func sameMap(a, b *yaml.Node) bool {
	var values map[string]*yaml.Node
	for i := 0; i+1 < len(a.Content); i += 2 {
		other := b.Content[i+1]
		if key := a.Content[i].Value; key != b.Content[i].Value {
			if values == nil { // they are in another order
				values = byKey(b)
			}
			other = values[key]
		}
		if !sameValue(a.Content[i+1], other) {
			return false
		}
	}
	return true
}

// inherited gives what a map takes over from others with <<, in keys and values, of which
// the first one of a key counts; nothing of the keys that it has itself.
func inherited(n *yaml.Node) (pairs []*yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != "!!merge" {
			continue
		}
		from := []*yaml.Node{n.Content[i+1]}
		if from[0].Kind == yaml.SequenceNode {
			from = from[0].Content
		}
		for _, m := range from {
			if m.Kind == yaml.MappingNode {
				pairs = append(append(pairs, m.Content...), inherited(m)...)
			}
		}
	}
	seen, unique := byKey(n), pairs[:0:0]
	for i := 0; i+1 < len(pairs); i += 2 {
		if key := pairs[i]; seen[key.Value] == nil && key.ShortTag() != "!!merge" {
			seen[key.Value] = pairs[i+1]
			unique = append(unique, key, pairs[i+1])
		}
	}
	return unique
}

// dropInherited takes away the << of a map when the host does not have a key any more that came by it.
// The other keys that did become the map's own.
func dropInherited(d *yamledit.Doc, old *yaml.Node, taken []*yaml.Node, was, is map[string]*yaml.Node) {
	goes := false
	for i := 0; i < len(taken); i += 2 {
		key := taken[i].Value
		goes = goes || was[key] != nil && is[key] == nil
	}
	if !goes {
		return
	}
	d.Unset(old, "<<")
	for i := 0; i < len(taken); i += 2 {
		switch key := taken[i].Value; {
		case is[key] != nil:
			d.SetKey(old, taken[i], is[key])
		case was[key] == nil: // the host does not know it
			d.SetKey(old, taken[i], taken[i+1])
		}
	}
}

// sameScalar compares what scalars hold: 0x10 is 16. Bytes are the text that they
// spell, and not their text in base64; a date is the text that a host's time is written as.
func sameScalar(a, b *yaml.Node) bool {
	tag, other := a.ShortTag(), b.ShortTag()
	if tag == other && (tag == "!!str" || a.Value == b.Value) {
		return a.Value == b.Value
	}
	v, err := scalarValue(a)
	w, err2 := scalarValue(b)
	return err == nil && err2 == nil && reflect.DeepEqual(v, w)
}

func scalarValue(n *yaml.Node) (any, error) {
	if n.ShortTag() == "!!binary" {
		var text string
		err := n.Decode(&text)
		return text, err
	}
	v, err := safeyaml.Value(n, maxDepth)
	if t, isTime := v.(time.Time); isTime {
		if text, err := hostNode(t); err == nil {
			return text.Value, nil
		}
	}
	return v, err
}
