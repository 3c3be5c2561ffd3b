package memory

import (
	"context"
	"fmt"
	"reflect"
	"slices"
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
// a struct a field that it leaves out; keys that a struct does not know stay, and so do, of what has a method
// MarshalYAML, all that it does not write. A << goes only when a key that came by it is removed. Items of a list are
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
			return mergeRoot(doc, known(doc.Root(), is, reflect.ValueOf(v)), is)
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

// known gives a node without the keys that the structs in v do not know, and of what writes itself without
// those that it did not write into is, which is v as a node. Keys that come by << are in it.
func known(n, is *yaml.Node, v reflect.Value) *yaml.Node {
	v = pointedTo(v)
	isList := v.IsValid() && (v.Kind() == reflect.Slice || v.Kind() == reflect.Array)
	switch {
	case v.IsValid() && writesItself(v.Type()) && !isNode(v.Type()):
		return written(n, is)
	case !v.IsValid() || isNode(v.Type()) || isList != (n.Kind == yaml.SequenceNode):
		return n
	}
	c := *n
	c.Content = nil
	if isList {
		for _, child := range n.Content {
			c.Content = append(c.Content, known(child, anyOf(is), reflect.Zero(v.Type().Elem())))
		}
		return &c
	}
	values := byKey(is)
	pairs := slices.Concat(n.Content, inherited(n))
	for i := 0; i+1 < len(pairs); i += 2 {
		key := pairs[i]
		if field, isKnown := fieldOf(v, key.Value); isKnown && key.ShortTag() != "!!merge" {
			c.Content = append(c.Content, key, known(pairs[i+1], values[key.Value], field))
		}
	}
	return &c
}

// written gives a node without the keys that is does not have.
func written(n, is *yaml.Node) *yaml.Node {
	if is == nil || n.Kind != yaml.MappingNode || is.Kind != yaml.MappingNode {
		return n
	}
	c := *n
	c.Content = nil
	values := byKey(is)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if value := values[n.Content[i].Value]; value != nil {
			c.Content = append(c.Content, n.Content[i], written(n.Content[i+1], value))
		}
	}
	return &c
}

// anyOf gives a map with the keys of all maps of a list.
func anyOf(list *yaml.Node) *yaml.Node {
	all := &yaml.Node{Kind: yaml.MappingNode}
	if list == nil || list.Kind != yaml.SequenceNode {
		return all
	}
	for _, item := range list.Content {
		if item.Kind == yaml.MappingNode {
			all.Content = append(all.Content, item.Content...)
		}
	}
	return all
}

// pointedTo gives what stands behind pointers and interfaces, of a nil pointer its zero value;
// it stops at what writes itself.
func pointedTo(v reflect.Value) reflect.Value {
	for v.IsValid() && !writesItself(v.Type()) {
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

// writesItself reports whether what a type is written as does not follow from its fields.
func writesItself(t reflect.Type) bool {
	return isNode(t) || t.Kind() != reflect.Interface && t.Implements(reflect.TypeFor[yaml.Marshaler]())
}

func isNode(t reflect.Type) bool {
	return t == reflect.TypeFor[yaml.Node]() || t == reflect.TypeFor[*yaml.Node]()
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
	var inlineMap reflect.Value // it has what no field has
	for i := range v.NumField() {
		f, ok := yamledit.FieldOf(v.Type().Field(i))
		switch {
		case !ok:
		case f.Inline && v.Field(i).Kind() == reflect.Map:
			inlineMap = v.Field(i)
		case f.Inline:
			if field, isKnown := fieldOf(inlined(v.Field(i)), key); isKnown {
				return field, true
			}
		case f.Key == key:
			return v.Field(i), true
		}
	}
	if inlineMap.IsValid() {
		return fieldOf(inlineMap, key)
	}
	return reflect.Value{}, false
}

// inlined gives the struct that is inline, of a nil pointer its zero value.
func inlined(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v = reflect.Zero(v.Type().Elem())
		} else {
			v = v.Elem()
		}
	}
	return v
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
