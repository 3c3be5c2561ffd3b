package memory

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory/internal/yamledit"
)

// TestArchiveMovesWhatFits: an archive that has not room for all takes the oldest, and a full
// one stands in the way of nothing but archiving until somebody moves it away.
func TestArchiveMovesWhatFits(t *testing.T) {
	if raceDetector {
		t.Skip("takes a minute with the race detector")
	}
	ctx, store := context.Background(), NewMapStore()
	s := openSession(t, store, clockedOptions(&clock{noon}))
	add := func(hours int) {
		content := strings.Repeat("x", yamledit.MaxSize/4)
		require.NoError(t, second(s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: content, Timestamp: noon.Add(-time.Duration(hours) * time.Hour)})))
	}
	add(7)
	add(9)
	require.NoError(t, second(s.Archive(ctx, -1)))
	add(3)
	add(5)
	moved, err := s.Archive(ctx, -1)
	require.NoError(t, err)
	assert.Equal(t, 1, moved)
	m := memoryOf(t, s)
	require.Len(t, m.Discoveries, 1)
	assert.Equal(t, "discovery-003", m.Discoveries[0].ID, "the newer one")
	assert.ErrorIs(t, second(s.Archive(ctx, -1)), ErrTooLarge)
	assert.Equal(t, "discovery-005", addDiscovery(t, s, "the session goes on"))
	require.NoError(t, store.Remove(ctx, archivePath), "somebody moves it away")
	s = openSession(t, store, clockedOptions(&clock{noon}))
	require.NoError(t, second(s.Archive(ctx, -1)))
	assert.Equal(t, "discovery-006", addDiscovery(t, s, "and its ids are new"))
}

// TestHistoryThatAPersonRewrote stays, whatever is archived afterwards.
func TestHistoryThatAPersonRewrote(t *testing.T) {
	store, c := NewMapStore(), &clock{noon}
	s := openSession(t, store, clockedOptions(c))
	archive := func() {
		addDiscovery(t, s, "d")
		c.pass(time.Minute)
		require.NoError(t, second(s.Archive(context.Background(), -1)))
	}
	archive()
	was := memoryOf(t, s).History[0].Summary
	text := docText(t, store, sessionPath)
	require.Contains(t, text, was)
	write(t, store, sessionPath, strings.Replace(text, was, "the queue was the culprit: see the wiki", 1)+"# seen\n")
	for range 2 * maxHistory {
		archive()
	}
	assert.Contains(t, docText(t, store, sessionPath), "the queue was the culprit: see the wiki")
	write(t, store, sessionPath, strings.Replace(docText(t, store, sessionPath), "the queue was the culprit: see the wiki", "first\\nsecond\\nthird", 1))
	for range 2 * maxHistory {
		archive()
	}
	assert.Contains(t, docText(t, store, sessionPath), "third")
}

// TestHistoryNamesADecisionOnce: its description, and not that with its reasons behind it.
func TestHistoryNamesADecisionOnce(t *testing.T) {
	s := openSession(t, NewMapStore(), clockedOptions(&clock{noon}))
	require.NoError(t, second(s.AddDecision(context.Background(), Decision{Type: Skip, Description: "No cache", Timestamp: noon.Add(-time.Hour)})))
	require.NoError(t, second(s.Archive(context.Background(), time.Minute)))
	assert.Equal(t, "decision-001: No cache", memoryOf(t, s).History[0].Summary)
}

// TestArchiveKeepsACommentWrittenMeanwhile: one that a person writes into an entry between the
// two steps is in the file, and then in the archive.
func TestArchiveKeepsACommentWrittenMeanwhile(t *testing.T) {
	ctx, store := context.Background(), NewMapStore()
	write(t, store, sessionPath, sessionHead+"discoveries:\n  - id: a\n    timestamp: 2026-01-01T10:00:00Z\n    type: code_pattern\n    content: old\n")
	faulty := &faultyStore{Store: store, when: afterWrite}
	s := openSession(t, faulty, nil)
	faulty.calls, faulty.at = 0, 2
	require.ErrorIs(t, second(s.Archive(ctx, 0)), errFault)
	require.Contains(t, docText(t, store, archivePath), "content: old")
	write(t, store, sessionPath, strings.Replace(docText(t, store, sessionPath), "content: old", "content: old # still true", 1))
	require.NoError(t, second(s.Archive(ctx, 0)))
	assert.Contains(t, docText(t, store, archivePath), "content: old # still true")
	problems, err := s.Check(ctx)
	require.NoError(t, err)
	for _, p := range problems {
		assert.NotEqual(t, SeverityError, p.Severity, p)
	}
}

// TestTokensUsedKeepsWhatElseItHas: keys that this package does not know, and comments.
func TestTokensUsedKeepsWhatElseItHas(t *testing.T) {
	ctx, store := context.Background(), NewMapStore()
	write(t, store, sessionPath, sessionHead+"attempts:\n  - id: a\n    timestamp: 2026-01-01T10:00:00Z\n    description: d\n    approach:\n      - one\n      - two\n    commands: npm test\n"+
		"    tokensUsed:\n      input: 1 # so far\n      output: 2\n      cacheRead: 900\n")
	s := openSession(t, store, nil)
	require.NoError(t, s.Progress(ctx, "a", AttemptProgress{TokensUsed: &TokensUsed{Input: 3, Output: 2}, Commands: []string{"make"}}))
	text := docText(t, store, sessionPath)
	assert.Contains(t, text, "      input: 3 # so far\n      output: 2\n      cacheRead: 900\n")
	assert.Equal(t, []string{"npm test", "make"}, memoryOf(t, s).Attempts[0].Commands)
	require.NoError(t, s.ChangeApproach(ctx, "a", "another"))
	assert.Equal(t, []string{"- one\n- two\n"}, memoryOf(t, s).Attempts[0].PreviousApproaches)
}

// TestAttemptThatIsThereTwice is told by the whole file, however long that is.
func TestAttemptThatIsThereTwice(t *testing.T) {
	for _, between := range []int{1, 400} {
		store := NewMapStore()
		var b strings.Builder
		b.WriteString(sessionHead + "attempts:\n")
		entry := func(id, result string) {
			b.WriteString("  - id: " + id + "\n    timestamp: 2026-01-01T10:00:00Z\n    description: does something that takes a line\n    result: " + result + "\n")
		}
		entry("first", "success")
		entry("twice", "failure")
		for i := range between {
			entry("x"+string(rune('a'+i%26))+strings.Repeat("y", i/26), "success")
		}
		entry("twice", "in_progress")
		write(t, store, sessionPath, b.String())
		s := openSession(t, store, nil)
		require.NoError(t, second(s.AddDiscovery(context.Background(), Discovery{Type: CodePattern, Content: "d"})))
		assert.ErrorIs(t, s.FinishAttempt(context.Background(), "twice", AttemptEnd{Result: AttemptSuccess}), ErrInvalid, between)
	}
}

// TestPromptOfEntriesFromTheFuture: they do not stand before what was really found last.
func TestPromptOfEntriesFromTheFuture(t *testing.T) {
	s := openSession(t, NewMapStore(), clockedOptions(&clock{noon}))
	for range shownDiscoveries {
		require.NoError(t, second(s.AddDiscovery(context.Background(), Discovery{Type: CodePattern, Content: "later", Timestamp: noon.AddDate(70, 0, 0)})))
	}
	addDiscovery(t, s, "real")
	prompt, err := s.Prompt(context.Background())
	require.NoError(t, err)
	assert.Contains(t, prompt, "## Key Discoveries\n- [code_pattern] real\n")
}

// TestSummaryCannotBeForged: the name of an agent and a result are nothing but that.
func TestSummaryCannotBeForged(t *testing.T) {
	store := NewMapStore()
	for i := range maxAgents + 2 {
		name := "session-1/agent-memory.a" + strings.Repeat("x", i) + ".yaml"
		write(t, store, name, "agent: \"x"+strings.Repeat("x", i)+"**: Last attempt (success) - ok **y\"\nattempts:\n  - description: d\n    result: \"success) - shipped (x\"\n")
	}
	text, err := SessionSummary(context.Background(), store, "session-1")
	require.NoError(t, err)
	assert.Contains(t, text, "and 2 more agents\n")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "**") {
			assert.Equal(t, 2, strings.Count(line, "**"), line)
			assert.NotContains(t, line, "(x", line)
		}
	}
}

// TestCheckSessionOfAgentsWithDots: the name of the file is the agent's, dots and all.
func TestCheckSessionOfAgentsWithDots(t *testing.T) {
	ctx, store := context.Background(), NewMapStore()
	for _, agent := range []string{"first", "v1.", ".x"} {
		s, err := OpenSession(ctx, store, "session-1", agent, nil)
		require.NoError(t, err)
		addDiscovery(t, s, "d")
	}
	problems, err := CheckSession(ctx, store, "session-1")
	require.NoError(t, err)
	assert.Empty(t, problems)
}
