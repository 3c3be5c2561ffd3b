package yamledit

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// sequence plans the changes of a list in block style whose dashes stand at column.
// What it is in stands at the column outer.
func (p *plan) sequence(s *yaml.Node, c *change, rewrite []int, column, outer int) bool {
	if len(c.remove) == len(s.Content) || c.order != nil {
		return false // it becomes [], a list of new items alone, or one in another order
	}
	for _, i := range rewrite {
		if !p.replaceItem(s, i, column) {
			return false
		}
	}
	if len(c.remove) > 0 && !p.remove(s, c, 1, column) {
		return false
	}
	if len(c.add) > 0 && !p.addItems(s, c, column, outer) {
		return false
	}
	return len(c.remove) == 0 || p.expectAll(s, 1, column)
}

func (p *plan) replaceItem(s *yaml.Node, i, column int) bool {
	dash, ok := p.dash(s, i, column)
	if !ok {
		return false
	}
	old := s.Content[i]
	end, ok := p.end(old)
	value := p.written(old)
	if !ok || !p.replace(old, value, s, dash+1, end, column, true) {
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
	spaced := p.isSpaced(s, outer, column)
	text := p.write(s.Content[last], at, column, func(w *writer) { w.items(c.add, column, false, spaced) })
	if spaced && !p.blankBefore(at) && !p.keeps(deepest(s)) {
		text = p.newline + text
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
