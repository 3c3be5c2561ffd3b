package yamledit

import (
	"errors"
	"strings"

	"gopkg.in/yaml.v3"
)

// fillBare writes the new map of a document that has none: behind its comments, and
// behind its --- where it has one.
func (p *plan) fillBare() error {
	p.whole = true
	c := p.changes[p.root]
	if c == nil || len(p.changes) > 1 {
		return errors.New("a change in what is not in the document")
	}
	if err := c.checkDepth(1); err != nil {
		return err
	}
	if p.null == nil || isEmpty(p.null) && p.null.Style == 0 {
		at := p.behindDashes()
		text := p.rootText(c.set, at)
		if p.null == nil && at > p.starts[0] && !p.blankBefore(at) {
			text = p.newline + text
		}
		p.insert(at, text, nil)
		return nil
	}
	return p.replaceRoot(p.null, c.set)
}

// behindDashes gives where the text of a document without content goes: behind the
// line with its ---, or at its end when it has none.
func (p *plan) behindDashes() int {
	for i, start := range p.starts {
		if strings.HasPrefix(p.text[start:], "---") {
			return p.nextLine(p.starts[i])
		}
	}
	return len(p.text)
}

// rootAnew writes the root anew in block style.
func (p *plan) rootAnew() error {
	p.whole = true
	p.edits, p.checks, p.size = nil, nil, 0
	return p.replaceRoot(p.root, p.written(p.root).Content)
}

// rootText gives the text of the keys and values of the root, which the lines from at on follow.
func (p *plan) rootText(pairs []*yaml.Node, at int) string {
	w := p.writer(p.root)
	w.quoted = p.swallows(at, 0)
	w.pairs(pairs, 0, false, true)
	return w.String()
}

// replaceRoot writes keys and values in place of the old root.
func (p *plan) replaceRoot(old *yaml.Node, pairs []*yaml.Node) error {
	start := p.offset(old)
	end, ok := p.end(old)
	if !ok || start < 0 {
		return errors.New("the document cannot be changed in place")
	}
	behind, ok := p.restIsComment(end)
	if !ok {
		return errors.New("the document cannot be changed in place")
	}
	if behind != "" && old.Kind == yaml.MappingNode && old.Style&yaml.FlowStyle == 0 {
		behind = "" // it is the comment of the last value, and written with it
	}
	line := p.starts[p.lineAt(start)]
	head := strings.TrimRight(p.text[line:start], " \t")
	if behind != "" {
		head = strings.TrimLeft(head+" "+strings.TrimLeft(behind, " \t"), " ")
	}
	if head != "" {
		head += p.newline
	}
	text := p.rootText(pairs, p.nextLine(end))
	p.edit(line, p.lineEnd(end), head+strings.TrimSuffix(text, p.newline))
	return nil
}
