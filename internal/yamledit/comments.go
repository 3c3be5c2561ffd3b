package yamledit

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// This file finds the comments of a text, and gives those that the YAML reader leaves
// out to the nodes that they are about.

// comment is one comment; it ends with its line.
type comment struct {
	at   int    // offset
	text string // with its #, without the white space behind it
}

// comments gives all comments of a text in their order. It is not ok where a scalar's end
// is not known, and with it what is a comment.
func (s *source) comments(root *yaml.Node) (found []comment, ok bool) {
	if !strings.Contains(s.text, "#") {
		return nil, true
	}
	at := s.starts[0]
	upTo := func(end int) {
		for at < end {
			i := strings.IndexByte(s.text[at:end], '#')
			if i < 0 {
				break
			}
			line := s.lineEnd(at + i)
			found = append(found, comment{at + i, strings.TrimRight(s.text[at+i:line], " \t")})
			at = line
		}
		at = max(at, end)
	}
	if root != nil && !s.eachScalar(root, func(start, end int) { upTo(start); at = max(at, end) }) {
		return nil, false
	}
	upTo(len(s.text))
	return found, true
}

// eachScalar gives do where the text of each scalar begins and ends, that of a block
// without its first line. It reports whether all ends are known.
func (s *source) eachScalar(n *yaml.Node, do func(start, end int)) bool {
	if n.Kind != yaml.ScalarNode {
		for _, child := range n.Content {
			if !s.eachScalar(child, do) {
				return false
			}
		}
		return true
	}
	if isEmpty(n) {
		return true
	}
	start := s.offset(n)
	end, ok := s.end(n)
	if !ok || start < 0 {
		return false
	}
	start = s.skipTag(start, n)
	if isBlock(n) {
		start = s.nextLine(start)
	}
	do(start, max(start, end))
	return true
}

// ownComments counts the lines of the comments that a tree has.
func ownComments(n *yaml.Node, count map[string]int) {
	for _, text := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		for _, line := range commentLines(text) {
			count[line]++
		}
	}
	for _, child := range n.Content {
		ownComments(child, count)
	}
}

// adopt gives the comments that the YAML reader left out to nodes, so that they
// are written with them.
func (d *Doc) adopt() {
	all, ok := d.comments(d.root)
	if !ok || len(all) == 0 {
		return
	}
	read := map[string]int{}
	ownComments(d.root, read)
	end := len(d.text)
	if d.root.Style&yaml.FlowStyle != 0 { // what is behind it, no change takes away
		end, _ = d.end(d.root)
	}
	for _, c := range all {
		if read[c.text]--; read[c.text] < 0 && c.at < end {
			d.give(d.root, c)
		}
	}
}

// give finds the node that a comment is about, below n.
func (d *Doc) give(n *yaml.Node, c comment) {
	for {
		next := d.firstBehind(n, c.at)
		if n == d.root && next == 0 || n.Kind == yaml.ScalarNode {
			return // it is above all, and no change takes it away
		}
		if next == 0 {
			break
		}
		prev := n.Content[next-1]
		end, ok := d.end(prev)
		if prev.Kind == yaml.ScalarNode || !ok || c.at >= end {
			break
		}
		n = prev
	}
	d.giveIn(n, d.firstBehind(n, c.at), c)
}

// giveIn gives a comment of a list or map, before its child with the index next, to one of its children.
func (d *Doc) giveIn(n *yaml.Node, next int, c comment) {
	line := d.starts[d.lineAt(c.at)]
	column, isOwn := c.at-line, isBlank(d.text[line:c.at])
	isFlow := n.Style&yaml.FlowStyle != 0
	switch {
	case len(n.Content) == 0:
		join(&n.LineComment, c.text)
	case next > 0 && n.Kind == yaml.MappingNode && next%2 == 1:
		join(&n.Content[next].LineComment, c.text)
	case next > 0 && !isOwn:
		join(&deepest(n.Content[next-1]).LineComment, c.text)
	case next > 0 && !isFlow && column >= n.Column:
		giveBehind(n.Content[next-1], column, c.text)
	case next < len(n.Content):
		join(&n.Content[next].HeadComment, c.text)
		if next == 0 && n.Kind == yaml.SequenceNode && n.Content[0].HeadComment[0] != '\n' {
			n.Content[0].HeadComment = "\n" + n.Content[0].HeadComment // see [Doc.note]
		}
	case isFlow:
		join(&n.Content[next-1].FootComment, c.text)
	}
}

// giveBehind gives a comment that stands below a node at a column to the last child of it, or of what
// is below it, that does not stand deeper than the comment.
func giveBehind(n *yaml.Node, column int, text string) {
	for len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0 && n.Content[len(n.Content)-1].Kind != yaml.ScalarNode {
		last := n.Content[len(n.Content)-1]
		if last.Column > column+1 {
			break
		}
		n = last
	}
	if len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0 && n.Column <= column+1 {
		n = n.Content[len(n.Content)-1]
	}
	join(&n.FootComment, text)
}

// firstBehind gives the index of the first child that begins behind an offset.
func (d *Doc) firstBehind(n *yaml.Node, at int) int {
	low, high := 0, len(n.Content)
	for low < high {
		middle := (low + high) / 2
		if d.offset(n.Content[middle]) > at {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

func join(to *string, text string) {
	if *to != "" {
		*to += "\n"
	}
	*to += text
}
