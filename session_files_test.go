package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
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
	assert.Equal(t, map[string]any{"b": "y"}, free)
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
	for name, v := range map[string]any{"a function": map[string]any{"f": func() {}}, "not UTF-8": map[string]string{"a": "\xff"}} {
		assert.ErrorIs(t, s.Save(ctx, "plan.yaml", v), ErrInvalid, name)
	}
	_, err := store.Read(ctx, planPath)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Equal(t, before, docText(t, store, sessionPath))

	for name, bad := range map[string]string{"torn": "steps: [a", "duplicate keys": "a: 1\na: 2\n", "tabs": "a:\n\tb: 1\n"} {
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

// messages are what a host keeps of a conversation.
type messages []struct {
	Role    string `yaml:"role"`
	Content string `yaml:"content,omitempty"`
}

// Inlined is inline in others.
type Inlined struct {
	Text string `yaml:"text,omitempty"`
	Word string `yaml:"word,omitempty"`
}

type lower struct {
	ID   int    `yaml:"id,omitempty"`
	Word string `yaml:"word,omitempty"`
}

func TestSaveChangesInPlace(t *testing.T) {
	type nested struct {
		Plan plan            `yaml:"plan"`
		Of   map[string]plan `yaml:"of,omitempty"`
		List []plan          `yaml:"list,omitempty"`
		Any  any             `yaml:"any,omitempty"`
		Time *time.Time      `yaml:"time,omitempty"`
	}
	type note struct {
		ID     int `yaml:"id"`
		hidden int
		Left   string `yaml:"-"`
	}
	type more struct {
		note `yaml:"-"`
		Sub  *Inlined `yaml:",inline"`
	}
	for _, c := range []struct {
		rule, before string
		v            any
		after        string
	}{
		{"another item in the place of one with a name is new", "- id: 1 # one\n  x: 1\n- id: 3 # three\n", []note{{ID: 2}, {ID: 3}}, "- id: 2\n- id: 3 # three\n"},
		{"fields that are not written are not known", "hidden: 1\nleft: 2\nid: 3\nnote: 4\n", note{ID: 3, hidden: 1}, "hidden: 1\nleft: 2\nid: 3\nnote: 4\n"},
		{"inline fields are", "text: a\nword: b\nhidden: 1\n", more{}, "hidden: 1\n"},
		{"pointers in a list", "- plan: 1\n  current: 3\n  steps: []\n  owner: {name: ''}\n  plain: ''\n", []*plan{{}}, "- plan: 1\n  steps: []\n  owner: {name: ''}\n  plain: ''\n"},
		{"inline fields of a type that is not exported are", "id: 1\nword: b\nnote: 2\n", struct {
			lower `yaml:",inline"`
		}{lower{ID: 3}}, "id: 3\nnote: 2\n"},
		{"embedded fields that are not inline are none of the struct's", "text: a\n", struct{ Inlined }{}, "text: a\ninlined: {}\n"},
		{"keys of an inline map are, each by its own kind", "x: {text: a, z: 1}\nid: {text: b}\n", struct {
			More map[string]Inlined `yaml:",inline"`
			ID   map[string]string
		}{More: map[string]Inlined{"x": {Word: "b"}}, ID: map[string]string{}}, "x:\n  z: 1\n  word: \"b\"\nid: {}\n"},
		{"numbers as keys", "1: a # one\n2: b\n", map[int]string{1: "a", 3: "c"}, "1: a # one\n3: \"c\"\n"},
		{"bytes are the text that they spell", "a: !!binary aGVsbG8= # c\n", map[string]string{"a": "hello"}, "a: !!binary aGVsbG8= # c\n"},
		{"bytes are not their text in base64", "a: !!binary aGVsbG8= # c\n", map[string]string{"a": "aGVsbG8="}, "a: \"aGVsbG8=\" # c\n"},
		{"a date stays one", "a: 2026-01-23 # fixed\nb: 1\n", map[string]any{"a": time.Date(2026, 1, 23, 0, 0, 0, 0, time.UTC), "b": 2}, "a: 2026-01-23 # fixed\nb: 2\n"},
		{"what came by <<", "<<: {a: 1} # m\nb: 2\n", map[string]int{"a": 1, "b": 3}, "<<: {a: 1} # m\nb: 3\n"},
		{"another value for what came by <<", "<<: {a: 1} # m\nb: 2\n", map[string]int{"a": 2, "b": 2}, "<<: {a: 1} # m\nb: 2\na: 2\n"},
		{"a key that came by << is removed", "<<: [{a: 1, c: 3}, {a: 2, d: 4}]\nb: 2\n", map[string]int{"b": 2, "c": 3, "d": 4}, "b: 2\nc: 3\nd: 4\n"},
		{"a key that came by <<, and a struct that does not know it", "<<: {a: 1, text: x}\nword: b\n", Inlined{Word: "c", Text: "x"}, "<<: {a: 1, text: x}\nword: \"c\"\n"},
		{"one of two that came by <<, and one that a struct does not know", "<<: {a: 1, text: x}\nword: b\n", Inlined{Word: "b"}, "word: b\na: 1\n"},
		{"what writes itself, in lists and maps", "- {name: m, reason: a, x: 1}\n", []Alternative{{"m", "b"}}, "- name: m\n  reason: \"b\"\n  x: 1\n"},
		{"a node is all that there is", "a: 1\nb: 2\n", yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, "{}\n"},
		{"a key that a map leaves out is removed, and the rest stays as it is", "a: 'x'  # one\nb: y\n# three\nc: z # 3\n",
			map[string]any{"a": "x", "c": "z"}, "a: 'x'  # one\n# three\nc: z # 3\n"},
		{"on every level", "m:\n  # ask\n  a: JWT  # spec\n  b: 24h\n  n: {c: 1, d: 2}\n  o:\n    e: 1\n    f: 2 # two\n",
			map[string]any{"m": map[string]any{"a": "JWT", "n": map[string]any{"c": 1, "d": 2}, "o": map[string]any{"f": 2}}},
			"m:\n  # ask\n  a: JWT  # spec\n  n: {c: 1, d: 2}\n  o:\n    f: 2 # two\n"},
		{"a field that a struct leaves out, but nothing that it does not know", "plan:\n  x: 1\n  current: 1\n  owner:\n    y: 2\n    name: ''\n  steps: []\n  plain: ''\nz: 3\ntime: 2026-01-01\n",
			nested{}, "plan:\n  x: 1\n  owner:\n    y: 2\n    name: ''\n  steps: []\n  plain: ''\nz: 3\n"},
		{"structs in maps, lists and interfaces", "of:\n  a: {current: 1, steps: [], owner: {name: ''}, plain: ''}\n  b:\n    current: 1\n    x: 1\n    steps: []\n    owner: {name: ''}\n    plain: ''\n" +
			"any:\n  y: 2\n  current: 1\n  steps: []\n  owner: {name: ''}\n  plain: ''\nplan: {steps: [], owner: {name: ''}, plain: ''}\n",
			nested{Of: map[string]plan{"b": {}}, Any: &plan{}},
			"of:\n  b:\n    x: 1\n    steps: []\n    owner: {name: ''}\n    plain: ''\nany:\n  y: 2\n  steps: []\n  owner: {name: ''}\n  plain: ''\nplan: {steps: [], owner: {name: ''}, plain: ''}\n"},
		{"a list goes on", "# all\n- role: 'user'  # me\n  seen: yes\n  content: >\n    folded\n    text\n\n- {role: agent}\n", messages{{"user", "folded text\n"}, {"agent", ""}, {"user", "b"}},
			"# all\n- role: 'user'  # me\n  seen: yes\n  content: >\n    folded\n    text\n\n- {role: agent}\n\n- role: \"user\"\n  content: \"b\"\n"},
		{"an item without a name is known by its place", "- role: user # me\n  seen: yes\n  content: a\n", messages{{"user", "b"}}, "- role: user # me\n  seen: yes\n  content: \"b\"\n"},
		{"an item leaves, and another comes first", "- id: 1 # one\n- id: 2\n\n- id: 3 # three\n", []any{map[string]any{"id": 4}, map[string]any{"id": 1}, map[string]any{"id": 3}}, "- id: 4\n- id: 1 # one\n- id: 3 # three\n"},
		{"a scalar", "x # c\n", 3, "# c\n3\n"},
		{"a list for a map", "# c\na: 1\n", []int{1}, "# c\n- 1\n"},
		{"a map for a list", "- a\n", map[string]int{"a": 1}, "a: 1\n"},
		{"the same is not written", "-   'a'\n-   0x10\n", []any{"a", 16}, "-   'a'\n-   0x10\n"},
		{"nothing", "# c\n", []string{}, "# c\n\n[]\n"},
		{"what writes itself", "a: 1\nb: 2\n", &Alternative{"n", "r"}, "a: 1\nb: 2\nname: \"n\"\nreason: \"r\"\n"},
	} {
		ctx, store := context.Background(), NewMapStore()
		s := openSession(t, store, nil)
		write(t, store, planPath, c.before)
		require.NoError(t, s.Save(ctx, "plan.yaml", c.v), c.rule)
		assert.Equal(t, c.after, docText(t, store, planPath), c.rule)
		require.NoError(t, s.Save(ctx, "plan.yaml", c.v), c.rule)
		assert.Equal(t, c.after, docText(t, store, planPath), c.rule)
	}
}

func TestLoadTakesAnyRoot(t *testing.T) {
	ctx, store := context.Background(), NewMapStore()
	s := openSession(t, store, nil)
	write(t, store, planPath, "# by hand\n- role: user\n  content: a\n- role: agent\n")
	var list messages
	require.NoError(t, s.Load(ctx, "plan.yaml", &list))
	assert.Equal(t, messages{{"user", "a"}, {"agent", ""}}, list)
	write(t, store, planPath, "5\n")
	var number int
	require.NoError(t, s.Load(ctx, "plan.yaml", &number))
	assert.Equal(t, 5, number)
	require.NoError(t, s.Save(ctx, "plan.yaml", nil))
	require.NoError(t, s.Load(ctx, "plan.yaml", &number))
	assert.Equal(t, 5, number, "nothing leaves it as it is")
	assert.ErrorIs(t, s.Load(ctx, "plan.yaml", number), ErrInvalid)
}

// TestEditLosesNothing: two handles, with several goroutines each, add to one list.
func TestEditLosesNothing(t *testing.T) {
	ctx := context.Background()
	store, err := NewDirStore(t.TempDir(), &DirOptions{NoSync: true})
	require.NoError(t, err)
	defer store.Close()
	var running sync.WaitGroup
	for range 2 {
		s := openSession(t, store, nil)
		for i := range 8 {
			running.Go(func() {
				var list messages
				assert.NoError(t, s.Edit(ctx, "conversation.yaml", &list, func() error {
					list = append(list, messages{{"user", fmt.Sprint(i)}}...)
					return nil
				}))
			})
		}
	}
	running.Wait()
	var list messages
	require.NoError(t, openSession(t, store, nil).Load(ctx, "conversation.yaml", &list))
	times := map[string]int{}
	for _, m := range list {
		times[m.Content]++
	}
	assert.Len(t, list, 16)
	for i := range 8 {
		assert.Equal(t, 2, times[fmt.Sprint(i)])
	}
}

func TestEdit(t *testing.T) {
	ctx, store := context.Background(), NewMapStore()
	s := openSession(t, store, nil)
	p := plan{Current: 7}
	text := "# the plan\ncurrent: 1 # now\nsince: 2026-01-01\nowner: {name: me}\nsteps:\n  # first\n  - one\n"
	require.NoError(t, s.Edit(ctx, "plan.yaml", &p, func() error {
		assert.Zero(t, p, "nothing where the file is missing")
		p.Steps = []string{"x"}
		return nil
	}))
	require.NoError(t, s.Load(ctx, "plan.yaml", &p))
	assert.Equal(t, []string{"x"}, p.Steps)
	write(t, store, planPath, text)
	require.NoError(t, s.Edit(ctx, "plan.yaml", &p, func() error {
		assert.Equal(t, "me", p.Owner.Name)
		p.Steps, p.Current = append(p.Steps, "two"), 0
		return nil
	}))
	want := strings.Replace(text, "current: 1 # now\n", "", 1) + "  - \"two\"\n"
	assert.Equal(t, want, docText(t, store, planPath), "what the change does not touch stays")
	stop := errors.New("stop")
	assert.ErrorIs(t, s.Edit(ctx, "plan.yaml", &p, func() error { p.Current = 9; return stop }), stop)
	assert.Equal(t, want, docText(t, store, planPath))
	for _, v := range []any{nil, plan{}, (*plan)(nil)} {
		assert.ErrorIs(t, s.Edit(ctx, "plan.yaml", v, func() error { return nil }), ErrInvalid)
	}
	assert.ErrorIs(t, s.Edit(ctx, "agent-memory.yaml", &p, func() error { return nil }), ErrUnsafeName)
	write(t, store, planPath, "current: many\n")
	assert.ErrorIs(t, s.Edit(ctx, "plan.yaml", &p, func() error { t.Error("called"); return nil }), ErrInvalid)
	var f any
	write(t, store, planPath, "a: 1\n")
	assert.ErrorIs(t, s.Edit(ctx, "plan.yaml", &f, func() error { f = func() {}; return nil }), ErrInvalid)
}

// TestEditKeepsWhatIsNotTouched: << and bytes stay what they are.
func TestEditKeepsWhatIsNotTouched(t *testing.T) {
	ctx, store := context.Background(), NewMapStore()
	s := openSession(t, store, nil)
	write(t, store, planPath, "<<: {a: 1} # m\nblob: !!binary aGVsbG8=\nb: 2\nday: 2026-01-23 # fixed\nbig: 123456789012345678901\nmode: 0755\nratio: 1.10\n")
	var v map[string]any
	require.NoError(t, s.Edit(ctx, "plan.yaml", &v, func() error { v["b"] = 3; delete(v, "ratio"); return nil }))
	assert.Equal(t, "<<: {a: 1} # m\nblob: !!binary aGVsbG8=\nb: 3\nday: 2026-01-23 # fixed\nbig: 123456789012345678901\nmode: 0755\n", docText(t, store, planPath))
	require.NoError(t, s.Edit(ctx, "plan.yaml", &v, func() error { delete(v, "a"); return nil }))
	v = nil
	require.NoError(t, s.Load(ctx, "plan.yaml", &v))
	assert.NotContains(t, v, "a")
	assert.Equal(t, "hello", v["blob"])
	var numbers map[int]string
	require.NoError(t, s.Save(ctx, "numbers.yaml", map[int]string{1: "x", 20: "y"}))
	require.NoError(t, s.Edit(ctx, "numbers.yaml", &numbers, func() error { numbers[3] = "z"; return nil }))
	numbers = nil
	require.NoError(t, s.Load(ctx, "numbers.yaml", &numbers))
	assert.Equal(t, map[int]string{1: "x", 20: "y", 3: "z"}, numbers)
}
