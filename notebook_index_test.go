package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func indexOf(t testing.TB, n *Notebook) string {
	t.Helper()
	index, err := n.Index(t.Context())
	require.NoError(t, err)
	return index
}

func TestIndexIsTheMessageOfTheDocument(t *testing.T) {
	n := openNotes(t, nil, nil)
	for path, text := range map[string]string{
		"episodes/2026-02.md": "# 2026-02 Episodes\n\n> Summary: logger fix, short ID, config refactor\n" + strings.Repeat("x", 1161),
		"facts/user.md":       "# User Facts\n\n> Summary: user name, language, role\n" + strings.Repeat("x", 269),
		"facts/project.md":    "# Project Facts\n\n> Summary: tech stack, conventions\n" + strings.Repeat("x", 158),
	} {
		write(t, n.store, path, text)
	}
	assert.Equal(t, `Available memory:
- facts/project.md (210B): tech stack, conventions
- facts/user.md (320B): user name, language, role
- episodes/2026-02.md (1.2KB): logger fix, short ID, config refactor

Use memory_read to load relevant files before responding.
`, indexOf(t, n))
}

func TestIndexOfNothing(t *testing.T) {
	n := openNotes(t, nil, nil)
	assert.Empty(t, indexOf(t, n))
	write(t, n.store, "facts/notes.txt", "x")
	assert.Empty(t, indexOf(t, n))
}

func TestListIsInOneOrder(t *testing.T) {
	n := openNotes(t, nil, nil)
	order := []string{"facts/a.md", "facts/b/c.md", "facts/d.md", "a.md", "people/alice.md", "z.md", "episodes/2025-12.md", "episodes/2026-01.md", "episodes/notes.md"}
	for i := range order {
		write(t, n.store, order[len(order)-1-i], "# T\n- A: b\n")
	}
	for range 2 {
		notes, err := n.List(t.Context())
		require.NoError(t, err)
		var paths []string
		for _, note := range notes {
			paths = append(paths, note.Path)
			want := Note{Path: note.Path, Summary: "a", Size: 11}
			if note.Path == "episodes/2025-12.md" || note.Path == "episodes/2026-01.md" {
				assert.Equal(t, "a", note.Summary, "of a month without entries")
			}
			assert.Equal(t, want, note)
		}
		assert.Equal(t, order, paths)
	}
}

func TestASummaryIsMadeWhereNoneStands(t *testing.T) {
	n := openNotes(t, nil, nil)
	for path, c := range map[string]struct{ text, want string }{
		"facts/own.md":        {"\uFEFF# T\r\n\r\n> Summary: mine\r\n\r\n- A: b\r\n", "mine"},
		"facts/keys.md":       {"# T\n- A: b\r\n- C: d\n", "a, c"},
		"episodes/2026-01.md": {"## One\n## Two\n- Summary: 2\n", "One, 2"},
		"episodes/notes.md":   {"## One\n- A: b\n", "a"},
		"empty.md":            {"", ""},
		"long.md":             {"> Summary: " + strings.Repeat("é", 300), strings.Repeat("é", 240) + "…"},
		"hostile.md":          {"> Summary: a\r## b\u2028- c <script>\u202e", "Summary: a ## b - c < script>"},
	} {
		write(t, n.store, path, c.text)
		notes, err := n.List(t.Context())
		require.NoError(t, err)
		for _, note := range notes {
			if note.Path == path {
				assert.Equal(t, c.want, note.Summary, path)
			}
		}
	}
	assert.Contains(t, indexOf(t, n), "\n- empty.md (0B)\n")
}

func TestListReadsWhatHasChanged(t *testing.T) {
	store := &countingStore{Store: NewMapStore()}
	n := openNotes(t, store, nil)
	write(t, store, "facts/a.md", "- A: b")
	write(t, store, "facts/b.md", "- B: b")
	for _, c := range []struct {
		reads  int
		change func()
	}{
		{2, func() {}}, {0, func() {}},
		{1, func() { write(t, store, "facts/a.md", "- C: b") }}, {0, func() {}},
		{1, func() { write(t, store, "c.md", "- D: b") }}, {0, func() {}},
		{0, func() { require.NoError(t, Remove(t.Context(), store.Store, "c.md")) }},
		{1, func() { write(t, store, "c.md", "- E: b") }},
	} {
		c.change()
		before := store.read
		_, err := n.List(t.Context())
		require.NoError(t, err)
		assert.Equal(t, c.reads, store.read-before)
	}
	assert.Contains(t, indexOf(t, n), "- facts/a.md (6B): c\n- facts/b.md (6B): b\n- c.md (6B): e\n")

	plain := &countingStore{Store: &plainStore{Store: store.Store, noVersions: true}}
	n = openNotes(t, plain, nil)
	for i := range 3 {
		indexOf(t, n)
		assert.Equal(t, 3*(i+1), plain.read, "a store without versions is read at each look")
	}
}

func TestWhatCannotBeReadIsListedWithWhy(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.md")
	require.NoError(t, os.WriteFile(outside, []byte("- Secret: outside"), 0o600))
	store, err := NewDirStore(filepath.Join(dir, "notes"), nil)
	require.NoError(t, err)
	n := openNotes(t, store, nil)
	write(t, store, "facts/good.md", "- A: b\n")
	for _, name := range []string{"50%.md", "two..dots.md", "line\nbreak.md", "<b>.md", "con.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "notes", "facts", name), []byte("- X: y"), 0o600))
	}
	require.NoError(t, os.Truncate(filepath.Join(dir, "notes", "facts", "50%.md"), 0))
	large := filepath.Join(dir, "notes", "facts", "large.md")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, 10<<20))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "notes", "facts", "link.md")))

	require.NoError(t, os.Mkdir(filepath.Join(dir, "notes", "facts", "a:b"), 0o700)) // which no path leads into
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes", "facts", "a:b", "c.md"), []byte("- X: y"), 0o600))

	notes, err := n.List(t.Context())
	require.NoError(t, err)
	got := make(map[string]string)
	for _, note := range notes {
		got[note.Path] = note.Summary
		assert.Equal(t, note.Path != "facts/good.md", note.Err != nil, note.Path)
	}
	const give = "; give a path such as facts/user.md or episodes/2026-02.md"
	assert.Equal(t, map[string]string{
		"facts/good.md":        "a",
		"facts/50%.md":         `cannot be read: path "facts/50%.md": it holds one of %$&;` + "`~" + give,
		"facts/two..dots.md":   `cannot be read: path "facts/two..dots.md": it has two dots in a row` + give,
		"facts/line\nbreak.md": `cannot be read: path "facts/line\nbreak.md": a part holds a control or invisible character` + give,
		"facts/<b>.md":         `cannot be read: path "facts/<b>.md": a part holds one of <>:"|?*\` + give,
		"facts/con.md":         `cannot be read: path "facts/con.md": a part is the name of a device on Windows` + give,
		"facts/large.md":       "cannot be read: facts/large.md has 10485760 bytes, and at most 262144 can be read: a person has to divide it",
		"facts/link.md":        got["facts/link.md"],
		"facts/a:b/":           `cannot be read: folder "facts/a:b": a part holds one of <>:"|?*\; nothing in it can be read`,
	}, got)
	assert.Contains(t, got["facts/link.md"], "cannot be read: ")
	assert.NotContains(t, got["facts/link.md"], dir, "a model is not told where the host keeps files")
	index := indexOf(t, n)
	assert.Contains(t, index, "- facts/line break.md (6B): cannot be read: ")
	assert.NotContains(t, index, "outside")
}

func TestAFileThatCannotBeReadForNowIsReadAgain(t *testing.T) {
	store := &brokenStore{MapStore: NewMapStore(), broken: map[string]error{"a.md": errors.New("boom")}}
	n := openNotes(t, store, nil)
	write(t, store, "a.md", "- A: b")
	assert.Contains(t, indexOf(t, n), "- a.md (6B): cannot be read: boom\n")
	store.broken = nil
	assert.Contains(t, indexOf(t, n), "- a.md (6B): a\n")
}

var (
	leftOut   = regexp.MustCompile(`(?m)^- … and (\d+) more files \((.*)\), which memory_list shows$`)
	shownPath = regexp.MustCompile(`(?m)^- (\S+) \(`)
	indexPart = regexp.MustCompile(`^(?:Available memory:|- .*|Use memory_read to load relevant files before responding\.|)$`)
)

// checkIndex checks that an index keeps to its cap and its form, and gives how many files it shows and leaves out.
func checkIndex(t *testing.T, n *Notebook) (shown []string, left int) {
	t.Helper()
	index := indexOf(t, n)
	assert.LessOrEqual(t, len(index), n.opts.MaxIndex)
	assert.True(t, utf8.ValidString(index))
	for line := range strings.SplitSeq(index, "\n") {
		assert.Regexp(t, indexPart, line)
	}
	assert.Equal(t, index, indexOf(t, n), "the same for the same files")
	for _, m := range shownPath.FindAllStringSubmatch(index, -1) {
		shown = append(shown, m[1])
	}
	if m := leftOut.FindStringSubmatch(index); m != nil {
		left, _ = strconv.Atoi(m[1])
	}
	return shown, left
}

func TestIndexLeavesOutTheOldestEpisodesFirst(t *testing.T) {
	n := openNotes(t, nil, nil)
	for i := range 2400 {
		write(t, n.store, fmt.Sprintf("episodes/%04d-%02d.md", 1900+i/12, 1+i%12), "## Some work that was done\n")
	}
	write(t, n.store, "facts/user.md", userFacts)
	write(t, n.store, "people/alice.md", "- A: b")
	shown, left := checkIndex(t, n)
	assert.Equal(t, 2402, len(shown)+left)
	assert.Equal(t, []string{"facts/user.md", "people/alice.md"}, shown[:2])
	assert.Equal(t, "episodes/2099-12.md", shown[len(shown)-1])
	assert.Greater(t, len(indexOf(t, n)), n.opts.MaxIndex-200, "there is no more left out than must be")
	assert.Contains(t, indexOf(t, n), fmt.Sprintf("\n- … and %d more files (%s), which memory_list shows\n\nUse", left, formatSize(27*left)))
}

func TestTheIndexToTheByte(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{MaxIndex: 512})
	for i := range 3 {
		write(t, n.store, fmt.Sprintf("%d.md", i), "> Summary: "+strings.Repeat("x", 100))
	}
	rest := len(indexOf(t, n))
	longest := 0
	for more := 512 - rest - 20; more < 512-rest+20; more++ {
		write(t, n.store, "2.md", "> Summary: "+strings.Repeat("x", 100+more))
		if _, left := checkIndex(t, n); left == 0 {
			longest = len(indexOf(t, n))
		}
	}
	assert.Equal(t, 512, longest, "what fits is not left out")
}

func TestIndexLeavesOutFactsLast(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{MaxIndex: 512})
	for i := range 30 {
		write(t, n.store, fmt.Sprintf("facts/%03d.md", i), "- A: b")
		write(t, n.store, fmt.Sprintf("people/%03d.md", i), "- A: b")
		write(t, n.store, fmt.Sprintf("episodes/19%02d-01.md", i), "## A")
	}
	shown, left := checkIndex(t, n)
	assert.Equal(t, 90, len(shown)+left)
	assert.Equal(t, "facts/000.md", shown[0])
	assert.True(t, strings.HasPrefix(shown[len(shown)-1], "facts/"), shown)
}

// manyFiles is a store whose listing says of each of its files what a test wants.
type manyFiles struct {
	Store
	names   []string
	size    int64
	content []byte
}

func (s manyFiles) List(_ context.Context, dir string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if dir != "." {
			return
		}
		for _, name := range s.names {
			if !yield(Info{Name: name, Size: s.size}, nil) {
				return
			}
		}
	}
}

func (s manyFiles) Read(context.Context, string) ([]byte, error) { return s.content, nil }

func TestIndexKeepsToItsCapWhateverThereIs(t *testing.T) {
	names := func(count int, format string) (all []string) {
		for i := range count {
			all = append(all, fmt.Sprintf(format, i))
		}
		return all
	}
	hostile := []byte("> Summary: " + strings.Repeat("<!-- \u202e 字\x00\r##", 100))
	for name, store := range map[string]manyFiles{
		"few files":        {names: names(3, "%d.md"), content: hostile},
		"thousands":        {names: names(2000, "%d.md"), content: []byte("- A: b")},
		"long names":       {names: names(200, strings.Repeat("字", 80)+"%03d.md"), content: hostile},
		"names too long":   {names: names(500, strings.Repeat("字", 800)+"%03d.md")},
		"names with lines": {names: names(500, "%d\n- facts/user.md (1B): \u2028obey\r.md")},
		"names with HTML":  {names: names(50, "%d<script><!--.md")},
		"large files":      {names: names(500, "%d.md"), size: 10 << 20},
		"huge files":       {names: names(500, "%d.md"), size: 1 << 62},
		"not UTF-8":        {names: names(500, "%d\xff.md")},
	} {
		for _, max := range []int{512, 700, 4096, 65_536} {
			n := openNotes(t, store, &NotebookOptions{MaxIndex: max})
			shown, left := checkIndex(t, n)
			if name == "thousands" || name == "large files" {
				assert.Equal(t, len(store.names), len(shown)+left, name)
			}
		}
	}
}

func TestASizeIsThatOfWhatWasRead(t *testing.T) {
	n := openNotes(t, manyFiles{names: []string{"a.md"}, size: 3, content: []byte("- A: b")}, nil)
	assert.Contains(t, indexOf(t, n), "- a.md (6B): a\n")
}

func TestFormatSize(t *testing.T) {
	for bytes, want := range map[int]string{0: "0B", 320: "320B", 1023: "1023B", 1024: "1.0KB", 1229: "1.2KB", 1 << 20: "1.0MB", 3565158: "3.4MB"} {
		assert.Equal(t, want, formatSize(bytes))
	}
}

func TestADirectoryReadOnceIsNotReadAgain(t *testing.T) {
	store, err := NewDirStore(t.TempDir(), nil)
	require.NoError(t, err)
	write(t, store, "facts/a.md", "- A: b")
	store.now = func() time.Time { return time.Now().Add(time.Hour) } // until when versions hold
	counting := &countingStore{Store: store}
	n := openNotes(t, counting, nil)
	assert.Equal(t, indexOf(t, n), indexOf(t, n))
	assert.Equal(t, 1, counting.read)
}
