package yamledit

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// This file sees to it that no comment is lost: each one that stood in what an edit
// replaced is in the new text, or in what was taken out on purpose, or is put back.

// keepComments gives the text after the edits, with the comments that they lost as lines
// of their own above the places of the edits. Where it cannot tell, the text stays.
func (p *plan) keepComments(text string) string {
	if !slices.ContainsFunc(p.edits, func(e edit) bool { return strings.Contains(p.text[e.start:e.end], "#") }) {
		return text
	}
	olds, ok := p.comments(p.root)
	if !ok {
		return text
	}
	root, err := load([]byte(text))
	if err != nil {
		return text
	}
	src := newSource(text)
	news, ok := src.comments(root)
	if !ok {
		return text
	}
	back := p.lost(src, olds, news)
	if len(back) == 0 {
		return text
	}
	kept := putBack(src, back)
	if after, err := load([]byte(kept)); err != nil || len(kept) > MaxSize || after == nil || root == nil || !equal(root, after) {
		return text
	}
	return kept
}

// lost gives the comments that the edits lost, each indented as the first line was that the edit
// replaced, with the offset in the new text of the line above which it is to stand.
func (p *plan) lost(src *source, olds, news []comment) (back []comment) {
	gone := p.gone()
	shift := 0 // of offsets, by the edits before
	for _, e := range p.edits {
		is := between(news, e.start+shift, e.start+shift+len(e.text))
		have, joined := make(map[string]int, len(is)), []string(nil)
		for _, c := range is {
			have[c.text]++
			if strings.Contains(c.text, " #") {
				joined = append(joined, c.text)
			}
		}
		for _, c := range between(olds, e.start, e.end) {
			switch {
			case have[c.text] > 0:
				have[c.text]--
			case takeOne(joined, c.text):
			case gone[c.text] > 0:
				gone[c.text]--
			default:
				back = append(back, comment{src.starts[src.lineAt(min(e.start+shift, len(src.text)))], p.indentation(e.start) + c.text})
			}
		}
		shift += len(e.text) - (e.end - e.start)
	}
	return back
}

// indentation gives the spaces before the first line from an offset on that is not blank.
func (p *plan) indentation(at int) string {
	for i := p.lineAt(at); i < len(p.starts); i++ {
		if line := p.line(i); !isBlank(line) {
			return line[:len(line)-len(strings.TrimLeft(line, " "))]
		}
	}
	return ""
}

// between gives the comments that begin in a part of the text.
func between(all []comment, start, end int) []comment {
	search := func(at int) int {
		i, _ := slices.BinarySearchFunc(all, at, func(c comment, at int) int { return cmp.Compare(c.at, at) })
		return i
	}
	return all[search(start):search(end)]
}

// takeOne looks for a comment in lines of several, and takes it out.
func takeOne(have []string, text string) bool {
	for i, line := range have {
		for from := 0; ; {
			at := strings.Index(line[from:], text)
			if at < 0 {
				break
			}
			at += from
			behind := line[at+len(text):]
			if (at == 0 || line[at-1] == ' ') && (behind == "" || strings.HasPrefix(behind, " #")) {
				have[i] = strings.TrimSpace(line[:at] + strings.TrimPrefix(behind, " "))
				return true
			}
			from = at + 1
		}
	}
	return false
}

// putBack gives the text with comments as lines of their own.
func putBack(src *source, back []comment) string {
	var b strings.Builder
	at := 0
	for _, c := range back {
		b.WriteString(src.text[at:c.at] + c.text + src.newline)
		at = c.at
	}
	return b.String() + src.text[at:]
}

// gone counts the comments of what is taken out on purpose: items and keys that are removed,
// and what is below values that are replaced.
func (p *plan) gone() map[string]int {
	count := map[string]int{}
	for n, c := range p.changes {
		stays := make(map[*yaml.Node]bool, len(c.order))
		for _, item := range c.order {
			stays[item] = true
		}
		for i, child := range n.Content {
			switch {
			case n.Kind == yaml.SequenceNode && (c.remove[i] || c.order != nil && !stays[child]),
				n.Kind == yaml.MappingNode && c.remove[i&^1]:
				if i == 0 {
					child = copyOf(child)
					child.HeadComment = "" // it may be about all
				}
				ownComments(child, count)
			case n.Kind == yaml.MappingNode && i%2 == 1 && c.value(n.Content[i-1].Value) != nil:
				for _, inner := range child.Content {
					ownComments(inner, count)
				}
			}
		}
	}
	return count
}
