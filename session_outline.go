package memory

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/yamledit"
)

// Reading 100 KB of YAML takes longer than all else together when an entry is
// added. So a Session remembers the text that it last wrote, with the entries in the middle
// of its lists cut out and a comment in the place of each run of them. While the file still
// has that text, a change is made in the short one, and the entries are put back.

const (
	outlineFrom = 16 << 10 // bytes; a shorter file is read as fast without
	cutMark     = "#~ cut "
)

// outline is a session file that was read as a whole, and the short text of it. It
// is never changed.
type outline struct {
	text  []byte
	short []byte
	cuts  []cut
	ids   map[string]bool // of the entries that were cut out, see entryKey
	last  map[string]int  // the highest number of an id, by kind
	limit int             // of the length of short; past it the file is read as a whole again
}

// cut is a run of entries that was cut out, and the line that stands in its place.
type cut struct {
	start, end int // in the text that was read
	mark, text []byte
}

func entryKey(list, id string) string { return list + "\x00" + id }

// newOutline gives the outline of a text that was read as d; nil where it has none.
func newOutline(d *sessionDoc, text []byte) *outline {
	if len(text) < outlineFrom || bytes.Contains(text, []byte(cutMark)) {
		return nil
	}
	for _, mark := range []string{"\r", "\u0085", "\u2028", "\u2029", "\ufeff"} {
		if bytes.Contains(text, []byte(mark)) {
			return nil // lines are not only what ends in \n
		}
	}
	if read, err := d.Bytes(); err != nil || !bytes.Equal(read, text) {
		return nil // it was of an earlier version
	}
	o := &outline{text: text, ids: make(map[string]bool), last: d.last}
	starts := lineStarts(text)
	for _, key := range []string{discoveryKind.key, attemptKind.key, decisionKind.key, "history"} {
		if list := yamledit.Get(d.Root(), key); list != nil && !o.cutList(key, list, starts) {
			return nil
		}
	}
	slices.SortFunc(o.cuts, func(a, b cut) int { return cmp.Compare(a.start, b.start) })
	at := 0
	for i := range o.cuts {
		c := &o.cuts[i]
		c.mark = fmt.Appendf(c.mark, "%s%d\n", cutMark, i)
		c.text = text[c.start:c.end]
		o.short = append(append(o.short, text[at:c.start]...), c.mark...)
		at = c.end
	}
	o.short = append(o.short, text[at:]...)
	o.limit = max(outlineFrom, 2*len(o.short))
	if o.limit > len(text) {
		return nil
	}
	return o
}

func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// cutList cuts the entries of a list out, but for the first, the last two, whose
// layout new ones follow, and running attempts, which will be changed. It is not
// ok where the list is not plainly one entry below the other.
func (o *outline) cutList(key string, list *yaml.Node, starts []int) (ok bool) {
	indent := strings.Repeat(" ", max(list.Column-1, 0))
	for i, entry := range list.Content {
		if entry.Kind != yaml.MappingNode || entry.Line > len(starts) || !bytes.HasPrefix(o.text[starts[entry.Line-1]:], []byte(indent+"- ")) {
			return false
		}
		if i == 0 || i >= len(list.Content)-2 || key == attemptKind.key && isRunning(entry) {
			continue
		}
		start, end := starts[entry.Line-1], starts[list.Content[i+1].Line-1]
		if n := len(o.cuts); n > 0 && o.cuts[n-1].end == start {
			o.cuts[n-1].end = end
		} else {
			o.cuts = append(o.cuts, cut{start: start, end: end, mark: []byte(indent)})
		}
		o.ids[entryKey(key, entryID(entry))] = true
	}
	return true
}

// isRunning says whether an attempt has not ended. A result that is unknown is no end.
func isRunning(attempt *yaml.Node) bool {
	n := yamledit.Get(attempt, "result")
	return n == nil || n.Kind != yaml.ScalarNode || !hasEnded(knownResult(n.Value))
}

func hasEnded(r AttemptResult) bool {
	return r == AttemptSuccess || r == AttemptFailure || r == AttemptPartial
}

// knownResult gives a result as the convention writes it, if it has it.
func knownResult(text string) AttemptResult {
	if r := strings.ToLower(strings.TrimSpace(text)); slices.Contains(attemptKind.allowed, r) {
		return AttemptResult(r)
	}
	return AttemptResult(text)
}

var errCut = errors.New("a place of entries that were cut out is no longer plain")

// with gives the outline after a change of its short text.
func (o *outline) with(short []byte, last map[string]int) (*outline, error) {
	if bytes.Count(short, []byte(cutMark)) != len(o.cuts) {
		return nil, errCut
	}
	size := len(o.text) + len(short) - len(o.short)
	if size > yamledit.MaxSize {
		return nil, errCut // the whole document says so
	}
	text := make([]byte, 0, size)
	rest := short
	for _, c := range o.cuts {
		at := bytes.Index(rest, c.mark)
		if at < 1 || rest[at-1] != '\n' {
			return nil, errCut
		}
		text = append(append(text, rest[:at]...), c.text...)
		rest = rest[at+len(c.mark):]
	}
	return &outline{append(text, rest...), short, o.cuts, o.ids, last, o.limit}, nil
}
