package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUpdateContextKeepsTheRest: what a change does not touch stays as somebody wrote it.
func TestUpdateContextKeepsTheRest(t *testing.T) {
	const text = "context:\n  taskContext:\n    # ask Ann before changing\n    authType: JWT  # spec 4.2\n    ttl: 24h\n    deep: {a: 1, b: 2}\n" +
		"  blockers: one\n  currentPlanStep: many\n  nextSteps:\n    # soon\n    - >-\n      folded\n      text\n\n    - 'second'  # now\n" +
		"  filesInScope:\n    - path: a.go # the first\n      lines: 10\n    - {path: b.go}\n"
	for _, c := range []struct {
		rule   string
		change func(c *SessionContext)
		was    string
		is     string
	}{
		{"nothing", func(*SessionContext) {}, "", ""},
		{"a key is deleted", func(c *SessionContext) { delete(c.TaskContext, "ttl") }, "    ttl: 24h\n", ""},
		{"the first is", func(c *SessionContext) { delete(c.TaskContext, "authType") }, "    authType: JWT  # spec 4.2\n", ""},
		{"a nested one is", func(c *SessionContext) { delete(c.TaskContext["deep"].(map[string]any), "a") }, "deep: {a: 1, b: 2}", "deep:\n      b: 2"},
		{"all are", func(c *SessionContext) { c.TaskContext = nil }, "  taskContext:\n    # ask Ann before changing\n    authType: JWT  # spec 4.2\n    ttl: 24h\n    deep: {a: 1, b: 2}\n", ""},
		{"a list goes on", func(c *SessionContext) { c.NextSteps = append(c.NextSteps, "third") }, "# now\n", "# now\n\n    - \"third\"\n"},
		{"an item leaves", func(c *SessionContext) { c.NextSteps = c.NextSteps[1:] }, "    - >-\n      folded\n      text\n\n", ""},
		{"a value of an item", func(c *SessionContext) { c.FilesInScope[0].Status = "complete" }, "lines: 10\n", "lines: 10\n      status: \"complete\"\n"},
		{"a new item", func(c *SessionContext) { c.FilesInScope = append(c.FilesInScope, FileInScope{Path: "c.go"}) }, "{path: b.go}\n", "{path: b.go}\n    - path: \"c.go\"\n"},
		{"an item in another place", func(c *SessionContext) {
			c.FilesInScope[0], c.FilesInScope[1] = c.FilesInScope[1], c.FilesInScope[0]
			c.FilesInScope[1].Purpose = "x"
		}, "    - path: a.go # the first\n      lines: 10\n    - {path: b.go}\n", "    - {path: b.go}\n    - path: a.go # the first\n      lines: 10\n      purpose: \"x\"\n"},
		{"a list that was one text", func(c *SessionContext) { c.Blockers = append(c.Blockers, "two") }, "blockers: one\n", "blockers:\n    - \"one\"\n    - \"two\"\n"},
		{"a value that could not be read", func(c *SessionContext) { c.CurrentPlanStep = 2 }, "many", "2"},
	} {
		ctx, store := context.Background(), NewMapStore()
		write(t, store, sessionPath, sessionHead+"\n"+text)
		s := openSession(t, store, nil)
		require.NoError(t, s.UpdateContext(ctx, c.change), c.rule)
		want := sessionHead + "\n" + text
		if c.was != "" {
			assert.Contains(t, want, c.was, c.rule)
			want = strings.Replace(want, c.was, c.is, 1)
		}
		assert.Equal(t, want, docText(t, store, sessionPath), c.rule)
	}
}

// TestUpdateContextKeepsTheBytesOfValues that a change does not touch, in block style and, where the map
// must be written anew, in flow style.
func TestUpdateContextKeepsTheBytesOfValues(t *testing.T) {
	for _, c := range []struct{ rule, text, set, removed string }{
		{"block style", "    deadline: 2026-01-23 # fixed\n    mode: 0755\n    mask: 0xFF\n    build: 123456789012345678901\n    ratio: 1.10\n    blob: !!binary aGVs/G8=\n" +
			"    at: 2026-01-23 10:00:00 +1\n    tmp: x\n    a:\n      # when\n      when: 2026-02-01\n", "tmp: \"y\"\n", "    tmp: x\n"},
		{"flow style", "    a: {deadline: 2026-01-23, mode: 0755, build: 123456789012345678901, ratio: 1.10, blob: !!binary aGVs/G8=, at: 2026-01-23 10:00:00 +1}\n    tmp: x\n",
			"tmp: \"y\"\n", "    tmp: x\n"},
	} {
		ctx, store := context.Background(), NewMapStore()
		text := sessionHead + "context:\n  taskContext:\n" + c.text
		write(t, store, sessionPath, text)
		s := openSession(t, store, nil)
		require.NoError(t, s.UpdateContext(ctx, func(x *SessionContext) { x.TaskContext["tmp"] = "y" }), c.rule)
		assert.Equal(t, strings.Replace(text, "tmp: x\n", c.set, 1), docText(t, store, sessionPath), c.rule)
		require.NoError(t, s.UpdateContext(ctx, func(x *SessionContext) { delete(x.TaskContext, "tmp") }), c.rule)
		assert.Equal(t, strings.Replace(text, c.removed, "", 1), docText(t, store, sessionPath), c.rule)
	}
	store := NewMapStore()
	write(t, store, sessionPath, sessionHead+"context:\n  taskContext: {day: 2026-01-23, mode: 0755, big: 123456789012345678901, ratio: 1.10, blob: !!binary aGVs/G8=, tmp: x}\n")
	s := openSession(t, store, nil)
	require.NoError(t, s.UpdateContext(context.Background(), func(x *SessionContext) { delete(x.TaskContext, "tmp") }))
	assert.Equal(t, sessionHead+"context:\n  taskContext:\n    day: 2026-01-23\n    mode: 0755\n    big: 123456789012345678901\n    ratio: 1.10\n    blob: !!binary aGVs/G8=\n", docText(t, store, sessionPath))
}

// TestSameValue: what is compared is what YAML holds, not how it is written.
func TestSameValue(t *testing.T) {
	for _, c := range []struct {
		rule, a, b string
		want       bool
	}{
		{"a number", "16", "0x10", true},
		{"numbers of two kinds", "1", "1.0", false},
		{"not a number", ".nan", ".nan", true},
		{"a text in quotes", "'a'", "a", true},
		{"a text and a number", "'1'", "1", false},
		{"bytes and the same text", "!!binary aGk=", "aGk=", false},
		{"bytes and the text that they spell", "!!binary aGk=", "hi", true},
		{"a date and a host's time", "2026-01-01", "'2026-01-01T00:00:00.000Z'", true},
		{"a date and its own text", "2026-01-01", "'2026-01-01'", false},
		{"dates", "2026-01-01", "2026-01-01T01:00:00+01:00", true},
		{"other dates", "2026-01-01", "2026-01-02", false},
		{"bytes that are none", "!!binary '='", "=", false},
		{"bytes", "!!binary aGk=", "!!binary 'aGk='", true},
		{"the order of keys", "{a: 1, b: [2]}", "{b: [2], a: 1}", true},
		{"another key", "{a: 1, b: 2}", "{a: 1, c: 2}", false},
		{"a key more", "{a: 1}", "{a: 1, b: 2}", false},
		{"the order of items", "[1, 2]", "[2, 1]", false},
		{"a list and a map", "[]", "{}", false},
	} {
		a, err := safeyaml.Load([]byte(c.a))
		require.NoError(t, err, c.rule)
		b, err := safeyaml.Load([]byte(c.b))
		require.NoError(t, err, c.rule)
		assert.Equal(t, c.want, sameValue(a, b), c.rule)
		assert.Equal(t, c.want, sameValue(b, a), c.rule)
	}
	assert.False(t, sameValue(nil, nil))
}

// BenchmarkUpdateContextOf20000 adds an item to a list of 20,000 equal ones, and takes it out again.
func BenchmarkUpdateContextOf20000(b *testing.B) {
	store := NewMapStore()
	write(b, store, sessionPath, sessionHead+"context:\n  nextSteps:\n"+strings.Repeat("    - a\n", 20000))
	s := openSession(b, store, nil)
	for b.Loop() {
		require.NoError(b, s.UpdateContext(context.Background(), func(c *SessionContext) { c.NextSteps = append(c.NextSteps, "z") }))
		require.NoError(b, s.UpdateContext(context.Background(), func(c *SessionContext) { c.NextSteps = c.NextSteps[:20000] }))
	}
}

// BenchmarkSaveOf20000Keys changes one key of many.
func BenchmarkSaveOf20000Keys(b *testing.B) {
	s, keys := openSession(b, NewMapStore(), nil), map[string]int{}
	for i := range 20000 {
		keys[fmt.Sprint("k", i)] = i
	}
	for i := 0; b.Loop(); i++ {
		keys["k77"] = -i
		require.NoError(b, s.Save(context.Background(), "plan.yaml", keys))
	}
}
