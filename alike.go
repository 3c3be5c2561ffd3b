package memory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/resemble"
)

// alike finds memories by what they say: by runs of words of their entries and
// by the words of their titles. It belongs to the index, holds retired memories
// too, and looks only at what shares something with the text that it is asked for.
type alike struct {
	runs   map[uint64][]*indexed // of the sketches
	topics map[string][]*indexed // of the titles
}

func newAlike(entries map[string]*indexed) *alike {
	a := &alike{runs: make(map[uint64][]*indexed), topics: make(map[string][]*indexed)}
	for _, m := range entries {
		a.add(m)
	}
	return a
}

// add takes a memory in; a is nil as long as nobody asked, m where it is none.
func (a *alike) add(m *indexed) {
	if a == nil || m == nil {
		return
	}
	for _, run := range m.sketch {
		a.runs[run] = append(a.runs[run], m)
	}
	for _, topic := range m.topics {
		a.topics[topic] = append(a.topics[topic], m)
	}
}

func (a *alike) remove(m *indexed) {
	if a == nil || m == nil {
		return
	}
	for _, run := range m.sketch {
		drop(a.runs, run, m)
	}
	for _, topic := range m.topics {
		drop(a.topics, topic, m)
	}
}

func drop[K comparable](lists map[K][]*indexed, key K, m *indexed) {
	list := slices.DeleteFunc(lists[key], func(other *indexed) bool { return other == m })
	if lists[key] = list; len(list) == 0 {
		delete(lists, key)
	}
}

// saying gives the memories one of whose entries may say what a text says, those
// that share most first. How alike they are is for the caller to see.
func (a *alike) saying(text string) []*indexed {
	shared := make(map[*indexed]int)
	for _, run := range resemble.Sketch(unheaded(text)) {
		for _, m := range a.runs[run] {
			shared[m]++
		}
	}
	return sorted(shared)
}

// about gives the memories of whose titles' words a text has half or more, and
// two or all, the best first.
func (a *alike) about(text string) []*indexed {
	shared := make(map[*indexed]int)
	for _, topic := range resemble.Topics(text) {
		for _, m := range a.topics[topic] {
			shared[m]++
		}
	}
	for m, n := range shared {
		if 2*n < len(m.topics) || n < min(2, len(m.topics)) {
			delete(shared, m)
		}
	}
	return sorted(shared)
}

// sorted gives memories by how much they share, then the newest first, then by name.
func sorted(shared map[*indexed]int) []*indexed {
	memories := make([]*indexed, 0, len(shared))
	for m := range shared {
		memories = append(memories, m)
	}
	slices.SortFunc(memories, func(a, b *indexed) int {
		return cmp.Or(
			cmp.Compare(shared[b], shared[a]),
			b.front.DiscoveredAt.Compare(a.front.DiscoveredAt),
			strings.Compare(a.name, b.name),
		)
	})
	return memories
}

// sketch gives the sketches of a memory's entries together.
func sketch(m *Memory) []uint64 {
	var runs []uint64
	for _, text := range m.texts() {
		runs = append(runs, resemble.Sketch(text)...)
	}
	slices.Sort(runs)
	return slices.Compact(runs)
}
