package yamledit

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// writer writes nodes in block style with their comments. Columns count from 0.
type writer struct {
	strings.Builder
	layout
	newline string
	quoted  bool // no literal blocks
	clipped bool // no block that keeps the blank lines behind it
	keeps   bool // what was written last is such a block
	room    int  // bytes behind which nothing more needs to be written, because it is too much
}

func (w *writer) line(column int, text string) {
	w.indent(column)
	w.WriteString(text)
	w.WriteString(w.newline)
}

func (w *writer) indent(column int) { w.WriteString(strings.Repeat(" ", column)) }

// blank writes a blank line, except at the beginning and where a block would keep it.
func (w *writer) blank() {
	if w.Len() > 0 && !w.keeps {
		w.WriteString(w.newline)
	}
}

// comments writes the comments that stand in lines of their own.
func (w *writer) comments(column int, texts ...string) {
	for _, text := range texts {
		for _, line := range commentLines(text) {
			w.line(column, line)
		}
	}
}

func commentLines(text string) (lines []string) {
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\r\n\u0085\u2028\u2029", r) }) {
		if line = strings.Trim(line, " \t"); line == "" {
			continue
		}
		if line[0] != '#' {
			line = "# " + line
		}
		lines = append(lines, line)
	}
	return lines
}

// pairs writes keys and values, given in turn. The first key stands where the
// writer is, if inLine is true. Spaced is for the root: there a blank
// line stands before and behind lists and maps.
func (w *writer) pairs(pairs []*yaml.Node, column int, inLine, spaced bool) {
	for i := 0; i < len(pairs) && w.Len() <= w.room; i += 2 {
		key, value := pairs[i], pairs[i+1]
		if spaced && i > 0 && (len(value.Content) > 0 || len(pairs[i-1].Content) > 0) {
			w.blank()
		}
		if !inLine || i > 0 {
			w.comments(column, key.HeadComment)
			w.indent(column)
		}
		w.WriteString(oneLine(key) + ":")
		w.value(value, column, false, spaced, oneComment(key.LineComment, lineHead(value), value.LineComment))
		w.comments(column, value.FootComment, key.FootComment)
	}
}

// lineHead gives the comment above a value that has no line of its own above which it could stand.
func lineHead(value *yaml.Node) string {
	if _, flowed := flow(value); len(value.Content) > 0 && !flowed {
		return ""
	}
	return value.HeadComment
}

// oneComment joins comments to one that can stand at the end of a line.
func oneComment(texts ...string) string {
	var all strings.Builder
	for _, text := range texts {
		for _, line := range commentLines(text) {
			all.WriteString(" " + line)
		}
		if strings.HasPrefix(text, "  #") { // see [Doc.note]
			return " " + all.String()
		}
	}
	return all.String()
}

// items writes the items of a list, with blank lines between them if it is spaced.
func (w *writer) items(items []*yaml.Node, column int, inLine, spaced bool) {
	for i, item := range items {
		if w.Len() > w.room {
			return
		}
		if spaced && i > 0 {
			w.blank()
		}
		if !inLine || i > 0 {
			w.comments(column, item.HeadComment)
			w.indent(column)
		}
		w.WriteByte('-')
		w.value(item, column, true, false, oneComment(item.LineComment))
		w.comments(column, item.FootComment)
	}
}

// value writes what stands behind a key or the dash of an item, which
// begin at column, and the line break behind it.
func (w *writer) value(n *yaml.Node, column int, isItem, spaced bool, comment string) {
	w.keeps = false
	inFlow, flowed := flow(n)
	switch {
	case n.Kind == yaml.ScalarNode:
		w.scalar(n, column, comment)
		return
	case flowed:
		w.line(0, " "+inFlow+comment)
		return
	case len(n.Content) == 0 && n.Kind == yaml.SequenceNode:
		w.line(0, " "+tagOf(n)+"[]"+comment)
		return
	case len(n.Content) == 0:
		w.line(0, " "+tagOf(n)+"{}"+comment)
		return
	}
	tag := strings.TrimRight(" "+tagOf(n), " ")
	inLine := isItem && tag == "" && comment == "" && n.Content[0].HeadComment == ""
	if inLine {
		w.indent(w.gap - 1)
	} else {
		w.line(0, tag+comment)
	}
	below := column
	switch {
	case isItem:
		below += w.gap
	case n.Kind == yaml.SequenceNode:
		below += w.seq
	default:
		below += w.step
	}
	if !isItem {
		w.comments(below, n.HeadComment)
	}
	if n.Kind == yaml.SequenceNode {
		w.items(n.Content, below, inLine, spaced && n.Content[0].Kind == yaml.MappingNode)
	} else {
		w.pairs(n.Content, below, inLine, false)
	}
}

// tagOf gives the tag of a list or map that has another one than its kind has.
func tagOf(n *yaml.Node) string {
	tag := n.ShortTag()
	if n.Kind == yaml.SequenceNode && tag == "!!seq" || n.Kind == yaml.MappingNode && tag == "!!map" {
		return ""
	}
	return tag + " "
}

func (w *writer) scalar(n *yaml.Node, column int, comment string) {
	isText := n.ShortTag() == "!!str"
	switch {
	case isText && isBlock(n) && !w.quoted && canBeBlock(n.Value) && !(w.clipped && isKept(n.Value)):
		w.block(n, column+w.step, comment)
	default:
		w.line(0, " "+scalarText(n)+comment)
	}
}
