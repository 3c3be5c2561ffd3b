package yamledit

import (
	"errors"

	"gopkg.in/yaml.v3"
)

// Arrange makes the items of a list of the document others: those that it has, with the
// changes to be made to them, and new ones. Where the old ones keep their order, and the
// new ones come behind them, every line of what stays is left alone; else the list is written anew.
func (d *Doc) Arrange(list *yaml.Node, items []*yaml.Node) {
	if list == nil || list.Kind != yaml.SequenceNode {
		d.fail(errors.New("arrange something that is no list"))
		return
	}
	c := d.change(list)
	c.remove, c.add, c.order = map[int]bool{}, nil, nil
	at := make(map[*yaml.Node]int, len(list.Content))
	for i, item := range list.Content {
		at[item], c.remove[i] = i, true
	}
	last, inOrder := -1, true
	for _, item := range items {
		if err := usable(item); err != nil {
			d.fail(err)
			return
		}
		i, isOld := at[item]
		if !isOld {
			c.add = append(c.add, item)
			continue
		}
		inOrder = inOrder && i > last && len(c.add) == 0
		last = i
		delete(c.remove, i)
	}
	switch {
	case !inOrder:
		c.remove, c.add, c.order = map[int]bool{}, nil, items
	case len(c.remove)+len(c.add) == 0:
		delete(d.changes, list)
	}
}

// ordered gives the items of a list that is written anew. Comments that
// stand above its first item and below its last one stay there.
func (d *Doc) ordered(list *yaml.Node, order []*yaml.Node) []*yaml.Node {
	items := make([]*yaml.Node, len(order))
	for i, old := range order {
		item := copyOf(d.after(old))
		if old == list.Content[0] && i > 0 {
			item.HeadComment = ""
		}
		if old == list.Content[len(list.Content)-1] {
			d.dropFoot(old, item)
		}
		items[i] = item
	}
	return items
}
