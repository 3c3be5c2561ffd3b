package memory

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// logTo gives a logger whose lines a test can look at.
func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// plainStore is a store without any other ability, and without versions where asked.
type plainStore struct {
	Store
	noVersions bool
	wait       chan struct{} // Read waits for it, unless it is nil
	reading    chan struct{} // told of each Read, unless it is nil
}

func (s *plainStore) List(ctx context.Context, dir string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for info, err := range s.Store.List(ctx, dir) {
			if s.noVersions {
				info.Version = ""
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

func (s *plainStore) Read(ctx context.Context, name string) ([]byte, error) {
	if s.reading != nil {
		s.reading <- struct{}{}
	}
	if s.wait != nil {
		<-s.wait
	}
	return s.Store.Read(ctx, name)
}

func TestStoreWithoutVersionsIsReadAtEachLook(t *testing.T) {
	store := &plainStore{Store: NewMapStore(), noVersions: true}
	write(t, store, "a.md", fmt.Sprintf(plainFile, "A", "Body."))
	b, err := New(store, &Options{MaxAge: -1})
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, recallNames(t, b, Query{Task: "auth"}))
	write(t, store, "a.md", fmt.Sprintf(strings.Replace(plainFile, "auth", "cook", 1), "A", "Body."))
	assert.Equal(t, []string{"a"}, recallNames(t, b, Query{Task: "cook"}))
}

// TestASlowStoreHoldsUpNobodyPastHisContext: one query waits for the store, and others can give up.
func TestASlowStoreHoldsUpNobodyPastHisContext(t *testing.T) {
	store := &plainStore{Store: NewMapStore(), wait: make(chan struct{}), reading: make(chan struct{}, 1)}
	write(t, store, "a.md", fmt.Sprintf(plainFile, "A", "Body."))
	b, err := New(store, nil)
	require.NoError(t, err)
	done := make(chan error)
	go func() {
		_, err := b.Recall(context.Background(), Query{Task: "auth"})
		done <- err
	}()
	<-store.reading
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = b.Recall(ctx, Query{Task: "auth"})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = b.Append(ctx, testMemory("T", nil))
	assert.ErrorIs(t, err, context.Canceled)
	require.NoError(t, b.Close(), "closing does not wait either")
	_, err = b.Get(context.Background(), "a")
	assert.ErrorIs(t, err, ErrClosed)
	close(store.wait)
	<-done
}

// TestAFailedLookForgetsNothing: what the bank wrote is still read at the next look.
func TestAFailedLookForgetsNothing(t *testing.T) {
	store := &brokenStore{MapStore: NewMapStore()}
	b, err := New(store, &Options{MaxAge: time.Hour, Now: fixedNow})
	require.NoError(t, err)
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	name, err := b.Append(t.Context(), testMemory("T", nil))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	store.onRead = cancel
	_, err = b.Recall(ctx, Query{Task: "auth"})
	require.ErrorIs(t, err, context.Canceled)
	store.onRead = nil
	assert.Equal(t, []string{name}, recallNames(t, b, Query{Task: "auth"}))
}

func TestAReadErrorIsTriedAgain(t *testing.T) {
	store := &brokenStore{MapStore: NewMapStore(), broken: map[string]error{"a.md": assert.AnError}}
	write(t, store, "a.md", fmt.Sprintf(plainFile, "A", "Body."))
	b, err := New(store, &Options{MaxAge: -1})
	require.NoError(t, err)
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	store.broken = nil
	assert.Equal(t, []string{"a"}, recallNames(t, b, Query{Task: "auth"}))
}

// TestTheTitleOfAnotherFileTakesOver: two files have a title; when the first goes, updates go to the second.
func TestTheTitleOfAnotherFileTakesOver(t *testing.T) {
	store := NewMapStore()
	write(t, store, "a.md", fmt.Sprintf(plainFile, "Same", "Body."))
	write(t, store, "b.md", fmt.Sprintf(plainFile, "Same", "Body."))
	b, err := New(store, &Options{MaxAge: time.Hour, Now: fixedNow})
	require.NoError(t, err)
	assert.Equal(t, "a", appendTo(t, b, "Same", "one"))
	require.NoError(t, b.Forget(t.Context(), "a"))
	assert.Equal(t, "b", appendTo(t, b, "Same", "two"))
}

// TestAppendSeesATitleThatAPersonJustWrote, whatever MaxAge is.
func TestAppendSeesATitleThatAPersonJustWrote(t *testing.T) {
	store := NewMapStore()
	b, err := New(store, &Options{MaxAge: time.Hour, Now: fixedNow})
	require.NoError(t, err)
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	write(t, store, "notes.md", fmt.Sprintf(plainFile, "Project Structure", "Body."))
	assert.Equal(t, "notes", appendTo(t, b, "Project structure", "more"))
}

// TestManyChangesAtOnce: a look that finds many files, and one that finds few, agree.
func TestManyChangesAtOnce(t *testing.T) {
	store := NewMapStore()
	b, err := New(store, &Options{MaxAge: -1})
	require.NoError(t, err)
	file := strings.Replace(plainFile, "whenToUse", "tags: [patterns]\nwhenToUse", 1)
	for _, n := range []int{3, 40, 41, 60} {
		for i := range n {
			write(t, store, fmt.Sprintf("m%02d.md", i), fmt.Sprintf(file, fmt.Sprintf("Title %d of %d", i, n), "Body."))
		}
		assert.Len(t, recallNames(t, b, Query{Task: "auth", Max: 100}), n)
		got, err := b.snapshot(t.Context())
		require.NoError(t, err)
		assert.Len(t, got.tagged([]string{"patterns", "code"}), n)
		assert.Len(t, b.index.titles, n)
	}
	for i := range 55 {
		require.NoError(t, Remove(t.Context(), store, fmt.Sprintf("m%02d.md", i)))
	}
	assert.Len(t, recallNames(t, b, Query{Task: "auth", Max: 100}), 5)
	assert.Len(t, b.index.titles, 5)
}

func TestNoBodyStaysInMemory(t *testing.T) {
	const files, size = 64, 256 << 10
	store := NewMapStore()
	for i := range files {
		write(t, store, fmt.Sprintf("m%d.md", i), fmt.Sprintf(plainFile, fmt.Sprint("T", i), strings.Repeat("text ", size/5)))
	}
	b, err := New(store, nil)
	require.NoError(t, err)
	before := heap()
	assert.Len(t, recallNames(t, b, Query{Task: "auth"}), 5)
	assert.Less(t, heap()-before, int64(files*size/4))
	runtime.KeepAlive(b)
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestANameWithTwoSuffixesIsNotAnothersName: "foo.md.md" must not be taken for "foo.md".
func TestANameWithTwoSuffixesIsNotAnothersName(t *testing.T) {
	store := NewMapStore()
	write(t, store, "foo.md", fmt.Sprintf(plainFile, "Innocent", enough))
	write(t, store, "foo.md.md", fmt.Sprintf(plainFile, "Guilty", enough))
	b, err := New(store, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"foo"}, recallNames(t, b, Query{Task: "auth"}))
	got := checkStore(t, store)
	require.Len(t, got, 1)
	assert.Contains(t, got[0], "foo.md.md: error: is not read")
}

func TestCheckFindsADirectoryInPlaceOfAMemory(t *testing.T) {
	store := NewMapStore()
	write(t, store, "auth.md/below.txt", "x")
	got := checkStore(t, store)
	require.Len(t, got, 1)
	assert.Contains(t, got[0], "auth.md: warning: is a directory")
}

func TestCheckPointsAtTheRightLine(t *testing.T) {
	got := checkFile(t, "---\ntitle: The it of '(?!x)' and nowhere\ndiscoveredBy: x\ndiscoveredAt: 2026-01-01\nimportance: high\nwhenToUse:\n  - auth\n  - '(?!x)'\n  - it\nrelatedMemories:\n  - nowhere\n---\n\n"+enough)
	require.Len(t, got, 3, "%q", got)
	assert.Contains(t, got[0], "x.md:8: error: whenToUse")
	assert.Contains(t, got[1], "x.md:9: warning: whenToUse")
	assert.Contains(t, got[2], "x.md:11: warning: relatedMemories")
}

func TestProblemsAreLoggedOncePerFileAndKind(t *testing.T) {
	var log strings.Builder
	store := &plainStore{Store: NewMapStore(), noVersions: true}
	write(t, store, "a.md", "no frontmatter")
	b, err := New(store, &Options{MaxAge: -1, Logger: logTo(&log)})
	require.NoError(t, err)
	for range 3 {
		assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	}
	assert.Equal(t, 1, strings.Count(log.String(), "\n"))
	write(t, store, "a.md", "---\nwhenToUse: x\n---\n")
	recallNames(t, b, Query{Task: "auth"})
	assert.Equal(t, 2, strings.Count(log.String(), "\n"), "another problem is told")
}

// TestACancelledLookKeepsWhatItRead: short contexts get there in the end.
func TestACancelledLookKeepsWhatItRead(t *testing.T) {
	store := &brokenStore{MapStore: NewMapStore()}
	for i := range 10 {
		write(t, store, fmt.Sprintf("m%d.md", i), fmt.Sprintf(plainFile, fmt.Sprint("T", i), "Body."))
	}
	b, err := New(store, nil)
	require.NoError(t, err)
	for tries := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		store.onRead = func() {
			if reads++; reads == 3 {
				cancel()
			}
		}
		matches, err := b.Recall(ctx, Query{Task: "auth", Max: 20})
		cancel()
		if err == nil {
			assert.Len(t, matches, 10)
			assert.Positive(t, tries)
			return
		}
	}
	t.Fatal("never got there")
}

func TestOwnWriteIsSeenOnceItCanBeRead(t *testing.T) {
	store := &brokenStore{MapStore: NewMapStore()}
	b, err := New(store, &Options{MaxAge: time.Hour, Now: fixedNow})
	require.NoError(t, err)
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	name, err := b.Append(t.Context(), testMemory("T", nil))
	require.NoError(t, err)
	store.broken = map[string]error{name + ".md": assert.AnError}
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	store.broken = nil
	assert.Equal(t, []string{name}, recallNames(t, b, Query{Task: "auth"}))
}

func TestPanicOfTheClockLocksNothing(t *testing.T) {
	calls := 0
	b, err := New(NewMapStore(), &Options{MaxAge: time.Hour, Now: func() time.Time {
		if calls++; calls > 5 && calls < 20 {
			panic("clock")
		}
		return noon
	}})
	require.NoError(t, err)
	for range 20 {
		func() {
			defer func() { _ = recover() }()
			_, _ = b.Append(t.Context(), testMemory("T", nil))
			_, _ = b.Recall(t.Context(), Query{Task: "auth"})
		}()
	}
	assert.Equal(t, []string{"t"}, recallNames(t, b, Query{Task: "auth"}))
	require.NoError(t, b.Close())
}

// TestOfTwoFilesWithOneTitleTheFirstByNameGetsTheUpdates, in whatever order they are read.
func TestOfTwoFilesWithOneTitleTheFirstByNameGetsTheUpdates(t *testing.T) {
	for range 20 {
		store := NewMapStore()
		write(t, store, "z.md", fmt.Sprintf(plainFile, "T", "Body."))
		write(t, store, "a.md", fmt.Sprintf(plainFile, "T", "Body."))
		b, err := New(store, nil)
		require.NoError(t, err)
		require.Equal(t, "a", appendTo(t, b, "T", "more"))
	}
}

// knownTitle gives a bank that has read the title "T" in a file, and does not look again by itself.
func knownTitle(t *testing.T, name string) (*MapStore, *Bank) {
	t.Helper()
	store := NewMapStore()
	write(t, store, name, fmt.Sprintf(plainFile, "T", "Body."))
	b, err := New(store, &Options{MaxAge: time.Hour, Now: fixedNow})
	require.NoError(t, err)
	require.Equal(t, []string{strings.TrimSuffix(name, suffix)}, recallNames(t, b, Query{Task: "auth"}))
	return store, b
}

// TestAppendFollowsARename: a person renames the file of a known title.
func TestAppendFollowsARename(t *testing.T) {
	store, b := knownTitle(t, "old.md")
	require.NoError(t, Remove(t.Context(), store, "old.md"))
	write(t, store, "new.md", fmt.Sprintf(plainFile, "T", "Body."))
	assert.Equal(t, "new", appendTo(t, b, "T", "more"))
}

// TestAppendToAFileThatIsJustBeingSaved: an editor has emptied it, and not yet written.
func TestAppendToAFileThatIsJustBeingSaved(t *testing.T) {
	store, b := knownTitle(t, "t.md")
	write(t, store, "t.md", "")
	_, err := b.Append(t.Context(), testMemory("T", nil))
	assert.ErrorContains(t, err, "cannot be read now")
	write(t, store, "t.md", fmt.Sprintf(plainFile, "T", "Body."))
	assert.Equal(t, "t", appendTo(t, b, "T", "more"))
}

// TestAppendingDoesNotPutOffALook: a bank that keeps writing still sees what others change.
func TestAppendingDoesNotPutOffALook(t *testing.T) {
	store, now := NewMapStore(), noon
	write(t, store, "a.md", fmt.Sprintf(plainFile, "A", "Body."))
	b, err := New(store, &Options{MaxAge: time.Minute, Now: func() time.Time { return now }})
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, recallNames(t, b, Query{Task: "auth"}))
	write(t, store, "a.md", fmt.Sprintf(strings.Replace(plainFile, "auth", "cook", 1), "A", "Body."))
	for i := range 4 {
		now = now.Add(20 * time.Second)
		appendTo(t, b, fmt.Sprint("New ", i), "Body.")
	}
	assert.Equal(t, []string{"a"}, recallNames(t, b, Query{Task: "cook"}))
}

// TestATitleThatWasEditedIsKnownByItsNewName, and no longer by the old one.
func TestATitleThatWasEditedIsKnownByItsNewName(t *testing.T) {
	store := NewMapStore()
	write(t, store, "a.md", fmt.Sprintf(plainFile, "Old", "Body."))
	b, err := New(store, &Options{MaxAge: -1})
	require.NoError(t, err)
	assert.Equal(t, "a", appendTo(t, b, "Old", "more"))
	write(t, store, "a.md", fmt.Sprintf(plainFile, "New", "Body."))
	assert.Equal(t, "a", appendTo(t, b, "New", "more"))
	assert.Equal(t, "old", appendTo(t, b, "Old", "of its own"))
}

// TestALargeFileDoesNotShiftTheOthers: it is not read, and each other file keeps its own content.
func TestALargeFileDoesNotShiftTheOthers(t *testing.T) {
	store := NewMapStore()
	write(t, store, "a.md", fmt.Sprintf(plainFile, "A", strings.Repeat("x", maxFile)))
	write(t, store, "b.md", fmt.Sprintf(plainFile, "B", "Body."))
	b, err := New(store, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, recallNames(t, b, Query{Task: "auth"}))
}
