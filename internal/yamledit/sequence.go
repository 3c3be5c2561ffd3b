package yamledit

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// sequence plans the changes of a list in block style whose dashes stand at column.
// What it is in stands at the column outer.
func (p *plan) sequence(s *yaml.Node, c *change, rewrite []int, column, outer int) bool {
	if len(c.remove) == len(s.Content) {
		return false // it becomes [], or a list of new items alone
	}
	for _, i := range rewrite {
		if !p.replaceItem(s, i, column) {
			return false
		}
	}
	if len(c.remove) > 0 && !p.removeItems(s, c, column) {
		return false
	}
	if len(c.add) > 0 {
		return p.addItems(s, c, column, outer)
	}
	return true
}

func (p *plan) replaceItem(s *yaml.Node, i, column int) bool {
	dash, ok := p.dash(s, i, column)
	if !ok {
		return false
	}
	old := s.Content[i]
	end, ok := p.end(old)
	value := p.written(old)
	if !ok || !p.replace(old, value, p.writer(s), dash+1, end, column, true) {
		return false
	}
	return p.expect(s, dash, column, end, column, value)
}

// dash gives the offset of the dash of an item. The item may stand below it.
func (p *plan) dash(s *yaml.Node, i, column int) (int, bool) {
	if i == 0 {
		return p.starts[s.Line-1] + column, true
	}
	for line := s.Content[i].Line - 1; line >= s.Content[i-1].Line && line < len(p.starts); line-- {
		text := p.line(line)
		if len(text) <= column || text[column] != '-' || strings.Trim(text[:column], " ") != "" {
			continue
		}
		if after := text[column+1:]; after == "" || after[0] == ' ' || after[0] == '\t' {
			return p.starts[line] + column, true
		}
	}
	return 0, false
}

// addItems plans new items behind the last one of a list.
func (p *plan) addItems(s *yaml.Node, c *change, column, outer int) bool {
	end, ok := p.end(s)
	if !ok {
		return false
	}
	if _, ok := p.restIsComment(end); !ok {
		return false
	}
	at := p.behind(end, outer+1)
	last := len(s.Content) - 1
	w := p.writer(s.Content[last])
	w.quoted = p.swallows(at, column)
	spaced := p.isSpaced(s, outer, column)
	w.items(c.add, column, false, spaced)
	text := w.String()
	if spaced && !p.blankBefore(at) && !p.keeps(deepest(s)) {
		text = w.newline + text
	}
	p.insert(at, text, s)
	if len(c.remove) > 0 {
		return true // the whole list is checked
	}
	dash, ok := p.dash(s, last, column)
	if !ok {
		return false
	}
	want := append([]*yaml.Node{p.after(s.Content[last])}, c.add...)
	return p.expect(s, dash, column, end, column, want...)
}

// isSpaced reports whether blank lines stand between the items of a list: as they do
// before its last item, or, when it has only one, as in the lists of entries at the root.
func (p *plan) isSpaced(s *yaml.Node, outer, column int) bool {
	last := len(s.Content) - 1
	if last == 0 {
		return isEntries(p.root, s)
	}
	dash, ok := p.dash(s, last, column)
	end, ok2 := p.end(s.Content[last-1])
	if !ok || !ok2 {
		return false
	}
	for line := p.lineAt(end) + 1; line < p.lineAt(dash); line++ {
		if isBlank(p.line(line)) {
			return true
		}
	}
	return false
}

// isEntries reports whether a list is a value in the root, and its first item is a map.
func isEntries(root, s *yaml.Node) bool {
	return len(s.Content) > 0 && s.Content[0].Kind == yaml.MappingNode && slices.Contains(root.Content, s)
}

// removeItems plans to remove the lines of items, run by run.
func (p *plan) removeItems(s *yaml.Node, c *change, column int) bool {
	count := len(s.Content)
	start := p.starts[s.Line-1] + column
	for i := 0; i < count; i++ {
		if !c.remove[i] {
			continue
		}
		first := i
		for i+1 < count && c.remove[i+1] {
			i++
		}
		from, to, ok := p.run(s, first, i, column)
		if !ok {
			return false
		}
		p.edit(from, to, "")
		if first == 0 {
			start = from
		}
	}
	end, ok := p.end(s)
	if !ok {
		return false
	}
	return p.expect(s, start, column, end, column, p.after(s).Content...)
}

// run gives the lines of the items from first to last: with the comments right above, those
// below that are indented more than the dashes, and the blank lines behind
// or, at the end of the list, before.
func (p *plan) run(s *yaml.Node, first, last, column int) (from, to int, ok bool) {
	dash, ok := p.dash(s, first, column)
	end, ok2 := p.end(s.Content[last])
	if !ok || !ok2 {
		return 0, 0, false
	}
	if _, ok := p.restIsComment(end); !ok {
		return 0, 0, false
	}
	line := p.lineAt(dash)
	if !isBlank(p.text[p.starts[line]:dash]) {
		return 0, 0, false
	}
	lowest := line // what is above this line is not the item's
	if first > 0 {
		before, ok := p.end(s.Content[first-1])
		if !ok || last == len(s.Content)-1 && p.keeps(deepest(s.Content[first-1])) {
			return 0, 0, false
		}
		lowest = p.lineAt(before) + 1
	}
	for line > lowest && commentColumn(p.line(line-1)) == column {
		line--
	}
	to = p.behind(end, column+1)
	if last < len(s.Content)-1 {
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
