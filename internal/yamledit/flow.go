package yamledit

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// flow gives a list or map in flow style on one line, as it was; it is not ok where there are
// comments in it, it had several lines, or it was not in flow style.
func flow(n *yaml.Node) (text string, ok bool) {
	if n.Style&yaml.FlowStyle == 0 || tagOf(n) != "" {
		return "", false
	}
	parts := make([]string, len(n.Content))
	for i, child := range n.Content {
		if child.Line != n.Line || child.HeadComment+child.LineComment+child.FootComment != "" {
			return "", false
		}
		if child.Kind != yaml.ScalarNode {
			if parts[i], ok = flow(child); !ok {
				return "", false
			}
			continue
		}
		parts[i] = scalarText(child)
	}
	if n.Kind == yaml.SequenceNode {
		return "[" + strings.Join(parts, ", ") + "]", true
	}
	pairs := make([]string, len(parts)/2)
	for i := range pairs {
		pairs[i] = parts[2*i] + ": " + parts[2*i+1]
	}
	return "{" + strings.Join(pairs, ", ") + "}", true
}

// touches reports whether a node is changed, or something in it.
func (d *Doc) touches(n *yaml.Node) bool {
	return d.changes[n] != nil || slices.ContainsFunc(n.Content, d.touches)
}
