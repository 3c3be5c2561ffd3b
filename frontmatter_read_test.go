package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The fields of a whole entry besides those that a test is about.
const (
	withTitle    = "title: T\n"
	withTriggers = "whenToUse: x\n"
	withRest     = "importance: low\ndiscoveredAt: 2026-01-23\ndiscoveredBy: dev\n"
)

func mustTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

// readOne parses a file of one entry with the given YAML. The YAML begins in line 2.
func readOne(t *testing.T, yaml string) (*Memory, []string) {
	t.Helper()
	file := "---\n" + yaml + "---\n\nbody\n"
	m, _, err := parseMemory("n", []byte(file))
	require.NoError(t, err)
	require.Equal(t, "body", m.Body)
	return m, problemsOf(t, file)
}

func TestReadingIsLenientAboutFiles(t *testing.T) {
	want, err := Parse("n", []byte(fileHead+"a\n\nb\n"))
	require.NoError(t, err)
	for name, file := range map[string]string{
		"BOM":                     "\ufeff" + fileHead + "a\n\nb\n",
		"CRLF":                    strings.ReplaceAll(fileHead+"a\n\nb\n", "\n", "\r\n"),
		"lone CR":                 strings.ReplaceAll(fileHead+"a\n\nb\n", "\n", "\r"),
		"blank lines before":      "\n \t\n" + fileHead + "a\n\nb\n",
		"blanks behind the dash":  strings.ReplaceAll(fileHead, "---\n", "--- \t\n") + "a\n\nb\n",
		"no final newline":        fileHead + "a\n\nb",
		"blank lines at the ends": fileHead + "\n \n\na\n\nb\n\n\n",
		"no blank line":           strings.TrimSuffix(fileHead, "\n") + "a\n\nb\n",
	} {
		got, err := Parse("n.md", []byte(file))
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

func TestIndentedDashesDoNotEndTheFrontmatter(t *testing.T) {
	m, ps := readOne(t, withTitle+withTriggers+withRest+"note: |\n  a\n  ---\n  ----\n  b\n")
	assert.Empty(t, ps)
	assert.Equal(t, map[string]any{"note": "a\n---\n----\nb\n"}, m.Extra)
}

func TestReadingIsLenientAboutTriggers(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		want       []string
		problem    string // of line 2 and later; empty: none
	}{
		{"string", "whenToUse: auth|login, x\n", []string{"auth|login, x"}, ""},
		{"list", "whenToUse:\n  - a\n  - \"b c\"\n", []string{"a", "b c"}, ""},
		{"flow list", "whenToUse: [error|exception|handle.*error, \"Writing\"]\n", []string{"error|exception|handle.*error", "Writing"}, ""},
		{"block with a trigger in a line", "whenToUse: |\n  a b\n\n   c|d \n", []string{"a b", "c|d"}, ""},
		{"block in a list", "whenToUse:\n- |\n  a\n  b\n- c\n", []string{"a", "b", "c"}, ""},
		{"scalars of any kind", "whenToUse: [404, yes, 1.50, 2026-01-23, null, 0x1F]\n", []string{"404", "yes", "1.50", "2026-01-23", "null", "0x1F"}, ""},
		{"number alone", "whenToUse: 404\n", []string{"404"}, ""},
		{"empty items", "whenToUse:\n- a\n-\n- ~\n- \" \"\n- ''\n", []string{"a"}, ""},
		{"list in a list", "whenToUse:\n- [WIP, b]\n- c\n", []string{"WIP", "b", "c"}, "3 warning: whenToUse: a list in the list; its items are taken as items"},
		{"one-key map", "whenToUse:\n- a\n- When adding tests: x\n", []string{"a", "When adding tests: x"}, "4 warning: whenToUse: read as the text with a colon that it looks like; put it in quotes"},
		{"one-key map without value", "whenToUse:\n- When adding tests:\n", []string{"When adding tests:"}, "3 warning: whenToUse: read as the text with a colon that it looks like; put it in quotes"},
		{"map of two keys", "whenToUse:\n- a\n- b: c\n  d: e\n", []string{"a"}, "4 warning: whenToUse: left out: not a text"},
		{"backspace", "whenToUse: \"\\bauth\\b\"\n", []string{`\bauth\b`}, `2 warning: whenToUse: in double quotes YAML reads \b as a backspace; read as \b; use single quotes or \\b`},
		{"backspace in a list", "whenToUse:\n- a\n- \"\\bauth\"\n", []string{"a", `\bauth`}, `4 warning: whenToUse: in double quotes YAML reads \b as a backspace; read as \b; use single quotes or \\b`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, ps := readOne(t, c.yaml+withTitle+withRest)
			assert.Equal(t, c.want, m.WhenToUse)
			if c.problem == "" {
				assert.Empty(t, ps)
			} else {
				assert.Equal(t, []string{c.problem}, ps)
			}
		})
	}
}

func TestMissingTriggersAreAProblem(t *testing.T) {
	for yaml, line := range map[string]string{"": "1", "whenToUse:\n": "2", "whenToUse: null\n": "2", "whenToUse: []\n": "2", "whenToUse: ' '\n": "2"} {
		m, ps := readOne(t, yaml+withTitle+withRest)
		assert.Nil(t, m.WhenToUse)
		assert.Equal(t, []string{line + " error: whenToUse: missing; nothing can recall this memory"}, ps, yaml)
	}
	_, ps := readOne(t, "whenToUse: {a: b, c: d}\n"+withTitle+withRest)
	assert.Equal(t, []string{"2 warning: whenToUse: left out: not a list", "2 error: whenToUse: missing; nothing can recall this memory"}, ps)
}

func TestReadingIsLenientAboutLists(t *testing.T) {
	for _, key := range []string{"tags", "relatedMemories"} {
		for yaml, want := range map[string][]string{
			": a, b c ,,d\n": {"a", "b c", "d"}, ": a\n": {"a"}, ": [a, 1, true]\n": {"a", "1", "true"}, ":\n- a\n- 'b, c'\n": {"a", "b, c"},
			":\n": nil, ": []\n": nil, ": ''\n": nil, ": [a, a]\n": {"a", "a"},
		} {
			m, ps := readOne(t, key+yaml+withTitle+withTriggers+withRest)
			got := m.Tags
			if key == "relatedMemories" {
				got = m.RelatedMemories
			}
			assert.Equal(t, want, got, yaml)
			assert.Empty(t, ps)
		}
	}
}

func TestReadingIsLenientAboutImportance(t *testing.T) {
	for text, want := range map[string]Importance{"low": Low, "Medium": Medium, "HIGH": High, "' critical '": Critical} {
		m, ps := readOne(t, "importance: "+text+"\n"+withTitle+withTriggers+"discoveredAt: 2026-01-23\ndiscoveredBy: dev\n")
		assert.Equal(t, want, m.Importance)
		assert.Empty(t, ps)
	}
}

func TestMissingImportanceIsMediumWithAProblem(t *testing.T) {
	for _, yaml := range []string{"", "importance:\n", "importance: ~\n"} {
		m, ps := readOne(t, withTitle+withTriggers+yaml+"discoveredAt: 2026-01-23\ndiscoveredBy: dev\n")
		assert.Equal(t, Medium, m.Importance)
		assert.Equal(t, []string{"1 warning: importance: missing; taken as medium"}, ps)
	}
}

func TestReadingIsLenientAboutTimes(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-23T10:30:00Z":           "2026-01-23T10:30:00Z",
		"\"2026-01-23T10:30:00Z\"":       "2026-01-23T10:30:00Z",
		"2026-01-23T10:30:00.123456789Z": "2026-01-23T10:30:00.123456789Z",
		"2026-01-23T10:30:00+02:00":      "2026-01-23T08:30:00Z",
		"2026-01-23t10:30:00z":           "2026-01-23T10:30:00Z",
		"2026-01-23T10:30:00":            "2026-01-23T10:30:00Z",
		"2026-01-23 10:30:00.5":          "2026-01-23T10:30:00.5Z",
		"2026-01-23 10:30:00+02:00":      "2026-01-23T08:30:00Z",
		"2026-01-23 10:30:00 Z":          "2026-01-23T10:30:00Z",
		"2026-01-23T10:30":               "2026-01-23T10:30:00Z",
		"2026-01-23 10:30":               "2026-01-23T10:30:00Z",
		"2026-01-23":                     "2026-01-23T00:00:00Z",
		"'2026-01-23'":                   "2026-01-23T00:00:00Z",
	} {
		m, ps := readOne(t, withTitle+withTriggers+"importance: low\ndiscoveredBy: dev\ndiscoveredAt: "+text+"\n")
		assert.Equal(t, mustTime(want), m.DiscoveredAt, text)
		assert.Empty(t, ps)
	}
	m, ps := readOne(t, withTitle+"discoveredAt: last week\n"+withTriggers+"importance: low\ndiscoveredBy: dev\n")
	assert.True(t, m.DiscoveredAt.IsZero())
	assert.Equal(t, []string{`3 warning: discoveredAt: "last week" is no date; want one like 2026-01-23T10:30:00Z`}, ps)
}

func TestMissingOptionalFieldsAreReported(t *testing.T) {
	m, ps := readOne(t, withTitle)
	assert.Equal(t, Frontmatter{Title: "T", Importance: Medium}, m.Frontmatter)
	assert.Equal(t, []string{
		"1 warning: importance: missing; taken as medium",
		"1 error: whenToUse: missing; nothing can recall this memory",
		"1 warning: discoveredAt: missing",
		"1 warning: discoveredBy: missing",
	}, ps)
	assert.Empty(t, problemsOf(t, fileHead+"a\n\n---\n\n---\ntitle: T\n---\n"), "an update need not give them")
}

func TestRetired(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-02-01": mustTime("2026-02-01T00:00:00Z"), "'2026-02-01T01:00:00Z'": mustTime("2026-02-01T01:00:00Z"),
		"true": mustTime("2026-01-23T00:00:00Z"), "Yes": mustTime("2026-01-23T00:00:00Z"), "on": mustTime("2026-01-23T00:00:00Z"),
		"false": {}, "no": {}, "null": {}, "": {}, "Off": {},
	} {
		// Before the date that it may take.
		m, ps := readOne(t, "retired: "+text+"\n"+withTitle+withTriggers+withRest)
		assert.Equal(t, want, m.Retired, text)
		assert.Empty(t, ps)
	}
	m, _ := readOne(t, withTitle+"retired: true\n")
	assert.Equal(t, time.Unix(0, 0).UTC(), m.Retired, "without a date the Unix epoch")
	_, ps := readOne(t, withTitle+withTriggers+withRest+"retired: {a: b}\n")
	assert.Equal(t, []string{"7 warning: retired: left out: not a text"}, ps)
	m, ps = readOne(t, withTitle+withTriggers+withRest+"retired: soon\n")
	assert.True(t, m.Retired.IsZero())
	assert.Equal(t, []string{`7 warning: retired: "soon" is no date; want one like 2026-01-23T10:30:00Z`}, ps)
}

func TestTextsAreOneLineOfAnyScalar(t *testing.T) {
	for yaml, want := range map[string]string{
		"title: 404\n": "404", "title: yes\n": "yes", "title: 2026-01-23\n": "2026-01-23", "title: ' a '\n": " a ",
		"title: |\n  a\n   b\n\n  c\n": "a b c", "title: >\n  a\n  b\n": "a b", "title: \"a\\nb\\r\\nc\\u2028d\"\n": "a b c d",
	} {
		m, ps := readOne(t, yaml+withTriggers+withRest)
		assert.Equal(t, want, m.Title, yaml)
		assert.Empty(t, ps)
	}
	m, ps := readOne(t, "title: [WIP]\n"+withTriggers+withRest)
	assert.Equal(t, "[WIP]", m.Title)
	assert.Equal(t, []string{"2 warning: title: read as text in brackets; put it in quotes"}, ps)
	m, ps = readOne(t, withTitle+withTriggers+withRest+"source: {a: b}\n")
	assert.Empty(t, m.Source)
	assert.Equal(t, []string{"7 warning: source: left out: not a text"}, ps)
}

func TestDuplicateKeysLastWins(t *testing.T) {
	m, ps := readOne(t, withTitle+withTriggers+withRest+"tags: [a]\ntags: [b]\nx: 1\nx: 2\n")
	assert.Equal(t, []string{"b"}, m.Tags)
	assert.Equal(t, map[string]any{"x": 2}, m.Extra)
	assert.Equal(t, []string{"8 warning: tags: given twice; the last one counts", "10 warning: x: given twice; the last one counts"}, ps)
}

func TestUnknownKeysAreKept(t *testing.T) {
	m, ps := readOne(t, withTitle+withTriggers+withRest+
		"n: 1\nf: 1.5\nb: true\nz:\ns: text\nt: 2026-01-23T12:00:00+02:00\nl: [a, {k: [2]}]\nm:\n  1: x\n  y: [null]\nbig: 18446744073709551615\nbin: !!binary /w==\nbad: !!int x\n")
	assert.Empty(t, ps)
	assert.Equal(t, map[string]any{
		"n": 1, "f": 1.5, "b": true, "z": nil, "s": "text", "t": mustTime("2026-01-23T10:00:00Z"), "l": []any{"a", map[string]any{"k": []any{2}}},
		"m": map[string]any{"1": "x", "y": []any{nil}}, "big": uint64(18446744073709551615), "bin": "/w==", "bad": "x",
	}, m.Extra)
}

func TestUnknownKeysThatCannotBeKept(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)
	m, ps := readOne(t, withTitle+withTriggers+withRest+"[a]: b\nx: {[a]: b}\ny: "+deep+"\nz: "+deep[1:len(deep)-1]+"\nw: [{[c]: d}]\n")
	assert.Equal(t, []string{
		"7 warning: a key that is a list or a map is left out", "8 warning: x: left out: has a key that is a list or a map",
		"9 warning: y: left out: nested too deep", "11 warning: w: left out: has a key that is a list or a map",
	}, ps)
	assert.Len(t, m.Extra, 1)
	maps := strings.Repeat("{a: ", maxDepth+1) + strings.Repeat("}", maxDepth+1)
	_, ps = readOne(t, withTitle+withTriggers+withRest+"x: "+maps+"\n")
	assert.Equal(t, []string{"7 warning: x: left out: nested too deep"}, ps)
}

func TestKeysThatDifferInCaseDashesUnderscoresAreExtraWithAWarning(t *testing.T) {
	m, ps := readOne(t, withTitle+withTriggers+withRest+"when_to_use: a\nRelated-Memories: b\nTITLE: c\nwhenToUses: d\n")
	assert.Equal(t, map[string]any{"when_to_use": "a", "Related-Memories": "b", "TITLE": "c", "whenToUses": "d"}, m.Extra)
	assert.Equal(t, []string{
		"7 warning: when_to_use: unknown key; whenToUse is meant?",
		"8 warning: Related-Memories: unknown key; relatedMemories is meant?",
		"9 warning: TITLE: unknown key; title is meant?",
	}, ps)
}

func TestQuotingIsRepaired(t *testing.T) {
	const quoted = " warning: read as if it were in quotes, which YAML needs here"
	file := "title: a: b # note\nwhenToUse:\n  - *.go\n  - [a-z]+ test\n  - 'fine'\n  - \"\\bauth\\s+token\"\n  - When adding tests: x\n" +
		"tags: [*.go, [a-z]+ test, \"x\"]\nsource: |\n  k: *.x: y\n" + withRest
	m, ps := readOne(t, file)
	assert.Equal(t, "a: b", m.Title)
	assert.Equal(t, []string{"*.go", "[a-z]+ test", "fine", `\bauth\s+token`, "When adding tests: x"}, m.WhenToUse)
	assert.Equal(t, []string{"*.go", "[a-z]+ test", "x"}, m.Tags)
	assert.Equal(t, "k: *.x: y", m.Source)
	assert.Equal(t, []string{"2" + quoted, "4" + quoted, "5" + quoted, "7" + quoted,
		"8 warning: whenToUse: read as the text with a colon that it looks like; put it in quotes", "9" + quoted}, ps)
}

// The convention's examples leave keys out with a line of dots.
func TestLineOfDotsIsLeftOut(t *testing.T) {
	m, ps := readOne(t, withTitle+"...\n"+withTriggers+withRest+"note: |\n  ...\n")
	assert.Equal(t, []string{"x"}, m.WhenToUse)
	assert.Equal(t, map[string]any{"note": "...\n"}, m.Extra)
	assert.Equal(t, []string{"3 warning: a line of ... is left out"}, ps)
}

func TestUpdateProblems(t *testing.T) {
	// The update's YAML begins in line 14.
	update := func(yaml string) string { return fileHead + "a\n\n---\n\n---\n" + yaml + "---\n\nb\n" }
	for _, c := range []struct{ name, yaml, want string }{
		{"another title", "title: U\n", `13 warning: an update titled "U" in the memory "T": a part of that, whatever its title says`},
		{"the same title", "title: 't!'\n", ""},
		{"no title", "tags: [a]\n", ""},
		{"unknown importance", "title: T\nimportance: huge\n", `15 error: importance "huge": want low, medium, high or critical; not used`},
		{"unreadable date", "discoveredAt: x\n", `14 warning: discoveredAt: "x" is no date; want one like 2026-01-23T10:30:00Z`},
		{"repaired", "title: T\nsource: a: b\n", "15 warning: read as if it were in quotes, which YAML needs here"},
		{"other case", "Title: T\n", "14 warning: Title: unknown key; title is meant?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, strings.Fields(c.want), strings.Fields(strings.Join(problemsOf(t, update(c.yaml)), "\n")))
			m, err := Parse("n", []byte(update(c.yaml)))
			require.NoError(t, err)
			require.Len(t, m.Updates, 1)
			assert.Equal(t, Low, m.Importance)
			assert.Zero(t, m.Updates[0].Importance)
		})
	}
}

func TestNULIsReported(t *testing.T) {
	assert.Equal(t, []string{"10 warning: has a NUL character"}, problemsOf(t, fileHead+"a\nb\x00\n"))
}
