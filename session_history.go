package memory

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/yamledit"
)

// The history must not grow as the archive does: it stays in the file.
const (
	maxHistory      = 8   // summaries; when there are more, the older half becomes one
	maxHistoryLines = 20  // of a summary: the newest
	maxHistoryLine  = 100 // characters
)

// summary says what was archived.
func (s *Session) summary(d *sessionDoc, gone []oldEntry) SessionHistory {
	h := SessionHistory{ArchivedAt: s.now(), From: gone[0].when, To: gone[0].when, LastIDs: maps.Clone(d.last)}
	slices.SortStableFunc(gone, func(a, b oldEntry) int { return a.when.Compare(b.when) })
	h.From, h.To = gone[0].when, gone[len(gone)-1].when
	var lines []string
	for _, e := range gone {
		switch e.kind.id {
		case "discovery":
			h.Discoveries++
		case "attempt":
			h.Attempts++
		case "decision":
			h.Decisions++
		}
		lines = append(lines, cutLine(e.id, maxHistoryLine)+": "+e.line)
	}
	h.summarize(lines)
	return h
}

const earlierEntries = " earlier entries" // of which a summary has no lines

// summarize makes the summary: the newest lines, and how many entries have none.
func (h *SessionHistory) summarize(lines []string) {
	lines = lines[max(len(lines)-maxHistoryLines, 0):]
	if rest := h.Discoveries + h.Attempts + h.Decisions - len(lines); rest > 0 {
		lines = slices.Insert(lines, 0, fmt.Sprint(rest, earlierEntries))
	}
	h.Summary = strings.Join(lines, "\n")
}

// addHistory adds a summary.
func (d *sessionDoc) addHistory(h SessionHistory) error {
	n, err := cleanNode(h)
	if err == nil {
		d.Append(d.Root(), "history", n)
	}
	return err
}

// foldHistory makes one summary of the older half when there are many, and gives the
// document that has it. Summaries that somebody has changed or commented on stay.
func (d *sessionDoc) foldHistory() (*sessionDoc, error) {
	list, _ := d.list("history") // it was read
	var ours []int
	var of []SessionHistory
	for i, n := range list {
		var was SessionHistory
		if faults := decodeNode(n, &was); len(faults) == 0 && isOurs(n, &was) {
			ours, of = append(ours, i), append(of, was)
		}
	}
	if len(ours) < maxHistory {
		return d, nil
	}
	last := len(ours)/2 - 1 // of the older ones; those before it go
	if err := setFields(d.Doc, list[ours[last]], reflect.ValueOf(of[last]), reflect.ValueOf(join(of[:last+1]))); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	d.Remove(yamledit.Get(d.Root(), "history"), ours[:last]...)
	text, err := d.Bytes()
	if err != nil {
		return nil, err
	}
	return readSession(text)
}

// isOurs says whether an entry of the history is as this package writes it: its keys, and
// as many lines of the summary as it counts entries.
func isOurs(n *yaml.Node, h *SessionHistory) bool {
	keys := []string{"archivedAt", "from", "to", "discoveries", "attempts", "decisions", "summary", "lastIds"}
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if !slices.Contains(keys, n.Content[i].Value) {
			return false
		}
	}
	lines := strings.Split(strings.TrimSpace(h.Summary), "\n")
	earlier, counted := strings.CutSuffix(lines[0], earlierEntries)
	if counted {
		lines = lines[1:]
	}
	for _, line := range lines {
		if !strings.Contains(line, ": ") {
			return false
		}
	}
	rest := h.Discoveries + h.Attempts + h.Decisions - len(lines)
	return counted == (rest > 0) && (!counted || earlier == fmt.Sprint(rest)) && rest >= 0 &&
		yamledit.Get(n, "archivedAt") != nil && !hasComment(n)
}

func hasComment(n *yaml.Node) bool {
	return n.HeadComment+n.LineComment+n.FootComment != "" || slices.ContainsFunc(n.Content, hasComment)
}

// join makes one summary of several.
func join(of []SessionHistory) SessionHistory {
	one := SessionHistory{LastIDs: make(map[string]int)}
	var lines []string
	for _, h := range of {
		if h.ArchivedAt.After(one.ArchivedAt) {
			one.ArchivedAt = h.ArchivedAt
		}
		if one.From.IsZero() || h.From.Before(one.From) {
			one.From = h.From
		}
		if h.To.After(one.To) {
			one.To = h.To
		}
		one.Discoveries += h.Discoveries
		one.Attempts += h.Attempts
		one.Decisions += h.Decisions
		for line := range strings.SplitSeq(strings.TrimSpace(h.Summary), "\n") {
			if !strings.HasSuffix(line, earlierEntries) {
				lines = append(lines, line)
			}
		}
		for kind, n := range h.LastIDs {
			one.LastIDs[kind] = max(one.LastIDs[kind], n)
		}
	}
	one.summarize(lines)
	return one
}
