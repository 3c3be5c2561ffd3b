package memory

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Parse reads a memory file (docs/decisions.md, "Memory files"): Markdown with
// YAML frontmatter, and updates behind it. The name is the file's, with or without .md.
//
// Reading is lenient: a byte order mark, CRLF, fields that are missing, unknown
// or written in another of the usual ways, and scalars that lack their quotes.
// Title and triggers are all that recall needs. The error, a [*ParseError], says
// that the first entry cannot be used: it is not UTF-8, larger than 1 MiB, has
// no closed frontmatter of at most 16 KiB, YAML that cannot be read even so or
// that has aliases, anchors or custom tags, no title, or an unknown importance.
// A later entry that cannot be read stays in the body of the one before it.
func Parse(name string, data []byte) (*Memory, error) {
	m, _, err := parseMemory(name, data)
	return m, err
}

// parseMemory is Parse with everything that a person should look at, in the
// order of the lines; also what was found before an error.
func parseMemory(name string, data []byte) (*Memory, []Problem, error) {
	entries, problems, err := parseEntries(name, data)
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	if err != nil {
		return nil, problems, err
	}
	m := &Memory{Name: strings.TrimSuffix(name, ".md"), Frontmatter: entries[0].Frontmatter, Body: entries[0].Body}
	for _, e := range entries[1:] {
		m.Updates = append(m.Updates, e.Update)
		m.take(&e.Frontmatter)
		if f := e.Frontmatter; len(m.WhenToUse) >= maxJoined && len(f.WhenToUse) > 0 {
			problems = append(problems, Problem{m.Name, e.line, SeverityError,
				fmt.Sprintf("the memory has %d triggers or more; those of later updates are not used", maxJoined)})
		}
	}
	if own := entries[0].Frontmatter; !reflect.DeepEqual(own, m.Frontmatter) {
		m.Original = &own
	}
	return m, problems, nil
}

// Format gives the file of a memory, its updates included (docs/decisions.md,
// "Memory files"). A zero DiscoveredAt is now; Name is not written. The body is
// brought into normal form (LF, no blank lines at either end), and then Parse
// gives back what was given.
//
// Writing is strict. Required are title, at least one whenToUse, importance and
// discoveredBy, of an update only title and discoveredBy. What breaks that, is
// not UTF-8, has control characters or line breaks where one line is meant, or
// cannot be written as YAML, is [ErrInvalid]; what is past a cap (256 bytes of a
// trigger, 16 KiB of frontmatter, 1 MiB of file) is [ErrTooLarge]. The message
// names the field.
func Format(m *Memory) ([]byte, error) {
	if m == nil {
		return nil, fmt.Errorf("memory is nil: %w", ErrInvalid)
	}
	now := time.Now()
	first, err := formatEntry(&Update{*m.first(), m.Body}, true, now)
	if err != nil {
		return nil, err
	}
	texts, err := formatUpdates(m.Updates, now)
	if err != nil {
		return nil, err
	}
	file := strings.Join(append([]string{first}, texts...), separator) + "\n"
	if len(file) > maxFile {
		return nil, fmt.Errorf("file: %d bytes; at most %d are allowed: %w", len(file), maxFile, ErrTooLarge)
	}
	return []byte(file), nil
}

// formatUpdates gives the text of later entries.
func formatUpdates(updates []Update, now time.Time) ([]string, error) {
	texts := make([]string, len(updates))
	for i := range updates {
		text, err := formatEntry(&updates[i], false, now)
		if err != nil {
			return nil, fmt.Errorf("updates[%d].%w", i, err)
		}
		texts[i] = text
	}
	return texts, nil
}
