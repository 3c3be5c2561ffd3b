package memory

import (
	"context"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	sessionID   = "20260123-103000-abc1def2-auth-feature"
	sessionPath = sessionID + "/agent-memory.yaml"
	archivePath = sessionID + "/agent-memory-archive.yaml"
)

// openSession opens the developer's memory at noon.
func openSession(t testing.TB, store Store, o *SessionOptions) *Session {
	t.Helper()
	return openAgent(t, store, "developer", o)
}

func openAgent(t testing.TB, store Store, agent string, o *SessionOptions) *Session {
	t.Helper()
	if o == nil {
		o = &SessionOptions{}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}
	s, err := OpenSession(context.Background(), store, sessionID, agent, o)
	require.NoError(t, err)
	return s
}

// docText gives a document's text.
func docText(t testing.TB, store Store, name string) string {
	t.Helper()
	data, err := store.Read(context.Background(), name)
	require.NoError(t, err)
	return string(data)
}

func addDiscovery(t testing.TB, s *Session, content string) string {
	t.Helper()
	id, err := s.AddDiscovery(context.Background(), Discovery{Type: CodePattern, Content: content})
	require.NoError(t, err)
	return id
}

func startAttempt(t testing.TB, s *Session, description string) string {
	t.Helper()
	id, err := s.StartAttempt(context.Background(), Attempt{Description: description})
	require.NoError(t, err)
	return id
}

func memoryOf(t testing.TB, s *Session) *SessionMemory {
	t.Helper()
	m, err := s.Memory(context.Background())
	require.NoError(t, err)
	return m
}

// clock is a time that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time               { return c.at }
func (c *clock) pass(d time.Duration)         { c.at = c.at.Add(d) }
func clockedOptions(c *clock) *SessionOptions { return &SessionOptions{Now: c.now} }

// TestSessionMoments: each moment that the convention names has its method, and the
// file that they make stands as a golden.
func TestSessionMoments(t *testing.T) {
	ctx := context.Background()
	store, c := NewMapStore(), &clock{noon}
	s := openSession(t, store, clockedOptions(c))

	found, err := s.AddDiscovery(ctx, Discovery{Type: CodebaseStructure, Importance: High, RelatedFiles: []string{"src/auth/"}, ActionItems: []string{"Extend"},
		Content: "Project uses TypeScript with Deno.\n- src/\n  - api/\n\nExtend, do not replace.\n"})
	require.NoError(t, err)
	tried, err := s.StartAttempt(ctx, Attempt{PlanStep: 2, Description: "Implement login endpoint", Approach: "Sessions in Redis.\n"})
	require.NoError(t, err)
	c.pass(time.Minute)
	require.NoError(t, s.Progress(ctx, tried, AttemptProgress{Status: "working", Progress: "60%", CurrentIssue: "no store",
		SubTasks: []SubTask{{"Create login route", "complete"}, {"Test endpoint", "pending"}}, Commands: []string{"npm test"}}))
	require.NoError(t, s.ChangeApproach(ctx, tried, "Tokens, as the task says.\n"))
	require.NoError(t, s.ChangeApproach(ctx, tried, "Tokens with a refresh."))
	require.NoError(t, s.Progress(ctx, tried, AttemptProgress{Progress: "90%", Commands: []string{"curl /login"}, NextStep: "Test it"}))
	c.pass(25 * time.Second)
	yes := true
	chosen, err := s.AddDecision(ctx, Decision{Type: Architectural, Description: "Choose JWT", Reasoning: "- Task says so\n- Simpler\n", Impact: High,
		Reversible: &yes, Alternatives: []Alternative{{"OAuth2", "too large"}, {Name: "API keys"}}, RelatedDiscoveries: []string{found}})
	require.NoError(t, err)
	require.NoError(t, s.FinishAttempt(ctx, tried, AttemptEnd{Result: AttemptFailure, Error: "Scope too broad.\nThe task asks for JWT.\n",
		Lessons: "- Read first\n- Stick to JWT\n", NextAttempt: "Return to JWT", Iterations: 2, TokensUsed: &TokensUsed{2100, 1230},
		Artifacts: []Artifact{{Path: "src/auth/login.ts", Action: "create", Status: "success", Content: "export {}\n"}}}))
	require.NoError(t, s.UpdateContext(ctx, func(c *SessionContext) {
		c.CurrentPlanStep, c.PlanStepStatus, c.Blockers = 2, "in_progress", []string{"No store"}
		c.FilesInScope = []FileInScope{{"src/auth/login.ts", "in_progress", "Login endpoint"}}
		c.CodebaseUnderstanding = &CodebaseUnderstanding{MainLanguage: "TypeScript", ExistingPatterns: []string{"Middleware"}}
		c.TaskContext = map[string]any{"authType": "JWT", "hours": 24}
	}))
	require.NoError(t, s.UpdateContext(ctx, func(c *SessionContext) { c.Blockers = nil; c.NextSteps = append(c.NextSteps, "Write tests") }))

	assert.Equal(t, []string{"discovery-001", "attempt-001", "decision-001"}, []string{found, tried, chosen})
	golden(t, "session/moments.yaml", []byte(docText(t, store, sessionPath)))
	m := memoryOf(t, s)
	assert.Equal(t, 85000, m.Attempts[0].DurationMS, "since the attempt began")
	assert.Equal(t, &TokensUsed{2100, 1230}, m.Attempts[0].TokensUsed)
	assert.Equal(t, []Alternative{{"OAuth2", "too large"}, {Name: "API keys"}}, m.Decisions[0].Alternatives)
	assert.Equal(t, []string{"Write tests"}, m.Context.NextSteps)
}

func TestSessionRefuses(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	s := openSession(t, store, nil)
	running := startAttempt(t, s, "run")
	ended := startAttempt(t, s, "end")
	require.NoError(t, s.FinishAttempt(ctx, ended, AttemptEnd{Result: AttemptSuccess}))
	before := docText(t, store, sessionPath)
	discover := func(change func(*Discovery)) error {
		d := Discovery{Type: CodePattern, Content: "c"}
		change(&d)
		_, err := s.AddDiscovery(ctx, d)
		return err
	}
	for name, c := range map[string]struct {
		err, want error
	}{
		"a discovery without content":     {discover(func(d *Discovery) { d.Content = " \n" }), ErrInvalid},
		"a discovery of NULs":             {discover(func(d *Discovery) { d.Content = "\x00" }), ErrInvalid},
		"a discovery without a type":      {discover(func(d *Discovery) { d.Type = "" }), ErrInvalid},
		"a discovery of an unknown type":  {discover(func(d *Discovery) { d.Type = "guess" }), ErrInvalid},
		"an unknown importance":           {discover(func(d *Discovery) { d.Importance = 7 }), ErrInvalid},
		"an id of two lines":              {discover(func(d *Discovery) { d.ID = "a\nb" }), ErrInvalid},
		"an id that is too long":          {discover(func(d *Discovery) { d.ID = strings.Repeat("x", maxID+1) }), ErrInvalid},
		"a year that cannot be written":   {discover(func(d *Discovery) { d.Timestamp = noon.AddDate(9000, 0, 0) }), ErrInvalid},
		"an attempt without description":  {second(s.StartAttempt(ctx, Attempt{})), ErrInvalid},
		"an unknown result":               {second(s.StartAttempt(ctx, Attempt{Description: "d", Result: "great"})), ErrInvalid},
		"a decision without description":  {second(s.AddDecision(ctx, Decision{Type: Skip})), ErrInvalid},
		"a decision of an unknown type":   {second(s.AddDecision(ctx, Decision{Type: "x", Description: "d"})), ErrInvalid},
		"an unknown impact":               {second(s.AddDecision(ctx, Decision{Type: Skip, Description: "d", Impact: -1})), ErrInvalid},
		"an end that is none":             {s.FinishAttempt(ctx, running, AttemptEnd{Result: AttemptInProgress}), ErrInvalid},
		"an attempt of negative time":     {second(s.StartAttempt(ctx, Attempt{Description: "d", DurationMS: -1})), ErrInvalid},
		"negative iterations":             {s.Progress(ctx, running, AttemptProgress{Iterations: -1}), ErrInvalid},
		"negative tokens":                 {s.FinishAttempt(ctx, running, AttemptEnd{Result: AttemptSuccess, TokensUsed: &TokensUsed{Input: 1, Output: -1}}), ErrInvalid},
		"an end without result":           {s.FinishAttempt(ctx, running, AttemptEnd{}), ErrInvalid},
		"an end of what has ended":        {s.FinishAttempt(ctx, ended, AttemptEnd{Result: AttemptSuccess}), ErrInvalid},
		"an end of what is not there":     {s.FinishAttempt(ctx, "attempt-009", AttemptEnd{Result: AttemptSuccess}), fs.ErrNotExist},
		"progress of what has ended":      {s.Progress(ctx, ended, AttemptProgress{Progress: "1%"}), ErrInvalid},
		"progress of what is not there":   {s.Progress(ctx, "", AttemptProgress{Progress: "1%"}), fs.ErrNotExist},
		"another approach, ended already": {s.ChangeApproach(ctx, ended, "x"), ErrInvalid},
		"a free value that is a function": {s.UpdateContext(ctx, func(c *SessionContext) { c.TaskContext = map[string]any{"f": func() {}} }), ErrInvalid},
	} {
		assert.ErrorIs(t, c.err, c.want, name)
		assert.ErrorContains(t, c.err, sessionID, name)
	}
	assert.Equal(t, before, docText(t, store, sessionPath))
}

func second[T any](_ T, err error) error { return err }

func TestSessionNames(t *testing.T) {
	for _, c := range []struct{ id, agent string }{
		{"", "a"}, {".", "a"}, {"..", "a"}, {"a/b", "a"}, {"../x", "a"}, {".x", "a"}, {"con", "a"},
		{"s", ""}, {"s", "a/b"}, {"s", "../a"}, {"s", "a\u200b"}, {"s", strings.Repeat("a", 250)},
	} {
		_, err := OpenSession(context.Background(), NewMapStore(), c.id, c.agent, nil)
		assert.ErrorIs(t, err, ErrUnsafeName, c)
		if c.agent == "a" {
			_, err = SessionSummary(context.Background(), NewMapStore(), c.id)
			assert.ErrorIs(t, err, ErrUnsafeName, c)
		}
	}
	_, err := OpenSession(context.Background(), nil, "s", "a", nil)
	assert.ErrorIs(t, err, ErrInvalid)
	_, err = OpenSession(context.Background(), NewMapStore(), "s", "a", nil)
	assert.NoError(t, err, "no options are all defaults")
}

// TestSessionErrorsSayWhatIsWrong: an attempt that is archived is another matter than none.
func TestSessionErrorsSayWhatIsWrong(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	s := openSession(t, store, nil)
	id := startAttempt(t, s, "d")
	require.NoError(t, s.FinishAttempt(ctx, id, AttemptEnd{Result: AttemptSuccess}))
	require.NoError(t, second(s.Archive(ctx, -1)))
	archived := s.Progress(ctx, id, AttemptProgress{Progress: "1%"})
	for _, c := range []struct {
		err, want error
		says      string
	}{
		{archived, ErrInvalid, `attempt "attempt-001" has ended and is archived`},
		{s.Progress(ctx, "attempt-009", AttemptProgress{Progress: "1%"}), fs.ErrNotExist, `attempt "attempt-009": no such attempt`},
		{second(s.Run(ctx, "attempt-009")), fs.ErrNotExist, `attempt "attempt-009": no such attempt`},
		{second(OpenSession(ctx, store, "s", "", nil)), ErrUnsafeName, "agent is empty"},
		{second(OpenSession(ctx, store, "", "a", nil)), ErrUnsafeName, "session is empty"},
		{second(SessionSummary(ctx, store, "")), ErrUnsafeName, "session is empty"},
	} {
		assert.ErrorIs(t, c.err, c.want, c.says)
		assert.ErrorContains(t, c.err, c.says)
	}
	assert.NotErrorIs(t, archived, fs.ErrNotExist)
}

func TestSessionNamesItself(t *testing.T) {
	store := NewMapStore()
	s, other := openSession(t, store, nil), openAgent(t, store, "tester", nil)
	assert.Equal(t, []string{sessionID, "developer", sessionPath}, []string{s.ID(), s.Agent(), s.Name()})
	assert.Equal(t, sessionID+"/agent-memory.tester.yaml", other.Name())
	assert.NotEmpty(t, docText(t, store, other.Name()))
}

func TestSessionIDs(t *testing.T) {
	ctx := context.Background()
	t.Run("counted by kind", func(t *testing.T) {
		s := openSession(t, NewMapStore(), nil)
		assert.Equal(t, "discovery-001", addDiscovery(t, s, "a"))
		assert.Equal(t, "attempt-001", startAttempt(t, s, "a"))
		assert.Equal(t, "discovery-002", addDiscovery(t, s, "b"))
		id, err := s.AddDecision(ctx, Decision{Type: Skip, Description: "d"})
		require.NoError(t, err)
		assert.Equal(t, "decision-001", id)
	})
	t.Run("from the highest, past a thousand, whatever else stands there", func(t *testing.T) {
		store := NewMapStore()
		write(t, store, sessionPath, sessionHead+"discoveries:\n  - id: disc-auth-001\n  - id: discovery-1041\n  - id: \"discovery-7\"\n  - id: attempt-2000\n  - id: discovery-20260123103000\n  - plain\n")
		assert.Equal(t, "discovery-1042", addDiscovery(t, openSession(t, store, nil), "a"))
	})
	t.Run("the host's own", func(t *testing.T) {
		store := NewMapStore()
		s := openSession(t, store, nil)
		for _, id := range []string{"attempt-oauth", "attempt-005"} {
			got, err := s.StartAttempt(ctx, Attempt{ID: id, Description: "d"})
			require.NoError(t, err)
			assert.Equal(t, id, got)
			_, err = s.StartAttempt(ctx, Attempt{ID: id, Description: "d"})
			assert.ErrorIs(t, err, ErrInvalid, "twice")
		}
		assert.Equal(t, "attempt-006", startAttempt(t, s, "d"))
		_, err := s.AddDiscovery(ctx, Discovery{ID: "attempt-oauth", Type: CodePattern, Content: "c"})
		assert.NoError(t, err, "each kind has its own")
	})
	t.Run("not again after archiving", func(t *testing.T) {
		store, c := NewMapStore(), &clock{noon}
		s := openSession(t, store, clockedOptions(c))
		addDiscovery(t, s, "a")
		_, err := s.AddDiscovery(ctx, Discovery{ID: "own", Type: CodePattern, Content: "c"})
		require.NoError(t, err)
		c.pass(3 * time.Hour)
		_, err = s.Archive(ctx, 0)
		require.NoError(t, err)
		require.Empty(t, memoryOf(t, s).Discoveries)
		for _, handle := range []*Session{s, openSession(t, store, nil)} {
			_, err = handle.AddDiscovery(ctx, Discovery{ID: "own", Type: CodePattern, Content: "c"})
			assert.ErrorIs(t, err, ErrInvalid, "in the archive")
		}
		assert.Equal(t, "discovery-002", addDiscovery(t, openSession(t, store, nil), "b"))
	})
	t.Run("not again when the history was deleted", func(t *testing.T) {
		store := archivedTo(t, 7)
		write(t, store, sessionPath, sessionHead)
		assert.Equal(t, "discovery-008", addDiscovery(t, openSession(t, store, nil), "b"))
	})
	t.Run("not again when the archive was deleted", func(t *testing.T) {
		store := archivedTo(t, 7)
		require.NoError(t, store.Remove(ctx, archivePath))
		assert.Equal(t, "discovery-008", addDiscovery(t, openSession(t, store, nil), "b"))
	})
	t.Run("not again after somebody deleted the file", func(t *testing.T) {
		store := NewMapStore()
		s := openSession(t, store, nil)
		addDiscovery(t, s, "a")
		require.NoError(t, store.Remove(ctx, sessionPath))
		assert.Equal(t, "discovery-002", addDiscovery(t, s, "b"))
		assert.Contains(t, docText(t, store, sessionPath), "version: \"1\"\n", "made anew")
	})
	t.Run("not again when another handle archived and the file was deleted", func(t *testing.T) {
		store, c := NewMapStore(), &clock{noon}
		s, other := openSession(t, store, clockedOptions(c)), openSession(t, store, clockedOptions(c))
		addDiscovery(t, s, "a")
		addDiscovery(t, other, "b")
		addDiscovery(t, other, "c")
		_, err := other.Archive(ctx, -time.Second)
		require.NoError(t, err)
		require.NoError(t, store.Remove(ctx, sessionPath))
		assert.Equal(t, "discovery-004", addDiscovery(t, s, "d"))
	})
	t.Run("not while a decision names it", func(t *testing.T) {
		for _, list := range []string{"[discovery-007, discovery-002]", "discovery-007", "\n      - x\n      - discovery-007"} {
			for _, path := range []string{sessionPath, archivePath} {
				store := NewMapStore()
				write(t, store, path, sessionHead+"decisions:\n  - id: d\n    relatedDiscoveries: "+list+"\n")
				assert.Equal(t, "discovery-008", addDiscovery(t, openSession(t, store, nil), "a"), list)
			}
		}
		store := NewMapStore()
		s := openSession(t, store, nil)
		require.NoError(t, second(s.AddDecision(ctx, Decision{Type: Skip, Description: "d", RelatedDiscoveries: []string{"discovery-007"}})))
		assert.Equal(t, "discovery-008", addDiscovery(t, s, "a"), "nor one that was added just now")
	})
	t.Run("the host's own, while another handle archives it", func(t *testing.T) {
		store, c := NewMapStore(), &clock{noon}
		other := openSession(t, store, clockedOptions(c))
		require.NoError(t, second(other.AddDiscovery(ctx, Discovery{ID: "mine", Type: CodePattern, Content: "c"})))
		require.NoError(t, second(other.AddDiscovery(ctx, Discovery{ID: "later", Type: CodePattern, Content: "c", Timestamp: noon.Add(time.Hour)})))
		once := func() {}
		s := openSession(t, before{store, func(string) { once() }}, clockedOptions(c))
		for _, id := range []string{"mine", "later"} { // with a first look, and with a mark from before
			once = sync.OnceFunc(func() {
				c.pass(time.Hour)
				moved, err := other.Archive(ctx, time.Minute)
				assert.NoError(t, err)
				assert.Equal(t, 1, moved)
			})
			_, err := s.AddDiscovery(ctx, Discovery{ID: id, Type: CodePattern, Content: "again"})
			assert.ErrorIs(t, err, ErrInvalid, id)
			require.NoError(t, second(s.AddDiscovery(ctx, Discovery{ID: id + "-2", Type: CodePattern, Content: "c", Timestamp: noon.Add(99 * time.Hour)})))
		}
	})
	t.Run("with a second handle open", func(t *testing.T) {
		store := NewMapStore()
		a, b := openSession(t, store, nil), openSession(t, store, nil)
		var ids []string
		for range 3 {
			ids = append(ids, addDiscovery(t, a, "a"), addDiscovery(t, b, "b"))
		}
		assert.Equal(t, []string{"discovery-001", "discovery-002", "discovery-003", "discovery-004", "discovery-005", "discovery-006"}, ids)
	})
	t.Run("none behind the last number", func(t *testing.T) {
		for _, last := range []string{"discoveries:\n  - id: discovery-999999999\n", "history:\n  - lastIds:\n      discovery: 999999999\n"} {
			store := NewMapStore()
			write(t, store, sessionPath, sessionHead+last)
			s := openSession(t, store, nil)
			_, err := s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: "c"})
			assert.ErrorIs(t, err, ErrInvalid)
		}
		store := NewMapStore()
		write(t, store, sessionPath, sessionHead+"history:\n  - lastIds:\n      discovery: 99999999999999999999\n  - lastIds:\n      discovery: 9223372036854775807\n")
		assert.Equal(t, "discovery-001", addDiscovery(t, openSession(t, store, nil), "a"), "no number that was given")
	})
}

// archivedTo gives a store with a session of which n discoveries are archived.
func archivedTo(t *testing.T, n int) *MapStore {
	t.Helper()
	store, c := NewMapStore(), &clock{noon}
	s := openSession(t, store, clockedOptions(c))
	for range n {
		addDiscovery(t, s, "d")
	}
	moved, err := s.Archive(context.Background(), -time.Second)
	require.NoError(t, err)
	require.Equal(t, n, moved)
	return store
}

func TestSessionOfSeveralAgents(t *testing.T) {
	ctx := context.Background()
	const own = sessionID + "/agent-memory.tester.yaml"
	t.Run("the second gets its own file", func(t *testing.T) {
		store := NewMapStore()
		a, b := openSession(t, store, nil), openAgent(t, store, "tester", nil)
		addDiscovery(t, a, "of a")
		addDiscovery(t, b, "of b")
		assert.Equal(t, "of a", memoryOf(t, a).Discoveries[0].Content)
		assert.Equal(t, "of b", memoryOf(t, b).Discoveries[0].Content)
		assert.Contains(t, docText(t, store, own), "agent: \"tester\"\n")
		_, err := b.Archive(ctx, -time.Second)
		require.NoError(t, err)
		assert.Contains(t, docText(t, store, sessionID+"/agent-memory-archive.tester.yaml"), "of b")
		assert.Contains(t, docText(t, store, sessionPath), "of a")
	})
	t.Run("and finds it again, also when the first file is gone", func(t *testing.T) {
		store := NewMapStore()
		openSession(t, store, nil)
		addDiscovery(t, openAgent(t, store, "tester", nil), "of b")
		require.NoError(t, store.Remove(ctx, sessionPath))
		assert.Len(t, memoryOf(t, openAgent(t, store, "tester", nil)).Discoveries, 1)
	})
	t.Run("an archive stays its agent's when the file is gone", func(t *testing.T) {
		store := archivedTo(t, 2)
		require.NoError(t, store.Remove(ctx, sessionPath))
		b := openAgent(t, store, "tester", nil)
		assert.Equal(t, "discovery-001", addDiscovery(t, b, "of b"))
		moved, err := b.Archive(ctx, -time.Second)
		require.NoError(t, err)
		assert.Equal(t, 1, moved)
		assert.NotContains(t, docText(t, store, archivePath), "of b")
		assert.Equal(t, "discovery-003", addDiscovery(t, openSession(t, store, nil), "of a"), "numbered by its own archive")
	})
	t.Run("what is of an agent's own name stays its own", func(t *testing.T) {
		for _, kept := range []string{own, sessionID + "/agent-memory-archive.tester.yaml"} {
			store := NewMapStore()
			write(t, store, kept, strings.Replace(sessionHead, "developer", "tester", 1)+"discoveries:\n  - id: discovery-004\n")
			b := openAgent(t, store, "tester", nil)
			assert.Equal(t, own, sessionID+"/"+b.name, "never the main file, though it is free")
			assert.Equal(t, "discovery-005", addDiscovery(t, b, "of b"))
			require.NoError(t, second(b.Archive(ctx, -1)))
			assert.Contains(t, docText(t, store, sessionID+"/agent-memory-archive.tester.yaml"), "of b")
			assert.Equal(t, sessionPath, sessionID+"/"+openSession(t, store, nil).name)
		}
	})
	t.Run("a main file and an archive of its own name are both the agent's", func(t *testing.T) {
		store := NewMapStore()
		write(t, store, sessionPath, sessionHead+"discoveries:\n  - id: discovery-004\n")
		write(t, store, sessionID+"/agent-memory-archive.developer.yaml", sessionHead+"discoveries:\n  - id: discovery-007\n")
		assert.Equal(t, "discovery-008", addDiscovery(t, openSession(t, store, nil), "c"))
		assert.Contains(t, docText(t, store, sessionPath), "discovery-008")
	})
	t.Run("a file of another under the agent's name is left alone", func(t *testing.T) {
		store := NewMapStore()
		write(t, store, own, strings.Replace(sessionHead, "developer", "reviewer", 1))
		_, err := OpenSession(ctx, store, sessionID, "tester", nil)
		assert.ErrorIs(t, err, ErrInvalid)
		assert.ErrorContains(t, err, `its agent is "reviewer"`)
	})
	t.Run("a file that another took meanwhile is not written", func(t *testing.T) {
		store := NewMapStore()
		s := openSession(t, store, nil)
		write(t, store, sessionPath, strings.Replace(sessionHead, "developer", "tester", 1))
		_, err := s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: "c"})
		assert.ErrorIs(t, err, ErrInvalid)
		_, err = s.Memory(ctx)
		assert.ErrorIs(t, err, ErrInvalid)
	})
}

// TestAgentsThatOpenAtTheSameMoment: of many that open a new session at once each has one file for itself.
func TestAgentsThatOpenAtTheSameMoment(t *testing.T) {
	dir, err := NewDirStore(t.TempDir(), &DirOptions{NoSync: true})
	require.NoError(t, err)
	defer dir.Close()
	for _, store := range []Store{NewMapStore(), dir} {
		var running sync.WaitGroup
		agents := []string{"a", "b", "c", "d"}
		for _, agent := range append(agents, agents...) {
			running.Go(func() {
				s, err := OpenSession(context.Background(), store, "s", agent, nil)
				if assert.NoError(t, err) {
					_, err = s.AddDiscovery(context.Background(), Discovery{Type: CodePattern, Content: "of " + agent})
					assert.NoError(t, err)
				}
			})
		}
		running.Wait()
		for _, agent := range agents {
			s, err := OpenSession(context.Background(), store, "s", agent, nil)
			require.NoError(t, err)
			m := memoryOf(t, s)
			require.Len(t, m.Discoveries, 2, agent)
			for _, d := range m.Discoveries {
				assert.Equal(t, "of "+agent, d.Content)
			}
		}
	}
}

// TestSessionWithoutOwner: who opens a file that names no agent first, has it.
func TestSessionWithoutOwner(t *testing.T) {
	ctx := context.Background()
	for _, agent := range []string{"", "agent:\n", "agent: \"\"\n"} {
		store := NewMapStore()
		write(t, store, sessionPath, "# by hand\ndiscoveries: []\n"+agent)
		assert.Equal(t, sessionFile+".yaml", openSession(t, store, nil).name)
		assert.Equal(t, sessionFile+".tester.yaml", openAgent(t, store, "tester", nil).name)
		assert.Equal(t, "# by hand\ndiscoveries: []\nagent: \"developer\"\n", docText(t, store, sessionPath))
	}
	store := NewMapStore()
	write(t, store, sessionPath, "agent: [developer, tester]\n")
	_, err := OpenSession(ctx, store, sessionID, "developer", nil)
	assert.ErrorIs(t, err, ErrInvalid)
	assert.ErrorContains(t, err, "line 1: agent: want a name")
}

// TestSessionBesideATornOne: what is wrong with one agent's file keeps no other from its own.
func TestSessionBesideATornOne(t *testing.T) {
	store := NewMapStore()
	write(t, store, sessionID+"/agent-memory.tester.yaml", strings.Replace(sessionHead, "developer", "tester", 1))
	write(t, store, sessionPath, sessionHead+"discoveries: [\n")
	addDiscovery(t, openAgent(t, store, "tester", nil), "c")
}

// TestSessionIDOfARemovedEntry: a session that gave an id does not give it again.
func TestSessionIDOfARemovedEntry(t *testing.T) {
	store := NewMapStore()
	s := openSession(t, store, nil)
	before := docText(t, store, sessionPath)
	first := addDiscovery(t, s, "x")
	write(t, store, sessionPath, before)
	assert.NotEqual(t, first, addDiscovery(t, s, "y"))
}
