package yamledit

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// mapping plans the changes of a map in block style whose keys stand at column.
// Rewrite are the children that are to be written anew.
func (p *plan) mapping(m *yaml.Node, c *change, rewrite []int, column int) bool {
	if 2*len(c.remove) == len(m.Content) {
		return false // it becomes {}, or a map of new keys alone
	}
	for i := 0; i < len(m.Content); i += 2 {
		if value := c.value(m.Content[i].Value); value != nil {
			if !p.replaceValue(m, i, value, column) {
				return false
			}
		}
	}
	for _, i := range rewrite {
		if !p.replaceValue(m, i-1, p.written(m.Content[i]), column) {
			return false
		}
	}
	if len(c.remove) > 0 && !p.remove(m, c, 2, column) {
		return false
	}
	if pairs := c.newPairs(); len(pairs) > 0 && !p.addPairs(m, pairs, column) {
		return false
	}
	return len(c.remove) == 0 || p.expectAll(m, 2, column)
}

func (p *plan) replaceValue(m *yaml.Node, i int, value *yaml.Node, column int) bool {
	key, old := m.Content[i], m.Content[i+1]
	keyEnd, ok := p.end(key)
	if !ok {
		return false
	}
	colon, ok := p.colon(keyEnd)
	if !ok {
		return false
	}
	end, ok := p.childEnd(m, i, 2)
	if !ok || !p.replace(old, value, m, colon, end, column, false) {
		return false
	}
	return p.expect(m, p.offset(key), column, end, column, key, value)
}

// replace plans to write value in place of old, which is in a map or list, ends at end, and stands
// behind a key or dash that ends at from and begins at column.
func (p *plan) replace(old, value, in *yaml.Node, from, end, column int, isItem bool) bool {
	behind, ok := p.restIsComment(end)
	if !ok {
		return false
	}
	comment := ""
	switch start := p.offset(old); {
	case isEmpty(old):
		comment = behind
	case start < 0:
		return false
	case isBlock(old):
		if i := strings.Index(p.text[start:p.lineEnd(start)], " #"); i >= 0 {
			comment = p.text[start+i : p.lineEnd(start)]
		}
	default:
		if start > p.lineEnd(from) {
			if comment, ok = p.restIsComment(from); !ok {
				return false
			}
			between := p.text[p.nextLine(from):p.starts[p.lineAt(start)]]
			if len(value.Content) > 0 && value.Style&yaml.FlowStyle == 0 {
				value = withHead(value, between, strings.TrimSpace(comment))
			} else {
				comment += oneComment(strings.TrimSpace(between))
			}
		}
		if old.Kind == yaml.ScalarNode || old.Style&yaml.FlowStyle != 0 {
			comment += behind
		}
	}
	// The separators of Unicode end the last line of a literal block, and are text in it, too.
	_, size := p.nextBreak(end)
	text := p.write(in, p.nextLine(end), column, func(w *writer) {
		w.quoted = w.quoted || size == len("\u2028")
		w.value(value, column, isItem, column == 0 && !isItem, comment)
	})
	p.edit(from, p.lineEnd(end), strings.TrimSuffix(text, p.newline))
	return true
}

// withHead gives a list or map with comments above its first item or key, except those that it has.
// What the line above has as its comment does not come again.
func withHead(n *yaml.Node, comments, above string) *yaml.Node {
	has := map[string]int{}
	ownComments(n, has)
	lines := slices.DeleteFunc(commentLines(comments), func(line string) bool { return has[line] > 0 })
	n = copyOf(n)
	n.Content = slices.Clone(n.Content)
	first := copyOf(n.Content[0])
	for _, line := range commentLines(first.HeadComment) {
		if line != above {
			lines = append(lines, line)
		}
	}
	first.HeadComment = strings.Join(lines, "\n")
	n.Content[0] = first
	return n
}

// swallows reports whether a literal block that ends at an offset, and is the value of what stands
// at column, could take the lines that follow for its own: comments that
// are indented more, and lines of many spaces.
func (p *plan) swallows(at, column int) bool {
	for at < len(p.text) {
		line := p.text[at:p.lineEnd(at)]
		if !isBlank(line) {
			return commentColumn(line) > column
		}
		if len(line) > column+1 || strings.Contains(line, "\t") {
			return true
		}
		at = p.nextLine(at)
	}
	return false
}

// addPairs plans new keys behind the last one of a map.
func (p *plan) addPairs(m *yaml.Node, pairs []*yaml.Node, column int) bool {
	end, ok := p.end(m)
	if !ok {
		return false
	}
	if _, ok := p.restIsComment(end); !ok {
		return false
	}
	at := p.behind(end, column)
	isRoot := m == p.root
	text := p.write(m, at, column, func(w *writer) { w.pairs(pairs, column, false, isRoot) })
	if isRoot && (len(pairs[1].Content) > 0) && !p.blankBefore(at) && !p.keeps(deepest(m)) {
		text = p.newline + text
	}
	p.insert(at, text, m)
	if p.changes[m] != nil && len(p.changes[m].remove) > 0 {
		return true // the whole map is checked
	}
	last := len(m.Content) - 2
	want := append([]*yaml.Node{m.Content[last], p.afterChild(m, last+1)}, pairs...)
	return p.expect(m, p.offset(m.Content[last]), column, end, column-1, want...)
}

// afterChild gives a child as it is to be after the changes.
func (p *plan) afterChild(m *yaml.Node, i int) *yaml.Node {
	if value := p.pending(m, m.Content[i-1].Value); value != nil {
		return value
	}
	return p.after(m.Content[i])
}

// deepest gives the last scalar, or empty list or map, of a node.
func deepest(n *yaml.Node) *yaml.Node {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n
}

// blankBefore reports whether the line before an offset, which begins a line, is blank.
func (p *plan) blankBefore(at int) bool {
	if at == len(p.text) && p.open() {
		return false
	}
	line := p.lineAt(at)
	return line == 0 || isBlank(p.line(line-1))
}

// written gives a node as it is to be written anew: after the changes, and without
// the comments that stand before and behind it, because those lines stay.
func (p *plan) written(old *yaml.Node) *yaml.Node {
	n := p.after(old)
	if n.Style&yaml.FlowStyle != 0 {
		n.LineComment = ""
	}
	for first, was := n, old; ; first, was = first.Content[0], was.Content[0] {
		first.HeadComment = ""
		if was.Style&yaml.FlowStyle != 0 || len(was.Content) == 0 || p.changes[was].dropsFirst() {
			break
		}
		first.Content[0] = copyOf(first.Content[0])
	}
	p.dropFoot(old, n)
	return n
}

// dropFoot drops the comments behind the last children that n has from old.
func (d *Doc) dropFoot(old, n *yaml.Node) {
	n.FootComment = ""
	last := len(old.Content) - 1
	if last < 0 || old.Style&yaml.FlowStyle != 0 {
		return
	}
	c := d.changes[old]
	if c != nil && (c.order != nil || c.remove[last] || old.Kind == yaml.MappingNode && c.remove[last&^1]) {
		return
	}
	i := last
	if c != nil {
		i -= len(c.remove)
	}
	if old.Kind == yaml.MappingNode {
		if c != nil {
			i -= len(c.remove) // keys, and values
		}
		n.Content[i-1] = copyOf(n.Content[i-1])
		n.Content[i-1].FootComment = ""
	}
	if c != nil && c.drops(old, last) {
		return // the value is a new one
	}
	n.Content[i] = copyOf(n.Content[i])
	d.dropFoot(old.Content[last], n.Content[i])
}

func copyOf(n *yaml.Node) *yaml.Node {
	c := *n
	return &c
}
