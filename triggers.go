package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/lexical"
)

// triggers finds memories by what a query says. It never changes: what is added
// makes a new one. Its loop over all patterns is the only one on the way of a
// query, so that an index can take its place.
type triggers struct {
	memories []*indexed            // that can be recalled, in the order of names
	byTag    map[string][]*indexed // folded tag to those that have it, in the order of names
}

// indexed is one memory file as it was last read. It never changes: a new look
// makes a new one.
type indexed struct {
	name     string
	version  string
	err      error // why it cannot be used
	failed   bool  // the store did not give it, which may pass
	front    *Frontmatter
	title    string // normalized, in lower case: keywords are looked for in it
	patterns []*Pattern
	sketch   []uint64 // of its entries
	topics   []string // of its title
}

// recallable reports whether a query may give the memory.
func (m *indexed) recallable() bool { return m != nil && m.err == nil && m.front.Retired.IsZero() }

// titleKey is the folded title, "" of what has none that can be read.
func (m *indexed) titleKey() string {
	if m == nil || m.err != nil {
		return ""
	}
	return foldTitle(m.front.Title)
}

// importance of a memory; medium where it gives none.
func (m *indexed) importance() Importance { return cmp.Or(m.front.Importance, Medium) }

// fired is a memory one of whose triggers matches strongly enough.
type fired struct {
	*indexed
	pattern  string
	strength Strength
}

// newTriggers takes memories in the order of names.
func newTriggers(memories []*indexed) *triggers {
	t := &triggers{memories: memories, byTag: make(map[string][]*indexed)}
	for _, m := range memories {
		for _, tag := range tagsOf(m) {
			t.byTag[tag] = append(t.byTag[tag], m)
		}
	}
	return t
}

// tagsOf gives the folded tags of a memory, each once.
func tagsOf(m *indexed) []string {
	var tags []string
	for _, tag := range m.front.Tags {
		tags = joinNew(tags, []string{fold(tag)})
	}
	return tags
}

// on gives the memories of at least an importance that fire on a text, each with the
// line that fires most strongly, in the order of names. How strong it must be
// depends on the memory's importance, see [needed].
func (t *triggers) on(ctx context.Context, text queryText, least Importance) ([]fired, error) {
	var found []fired
	for _, m := range t.memories {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m.importance() < least {
			continue
		}
		if pattern, strength := m.fire(text); strength >= needed(m.importance()) {
			found = append(found, fired{m, pattern, strength})
		}
	}
	return found, nil
}

// tagged gives the memories that have one of the folded tags, each once.
func (t *triggers) tagged(tags []string) []*indexed {
	var found []*indexed
	seen := make(map[*indexed]bool)
	for _, tag := range tags {
		for _, m := range t.byTag[tag] {
			if !seen[m] {
				seen[m] = true
				found = append(found, m)
			}
		}
	}
	return found
}

// needed is the weakest match that lets a memory in: the more important it is, the weaker.
func needed(i Importance) Strength {
	switch i {
	case Critical:
		return Slight
	case High:
		return Moderate
	case Medium:
		return Close
	}
	return Exact
}

// fire gives the line that fires most strongly, the first of equals. Plan and
// history count at most moderately, and are not asked where that is not enough.
func (m *indexed) fire(text queryText) (pattern string, best Strength) {
	for _, p := range m.patterns {
		s := p.in(text.task)
		if s < Moderate && needed(m.importance()) <= Moderate && text.background != nil {
			s = max(s, min(p.in(text.background), Moderate))
		}
		if s > best {
			pattern, best = p.source, s
		}
	}
	return pattern, best
}

// queryText is what triggers are matched with.
type queryText struct {
	task       *lexical.Text // with the agent's names
	background *lexical.Text // plan and history; nil when there is neither
	cut        []string      // the fields of which only the beginning is matched
}

func newQueryText(q *Query) queryText {
	var t queryText
	read := func(field, s string) string {
		text, cut := normalize(s)
		if cut {
			t.cut = append(t.cut, field)
		}
		return text
	}
	t.task = lexical.NewText(read("task", q.Task), read("agent", q.Agent), read("displayName", q.DisplayName))
	if q.Plan != "" || q.History != "" {
		t.background = lexical.NewText(read("plan", q.Plan) + "\n\n" + read("history", q.History))
	}
	return t
}

// with gives the triggers with one memory in place of another of the same name;
// either may be nil or not recallable.
func (t *triggers) with(old, m *indexed) *triggers {
	next := &triggers{memories: t.memories, byTag: make(map[string][]*indexed, len(t.byTag))}
	for tag, memories := range t.byTag {
		next.byTag[tag] = memories
	}
	if old.recallable() {
		next.memories = without(next.memories, old)
		for _, tag := range tagsOf(old) {
			next.byTag[tag] = without(next.byTag[tag], old)
		}
	}
	if m.recallable() {
		next.memories = inserted(next.memories, m)
		for _, tag := range tagsOf(m) {
			next.byTag[tag] = inserted(next.byTag[tag], m)
		}
	}
	return next
}

func without(memories []*indexed, m *indexed) []*indexed {
	i := place(memories, m)
	return slices.Concat(memories[:i], memories[i+1:])
}

func inserted(memories []*indexed, m *indexed) []*indexed {
	i := place(memories, m)
	return slices.Concat(memories[:i], []*indexed{m}, memories[i:])
}

// place is where m stands, or has to stand, in the order of names.
func place(memories []*indexed, m *indexed) int {
	i, _ := slices.BinarySearchFunc(memories, m.name, func(m *indexed, name string) int { return strings.Compare(m.name, name) })
	return i
}
