package memory

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/yamledit"
)

// setItems makes the list that a map of the document has under a key another one. Items
// that stay, by their path or description, keep their comments and the keys that
// this package does not know.
func setItems(d *yamledit.Doc, m *yaml.Node, key string, was, is reflect.Value) error {
	list := yamledit.Get(m, key)
	from, inOrder := sameItems(was, is)
	if !inOrder {
		all, err := mixedItems(list, from, was, is)
		if err == nil {
			d.Set(m, key, all)
		}
		return err
	}
	var gone []int
	for i := range was.Len() {
		if !slices.Contains(from, i) {
			gone = append(gone, i)
		}
	}
	if len(gone) > 0 {
		d.Remove(list, gone...)
	}
	for i, old := range from {
		if old >= 0 {
			if is.Index(i).Kind() != reflect.Struct {
				continue
			}
			if err := setFields(d, list.Content[old], was.Index(old), is.Index(i)); err != nil {
				return err
			}
			continue
		}
		n, err := itemNode(is.Index(i))
		if err != nil {
			return err
		}
		d.Append(m, key, n)
	}
	return nil
}

// sameItems says which item of the old list each of the new one was, -1 for none. They
// are in order where some stay, and new ones stand behind them.
func sameItems(was, is reflect.Value) (from []int, _ bool) {
	last, inOrder := -1, true
	for i := range is.Len() {
		at := -1
		for j := 0; j < was.Len() && at < 0; j++ {
			if reflect.DeepEqual(itemName(was.Index(j)), itemName(is.Index(i))) && !slices.Contains(from, j) {
				at = j
			}
		}
		if at >= 0 && (at < last || i > 0 && from[i-1] < 0) {
			inOrder = false
		}
		from = append(from, at)
		last = max(last, at)
	}
	return from, inOrder && last >= 0
}

// itemName gives what an item is known by: its first field, or itself.
func itemName(item reflect.Value) any {
	if item.Kind() == reflect.Struct {
		item = item.Field(0)
	}
	return item.Interface()
}

// mixedItems gives the new list as one node, with the old nodes of what stays.
func mixedItems(list *yaml.Node, from []int, was, is reflect.Value) (_ *yaml.Node, err error) {
	all := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i, old := range from {
		var n *yaml.Node
		if old >= 0 {
			n, err = mixedItem(list.Content[old], was.Index(old), is.Index(i))
		} else {
			n, err = itemNode(is.Index(i))
		}
		if err != nil {
			return nil, err
		}
		all.Content = append(all.Content, n)
	}
	return all, nil
}

// mixedItem gives an old item with the values of a new one.
func mixedItem(old *yaml.Node, was, is reflect.Value) (*yaml.Node, error) {
	switch {
	case reflect.DeepEqual(was.Interface(), is.Interface()):
		return old, nil
	case old.Kind != yaml.MappingNode:
		return itemNode(is)
	}
	mixed := *old
	mixed.Content = slices.Clone(old.Content)
	for i := range is.NumField() {
		if reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			continue
		}
		value, err := itemNode(is.Field(i))
		if err != nil {
			return nil, err
		}
		key, _, _ := strings.Cut(is.Type().Field(i).Tag.Get("yaml"), ",")
		if was := yamledit.Get(old, key); was != nil {
			value.LineComment = was.LineComment
			mixed.Content[slices.Index(mixed.Content, was)] = value
			continue
		}
		mixed.Content = append(mixed.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	}
	return &mixed, nil
}

func itemNode(item reflect.Value) (*yaml.Node, error) {
	n, err := yamledit.Value(item.Interface())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrInvalid)
	}
	return n, nil
}
