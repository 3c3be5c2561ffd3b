package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openNotes gives a notebook in a store; nil: a new one in memory.
func openNotes(t testing.TB, store Store, o *NotebookOptions) *Notebook {
	t.Helper()
	if store == nil {
		store = NewMapStore()
	}
	n, err := NewNotebook(store, o)
	require.NoError(t, err)
	return n
}

// noteOf gives a file of a notebook as it stands; "" for none.
func noteOf(t testing.TB, n *Notebook, path string) string {
	t.Helper()
	data, err := n.store.Read(t.Context(), path)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	return string(data)
}

const userFacts = `# User Facts

> Summary: name, language, role

- Name: Zhang San
- Language: prefers Chinese discussion, English code
- Role: Full-stack developer
- Updated: 2026-02-24
`

const (
	loggerEntry = `## Logger stdout leak fix
- Summary: pino pipeline stdout leak → custom JS transport
- Date: 2026-02-24
- Problem: pino-pretty in pipeline mode leaks to stdout
- Solution: Custom line-transport.js, removed pipeline entirely
- Lesson: pino worker threads cannot load .ts files in Bun`
	shortIDEntry = `## Short ID implementation
- Summary: UUID → 16-char hex short ID
- Date: 2026-02-24
- Task: Replace full UUID with shorter IDs`
)

func TestNotebookHasTheLayoutOfTheDocument(t *testing.T) {
	dir := t.TempDir()
	store, err := NewDirStore(dir, nil)
	require.NoError(t, err)
	n := openNotes(t, store, nil)
	require.NoError(t, n.Write(t.Context(), "facts/user.md", strings.Replace(userFacts, "> Summary: name, language, role\n\n", "", 1)))
	require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", loggerEntry, ""))
	require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", shortIDEntry+"\n", ""))

	for file, want := range map[string]string{
		"facts/user.md": userFacts,
		"episodes/2026-02.md": "# 2026-02 Episodes\n\n" +
			"> Summary: pino pipeline stdout leak → custom JS transport, UUID → 16-char hex short ID\n\n" + loggerEntry + "\n\n" + shortIDEntry + "\n",
	} {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct{ name, path, old, content, want string }{
		{"a heading from the name", "facts/user.md", "", "- Name: A", "# User Facts\n\n> Summary: name\n\n- Name: A\n"},
		{"dashes and underscores", "facts/tech-stack_v2.md", "", "- Go: 1", "# Tech Stack V2 Facts\n\n> Summary: go\n\n- Go: 1\n"},
		{"the word once", "facts/More Facts.md", "", "- A: b", "# More Facts\n\n> Summary: a\n\n- A: b\n"},
		{"another folder", "people/alice.md", "", "text", "# Alice\n\n> Summary: text\n\ntext\n"},
		{"another alphabet", "facts/用户.md", "", "- 姓名：张三", "# 用户 Facts\n\n> Summary: 姓名\n\n- 姓名：张三\n"},
		{"no letters", "people/_.md", "", "text", "# _.md\n\n> Summary: text\n\ntext\n"},
		{"a month", "episodes/2026-02.md", "", "text", "# 2026-02 Episodes\n\n> Summary: text\n\n## text\ntext\n"},
		{"its own heading", "facts/user.md", "", "# Me\n- A: b\n", "# Me\n\n> Summary: a\n\n- A: b\n"},
		{"in place of the old", "facts/user.md", "# Old\n- X: y\n", "- A: b", "# User Facts\n\n> Summary: a\n\n- A: b\n"},
		{"the summary given is built anew", "facts/user.md", "", "# U\n> Summary: wrong\n- A: b", "# U\n> Summary: a\n- A: b\n"},
		{"nothing to build one from", "facts/user.md", "", "# U\n> Summary: mine", "# U\n"},
		{"blank lines at the ends", "facts/user.md", "", "\n\n# U\n- A: b\n \n\t\n", "# U\n\n> Summary: a\n\n- A: b\n"},
		{"indented first line", "a.md", "", "\n    code\n", "# A\n\n> Summary: code\n\n    code\n"},
		{"CRLF in a new file", "facts/user.md", "", "# U\r\n- A: b\r\n", "# U\n\n> Summary: a\n\n- A: b\n"},
		{"CRLF of the file stays", "facts/user.md", "# U\r\n", "# U\n- A: b\n", "# U\r\n\r\n> Summary: a\r\n\r\n- A: b\r\n"},
		{"LF of the file stays", "facts/user.md", "# U\n", "# U\r\n- A: b\r\n", "# U\n\n> Summary: a\n\n- A: b\n"},
		{"BOM of the file stays", "facts/user.md", "\uFEFF# U\r\n", "\uFEFF# U\n- A: b\n", "\uFEFF# U\r\n\r\n> Summary: a\r\n\r\n- A: b\r\n"},
		{"frontmatter stays on top", "facts/user.md", "", "---\ntags: [a]\n---\n\n- A: b\n", "---\ntags: [a]\n---\n\n# User Facts\n\n> Summary: a\n\n- A: b\n"},
		{"a month without entries", "episodes/2026-02.md", "# 2026-02 Episodes\n", "## A\n", "# 2026-02 Episodes\n\n> Summary: A\n\n## A\n"},
	} {
		n := openNotes(t, nil, nil)
		if c.old != "" {
			write(t, n.store, c.path, c.old)
		}
		require.NoError(t, n.Write(t.Context(), c.path, c.content), c.name)
		assert.Equal(t, c.want, noteOf(t, n, c.path), c.name)
	}
}

func TestAppend(t *testing.T) {
	const month = "episodes/2026-02.md"
	for _, c := range []struct{ name, path, old, entry, want string }{
		{"heading of a first level", month, "", "# A\nx", "# 2026-02 Episodes\n\n> Summary: A\n\n## A\nx\n"},
		{"heading of a third level", month, "", "### A\nx", "# 2026-02 Episodes\n\n> Summary: A\n\n## A\nx\n"},
		{"heading alone", month, "", "## A\n", "# 2026-02 Episodes\n\n> Summary: A\n\n## A\n"},
		{"indented heading", month, "", "  ## A\n", "# 2026-02 Episodes\n\n> Summary: A\n\n## A\n"},
		{"heading behind a tab", month, "", "#\tA\nx", "# 2026-02 Episodes\n\n> Summary: A\n\n##\tA\nx\n"},
		{"no heading, a summary", month, "", "- Date: x\n- Summary: s", "# 2026-02 Episodes\n\n> Summary: s\n\n## s\n- Date: x\n- Summary: s\n"},
		{"no heading, first words", month, "", "Fixed it.", "# 2026-02 Episodes\n\n> Summary: Fixed it\n\n## Fixed it.\nFixed it.\n"},
		{"a tag is no heading", month, "", "#fix it", "# 2026-02 Episodes\n\n> Summary: fix it\n\n## fix it\n#fix it\n"},
		{"marks alone", month, "", "***", "# 2026-02 Episodes\n\n> Summary: Entry\n\n## Entry\n***\n"},
		{"a fence left open by the entry", month, "", "## A\n~~~~go\nx", "# 2026-02 Episodes\n\n> Summary: A\n\n## A\n~~~~go\nx\n~~~~\n"},
		{"a fence left open by the file", month, "# T\n\n> Summary: B\n\n## B\n```\nx\n", "## A", "# T\n\n> Summary: B, A\n\n## B\n```\nx\n```\n\n## A\n"},
		{"code first", month, "", "```\n## x\n```", "# 2026-02 Episodes\n\n> Summary: Entry\n\n## Entry\n```\n## x\n```\n"},
		{"an empty file", month, "\n", "## A", "# 2026-02 Episodes\n\n> Summary: A\n\n## A\n"},
		{"a file without a title", month, "## B\nx", "## A", "# 2026-02 Episodes\n\n> Summary: B, A\n\n## B\nx\n\n## A\n"},
		{"blank lines at the end", month, "# T\n\n> Summary: B\n\n## B\n\n \n\n", "\n\n## A\n\n", "# T\n\n> Summary: B, A\n\n## B\n\n## A\n"},
		{"CRLF of the file stays", month, "# T\r\n\r\n> Summary: B\r\n\r\n## B\r\n", "## A\nx", "# T\r\n\r\n> Summary: B, A\r\n\r\n## B\r\n\r\n## A\r\nx\r\n"},
		{"LF of the file stays", month, "# T\n\n> Summary: B\n\n## B\n", "## A\r\nx\r\n", "# T\n\n> Summary: B, A\n\n## B\n\n## A\nx\n"},
		{"BOM stays", month, "\uFEFF# T\n", "## A", "\uFEFF# T\n\n> Summary: A\n\n## A\n"},
		{"frontmatter stays on top", month, "---\na: b\n---\n# T\n\n## B\n", "## A", "---\na: b\n---\n# T\n\n> Summary: B, A\n\n## B\n\n## A\n"},
		{"what a person wrote stays", month, "Title\n# T\n<!-- mine -->\n\n\n## B  \n*  x\n\n\n\ty\n", "## A",
			"Title\n# T\n\n> Summary: B, A\n\n<!-- mine -->\n\n\n## B  \n*  x\n\n\n\ty\n\n## A\n"},
		{"to facts, as it is", "facts/user.md", "# U\n\n- A: b\n", "- C: d", "# U\n\n> Summary: a, c\n\n- A: b\n- C: d\n"},
		{"to a missing file of facts", "facts/user.md", "", "- C: d", "# User Facts\n\n> Summary: c\n\n- C: d\n"},
		{"elsewhere", "people/alice.md", "", "### A\nx", "# Alice\n\n> Summary: A\n\n### A\nx\n"},
		{"invalid bytes of the file stay", month, "# T\n\n## B\xff\n", "## A", "# T\n\n> Summary: B\uFFFD, A\n\n## B\xff\n\n## A\n"},
	} {
		n := openNotes(t, nil, nil)
		if c.old != "" {
			write(t, n.store, c.path, c.old)
		}
		require.NoError(t, n.Append(t.Context(), c.path, c.entry, ""), c.name)
		assert.Equal(t, c.want, noteOf(t, n, c.path), c.name)
	}
}

func TestTheSummaryGivenHoldsUntilTheNextWrite(t *testing.T) {
	n := openNotes(t, nil, nil)
	head := func() string {
		lines := strings.Split(noteOf(t, n, "episodes/2026-02.md"), "\n")
		assert.Equal(t, "# 2026-02 Episodes", lines[0])
		return lines[2]
	}
	require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "## A", "logger\nfix"))
	assert.Equal(t, "> Summary: logger fix", head())
	require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "## B", " "))
	assert.Equal(t, "> Summary: A, B", head())
	require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "## C", strings.Repeat("é", 300)))
	assert.Equal(t, "> Summary: "+strings.Repeat("é", 240)+"…", head())
	_, err := n.Patch(t.Context(), "episodes/2026-02.md", []Patch{{"## B", "## D"}})
	require.NoError(t, err)
	assert.Equal(t, "> Summary: A, D, C", head())
}

func TestAMonthWithEntriesIsNotOverwritten(t *testing.T) {
	n := openNotes(t, nil, nil)
	for range 2 {
		require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "## A", ""))
	}
	before := noteOf(t, n, "episodes/2026-02.md")
	err := n.Write(t.Context(), "episodes/2026-02.md", "## B")
	assert.ErrorIs(t, err, ErrInvalid)
	assert.EqualError(t, err, "write note: episodes/2026-02.md has episodes, which a write would lose: append to it, or patch it; nothing was written")
	assert.Equal(t, before, noteOf(t, n, "episodes/2026-02.md"))
}

// unwritten checks that a call is refused so and changes nothing.
func unwritten(t *testing.T, n *Notebook, path, msg string, call func() error) {
	t.Helper()
	before := noteOf(t, n, path)
	err := call()
	assert.ErrorIs(t, err, ErrInvalid)
	assert.EqualError(t, err, msg)
	assert.Equal(t, before, noteOf(t, n, path))
}

func TestTextThatIsNone(t *testing.T) {
	n := openNotes(t, nil, nil)
	const path = "facts/a.md"
	const empty = "is empty; nothing was written. Single facts are taken out with memory_patch, and a file by a person only"
	for text, want := range map[string]string{
		"": empty, " \n\t\r\n": empty, "\uFEFF": empty,
		"a\x00b": "holds a NUL; nothing was written", "a\xffb": "is not valid UTF-8; nothing was written",
	} {
		unwritten(t, n, path, "write note: facts/a.md: content "+want, func() error { return n.Write(t.Context(), path, text) })
		unwritten(t, n, path, "append to note: facts/a.md: entry "+want, func() error { return n.Append(t.Context(), path, text, "") })
	}
}

func TestTheSameContentWritesNothing(t *testing.T) {
	store := &countingStore{Store: NewMapStore()}
	n := openNotes(t, store, nil)
	require.NoError(t, n.Write(t.Context(), "facts/user.md", userFacts))
	assert.Equal(t, 1, store.written)
	require.NoError(t, n.Write(t.Context(), "facts/user.md", strings.ReplaceAll(userFacts, "\n", "\r\n")))
	_, err := n.Patch(t.Context(), "facts/user.md", []Patch{{"Zhang", "Zhang"}})
	require.NoError(t, err)
	assert.Equal(t, 1, store.written)
}

func TestAFailingStoreChangesNothing(t *testing.T) {
	boom := errors.New("boom")
	for name, store := range map[string]Store{
		"update": failingStore{Store: NewMapStore(), update: boom},
		"list":   failingStore{Store: NewMapStore(), list: boom},
	} {
		n := openNotes(t, store, nil)
		assert.ErrorIs(t, n.Write(t.Context(), "facts/a.md", "- A: b"), boom, name)
		assert.ErrorIs(t, n.Append(t.Context(), "facts/a.md", "- A: b", ""), boom, name)
		applied, err := n.Patch(t.Context(), "facts/a.md", []Patch{{"a", "b"}})
		assert.ErrorIs(t, err, boom, name)
		assert.Zero(t, applied)
		assert.Empty(t, noteOf(t, n, "facts/a.md"), name)
	}
	n := openNotes(t, failingStore{Store: NewMapStore(), list: boom, read: boom}, nil)
	_, err := n.List(t.Context())
	assert.ErrorIs(t, err, boom)
	assert.EqualError(t, err, "list notes: boom")
	_, err = n.Index(t.Context())
	assert.EqualError(t, err, "index: list notes: boom")
	_, err = n.Read(t.Context(), "facts/a.md")
	assert.EqualError(t, err, "read note: boom")
}

// TestLineEndsOfMost: a file of which a few lines end otherwise keeps the ends of most.
func TestLineEndsOfMost(t *testing.T) {
	n := openNotes(t, nil, nil)
	for before, after := range map[string]string{
		"# T\n\n- A: 1\r\n- B: 2\n":     "# T\n\n> Summary: a, b\n\n- A: 1\n- B: 3\n",
		"# T\r\n\r\n- A: 1\n- B: 2\r\n": "# T\r\n\r\n> Summary: a, b\r\n\r\n- A: 1\r\n- B: 3\r\n",
	} {
		write(t, n.store, "facts/user.md", before)
		require.NoError(t, second(n.Patch(t.Context(), "facts/user.md", []Patch{{"2", "3"}})))
		assert.Equal(t, after, noteOf(t, n, "facts/user.md"))
	}
}

// TestACarriageReturnIsALineEnd in what is written.
func TestACarriageReturnIsALineEnd(t *testing.T) {
	n := openNotes(t, nil, nil)
	require.NoError(t, n.Write(t.Context(), "facts/user.md", "- A: b\r- C: d"))
	require.NoError(t, second(n.Patch(t.Context(), "facts/user.md", []Patch{{"d", "e\r- F: g"}})))
	assert.Equal(t, "# User Facts\n\n> Summary: a, c, f\n\n- A: b\n- C: e\n- F: g\n", noteOf(t, n, "facts/user.md"))
}

// TestAFencedWholeIsUnfenced: models put Markdown in a fence when they are asked for Markdown.
func TestAFencedWholeIsUnfenced(t *testing.T) {
	n := openNotes(t, nil, nil)
	require.NoError(t, n.Write(t.Context(), "facts/user.md", "```markdown\n- A: b\n```\n"))
	assert.Equal(t, "# User Facts\n\n> Summary: a\n\n- A: b\n", noteOf(t, n, "facts/user.md"))
	require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "```md\n## A\n- Summary: s\n```", ""))
	assert.Equal(t, "# 2026-02 Episodes\n\n> Summary: s\n\n## A\n- Summary: s\n", noteOf(t, n, "episodes/2026-02.md"))
}

// TestAMonthIsNeverOverwritten, however its text is laid out.
func TestAMonthIsNeverOverwritten(t *testing.T) {
	n := openNotes(t, nil, nil)
	for _, text := range []string{
		"# Oktober\n\n### Fixed\nhand written story\n", "Logger fix\n----------\nprose\n", "---\n\n# T\n\n## A\n- x: y\n\n---\n", "---\na: b\n---\n# T\n",
		"- ```\n  code\n\n## A\n", "just prose", "# T\n\n> Summary: a\n> of two lines\n",
	} {
		write(t, n.store, "episodes/2026-02.md", text)
		assert.ErrorIs(t, n.Write(t.Context(), "episodes/2026-02.md", "## B"), ErrInvalid, text)
		require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "## B\n- Summary: b\n\n---", ""))
		require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "## C", ""))
		got := noteOf(t, n, "episodes/2026-02.md")
		for line := range strings.Lines(text) {
			assert.Contains(t, got, strings.TrimSpace(line))
		}
		assert.Contains(t, got, "\n## B\n")
		assert.Contains(t, got, "\n## C\n")
	}
}

// TestAnEntryTwiceCanGiveASummary: it is there once, and the summary is the one given.
func TestAnEntryTwiceCanGiveASummary(t *testing.T) {
	n := openNotes(t, nil, nil)
	tools := n.Tools()
	calls(t, tools, "memory_append", `{"path":"episodes/2026-02.md","entry":"## A"}`)
	calls(t, tools, "memory_append", `{"path":"episodes/2026-02.md","entry":"## A","summary":"mine"}`)
	assert.Equal(t, "# 2026-02 Episodes\n\n> Summary: mine\n\n## A\n", noteOf(t, n, "episodes/2026-02.md"))
}

// TestAnUnderlinedHeadingIsAHeading of an entry.
func TestAnUnderlinedHeadingIsAHeading(t *testing.T) {
	n := openNotes(t, nil, nil)
	require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", "Logger fix\n----------\n- Summary: s", ""))
	assert.Equal(t, "# 2026-02 Episodes\n\n> Summary: s\n\n## Logger fix\n- Summary: s\n", noteOf(t, n, "episodes/2026-02.md"))
}
