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
// "context.yaml", "conversation.yaml" or "metadata.yaml", as YAML. v is a map or a struct,
// by the rules of yaml.v3. The change is atomic, and touches only what differs from what
// the file has: comments, order and, beside a struct's, unknown keys stay. Of a struct a
// field that it leaves out, and of a map a key that it does not have, is set to null.
//
// The agents' memories cannot be saved in this way: that is [ErrUnsafeName].
func (s *Session) Save(ctx context.Context, name string, v any) error {
	err := hostFile(name)
	var n *yaml.Node
	if err == nil {
		if n, err = yamledit.Value(v); err != nil {
			err = fmt.Errorf("%w: %w", err, ErrInvalid)
		} else if n.Kind != yaml.MappingNode {
			err = fmt.Errorf("want a map or a struct: %w", ErrInvalid)
		}
	}
	if err == nil {
		err = s.store.Update(ctx, name, func(old []byte) ([]byte, error) {
			doc, err := parseSession(old)
			if err != nil {
				return nil, err
			}
			saveInto(doc, n, structKeys(v))
			return doc.Bytes()
		})
	}
	if err != nil {
		return fmt.Errorf("session %q: save %s: %w", s.id, name, err)
	}
	return nil
}

// saveInto makes the keys of a document those of a map. Known are all that could be
// there; nil: any.
func saveInto(doc *yamledit.Doc, n *yaml.Node, known map[string]bool) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		setValue(doc, doc.Root(), n.Content[i].Value, n.Content[i+1])
	}
	for i := 0; i+1 < len(doc.Root().Content); i += 2 {
		key, value := doc.Root().Content[i].Value, doc.Root().Content[i+1]
		if yamledit.Get(n, key) == nil && value.ShortTag() != "!!null" && (known == nil || known[key]) {
			doc.Set(doc.Root(), key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"})
		}
	}
}

// structKeys gives the keys that a struct can have; nil for anything else.
func structKeys(v any) map[string]bool {
	t := reflect.TypeOf(v)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	known := make(map[string]bool)
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		known[cmp.Or(name, strings.ToLower(field.Name))] = true
	}
	return known
}

// Load reads one of the host's own files into v, a pointer, by the rules of yaml.v3.
// One that does not exist is [io/fs.ErrNotExist].
func (s *Session) Load(ctx context.Context, name string, v any) error {
	err := hostFile(name)
	if to := reflect.ValueOf(v); err == nil && (to.Kind() != reflect.Pointer || to.IsNil()) {
		err = fmt.Errorf("want a pointer, not %T: %w", v, ErrInvalid)
	}
	var data []byte
	if err == nil {
		data, err = s.store.Read(ctx, name)
	}
	var doc *yamledit.Doc
	if err == nil {
		doc, err = parseSession(data)
	}
	if err == nil {
		if err = doc.Root().Decode(v); err != nil {
			err = fmt.Errorf("%w: %w", err, ErrInvalid)
		}
	}
	if err != nil {
		return fmt.Errorf("session %q: load %s: %w", s.id, name, err)
	}
	return nil
}

func hostFile(name string) error {
	if strings.HasPrefix(strings.ToLower(name), sessionFile) || !strings.HasSuffix(name, ".yaml") || strings.Contains(name, "/") {
		return fmt.Errorf("name %.80q: want one that ends in .yaml, without a slash, and that is no agent's memory: %w", name, ErrUnsafeName)
	}
	return ValidName(name)
}
