package yamledit

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// random writes documents with comments wherever YAML allows them. Each comment is another one.
type random struct {
	*rand.Rand
	b              strings.Builder
	comments, keys int
	often          int // percent of the places that get a comment
	seq, step      int // columns
}

func (r *random) is(percent int) bool { return r.IntN(100) < percent }

func (r *random) comment() string {
	r.comments++
	return fmt.Sprintf("#C%d.", r.comments)
}

// behind writes the end of a line.
func (r *random) behind() {
	if r.is(r.often) {
		r.b.WriteString([]string{" ", "  "}[r.IntN(2)] + r.comment())
	}
	r.b.WriteString("\n")
}

// between writes comments and blank lines between lines that stand at column.
func (r *random) between(column int) {
	for r.is(r.often) || r.is(5) {
		if r.is(30) {
			r.b.WriteString("\n")
			continue
		}
		if r.is(15) {
			column = max(0, column+r.IntN(4)-2) // not so deep that it were text of a block
		}
		r.b.WriteString(strings.Repeat(" ", column) + r.comment() + "\n")
	}
}

// value writes what stands behind a key or dash at column, and the end of the line.
func (r *random) value(column, depth int, isItem bool) {
	below := strings.Repeat(" ", column+r.step)
	switch kind := r.IntN(12); {
	case depth > 0 && kind < 3:
		r.below(column, depth, isItem, func(column int) { r.pairs(column, depth-1) })
	case depth > 0 && kind < 5:
		r.below(column, depth, isItem, func(column int) { r.items(column, depth-1) })
	case kind == 5:
		r.b.WriteString(" ")
		r.flow(column+1, 2)
		r.behind()
	case kind == 6 || kind == 7:
		r.b.WriteString(" " + []string{"|", "|-", "|+", ">", ">-", ">+"}[r.IntN(6)])
		r.behind()
		r.b.WriteString(below + "text\n" + below + "# none\n\n" + below + "end\n")
	case kind == 8:
		r.b.WriteString("\n" + below + "plain\n" + below + "goes on")
		r.behind()
	case kind == 9:
		r.behind() // null
	default:
		r.b.WriteString(" " + []string{"x", "x#y", "'# none'", "\"a # \\\" b\"", "0x1F", "2026-01-02", "\"two\n" + below + "# none\""}[r.IntN(7)])
		r.behind()
	}
}

func (r *random) below(column, depth int, isItem bool, do func(column int)) {
	if isItem && r.is(60) {
		r.b.WriteString(" ")
		do(column + 2)
		return
	}
	r.behind()
	column += r.step
	r.between(column)
	r.b.WriteString(strings.Repeat(" ", column))
	do(column)
}

// pairs writes a map whose first key begins where the writer is.
func (r *random) pairs(column, depth int) {
	for i := range 1 + r.IntN(4) {
		if i > 0 {
			r.between(column)
			r.b.WriteString(strings.Repeat(" ", column))
		}
		r.keys++
		r.b.WriteString(fmt.Sprintf([]string{"k%d:", "'k%d':", "\"k%d\":"}[r.IntN(3)], r.keys))
		if depth > 0 && r.is(30) { // a list may stand at the column of its key
			r.behind()
			r.between(column + r.seq)
			r.b.WriteString(strings.Repeat(" ", column+r.seq))
			r.items(column+r.seq, depth-1)
			continue
		}
		r.value(column, depth, false)
	}
	if r.is(30) {
		r.between(column)
	}
}

func (r *random) items(column, depth int) {
	for i := range 1 + r.IntN(5) {
		if i > 0 {
			r.between(column)
			r.b.WriteString(strings.Repeat(" ", column))
		}
		r.b.WriteString("-")
		r.value(column, depth, true)
	}
	if r.is(30) {
		r.between(column)
	}
}

// flow writes a list or map in flow style.
func (r *random) flow(column, depth int) {
	isMap := r.is(50)
	r.b.WriteString(map[bool]string{true: "{", false: "["}[isMap])
	for i := range r.IntN(4) {
		if i > 0 {
			r.b.WriteString(",")
		}
		r.inFlow(column)
		if isMap {
			r.keys++
			fmt.Fprintf(&r.b, "k%d: ", r.keys)
		}
		if depth > 0 && r.is(20) {
			r.flow(column+1, depth-1)
		} else {
			r.b.WriteString([]string{"x", "'# none'", "1"}[r.IntN(3)])
		}
	}
	r.inFlow(column)
	r.b.WriteString(map[bool]string{true: "}", false: "]"}[isMap])
}

// inFlow may begin a new line with comments before and above.
func (r *random) inFlow(column int) {
	if r.is(60) {
		return
	}
	r.behind()
	r.between(column)
	r.b.WriteString(strings.Repeat(" ", column))
}

// randomDocument gives a document, "" where it is none that can be parsed.
func randomDocument(seed uint64) (text string, r *random) {
	r = &random{Rand: rand.New(rand.NewPCG(seed, 1))}
	r.often = []int{5, 15, 40}[r.IntN(3)]
	r.seq, r.step = []int{0, 2, 4}[r.IntN(3)], []int{2, 4}[r.IntN(2)]
	r.between(0)
	r.pairs(0, 4)
	if text = r.b.String(); r.is(20) {
		text = strings.TrimSuffix(text, "\n")
	}
	if _, err := Parse([]byte(text)); err != nil {
		return "", r
	}
	return text, r
}

var token = regexp.MustCompile(`#C\d+\.`)

// tokens gives the comments that a tree has.
func tokens(n *yaml.Node) []string {
	all := token.FindAllString(n.HeadComment+n.LineComment+n.FootComment, -1)
	for _, child := range n.Content {
		all = append(all, tokens(child)...)
	}
	return all
}

// randomChange makes one change to a document and its twin, and gives the comments that may go with it
// and the text of another document to which removed items were moved.
func (r *random) change(t *testing.T, d *Doc, want *yaml.Node) (may []string, moved string) {
	maps, wantMaps := nodes(d.Root(), yaml.MappingNode), nodes(want, yaml.MappingNode)
	lists, wantLists := nodes(d.Root(), yaml.SequenceNode), nodes(want, yaml.SequenceNode)
	i := r.IntN(len(maps))
	m, w := maps[i], wantMaps[i]
	v, err := Value(some(uint8(r.IntN(8)), []string{"x", "a\n# b\n"}[r.IntN(2)]))
	require.NoError(t, err)
	key := "new"
	if len(m.Content) > 0 && r.is(80) {
		key = m.Content[r.IntN(len(m.Content))&^1].Value
	}
	op := r.IntN(5)
	if len(lists) == 0 && op > 2 {
		op = 0
	}
	switch op {
	case 0: // of a value that is replaced, what is below it goes
		if old := Get(m, key); old != nil {
			for _, child := range old.Content {
				may = append(may, tokens(child)...)
			}
		}
		d.Set(m, key, v)
		setIn(w, key, v)
	case 1:
		if i := find(m, key); i >= 0 {
			may = append(tokens(m.Content[i]), tokens(m.Content[i+1])...)
		}
		d.Unset(m, key)
		unsetIn(w, key)
	case 2:
		list := Get(w, key)
		if list != nil && list.Kind != yaml.SequenceNode {
			return nil, ""
		}
		d.Append(m, key, v)
		if list == nil {
			list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			setIn(w, key, list)
		}
		list.Content = append(list.Content, v)
	case 3:
		i := r.IntN(len(lists))
		return nil, r.move(t, d, lists[i], wantLists[i])
	case 4:
		i := r.IntN(len(lists))
		return r.arrange(d, lists[i], wantLists[i], v), ""
	}
	return may, ""
}

// move removes items of a list, and appends them to another document.
func (r *random) move(t *testing.T, d *Doc, list, want *yaml.Node) string {
	other, err := Parse([]byte("l:\n  - 0\n"))
	require.NoError(t, err)
	var left, gone []*yaml.Node
	for i, item := range list.Content {
		if r.is(50) {
			left = append(left, want.Content[i])
			continue
		}
		d.Remove(list, i)
		other.Append(other.Root(), "l", item)
		gone = append(gone, want.Content[i])
	}
	want.Content = left
	text, err := other.Bytes()
	require.NoError(t, err)
	got, err := Parse(text)
	require.NoError(t, err)
	require.True(t, equal(&yaml.Node{Kind: yaml.SequenceNode, Content: gone}, &yaml.Node{Kind: yaml.SequenceNode, Content: Get(got.Root(), "l").Content[1:]}), "%s", text)
	return string(text)
}

// arrange gives the items of a list another order, leaves some out, and adds one.
func (r *random) arrange(d *Doc, list, want, v *yaml.Node) (may []string) {
	order := make([]int, len(list.Content))
	for i := range order {
		order[i] = i
	}
	if r.is(50) {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	for _, i := range order[len(order)-r.IntN(len(order)+1):] {
		may = append(may, tokens(list.Content[i])...)
		order = slices.DeleteFunc(order, func(j int) bool { return i == j })
	}
	var items, wants []*yaml.Node
	for _, i := range order {
		items, wants = append(items, list.Content[i]), append(wants, want.Content[i])
	}
	at := r.IntN(len(items) + 1)
	d.Arrange(list, slices.Insert(items, at, v))
	want.Content = slices.Insert(wants, at, v)
	return may
}

// testRandom changes a random document, several times one after the other. No comment is lost; where once
// is set, none comes twice either: a reader that gives one to two nodes may have that in rare cases.
func testRandom(t *testing.T, seed uint64, once bool) {
	text, r := randomDocument(seed)
	if text == "" {
		return
	}
	for range 3 {
		d, err := Parse([]byte(text))
		require.NoError(t, err)
		want := clone(d.Root())
		may, moved := r.change(t, d, want)
		result, err := d.Bytes()
		require.NoError(t, err, "seed %d\n%s", seed, text)
		after, err := Parse(result)
		require.NoError(t, err, "seed %d\n%s\n%s", seed, text, result)
		require.True(t, equal(want, after.Root()), "seed %d\n%s\n%s", seed, text, result)
		has := token.FindAllString(string(result)+moved, -1)
		for _, c := range token.FindAllString(text, -1) {
			if !slices.Contains(has, c) && !slices.Contains(may, c) {
				require.Fail(t, "a comment is lost", "seed %d: %s\n%s\n=>\n%s\n=>\n%s", seed, c, text, result, moved)
			}
		}
		for _, c := range token.FindAllString(string(result), -1) {
			require.True(t, !once || strings.Count(string(result), c) == 1, "seed %d: %s twice\n%s\n=>\n%s", seed, c, text, result)
		}
		text = string(result)
	}
}

// TestRandomDocuments: no change loses a value or a comment.
func TestRandomDocuments(t *testing.T) {
	for seed := range uint64(500) {
		testRandom(t, seed, true)
	}
}

func FuzzRandomDocuments(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { testRandom(t, seed, false) })
}
