package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faultyStore fails at one call, counted from 1: before anything is done, before the new
// content is written, or after it.
type faultyStore struct {
	Store
	at, calls int
	when      string
}

var errFault = errors.New("the disk is gone")

const (
	beforeAll   = "before all"
	beforeWrite = "before the write"
	afterWrite  = "after the write"
)

func (f *faultyStore) now() bool { f.calls++; return f.calls == f.at }

func (f *faultyStore) Read(ctx context.Context, name string) ([]byte, error) {
	if f.now() {
		return nil, errFault
	}
	return f.Store.Read(ctx, name)
}

func (f *faultyStore) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	if !f.now() {
		return f.Store.Update(ctx, name, edit)
	}
	if f.when == beforeAll {
		return errFault
	}
	err := f.Store.Update(ctx, name, func(old []byte) ([]byte, error) {
		data, err := edit(old)
		if err == nil && f.when == beforeWrite {
			err = errFault
		}
		return data, err
	})
	return errors.Join(err, errFault)
}

// agedSession gives a session with three entries that are older than two hours, a running attempt of
// that age, an entry without a timestamp, and one that is new.
func agedSession(t *testing.T, store Store, c *clock) *Session {
	t.Helper()
	ctx := context.Background()
	s := openSession(t, store, clockedOptions(c))
	addDiscovery(t, s, "Old news.\nMore of it.\n")
	require.NoError(t, s.FinishAttempt(ctx, startAttempt(t, s, "Old try"), AttemptEnd{Result: AttemptFailure, Error: "Too broad."}))
	require.NoError(t, second(s.AddDecision(ctx, Decision{ID: "dec-jwt", Type: Architectural, Description: "Old choice"})))
	startAttempt(t, s, "Still running")
	c.pass(3 * time.Hour)
	addDiscovery(t, s, "New.")
	return s
}

// everywhere gives the values of all entries of the file and of the archive, and how
// often each is in one of them.
func everywhere(t *testing.T, store Store) (all map[string]bool, file, archive map[string]int) {
	t.Helper()
	all = make(map[string]bool)
	count := func(name string) map[string]int {
		found := make(map[string]int)
		data, err := store.Read(context.Background(), name)
		if err != nil {
			return found
		}
		d, err := readSession(data)
		require.NoError(t, err)
		for _, kind := range sessionKinds {
			list, err := d.list(kind.key)
			require.NoError(t, err)
			for _, n := range list {
				all[valueKey(kind, n)] = true
				found[valueKey(kind, n)]++
			}
		}
		return found
	}
	file, archive = count(sessionPath), count(archivePath)
	return all, file, archive
}

func TestArchive(t *testing.T) {
	ctx := context.Background()
	store, c := NewMapStore(), &clock{noon}
	s := agedSession(t, store, c)
	before, _, _ := everywhere(t, store)
	moved, err := s.Archive(ctx, 0)
	require.NoError(t, err)
	assert.Equal(t, 3, moved)
	after, file, archive := everywhere(t, store)
	assert.Equal(t, before, after)
	assert.Len(t, file, 2, "the running attempt and the new discovery")
	assert.Len(t, archive, 3)
	golden(t, "session/archived.yaml", []byte(docText(t, store, sessionPath)))
	golden(t, "session/archive.yaml", []byte(docText(t, store, archivePath)))

	history := memoryOf(t, s).History
	require.Len(t, history, 1)
	assert.Equal(t, SessionHistory{ArchivedAt: c.at, From: noon, To: noon, Discoveries: 1, Attempts: 1, Decisions: 1,
		Summary: "discovery-001: Old news.\nattempt-001: Old try (failure)\ndec-jwt: Old choice",
		LastIDs: map[string]int{"discovery": 2, "attempt": 2}}, history[0])

	text := docText(t, store, sessionPath)
	moved, err = s.Archive(ctx, 2*time.Hour)
	require.NoError(t, err)
	assert.Zero(t, moved)
	assert.Equal(t, text, docText(t, store, sessionPath), "nothing more to do")
	moved, err = s.Archive(ctx, time.Minute)
	require.NoError(t, err)
	assert.Zero(t, moved, "the new one is not older than that")
	moved, err = s.Archive(ctx, -1)
	require.NoError(t, err)
	assert.Equal(t, 1, moved, "negative: all but the running one")
}

// TestArchiveCountsFromTheEnd: a long attempt that has just ended is not old.
func TestArchiveCountsFromTheEnd(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		name string
		over int
	}{{"Archive", 0}, {"ArchiveOver", 1}} {
		store, c := NewMapStore(), &clock{noon}
		s := openSession(t, store, &SessionOptions{Now: c.now, ArchiveOver: test.over})
		id := startAttempt(t, s, "Long try")
		c.pass(3 * time.Hour)
		require.NoError(t, s.FinishAttempt(ctx, id, AttemptEnd{Result: AttemptFailure, Output: strings.Repeat("No. ", 100)}))
		require.NoError(t, second(s.Archive(ctx, 0)))
		prompt, err := s.Prompt(ctx)
		require.NoError(t, err)
		assert.Contains(t, prompt, "Long try", test.name)
		c.pass(2*time.Hour + time.Millisecond)
		moved, err := s.Archive(ctx, 0)
		require.NoError(t, err)
		assert.Equal(t, 1, moved, test.name)
	}
}

// TestArchiveAtTheBoundary: an entry of exactly the age stays.
func TestArchiveAtTheBoundary(t *testing.T) {
	for _, test := range []struct {
		age  time.Duration
		want int
	}{{time.Hour - time.Millisecond, 2}, {time.Hour, 0}, {time.Hour + time.Millisecond, 0}} {
		c := &clock{noon}
		s := openSession(t, NewMapStore(), clockedOptions(c))
		addDiscovery(t, s, "d")
		require.NoError(t, second(s.StartAttempt(context.Background(), Attempt{Description: "a", Timestamp: noon.Add(-time.Minute), Result: AttemptSuccess, DurationMS: 60000})))
		c.pass(time.Hour)
		moved, err := s.Archive(context.Background(), test.age)
		require.NoError(t, err)
		assert.Equal(t, test.want, moved, test.age)
	}
}

// TestArchiveAll: a negative age means all entries, whatever time they have.
func TestArchiveAll(t *testing.T) {
	for _, age := range []time.Duration{-1, -time.Hour, math.MinInt64} {
		s := openSession(t, NewMapStore(), nil)
		for _, at := range []time.Time{noon, noon.Add(48 * time.Hour), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
			require.NoError(t, second(s.AddDiscovery(context.Background(), Discovery{Type: CodePattern, Content: "c", Timestamp: at})))
		}
		moved, err := s.Archive(context.Background(), age)
		require.NoError(t, err)
		assert.Equal(t, 3, moved, age)
	}
}

// TestArchiveKeepsTheWords: comments, unknown keys and blocks go with an entry.
func TestArchiveKeepsTheWords(t *testing.T) {
	store := NewMapStore()
	write(t, store, sessionPath, sessionHead+`discoveries:
  # how it began
  - id: discovery-001 # the first
    timestamp: 2026-01-01T00:00:00Z
    mood: 'good'
    content: |
      Two
      lines
    relatedFiles: [a, b]
  # the second
  - {id: discovery-002, timestamp: 2026-01-01T00:00:00Z, content: x}
  - id: discovery-003
    content: without a time
`)
	_, err := openSession(t, store, nil).Archive(context.Background(), 0)
	require.NoError(t, err)
	assert.Equal(t, sessionHead+`discoveries:
  # how it began
  - id: discovery-003
    content: without a time
`, strings.SplitAfter(docText(t, store, sessionPath), "without a time\n")[0])
	golden(t, "session/archive-words.yaml", []byte(docText(t, store, archivePath)))
}

// TestArchiveNeverLosesAnEntry: a store that fails at each call in turn, at three points of
// it, leaves each entry in the file or the archive; prompts and ids are right meanwhile,
// and the next call brings all to an end.
func TestArchiveNeverLosesAnEntry(t *testing.T) {
	ctx := context.Background()
	for _, when := range []string{beforeAll, beforeWrite, afterWrite} {
		failed := 0
		for at := 1; ; at++ {
			store, c := NewMapStore(), &clock{noon}
			agedSession(t, store, c)
			before, _, _ := everywhere(t, store)
			faulty := &faultyStore{Store: store, when: when}
			s := openSession(t, faulty, clockedOptions(c))
			faulty.calls, faulty.at = 0, at
			_, err := s.Archive(ctx, 0)
			if err == nil {
				require.Greater(t, at, 3, "a read and two writes")
				break
			}
			failed++
			require.ErrorIs(t, err, errFault)
			after, _, _ := everywhere(t, store)
			require.Equal(t, before, after, "%s, call %d", when, at)
			faulty.at = 0
			prompt, err := s.Prompt(ctx)
			require.NoError(t, err)
			assert.Contains(t, prompt, "New.")

			for _, handle := range []*Session{s, openSession(t, store, clockedOptions(c))} {
				moved, err := handle.Archive(ctx, 0)
				require.NoError(t, err)
				assert.LessOrEqual(t, moved, 3)
			}
			after, file, archive := everywhere(t, store)
			require.Equal(t, before, after)
			assert.Len(t, file, 2)
			assert.Len(t, archive, 3)
			for _, n := range archive {
				assert.Equal(t, 1, n, "once")
			}
			assert.Len(t, memoryOf(t, s).History, 1)
			assert.Equal(t, "discovery-003", addDiscovery(t, s, "next"))
			assert.Equal(t, "attempt-003", startAttempt(t, openSession(t, store, nil), "next"))
		}
		assert.Equal(t, 3, failed, when)
	}
}

// TestArchiveMendsStyles: an entry that was copied in another style than it has in the file is known again.
func TestArchiveMendsStyles(t *testing.T) {
	store := NewMapStore()
	write(t, store, sessionPath, sessionHead+"discoveries: [{id: a, timestamp: 2026-01-01, content: 'x', n: ~, l: []}]\ndecisions:\n# c\n- description: >\n    folded\n  timestamp: \"2026-01-01\"\n  id: b # d\n")
	faulty := &faultyStore{Store: store, when: afterWrite}
	s := openSession(t, faulty, nil)
	faulty.calls, faulty.at = 0, 2
	_, err := s.Archive(context.Background(), 0)
	require.ErrorIs(t, err, errFault)
	_, err = s.Archive(context.Background(), 0)
	require.NoError(t, err)
	_, file, archive := everywhere(t, store)
	assert.Empty(t, file)
	assert.Len(t, archive, 2)
	for _, n := range archive {
		assert.Equal(t, 1, n)
	}
}

// TestArchiveAndCheckKnowTheSameEntry: what the one takes for an entry that was copied,
// the other does too, so that none is written twice.
func TestArchiveAndCheckKnowTheSameEntry(t *testing.T) {
	const entry = "{id: a, timestamp: 2026-01-01, type: code_pattern, content: x, more: {n: 1, l: [1, 2]}}"
	for _, test := range []struct {
		archived string
		same     bool
	}{
		{"{content: 'x', more: {l: [1, 2], n: 1}, type: code_pattern, timestamp: 2026-01-01, id: a}", true},
		{"{id: a, timestamp: 2026-01-01, type: code_pattern, content: x, more: {n: 1, l: [2, 1]}}", false},
		{"{id: a, timestamp: 2026-01-01, type: code_pattern, content: x, more: {n: '1', l: [1, 2]}}", false},
		{"{id: a, timestamp: 2026-01-01, type: code_pattern, content: x, more: {n: 1.0, l: [1, 2]}}", false},
	} {
		file, archive := sessionHead+"discoveries:\n  - "+entry+"\n", sessionHead+"discoveries:\n  - "+test.archived+"\n"
		assert.Equal(t, test.same, len(checkSession(t, file, archive)) == 0, test.archived)
		store := NewMapStore()
		write(t, store, sessionPath, file)
		write(t, store, archivePath, archive)
		require.NoError(t, second(openSession(t, store, nil).Archive(context.Background(), 0)))
		assert.Equal(t, test.same, docText(t, store, archivePath) == archive, test.archived)
	}
}

// meanwhile does something between the copy to the archive and the removal.
type meanwhile struct {
	Store
	do func()
}

func (m *meanwhile) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	err := m.Store.Update(ctx, name, edit)
	if name == archivePath && m.do != nil {
		do := m.do
		m.do = nil
		do()
	}
	return err
}

func TestArchiveWhileOthersWrite(t *testing.T) {
	ctx := context.Background()
	setup := func() (*MapStore, *meanwhile, *Session) {
		store, c := NewMapStore(), &clock{noon}
		agedSession(t, store, c)
		m := &meanwhile{Store: store}
		return store, m, openSession(t, m, clockedOptions(c))
	}
	t.Run("an entry that was changed stays and is moved as it is then", func(t *testing.T) {
		store, m, s := setup()
		m.do = func() {
			write(t, store, sessionPath, strings.Replace(docText(t, store, sessionPath), "Too broad.", "Corrected.", 1))
		}
		moved, err := s.Archive(ctx, 0)
		require.NoError(t, err)
		assert.Equal(t, 2, moved)
		assert.Contains(t, docText(t, store, sessionPath), "Corrected.")
		moved, err = s.Archive(ctx, 0)
		require.NoError(t, err)
		assert.Equal(t, 1, moved)
		assert.NotContains(t, docText(t, store, sessionPath), "Corrected.")
		assert.Contains(t, docText(t, store, archivePath), "Corrected.")
		r, err := s.Run(ctx, "attempt-001")
		require.NoError(t, err)
		assert.Equal(t, "Corrected.", r.Err, "the newer one counts")
	})
	t.Run("an entry that was added stays", func(t *testing.T) {
		store, m, s := setup()
		m.do = func() { addDiscovery(t, openSession(t, store, nil), "added") }
		moved, err := s.Archive(ctx, 0)
		require.NoError(t, err)
		assert.Equal(t, 3, moved)
		assert.Contains(t, docText(t, store, sessionPath), "added")
	})
	t.Run("another that archives too", func(t *testing.T) {
		store, m, s := setup()
		m.do = func() { require.NoError(t, second(openSession(t, store, &SessionOptions{Now: s.now}).Archive(ctx, 0))) }
		moved, err := s.Archive(ctx, 0)
		require.NoError(t, err)
		assert.Zero(t, moved)
		_, file, archive := everywhere(t, store)
		assert.Len(t, file, 2)
		assert.Len(t, archive, 3)
	})
	t.Run("a file that is deleted", func(t *testing.T) {
		store, m, s := setup()
		m.do = func() { require.NoError(t, store.Remove(ctx, sessionPath)) }
		moved, err := s.Archive(ctx, 0)
		require.NoError(t, err)
		assert.Zero(t, moved)
		assert.Equal(t, "discovery-003", addDiscovery(t, s, "next"))
	})
}

func TestArchiveByItself(t *testing.T) {
	ctx := context.Background()
	store, c := NewMapStore(), &clock{noon}
	var log bytes.Buffer
	s := openSession(t, store, &SessionOptions{Now: c.now, ArchiveOver: 4 << 10, KeepRecent: time.Hour, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	const all = 400
	largest := 0
	for i := range all {
		addDiscovery(t, s, fmt.Sprintf("Number %d", i))
		c.pass(10 * time.Minute)
		largest = max(largest, len(docText(t, store, sessionPath)))
	}
	size, err := s.Size(ctx)
	require.NoError(t, err)
	assert.Less(t, largest, 8<<10, "old entries go, and the history stays short")
	assert.Greater(t, size.Archive, 20<<10)
	_, file, archive := everywhere(t, store)
	assert.Equal(t, all, len(file)+len(archive))
	history := memoryOf(t, s).History
	assert.LessOrEqual(t, len(history), maxHistory)
	sum := 0
	for i, h := range history {
		sum += h.Discoveries
		assert.LessOrEqual(t, strings.Count(h.Summary, "\n"), maxHistoryLines)
		assert.True(t, i == 0 || !h.From.Before(history[i-1].To), "in order")
	}
	assert.Equal(t, len(archive), sum)
	assert.Equal(t, noon, history[0].From)
	assert.Contains(t, history[0].Summary, " earlier entries\n")
	assert.Equal(t, "discovery-401", addDiscovery(t, s, "next"))
	assert.Empty(t, log.String())

	write(t, store, archivePath, "broken: [")
	c.pass(24 * time.Hour)
	require.NoError(t, s.UpdateContext(ctx, func(c *SessionContext) { c.Assumptions = []string{strings.Repeat("x", 4<<10)} }), "what brought it about is kept")
	assert.Contains(t, log.String(), "could not be archived")
	assert.Contains(t, log.String(), "line 1")
}

// TestArchiveByItselfNotForLittle: a file that is large for other reasons is not looked through each time.
func TestArchiveByItselfNotForLittle(t *testing.T) {
	store, c := NewMapStore(), &clock{noon}
	s := openSession(t, store, &SessionOptions{Now: c.now, ArchiveOver: 100})
	addDiscovery(t, s, "old")
	addDiscovery(t, s, strings.Repeat("long ", 1000))
	counted := &faultyStore{Store: s.store}
	s.store = counted
	startAttempt(t, s, "a")
	assert.Equal(t, 2, counted.calls, "the archive and the file")
	c.pass(time.Hour)
	startAttempt(t, s, "b")
	assert.Equal(t, 5, counted.calls, "and a look for old entries")
	s.store = counted.Store
	c.pass(3 * time.Hour)
	require.NoError(t, s.UpdateContext(context.Background(), func(c *SessionContext) { c.Assumptions = []string{strings.Repeat("x", 60<<10)} }))
	assert.Len(t, memoryOf(t, s).Discoveries, 2, "less than a tenth of the file")
}

// TestHistoryOfOthers: what somebody wrote or changed in the history stays.
func TestHistoryOfOthers(t *testing.T) {
	store, c := NewMapStore(), &clock{noon}
	const others = `history:
  - note: free words
  - archivedAt: "2026-01-01" # checked
    summary: mine
  - archivedAt: "2026-01-01"
    summary: also mine
    author: me
`
	write(t, store, sessionPath, sessionHead+others)
	s := openSession(t, store, clockedOptions(c))
	for range 3 * maxHistory {
		addDiscovery(t, s, "d")
		c.pass(time.Minute)
		require.NoError(t, second(s.Archive(context.Background(), -1)))
	}
	assert.Contains(t, docText(t, store, sessionPath), others)
	assert.LessOrEqual(t, len(memoryOf(t, s).History), 3+maxHistory)
}

func TestSessionSize(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	s := openSession(t, store, nil)
	for _, c := range []struct {
		bytes         int
		medium, large bool
	}{{1000, false, false}, {SmallSession, false, false}, {SmallSession + 1, true, false}, {MediumSession, true, false}, {MediumSession + 1, true, true}} {
		write(t, store, sessionPath, sessionHead+strings.Repeat("#", c.bytes-len(sessionHead)))
		size, err := s.Size(ctx)
		require.NoError(t, err)
		assert.Equal(t, SessionSize{Bytes: c.bytes, Medium: c.medium, Large: c.large}, size)
	}
	require.NoError(t, store.Remove(ctx, sessionPath))
	assert.Error(t, second(s.Size(ctx)))
	faulty := &faultyStore{Store: store, at: 2}
	write(t, store, sessionPath, sessionHead)
	s.store = faulty
	s.name, s.archive = sessionPath, archivePath
	assert.ErrorIs(t, second(s.Size(ctx)), errFault)
}

// TestArchiveAgainAfterAFault: what was copied already, however it was written, is not copied again.
func TestArchiveAgainAfterAFault(t *testing.T) {
	ctx := context.Background()
	files := conventionBlocks(t)
	files["comments"] = "discoveries:\n  # above\n  - id: a # beside\n    # inside\n    timestamp: 2026-01-01T10:00:00Z\n    content: x\n    # below\n\n  # second\n  - id: b\n    timestamp: 2026-01-01T10:00:00Z\n    content: >-\n      folded\n      text\n"
	files["flow"] = "discoveries:\n  - {id: a, timestamp: 2026-01-01T10:00:00Z, content: x, relatedFiles: [a, b]}\n"
	files["wide"] = "discoveries:\n    -   id: a\n        timestamp: 2026-01-01T10:00:00Z\n        content: |4\n                x\n            y\n        relatedFiles:\n        - b\n"
	for name, file := range files {
		store := NewMapStore()
		write(t, store, sessionPath, file)
		s := openSession(t, store, nil)
		whole := docText(t, store, sessionPath)
		moved, err := s.Archive(ctx, -1)
		require.NoError(t, err, name)
		if moved == 0 {
			continue
		}
		first := docText(t, store, archivePath)
		write(t, store, sessionPath, whole) // as if the second step had failed
		require.NoError(t, second(s.Archive(ctx, -1)), name)
		assert.Equal(t, first, docText(t, store, archivePath), name)
	}
}

// versionless is a store that cannot tell what has changed.
type versionless struct{ Store }

func (v versionless) List(ctx context.Context, dir string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for info, err := range v.Store.List(ctx, dir) {
			info.Version = ""
			if !yield(info, err) {
				return
			}
		}
	}
}

// TestArchiveIsReadAgainWhenItChanged: not when it is as it was, but also when only its
// content changed and not its size, in stores with and without versions.
func TestArchiveIsReadAgainWhenItChanged(t *testing.T) {
	ctx := context.Background()
	for name, store := range map[string]Store{"versions": NewMapStore(), "none": versionless{NewMapStore()}} {
		archive := sessionHead + "discoveries:\n  - {id: own-1}\n"
		write(t, store, archivePath, archive)
		s := openSession(t, store, nil)
		add := func(id string) error {
			return second(s.AddDiscovery(ctx, Discovery{ID: id, Type: CodePattern, Content: "c"}))
		}
		assert.ErrorIs(t, add("own-1"), ErrInvalid, name)
		write(t, store, archivePath, strings.Replace(archive, "own-1", "own-2", 1))
		assert.ErrorIs(t, add("own-2"), ErrInvalid, name)
		require.NoError(t, add("own-1"), name)

		counted := &faultyStore{Store: s.store}
		s.store = counted
		addDiscovery(t, s, "c")
		assert.Equal(t, map[string]int{"versions": 1, "none": 2}[name], counted.calls, "%s: the file, and where it must be the archive", name)
	}
}
