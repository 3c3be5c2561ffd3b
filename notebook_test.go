package memory

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// countingStore counts the documents that are read, and the updates that write.
type countingStore struct {
	Store
	read, written int
}

func (s *countingStore) Read(ctx context.Context, name string) ([]byte, error) {
	s.read++
	return s.Store.Read(ctx, name)
}

func (s *countingStore) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	return s.Store.Update(ctx, name, func(old []byte) ([]byte, error) {
		data, err := edit(old)
		if data != nil {
			s.written++
		}
		return data, err
	})
}

func TestNewNotebookIsRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		o    NotebookOptions
		msg  string
	}{
		{"too large a file", NotebookOptions{MaxFile: 1<<20 + 1}, "MaxFile is 1048577: want at most 1048576 bytes"},
		{"a negative file", NotebookOptions{MaxFile: -1}, "MaxFile is -1: want at most 1048576 bytes"},
		{"too small an index", NotebookOptions{MaxIndex: 511}, "MaxIndex is 511: want at least 512 bytes"},
		{"no fact file", NotebookOptions{Facts: []FactFile{{Path: "user.md"}}}, `fact file "user.md": want a path such as facts/user.md`},
		{"a bad path", NotebookOptions{Facts: []FactFile{{Path: "facts/../a.md"}}}, `fact file "facts/../a.md": want a path such as facts/user.md`},
		{"a file twice", NotebookOptions{Facts: []FactFile{{Path: "facts/a.md"}, {Path: "facts/a.md"}}}, `fact file "facts/a.md" stands twice`},
	} {
		n, err := NewNotebook(NewMapStore(), &c.o)
		assert.Nil(t, n, c.name)
		assert.ErrorIs(t, err, ErrInvalid, c.name)
		assert.EqualError(t, err, "new notebook: "+c.msg+": invalid", c.name)
	}
	_, err := NewNotebook(nil, nil)
	assert.EqualError(t, err, "new notebook: store is nil: invalid")
	openNotes(t, nil, &NotebookOptions{MaxFile: 1 << 20, MaxIndex: 512, MaxFacts: -1})
}

func TestTheOptionsAreTheNotebooksOwn(t *testing.T) {
	o := &NotebookOptions{Facts: []FactFile{{Path: "facts/a.md"}}}
	n := openNotes(t, nil, o)
	o.Facts[0].Path = "facts/b.md"
	assert.EqualError(t, n.Write(t.Context(), "facts/b.md", "- A: b"),
		`write note: path "facts/b.md" is not one of the files that can be written: facts/a.md and episodes/YYYY-MM.md`)
}

func TestReadGivesTheFileAsItStands(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{MaxFile: 30})
	for _, path := range []string{"a.md", "facts/a.md", "episodes/2026-02.md", "episodes/notes.md", "people/more/alice.md"} {
		write(t, n.store, path, "\uFEFF# T\r\n\xff of "+path[:4])
		text, err := n.Read(t.Context(), path)
		require.NoError(t, err)
		assert.Equal(t, "\uFEFF# T\r\n\xff of "+path[:4], text)
	}
	_, err := n.Read(t.Context(), "facts/none.md")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = n.Read(t.Context(), "facts/a.txt")
	assert.ErrorIs(t, err, ErrUnsafeName)
	write(t, n.store, "a.md", strings.Repeat("x", 31))
	_, err = n.Read(t.Context(), "a.md")
	assert.ErrorIs(t, err, ErrTooLarge)
	assert.EqualError(t, err, "read note: a.md has 31 bytes, and at most 30 can be read: a person has to divide it")
}

func TestClosedSet(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{Facts: []FactFile{{"facts/user.md", "who the user is"}, {Path: "facts/project.md"}}})
	for _, path := range []string{"facts/user.md", "facts/project.md", "episodes/2026-12.md"} {
		assert.NoError(t, n.Write(t.Context(), path, "- A: b"), path)
	}
	write(t, n.store, "facts/other.md", "- A: b\n")
	for _, path := range []string{"facts/other.md", "facts/new.md", "people/alice.md"} {
		const rest = ` is not one of the files that can be written: facts/user.md (who the user is), facts/project.md and episodes/YYYY-MM.md`
		unwritten(t, n, path, `write note: path "`+path+`"`+rest, func() error { return n.Write(t.Context(), path, "- C: d") })
		unwritten(t, n, path, `append to note: path "`+path+`"`+rest, func() error { return n.Append(t.Context(), path, "- C: d", "") })
		unwritten(t, n, path, `patch note: path "`+path+`"`+rest, func() error {
			_, err := n.Patch(t.Context(), path, []Patch{{"A", "C"}})
			return err
		})
	}
	text, err := n.Read(t.Context(), "facts/other.md")
	require.NoError(t, err, "what is there can be read")
	assert.Equal(t, "- A: b\n", text)
}

func TestEpisodeFilesAreNamedForTheirMonth(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{Now: injectClock})
	for _, name := range []string{"notes", "2026-13", "2026-00", "2026-2", "26-02", "2026-02-24", "2026/02", "x2026-02", "２０２６-02"} {
		path := "episodes/" + name + ".md"
		unwritten(t, n, path, `append to note: path "`+path+`": an episode file is named for its month, such as episodes/2026-03.md`,
			func() error { return n.Append(t.Context(), path, "## A", "") })
	}
	for _, name := range []string{"2026-01", "2026-09", "2026-10", "2026-12", "0001-01"} {
		assert.NoError(t, n.Append(t.Context(), "episodes/"+name+".md", "## A", ""))
	}
}

// brokenBatch ends a batch too early.
type brokenBatch struct{ Store }

func (brokenBatch) ReadBatch(context.Context, []string) iter.Seq2[[]byte, error] {
	return func(func([]byte, error) bool) {}
}

func TestListOfAStoreThatEndsItsBatchTooEarly(t *testing.T) {
	n := openNotes(t, brokenBatch{NewMapStore()}, nil)
	write(t, n.store, "a.md", "x")
	_, err := n.List(t.Context())
	assert.EqualError(t, err, `list notes: read "a.md": the store ended its batch too early`)
}

// brokenFolder cannot list one folder.
type brokenFolder struct {
	Store
	folder string
	err    error
}

func (s brokenFolder) List(ctx context.Context, dir string) iter.Seq2[Info, error] {
	if dir == s.folder {
		return func(yield func(Info, error) bool) { yield(Info{}, s.err) }
	}
	return s.Store.List(ctx, dir)
}

func TestAFolderThatCannotBeListed(t *testing.T) {
	boom := errors.New("boom")
	n := openNotes(t, brokenFolder{NewMapStore(), "facts/deep", boom}, nil)
	write(t, n.store, "facts/deep/a.md", "x")
	_, err := n.Index(t.Context())
	assert.ErrorIs(t, err, boom)
	for range 2 {
		assert.ErrorIs(t, n.Write(t.Context(), "facts/b.md", "- A: b"), boom, "the budget cannot be counted")
	}
	assert.Empty(t, noteOf(t, n, "facts/b.md"))
	assert.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "## A", ""), "which needs no count")
	n.opts.MaxFacts = -1
	assert.NoError(t, n.Write(t.Context(), "facts/b.md", "- A: b"))
}

// cancelling ends a context once a document is read.
type cancelling struct {
	Store
	cancel func()
}

func (s cancelling) Read(ctx context.Context, name string) ([]byte, error) {
	s.cancel()
	return s.Store.Read(ctx, name)
}

func TestContextsThatEnd(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	n := openNotes(t, nil, nil)
	for name, err := range map[string]error{
		"write":  n.Write(ended, "facts/a.md", "- A: b"),
		"append": n.Append(ended, "episodes/2026-02.md", "## A", ""),
		"list":   func() error { _, err := n.List(ended); return err }(),
		"index":  func() error { _, err := n.Index(ended); return err }(),
		"read":   func() error { _, err := n.Read(ended, "facts/a.md"); return err }(),
		"patch":  func() error { _, err := n.Patch(ended, "facts/a.md", []Patch{{"a", "b"}}); return err }(),
	} {
		assert.ErrorIs(t, err, context.Canceled, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n = openNotes(t, cancelling{NewMapStore(), cancel}, nil)
	write(t, n.store, "a.md", "x")
	_, err := n.List(ctx)
	assert.ErrorIs(t, err, context.Canceled, "while it reads")
	assert.False(t, errors.Is(err, fs.ErrNotExist))
}
