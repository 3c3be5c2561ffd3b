package memory

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/rawko/memory/internal/yamledit"
)

// mergeList makes a list of the document the host's. Items that stay keep their comments, the
// keys that the host does not know and, unless they change places, their lines.
func mergeList(d *yamledit.Doc, list, was, is *yaml.Node) bool {
	if was == nil || was.Kind != yaml.SequenceNode || len(was.Content) != len(list.Content) {
		return false
	}
	from := sameItems(was, is)
	items := make([]*yaml.Node, len(is.Content))
	for i, item := range is.Content {
		items[i] = item
		if at := from[i]; at >= 0 && merge(d, list.Content[at], was.Content[at], item) {
			items[i] = list.Content[at]
		}
	}
	d.Arrange(list, items)
	return true
}

// sameItems says which item of the old list each of the new one was, -1 for none: one of
// the same name, or else one without a name in the same place.
func sameItems(was, is *yaml.Node) []int {
	byName := make(map[string][]int)
	for i, item := range was.Content {
		name, _ := itemName(item)
		byName[name] = append(byName[name], i)
	}
	taken := make(map[int]bool)
	from := make([]int, len(is.Content))
	for i, item := range is.Content {
		from[i] = -1
		name, _ := itemName(item)
		if same := byName[name]; len(same) > 0 {
			from[i], byName[name] = same[0], same[1:]
			taken[same[0]] = true
		}
	}
	for i, item := range is.Content {
		if from[i] >= 0 || i >= len(was.Content) || taken[i] || item.Kind != yaml.MappingNode {
			continue
		}
		_, isNamed := itemName(item)
		_, wasNamed := itemName(was.Content[i])
		if !isNamed && !wasNamed {
			from[i] = i
		}
	}
	return from
}

// itemName gives what an item of a list is known by: its id, path, name or description, or else its value.
func itemName(item *yaml.Node) (name string, isNamed bool) {
	for _, key := range []string{"id", "path", "name", "description"} {
		if n := yamledit.Get(item, key); n != nil && n.Kind == yaml.ScalarNode {
			return key + " " + n.Value, true
		}
	}
	var value any
	if item.Kind == yaml.ScalarNode {
		value, _ = scalarValue(item)
	} else {
		value, _ = safeyaml.Value(item, maxDepth) // an error: nested deep, and known by its place
	}
	return fmt.Sprintf("%T %v", value, value), false
}
