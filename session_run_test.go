package memory

import (
	"context"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failedAttempt is a session in which an attempt failed, with what was found and decided before, during and after it.
func failedAttempt(t *testing.T, store Store, c *clock) (s *Session, id string) {
	t.Helper()
	ctx := context.Background()
	s = openSession(t, store, clockedOptions(c))
	addDiscovery(t, s, "Before it.")
	c.pass(time.Minute)
	id, err := s.StartAttempt(ctx, Attempt{Description: "Implement user authentication", Approach: "OAuth2 social login.\n", Commands: []string{"npm i passport"}})
	require.NoError(t, err)
	c.pass(time.Minute)
	addDiscovery(t, s, "OAuth2 is too broad: the task requires JWT only.")
	require.NoError(t, second(s.AddDecision(ctx, Decision{Type: Skip, Description: "Leave OAuth out", Reasoning: "Scope."})))
	c.pass(time.Minute)
	require.NoError(t, s.FinishAttempt(ctx, id, AttemptEnd{Result: AttemptFailure, Output: "Callbacks do not fit.", Error: "scope exceeded\n", Lessons: "- Read first",
		NextAttempt: "JWT", Artifacts: []Artifact{{Path: "src/auth/providers.ts", Action: "create", Content: "export {}\n"}, {Path: "a.ts"}}}))
	c.pass(time.Minute)
	addDiscovery(t, s, "After it.")
	return s, id
}

func TestSessionRun(t *testing.T) {
	ctx := context.Background()
	store, c := NewMapStore(), &clock{noon}
	s, id := failedAttempt(t, store, c)
	run, err := s.Run(ctx, id)
	require.NoError(t, err)
	assert.Equal(t, Run{Agent: "developer", Task: "Implement user authentication", Err: "scope exceeded", Outcome: Failure, At: noon.Add(3 * time.Minute),
		Output: "Approach:\nOAuth2 social login.\n\nCommands:\nnpm i passport\n\nOutput:\nCallbacks do not fit.\n\nLessons:\n- Read first\n\nNext attempt:\nJWT\n\n" +
			"File src/auth/providers.ts create:\nexport {}\n\nFile a.ts:\n-\n\n" +
			"Discovery (code_pattern):\nOAuth2 is too broad: the task requires JWT only.\n\nDecision: Leave OAuth out:\nScope."}, run)

	require.NoError(t, second(s.Archive(ctx, -1)))
	archived, err := s.Run(ctx, id)
	require.NoError(t, err)
	assert.Equal(t, run, archived, "the same from the archive")

	_, err = s.Run(ctx, startAttempt(t, s, "d"))
	assert.ErrorIs(t, err, ErrInvalid, "still running")
	_, err = s.Run(ctx, "attempt-009")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	for at := 1; at <= 2; at++ {
		_, err = openSession(t, store, nil).runWith(ctx, &faultyStore{Store: s.store, at: at}, id)
		assert.ErrorIs(t, err, errFault)
	}
}

func (s *Session) runWith(ctx context.Context, store Store, id string) (Run, error) {
	s.store = store
	return s.Run(ctx, id)
}

// TestSessionRunOfHandWritten: what does not say how long it took lasts until the next begins.
func TestSessionRunOfHandWritten(t *testing.T) {
	store := NewMapStore()
	write(t, store, sessionPath, `attempts:
  - {id: a, timestamp: 2026-01-01T10:00:00Z, description: A, result: partial}
  - {id: b, timestamp: 2026-01-01T11:00:00Z, description: B, result: Success}
  - {id: c, description: C, result: success}
discoveries:
  - {timestamp: 2026-01-01T09:00:00Z, content: early}
  - {timestamp: 2026-01-01T10:30:00Z, content: middle}
  - {timestamp: 2026-01-01T11:30:00Z, content: late}
  - {content: without a time}
`)
	s := openSession(t, store, nil)
	for id, want := range map[string]Run{
		"a": {Task: "A", Outcome: Partial, At: time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), Output: "Discovery ():\nmiddle"},
		"b": {Task: "B", Outcome: Success, At: time.Date(2026, 1, 1, 11, 0, 0, 0, time.UTC), Output: "Discovery ():\nlate"},
		"c": {Task: "C", Outcome: Success},
	} {
		r, err := s.Run(context.Background(), id)
		require.NoError(t, err)
		want.Agent = "developer"
		if id == "c" {
			r.Output = ""
		}
		assert.Equal(t, want, r)
	}
}

// TestSessionRunTellsWhatWasTried: what was given up and what is open are learned from too.
func TestSessionRunTellsWhatWasTried(t *testing.T) {
	ctx := context.Background()
	s := openSession(t, NewMapStore(), nil)
	id, err := s.StartAttempt(ctx, Attempt{Description: "d", Approach: "Redis\n"})
	require.NoError(t, err)
	require.NoError(t, s.ChangeApproach(ctx, id, "Files"))
	require.NoError(t, s.ChangeApproach(ctx, id, "Tokens"))
	require.NoError(t, s.Progress(ctx, id, AttemptProgress{CurrentIssue: "no clock", SubTasks: []SubTask{{"Route", "complete"}, {"Test", ""}}}))
	require.NoError(t, s.FinishAttempt(ctx, id, AttemptEnd{Result: AttemptPartial}))
	r, err := s.Run(ctx, id)
	require.NoError(t, err)
	assert.Equal(t, "Approach:\nTokens\n\nEarlier approaches (given up):\nRedis\n\nFiles\n\nCurrent issue:\nno clock\n\nSub tasks:\n- Route (complete)\n- Test (pending)", r.Output)
}

// TestSessionRunHasTheVerdict: why it failed and that it works may be found when the attempt
// has ended, but not when the next one has begun.
func TestSessionRunHasTheVerdict(t *testing.T) {
	ctx := context.Background()
	c := &clock{noon}
	s := openSession(t, NewMapStore(), clockedOptions(c))
	discover := func(of DiscoveryType, content string) {
		c.pass(time.Minute)
		require.NoError(t, second(s.AddDiscovery(ctx, Discovery{Type: of, Content: content})))
	}
	id := startAttempt(t, s, "d")
	c.pass(time.Minute)
	require.NoError(t, s.FinishAttempt(ctx, id, AttemptEnd{Result: AttemptFailure}))
	discover(FailureCause, "the cause")
	discover(SolutionVerified, "what works")
	discover(CodePattern, "something else")
	c.pass(time.Minute)
	startAttempt(t, s, "next")
	discover(FailureCause, "of the next")
	r, err := s.Run(ctx, id)
	require.NoError(t, err)
	assert.Equal(t, "Discovery (failure_cause):\nthe cause\n\nDiscovery (solution_verified):\nwhat works", r.Output)
}

// TestSessionToLongTermMemory: a finished attempt is learned from, and recalled in another session.
func TestSessionToLongTermMemory(t *testing.T) {
	ctx := context.Background()
	s, id := failedAttempt(t, NewMapStore(), &clock{noon})
	run, err := s.Run(ctx, id)
	require.NoError(t, err)
	bank, model := keep(t, NewMapStore(), Options{}), &script{replies: []string{oauthAnswer()}}
	e, err := (&Extractor{Bank: bank, LLM: model}).Learn(ctx, run)
	require.NoError(t, err)
	assert.Equal(t, Created, e.Action, e.Reason)
	assert.Contains(t, model.last(), "OAuth2 is too broad: the task requires JWT only.", "the model saw what was discovered")
	assert.Contains(t, model.last(), "scope exceeded")
	in, err := bank.Inject(ctx, "Work.", Query{Task: "Add authentication to the admin area", Agent: "tester"})
	require.NoError(t, err)
	assert.Contains(t, in.Prompt, "### OAuth2 Integration Was Too Broad\n*Importance: HIGH*\n*Discovered by: developer on 2026-02-12*")
}
