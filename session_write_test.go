package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// changed gives a session file after a change by the developer.
func changed(t *testing.T, file string, change func(*Session) error) (string, error) {
	t.Helper()
	store := NewMapStore()
	write(t, store, sessionPath, file)
	err := change(openSession(t, store, nil))
	return docText(t, store, sessionPath), err
}

func TestContextKeepsWhatItDoesNotKnow(t *testing.T) {
	const file = sessionHead + `context:
  filesInScope:
    # the heart of it
    - path: a.go
      status: pending # soon
      owner: ann
    - path: b.go # beside
      size: 12
  codebaseUnderstanding:
    runtime: Go
    database: Postgres # from the ops team
  blockers:
    - no key # since Monday
    - no database
`
	tests := []struct {
		name       string
		change     func(*SessionContext)
		kept, gone []string
	}{
		{"fields", func(c *SessionContext) {
			c.FilesInScope[0].Status, c.CodebaseUnderstanding.Runtime = "complete", "Go 1.26"
		}, []string{"owner: ann", "the heart of it", "# soon", "status: \"complete\"", "database: Postgres # from the ops team"}, []string{"pending"}},
		{"one taken out", func(c *SessionContext) {
			c.FilesInScope, c.Blockers = c.FilesInScope[1:], c.Blockers[:1]
		}, []string{"- path: b.go # beside\n      size: 12", "no key # since Monday"}, []string{"a.go", "no database"}},
		{"one replaced", func(c *SessionContext) {
			c.FilesInScope = []FileInScope{c.FilesInScope[0], {Path: "c.go"}}
		}, []string{"owner: ann", "path: \"c.go\""}, []string{"b.go"}},
		{"another order", func(c *SessionContext) {
			c.FilesInScope = []FileInScope{{Path: "c.go"}, c.FilesInScope[1], {Path: "a.go", Status: "complete", Purpose: "Login"}}
			c.Blockers = []string{"no database", "no key"}
		}, []string{"owner: ann", "size: 12", "# beside", "status: \"complete\"", "purpose: \"Login\"", "no key # since Monday"}, []string{"pending"}},
		{"emptied", func(c *SessionContext) { c.FilesInScope = nil }, []string{"filesInScope: []", "Postgres"}, []string{"a.go"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var want SessionContext
			text, err := changed(t, file, func(s *Session) error {
				err := s.UpdateContext(context.Background(), func(c *SessionContext) { test.change(c); want = *c })
				is := memoryOf(t, s).Context
				assert.ElementsMatch(t, want.FilesInScope, is.FilesInScope)
				assert.ElementsMatch(t, want.Blockers, is.Blockers)
				return err
			})
			assert.NoError(t, err)
			for _, kept := range test.kept {
				assert.Contains(t, text, kept)
			}
			for _, gone := range test.gone {
				assert.NotContains(t, text, gone)
			}
		})
	}
}

// TestContextOfAnotherShape: what does not fit its field is not lost.
func TestContextOfAnotherShape(t *testing.T) {
	ctx := context.Background()
	text, err := changed(t, sessionHead+"context:\n  filesInScope:\n    - main.go\n  blockers:\n    - {what: db}\n", func(s *Session) error {
		return s.UpdateContext(ctx, func(c *SessionContext) {
			c.FilesInScope = append(c.FilesInScope, FileInScope{Path: "b.go"})
			c.Blockers = append(c.Blockers, "x")
		})
	})
	assert.NoError(t, err)
	for _, want := range []string{"main.go", "what: db", "b.go", `"x"`} {
		assert.Contains(t, text, want)
	}
	text, err = changed(t, sessionHead+"context: we wait for the database team\n", func(s *Session) error {
		return s.UpdateContext(ctx, func(c *SessionContext) { c.CurrentPlanStep = 2 })
	})
	assert.ErrorIs(t, err, ErrInvalid)
	assert.Contains(t, text, "database team")
}

func TestProgressKeepsSubTasks(t *testing.T) {
	const file = sessionHead + `attempts:
  - id: attempt-001
    description: d
    subTasks:
      - description: Route # first
        owner: ann
        status: pending
      # then
      - description: Token
        status: pending
`
	for name, tasks := range map[string][]SubTask{
		"one ends":  {{"Route", "complete"}, {"Token", "pending"}},
		"one more":  {{"Route", "complete"}, {"Token", "pending"}, {"Test", "pending"}},
		"one less":  {{"Route", "complete"}},
		"reordered": {{"Token", "pending"}, {"Route", "complete"}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := changed(t, file, func(s *Session) error {
				err := s.Progress(context.Background(), "attempt-001", AttemptProgress{SubTasks: tasks})
				assert.Equal(t, tasks, memoryOf(t, s).Attempts[0].SubTasks)
				return err
			})
			assert.NoError(t, err)
			assert.Contains(t, text, "owner: ann")
			assert.Contains(t, text, "# first")
		})
	}
}

func TestChangeApproach(t *testing.T) {
	ctx := context.Background()
	file := checkedFile
	for _, step := range []struct {
		name, approach string
		want           error
		before         []string
	}{
		{"the first", "A\nof two lines\n", nil, nil},
		{"the same", "A\nof two lines", nil, nil},
		{"empty", " \n", ErrInvalid, nil},
		{"another", "B", nil, []string{"A\nof two lines\n"}},
		{"a third", "C", nil, []string{"A\nof two lines\n", "B"}},
	} {
		text, err := changed(t, file, func(s *Session) error {
			err := s.ChangeApproach(ctx, "attempt-001", step.approach)
			assert.Equal(t, step.before, memoryOf(t, s).Attempts[0].PreviousApproaches, step.name)
			return err
		})
		assert.ErrorIs(t, err, step.want, step.name)
		file = text
	}
}

// TestWhatProgramsPrintIsWritten: no text keeps an attempt from its end, and one of several
// lines is a block, whatever ends them.
func TestWhatProgramsPrintIsWritten(t *testing.T) {
	ctx := context.Background()
	const printed = "a\xff\r\nb\x00\rc\r\x00\n"
	const written = "a\uFFFD\nb\nc\n"
	text, err := changed(t, checkedFile, func(s *Session) error {
		return errors.Join(s.ChangeApproach(ctx, "attempt-001", printed), s.ChangeApproach(ctx, "attempt-001", written),
			s.Progress(ctx, "attempt-001", AttemptProgress{Progress: printed, Commands: []string{printed}, SubTasks: []SubTask{{printed, "pending"}}}),
			s.FinishAttempt(ctx, "attempt-001", AttemptEnd{Result: AttemptFailure, Output: printed, Artifacts: []Artifact{{Path: "p", Content: printed}}}),
			second(s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: printed, RelatedFiles: []string{printed}})),
			second(s.AddDecision(ctx, Decision{Type: Skip, Description: printed, Alternatives: []Alternative{{printed, printed}}})))
	})
	require.NoError(t, err)
	d, err := readSession([]byte(text))
	require.NoError(t, err)
	m := d.memory()
	a := m.Attempts[0]
	assert.Equal(t, []string{written, written, written, written, written, written},
		[]string{a.Approach, a.Progress, a.Commands[0], a.SubTasks[0].Description, a.Output, a.Artifacts[0].Content})
	assert.Empty(t, a.PreviousApproaches, "the same")
	assert.Equal(t, []string{written, written, written, written},
		[]string{m.Discoveries[1].Content, m.Discoveries[1].RelatedFiles[0], m.Decisions[1].Description, m.Decisions[1].Alternatives[0].Reason})
	assert.Contains(t, text, "    output: |\n      a\uFFFD\n      b\n      c\n")
	given := Attempt{Description: "d\x00", SubTasks: []SubTask{{"s\x00", "pending"}}, TokensUsed: &TokensUsed{}}
	_, err = changed(t, sessionHead, func(s *Session) error { return second(s.StartAttempt(ctx, given)) })
	require.NoError(t, err)
	assert.Equal(t, "s\x00", given.SubTasks[0].Description, "the host's value stays")
}

// TestTimesAreWrittenInMilliseconds: as the convention has them, and so that what was
// found at the very end of an attempt was found during it.
func TestTimesAreWrittenInMilliseconds(t *testing.T) {
	ctx := context.Background()
	store, c := NewMapStore(), &clock{noon.Add(28978999999)}
	s := openSession(t, store, clockedOptions(c))
	id := startAttempt(t, s, "d")
	c.pass(time.Second + 500*time.Microsecond)
	addDiscovery(t, s, "at the end")
	require.NoError(t, s.FinishAttempt(ctx, id, AttemptEnd{Result: AttemptSuccess}))
	require.NoError(t, second(s.AddDecision(ctx, Decision{Type: Skip, Description: "d", Timestamp: noon.Add(1)})))
	r, err := s.Run(ctx, id)
	require.NoError(t, err)
	assert.Contains(t, r.Output, "at the end")
	require.NoError(t, second(s.Archive(ctx, -1)))
	text := docText(t, store, sessionPath) + docText(t, store, archivePath)
	assert.Contains(t, text, `"2026-02-12T12:00:28.978Z"`)
	assert.Contains(t, text, `"2026-02-12T12:00:00.000Z"`)
	assert.NotRegexp(t, `\.\d{4,}Z`, text)
}

func TestFinishAttemptEndsItsIssue(t *testing.T) {
	const file = sessionHead + "attempts:\n  - id: a\n    description: d\n    status: working\n    currentIssue: no database # since Monday\n"
	for result, want := range map[AttemptResult]string{AttemptSuccess: "currentIssue: null", AttemptFailure: "currentIssue: no database", AttemptPartial: "currentIssue: no database"} {
		text, err := changed(t, file, func(s *Session) error {
			return s.FinishAttempt(context.Background(), "a", AttemptEnd{Result: result})
		})
		assert.NoError(t, err)
		assert.Contains(t, text, want)
		assert.NotContains(t, text, "working")
	}
}

// TestResultsThatAreNone: case does not count, and an unknown result is no end: it can be
// mended, is not archived, and nothing is learned from it.
func TestResultsThatAreNone(t *testing.T) {
	ctx := context.Background()
	for result, ended := range map[string]bool{"In_Progress": false, "IN_PROGRESS ": false, "failed": false, "[success]": false, "'": false, "~": false,
		"Success": true, "FAILURE": true, "' partial'": true} {
		if result == "'" {
			result = "''"
		}
		file := sessionHead + "attempts:\n  - id: a\n    timestamp: 2026-01-01\n    description: d\n    result: " + result + "\n"
		moved := 0
		text, err := changed(t, file, func(s *Session) (err error) {
			assert.Equal(t, ended, second(s.Run(ctx, "a")) == nil, result)
			moved, err = s.Archive(ctx, 0)
			return err
		})
		require.NoError(t, err)
		assert.Equal(t, ended, moved == 1, result)
		_, err = changed(t, text, func(s *Session) error { return s.Progress(ctx, "a", AttemptProgress{Progress: "1%"}) })
		assert.Equal(t, ended, err != nil, result)
		text, err = changed(t, text, func(s *Session) error { return s.FinishAttempt(ctx, "a", AttemptEnd{Result: AttemptPartial}) })
		assert.Equal(t, ended, err != nil, result)
		assert.Equal(t, !ended, strings.Contains(text, `result: "partial"`), result)
	}
	assert.Contains(t, FormatSession(decoded(t, "attempts: [{description: d, result: Failure, output: o}]")), "- d: o\n")
}

// decoded gives what a file says.
func decoded(t *testing.T, file string) *SessionMemory {
	t.Helper()
	d, err := readSession([]byte(file))
	require.NoError(t, err)
	return d.memory()
}

// TestAttemptsWithoutID: neither "null" nor nothing names them.
func TestAttemptsWithoutID(t *testing.T) {
	ctx := context.Background()
	for _, id := range []string{"null", "~", ""} {
		_, err := changed(t, sessionHead+"attempts:\n  - id: "+id+"\n    description: d\n", func(s *Session) error {
			return s.Progress(ctx, id, AttemptProgress{Progress: "1"})
		})
		assert.ErrorIs(t, err, fs.ErrNotExist, id)
		_, err = changed(t, sessionHead+"attempts:\n  - id: "+id+"\n    result: success\n", func(s *Session) error {
			return second(s.Run(ctx, id))
		})
		assert.ErrorIs(t, err, fs.ErrNotExist, id)
	}
}

// TestListsBecomeWhatTheyShould: whatever of a list is changed, moved, taken out or
// added, in block and in flow style, the file then says what the context does.
func TestListsBecomeWhatTheyShould(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func() (files []FileInScope) {
		for range random.IntN(5) {
			files = append(files, FileInScope{Path: string('a' + rune(random.IntN(4))), Status: []string{"", "pending", "complete"}[random.IntN(3)]})
		}
		return files
	}
	for i := range 500 {
		was, is := some(), some()
		file := "context:\n  filesInScope: ["
		if i%2 == 0 && len(was) > 0 {
			file = "context:\n  filesInScope:\n"
		}
		for _, f := range was {
			if i%2 == 0 {
				file += fmt.Sprintf("    # about %s\n    - path: %s\n      status: %q\n", f.Path, f.Path, f.Status)
			} else {
				file += fmt.Sprintf("{path: %s, status: %q}, ", f.Path, f.Status)
			}
		}
		if i%2 != 0 || len(was) == 0 {
			file += "]\n"
		}
		text, err := changed(t, sessionHead+file+"  blockers: [x]\n", func(s *Session) error {
			err := s.UpdateContext(context.Background(), func(c *SessionContext) { c.FilesInScope = is })
			if got := memoryOf(t, s).Context; assert.Len(t, got.FilesInScope, len(is)) && len(is) > 0 {
				assert.Equal(t, is, got.FilesInScope)
			}
			return err
		})
		assert.NoError(t, err, file)
		assert.Contains(t, text, "  blockers: [x]\n")
	}
}
