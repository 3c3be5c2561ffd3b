package yamledit

import "gopkg.in/yaml.v3"

// layout is how a document indents, in columns; 0 and, for seq, -1: not known yet.
type layout struct {
	step int // a map below its key
	seq  int // a list below its key
	gap  int // what an item has below its dash
}

// unknown and the house style, which is for what a document does not tell.
var unknown = layout{seq: -1}

func (l *layout) complete() {
	if l.step == 0 {
		l.step = 2
	}
	if l.seq < 0 {
		l.seq = l.step
	}
	if l.gap == 0 {
		l.gap = 2
	}
}

func (l *layout) known() bool { return l.step > 0 && l.seq >= 0 && l.gap > 0 }

// fill takes over what is not known.
func (l *layout) fill(from layout) {
	if l.step == 0 {
		l.step = from.step
	}
	if l.seq < 0 {
		l.seq = from.seq
	}
	if l.gap == 0 {
		l.gap = from.gap
	}
}

// learn fills in what is not known from a node and what is below it.
func (l *layout) learn(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode || n.Style&yaml.FlowStyle != 0 || l.known() {
		return
	}
	for i, child := range n.Content {
		columns := child.Column - n.Column
		switch {
		case n.Kind == yaml.SequenceNode:
			if l.gap == 0 && columns >= 2 && columns <= 8 && isBlockOf(child, yaml.MappingNode) {
				l.gap = columns
			}
		case i%2 == 0 || child.Line == n.Content[i-1].Line:
		case l.step == 0 && columns >= 1 && columns <= 8 && isBlockOf(child, yaml.MappingNode):
			l.step = columns
		case l.seq < 0 && columns >= 0 && columns <= 8 && isBlockOf(child, yaml.SequenceNode):
			l.seq = columns
		}
		l.learn(child)
		if l.known() {
			return
		}
	}
}

func isBlockOf(n *yaml.Node, kind yaml.Kind) bool {
	return n.Kind == kind && n.Style&yaml.FlowStyle == 0
}
