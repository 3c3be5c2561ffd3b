package yamledit

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// This file takes children out of a list or map in block style. Size is how many nodes
// a child has: an item of a list one, a key with its value two.

// remove plans to remove the lines of children, run by run.
func (p *plan) remove(n *yaml.Node, c *change, size, column int) bool {
	for i := 0; i < len(n.Content); i += size {
		if !c.remove[i] {
			continue
		}
		first := i
		for c.remove[i+size] {
			i += size
		}
		from, to, ok := p.run(n, first, i, size, column)
		if !ok {
			return false
		}
		p.edit(from, to, "")
	}
	return true
}

// expectAll plans a check of all children.
func (p *plan) expectAll(n *yaml.Node, size, column int) bool {
	start, ok := p.begin(n, 0, size, column)
	end, ok2 := p.end(n)
	if !ok || !ok2 {
		return false
	}
	if line := p.starts[p.lineAt(start)]; isBlank(p.text[line:start]) {
		start = line // the line may go
	}
	return p.expect(n, start, column, end, column+1-size, p.after(n).Content...)
}

// begin gives the offset of the dash of an item, or of a key.
func (p *plan) begin(n *yaml.Node, i, size, column int) (int, bool) {
	if size == 1 {
		return p.dash(n, i, column)
	}
	at := p.offset(n.Content[i])
	return at, at >= 0
}

// childEnd gives where a child ends.
func (p *plan) childEnd(n *yaml.Node, i, size int) (int, bool) {
	if size == 1 {
		return p.end(n.Content[i])
	}
	return p.childrenEnd(&yaml.Node{Kind: yaml.MappingNode, Content: n.Content[i : i+2]})
}

// run gives the lines of the children from first to last: with the comments right above, those
// below that are indented more than they are, and the blank lines behind
// or, at the end, before.
func (p *plan) run(n *yaml.Node, first, last, size, column int) (from, to int, ok bool) {
	begin, ok := p.begin(n, first, size, column)
	end, ok2 := p.childEnd(n, last, size)
	if !ok || !ok2 {
		return 0, 0, false
	}
	if _, ok := p.restIsComment(end); !ok {
		return 0, 0, false
	}
	line, isLast := p.lineAt(begin), last+size == len(n.Content)
	if !isBlank(p.text[p.starts[line]:begin]) { // what follows goes up to the dash before it
		if isLast {
			return 0, 0, false
		}
		to, ok = p.begin(n, last+size, size, column)
		return begin, to, ok && strings.Trim(p.text[p.lineEnd(end):to], spaces) == ""
	}
	lowest := line // what is above this line is not the child's
	if first > 0 {
		before, ok := p.childEnd(n, first-size, size)
		if !ok || isLast && p.keeps(deepest(n.Content[first-1])) {
			return 0, 0, false
		}
		lowest = p.lineAt(before) + 1
	}
	for line > lowest && commentColumn(p.line(line-1)) == column {
		line--
	}
	to = p.below(end, column)
	if !isLast {
		for to < len(p.text) && isBlank(p.text[to:p.lineEnd(to)]) {
			to = p.nextLine(to)
		}
	} else {
		for line > lowest && isBlank(p.line(line-1)) {
			line--
		}
	}
	return p.starts[line], to, true
}

// below gives where the comments end that follow a child right away and are indented more than column.
func (p *plan) below(end, column int) int {
	at := p.nextLine(end)
	for next := at; next < len(p.text); {
		line := p.text[next:p.lineEnd(next)]
		c := commentColumn(line)
		if c <= column && !isBlank(line) {
			break
		}
		next = p.nextLine(next)
		if c > column {
			at = next
		}
	}
	return at
}
