package memory

import (
	"cmp"
	"context"
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
	maxAgents        = 50  // of an arbiter's summary
)

// Prompt gives the part of the agent's prompt that tells what is known of this
// session: the five newest discoveries, the three newest failures, and the current
// step with its blockers. Of each text it gives the first line, at most 200 characters,
// and says where it is cut. What is dated more than a day ahead counts as the oldest. It
// is empty when there is nothing to tell, and the same for the same memory.
func (s *Session) Prompt(ctx context.Context) (string, error) {
	m, err := s.Memory(ctx)
	if err != nil {
		return "", err
	}
	ahead := s.now().Add(24 * time.Hour) // a clock that ran ahead, or a mistake
	for i := range m.Discoveries {
		if m.Discoveries[i].Timestamp.After(ahead) {
			m.Discoveries[i].Timestamp = time.Time{}
		}
	}
	for i := range m.Attempts {
		if m.Attempts[i].Timestamp.After(ahead) {
			m.Attempts[i].Timestamp = time.Time{}
		}
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
		fmt.Fprintf(&b, "- %s%s%s", sessionLine(f.Description), why(f.Attempt), times(f.count))
		if f.mended {
			b.WriteString(" (a later attempt succeeded)")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// failure is what failed, once or several times.
type failure struct {
	Attempt // the newest
	count   int
	mended  bool // a later attempt of that description succeeded
}

// failures gives what failed, the newest first. Attempts with one description, case
// and punctuation aside, are one failure that recurs.
func failures(attempts []Attempt) []failure {
	var failed []failure
	at, succeeded := make(map[string]int), make(map[string]bool)
	for _, a := range newestFirst(attempts, func(a Attempt) time.Time { return a.Timestamp }) {
		title := foldTitle(a.Description)
		if a.Result == AttemptSuccess {
			succeeded[title] = true
		}
		if a.Result != AttemptFailure {
			continue
		}
		if i, found := at[title]; found {
			failed[i].count++
			continue
		}
		at[title] = len(failed)
		failed = append(failed, failure{a, 1, succeeded[title]})
	}
	return failed
}

// why gives why an attempt failed: in the words of its output, or else of its error or
// its lessons; "" where none says something.
func why(a Attempt) string {
	for _, text := range []string{a.Output, a.Error, a.Lessons} {
		if line := firstLine(text, maxSessionLine); line != "" {
			return ": " + line
		}
	}
	return ""
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

// cutLine gives the first line of a text, and a dash for a text that says nothing.
func cutLine(text string, limit int) string { return cmp.Or(firstLine(text, limit), "–") }

// firstLine gives the first line of a text that says something, without what
// could open a section of the prompt or hide one, and cut where it is long. A heading
// is shown when there is nothing else.
func firstLine(text string, limit int) string {
	heading := ""
	for line := range strings.Lines(markdown.Visible(text)) {
		line, isHeading := plainLine(line)
		if isHeading {
			heading = cmp.Or(heading, line)
		} else if line != "" {
			return cutAt(line, limit)
		}
	}
	return cutAt(heading, limit)
}

func cutAt(line string, limit int) string {
	if short := shorten(line, limit); short != line {
		return short + " (cut)"
	}
	return line
}

var (
	// lineMark begins a heading or a fence, in lists and quotes too.
	lineMark = regexp.MustCompile("^(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+|>[ \t]*)*(#{1,6}(?:[ \t]+|$)|`{3,}|~{3,})")
	noText   = regexp.MustCompile(`^[-=*_~#>+\s]*$`)
	info     = regexp.MustCompile(`^\w*$`)
)

const maxPlain = 4096 // bytes of a line that are looked at

// plainLine gives a line without the marks of headings and fences that it begins with.
// A rule, an underline and a fence are nothing.
func plainLine(line string) (text string, isHeading bool) {
	line = markdown.Line(line[:min(len(line), maxPlain)])
	for {
		if noText.MatchString(line) {
			return "", isHeading
		}
		mark := lineMark.FindStringSubmatch(line)
		if mark == nil {
			return line, isHeading
		}
		line = markdown.Line(line[len(mark[0]):])
		if isHeading = strings.HasPrefix(mark[1], "#"); !isHeading && info.MatchString(line) {
			return "", false
		}
	}
}
