package memory

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/yamledit"
)

// Save writes one of the host's own files of the session, such as "plan.yaml",
// "context.yaml", "conversation.yaml" or "metadata.yaml", as YAML. v is any value by the rules
// of yaml.v3: a map, a struct, a list, a scalar.
//
// The change is atomic, and touches only what differs from what the file has: comments, order and
// the lines of what is the same stay. On every level a key that a map does not have is removed, and of
// a struct a field that it leaves out; keys that a struct does not know stay. Items of a list are
// known by their id, path, name or description, or else by their value. A list or map in place of something
// else is written anew.
//
// The agents' memories cannot be saved in this way: that is [ErrUnsafeName]. What the file has and YAML
// cannot read, and a v that cannot be written, is [ErrInvalid].
func (s *Session) Save(ctx context.Context, name string, v any) error {
	err := hostFile(name)
	var is *yaml.Node
	if err == nil {
		is, err = hostNode(v)
	}
	if err == nil {
		err = s.store.Update(ctx, name, func(old []byte) ([]byte, error) {
			doc, err := parseHost(old)
			if err != nil {
				return nil, err
			}
			return mergeRoot(doc, known(doc.Root(), reflect.ValueOf(v)), is)
		})
	}
	if err != nil {
		return fmt.Errorf("session %q: save %s: %w", s.id, name, err)
	}
	return nil
}

// Load reads one of the host's own files into v, a pointer, by the rules of yaml.v3. What is
// empty leaves v as it is. A file that does not exist is [io/fs.ErrNotExist], one that YAML
// cannot read or that does not fit v [ErrInvalid].
func (s *Session) Load(ctx context.Context, name string, v any) error {
	err := hostFile(name)
	if err == nil {
		err = pointer(v)
	}
	var data []byte
	if err == nil {
		data, err = s.store.Read(ctx, name)
	}
	if err == nil {
		_, err = loadHost(data, v)
	}
	if err != nil {
		return fmt.Errorf("session %q: load %s: %w", s.id, name, err)
	}
	return nil
}

// Edit changes one of the host's own files: v, a pointer, gets what the file has, and is zero where
// that is missing or empty; change works on it; and the result is saved as [Session.Save] does. Nobody
// else writes the file in between, so that of two who add to a list both are kept.
//
// change may be called more than once, each time with v as the file is then, and must not call the session
// for this file. Its error is returned, and nothing is written.
func (s *Session) Edit(ctx context.Context, name string, v any, change func() error) error {
	err := hostFile(name)
	if err == nil {
		err = pointer(v)
	}
	if err == nil {
		err = s.store.Update(ctx, name, func(old []byte) ([]byte, error) { return editHost(old, v, change) })
	}
	if err != nil {
		return fmt.Errorf("session %q: edit %s: %w", s.id, name, err)
	}
	return nil
}

func editHost(old []byte, v any, change func() error) ([]byte, error) {
	to := reflect.ValueOf(v).Elem()
	to.SetZero()
	doc, err := loadHost(old, v)
	if err != nil {
		return nil, err
	}
	was, err := hostNode(v)
	if err == nil {
		err = change()
	}
	var is *yaml.Node
	if err == nil {
		is, err = hostNode(v)
	}
	if err != nil {
		return nil, err
	}
	return mergeRoot(doc, was, is)
}

// mergeRoot gives the text of a document with the host's value in it.
func mergeRoot(doc *yamledit.Doc, was, is *yaml.Node) ([]byte, error) {
	if doc.IsEmpty() || !merge(doc, doc.Root(), was, is) {
		doc.SetRoot(is)
	}
	text, err := doc.Bytes()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrInvalid)
	}
	return text, nil
}

// known gives a node without the keys that the structs in v do not know.
func known(n *yaml.Node, v reflect.Value) *yaml.Node {
	v = pointedTo(v)
	isList := v.Kind() == reflect.Slice || v.Kind() == reflect.Array
	if !v.IsValid() || isList != (n.Kind == yaml.SequenceNode) {
		return n
	}
	c := *n
	c.Content = nil
	for i, child := range n.Content {
		if isList {
			c.Content = append(c.Content, known(child, reflect.Zero(v.Type().Elem())))
		} else if i%2 == 0 {
			if field, isKnown := fieldOf(v, child.Value); isKnown {
				c.Content = append(c.Content, child, known(n.Content[i+1], field))
			}
		}
	}
	return &c
}

// pointedTo gives what stands behind pointers and interfaces, of a nil pointer its zero value;
// nothing for what writes itself.
func pointedTo(v reflect.Value) reflect.Value {
	for v.IsValid() {
		switch v.Interface().(type) {
		case yaml.Marshaler, yaml.Node:
			return reflect.Value{}
		}
		switch {
		case v.Kind() == reflect.Pointer && v.IsNil():
			return reflect.Zero(v.Type().Elem())
		case v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface:
			return v
		}
		v = v.Elem()
	}
	return v
}

// fieldOf gives what a struct or map has under a key, and whether it could have it.
func fieldOf(v reflect.Value, key string) (field reflect.Value, isKnown bool) {
	switch {
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		if field = v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key())); !field.IsValid() {
			field = reflect.Zero(v.Type().Elem())
		}
		return field, true
	case v.Kind() != reflect.Struct:
		return reflect.Value{}, true
	}
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case !v.Type().Field(i).IsExported() || name == "-":
		case strings.Contains(options, "inline"):
			if field, isKnown := fieldOf(pointedTo(v.Field(i)), key); isKnown {
				return field, true
			}
		case cmp.Or(name, strings.ToLower(v.Type().Field(i).Name)) == key:
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// parseHost reads a file of the host's, whose root may be anything.
func parseHost(data []byte) (*yamledit.Doc, error) {
	doc, err := yamledit.ParseAny(data)
	if err != nil {
		_, err = parseSession(data) // the same, in a person's words
	}
	return doc, err
}

// loadHost reads a file of the host's into v.
func loadHost(data []byte, v any) (*yamledit.Doc, error) {
	doc, err := parseHost(data)
	if err == nil && !doc.IsEmpty() {
		if err = doc.Root().Decode(v); err != nil {
			err = fmt.Errorf("%w: %w", err, ErrInvalid)
		}
	}
	return doc, err
}

func pointer(v any) error {
	if to := reflect.ValueOf(v); to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("want a pointer, not %T: %w", v, ErrInvalid)
	}
	return nil
}

func hostFile(name string) error {
	if strings.HasPrefix(strings.ToLower(name), sessionFile) || !strings.HasSuffix(name, ".yaml") || strings.Contains(name, "/") {
		return fmt.Errorf("name %.80q: want one that ends in .yaml, without a slash, and that is no agent's memory: %w", name, ErrUnsafeName)
	}
	return ValidName(name)
}
