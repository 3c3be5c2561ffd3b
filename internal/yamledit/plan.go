package yamledit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// edit puts text in place of a part of the document.
type edit struct {
	start, end int
	text       string
	order      int // in which it was planned
}

// plan is how the changes are made.
type plan struct {
	*Doc
	anew    map[*yaml.Node]bool // what is not to be changed in place
	whole   bool                // the result is to be checked as a whole
	edits   []edit
	size    int // of the texts of the edits
	checks  []window
	reached int // changes that were met
	layouts map[*yaml.Node]layout
}

// tries is how often a plan that did not pass its checks is made in another way.
const tries = 10

// Bytes gives the text with all changes made. The error says which change was not
// possible; it is one about the document as a whole when the text cannot be changed
// without a doubt about the result.
func (d *Doc) Bytes() ([]byte, error) {
	switch {
	case d.err != nil:
		return nil, d.err
	case d.newRoot != nil:
		return d.withRoot()
	case len(d.changes) == 0:
		return []byte(d.text), nil
	}
	anew := map[*yaml.Node]bool{}
	for range tries {
		p := &plan{Doc: d, anew: anew, layouts: map[*yaml.Node]layout{}}
		if err := p.make(); err != nil {
			return nil, err
		}
		text, closed := p.apply()
		if p.size > MaxSize || len(text) > MaxSize {
			return nil, fmt.Errorf("more than %d bytes after the changes", MaxSize)
		}
		bad := p.failed(text, closed)
		if len(bad) == 0 {
			return []byte(p.keepComments(text)), nil
		}
		if anew[bad[0]] {
			break
		}
		for _, n := range bad {
			anew[n] = true
		}
	}
	return nil, errors.New("the document cannot be changed in place")
}

func (p *plan) make() error {
	if p.bare {
		p.reached = 1
		return p.fillBare()
	}
	_, ok, err := p.node(p.root, -1, 0)
	switch {
	case err != nil:
		return err
	case p.reached != len(p.changes):
		return errors.New("a change in what is not in the document, or is replaced or removed")
	case !ok:
		return p.rootAnew()
	}
	return nil
}

// node plans the changes of a node and of what is below it. It is not ok
// when the node must be written anew by what it stands in. Outer is the column of the
// map or list that a list stands in.
func (p *plan) node(n *yaml.Node, outer, depth int) (dirty, ok bool, err error) {
	if n.Kind == yaml.ScalarNode {
		return false, true, nil
	}
	c := p.changes[n]
	if c != nil {
		p.reached++
		if err := c.checkDepth(depth + 1); err != nil {
			return true, false, err
		}
	}
	edits, checks, size := len(p.edits), len(p.checks), p.size
	column := p.column(n)
	var rewrite []int
	for i, child := range n.Content {
		if c != nil && c.drops(n, i) {
			continue
		}
		childDirty, ok, err := p.node(child, column, depth+1)
		if err != nil {
			return true, false, err
		}
		dirty = dirty || childDirty
		if !ok {
			rewrite = append(rewrite, i)
		}
	}
	if c == nil && len(rewrite) == 0 {
		return dirty, true, nil
	}
	if c == nil {
		c = &change{}
	}
	ok = column >= 0 && !p.anew[n]
	if ok && n.Kind == yaml.MappingNode {
		ok = p.mapping(n, c, rewrite, column)
	} else if ok {
		ok = p.sequence(n, c, rewrite, column, outer)
	}
	if !ok {
		p.edits, p.checks, p.size = p.edits[:edits], p.checks[:checks], size
	}
	return true, ok, nil
}

// drops reports whether a child of n will be no more.
func (c *change) drops(n *yaml.Node, i int) bool {
	if n.Kind == yaml.SequenceNode {
		return c.remove[i]
	}
	return c.remove[i&^1] || i%2 == 1 && c.value(n.Content[i-1].Value) != nil
}

// dropsFirst reports whether the first item or key of what c changes will be no more.
func (c *change) dropsFirst() bool { return c != nil && (c.remove[0] || c.order != nil) }

func (c *change) checkDepth(depth int) error {
	for _, n := range slices.Concat(c.set, c.add, c.order) {
		if _, err := check(n, maxDepth-depth); err != nil {
			return err
		}
	}
	return nil
}

// column gives the column, from 0, at which the keys or dashes of n stand; -1: n
// cannot be changed in place.
func (p *plan) column(n *yaml.Node) int {
	at := p.offset(n)
	if at < 0 || len(n.Content) == 0 || n.Style&yaml.FlowStyle != 0 || n.Kind == yaml.ScalarNode {
		return -1
	}
	before := p.text[p.starts[n.Line-1]:at]
	if !onlyDashes(before) {
		return -1
	}
	if n.Kind == yaml.SequenceNode {
		if at >= len(p.text) || p.text[at] != '-' {
			return -1
		}
		return len(before)
	}
	if n.Content[0].Line != n.Line {
		return -1
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Column != n.Column {
			return -1
		}
	}
	return len(before)
}

// onlyDashes reports whether the beginning of a line has only spaces and dashes of items.
func onlyDashes(s string) bool {
	for i := range len(s) {
		if s[i] != ' ' && (s[i] != '-' || i+1 == len(s) || s[i+1] != ' ') {
			return false
		}
	}
	return true
}

// edit plans an edit.
func (p *plan) edit(start, end int, text string) {
	p.edits = append(p.edits, edit{start, end, text, len(p.edits)})
	p.size += len(text)
}

// insert plans new lines at the beginning of a line, or at the end of the text. Last is
// the node behind which they stand.
func (p *plan) insert(at int, text string, last *yaml.Node) {
	if at == len(p.text) && p.open() {
		p.chomp(last)
		text = p.newline + strings.TrimSuffix(text, p.newline)
	}
	p.edit(at, at, text)
}

// chomp keeps a block scalar at the end of a text without a newline as it is when
// a newline is added: by the sign that says that it has none.
func (p *plan) chomp(last *yaml.Node) {
	for last != nil && len(last.Content) > 0 {
		last = last.Content[len(last.Content)-1]
	}
	if last == nil || !isBlock(last) || strings.HasSuffix(last.Value, "\n") {
		return
	}
	start := p.offset(last)
	if start < 0 || slices.ContainsFunc(p.edits, func(e edit) bool { return e.start <= start && start < e.end }) {
		return
	}
	start = p.skipTag(start, last)
	end := start + len(p.text[start:p.lineEnd(start)])
	if comment := strings.IndexByte(p.text[start:end], '#'); comment >= 0 {
		end = start + comment
	}
	header := p.text[start:end]
	switch {
	case strings.Contains(header, "-"):
	case strings.Contains(header, "+"):
		plus := start + strings.IndexByte(header, '+')
		p.edit(plus, plus+1, "-")
	default:
		p.edit(start+1, start+1, "-")
	}
}

// writer gives one that writes as the document does near a node, or else anywhere.
func (p *plan) writer(near *yaml.Node) *writer {
	known, found := p.layouts[near]
	if !found {
		known = unknown
		known.learn(near)
		if !known.known() && near != p.root {
			known.fill(p.writer(p.root).layout)
		}
		known.complete()
		p.layouts[near] = known
	}
	return &writer{layout: known, newline: p.newline, room: MaxSize - p.size}
}

// write gives what do writes as the document does near a node. Behind it, the lines
// from at on follow; column is that of what is written.
func (p *plan) write(near *yaml.Node, at, column int, do func(w *writer)) string {
	w := p.writer(near)
	w.quoted = p.swallows(at, column)
	do(w)
	if w.keeps && (p.open() || at < len(p.text) && isBlank(p.text[at:p.lineEnd(at)])) {
		w = p.writer(near)
		w.clipped = true
		do(w)
	}
	return w.String()
}

// apply makes the edits. Closed tells that the text gets a newline at its end that it did not
// have. The text is "" when two edits are of the same place.
func (p *plan) apply() (text string, closed bool) {
	if p.size > MaxSize {
		return "", false
	}
	slices.SortFunc(p.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.order, b.order))
	})
	var b strings.Builder
	at, atEnd := 0, false
	for _, e := range p.edits {
		if e.start < at {
			return "", false
		}
		b.WriteString(p.text[at:e.start])
		b.WriteString(e.text)
		at = e.end
		atEnd = atEnd || e.end == len(p.text)
	}
	b.WriteString(p.text[at:])
	closed = atEnd && p.open()
	if text = b.String(); closed && !strings.HasSuffix(text, "\n") {
		text += p.newline
	}
	return text, closed
}

// failed gives the nodes whose checks fail.
func (p *plan) failed(text string, closed bool) (bad []*yaml.Node) {
	if text == "" || (p.whole || p.odd) && !p.isRight(text) {
		return []*yaml.Node{p.root}
	}
	if p.whole || p.odd {
		return nil
	}
	for _, c := range p.checks {
		if !p.passes(c, closed) {
			bad = append(bad, c.of)
		}
	}
	return bad
}
