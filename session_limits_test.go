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
