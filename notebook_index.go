package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/markdown"
	"github.com/rawko/memory/internal/summary"
)

// maxShownPath is how much of a path the index shows, in characters.
const maxShownPath = 120

// summarize reads the files of a list that are new or changed, and fills in what is in each.
func (n *Notebook) summarize(ctx context.Context, notes []Note, versions map[string]string) error {
	var todo []*Note
	var names []string
	n.mu.Lock()
	for i := range notes {
		note := &notes[i]
		known, ok := n.known[note.Path]
		switch {
		case note.Err != nil:
		case ok && known.version == versions[note.Path] && known.version != "":
			note.Summary = known.summary
		default:
			todo, names = append(todo, note), append(names, note.Path)
		}
	}
	n.mu.Unlock()
	i := 0
	for data, err := range ReadBatch(ctx, n.store, names) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			todo[i].Size = len(data)
			err = n.readable(todo[i].Path, len(data))
		}
		if todo[i].Err = err; err == nil {
			todo[i].Summary = describe(todo[i].Path, string(data))
		}
		i++
	}
	if i < len(todo) {
		return fmt.Errorf("read %q: the store ended its batch too early", todo[i].Path)
	}
	n.remember(notes, versions)
	return nil
}

// remember keeps what is known of the files that are there, for the next list.
func (n *Notebook) remember(notes []Note, versions map[string]string) {
	known := make(map[string]noted, len(notes))
	for i := range notes {
		note := &notes[i]
		if note.Err != nil {
			note.Summary = "cannot be read: " + shorten(markdown.Line(note.Err.Error()), summary.MaxEpisodes)
			continue
		}
		known[note.Path] = noted{versions[note.Path], note.Summary}
	}
	n.mu.Lock()
	n.known = known
	n.mu.Unlock()
}

// describe gives the summary that stands in a file, or one that fits.
func describe(path, text string) string {
	text, _ = unixEnds(text)
	s := summary.Get(text)
	if s == "" && isEpisode(path) {
		s = summary.OfEpisodes(text)
	}
	return shorten(cmp.Or(s, summary.OfFacts(text)), summary.MaxEpisodes)
}

const (
	indexHead = "Available memory:\n"
	indexTail = "\nUse memory_read to load relevant files before responding.\n"
)

// Index gives the message that comes before a task's first: which files there are,
// their sizes and what is in them. It is "" when there is none, the same for the same
// files, and never longer than MaxIndex bytes: where there are too many it leaves out
// the oldest episodes first, then other files, then facts, and says how much.
func (n *Notebook) Index(ctx context.Context) (string, error) {
	notes, err := n.List(ctx)
	if err != nil {
		return "", fmt.Errorf("index: %w", err)
	}
	if len(notes) == 0 {
		return "", nil
	}
	return indexHead + indexLines(notes, n.opts.MaxIndex-len(indexHead)-len(indexTail)) + indexTail, nil
}

// indexLines gives one line for each file in at most limit bytes, the last one for what is left out.
func indexLines(notes []Note, limit int) string {
	lines := make([]string, len(notes))
	for i, note := range notes {
		lines[i] = indexLine(note)
	}
	kept, left := fitting(notes, lines, limit, 120)
	if left.Path != "" {
		kept = append(kept, fmt.Sprintf("- … and %s (%s), which memory_list shows\n", left.Summary, formatSize(left.Size)))
	}
	return strings.Join(kept, "")
}

// fitting gives the lines of a list that fit in limit bytes, of which room is for what the
// caller says of the others. Those are one Note: how many, and their sizes.
func fitting(notes []Note, lines []string, limit, room int) (kept []string, left Note) {
	total := 0
	for _, line := range lines {
		total += len(line)
	}
	if total <= limit {
		return lines, left
	}
	count := 0
	for _, i := range leastFirst(notes) {
		if total <= limit-room {
			break
		}
		total -= len(lines[i])
		lines[i] = ""
		count++
		left.Size += notes[i].Size
	}
	left.Path, left.Summary = "…", fmt.Sprintf("%d more files", count)
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" }), left
}

func indexLine(note Note) string {
	line := fmt.Sprintf("- %s (%s)", shorten(markdown.Line(note.Path), maxShownPath), formatSize(note.Size))
	return line + prefixed(": ", note.Summary) + "\n"
}

// leastFirst gives the places of a list in the order in which they can be spared:
// the oldest episodes first, then other files and facts from the end.
func leastFirst(notes []Note) (order []int) {
	first := len(notes)
	for first > 0 && kind(notes[first-1].Path) == kindEpisode {
		first--
	}
	for i := first; i < len(notes); i++ {
		order = append(order, i)
	}
	for i := first - 1; i >= 0; i-- {
		order = append(order, i)
	}
	return order
}

// formatSize gives a size as "320B", "1.2KB" or "3.4MB".
func formatSize(bytes int) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%dB", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1fKB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1fMB", float64(bytes)/(1<<20))
}

// maxList is how long the result of memory_list gets, in bytes.
const maxList = 64 << 10

// listResult gives notes as a JSON array; what does not fit is one last element.
func listResult(notes []Note) string {
	items := make([]string, len(notes))
	for i := range notes {
		items[i] = jsonText(notes[i]) + ","
	}
	kept, left := fitting(notes, items, maxList, 160)
	if left.Path != "" {
		left.Summary += " that this list has no room for"
		kept = append(kept, jsonText(left))
	}
	return "[" + strings.TrimSuffix(strings.Join(kept, ""), ",") + "]"
}
