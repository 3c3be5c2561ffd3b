package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sessionCalls are all that can be asked of a session in a store. The first four look at the archive for ids.
var sessionCalls = []struct {
	name string
	do   func(ctx context.Context, store Store, s *Session) error
}{
	{"AddDiscovery", func(ctx context.Context, _ Store, s *Session) error {
		return second(s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: "c"}))
	}},
	{"AddDiscovery with an id", func(ctx context.Context, _ Store, s *Session) error {
		return second(s.AddDiscovery(ctx, Discovery{ID: "mine", Type: CodePattern, Content: "c"}))
	}},
	{"AddDecision", func(ctx context.Context, _ Store, s *Session) error {
		return second(s.AddDecision(ctx, Decision{Type: Skip, Description: "d"}))
	}},
	{"StartAttempt", func(ctx context.Context, _ Store, s *Session) error {
		return second(s.StartAttempt(ctx, Attempt{Description: "d"}))
	}},
	{"Progress", func(ctx context.Context, _ Store, s *Session) error {
		return s.Progress(ctx, "attempt-001", AttemptProgress{Progress: "1%"})
	}},
	{"ChangeApproach", func(ctx context.Context, _ Store, s *Session) error { return s.ChangeApproach(ctx, "attempt-001", "x") }},
	{"FinishAttempt", func(ctx context.Context, _ Store, s *Session) error {
		return s.FinishAttempt(ctx, "attempt-001", AttemptEnd{Result: AttemptSuccess})
	}},
	{"UpdateContext", func(ctx context.Context, _ Store, s *Session) error {
		return s.UpdateContext(ctx, func(c *SessionContext) { c.CurrentPlanStep = 9 })
	}},
	{"Archive", func(ctx context.Context, _ Store, s *Session) error { return second(s.Archive(ctx, -1)) }},
	{"Memory", func(ctx context.Context, _ Store, s *Session) error { return second(s.Memory(ctx)) }},
	{"Prompt", func(ctx context.Context, _ Store, s *Session) error { return second(s.Prompt(ctx)) }},
	{"Run", func(ctx context.Context, _ Store, s *Session) error { return second(s.Run(ctx, "attempt-001")) }},
	{"SessionSummary", func(ctx context.Context, store Store, _ *Session) error {
		return second(SessionSummary(ctx, store, sessionID))
	}},
	{"OpenSession", func(ctx context.Context, store Store, _ *Session) error {
		return second(OpenSession(ctx, store, sessionID, "developer", nil))
	}},
	{"OpenSession of another agent", func(ctx context.Context, store Store, _ *Session) error {
		return second(OpenSession(ctx, store, sessionID, "tester", nil))
	}},
}

// badSessions are files that cannot be read: the kind of error, and what it says.
func badSessions() map[string]struct {
	text string
	want error
	says string
} {
	bomb := "a: &a [x, x, x]\n"
	for i := range 20 {
		bomb += fmt.Sprintf("b%d: &b%d [*a, *a, *a, *a, *a]\n", i, i)
	}
	torn := largeSession(4 << 10)
	return map[string]struct {
		text string
		want error
		says string
	}{
		"10 MB by hand":           {largeSession(10 << 20), ErrTooLarge, "line 1: "},
		"torn in a quote":         {torn[:strings.LastIndex(torn, "middleware.ts\"")], ErrInvalid, "line "},
		"torn in a key":           {torn[:strings.LastIndex(torn, "timestamp")+4], ErrInvalid, "line "},
		"tabs":                    {sessionHead + "discoveries:\n\t- id: a\n", ErrInvalid, "line 7: put the value in quotes; indent with spaces, not with tabs"},
		"duplicate keys":          {sessionHead + "context:\n  blockers: []\n  blockers: [x]\n", ErrInvalid, `line 8: the key "blockers" again, which is in line 7 already`},
		"duplicate sections":      {sessionHead + "discoveries: []\nattempts: []\ndiscoveries: []\n", ErrInvalid, `line 8: the key "discoveries" again`},
		"an alias bomb":           {sessionHead + bomb, ErrInvalid, "line 6: YAML anchors (&a) and aliases are not allowed"},
		"discoveries as a map":    {sessionHead + "discoveries:\n  a: b\n", ErrInvalid, "line 7: discoveries: want a list of entries"},
		"attempts as a text":      {sessionHead + "attempts: none\n", ErrInvalid, "line 6: attempts: want a list of entries"},
		"history as a map":        {sessionHead + "history: {a: b}\n", ErrInvalid, "line 6: history: want a list of entries"},
		"binary":                  {sessionHead + "\x00\x01\x02\n", ErrInvalid, "line 6: "},
		"not UTF-8":               {sessionHead + "a: \xff\xfe\n", ErrInvalid, "line 6: not UTF-8"},
		"a list":                  {"- version: 1\n", ErrInvalid, "line 1: not a map"},
		"two documents":           {sessionHead + "---\nversion: 1\n", ErrInvalid, "a second YAML document"},
		"nested too deep":         {sessionHead + "a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n", ErrInvalid, "line 6: nested too deep"},
		"another schema":          {"schema: plan\n", ErrInvalid, "line 1: schema: want agent-memory"},
		"a version that is none":  {"version: one\n", ErrInvalid, "line 1: version: \"one\" is none"},
		"a later version":         {"version: \"2\"\nagent: developer\n", ErrVersion, "line 1: version 2 is later than 1"},
		"an unknown tag":          {sessionHead + "a: !!python/object x\n", ErrInvalid, "line 6: YAML tag"},
		"indentation that is off": {sessionHead + "context:\n    a: 1\n  b: 2\n", ErrInvalid, "line 8: the indentation does not fit"},
	}
}

// TestBadSessionFiles: no method overwrites a file that cannot be read, and each says where.
func TestBadSessionFiles(t *testing.T) {
	ctx := context.Background()
	for name, bad := range badSessions() {
		t.Run(name, func(t *testing.T) {
			store := NewMapStore()
			s := openSession(t, store, nil)
			startAttempt(t, s, "d")
			write(t, store, sessionPath, bad.text)
			check := func(call string, err error) {
				assert.ErrorIs(t, err, bad.want, call)
				assert.ErrorContains(t, err, bad.says, call)
				assert.ErrorContains(t, err, "agent-memory.yaml: line ", call)
				assert.True(t, bad.text == docText(t, store, sessionPath), call+" overwrote it")
			}
			for _, call := range sessionCalls {
				check(call.name, call.do(ctx, store, s))
			}
			_, err := store.Read(ctx, archivePath)
			assert.Error(t, err, "nothing was archived")
		})
	}
}

// TestBadArchives: where it must be read or written, a bad archive is an error with its line, and is left alone.
func TestBadArchives(t *testing.T) {
	ctx := context.Background()
	for name, bad := range badSessions() {
		t.Run(name, func(t *testing.T) {
			store := NewMapStore()
			s := openSession(t, store, nil)
			require.NoError(t, s.FinishAttempt(ctx, startAttempt(t, s, "d"), AttemptEnd{Result: AttemptSuccess}))
			write(t, store, archivePath, bad.text)
			before := docText(t, store, sessionPath)
			for _, call := range sessionCalls[:4] {
				assert.ErrorIs(t, call.do(ctx, store, s), bad.want, call.name)
			}
			for _, err := range []error{second(s.Archive(ctx, -1)), second(s.Run(ctx, "attempt-001")), second(OpenSession(ctx, store, sessionID, "developer", nil))} {
				assert.ErrorIs(t, err, bad.want)
				assert.ErrorContains(t, err, "agent-memory-archive.yaml: line ")
				assert.ErrorContains(t, err, bad.says)
			}
			assert.Equal(t, before, docText(t, store, sessionPath))
			assert.True(t, bad.text == docText(t, store, archivePath))
			assert.NoError(t, second(s.Prompt(ctx)), "the file alone")
		})
	}
}

// TestSessionFilesOfOtherKinds: what is no regular file is an error, and stays.
func TestSessionFilesOfOtherKinds(t *testing.T) {
	dir := t.TempDir()
	store, err := NewDirStore(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, sessionID, "agent-memory.yaml"), 0o755))
	_, err = OpenSession(context.Background(), store, sessionID, "developer", nil)
	assert.Error(t, err)
}

// TestSessionLeniently: what a person wrote a little wrong is read as far as it goes, and
// never lost by what is added.
func TestSessionLeniently(t *testing.T) {
	store := NewMapStore()
	text := sessionHead + `discoveries:
  - id: discovery-001
    timestamp: 2026-01-23
    importance: HIGH
    relatedFiles: src/auth.ts
    content: [not, text]
  - just a text
  -
attempts:
  - id: [x]
    planStep: two
    duration_ms: 1e99999
    timestamp: soon
    tokensUsed: many
    result: failure
decisions: null
context:
  currentPlanStep: 3
  blockers: none
  taskContext: [a]
`
	write(t, store, sessionPath, text)
	s := openSession(t, store, nil)
	addDiscovery(t, s, "new")
	m := memoryOf(t, s)
	assert.Equal(t, High, m.Discoveries[0].Importance)
	assert.Equal(t, []string{"src/auth.ts"}, m.Discoveries[0].RelatedFiles)
	assert.Equal(t, 2026, m.Discoveries[0].Timestamp.Year())
	assert.Equal(t, "discovery-002", m.Discoveries[3].ID)
	assert.Equal(t, AttemptFailure, m.Attempts[0].Result)
	assert.Equal(t, []string{"none"}, m.Context.Blockers)
	assertLinesKept(t, text, docText(t, store, sessionPath), nil)
	_, err := s.Archive(context.Background(), -1)
	require.NoError(t, err)
	assert.Contains(t, docText(t, store, sessionPath), "just a text", "without a timestamp it stays")
	_, err = s.Prompt(context.Background())
	assert.NoError(t, err)

	write(t, store, sessionPath, sessionHead+"context: free text\n")
	err = s.UpdateContext(context.Background(), func(c *SessionContext) { c.CurrentPlanStep = 1 })
	assert.ErrorIs(t, err, ErrInvalid)
	assert.ErrorContains(t, err, "line 6: context: want keys and values")
	for _, empty := range []string{"", "\n", "# only a comment\n", "---\n", "null\n"} {
		write(t, store, sessionPath, empty)
		id := addDiscovery(t, s, "d")
		assert.Equal(t, "developer", memoryOf(t, s).Agent, "%q gets a head", empty)
		assert.NotEqual(t, "discovery-001", id)
	}
}

// TestSessionTooLarge: what would make the file, or the archive, larger than can be read is
// ErrTooLarge, with an outline and without, and is not written.
func TestSessionTooLarge(t *testing.T) {
	if raceDetector {
		t.Skip("takes a minute with the race detector")
	}
	ctx := context.Background()
	large := largeSession(8<<20 - 8<<10)
	fill := func(to int) string { return strings.Repeat("#\n", (to-len(large))/2) }
	t.Run("file", func(t *testing.T) {
		for name, text := range map[string]string{"with an outline": large, "without": strings.Replace(large, "discoveries:\n", "discoveries:\n  - text\n", 1)} {
			store := NewMapStore()
			write(t, store, sessionPath, text+fill(8<<20-300))
			s := openSession(t, store, nil)
			require.Equal(t, name == "without", s.outline == nil)
			before := docText(t, store, sessionPath)
			_, err := s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: strings.Repeat("long ", 100)})
			assert.ErrorIs(t, err, ErrTooLarge, name)
			assert.NotErrorIs(t, err, ErrInvalid, name)
			assert.True(t, before == docText(t, store, sessionPath), name)
		}
	})
	t.Run("archive", func(t *testing.T) {
		store := NewMapStore()
		write(t, store, archivePath, large+fill(8<<20-100))
		s := openSession(t, store, nil)
		addDiscovery(t, s, "kept")
		_, err := s.Archive(ctx, -1)
		assert.ErrorIs(t, err, ErrTooLarge)
		assert.ErrorContains(t, err, "agent-memory-archive.yaml")
		assert.Len(t, memoryOf(t, s).Discoveries, 1)
	})
}
