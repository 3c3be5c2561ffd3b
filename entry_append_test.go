package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newsMemory is an update that gives only what it must.
func newsMemory() *Memory {
	return &Memory{Frontmatter: Frontmatter{Title: "T", DiscoveredBy: "dev", DiscoveredAt: mustTime("2026-01-24T00:00:00Z")}, Body: "new"}
}

const newsText = "---\ntitle: \"T\"\ndiscoveredAt: 2026-01-24T00:00:00Z\ndiscoveredBy: dev\n---\n\nnew\n"

func TestAppendAddsBytesAndNeverRendersAgain(t *testing.T) {
	for _, c := range []struct{ name, old, want string }{
		{"a final newline counts", fileHead + "old\n", "\n---\n\n" + newsText},
		{"no final newline", fileHead + "old", "\n\n---\n\n" + newsText},
		{"only one counts", fileHead + "old\n\n\n", "\n---\n\n" + newsText},
		{"people's own ways", "\ufeff---\n# comment\nimportance:   LOW\ntitle: T\n---\nold  \n", "\n---\n\n" + newsText},
		{"empty body", strings.TrimSuffix(fileHead, "\n"), "\n---\n\n" + newsText},
		{"a rule at the end", fileHead + "old\n\n---\n", "\n---\n\n" + newsText},
		{"a written rule at the end", fileHead + "old\n\n\\---\n", "\n---\n\n" + newsText},
		{"a torn separator and fence", fileHead + "old\n\n---\n\n---\n", "\n---\n\n" + newsText},
		{"CRLF", strings.ReplaceAll(fileHead+"old\n", "\n", "\r\n"), strings.ReplaceAll("\n---\n\n"+newsText, "\n", "\r\n")},
		{"CRLF, no final newline", strings.ReplaceAll(fileHead+"old", "\n", "\r\n"), strings.ReplaceAll("\n\n---\n\n"+newsText, "\n", "\r\n")},
		{"lone CR", strings.ReplaceAll(fileHead+"old\n", "\n", "\r"), "\n\n---\n\n" + newsText},
		{"an open code fence", fileHead + "```\nold\n", "\n---\n\n" + newsText},
	} {
		t.Run(c.name, func(t *testing.T) {
			room := append([]byte(c.old), "someone else's"...)
			old := room[:len(c.old)]
			before, err := Parse("n", old)
			require.NoError(t, err)
			data, err := appendEntries("n", old, newsMemory())
			require.NoError(t, err)
			assert.Equal(t, c.old+c.want, string(data))
			assert.Equal(t, c.old+"someone else's", string(room))
			after, err := Parse("n", data)
			require.NoError(t, err)
			assert.Equal(t, before.Body, after.Body)
			assert.Equal(t, []Update{{newsMemory().Frontmatter, "new"}}, after.Updates)
		})
	}
}

func TestAppendTakesTheUpdatesOfTheMemoryAlong(t *testing.T) {
	m := newsMemory()
	m.Importance, m.WhenToUse, m.Body = High, []string{"y"}, "a\n\n---\n\n---\ntitle: x\n---\n"
	m.Updates = []Update{{newsMemory().Frontmatter, ""}, {newsMemory().Frontmatter, "## Correction\n\n---"}}
	data, err := appendEntries("n", []byte(fileHead+"old\n"), m)
	require.NoError(t, err)
	golden(t, "append/three.md", data)
	got, ps, err := parseMemory("n", data)
	require.NoError(t, err)
	assert.Empty(t, ps)
	assert.Equal(t, High, got.Importance)
	assert.Equal(t, []string{"x", "y"}, got.WhenToUse)
	require.Len(t, got.Updates, 3)
	assert.Equal(t, strings.TrimSpace(m.Body), got.Updates[0].Body)
	assert.Equal(t, m.Updates, got.Updates[1:])
}

func TestAppendWithoutDateIsNow(t *testing.T) {
	m := newsMemory()
	m.DiscoveredAt = time.Time{}
	data, err := appendEntries("n", []byte(fileHead), m)
	require.NoError(t, err)
	got, err := Parse("n", data)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), got.Updates[0].DiscoveredAt, time.Minute)
}

// A torn tail must never swallow the new entry.
func TestAppendRefusesAnUnfinishedEntry(t *testing.T) {
	for name, tail := range map[string]string{
		"mapping":   "old\n\n---\n\n---\ntitle: T\n",
		"half line": "old\n\n---\n\n---\ntitle: T\ndiscoveredB",
		"repaired":  "old\n\n---\n\n---\ntitle: a: b\n",
	} {
		data, err := appendEntries("n.md", []byte(fileHead+tail), newsMemory())
		if name == "half line" {
			// Not a mapping: it stays text, and the new entry stands.
			require.NoError(t, err)
			assert.Equal(t, []string{"old\n\n---\n\n---\ntitle: T\ndiscoveredB", "new"}, shape(t, string(data)))
			continue
		}
		assert.ErrorIs(t, err, ErrInvalid, name)
		assert.EqualError(t, err, "n.md:13: the file ends in an unfinished entry, which an update would become part of; finish or remove it", name)
	}
}

func TestAppendErrors(t *testing.T) {
	m := newsMemory()
	m.Title = ""
	_, err := appendEntries("n", []byte(fileHead), m)
	assert.ErrorContains(t, err, "title: missing")

	m = newsMemory()
	m.Updates = []Update{{}}
	_, err = appendEntries("n", []byte(fileHead), m)
	assert.ErrorContains(t, err, "updates[0].title: missing")

	for _, old := range []string{"", "prose\n"} {
		_, err = appendEntries("n", []byte(old), newsMemory())
		assert.ErrorIs(t, err, ErrInvalid, "what cannot be read is never treated as empty")
	}
	_, err = appendEntries("n.md", []byte(fileHead+strings.Repeat("x", maxFile-len(fileHead))), newsMemory())
	assert.ErrorIs(t, err, ErrTooLarge)
	assert.ErrorContains(t, err, "n.md: with the update ")
}
