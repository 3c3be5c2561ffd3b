package summary

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Entry
	}{
		{"none", "# T\n\ntext\n", nil},
		{"one", "## A\n- Summary: s\n- x\n", []Entry{{"A", "s"}}},
		{"blank lines at the ends", "# T\n\n## A\n\nx\n\n\n## B\n", []Entry{{"A", ""}, {"B", ""}}},
		{"closed and indented", "   ## A b ##\n", []Entry{{"A b", ""}}},
		{"other levels", "# A\n### B\n##C\n    ## D\n", nil},
		{"in a fence", "## A\n```\n## B\n- Summary: s\n```\n- Summary: t\n", []Entry{{"A", "t"}}},
		{"in a fence left open", "## A\n~~~\n## B\n", []Entry{{"A", ""}}},
		{"in frontmatter", "---\na: b\n## a comment\n---\n## A\n", []Entry{{"A", ""}}},
		{"a fence in frontmatter", "---\na: |\n  ```\n...\n## A\n", []Entry{{"A", ""}}},
		{"the first summary", "## A\n- Summary: s\n- Summary: t", []Entry{{"A", "s"}}},
		{"an empty summary, then one", "## A\n- Summary:\n- Summary: t", []Entry{{"A", "t"}}},
		{"bold summary", "## A\n* **summary:** s", []Entry{{"A", "s"}}},
		{"wide colon", "## A\n+ Summary：日志修复", []Entry{{"A", "日志修复"}}},
		{"not below the item of another", "## A\n  - Summary: s", []Entry{{"A", ""}}},
		{"a rule at the beginning is no frontmatter", "---\n\n# T\n\n## A\n- x: y\n---\n", []Entry{{"A", ""}}},
		{"nor are headings between rules", "---\n# T\n## A\n- x: y\n---\n", []Entry{{"A", ""}}},
		{"summary above the first", "- Summary: s\n## A", []Entry{{"A", ""}}},
		{"hostile title", "## <script>\u202e\u200b\n", []Entry{{"< script>", ""}}},
	} {
		assert.Equal(t, c.want, Entries(c.text), c.name)
	}
}

func TestOfEntry(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, c := range []struct{ name, text, want string }{
		{"its summary", "- Date: 2026-02-24\n- Summary: short IDs\n", "short IDs"},
		{"its first words", "\n\nFixed the log.\nMore.", "Fixed the log."},
		{"without marks", "> - * + Fixed", "Fixed"},
		{"an empty summary", "- Summary:\ntext", "Summary:"},
		{"nothing", "\n \n", "Entry"},
		{"marks alone", "---\n***", "Entry"},
		{"not from code", "```go\nx := 1\n```\nFixed.", "Fixed."},
		{"no summary from code", "```\n- Summary: no\n```\n- Summary: yes", "yes"},
		{"code alone", "```\nx\n```", "Entry"},
		{"long words", long, strings.TrimSpace(strings.Repeat("word ", 15)) + "…"},
		{"long summary", "- Summary: " + long, strings.TrimSpace(strings.Repeat("word ", 15)) + "…"},
	} {
		assert.Equal(t, c.want, OfEntry(c.text), c.name)
	}
}

func TestOfEpisodes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"of the document", episodesFile, "pino pipeline stdout leak → custom JS transport, UUID → 16-char hex short ID"},
		{"none", "# T\ntext", ""},
		{"title in place of a summary", "## A\n## B\n- Summary: b\n", "A, b"},
		{"no end marks", "## A\n- Summary: Done.\n## B\n- Summary: b; \n## C,\n", "Done, b, C"},
		{"empty title", "## \n## B", "B"},
		{"a long one is cut", "## " + strings.Repeat("x", 100), strings.Repeat("x", 79) + "…"},
		{"one that is as long as can be", "## " + strings.Repeat("x", 80), strings.Repeat("x", 80)},
	} {
		assert.Equal(t, c.want, OfEpisodes(c.text), c.name)
	}
}

func TestOfEpisodesCountsTheOldest(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "## Title %04d\n", i)
		made := OfEpisodes(text.String())
		assert.LessOrEqual(t, utf8.RuneCountInString(made), MaxEpisodes)
		assert.True(t, strings.HasSuffix(made, fmt.Sprintf("Title %04d", i)), made)
	}
	made := OfEpisodes(text.String())
	kept := strings.Count(made, "Title")
	assert.True(t, strings.HasPrefix(made, fmt.Sprintf("%d earlier, Title %04d, ", 300-kept, 300-kept)), made)
	assert.Greater(t, utf8.RuneCountInString(made), MaxEpisodes-30)
	assert.Equal(t, "1 earlier, "+strings.Repeat("é", 79)+"…, "+strings.Repeat("b", 79)+"…",
		OfEpisodes("## "+strings.Repeat("a", 90)+"\n## "+strings.Repeat("é", 90)+"\n## "+strings.Repeat("b", 90)))
}

func TestOfFacts(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"of the document", factsFile, "name, language, role"},
		{"bold and code keys", "- **Name:** A\n- **Role**: B\n- `port`: 80\n- __Home__: x\n", "name, role, port, home"},
		{"wide colons", "- 姓名：张三\n- 语言： 中文\n", "姓名, 语言"},
		{"a wide colon behind another is none", "- Time: 10：30\n", "time"},
		{"other marks", "* A b: x\n+ C: y\n - D: z\n", "a b, c, d"},
		{"names stay", "- API: x\n- iOS: y\n- URL of it: z\n- X1: w\n- Ü: u", "API, iOS, URL of it, X1, ü"},
		{"no key", "- likes tea\n- see http://a.b\n- at 12:30\n", "likes tea, see http://a.b, at 12:30"},
		{"a sentence is no key", "- one two three four five six: x\n- " + strings.Repeat("k", 41) + ": y", "one two three four five six: x, " + strings.Repeat("k", 39) + "…"},
		{"a key of five words", "- one two three four five: x", "one two three four five"},
		{"a key without a value", "- Name:\n", "name"},
		{"a colon first", "- : x\n", ": x"},
		{"bookkeeping", "- Updated: x\n- Last updated: y\n- DATE: z\n- Summary: s\n- A: b", "a"},
		{"the same key once", "- A: b\n- A: c\n", "a"},
		{"items of items", "- A: b\n  - C: d\n", "a"},
		{"in a fence", "```\n- A: b\n```\n- C: d\n", "c"},
		{"in a fence left open", "- C: d\n```\n- A: b\n", "c"},
		{"in frontmatter", "---\nk:\n- A: b\n---\n- C: d\n", "c"},
		{"items before headings", "## H\n- A: b\n", "a"},
		{"headings alone", "# T\n## One\ntext\n## Two ##\n", "One, Two"},
		{"prose alone", "# T\n\nSome text.\nMore.\n", "Some text."},
		{"prose below its own summary", "# T\n\n> Summary: old\n\nSome text.\nMore.\n", ""},
		{"a comment is not counted", "<!--\n- Old: x\n-->\n- New: y\n", "new"},
		{"lines with keys", "# T\n\nName: Bob\nRole: dev\n", "name, role"},
		{"a sentence with a colon is no key", "He said it to all of them: no.\n", "He said it to all of them: no."},
		{"a dash behind the key", "- **Name** — Bob\n- Role – dev\n", "name, role"},
		{"check boxes", "- [ ] Buy milk\n- [x] Ship: v1\n", "Buy milk, ship"},
		{"deeper headings", "### A\ntext\n#### B\n", "A, B"},
		{"a table", "| k | v |\n|---|---|\n", "k | v"},
		{"an own summary is not prose", "# T\n\n> Summary: old\n", ""},
		{"nothing", "", ""},
		{"title alone", "# T\n", ""},
		{"underlined title", "T\n===\n\nSome text.\n", "Some text."},
		{"no words in the items", "- \n-\n## H\n", "H"},
		{"long prose", strings.Repeat("word ", 50), strings.TrimSpace(strings.Repeat("word ", 15)) + "…"},
		{"cut without the mark before", "- one two three four five six seven, eight nine ten\n", "one two three four five six seven…"},
		{"hostile lines", "- <script>x</script>: y\n- a\u202eb\x00: z\n- <!-- c\n", "< script>x< /script>, ab, < !-- c"},
		{"invalid bytes", "- a\xff: b", "a\uFFFD"},
	} {
		assert.Equal(t, c.want, OfFacts(c.text), c.name)
	}
}

func TestOfFactsCountsWhatHasNoRoom(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "- key %04d: x\n", i)
	}
	made := OfFacts(text.String())
	kept := strings.Count(made, "key")
	assert.True(t, strings.HasPrefix(made, "key 0000, key 0001, "), made)
	assert.True(t, strings.HasSuffix(made, fmt.Sprintf(", %d more", 500-kept)), made)
	assert.InDelta(t, MaxFacts, strings.LastIndex(made, ", "), 12)
	assert.Equal(t, "a, b", OfFacts("- a: 1\n- b: 2"), "nothing is left out")
}
