package summary

import (
	"slices"
	"strings"
	"testing"

	"github.com/rawko/memory/internal/markdown"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const factsFile = `# User Facts

> Summary: user name, language, role

- Name: Zhang San
- Language: prefers Chinese discussion, English code
- Role: Full-stack developer
- Updated: 2026-02-24
`

const episodesFile = `# 2026-02 Episodes

> Summary: logger fix, short ID, config refactor

## Logger stdout leak fix
- Summary: pino pipeline stdout leak → custom JS transport
- Date: 2026-02-24
- Problem: pino-pretty in pipeline mode leaks to stdout
- Solution: Custom line-transport.js, removed pipeline entirely
- Lesson: pino worker threads cannot load .ts files in Bun

## Short ID implementation
- Summary: UUID → 16-char hex short ID
- Date: 2026-02-24
- Task: Replace full UUID with shorter IDs
`

func TestGet(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"facts of the document", factsFile, "user name, language, role"},
		{"episodes of the document", episodesFile, "logger fix, short ID, config refactor"},
		{"nothing", "", ""},
		{"none", "# T\n\ntext\n", ""},
		{"without a title", "> Summary: a\n\ntext", "a"},
		{"above the title", "> Summary: a\n\n# T\n", "a"},
		{"below text is a person's own", "# T\n\nSome text.\n\n> Summary: a\n", ""},
		{"small letter", "> summary: a", "a"},
		{"bold", "> **Summary:** a", "a"},
		{"bold before the colon", "> **Summary**: a", "a"},
		{"emphasis", "> _Summary_: a", "a"},
		{"wide colon", "> Summary：用户", "用户"},
		{"no space", ">Summary:a", "a"},
		{"spaces", "   >  Summary:  a  b  ", "a b"},
		{"four spaces are code", "    > Summary: a", ""},
		{"empty", "> Summary:", ""},
		{"a quotation of several lines is a person's", "> Summary: a\n> and b", ""},
		{"another quotation", "> Note: a\n\n> Summary: b", ""},
		{"the word alone", "> Summary of all: a", ""},
		{"below a comment", "# T\n<!-- kept\nby Ann -->\n\n> Summary: a", "a"},
		{"a title in a comment is none", "<!--\n# License\n-->\n\n# T\n> Summary: a", "a"},
		{"in a comment", "# T\n<!--\n> Summary: a\n-->\n", ""},
		{"behind frontmatter with other keys", "---\n$schema: x\n1: y\ntags: [\n  a,\n]\n---\n> Summary: a", "a"},
		{"without a quotation", "Summary: a", ""},
		{"below a list", "# T\n- a\n\n> Summary: b", ""},
		{"below an entry", "# T\n## E\n> Summary: b", ""},
		{"in a fence", "# T\n```\n> Summary: b\n```\n", ""},
		{"in tildes", "# T\n~~~\n> Summary: b\n~~~\n", ""},
		{"in a fence left open", "# T\n```\n> Summary: b\n", ""},
		{"behind a fence", "# T\n```\n- x\n## y\n```\n> Summary: b\n", ""},
		{"in frontmatter", "---\n> Summary: a\n---\n# T\n", ""},
		{"behind frontmatter", "---\n# a comment\nk:\n- x\n---\n# T\n\n> Summary: a\n", "a"},
		{"a fence in frontmatter is none", "---\nk: |\n  ```\n---\n> Summary: a\n", "a"},
		{"frontmatter without an end is none", "---\n> Summary: a\n", ""},
		{"a rule further down is no frontmatter", "\n---\n> Summary: a\n---\n", ""},
		{"invisible characters", "> Summary: a\u200b\u202eb\x00c", "abc"},
		{"HTML", "> Summary: <script>alert(1)</script>", "< script>alert(1)< /script>"},
	} {
		assert.Equal(t, c.want, Get(c.text), c.name)
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct{ name, text, summary, want string }{
		{"in its place", factsFile, "x", strings.Replace(factsFile, "user name, language, role", "x", 1)},
		{"none given", "# T\n", "", "# T\n"},
		{"blank", "# T\n", " \n\t", "# T\n"},
		{"an empty file", "", "x", "> Summary: x\n"},
		{"below the title", "# T\n\n- a\n", "x", "# T\n\n> Summary: x\n\n- a\n"},
		{"title alone", "# T", "x", "# T\n\n> Summary: x\n"},
		{"below an underlined title", "T\n==\n- a\n", "x", "T\n==\n\n> Summary: x\n\n- a\n"},
		{"one blank line", "# T\n\n\n\ntext\n", "x", "# T\n\n> Summary: x\n\ntext\n"},
		{"no title", "- a\n", "x", "> Summary: x\n\n- a\n"},
		{"a title below a list is none", "- a\n# T\n", "x", "> Summary: x\n\n- a\n# T\n"},
		{"frontmatter stays on top", "---\na: b\n---\n\n# T\n- a\n", "x", "---\na: b\n---\n\n# T\n\n> Summary: x\n\n- a\n"},
		{"frontmatter alone", "---\na: b\n---", "x", "---\na: b\n---\n\n> Summary: x\n"},
		{"frontmatter with spaces", "---  \na: b\n---\t\ntext", "x", "---  \na: b\n---\t\n\n> Summary: x\n\ntext"},
		{"a fence in frontmatter", "---\nk: |\n  ```\n---\ntext", "x", "---\nk: |\n  ```\n---\n\n> Summary: x\n\ntext"},
		{"another form becomes this one", "> **Summary：** a\n", "x", "> Summary: x\n"},
		{"a line further down stays", "# T\n- a\n> Summary: b\n", "x", "# T\n\n> Summary: x\n\n- a\n> Summary: b\n"},
		{"a comment stays above the title", "<!--\n# License\n-->\n\n# T\n- A: b\n", "x", "<!--\n# License\n-->\n\n# T\n\n> Summary: x\n\n- A: b\n"},
		{"a lone carriage return is no line of ours", "# T\n\n> Summary: facts\r- Name: Kim\n", "x", "# T\n\n> Summary: x\n\n> Summary: facts\r- Name: Kim\n"},
		{"code stays", "# T\n```\n> Summary: b\n```\n", "x", "# T\n\n> Summary: x\n\n```\n> Summary: b\n```\n"},
		{"lines become one", "# T\n", "x\n## y\r\n- z", "# T\n\n> Summary: x ## y - z\n"},
		{"HTML", "", "<!-- x", "> Summary: < !-- x\n"},
	} {
		got := Set(c.text, c.summary)
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, got, Set(got, c.summary), c.name)
	}
}

func TestTitled(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"its own", "# A\ntext", "# A\ntext"},
		{"its own below text", "text\n# A\n", "text\n# A\n"},
		{"its own without words", "#\ntext", "#\ntext"},
		{"its own, closed and indented", "   # A ##\n", "   # A ##\n"},
		{"its own, underlined", "A\n===\ntext", "A\n===\ntext"},
		{"its own, underlined below text", "text\n\nA\n = \n", "text\n\nA\n = \n"},
		{"an underline of nothing", "\n===\n", "# T\n\n===\n"},
		{"an underline in code", "```\nA\n===\n```", "# T\n\n```\nA\n===\n```"},
		{"an underline below frontmatter", "---\na: b\n---\n===\n", "---\na: b\n---\n\n# T\n\n===\n"},
		{"an underlined heading of the second level", "A\n---\n", "# T\n\nA\n---\n"},
		{"an empty file", "", "# T\n"},
		{"blank lines", "\n\ntext", "# T\n\ntext"},
		{"a second-level heading is none", "## A\n", "# T\n\n## A\n"},
		{"below a second-level heading", "## A\n# B\n", "# T\n\n## A\n# B\n"},
		{"in code", "```\n# A\n```", "# T\n\n```\n# A\n```"},
		{"a tag is none", "#A\n", "# T\n\n#A\n"},
		{"frontmatter", "---\nk: v\n# a\n---\n\ntext", "---\nk: v\n# a\n---\n\n# T\n\ntext"},
	} {
		got := Titled(c.text, "T")
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, got, Titled(got, "U"), c.name)
	}
}

func TestIsEmptyAndDrop(t *testing.T) {
	for _, c := range []struct {
		name, text string
		empty      bool
		dropped    string
	}{
		{"nothing", "", true, ""},
		{"a head", "# T\n\n> Summary: x\n\n", true, "# T\n"},
		{"frontmatter counts", "---\na: b\n---\n\n# T\n\n> Summary: x\n\n", false, "---\na: b\n---\n\n# T\n"},
		{"an underlined title", "T\n===\n> Summary: x\n", true, "T\n===\n"},
		{"text", "# T\n\n> Summary: x\n\ntext\n", false, "# T\n\n\ntext\n"},
		{"text above the title", "text\n# T\n", false, "text\n# T\n"},
		{"another summary", "> Summary: x\n\n> Summary: y\n", false, "\n> Summary: y\n"},
		{"a third-level heading", "# T\n### a\n", false, "# T\n### a\n"},
	} {
		assert.Equal(t, c.empty, IsEmpty(c.text), c.name)
		assert.Equal(t, c.dropped, Drop(c.text), c.name)
	}
}

func TestClosed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"closed already", "# T\n```\nx\n```", "# T\n```\nx\n```"},
		{"left open", "# T\n~~~~\nx", "# T\n~~~~\nx\n~~~~"},
		{"in frontmatter", "---\nk: |\n  ```\n---\n# T", "---\nk: |\n  ```\n---\n# T"},
	} {
		assert.Equal(t, c.want, Closed(c.text), c.name)
	}
}

func TestHeadless(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a head and an entry", "# 2026-02 Episodes\n\n> Summary: x\n\n## A\n- b", "## A\n- b"},
		{"a title alone", "# 2026-02 episodes\n- b", "# 2026-02 episodes\n- b"},
		{"another title", "# A\n## B\n", "# A\n## B\n"},
		{"text between", "# 2026-02 Episodes\ntext\n## B\n", "# 2026-02 Episodes\ntext\n## B\n"},
		{"no title", "> Summary: x\n\n## B\n", "> Summary: x\n\n## B\n"},
		{"an entry in code", "# 2026-02 Episodes\n```\n## B\n```", "# 2026-02 Episodes\n```\n## B\n```"},
	} {
		assert.Equal(t, c.want, Headless(c.text, "2026-02 Episodes"), c.name)
	}
}

func TestUnfenced(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a fence for Markdown", "```markdown\n# A\n- b\n```", "# A\n- b"},
		{"a longer one", "~~~~md \n```\nx\n```\n~~~~", "```\nx\n```"},
		{"code", "```go\nx\n```", "```go\nx\n```"},
		{"a plain fence", "```\nx\n```", "```\nx\n```"},
		{"more behind it", "```markdown\nx\n```\ny", "```markdown\nx\n```\ny"},
		{"two blocks", "```md\nx\n```\ny\n```\nz\n```", "```md\nx\n```\ny\n```\nz\n```"},
	} {
		assert.Equal(t, c.want, Unfenced(c.text), c.name)
	}
}

func TestJoinsList(t *testing.T) {
	assert.True(t, JoinsList("# T\n\n- a", "- b\ntext"))
	assert.False(t, JoinsList("# T\n\ntext", "- b"))
	assert.False(t, JoinsList("- a", "text"))
	assert.False(t, JoinsList("```\n- a", "- b"))
}

// FuzzSet checks that a summary that is set can be read, once, and that all else stays.
func FuzzSet(f *testing.F) {
	for _, text := range []string{
		"", factsFile, episodesFile, "---\n```\n---\n", "---\n---", "# T\n```\n# U\n", "- a\n> Summary: b", "> **Summary：** a", "\r\n# T\r\n",
		"~~~\n- ```\n# T", "---\n# T", "\n\n", "a\n===\nb", "# T\n=\n", "---\na\n---\nb\n=\n", "#", "1. ```\n# T\n1. ```\n> Summary: x",
	} {
		f.Add(text, "name, role")
		f.Add(text, "** a: > # `b`")
	}
	f.Fuzz(func(t *testing.T, text, s string) {
		set := Set(text, s)
		require.Equal(t, set, Set(set, s), "set twice")
		Entries(text)
		for _, made := range []string{OfFacts(text), OfEpisodes(text), OfEntry(text), Get(text)} {
			require.Equal(t, made, markdown.Line(made), "a made summary is a line")
		}
		if s == "" || markdown.Line(s) != s {
			return
		}
		require.Equal(t, s, Get(set))
		require.Equal(t, filled(text, Get(text) != "" || read(text).summary >= 0), filled(set, true), "nothing else has changed")
		require.Equal(t, len(Entries(text)), len(Entries(set)))
		require.Equal(t, Titled(text, "T") == text, Titled(set, "T") == set, "the title is the same")
	})
}

// filled gives the lines of a text that are not blank, without its summary.
func filled(text string, summarized bool) []string {
	h := read(text)
	if summarized {
		h.lines = slices.Delete(h.lines, h.summary, h.summary+1)
	}
	return slices.DeleteFunc(h.lines, func(line string) bool { return strings.TrimSpace(line) == "" })
}
