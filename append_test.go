package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func appendTo(t *testing.T, b *Bank, title, body string) string {
	t.Helper()
	name, err := b.Append(context.Background(), testMemory(title, func(m *Memory) { m.Body = body }))
	require.NoError(t, err)
	return name
}

func TestTitlesWithOneSlugGetTwoFiles(t *testing.T) {
	b := testBank(t, nil)
	assert.Equal(t, "c", appendTo(t, b, "C", "one"))
	assert.Equal(t, "c-2", appendTo(t, b, "C++", "two"))
	assert.Equal(t, "c-3", appendTo(t, b, "C#", "three"))
	assert.Equal(t, "c-2", appendTo(t, b, "c++", "four"))
	m, err := b.Get(context.Background(), "c-2")
	require.NoError(t, err)
	assert.Equal(t, "two", m.Body)
	require.Len(t, m.Updates, 1)
	assert.Equal(t, "four", m.Updates[0].Body)
}

func TestTitlesThatFoldAlikeGetOneFile(t *testing.T) {
	b := testBank(t, nil)
	assert.Equal(t, "project-structure", appendTo(t, b, "Project Structure", "one"))
	assert.Equal(t, "project-structure", appendTo(t, b, "project structure!", "two"))
	assert.Equal(t, "project-structure", appendTo(t, b, "  PROJECT-structure ", "three"))
	m, err := b.Get(context.Background(), "project-structure")
	require.NoError(t, err)
	assert.Equal(t, "Project Structure", m.Title)
	assert.Len(t, m.Updates, 2)
}

func TestTitleWhoseFileHasAnotherName(t *testing.T) {
	store := NewMapStore()
	write(t, store, "my notes.md", fmt.Sprintf(plainFile, "Project Structure", "one"))
	b, err := New(store, nil)
	require.NoError(t, err)
	assert.Equal(t, "my notes", appendTo(t, b, "Project structure", "two"))
}

func TestTitlesWithoutASlug(t *testing.T) {
	b := testBank(t, nil)
	for _, title := range []string{"🎉", "🎉🎉", "con", "COM1", "???"} {
		name := appendTo(t, b, title, "body of "+title)
		assert.Regexp(t, `^memory-[0-9a-f]{8}$`, name, title)
		assert.Equal(t, name, appendTo(t, b, title, "again"), title)
	}
	n := 0
	for m, err := range b.All(context.Background()) {
		require.NoError(t, err)
		assert.Len(t, m.Updates, 1)
		n++
	}
	assert.Equal(t, 5, n)
}

func TestSlugs(t *testing.T) {
	long := strings.Repeat("abcdefghi ", 20)
	tests := map[string]string{
		"Project Structure":           "project-structure",
		"OAuth2 Too Broad (for MVP)!": "oauth2-too-broad-for-mvp",
		"snake_case name":             "snake-case-name",
		"über Größe":                  "uber-grosse",
		"数据库":                         "shu-ju-ku",
		long:                          strings.TrimSuffix(strings.Repeat("abcdefghi-", 8), "-"),
		strings.Repeat("x", 200):      strings.Repeat("x", 80),
	}
	for title, want := range tests {
		assert.Equal(t, want, slugTitle(title, 1), title)
		assert.LessOrEqual(t, len(slugTitle(title, 12)), maxSlug)
		assert.True(t, strings.HasSuffix(slugTitle(title, 12), "-12"))
	}
}

func TestFoldTitle(t *testing.T) {
	same := [][2]string{
		{"Project Structure", "project structure!"}, {"`auth` module", "Auth Module"},
		{"Ｆｕｌｌ width", "full width"}, {"a/b testing", "AB testing"}, {"zero\u200bwidth", "zerowidth"}, {"# Notes", "Notes"}, {"**Notes**", "Notes"},
	}
	for _, pair := range same {
		assert.Equal(t, foldTitle(pair[0]), foldTitle(pair[1]), "%q", pair)
	}
	different := [][2]string{{"C", "C++"}, {"C", "C#"}, {"1.2", "12"}, {"v1 2", "v12"}, {"🎉", "🎊"}, {"?!", "!?"}, {"数据", "数居"}}
	for _, pair := range different {
		assert.NotEqual(t, foldTitle(pair[0]), foldTitle(pair[1]), "%q", pair)
	}
}

func TestUnreadableFileIsNeverTakenForEmpty(t *testing.T) {
	store := NewMapStore()
	write(t, store, "t.md", "precious notes without frontmatter")
	write(t, store, "u.md", "")
	b, err := New(store, nil)
	require.NoError(t, err)
	assert.Equal(t, "t-2", appendTo(t, b, "T", "one"))
	assert.Equal(t, "u-2", appendTo(t, b, "U", "one"))
	data, err := store.Read(context.Background(), "t.md")
	require.NoError(t, err)
	assert.Equal(t, "precious notes without frontmatter", string(data))
}

func TestAppendKeepsWhatStands(t *testing.T) {
	dir := t.TempDir()
	old := "---\n# a comment\ntitle:   'T'  # odd spacing\nwhenToUse: auth\nimportance: HIGH\ndiscoveredBy: me\nother: 1\n---\n\n\nBody.   \n\n---\n\n## Update (2026-01-24)\n\nBy hand.\n"
	writeFile(t, dir, "any.md", old)
	b := openBank(t, dir, nil)
	require.Equal(t, "any", appendTo(t, b, "T", "More."))
	data, err := os.ReadFile(filepath.Join(dir, "any.md"))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(data), old))
	m, err := b.Get(context.Background(), "any")
	require.NoError(t, err)
	assert.Contains(t, m.Body, "By hand.", "a hand-written update after a rule is body")
	require.Len(t, m.Updates, 1)
	assert.Equal(t, "More.", m.Updates[0].Body)
}

func TestAppendDoesNotChangeItsArgument(t *testing.T) {
	b := testBank(t, nil)
	m := &Memory{Frontmatter: Frontmatter{Title: "T", WhenToUse: []string{"auth"}, Importance: High, DiscoveredBy: "x"}, Body: "Body."}
	before := *m
	_, err := b.Append(context.Background(), m)
	require.NoError(t, err)
	assert.Equal(t, before, *m)
	kept, err := b.Get(context.Background(), "t")
	require.NoError(t, err)
	assert.Equal(t, noon, kept.DiscoveredAt, "zero means now")
}

func TestAppendRefusesWhatTheFormatForbids(t *testing.T) {
	tests := map[string]*Memory{
		"nil":           nil,
		"no title":      testMemory("", nil),
		"no triggers":   testMemory("T", func(m *Memory) { m.WhenToUse = nil }),
		"bad trigger":   testMemory("T", func(m *Memory) { m.WhenToUse = []string{"auth", "(?!x)y"} }),
		"no importance": testMemory("T", func(m *Memory) { m.Importance = 0 }),
		"no discoverer": testMemory("T", func(m *Memory) { m.DiscoveredBy = "" }),
		"NUL":           testMemory("T", func(m *Memory) { m.Body = "a\x00b" }),
		"not UTF-8":     testMemory("T", func(m *Memory) { m.Body = "\xff" }),
	}
	for name, m := range tests {
		t.Run(name, func(t *testing.T) {
			b := testBank(t, nil)
			_, err := b.Append(context.Background(), m)
			assert.ErrorIs(t, err, ErrInvalid)
			for range b.All(context.Background()) {
				t.Fatal("something was written")
			}
		})
	}
	_, err := testBank(t, nil).Append(context.Background(), testMemory("T", func(m *Memory) { m.Body = strings.Repeat("x", 1<<20) }))
	assert.ErrorIs(t, err, ErrTooLarge)
	_, err = testBank(t, nil).Append(context.Background(), testMemory("T", func(m *Memory) { m.WhenToUse = []string{strings.Repeat("x", 257)} }))
	assert.ErrorIs(t, err, ErrTooLarge)
}

// TestAppendMovesAMemoryBetweenBanks: what All gives, Append takes, updates included.
func TestAppendMovesAMemoryBetweenBanks(t *testing.T) {
	ctx := context.Background()
	from := testBank(t, nil, testMemory("T", nil), testMemory("T", func(m *Memory) { m.Body = "More." }))
	to := testBank(t, nil)
	for m, err := range from.All(ctx) {
		require.NoError(t, err)
		_, err = to.Append(ctx, m)
		require.NoError(t, err)
	}
	want, err := from.Get(ctx, "t")
	require.NoError(t, err)
	got, err := to.Get(ctx, "t")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestConcurrentAppendsLoseNothing(t *testing.T) {
	b := openBank(t, t.TempDir(), nil)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j, title := range []string{"Same", "C", "C++"} {
				_, err := b.Append(context.Background(), testMemory(title, func(m *Memory) { m.Body = fmt.Sprintf("entry %d %d", i, j) }))
				assert.NoError(t, err)
				_, err = b.Inject(context.Background(), "", Query{Task: "auth"})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assertEntries(t, b, map[string]int{"same": 16, "c": 16, "c++": 16})
}

// assertEntries checks that each title has one file with so many distinct
// entries, and nothing else is there.
func assertEntries(t *testing.T, b *Bank, want map[string]int) {
	t.Helper()
	got := make(map[string]int)
	for m, err := range b.All(context.Background()) {
		require.NoError(t, err)
		bodies := map[string]bool{m.Body: true}
		for _, u := range m.Updates {
			bodies[u.Body] = true
		}
		assert.Len(t, m.Updates, len(bodies)-1, "no entry twice")
		for body := range bodies {
			assert.Regexp(t, `^entry \d+ \d+$`, body, "none is torn")
		}
		assert.NotContains(t, got, foldTitle(m.Title), "one file a title")
		got[foldTitle(m.Title)] = len(bodies)
	}
	assert.Equal(t, want, got)
}

// TestACopyUnderAnotherTitleKeepsItsDate: what the host did not change comes from the first entry.
func TestACopyUnderAnotherTitleKeepsItsDate(t *testing.T) {
	ctx := context.Background()
	b := testBank(t, nil, testMemory("T", nil), testMemory("T", func(m *Memory) { m.DiscoveredAt = noon; m.Importance = Critical }))
	m, err := b.Get(ctx, "t")
	require.NoError(t, err)
	m.Title = "Other"
	name, err := b.Append(ctx, m)
	require.NoError(t, err)
	c, err := b.Get(ctx, name)
	require.NoError(t, err)
	assert.Equal(t, "Other", c.Title)
	require.NotNil(t, c.Original)
	assert.Equal(t, longAgo, c.Original.DiscoveredAt)
	assert.Equal(t, High, c.Original.Importance)
	assert.Equal(t, Critical, c.Importance)
}

// TestTriggersThatCannotBeUsedBesideTheOthersAreRefused: the lines of a memory share a budget.
func TestTriggersThatCannotBeUsedBesideTheOthersAreRefused(t *testing.T) {
	ctx := context.Background()
	b := testBank(t, nil)
	var err error
	kept := 0
	for i := 0; err == nil && i < 100; i++ {
		_, err = b.Append(ctx, testMemory("T", func(m *Memory) { m.WhenToUse = []string{fmt.Sprintf("alpha%d.*beta", i)} }))
		if err == nil {
			kept++
			assert.Equal(t, []string{"t"}, recallNames(t, b, Query{Task: fmt.Sprintf("alpha%d and beta", i)}), "what was appended is recalled")
		}
	}
	assert.ErrorIs(t, err, ErrTooLarge)
	m, err := b.Get(ctx, "t")
	require.NoError(t, err)
	assert.Len(t, m.WhenToUse, kept)

	_, err = b.Append(ctx, testMemory("U", func(m *Memory) {
		m.Updates = []Update{{Frontmatter{Title: "U", DiscoveredBy: "x", WhenToUse: []string{"(?!x)y"}}, ""}}
	}))
	assert.ErrorIs(t, err, ErrInvalid, "those of its updates too")
}

func TestAppendDatesUpdatesWithoutChangingThem(t *testing.T) {
	b := testBank(t, &Options{Now: func() time.Time { return noon.Add(time.Millisecond) }})
	m := testMemory("T", func(m *Memory) { m.Updates = []Update{{Frontmatter{Title: "T", DiscoveredBy: "x"}, "More."}} })
	name, err := b.Append(context.Background(), m)
	require.NoError(t, err)
	assert.True(t, m.Updates[0].DiscoveredAt.IsZero(), "the caller's stay as they are")
	kept, err := b.Get(context.Background(), name)
	require.NoError(t, err)
	assert.Equal(t, noon, kept.Updates[0].DiscoveredAt, "by the host's clock, in whole seconds")
}
