// Package memory gives AI agents a long-term memory kept in Markdown files with
// YAML frontmatter, which people can read, correct and put under git.
//
// A [Bank] is the memories of one directory ([Open]) or of any other [Store]
// ([New]). For a task and an agent, [Bank.Recall] gives the memories whose
// triggers fire, scored and in order; [Bank.Inject] puts them into the prompt.
// [Bank.Append] keeps a new memory, or an update of one that is there.
// [Bank.Check] tells what a person should look at. An [Extractor] learns: it asks
// a model whether a finished [Run] left something worth remembering, checks the
// answer and appends it.
//
// A [Session] is what one agent found, tried and decided within one session, as YAML
// ([OpenSession]). A [Notebook] is facts and episodes that a model reads and writes
// with tools ([NewNotebook]); a [Reflector] lets it do so after a task. Both need a
// Store and no Bank.
//
// # Memory files
//
// A memory is the file <name>.md, directly in the bank's directory:
//
//	file  = entry { "\n\n---\n\n" entry }
//	entry = "---\n" YAML "---\n" "\n" body
//
// The first entry is the memory, each later one an update. A line of a body
// that could be taken for a boundary is written with a backslash before it and
// read without, so no body can forge an entry, and [Parse] gives back what
// [Format] was given. Reading is lenient and writing is strict; see [Frontmatter] for the
// fields and [CompilePattern] for triggers.
//
// # Concurrency
//
// A Bank, a Session, a Notebook and the stores of this package may be used by any number of
// goroutines, and a directory by any number of processes: appends are atomic
// and never lost. What a bank writes it recalls at once; what others change it
// sees within [Options].MaxAge. Nothing runs in the background. Memories,
// frontmatters and slices that the package gives out are the caller's to read;
// those documented as shared must not be changed.
//
// # Errors
//
// A missing memory is [io/fs.ErrNotExist]. [ErrInvalid], [ErrTooLarge],
// [ErrUnsafeName], [ErrVersion] and [ErrClosed] say what kind of thing went wrong, and
// [ParseError] where; a model's reply that cannot be understood is a [ReplyError]. A
// file that cannot be used never hides the others: it is left out of recall, told once
// to [Options].Logger, and listed by [Bank.Check].
//
// # What this is not
//
// There is no semantic search (no embeddings, no vector database), no server,
// no call of a model but by an [Extractor] or a [Reflector] and the host's own [LLM] or
// [ChatModel], and no forgetting by itself: memories stay until a person retires or removes them.
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
	// Original is what the first entry itself gave; nil where that is no other
	// than Frontmatter. It is written in Frontmatter's place as long as the
	// updates still make that of it, so that a memory can be copied whole.
	Original *Frontmatter
}

// Update is a later entry of a memory file: what it gave, and its body.
// A correction is an update whose body starts with a heading such as "## Correction".
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

// MarshalText gives the name; of the zero value the empty text.
func (i Importance) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads a name as [ParseImportance] does; the empty text is the zero value.
func (i *Importance) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*i = 0
		return nil
	}
	*i, err = ParseImportance(string(text))
	return err
}
