package memory

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/rawko/memory/internal/yamledit"
)

// UpdateContext changes what the agent knows and plans at the moment. change is
// given the context as it is, may be called again, and must not call the session.
// Only the keys that it changes are written.
func (s *Session) UpdateContext(ctx context.Context, change func(*SessionContext)) error {
	err := s.update(ctx, func(d *sessionDoc) error {
		node := yamledit.Get(d.Root(), "context")
		var was, is SessionContext
		decodeNode(node, &was)
		decodeNode(node, &is) // again, because change may write into lists and maps
		change(&is)
		if node != nil && node.Kind == yaml.MappingNode {
			return setFields(d.Doc, node, reflect.ValueOf(was), reflect.ValueOf(is))
		}
		if node != nil && node.ShortTag() != "!!null" {
			return fmt.Errorf("line %d: context: want keys and values: %w", node.Line, ErrInvalid)
		}
		n, err := yamledit.Value(is)
		if err != nil {
			return fmt.Errorf("context: %w: %w", err, ErrInvalid)
		}
		d.Set(d.Root(), "context", n)
		return nil
	})
	if err != nil {
		return fmt.Errorf("session %q: %w", s.id, err)
	}
	return nil
}

// setFields writes those fields of a struct that differ from what they were. What a
// map or list below has already stays as it is written.
func setFields(d *yamledit.Doc, m *yaml.Node, was, is reflect.Value) error {
	for i := range is.NumField() {
		if reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			continue
		}
		key, _, _ := strings.Cut(is.Type().Field(i).Tag.Get("yaml"), ",")
		if err := setField(d, m, key, was.Field(i), is.Field(i)); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func setField(d *yamledit.Doc, m *yaml.Node, key string, was, is reflect.Value) error {
	old := yamledit.Get(m, key)
	switch {
	case is.Kind() == reflect.Pointer && !is.IsNil() && old != nil && old.Kind == yaml.MappingNode:
		return setFields(d, old, was.Elem(), is.Elem())
	case is.Kind() == reflect.Slice && is.IsNil():
		is = reflect.MakeSlice(is.Type(), 0, 0) // emptied: []
	case is.Kind() == reflect.Slice && old != nil && old.Kind == yaml.SequenceNode && is.Len() > 0 && len(old.Content) == was.Len():
		return setItems(d, m, key, was, is)
	}
	n, err := yamledit.Value(is.Interface())
	if err != nil {
		return fmt.Errorf("%w: %w", err, ErrInvalid)
	}
	setValue(d, m, key, n)
	return nil
}

// setValue gives a key a value. Of maps that lose no key only what differs is written.
func setValue(d *yamledit.Doc, m *yaml.Node, key string, value *yaml.Node) {
	old := yamledit.Get(m, key)
	switch {
	case old != nil && sameValue(old, value):
	case old == nil || old.Kind != yaml.MappingNode || value.Kind != yaml.MappingNode || !hasKeys(value, old):
		d.Set(m, key, value)
	default:
		for i := 0; i+1 < len(value.Content); i += 2 {
			setValue(d, old, value.Content[i].Value, value.Content[i+1])
		}
	}
}

// hasKeys says whether a map has all keys of another one.
func hasKeys(m, of *yaml.Node) bool {
	for i := 0; i+1 < len(of.Content); i += 2 {
		if yamledit.Get(m, of.Content[i].Value) == nil {
			return false
		}
	}
	return true
}

// sameValue says whether two nodes hold the same, however they are written. A map's
// order does not count.
func sameValue(a, b *yaml.Node) bool {
	v, err := safeyaml.Value(a, maxDepth)
	w, err2 := safeyaml.Value(b, maxDepth)
	return err == nil && err2 == nil && reflect.DeepEqual(v, w)
}
