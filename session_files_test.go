package memory

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type plan struct {
	Steps   []string `yaml:"steps"`
	Current int      `yaml:"current,omitempty"`
	Owner   struct {
		Name string `yaml:"name"`
	} `yaml:"owner"`
	Plain string
}

const planPath = sessionID + "/plan.yaml"

func TestSaveAndLoad(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	s := openSession(t, store, nil)
	for _, name := range []string{"context.yaml", "conversation.yaml", "plan.yaml", "metadata.yaml"} {
		p := plan{Steps: []string{"one", "two: three"}, Current: 1, Plain: "a\nb\n"}
		p.Owner.Name = "me"
		var got plan
		require.NoError(t, s.Save(ctx, name, p))
		require.NoError(t, s.Load(ctx, name, &got))
		assert.Equal(t, p, got)
		p.Current, p.Steps = 0, nil
		require.NoError(t, s.Save(ctx, name, &p))
		got = plan{}
		require.NoError(t, s.Load(ctx, name, &got))
		assert.Zero(t, got.Current, "a field that is left out does not keep its old value")
		assert.Empty(t, got.Steps)
	}
	var free map[string]any
	require.NoError(t, s.Save(ctx, "free.yaml", map[string]any{"a": 1, "b": "x"}))
	require.NoError(t, s.Save(ctx, "free.yaml", map[string]any{"b": "y"}))
	require.NoError(t, s.Load(ctx, "free.yaml", &free))
	assert.Equal(t, map[string]any{"a": nil, "b": "y"}, free)
	assert.ErrorIs(t, s.Load(ctx, "none.yaml", &free), fs.ErrNotExist)
}

// TestSaveKeepsTheRest: comments, order and keys of others stay, and equal content is not written.
func TestSaveKeepsTheRest(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	s := openSession(t, store, nil)
	text := "# the plan\nother: {a: 1}\ncurrent: 1 # now\nsteps:\n  # first\n  - one\nowner:\n  since: 2020 # long\n  name: me\n"
	write(t, store, planPath, text)
	p := plan{Steps: []string{"one"}, Current: 2}
	p.Owner.Name = "me"
	require.NoError(t, s.Save(ctx, "plan.yaml", p))
	assert.Contains(t, docText(t, store, planPath), "# the plan\nother: {a: 1}\ncurrent: 2 # now\nsteps:\n  # first\n  - one\nowner:\n")
	before := docText(t, store, planPath)
	require.NoError(t, s.Save(ctx, "plan.yaml", p))
	assert.Equal(t, before, docText(t, store, planPath))
	write(t, store, planPath, text)
	require.NoError(t, s.Save(ctx, "plan.yaml", map[string]any{"other": map[string]any{"a": 1}, "current": 1, "steps": []string{"one"},
		"owner": map[string]any{"name": "you", "since": 2020}}))
	assert.Equal(t, strings.Replace(text, "name: me", "name: \"you\"", 1), docText(t, store, planPath))
}

func TestSaveRefuses(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	s := openSession(t, store, nil)
	before := docText(t, store, sessionPath)
	for _, name := range []string{"agent-memory.yaml", "Agent-Memory.yaml", "agent-memory-archive.yaml", "agent-memory.tester.yaml", "plan.json", "plan.yaml.bak",
		"../plan.yaml", "a/plan.yaml", ".yaml", "", "con.yaml"} {
		assert.ErrorIs(t, s.Save(ctx, name, plan{}), ErrUnsafeName, name)
		assert.ErrorIs(t, s.Load(ctx, name, &plan{}), ErrUnsafeName, name)
	}
	for name, v := range map[string]any{"a list": []int{1}, "nothing": nil, "a number": 1, "a function": map[string]any{"f": func() {}}, "not UTF-8": map[string]string{"a": "\xff"}} {
		assert.ErrorIs(t, s.Save(ctx, "plan.yaml", v), ErrInvalid, name)
	}
	_, err := store.Read(ctx, planPath)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Equal(t, before, docText(t, store, sessionPath))

	for name, bad := range map[string]string{"torn": "steps: [a", "a list": "- a\n", "duplicate keys": "a: 1\na: 2\n", "tabs": "a:\n\tb: 1\n"} {
		write(t, store, planPath, bad)
		for _, err := range []error{s.Save(ctx, "plan.yaml", plan{}), s.Load(ctx, "plan.yaml", &plan{})} {
			assert.ErrorIs(t, err, ErrInvalid, name)
			assert.ErrorContains(t, err, "line ", name)
		}
		assert.Equal(t, bad, docText(t, store, planPath), "left alone")
	}
	write(t, store, planPath, "current: many\n")
	assert.ErrorIs(t, s.Load(ctx, "plan.yaml", &plan{}), ErrInvalid)
	assert.ErrorContains(t, s.Load(ctx, "plan.yaml", &plan{}), "line 1")
	for _, v := range []any{nil, plan{}, (*plan)(nil)} {
		assert.ErrorIs(t, s.Load(ctx, "plan.yaml", v), ErrInvalid)
	}
	write(t, store, planPath, "# nothing yet\n")
	assert.NoError(t, s.Load(ctx, "plan.yaml", &plan{}))
}

func TestSaveByMany(t *testing.T) {
	ctx := context.Background()
	store, err := NewDirStore(t.TempDir(), &DirOptions{NoSync: true})
	require.NoError(t, err)
	defer store.Close()
	s := openSession(t, store, nil)
	type field struct {
		K map[string]int `yaml:"k"`
	}
	var running sync.WaitGroup
	for i := range 16 {
		running.Go(func() {
			assert.NoError(t, s.Save(ctx, "metadata.yaml", field{map[string]int{fmt.Sprint("n", i): i}}))
			assert.NoError(t, s.Load(ctx, "metadata.yaml", &field{}), "never half written")
		})
	}
	running.Wait()
}

// TestLoadGivesWhatWasSaved, of every kind of value.
func TestLoadGivesWhatWasSaved(t *testing.T) {
	type record struct {
		B []byte        `yaml:"b"`
		D time.Duration `yaml:"d"`
		F float32
		A any
		S string
		U uint64
		P *int
		T *time.Time
		M map[string]any
		O string `yaml:"o,omitempty"`
	}
	ctx := context.Background()
	s := openSession(t, NewMapStore(), nil)
	for _, want := range []record{
		{B: []byte("ab"), D: 90 * time.Second, F: 0.1, A: []any{"2026-01-01", "yes", "0x1", "1e3", "~", "null", 1.0}, S: "a: b # c\n  x\n", U: 1 << 63, T: &noon, O: "x"},
		{A: 1, M: map[string]any{"a": 1, "b": 2}},
		{M: map[string]any{"a": 1}},
	} {
		require.NoError(t, s.Save(ctx, "plan.yaml", want))
		var is record
		require.NoError(t, s.Load(ctx, "plan.yaml", &is))
		if want.B == nil {
			is.B = nil // [] in the file
		}
		if want.M == nil {
			is.M = nil
		}
		assert.Equal(t, want, is)
	}
}
