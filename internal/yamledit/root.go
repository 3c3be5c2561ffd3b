package yamledit

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// SetRoot puts a value in place of the whole document. Comments before and behind its content
// stay where they can; other changes are dropped.
func (d *Doc) SetRoot(value *yaml.Node) {
	if err := usable(value); err != nil {
		d.fail(err)
		return
	}
	d.newRoot = value
}

// withRoot gives the text with the new root.
func (d *Doc) withRoot() ([]byte, error) {
	p := &plan{Doc: d, whole: true, layouts: map[*yaml.Node]layout{}}
	err := p.fill(d.newRoot)
	if err == nil {
		if text, closed := p.apply(); len(p.failed(text, closed)) == 0 && len(text) <= MaxSize {
			return []byte(text), nil
		}
	}
	if d.text == "" {
		return nil, fmt.Errorf("more than %d bytes after the changes", MaxSize)
	}
	anew := &Doc{source: newSource(""), root: &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, bare: true, newRoot: d.newRoot}
	return anew.withRoot()
}

// fillBare writes the new map of a document that has none.
func (p *plan) fillBare() error {
	p.whole = true
	c := p.changes[p.root]
	if c == nil || len(p.changes) > 1 {
		return errors.New("a change in what is not in the document")
	}
	if err := c.checkDepth(1); err != nil {
		return err
	}
	return p.fill(p.after(p.root))
}

// fill writes a new root in place of the one that there is; in a document that has none, behind its
// comments, and behind its --- where it has one.
func (p *plan) fill(value *yaml.Node) error {
	switch {
	case !p.bare:
		return p.replaceRoot(p.root, value)
	case p.null != nil && (!isEmpty(p.null) || p.null.Style != 0):
		return p.replaceRoot(p.null, value)
	}
	at := p.behindDashes()
	text := p.rootText(value, at)
	if p.null == nil && at > p.starts[0] && !p.blankBefore(at) {
		text = p.newline + text
	}
	p.insert(at, text, nil)
	return nil
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
	return p.replaceRoot(p.root, p.written(p.root))
}

// rootText gives the text of a root, which the lines from at on follow.
func (p *plan) rootText(value *yaml.Node, at int) string {
	return strings.TrimPrefix(p.write(p.root, at, 0, func(w *writer) {
		switch {
		case len(value.Content) == 0:
			w.value(value, 0, false, false, "")
		case value.Kind == yaml.SequenceNode:
			w.items(value.Content, 0, false, false)
		default:
			w.pairs(value.Content, 0, false, true)
		}
	}), " ")
}

// replaceRoot writes a new root in place of the old one.
func (p *plan) replaceRoot(old, value *yaml.Node) error {
	start := p.offset(old)
	end, ok := p.end(old)
	if !ok || start < 0 {
		return errors.New("the document cannot be changed in place")
	}
	behind, ok := p.restIsComment(end)
	if !ok {
		return errors.New("the document cannot be changed in place")
	}
	if behind != "" && old.Kind != yaml.ScalarNode && old.Style&yaml.FlowStyle == 0 {
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
	text := p.rootText(value, p.nextLine(end))
	p.edit(line, p.lineEnd(end), head+strings.TrimSuffix(text, p.newline))
	return nil
}
