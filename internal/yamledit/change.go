package yamledit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// change is what is to be done to one map or list.
type change struct {
	keys   map[string]int      // the keys that a map has, by their text: index in its content
	set    []*yaml.Node        // keys and values in turn
	values map[string]int      // index in set of the value
	owned  map[*yaml.Node]bool // values in set that Append made
	remove map[int]bool        // indices of items, or of keys in the content of a map
	add    []*yaml.Node        // items
	order  []*yaml.Node        // all items, where they change places
}

func newChange(n *yaml.Node) *change {
	c := &change{values: map[string]int{}, owned: map[*yaml.Node]bool{}, remove: map[int]bool{}}
	if n.Kind == yaml.MappingNode {
		c.keys = make(map[string]int, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			c.keys[n.Content[i].Value] = i
		}
	}
	return c
}

func (d *Doc) change(n *yaml.Node) *change {
	c := d.changes[n]
	if c == nil {
		c = newChange(n)
		d.changes[n] = c
	}
	return c
}

// value gives what a key is set to, or nil.
func (c *change) value(key string) *yaml.Node {
	if i, found := c.values[key]; found {
		return c.set[i]
	}
	return nil
}

func (d *Doc) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// Set gives a key of m, which is a map of the document, a value: in place of the one
// it has, or as a new key behind the others. A comment behind the old value stays.
// Errors of [Doc.Bytes] are: m is no map or not in the document, a key that is not UTF-8 or has
// more than 1,000 bytes with its escapes, a change inside a value that is replaced.
func (d *Doc) Set(m *yaml.Node, key string, value *yaml.Node) {
	d.SetKey(m, plain("!!str", key), value)
}

// SetKey is [Doc.Set] with a key that may be something else than text when it is new: a number.
func (d *Doc) SetKey(m, keyNode, value *yaml.Node) {
	key := keyNode.Value
	if m == nil || m.Kind != yaml.MappingNode {
		d.fail(fmt.Errorf("%s: set in something that is no map", shorten(key)))
		return
	}
	if err := checkKey(key); err != nil {
		d.fail(err)
		return
	}
	if err := usable(value); err != nil {
		d.fail(fmt.Errorf("%s: %w", shorten(key), err))
		return
	}
	c := d.change(m)
	if i, found := c.keys[key]; found {
		delete(d.changes, m.Content[i+1])
	}
	c.put(keyNode, value)
}

func usable(n *yaml.Node) error {
	if n == nil {
		return errors.New("no value")
	}
	_, err := check(n, maxDepth)
	return err
}

// checkKey reports what a key must not be. The escapes count, too.
func checkKey(key string) error {
	if !utf8.ValidString(key) {
		return fmt.Errorf("%s: a key that is not UTF-8", shorten(strings.ToValidUTF8(key, "\ufffd")))
	}
	if len(quoted(key)) > maxKey {
		return fmt.Errorf("%s: a key of more than %d bytes", shorten(key), maxKey)
	}
	return nil
}

// Unset takes a key and its value out of m, a map of the document. The comments right
// above it go with it; those above the first key stay, because they may be about the map.
// When no key is left, the map becomes {}. A key that is not there is none to take out.
func (d *Doc) Unset(m *yaml.Node, key string) {
	if m == nil || m.Kind != yaml.MappingNode {
		return
	}
	c := d.changes[m]
	if c == nil {
		if find(m, key) < 0 {
			return
		}
		c = d.change(m)
	}
	if at, found := c.values[key]; found {
		c.set = slices.Delete(c.set, at-1, at+1)
		delete(c.values, key)
		for other, j := range c.values {
			if j > at {
				c.values[other] = j - 2
			}
		}
	}
	if i, found := c.keys[key]; found {
		delete(d.changes, m.Content[i+1])
		c.remove[i] = true
	}
}

// put sets a key without asking.
func (c *change) put(keyNode, value *yaml.Node) {
	key := keyNode.Value
	if i, found := c.keys[key]; found {
		delete(c.remove, i)
	}
	if i, found := c.values[key]; found {
		c.set[i] = value
		return
	}
	c.values[key] = len(c.set) + 1
	c.set = append(c.set, keyNode, value)
}

// pending gives the value that a key was set to, or nil.
func (d *Doc) pending(m *yaml.Node, key string) *yaml.Node {
	if c := d.changes[m]; c != nil {
		return c.value(key)
	}
	return nil
}

// Append adds items to the list that m, a map of the document, has under key. A list
// that is missing, null or empty is made. Something else under key is an error of [Doc.Bytes].
// A comment above the first item of a list that it comes from does not come with an item.
func (d *Doc) Append(m *yaml.Node, key string, items ...*yaml.Node) {
	items = slices.Clone(items)
	for i, item := range items {
		if err := usable(item); err != nil {
			d.fail(fmt.Errorf("%s: %w", shorten(key), err))
			return
		}
		if strings.HasPrefix(item.HeadComment, "\n") { // see [Doc.note]
			items[i] = copyOf(item)
			items[i].HeadComment = ""
		}
	}
	list := d.pending(m, key)
	isPending := list != nil
	if !isPending {
		list = Get(m, key)
	}
	switch {
	case len(items) == 0:
	case list == nil || list.Kind == yaml.ScalarNode && list.ShortTag() == "!!null":
		d.Set(m, key, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"})
		d.extend(m, key, items)
	case list.Kind != yaml.SequenceNode:
		d.fail(fmt.Errorf("%s: not a list", shorten(key)))
	case isPending:
		d.extend(m, key, items)
	default:
		c := d.change(list)
		c.add = append(c.add, items...)
	}
}

// extend adds items to a list that is about to be set. One that
// the caller gave is copied first.
func (d *Doc) extend(m *yaml.Node, key string, items []*yaml.Node) {
	list := d.pending(m, key)
	if list == nil { // it could not be set
		return
	}
	if c := d.changes[m]; !c.owned[list] {
		own := *list
		own.Content = append([]*yaml.Node(nil), list.Content...)
		list = &own
		c.owned[list] = true
		c.put(plain("!!str", key), list)
	}
	list.Content = append(list.Content, items...)
}

// Remove takes items out of a list of the document, by their index before all
// changes. The comments right above an item go with it; those above the first one stay,
// because they may be about the list. When no item is left, the list becomes [].
func (d *Doc) Remove(list *yaml.Node, items ...int) {
	if list == nil || list.Kind != yaml.SequenceNode {
		d.fail(errors.New("remove from something that is no list"))
		return
	}
	for _, i := range items {
		if i < 0 || i >= len(list.Content) {
			d.fail(fmt.Errorf("remove item %d of %d", i, len(list.Content)))
			return
		}
		d.change(list).remove[i] = true
	}
}

// after gives a tree as it is to be after the changes. It shares no list or map
// with the document's.
func (d *Doc) after(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.ScalarNode {
		return n
	}
	c := d.changes[n]
	if c == nil {
		c = &change{}
	}
	changed := *n
	if n.Style&yaml.FlowStyle != 0 && d.touches(n) {
		changed.Style &^= yaml.FlowStyle
	}
	if c.order != nil {
		changed.Content = d.ordered(n, c.order)
		return &changed
	}
	changed.Content = make([]*yaml.Node, 0, len(n.Content)+len(c.set)+len(c.add))
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && c.remove[i], n.Kind == yaml.MappingNode && c.remove[i&^1]:
			continue
		case n.Kind == yaml.MappingNode && i%2 == 1:
			if value := c.value(n.Content[i-1].Value); value != nil {
				if child.LineComment != "" && value.LineComment == "" {
					value = copyOf(value)
					value.LineComment = child.LineComment
				}
				child = value
				break
			}
			fallthrough
		default:
			child = d.after(child)
		}
		changed.Content = append(changed.Content, child)
	}
	changed.Content = append(changed.Content, c.newPairs()...)
	changed.Content = append(changed.Content, c.add...)
	return &changed
}

// newPairs gives the keys, with their values, that the map does not have yet.
func (c *change) newPairs() (pairs []*yaml.Node) {
	for i := 0; i < len(c.set); i += 2 {
		if _, found := c.keys[c.set[i].Value]; !found {
			pairs = append(pairs, c.set[i], c.set[i+1])
		}
	}
	return pairs
}
