package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Run gives an attempt as a [Run] for an [Extractor], so that what was learned in the session
// can outlive it: approaches, output, error, lessons, artifacts, and what was
// discovered and decided during the attempt, archived entries too. The convention does not
// link the two, so that goes by time: of attempts in parallel each has what was found
// while both ran. Why it failed, or that it works, may be found later, until the next
// attempt begins. The host sets Run.Injected, which a session does not know.
//
// An attempt that is still running, or whose result is unknown, is [ErrInvalid], one that
// does not exist [io/fs.ErrNotExist].
func (s *Session) Run(ctx context.Context, attempt string) (Run, error) {
	m, err := s.whole(ctx)
	if err != nil {
		return Run{}, fmt.Errorf("session %q: %w", s.id, err)
	}
	i := slices.IndexFunc(m.Attempts, func(a Attempt) bool { return a.ID == attempt && attempt != "" })
	switch {
	case i < 0:
		return Run{}, fmt.Errorf("session %q: %w", s.id, noAttempt(attempt))
	case !hasEnded(m.Attempts[i].Result):
		return Run{}, fmt.Errorf("session %q: attempt %q has not ended (result: %.80q): %w", s.id, attempt, m.Attempts[i].Result, ErrInvalid)
	}
	a := &m.Attempts[i]
	outcomes := map[AttemptResult]Outcome{AttemptSuccess: Success, AttemptFailure: Failure, AttemptPartial: Partial}
	r := Run{Agent: cmp.Or(m.Agent, s.agent), Task: a.Description, Err: strings.TrimSpace(a.Error), Outcome: outcomes[a.Result]}
	if !a.Timestamp.IsZero() {
		r.At = endOf(a.Timestamp, a.DurationMS)
	}
	r.Output = attemptText(a, m)
	return r, nil
}

// endOf gives when an attempt ended. A duration that no time has room for is the longest.
func endOf(began time.Time, ms int) time.Time {
	const longest = math.MaxInt64 / int(time.Millisecond)
	return began.Add(time.Duration(min(max(ms, 0), longest)) * time.Millisecond)
}

// during says whether something happened during an attempt: until its end, or where
// that is not known until the next attempt began.
func (m *SessionMemory) during(a *Attempt, t time.Time) bool {
	if a.DurationMS > 0 {
		return !t.IsZero() && !t.Before(a.Timestamp) && !t.After(endOf(a.Timestamp, a.DurationMS))
	}
	return m.beforeNext(a, t)
}

// beforeNext says whether something happened from the beginning of an attempt on, until
// the next one began.
func (m *SessionMemory) beforeNext(a *Attempt, t time.Time) bool {
	if t.IsZero() || t.Before(a.Timestamp) {
		return false
	}
	return !slices.ContainsFunc(m.Attempts, func(b Attempt) bool { return b.Timestamp.After(a.Timestamp) && !b.Timestamp.After(t) })
}

// whole reads the file and the archive as one. Of an entry that is in both, the
// file's comes first; of several in the archive, the newest.
func (s *Session) whole(ctx context.Context) (*SessionMemory, error) {
	d, err := s.read(ctx, s.name)
	if err != nil {
		return nil, err
	}
	m := d.memory()
	a, err := s.read(ctx, s.archive)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	for _, kind := range sessionKinds {
		list, _ := a.list(kind.key) // it was read
		for _, n := range slices.Backward(list) {
			if id := entryID(n); id == "" || d.find(kind.key, id) == nil {
				m.add(kind, n)
			}
		}
	}
	return m, nil
}

// add adds an entry.
func (m *SessionMemory) add(kind sessionKind, n *yaml.Node) {
	switch kind.id {
	case "discovery":
		var d Discovery
		decodeNode(n, &d)
		m.Discoveries = append(m.Discoveries, d)
	case "attempt":
		var a Attempt
		decodeNode(n, &a)
		m.Attempts = append(m.Attempts, a)
	case "decision":
		var d Decision
		decodeNode(n, &d)
		m.Decisions = append(m.Decisions, d)
	}
}

// attemptText puts into words what an attempt was.
func attemptText(a *Attempt, m *SessionMemory) string {
	var b strings.Builder
	section := func(heading, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n\n", heading, text)
		}
	}
	section("Approach", a.Approach)
	var earlier []string
	for _, approach := range a.PreviousApproaches {
		earlier = append(earlier, strings.TrimSpace(approach))
	}
	section("Earlier approaches (given up)", strings.Join(earlier, "\n\n"))
	section("Commands", strings.Join(a.Commands, "\n"))
	section("Output", a.Output)
	section("Current issue", a.CurrentIssue)
	section("Sub tasks", formatSubTasks(a.SubTasks))
	section("Lessons", a.Lessons)
	section("Next attempt", a.NextAttempt)
	for _, f := range a.Artifacts {
		section(strings.TrimSpace("File "+f.Path+" "+f.Action), cmp.Or(f.Content, "-"))
	}
	slices.SortStableFunc(m.Discoveries, func(a, b Discovery) int { return a.Timestamp.Compare(b.Timestamp) })
	for _, d := range m.Discoveries {
		isVerdict := d.Type == FailureCause || d.Type == SolutionVerified
		if m.during(a, d.Timestamp) || isVerdict && m.beforeNext(a, d.Timestamp) {
			section("Discovery ("+string(d.Type)+")", d.Content)
		}
	}
	slices.SortStableFunc(m.Decisions, func(a, b Decision) int { return a.Timestamp.Compare(b.Timestamp) })
	for _, d := range m.Decisions {
		if m.during(a, d.Timestamp) {
			section("Decision: "+d.Description, d.Reasoning)
		}
	}
	return strings.TrimSpace(b.String())
}

func formatSubTasks(tasks []SubTask) string {
	var lines []string
	for _, task := range tasks {
		lines = append(lines, fmt.Sprintf("- %s (%s)", strings.TrimSpace(task.Description), cmp.Or(task.Status, "pending")))
	}
	return strings.Join(lines, "\n")
}
