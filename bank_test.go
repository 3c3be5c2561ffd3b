package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const plainFile = "---\ntitle: %q\nwhenToUse: auth\nimportance: high\ndiscoveredAt: 2026-01-01\ndiscoveredBy: x\n---\n\n%s\n"

func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
}

func openBank(t *testing.T, dir string, o *Options) *Bank {
	t.Helper()
	b, err := Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b
}

func TestMissingDirectoryIsAnEmptyBank(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	b := openBank(t, dir, nil)
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	problems, err := b.Check(context.Background())
	require.NoError(t, err)
	assert.Empty(t, problems)
	assert.NoDirExists(t, dir, "looking makes nothing")
	_, err = b.Append(context.Background(), testMemory("T", nil))
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(dir, "t.md"), "the first append makes it")
}

func TestOpenRefusesAFile(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "file", "x")
	_, err := Open(filepath.Join(dir, "file"), nil)
	assert.Error(t, err)
	_, err = Open("", nil)
	assert.ErrorIs(t, err, ErrInvalid, "an unset variable is not the working directory")
	_, err = New(nil, nil)
	assert.ErrorIs(t, err, ErrInvalid)
}

// TestFreshness: a person adds, edits and deletes files under an open bank.
func TestFreshness(t *testing.T) {
	dir := t.TempDir()
	b := openBank(t, dir, &Options{MaxAge: -1})
	q := Query{Task: "auth"}
	assert.Empty(t, recallNames(t, b, q))

	writeFile(t, dir, "a.md", fmt.Sprintf(plainFile, "A", "Body."))
	assert.Equal(t, []string{"a"}, recallNames(t, b, q), "added")

	writeFile(t, dir, "a.md", fmt.Sprintf(strings.Replace(plainFile, "auth", "cook", 1), "A", "Body."))
	assert.Empty(t, recallNames(t, b, q), "edited, to the same length and within the same tick of the clock")
	assert.Equal(t, []string{"a"}, recallNames(t, b, Query{Task: "cook"}))

	require.NoError(t, os.Remove(filepath.Join(dir, "a.md")))
	assert.Empty(t, recallNames(t, b, Query{Task: "cook"}), "deleted")

	require.NoError(t, os.RemoveAll(dir))
	assert.Empty(t, recallNames(t, b, q))
	require.NoError(t, os.Mkdir(dir, 0o755))
	writeFile(t, dir, "b.md", fmt.Sprintf(plainFile, "B", "Body."))
	assert.Equal(t, []string{"b"}, recallNames(t, b, q), "the directory made anew")
}

func TestMaxAgeBoundsHowLongAChangeGoesUnseen(t *testing.T) {
	dir := t.TempDir()
	now := noon
	b := openBank(t, dir, &Options{MaxAge: time.Hour, Now: func() time.Time { return now }})
	q := Query{Task: "auth"}
	assert.Empty(t, recallNames(t, b, q))
	writeFile(t, dir, "a.md", fmt.Sprintf(plainFile, "A", "Body."))
	assert.Empty(t, recallNames(t, b, q), "not looked at before MaxAge")
	now = now.Add(time.Hour)
	assert.Equal(t, []string{"a"}, recallNames(t, b, q), "by the host's clock")
	writeFile(t, dir, "b.md", fmt.Sprintf(plainFile, "B", "Body."))
	b.seen.at = b.seen.at.Add(-time.Hour)
	assert.Equal(t, []string{"a", "b"}, recallNames(t, b, q), "by the machine's clock")
}

func TestOwnWritesAreSeenAtOnce(t *testing.T) {
	ctx := context.Background()
	b := openBank(t, t.TempDir(), &Options{MaxAge: time.Hour})
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	name, err := b.Append(ctx, testMemory("T", nil))
	require.NoError(t, err)
	assert.Equal(t, []string{name}, recallNames(t, b, Query{Task: "auth"}))
	_, err = b.Append(ctx, &Memory{Frontmatter: Frontmatter{Title: "T", WhenToUse: []string{"cook"}, DiscoveredBy: "x"}})
	require.NoError(t, err)
	assert.Equal(t, []string{name}, recallNames(t, b, Query{Task: "cook"}))
	require.NoError(t, b.Forget(ctx, name))
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
}

func TestTwoBanksSeeEachOthersWrites(t *testing.T) {
	store := NewMapStore()
	b1, err := New(store, &Options{MaxAge: -1})
	require.NoError(t, err)
	b2, err := New(store, &Options{MaxAge: -1})
	require.NoError(t, err)
	assert.Empty(t, recallNames(t, b2, Query{Task: "auth"}))
	_, err = b1.Append(context.Background(), testMemory("T", nil))
	require.NoError(t, err)
	assert.Equal(t, []string{"t"}, recallNames(t, b2, Query{Task: "auth"}))
}

// TestBadFiles: each is reported with its file and line, logged once, and
// skipped, while the good one works.
func TestBadFiles(t *testing.T) {
	huge := "---\ntitle: X\nnote: " + strings.Repeat("x", 17<<10) + "\n---\n"
	bad := map[string]string{
		"not-utf8":    "---\ntitle: X\n---\n\n\xff\n",
		"broken-yaml": "---\ntitle: [\n---\n\nBody.\n",
		"no-title":    "---\nwhenToUse: auth\n---\n\nBody.\n",
		"importance":  "---\ntitle: X\nwhenToUse: auth\nimportance: urgent\n---\n\nBody.\n",
		"huge":        huge,
		"open":        "---\ntitle: X\n",
		"prose":       "Just text.\n",
		"empty":       "",
		"too-large":   fmt.Sprintf(plainFile, "X", strings.Repeat("x", 1<<20)),
	}
	dir := t.TempDir()
	writeFile(t, dir, "good.md", fmt.Sprintf(plainFile, "Good", "Body."))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.md"), 0o755))
	for name, content := range bad {
		writeFile(t, dir, name+".md", content)
	}
	var log bytes.Buffer
	b := openBank(t, dir, &Options{MaxAge: time.Hour, Logger: logTo(&log)})
	for range 3 {
		assert.Equal(t, []string{"good"}, recallNames(t, b, Query{Task: "auth"}))
	}
	problems, err := b.Check(context.Background())
	require.NoError(t, err)
	for name := range bad {
		assert.Equal(t, 1, strings.Count(log.String(), "name="+name+" "), "%s is logged once", name)
		found := false
		for _, p := range problems {
			found = found || p.Name == name && p.Severity == SeverityError && p.Msg != ""
			if p.Name == name && p.Severity == SeverityError && name != "too-large" && name != "empty" {
				assert.Positive(t, p.Line, p.String())
			}
		}
		assert.True(t, found, "%s is reported", name)
		_, err := b.Get(context.Background(), name)
		assert.Error(t, err)
	}
	good, failed := 0, 0
	for m, err := range b.All(context.Background()) {
		if err != nil {
			failed++
			continue
		}
		assert.Equal(t, "good", m.Name)
		good++
	}
	assert.Equal(t, 1, good)
	assert.Equal(t, len(bad), failed, "All yields an error for each of the others")
}

func TestGetAndForgetNames(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	b := openBank(t, dir, nil)
	_, err := b.Append(ctx, testMemory("T", nil))
	require.NoError(t, err)
	for _, name := range []string{"t", "t.md"} {
		m, err := b.Get(ctx, name)
		require.NoError(t, err)
		assert.Equal(t, "t", m.Name)
	}
	_, err = b.Get(ctx, "missing")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorIs(t, b.Forget(ctx, "missing"), fs.ErrNotExist)
	for _, name := range []string{"../t", "a/t", "/etc/passwd", ".hidden", "", "con", "a\x00b"} {
		_, err = b.Get(ctx, name)
		assert.ErrorIs(t, err, ErrUnsafeName, name)
		assert.ErrorIs(t, b.Forget(ctx, name), ErrUnsafeName, name)
	}
	require.NoError(t, b.Forget(ctx, "t.md"))
	_, err = b.Get(ctx, "t")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.FileExists(t, filepath.Join(dir, ".trash", "t.md"), "it can be brought back by hand")
}

func TestAllStopsWhenAsked(t *testing.T) {
	b := testBank(t, nil, testMemory("A", nil), testMemory("B", nil))
	for m, err := range b.All(context.Background()) {
		require.NoError(t, err)
		assert.Equal(t, "a", m.Name, "in the order of names")
		break
	}
}

func TestClosedBank(t *testing.T) {
	ctx := context.Background()
	b, err := Open(t.TempDir(), nil)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.NoError(t, b.Close(), "closing again does nothing")
	_, err = b.Recall(ctx, Query{})
	assert.ErrorIs(t, err, ErrClosed)
	_, err = b.Inject(ctx, "", Query{})
	assert.ErrorIs(t, err, ErrClosed)
	_, err = b.Append(ctx, testMemory("T", nil))
	assert.ErrorIs(t, err, ErrClosed)
	_, err = b.Get(ctx, "t")
	assert.ErrorIs(t, err, ErrClosed)
	assert.ErrorIs(t, b.Forget(ctx, "t"), ErrClosed)
	_, err = b.Check(ctx)
	assert.ErrorIs(t, err, ErrClosed)
	for _, err := range b.All(ctx) {
		assert.ErrorIs(t, err, ErrClosed)
	}
}

// failingStore fails in one way.
type failingStore struct {
	Store
	list, read, update error
}

func (s failingStore) List(ctx context.Context, dir string) iter.Seq2[Info, error] {
	if s.list == nil {
		return s.Store.List(ctx, dir)
	}
	return func(yield func(Info, error) bool) { yield(Info{}, s.list) }
}

func (s failingStore) Read(ctx context.Context, name string) ([]byte, error) {
	if s.read != nil {
		return nil, s.read
	}
	return s.Store.Read(ctx, name)
}

func (s failingStore) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	if s.update != nil {
		return s.update
	}
	return s.Store.Update(ctx, name, edit)
}

func TestStoreErrorsReachTheCaller(t *testing.T) {
	ctx := context.Background()
	boom := errors.New("boom")
	store := NewMapStore()
	write(t, store, "t.md", fmt.Sprintf(plainFile, "T", "Body."))

	b, err := New(failingStore{Store: store, list: boom}, nil)
	require.NoError(t, err)
	_, err = b.Recall(ctx, Query{})
	assert.ErrorIs(t, err, boom)
	_, err = b.Append(ctx, testMemory("T", nil))
	assert.ErrorIs(t, err, boom)
	_, err = b.Check(ctx)
	assert.ErrorIs(t, err, boom)
	for _, err := range b.All(ctx) {
		assert.ErrorIs(t, err, boom)
	}

	b, err = New(failingStore{Store: store, update: boom}, nil)
	require.NoError(t, err)
	_, err = b.Append(ctx, testMemory("T", nil))
	assert.ErrorIs(t, err, boom)
	assert.ErrorIs(t, b.Forget(ctx, "t"), errors.ErrUnsupported, "this store cannot remove")

	b, err = New(failingStore{Store: store, read: boom}, nil)
	require.NoError(t, err)
	assert.Empty(t, recallNames(t, b, Query{Task: "auth"}))
	problems, err := b.Check(ctx)
	require.NoError(t, err)
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].String(), "t.md: error: boom")
}

// TestNewCopiesItsOptions: a host that changes them later changes no open bank.
func TestNewCopiesItsOptions(t *testing.T) {
	o := &Options{Now: fixedNow, Weights: SpecWeights(), Format: &FormatOptions{Heading: "Notes"}, Specialties: map[string][]string{"Dev": {"Code"}}}
	b := testBank(t, o, testMemory("T", func(m *Memory) { m.Tags = []string{"code"} }))
	o.Weights.High, o.Format.Heading, o.Specialties["Dev"][0] = 1, "Other", "x"
	in, err := b.Inject(context.Background(), "", Query{Task: "auth", Agent: "dev"})
	require.NoError(t, err)
	assert.Equal(t, Score{Importance: 25, Specialty: 5}, in.Matches[0].Score)
	assert.True(t, strings.HasPrefix(in.Block, "## Notes\n"))
}

func TestAllGoesOnAfterAnError(t *testing.T) {
	store := &brokenStore{MapStore: NewMapStore(), broken: map[string]error{"a.md": errors.New("boom")}}
	for _, name := range []string{"a", "b", "c"} {
		write(t, store, name+".md", fmt.Sprintf(plainFile, name, "Body."))
	}
	write(t, store, "b.md", "no memory")
	b, err := New(store, nil)
	require.NoError(t, err)
	var got []string
	for m, err := range b.All(t.Context()) {
		if err != nil {
			got = append(got, "error")
			continue
		}
		got = append(got, m.Name)
	}
	assert.Equal(t, []string{"error", "error", "c"}, got)
	for _, err := range b.All(t.Context()) {
		assert.Error(t, err)
		break // and ends where the caller does
	}
}
