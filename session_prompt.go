package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rawko/memory/internal/markdown"
)

// What a prompt is told of a session (the convention, "Memory Usage in Agent Prompts").
const (
	shownDiscoveries = 5
	shownFailures    = 3
	shownBlockers    = 10
	maxSessionLine   = 200 // characters
	maxSessionWord   = 40  // of a type, result or agent
)

// Prompt gives the part of the agent's prompt that tells what is known of this
// session: the five newest discoveries, the three newest failures, and the current
// step with its blockers. Of each text it gives the first line, at most 200 characters,
// and says where it is cut. It is empty when there is nothing to tell, and the same for
// the same memory.
func (s *Session) Prompt(ctx context.Context) (string, error) {
	m, err := s.Memory(ctx)
	if err != nil {
		return "", err
	}
	return FormatSession(m), nil
}

// FormatSession is [Session.Prompt] of a memory at hand. That of nil is empty.
func FormatSession(m *SessionMemory) string {
	if m == nil {
		return ""
	}
	var parts []string
	for _, part := range []string{formatDiscoveries(m.Discoveries), formatFailures(m.Attempts), formatSessionContext(m.Context)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "## Prior Context from This Session\n\n" + strings.Join(parts, "\n") +
		"\nUse this context to avoid repeating discoveries or failed approaches.\n"
}

// newestFirst sorts entries. Of two with one timestamp the later in the file is newer.
func newestFirst[T any](entries []T, when func(T) time.Time) []T {
	newest := slices.Clone(entries)
	slices.Reverse(newest)
	slices.SortStableFunc(newest, func(a, b T) int { return when(b).Compare(when(a)) })
	return newest
}

func formatDiscoveries(discoveries []Discovery) string {
	newest := newestFirst(discoveries, func(d Discovery) time.Time { return d.Timestamp })
	var b strings.Builder
	for _, d := range newest[:min(len(newest), shownDiscoveries)] {
		if b.Len() == 0 {
			b.WriteString("## Key Discoveries\n")
		}
		fmt.Fprintf(&b, "- [%s] %s\n", cutLine(string(d.Type), maxSessionWord), sessionLine(d.Content))
	}
	return b.String()
}

// formatFailures gives the newest failures; what failed several times stands once, with the count.
func formatFailures(attempts []Attempt) string {
	failed := failures(attempts)
	var b strings.Builder
	for _, f := range failed[:min(len(failed), shownFailures)] {
		if b.Len() == 0 {
			b.WriteString("## Recently Failed Approaches (Don't Repeat)\n")
		}
		fmt.Fprintf(&b, "- %s: %s%s\n", sessionLine(f.Description), why(f.Attempt), times(f.count))
	}
	return b.String()
}

// failure is what failed, once or several times.
type failure struct {
	Attempt // the newest
	count   int
}

// failures gives what failed, the newest first. Attempts with one description, case
// and punctuation aside, are one failure that recurs.
func failures(attempts []Attempt) []failure {
	var failed []failure
	at := make(map[string]int)
	for _, a := range newestFirst(attempts, func(a Attempt) time.Time { return a.Timestamp }) {
		if a.Result != AttemptFailure {
			continue
		}
		title := foldTitle(a.Description)
		if i, found := at[title]; found {
			failed[i].count++
			continue
		}
		at[title] = len(failed)
		failed = append(failed, failure{a, 1})
	}
	return failed
}

// why gives why an attempt failed: in the words of its output, or else of its error.
func why(a Attempt) string {
	return sessionLine(cmp.Or(strings.TrimSpace(a.Output), a.Error))
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (failed %d times)", n)
}

func formatSessionContext(c *SessionContext) string {
	if c == nil {
		return ""
	}
	text := ""
	if c.CurrentPlanStep != 0 {
		text += fmt.Sprintf("- Step: %d\n", c.CurrentPlanStep)
	}
	if blockers := formatBlockers(c.Blockers); blockers != "" {
		text += "- Blockers: " + blockers + "\n"
	}
	if text == "" {
		return ""
	}
	return "## Current Task Context\n" + text
}

func formatBlockers(blockers []string) string {
	var lines []string
	for _, blocker := range blockers[:min(len(blockers), shownBlockers)] {
		lines = append(lines, sessionLine(blocker))
	}
	text := strings.Join(lines, ", ")
	if more := len(blockers) - shownBlockers; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// sessionLine gives what a prompt says of a text.
func sessionLine(text string) string { return cutLine(text, maxSessionLine) }

// cutLine gives the first line of a text that says something, without what
// could open a section of the prompt or hide one, and cut where it is long.
func cutLine(text string, limit int) string {
	for line := range strings.Lines(markdown.Visible(text)) {
		line = plainLine(line)
		if line == "" {
			continue
		}
		if short := shorten(line, limit); short != line {
			return short + " (cut)"
		}
		return line
	}
	return "–"
}

var (
	lineMark = regexp.MustCompile("^(?:(?:#{1,6}|[-*+]|[0-9]{1,9}[.)]|>+)(?:[ \t]|$)|>+[>#`~-]|`{3,}|~{3,})")
	noText   = regexp.MustCompile(`^[-=*_~#>+\s]*$`)
	info     = regexp.MustCompile(`^\w*$`)
)

// plainLine gives a line without the marks of headings, lists, quotes and fences that
// it begins with. A rule, an underline and a fence are nothing.
func plainLine(line string) string {
	line = markdown.Line(line)
	for {
		mark := lineMark.FindString(line)
		switch {
		case noText.MatchString(line):
			return ""
		case mark == "":
			return line
		}
		line = strings.TrimSpace(strings.TrimLeft(line, strings.TrimSpace(mark)))
		if strings.ContainsAny(mark, "`~") && info.MatchString(line) {
			return ""
		}
	}
}

// SessionSummary gives the part of an arbiter's prompt that tells what each agent of a
// session did last (the convention, "Arbiter Usage"), in the order of the agents'
// names. It is empty when there is no memory. A file that cannot be read is told of in
// the error, which comes with the summary of the others.
func SessionSummary(ctx context.Context, store Store, id string) (string, error) {
	dir, err := sessionDir(store, id)
	if err != nil {
		return "", fmt.Errorf("summary of session %q: %w", id, err)
	}
	var lines []string
	var faults []error
	for info, err := range dir.List(ctx, ".") {
		if err != nil {
			return "", fmt.Errorf("summary of session %q: %w", id, err)
		}
		if info.IsDir || !isSessionFile(info.Name) {
			continue
		}
		line, err := lastWork(ctx, dir, info.Name)
		if err != nil {
			faults = append(faults, fmt.Errorf("summary of session %q: %s: %w", id, info.Name, err))
		} else if line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", errors.Join(faults...)
	}
	slices.Sort(lines)
	return "## Previous Agent Work This Session\n\n" + strings.Join(lines, "\n") +
		"\n\nUse this to make informed decisions about which agent should work next.\n", errors.Join(faults...)
}

func isSessionFile(name string) bool {
	return strings.HasPrefix(name, sessionFile+".") && strings.HasSuffix(name, ".yaml")
}

// lastWork gives the line of one agent; "" for a file that is no agent's, such as a schema.
func lastWork(ctx context.Context, dir Store, name string) (string, error) {
	data, err := dir.Read(ctx, name)
	if err != nil {
		return "", err
	}
	d, err := readSession(data)
	if err != nil {
		return "", err
	}
	m := d.memory()
	if m.Agent == "" && m.Schema == "" && len(m.Discoveries)+len(m.Attempts)+len(m.Decisions) == 0 {
		return "", nil
	}
	return formatLastAttempt(m), nil
}

func formatLastAttempt(m *SessionMemory) string {
	agent := "unknown"
	if m.Agent != "" {
		agent = cutLine(m.Agent, maxSessionWord)
	}
	if len(m.Attempts) == 0 {
		archived := 0
		for _, h := range m.History {
			archived += max(h.Attempts, 0)
		}
		if archived > 0 {
			return fmt.Sprintf("**%s**: No recent attempts (%d archived)", agent, archived)
		}
		return fmt.Sprintf("**%s**: No attempts yet", agent)
	}
	last := m.Attempts[len(m.Attempts)-1]
	result := cutLine(string(cmp.Or(last.Result, AttemptInProgress)), maxSessionWord)
	line := fmt.Sprintf("**%s**: Last attempt (%s) - %s", agent, result, sessionLine(last.Description))
	if last.Result != AttemptFailure {
		return line
	}
	line += ": " + why(last)
	for _, f := range failures(m.Attempts) {
		if foldTitle(f.Description) == foldTitle(last.Description) {
			line += times(f.count)
		}
	}
	return line
}
