package memory

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// specFile reads an example of the specs, word for word.
func specFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "specs", name+".md"))
	require.NoError(t, err)
	return data
}

func TestParseSPEC0009Examples(t *testing.T) {
	for _, c := range []struct {
		name        string
		want        Frontmatter
		first, last string
	}{
		{"spec-0009-codebase-structure", Frontmatter{
			Title: "Project File Organization", WhenToUse: []string{"exploring|navigate|find.*file", "When understanding project structure"},
			Tags: []string{"structure", "codebase", "important"}, Importance: Critical,
			DiscoveredAt: mustTime("2026-01-23T10:30:00Z"), DiscoveredBy: "planner",
		}, "# Project File Organization", "- **Database models**: src/models/"},
		{"spec-0009-failure", Frontmatter{
			Title: "OAuth2 Integration Was Too Broad", WhenToUse: []string{"oauth|social.*auth", "considering auth approaches"},
			Tags: []string{"failures", "auth", "scope"}, Importance: High,
			DiscoveredAt: mustTime("2026-01-23T10:45:00Z"), DiscoveredBy: "developer",
		}, "# Why OAuth2 Was Rejected", "Stick with JWT-based authentication."},
		{"spec-0009-code-pattern", Frontmatter{
			Title: "Express Middleware Pattern", WhenToUse: []string{"middleware|interceptor", "writing Express handlers"},
			Tags: []string{"patterns", "conventions", "express"}, Importance: High,
			DiscoveredAt: mustTime("2026-01-23T10:40:00Z"), DiscoveredBy: "developer",
		}, "# Express Middleware Pattern", "4. Always call `next()` on success"},
		{"convention-codebase-structure", Frontmatter{
			Title: "Project File Organization", WhenToUse: []string{"exploring|navigate|find.*file|locate.*module", "When needing to understand project structure"},
			Tags: []string{"structure", "important", "codebase"}, Importance: Critical,
			DiscoveredAt: mustTime("2026-01-23T10:30:00Z"), DiscoveredBy: "planner", DiscoveredIn: "Task: Implement user authentication",
		}, "# Project File Organization", "- `src/api/routes/auth.ts` - Auth endpoints"},
		{"convention-code-pattern", Frontmatter{
			Title: "Error Handling Pattern in Express Handlers", WhenToUse: []string{"error|exception|handle.*error", "Writing Express handlers"},
			Tags: []string{"patterns", "conventions", "error-handling"}, Importance: High,
			DiscoveredAt: mustTime("2026-01-23T11:00:00Z"), DiscoveredBy: "developer", DiscoveredIn: "Task: Implement user authentication",
		}, "# Error Handling Pattern", "6. Don't expose stack traces to client"},
		{"convention-failure-lesson", Frontmatter{
			Title: "OAuth2 Integration Was Too Broad", WhenToUse: []string{"oauth|social.*auth|third.*party", "When considering auth approaches"},
			Tags: []string{"failures", "decisions", "auth"}, Importance: High,
			DiscoveredAt: mustTime("2026-01-23T10:45:00Z"), DiscoveredBy: "developer", DiscoveredIn: "Task: Implement user authentication",
		}, "# Why OAuth2 Was Rejected", "Read requirements carefully before selecting approach. Don't implement nice-to-haves."},
		{"convention-constraint-limitation", Frontmatter{
			Title: "Session Store Integration Required", WhenToUse: []string{"session|state.*management", "Working with authentication"},
			Tags: []string{"constraints", "auth", "architecture"}, Importance: High,
			DiscoveredAt: mustTime("2026-01-23T10:50:00Z"), DiscoveredBy: "planner", DiscoveredIn: "Task: Implement user authentication",
		}, "# Session Management Architecture", "Start with database-backed sessions until performance requires Redis upgrade."},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, ps, err := parseMemory(c.name, specFile(t, c.name))
			require.NoError(t, err)
			assert.Empty(t, ps)
			assert.Equal(t, c.name, m.Name)
			assert.Equal(t, c.want, m.Frontmatter)
			assert.Empty(t, m.Updates)
			lines := strings.Split(m.Body, "\n")
			assert.Equal(t, []string{c.first, c.last}, []string{lines[0], lines[len(lines)-1]})

			data, err := Format(m)
			require.NoError(t, err)
			golden(t, "format/"+c.name+".md", data)
		})
	}
}

func TestParseConventionUpdatePatterns(t *testing.T) {
	m, err := Parse("x", specFile(t, "convention-update-adding"))
	require.NoError(t, err)
	assert.Equal(t, Frontmatter{Title: "Authentication Module Structure", Importance: Medium,
		DiscoveredAt: mustTime("2026-01-23T10:30:00Z"), DiscoveredBy: "planner"}, m.Frontmatter)
	assert.Contains(t, m.Body, "Original content...\n\n---\n\n## Update (2026-01-24)\n\nAdditional", "a hand-written update is body")
	assert.Empty(t, m.Updates)

	m, err = Parse("x", specFile(t, "convention-update-correcting"))
	require.NoError(t, err)
	assert.Equal(t, Frontmatter{Title: "Password Hashing Approach", Importance: Medium}, m.Frontmatter)
	assert.Contains(t, m.Body, "## Correction (Found error in initial discovery)")
	assert.True(t, strings.HasSuffix(m.Body, "- No custom salt generation (bcrypt handles it)"))
	assert.Empty(t, m.Updates)
}

func TestParseErrors(t *testing.T) {
	fm := func(yaml string) string { return "---\n" + yaml + "---\n" }
	for _, c := range []struct {
		name, file string
		line       int
		is         error
		msg        string
	}{
		{"not UTF-8", fileHead + "a\r\nb\xffc\ufffd", 10, ErrInvalid, "not UTF-8"},
		{"too large", strings.Repeat("x", maxFile+1), 0, ErrTooLarge, "1048577 bytes; at most 1048576 can be read"},
		{"empty", "", 1, ErrInvalid, "empty: a memory begins with frontmatter"},
		{"blank", " \n\n", 1, ErrInvalid, "empty: "},
		{"no frontmatter", "\n# Title\n", 2, ErrInvalid, "no frontmatter"},
		{"escaped fence", "\\---\ntitle: T\n---\n", 1, ErrInvalid, "no frontmatter"},
		{"unterminated", "\n---\ntitle: T\n\nbody\n ---\n", 2, ErrInvalid, "not closed"},
		{"frontmatter too large", fm("title: T\nx: " + strings.Repeat("y", maxFrontmatter) + "\n"), 1, ErrTooLarge, "frontmatter of 16397 bytes; at most 16384"},
		{"broken YAML", fm("title: T\nx: [y]\n\tbad: [\n"), 4, ErrInvalid, "cannot start any token"},
		{"unclosed quote in several lines", fm("title: T\nx: \"y\n  z\n"), 3, ErrInvalid, "unexpected end of stream"},
		{"no mapping", fm("- a\n- b\n"), 1, ErrInvalid, "not a list of keys and values"},
		{"empty frontmatter", fm(""), 1, ErrInvalid, "not a list of keys and values"},
		{"only a comment", fm("# title\n"), 1, ErrInvalid, "not a list of keys and values"},
		{"alias", fm("a: &x 1\ntitle: *x\n"), 2, ErrInvalid, "anchors (&x) and aliases are not allowed"},
		{"anchor", fm("title: T\na: [&x 1]\n"), 3, ErrInvalid, "anchors (&x) and aliases are not allowed"},
		{"custom tag", fm("title: T\na: {b: !c d}\n"), 3, ErrInvalid, "tag !c is not allowed"},
		{"tag of a language", fm("title: !!python/object:os.system T\n"), 2, ErrInvalid, "is not allowed"},
		{"custom tag behind a repair", fm("title: a: b\nx: !c d\n"), 3, ErrInvalid, "tag !c is not allowed"},
		{"second document", fm("title: T\n--- x\n"), 3, ErrInvalid, "second YAML document"},
		{"broken second document", fm("title: T\n--- x: [\n"), 3, ErrInvalid, ""},
		{"no title", fm("whenToUse: x\n"), 1, ErrInvalid, "title: missing"},
		{"null title", fm("whenToUse: x\ntitle:\n"), 3, ErrInvalid, "title: missing"},
		{"blank title", fm("whenToUse: x\ntitle: ' '\n"), 3, ErrInvalid, "title: missing"},
		{"unknown importance", fm("title: T\nimportance: huge\n"), 3, ErrInvalid, `importance "huge": want low, medium, high or critical`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse("n.md", []byte(c.file))
			assert.Nil(t, m)
			var perr *ParseError
			require.ErrorAs(t, err, &perr)
			assert.Equal(t, "n", perr.Name)
			assert.Equal(t, c.line, perr.Line)
			assert.ErrorIs(t, err, c.is)
			assert.Contains(t, perr.Msg, c.msg)
			assert.NotContains(t, perr.Msg, "invalid", "the sentinel's word is not repeated")
		})
	}
}

func TestParseAtTheCaps(t *testing.T) {
	fill := maxFrontmatter - len("title: T\nx: \n")
	file := "---\ntitle: T\nx: " + strings.Repeat("y", fill) + "\n---\n"
	_, err := Parse("n", []byte(file))
	require.NoError(t, err)
	_, err = Parse("n", []byte(file+strings.Repeat("z", maxFile-len(file))))
	require.NoError(t, err)
}

// fullMemory has every field.
func fullMemory() *Memory {
	return &Memory{
		Name: "full",
		Frontmatter: Frontmatter{
			Title: `Title: with "quotes" \ # and 🧑‍💻`, WhenToUse: []string{`\bauth\s+token`, "*.go", "When adding: x", "no", "当…时"},
			Tags:       []string{"auth", "code style", "no", "1.5", "a,b", "a: b", "认证", "~", "c++", "-x", "it's", "2026-01-23", "NO", " a ", "a ", "a  b"},
			Importance: Critical, DiscoveredAt: mustTime("2026-01-23T10:30:00.000000001Z"), DiscoveredBy: "planner",
			DiscoveredIn: "Task: x", Source: "File: src/auth/middleware.ts", RelatedMemories: []string{"oauth-too-broad", "x.md"},
			Retired: mustTime("2026-02-01T00:00:00Z"),
			Extra: map[string]any{
				"nothing": nil, "yes": true, "n": -3, "f": 2.0, "g": 1e21, "inf": math.Inf(1), "minf": math.Inf(-1), "u": uint64(math.MaxUint64),
				"when": mustTime("2026-01-23T10:30:00Z"), "text": "a\nb\t\u202e\U000e0001\r", "list": []any{"a", 1, []any{}},
				"map": map[string]any{"a b": map[string]any{}, "<<": "x", "1": "y"},
			},
		},
		Body: "# Heading\n\n---\n\ntext",
		Updates: []Update{
			{Frontmatter{Title: "T", DiscoveredBy: "dev", DiscoveredAt: mustTime("2026-01-22T00:00:00Z")}, ""},
			{Frontmatter{Title: "T", DiscoveredBy: "dev", DiscoveredAt: mustTime("2026-01-23T00:00:00Z"), Importance: Critical, Tags: []string{"auth"}}, "## Correction\n\n---"},
		},
	}
}

func TestFormatThenParse(t *testing.T) {
	m := fullMemory()
	data, err := Format(m)
	require.NoError(t, err)
	golden(t, "format/full.md", data)
	got, ps, err := parseMemory("full", data)
	require.NoError(t, err)
	assert.Equal(t, m, got)
	assert.Equal(t, 2, len(ps), "the two updates carry another title")
	again, err := Format(got)
	require.NoError(t, err)
	assert.Equal(t, string(data), string(again))
}

func TestFormatOfTheLeast(t *testing.T) {
	m := &Memory{Frontmatter: Frontmatter{Title: "T", WhenToUse: []string{"x"}, Importance: Low, DiscoveredBy: "dev"}, Body: "\r\n a\r\n\r\n"}
	before := time.Now()
	data, err := Format(m)
	require.NoError(t, err)
	assert.True(t, m.DiscoveredAt.IsZero(), "m is not changed")
	got, ps, err := parseMemory("", data)
	require.NoError(t, err)
	assert.Empty(t, ps)
	assert.WithinRange(t, got.DiscoveredAt, before, time.Now())
	assert.Equal(t, " a", got.Body)
	assert.True(t, strings.HasSuffix(string(data), "\n---\n\n a\n"))

	m.Body = ""
	data, err = Format(m)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(data), "\ndiscoveredBy: dev\n---\n"))
}

// Kinds that YAML does not tell apart come back as those that it has.
func TestFormatOfExtraKinds(t *testing.T) {
	m := fullMemory()
	m.Extra = map[string]any{"i": int8(1), "u": uint16(2), "f": float32(0.5), "l": []string{"a"}, "t": time.Date(2026, 1, 1, 1, 0, 0, 0, time.FixedZone("", 3600)), "nan": math.NaN()}
	data, err := Format(m)
	require.NoError(t, err)
	assert.Contains(t, string(data), "\nt: 2026-01-01T00:00:00Z\n", "in UTC")
	got, err := Parse("", data)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(got.Extra["nan"].(float64)))
	delete(got.Extra, "nan")
	assert.Equal(t, map[string]any{"i": 1, "u": 2, "f": 0.5, "l": []any{"a"}, "t": mustTime("2026-01-01T00:00:00Z")}, got.Extra)
}

func TestFormatIsStrict(t *testing.T) {
	loop := map[string]any{}
	loop["a"], loop["b"] = loop, []any{loop}
	long := strings.Repeat("x", maxPattern+1)
	extra := func(k string, v any) func(m *Memory) { return func(m *Memory) { m.Extra = map[string]any{k: v} } }
	for _, c := range []struct {
		want string // the message, from the field on
		set  func(m *Memory)
	}{
		{"title: missing", func(m *Memory) { m.Title = "" }},
		{"title: missing", func(m *Memory) { m.Title = " " }},
		{"title: has a control character or line break, U+000A", func(m *Memory) { m.Title = "a\nb" }},
		{"title: not UTF-8", func(m *Memory) { m.Title = "a\xff" }},
		{"whenToUse: missing", func(m *Memory) { m.WhenToUse = nil }},
		{"whenToUse[1]: empty", func(m *Memory) { m.WhenToUse = []string{"a", " "} }},
		{"whenToUse[0]: has a control", func(m *Memory) { m.WhenToUse = []string{"a\u2028"} }},
		{"whenToUse[0]: 257 bytes; at most 256", func(m *Memory) { m.WhenToUse = []string{long} }},
		{"tags[0]: empty", func(m *Memory) { m.Tags = []string{""} }},
		{"tags[1]: has a control", func(m *Memory) { m.Tags = []string{"a", "\tb"} }},
		{"importance: missing", func(m *Memory) { m.Importance = 0 }},
		{"importance: unknown value 5", func(m *Memory) { m.Importance = 5 }},
		{"importance: unknown value -1", func(m *Memory) { m.Importance = -1 }},
		{"discoveredAt: the year 10000", func(m *Memory) { m.DiscoveredAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"discoveredBy: missing", func(m *Memory) { m.DiscoveredBy = "\u00a0" }},
		{"discoveredBy: has a control", func(m *Memory) { m.DiscoveredBy = "a\x00" }},
		{"discoveredIn: blank", func(m *Memory) { m.DiscoveredIn = " " }},
		{"discoveredIn: has a control", func(m *Memory) { m.DiscoveredIn = "a\r" }},
		{"source: has a control", func(m *Memory) { m.Source = "a\u0085" }},
		{"relatedMemories[0]: not UTF-8", func(m *Memory) { m.RelatedMemories = []string{"\xc3"} }},
		{"retired: the year 0", func(m *Memory) { m.Retired = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"extra: title is a key of the schema", extra("title", "x")},
		{"extra: empty key", extra(" ", "x")},
		{"extra: a key of 257 bytes", extra(long, "x")},
		{"extra.a\nb: has a control", extra("a\nb", "x")},
		{"extra.x: not UTF-8, or with a NUL", extra("x", "a\x00")},
		{"extra.x: not UTF-8, or with a NUL", extra("x", "a\xff")},
		{"extra.x: a struct {} cannot be written", extra("x", struct{}{})},
		{"extra.x[1]: a chan int cannot be written", extra("x", []any{1, make(chan int)})},
		{"extra.x.y[0]: a func() cannot be written", extra("x", map[string]any{"y": []any{func() {}}})},
		{"extra.x: empty key", extra("x", map[string]any{"": 1})},
		{": nested deeper than 32", extra("x", loop)},
		{"frontmatter: 16", extra("x", strings.Repeat("y", maxFrontmatter))},
		{"body: not UTF-8", func(m *Memory) { m.Body = "\xff" }},
		{"body: has a NUL", func(m *Memory) { m.Body = "\x00" }},
		{"file: 10", func(m *Memory) { m.Body = strings.Repeat("x", maxFile) }},
		{"updates[1].title: missing", func(m *Memory) { m.Updates[1].Title = "" }},
		{"updates[0].discoveredBy: missing", func(m *Memory) { m.Updates[0].DiscoveredBy = "" }},
		{"updates[0].body: has a NUL", func(m *Memory) { m.Updates[0].Body = "\x00" }},
		{"updates[0].importance: unknown", func(m *Memory) { m.Updates[0].Importance = 9 }},
	} {
		t.Run(c.want, func(t *testing.T) {
			m := fullMemory()
			c.set(m)
			data, err := Format(m)
			assert.Nil(t, data)
			require.ErrorContains(t, err, c.want)
			sentinel := ErrInvalid
			if strings.Contains(err.Error(), "at most") {
				sentinel = ErrTooLarge
			}
			assert.ErrorIs(t, err, sentinel)
		})
	}
}

func TestTakeMergesUpdates(t *testing.T) {
	first := Frontmatter{Title: "T", WhenToUse: []string{"a"}, Tags: []string{"x", "y"}[:1], Importance: Low, DiscoveredAt: mustTime("2026-01-02T00:00:00Z"),
		DiscoveredBy: "p", DiscoveredIn: "i", Source: "s", Extra: map[string]any{"k": 1, "l": 1}}
	updates := []Frontmatter{
		{Title: "U", WhenToUse: []string{"b", "a"}, Tags: []string{"z"}, DiscoveredAt: mustTime("2026-01-03T00:00:00Z"), DiscoveredBy: "q", DiscoveredIn: "j"},
		{RelatedMemories: []string{"r"}, Importance: High, DiscoveredAt: mustTime("2026-01-01T00:00:00Z"), Source: "t", Extra: map[string]any{"k": 2, "m": nil}},
		{Tags: []string{"x"}, Retired: mustTime("2026-02-01T00:00:00Z")},
	}
	got := first
	for range 2 { // taking them again changes nothing
		for i := range updates {
			got.take(&updates[i])
		}
		assert.Equal(t, Frontmatter{Title: "T", WhenToUse: []string{"a", "b"}, Tags: []string{"x", "z"}, Importance: High,
			DiscoveredAt: mustTime("2026-01-03T00:00:00Z"), DiscoveredBy: "p", DiscoveredIn: "i", Source: "t", RelatedMemories: []string{"r"},
			Retired: mustTime("2026-02-01T00:00:00Z"), Extra: map[string]any{"k": 2, "l": 1, "m": nil}}, got)
	}
	assert.Equal(t, map[string]any{"k": 1, "l": 1}, first.Extra, "the map given is not written to")
	assert.Equal(t, []string{"x", "y"}, first.Tags[:2], "nor the array behind a slice")
}

func BenchmarkParse(b *testing.B) {
	data := specFile(b, "convention-codebase-structure")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("n", data); err != nil {
			b.Fatal(err)
		}
	}
}
