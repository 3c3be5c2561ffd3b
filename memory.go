// Package memory gives AI agents a long-term memory kept in Markdown files with
// YAML frontmatter, which people can read, correct and put under git.
package memory

import (
	"fmt"
	"strings"
	"time"
)

// Frontmatter is what the head of a memory file says: what the memory is about,
// when to use it, and where it comes from (SPEC-0009, "Frontmatter Schema").
type Frontmatter struct {
	Title           string         // one line; unique in a bank, case, spaces and punctuation aside
	WhenToUse       []string       // triggers, see [CompilePattern]; any one that fires is enough
	Tags            []string       // categories, such as "codebase-structure" or "failures"
	Importance      Importance     // zero: not given, which counts as Medium
	DiscoveredAt    time.Time      // of a memory with updates: the newest
	DiscoveredBy    string         // the agent
	DiscoveredIn    string         // the task
	Source          string         // the file, search or page it came from
	RelatedMemories []string       // names, with or without .md
	Retired         time.Time      // set: kept on disk, never recalled
	Extra           map[string]any // keys that the schema does not know, as YAML gives them; nil: none
}

// Memory is one memory file.
type Memory struct {
	// Name is the file's name without .md. It is empty until the memory is kept,
	// and then made from the title.
	Name string
	// Frontmatter has the updates taken in: tags, triggers and related memories
	// joined; importance, source, retired and extra keys from the last entry that
	// gives them; the newest DiscoveredAt; the rest from the first entry.
	Frontmatter
	Body    string   // Markdown of the first entry
	Updates []Update // later entries, oldest first
}

// Update is a later entry of a memory file: what it gave, and its body.
// A correction is an update whose body starts with "## Correction".
type Update struct {
	Frontmatter        // zero fields were not given
	Body        string // Markdown
}

// Importance says how much a memory matters. The more it matters, the weaker a
// match suffices to recall it.
type Importance int

// The importances of SPEC-0009. The zero value is "not given".
const (
	Low Importance = iota + 1
	Medium
	High
	Critical
)

var importanceNames = [...]string{"", "low", "medium", "high", "critical"}

// String gives the name that memory files use; "" for the zero value.
func (i Importance) String() string {
	if i < 0 || int(i) >= len(importanceNames) {
		return fmt.Sprintf("Importance(%d)", int(i))
	}
	return importanceNames[i]
}

// ParseImportance reads a name as memory files use it, in any case. An unknown one is [ErrInvalid].
func ParseImportance(s string) (Importance, error) {
	name := strings.ToLower(strings.TrimSpace(s))
	for i := Low; i <= Critical; i++ {
		if importanceNames[i] == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("importance %q: want low, medium, high or critical: %w", s, ErrInvalid)
}
