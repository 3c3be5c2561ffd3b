package yamledit

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// window is a part of the document that is parsed by itself after the edits. It
// begins with a key or a dash, and ends before the next one that is not in it;
// so it means the same as in the document.
type window struct {
	of         *yaml.Node // whose changes it checks
	start, end int        // in the text as it was
	pad        int        // spaces that stand before the start
	edits      int        // later ones are not in it
	want       *yaml.Node
}

// expect plans a check: of the children of n that begin at start, stand at column, and end
// at end, after their edits. What follows must not be indented more than most columns, or
// it would belong to them.
func (p *plan) expect(n *yaml.Node, start, column, end, most int, children ...*yaml.Node) bool {
	next := p.nextContent(end)
	if next < len(p.text) {
		line := p.text[next:p.lineEnd(next)]
		if len(line)-len(strings.TrimLeft(line, " \t")) > most && !strings.HasPrefix(line, "...") {
			return false
		}
	}
	pad := column
	if p.starts[p.lineAt(start)] == start {
		pad = 0
	}
	want := &yaml.Node{Kind: n.Kind, Content: children}
	p.checks = append(p.checks, window{n, start, next, pad, len(p.edits), want})
	return true
}

// passes reports whether a part of the text with its edits is what it ought to be.
// Closed tells that the text gets a newline at its end.
func (p *plan) passes(c window, closed bool) bool {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", c.pad))
	first, _ := slices.BinarySearchFunc(p.edits, c.start, func(e edit, start int) int { return cmp.Compare(e.start, start) })
	at := c.start
	for _, e := range p.edits[first:] {
		if e.start > c.end {
			break
		}
		if e.order >= c.edits || e.start == c.start && e.end == e.start {
			continue
		}
		if e.start < at || e.end > c.end {
			return false
		}
		b.WriteString(p.text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(p.text[at:c.end])
	if c.end == len(p.text) && closed {
		b.WriteString("\n")
	}
	root, err := load([]byte(b.String()))
	if err != nil || root == nil {
		return false
	}
	c.want.Tag = root.Tag
	return equal(root, c.want)
}

// isRight reports whether the text is the document with exactly its changes.
func (p *plan) isRight(text string) bool {
	d, err := ParseAny([]byte(text))
	switch {
	case err != nil:
		return false
	case d.bare:
		return p.newRoot != nil && p.newRoot.ShortTag() == "!!null"
	case p.newRoot != nil:
		return equal(d.root, p.newRoot)
	}
	return equal(d.root, p.after(p.root))
}

// equal reports whether two trees have the same values in the same order.
func equal(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.ShortTag() != b.ShortTag() || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.ScalarNode && a.Value != b.Value && a.ShortTag() != "!!null" {
		return false
	}
	for i := range a.Content {
		if !equal(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
