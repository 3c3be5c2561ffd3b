package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// handWritten has what people and other programs write: comments, unknown keys, keys in
// another order, quotes of all kinds, blank lines, folded and kept blocks, flow style.
const handWritten = `# Session of the auth feature
schema: agent-memory   # the convention
version: '1'
agent: developer
x-owner: {team: core, tags: [a, "b"]}


attempts:
    # the first one
    - description: "Login"   # see the plan
      id: attempt-001
      mood: 'good'
      approach: >-
        folded
        text

        with a break
      result: in_progress
      output: |+
        kept

      extra: [1, 2]

discoveries:
- {id: discovery-001, type: code_pattern, content: "in flow style"}
-   id: discovery-002
    content: |2
        indented
      less
    # behind it
notes: >
  somebody's

context:
  currentPlanStep: 2 # of five
  blockers: [one, two]
  custom: yes

  # Key understanding
  codebaseUnderstanding:
    mainLanguage: TypeScript # strict
    buildTool: vite
  taskContext:
    authType: JWT # not OAuth
    nested: {a: 1}
  nextSteps:
    - "first" # now

# the end
`

// TestSessionKeepsTheRest: each method leaves every line that it is not about as it is, in order.
func TestSessionKeepsTheRest(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name  string
		do    func(*Session) error
		gone  []string // lines that go
		there string   // a part of what comes
	}{
		{"nothing", func(*Session) error { return nil }, nil, ""},
		{"discovery", func(s *Session) error {
			return second(s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: "c"}))
		}, nil, "discovery-003"},
		{"decision", func(s *Session) error { return second(s.AddDecision(ctx, Decision{Type: Skip, Description: "d"})) }, nil, "decision-001"},
		{"attempt", func(s *Session) error { return second(s.StartAttempt(ctx, Attempt{Description: "d"})) }, nil, "attempt-002"},
		{"progress", func(s *Session) error {
			return s.Progress(ctx, "attempt-001", AttemptProgress{Progress: "60%", Commands: []string{"go test"}})
		}, nil, "60%"},
		{"approach", func(s *Session) error { return s.ChangeApproach(ctx, "attempt-001", "another") },
			[]string{"      approach: >-", "        folded", "        text", "", "        with a break"}, `approach: "another"`},
		{"end", func(s *Session) error {
			return s.FinishAttempt(ctx, "attempt-001", AttemptEnd{Result: AttemptPartial, Lessons: "a\nb\n"})
		}, []string{"      result: in_progress"}, `result: "partial"`},
		{"context, a value", func(s *Session) error { return s.UpdateContext(ctx, func(c *SessionContext) { c.CurrentPlanStep = 3 }) },
			[]string{"  currentPlanStep: 2 # of five"}, "currentPlanStep: 3 # of five"},
		{"context, a list goes on", func(s *Session) error {
			return s.UpdateContext(ctx, func(c *SessionContext) { c.NextSteps = append(c.NextSteps, "second") })
		}, nil, `- "second"`},
		{"context, a new list", func(s *Session) error {
			return s.UpdateContext(ctx, func(c *SessionContext) { c.Assumptions = []string{"x"} })
		}, nil, "assumptions:"},
		{"context, a list is emptied", func(s *Session) error { return s.UpdateContext(ctx, func(c *SessionContext) { c.Blockers = nil }) },
			[]string{"  blockers: [one, two]"}, "blockers: []"},
		{"context, a free value", func(s *Session) error {
			return s.UpdateContext(ctx, func(c *SessionContext) { c.TaskContext["authType"], c.TaskContext["hours"] = "OAuth", 24 })
		}, []string{"    authType: JWT # not OAuth"}, `authType: "OAuth" # not OAuth`},
		{"context, what is understood", func(s *Session) error {
			return s.UpdateContext(ctx, func(c *SessionContext) { c.CodebaseUnderstanding.Runtime = "Deno" })
		}, nil, `runtime: "Deno"`},
		{"context, nothing", func(s *Session) error { return s.UpdateContext(ctx, func(*SessionContext) {}) }, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := NewMapStore()
			write(t, store, sessionPath, handWritten)
			s := openSession(t, store, nil)
			require.Equal(t, handWritten, docText(t, store, sessionPath), "opening changes nothing")
			require.NoError(t, c.do(s))
			got := docText(t, store, sessionPath)
			assert.Contains(t, got, c.there)
			if c.there == "" {
				assert.Equal(t, handWritten, got)
			}
			assertLinesKept(t, handWritten, got, c.gone)
		})
	}
}

// assertLinesKept says that the lines of old but for those in gone, which
// follow each other, are in text, in their order.
func assertLinesKept(t *testing.T, old, text string, gone []string) {
	t.Helper()
	if len(gone) > 0 {
		part := "\n" + strings.Join(gone, "\n") + "\n"
		require.Equal(t, 1, strings.Count(old, part))
		old = strings.Replace(old, part, "\n", 1)
	}
	rest := strings.Split(text, "\n")
	for _, line := range strings.Split(old, "\n") {
		at := 0
		for at < len(rest) && rest[at] != line {
			at++
		}
		if at == len(rest) {
			t.Fatalf("line %q is gone, or moved:\n%s", line, text)
		}
		rest = rest[at+1:]
	}
}

// TestSessionOutline: changes of a large file give what they give where the file is read as
// a whole each time, and the short way is gone.
func TestSessionOutline(t *testing.T) {
	if raceDetector {
		t.Skip("takes a minute with the race detector")
	}
	ctx := context.Background()
	change := func(i int, s *Session) (err error) {
		switch i % 6 {
		case 0:
			_, err = s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: fmt.Sprintf("Number %d:\n- a\n\n- b\n", i)})
		case 1:
			_, err = s.StartAttempt(ctx, Attempt{ID: fmt.Sprint("try-", i), Description: "d"})
		case 2:
			err = s.Progress(ctx, fmt.Sprint("try-", i-1), AttemptProgress{Progress: "50%", Commands: []string{"x"}})
		case 3:
			err = s.FinishAttempt(ctx, fmt.Sprint("try-", i-2), AttemptEnd{Result: AttemptFailure, Error: "e\nf\n"})
		case 4:
			_, err = s.AddDecision(ctx, Decision{Type: Skip, Description: "d"})
		case 5:
			err = s.UpdateContext(ctx, func(c *SessionContext) { c.CurrentPlanStep = i; c.Blockers = append(c.Blockers, fmt.Sprint(i)) })
		}
		return err
	}
	large := largeSession(40 << 10)
	for name, text := range map[string]string{
		"plain":             large,
		"comments":          strings.ReplaceAll(large, "\n    importance:", " # c\n    # d\n    importance:"),
		"no spaces":         strings.ReplaceAll(strings.ReplaceAll(large, "\n\n", "\n"), "\n  - id", "\n\n  # about\n  - id"),
		"dashes at the key": strings.ReplaceAll(strings.ReplaceAll(large, "\n  - ", "\n- "), "\n    ", "\n  "),
		"running ones":      strings.ReplaceAll(large, `-020"`+"\n    timestamp: \"2026-02-12T10:00:00.000Z\"\n    description: \"Step 20\"\n    result: \"success\"", `-020"`+"\n    description: still\n    result: in_progress"),
		"no line at end":    strings.TrimSuffix(large, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			const without = cutMark + "is not to be in a file that has an outline\n"
			store, slow := NewMapStore(), NewMapStore()
			write(t, store, sessionPath, text)
			write(t, slow, sessionPath, without+text)
			s, whole := openSession(t, store, nil), openSession(t, slow, nil)
			require.NotNil(t, s.outline)
			require.Nil(t, whole.outline)
			if name == "running ones" {
				for _, s := range []*Session{s, whole} {
					require.NoError(t, s.Progress(ctx, "attempt-020", AttemptProgress{Progress: "1%"}))
				}
				require.NotNil(t, s.outline, "a running attempt is not cut out")
			}
			short := 0
			for i := range 120 {
				require.NoError(t, change(i, s))
				require.NoError(t, change(i, whole))
				require.Equal(t, docText(t, slow, sessionPath), without+docText(t, store, sessionPath), i)
				if s.outline != nil {
					short++
				}
			}
			assert.Greater(t, short, 100)
			_, err := s.AddDiscovery(ctx, Discovery{ID: "discovery-020", Type: CodePattern, Content: "c"})
			assert.ErrorIs(t, err, ErrInvalid, "there, though cut out")
			err = s.FinishAttempt(ctx, "attempt-020", AttemptEnd{Result: AttemptSuccess})
			if name == "running ones" {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, ErrInvalid, "ended, though cut out")
			}
			addDiscovery(t, s, "it says\n"+cutMark+"0\n")
			assert.Nil(t, s.outline)
			assert.True(t, strings.Contains(docText(t, store, sessionPath), "  it says\n"), "kept as text")
			assert.True(t, strings.Contains(docText(t, store, sessionPath), "  "+cutMark+"0\n"), "kept as text")
			addDiscovery(t, s, "goes on")
		})
	}
}

// TestSessionOutlineOnlyWhereLinesAreEntries: other files are read as a whole, and changed rightly.
func TestSessionOutlineOnlyWhereLinesAreEntries(t *testing.T) {
	large := largeSession(40 << 10)
	for name, text := range map[string]string{
		"CRLF":           strings.ReplaceAll(large, "\n", "\r\n"),
		"a BOM":          "\ufeff" + large,
		"a dash alone":   strings.Replace(large, "  - id: \"discovery-010", "  -\n    id: \"discovery-010", 1),
		"an empty entry": strings.Replace(large, "  - id: \"discovery-010", "  -\n  - id: \"discovery-010", 1),
		"a text":         strings.Replace(large, "  - id: \"discovery-010", "  - text\n  - id: \"discovery-010", 1),
		"large entries":  strings.ReplaceAll(largeSession(3<<10), "Middleware pattern", strings.Repeat("long ", 2000)),
		"flow style":     sessionHead + "discoveries: [" + strings.Repeat("{id: a, content: b},\n  ", 2000) + "]\n",
		"small":          largeSession(3 << 10),
		"running ones":   strings.ReplaceAll(strings.ReplaceAll(large, "success", "in_progress"), "\ndiscoveries:\n", "\nolder:\n"),
	} {
		t.Run(name, func(t *testing.T) {
			store := NewMapStore()
			write(t, store, sessionPath, text)
			s := openSession(t, store, nil)
			assert.Nil(t, s.outline)
			before := memoryOf(t, s)
			addDiscovery(t, s, "new")
			after := memoryOf(t, s)
			assert.Equal(t, "new", after.Discoveries[len(after.Discoveries)-1].Content)
			after.Discoveries = after.Discoveries[:len(after.Discoveries)-1]
			assert.ElementsMatch(t, before.Discoveries, after.Discoveries)
			assert.Equal(t, before.Attempts, after.Attempts)
		})
	}
}
