package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func injectClock() time.Time { return mustTime("2026-03-01T12:00:00Z") }

// keep appends memories to a new bank in a store.
func keep(t testing.TB, store Store, o Options, memories ...*Memory) *Bank {
	t.Helper()
	o.Now = injectClock
	b, err := New(store, &o)
	require.NoError(t, err)
	for _, m := range memories {
		_, err := b.Append(t.Context(), m)
		require.NoError(t, err)
	}
	return b
}

// lesson is a memory that fires on "deploy"; the rank is by importance, then by day.
func lesson(title string, importance Importance, day int, body string) *Memory {
	return &Memory{Frontmatter: Frontmatter{
		Title: title, WhenToUse: []string{"deploy"}, Importance: importance,
		DiscoveredBy: "dev", DiscoveredAt: mustTime("2026-01-01T09:00:00Z").AddDate(0, 0, day),
	}, Body: body}
}

func matchNames(matches []Match) []string {
	var names []string
	for _, m := range matches {
		names = append(names, m.Name)
	}
	return names
}

func omissions(in *Injection) []string {
	var reasons []string
	for _, o := range in.Omitted {
		reasons = append(reasons, o.Name+": "+string(o.Reason))
	}
	return reasons
}

// brokenStore fails to read some documents once they are broken, and to list with listErr.
type brokenStore struct {
	*MapStore
	broken  map[string]error
	listErr error
	onRead  func()
}

func (s *brokenStore) List(ctx context.Context, dir string) iter.Seq2[Info, error] {
	if s.listErr != nil {
		return func(yield func(Info, error) bool) { yield(Info{}, s.listErr) }
	}
	return s.MapStore.List(ctx, dir)
}

func (s *brokenStore) Read(ctx context.Context, name string) ([]byte, error) {
	if s.onRead != nil {
		s.onRead()
	}
	if err := s.broken[name]; err != nil {
		return nil, err
	}
	return s.MapStore.Read(ctx, name)
}

func (s *brokenStore) ReadBatch(ctx context.Context, names []string) iter.Seq2[[]byte, error] {
	return readEach(ctx, s, names)
}

func TestInjectAppendsTheBlockBehindABlankLine(t *testing.T) {
	b := keep(t, NewMapStore(), Options{}, lesson("A", High, 1, "text"))
	block := blockHead + "### A\n*Importance: HIGH*\n*Discovered by: dev on 2026-01-02*\n\ntext\n"
	for prompt, want := range map[string]string{
		"": block, "You are.": "You are.\n\n" + block, "You are.\n": "You are.\n\n" + block,
		"You are.\n\n": "You are.\n\n" + block, "a\n\n\n": "a\n\n\n" + block,
	} {
		in, err := b.Inject(t.Context(), prompt, Query{Task: "deploy it"})
		require.NoError(t, err)
		assert.Equal(t, want, in.Prompt)
		assert.Equal(t, block, in.Block)
		assert.Equal(t, estimateTokens(block), in.Tokens)
		assert.Equal(t, []string{"a"}, matchNames(in.Matches))
		assert.Equal(t, "text", in.Memories[0].Body)
		assert.Empty(t, in.Cut)
		assert.Empty(t, in.Omitted)
	}
}

func TestInjectOfNothingLeavesThePromptAlone(t *testing.T) {
	b := keep(t, NewMapStore(), Options{}, lesson("A", High, 1, "text"))
	in, err := b.Inject(t.Context(), "prompt", Query{Task: "bake a cake"})
	require.NoError(t, err)
	assert.Equal(t, &Injection{Prompt: "prompt"}, in)
}

func TestInjectErrorsLeaveThePromptAlone(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	a := lesson("A", High, 1, "text")
	broken := errors.New("disk on fire")
	closed := keep(t, NewMapStore(), Options{}, a)
	require.NoError(t, closed.Close())
	whileReading, stop := context.WithCancel(t.Context())
	stopping := &brokenStore{MapStore: NewMapStore()}
	stoppedBank := keep(t, stopping, Options{MaxAge: time.Hour}, a)
	_, err := stoppedBank.Recall(t.Context(), Query{Task: "deploy"})
	require.NoError(t, err)
	stopping.onRead = stop
	for _, c := range []struct {
		name string
		ctx  context.Context
		bank *Bank
		want error
	}{
		{"cancelled", cancelled, keep(t, NewMapStore(), Options{}, a), context.Canceled},
		{"cancelled while bodies are read", whileReading, stoppedBank, context.Canceled},
		{"a store that cannot list", t.Context(), keep(t, &brokenStore{MapStore: NewMapStore(), listErr: broken}, Options{}), broken},
		{"closed", t.Context(), closed, ErrClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, err := c.bank.Inject(c.ctx, "prompt", Query{Task: "deploy"})
			require.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, "inject memories: ")
			assert.Equal(t, &Injection{Prompt: "prompt"}, in)
		})
	}
}

func TestInjectMax(t *testing.T) {
	var memories []*Memory
	for i, title := range []string{"A", "B", "C", "D", "E", "F", "G"} {
		memories = append(memories, lesson(title, High, -i, "text"))
	}
	b := keep(t, NewMapStore(), Options{}, memories...)
	for max, want := range map[int]string{0: "abcde", 3: "abc", 7: "abcdefg", 1 << 40: "abcdefg", -1: "", -1 << 40: ""} {
		in, err := b.Inject(t.Context(), "prompt", Query{Task: "deploy", Max: max})
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(matchNames(in.Matches), ""))
		var left []string
		for _, letter := range "abcdefg"[len(want):] {
			left = append(left, string(letter)+": limit")
		}
		assert.Equal(t, left, omissions(in))
		assert.Equal(t, want == "", in.Prompt == "prompt")
	}
}

func TestInjectBudget(t *testing.T) {
	long := strings.TrimSpace(words(450))
	b := keep(t, NewMapStore(), Options{Format: &FormatOptions{MaxBody: 400}, CountTokens: func(s string) int { return len(s) }},
		lesson("A", High, 9, long), lesson("B", High, 8, long), lesson("C", High, 7, "tiny"))
	inject := func(max int) *Injection {
		in, err := b.Inject(t.Context(), "", Query{Task: "deploy", MaxTokens: max})
		require.NoError(t, err)
		assert.Equal(t, len(in.Block), in.Tokens, "the host's count")
		return in
	}
	// What one memory takes: its lines, and its text at its limit or at 200 characters.
	frame := len("### A\n*Importance: HIGH*\n*Discovered by: dev on 2026-01-10*\n\n") + len("\n")
	marker := len("\n\n… (cut; the rest is in a.md)")
	full, tight, tiny := frame+399+marker, frame+199+marker, frame+len("tiny")
	head := len(blockHead)
	for _, c := range []struct {
		name    string
		max     int
		in, cut string // names in the block, and of those whose text was cut
		tokens  int
		omitted []string
	}{
		{"no limit", 0, "abc", "ab", head + full + 1 + full + 1 + tiny, nil},
		{"a negative one is none", -1, "abc", "ab", head + full + 1 + full + 1 + tiny, nil},
		{"all of it", head + full + 1 + full + 1 + tiny, "abc", "ab", head + full + 1 + full + 1 + tiny, nil},
		{"the second at its limit, the third out", head + full + 1 + full + tiny, "ab", "ab", head + full + 1 + full, []string{"c: budget"}},
		{"the second at 200", head + full + 1 + full - 1, "abc", "ab", head + full + 1 + tight + 1 + tiny, nil},
		{"the second out, a smaller one in", head + full + 1 + tight - 1, "ac", "a", head + full + 1 + tiny, []string{"b: budget"}},
		{"the first at 200", head + full - 1, "ac", "a", head + tight + 1 + tiny, []string{"b: budget"}},
		{"only the small one", head + tiny, "c", "", head + tiny, []string{"a: budget", "b: budget"}},
		{"none", head + tiny - 1, "", "", 0, []string{"a: budget", "b: budget", "c: budget"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := inject(c.max)
			assert.Equal(t, c.in, strings.Join(matchNames(in.Matches), ""))
			assert.Equal(t, c.cut, strings.Join(in.Cut, ""))
			assert.Equal(t, c.tokens, in.Tokens)
			assert.Equal(t, c.omitted, omissions(in))
		})
	}
}

func TestInjectBudgetDoesNotRaiseTheLimit(t *testing.T) {
	b := keep(t, NewMapStore(), Options{Format: &FormatOptions{MaxBody: 50}}, lesson("A", High, 9, words(450)))
	in, err := b.Inject(t.Context(), "", Query{Task: "deploy", MaxTokens: 1000})
	require.NoError(t, err)
	assert.Contains(t, in.Block, "\n\n"+words(49)+"\n\n… (cut;")

	b = keep(t, NewMapStore(), Options{Format: &FormatOptions{MaxBody: -1}}, lesson("A", High, 9, strings.Repeat("x", 4500)))
	in, err = b.Inject(t.Context(), "", Query{Task: "deploy", MaxTokens: 200})
	require.NoError(t, err)
	assert.Contains(t, in.Block, "\n\n"+strings.Repeat("x", 200)+"\n\n… (cut;")

	// Whole it would be shorter than cut and marked, and is not shown whole either.
	short := words(59)
	b = keep(t, NewMapStore(), Options{Format: &FormatOptions{MaxBody: 50}, CountTokens: utf8.RuneCountInString}, lesson("A", High, 9, short))
	whole := len(blockHead) + len("### A\n*Importance: HIGH*\n*Discovered by: dev on 2026-01-10*\n\n") + len(short) + len("\n")
	in, err = b.Inject(t.Context(), "", Query{Task: "deploy", MaxTokens: whole})
	require.NoError(t, err)
	assert.Equal(t, []string{"a: budget"}, omissions(in))
}

func TestInjectTokensByDefault(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "你好": 2, "ab你cd": 2, "é": 1} {
		assert.Equal(t, want, estimateTokens(text), "%q", text)
	}
}

func TestInjectUnreadable(t *testing.T) {
	var logged bytes.Buffer
	store := &brokenStore{MapStore: NewMapStore(), broken: map[string]error{}}
	b := keep(t, store, Options{MaxAge: time.Hour, Logger: logTo(&logged)},
		lesson("A", High, 9, "a"), lesson("B", High, 8, strings.Repeat("long ", 400)), lesson("C", High, 7, "c"),
		lesson("D", High, 6, "d"), lesson("E", High, 5, "e"), lesson("F", High, 4, "f"))
	_, err := b.Recall(t.Context(), Query{Task: "deploy"})
	require.NoError(t, err)
	onFire := errors.New("disk on fire")
	store.broken["a.md"] = onFire
	store.broken["d.md"] = fs.ErrNotExist
	require.NoError(t, store.Update(t.Context(), "c.md", func([]byte) ([]byte, error) { return []byte("no longer a memory"), nil }))

	in, err := b.Inject(t.Context(), "", Query{Task: "deploy", Max: 2, MaxTokens: 80})
	require.NoError(t, err)
	assert.Equal(t, []string{"e"}, matchNames(in.Matches))
	assert.Equal(t, []string{"a: unreadable", "b: budget", "c: unreadable", "d: unreadable", "f: limit"}, omissions(in), "in rank order")
	require.ErrorIs(t, in.Omitted[0].Err, onFire)
	var parse *ParseError
	require.ErrorAs(t, in.Omitted[2].Err, &parse)
	require.ErrorIs(t, in.Omitted[3].Err, fs.ErrNotExist)
	require.NoError(t, in.Omitted[1].Err)
	require.NoError(t, in.Omitted[4].Err)
	assert.Empty(t, logged.String(), "what is returned is not logged too")

	store.broken = nil
	write(t, store, "b.md", "---\ntitle: B\nwhenToUse: deploy\nimportance: high\nretired: 2026-01-01\n---\n")
	in, err = b.Inject(t.Context(), "", Query{Task: "deploy", Max: 2})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "d"}, matchNames(in.Matches))
	assert.Contains(t, omissions(in), "b: unreadable", "retired since it matched")
}

func TestInjectTellsOfTextThatIsTooLong(t *testing.T) {
	var logged bytes.Buffer
	b := keep(t, NewMapStore(), Options{Logger: logTo(&logged)}, lesson("A", High, 1, "text"))
	fits := strings.Repeat("x ", 32<<10)
	in, err := b.Inject(t.Context(), "", Query{Task: fits, Plan: fits, History: fits})
	require.NoError(t, err)
	assert.Empty(t, in.TooLong)
	assert.Empty(t, logged.String())

	in, err = b.Inject(t.Context(), "", Query{Task: fits + "deploy", Plan: fits + "y"})
	require.NoError(t, err)
	assert.Equal(t, []string{"task", "plan"}, in.TooLong)
	assert.Empty(t, in.Block, "what stands behind 64 KiB is not matched")
	assert.Empty(t, logged.String(), "what is returned is not logged too")
	_, err = b.Recall(t.Context(), Query{Task: fits + "deploy", Plan: fits + "y"})
	require.NoError(t, err)
	assert.Contains(t, logged.String(), `fields="[task plan]"`)

	in, err = b.Inject(t.Context(), "", Query{Task: "deploy", History: fits + "z"})
	require.NoError(t, err)
	assert.Equal(t, []string{"history"}, in.TooLong)
	assert.NotEmpty(t, in.Block)
}

func TestInjectTamesTheHostsWords(t *testing.T) {
	b := keep(t, NewMapStore(), Options{Format: &FormatOptions{Heading: "Notes\n# X", Intro: "# Y\n```"}}, lesson("A", High, 1, "text"))
	in, err := b.Inject(t.Context(), "prompt", Query{Task: "deploy"})
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(in.Block, "## Notes # X\n\n### Y\n```\n```\n\n### A\n"), in.Block)
}

// The order of appending and the store must not show, or a host's prompt cache would not hold.
func TestInjectIsTheSameForTheSameMemories(t *testing.T) {
	var memories []*Memory
	for i, title := range []string{"Alpha", "Beta", "Gamma", "Delta", "Epsilon"} {
		memories = append(memories, lesson(title, High, i/2, strings.TrimSpace(words(120*(i+1)))))
	}
	r := rand.New(rand.NewPCG(1, 2))
	q := Query{Task: "deploy", Agent: "dev", MaxTokens: 500}
	for range 5 {
		r.Shuffle(len(memories), func(i, j int) { memories[i], memories[j] = memories[j], memories[i] })
		dir, err := NewDirStore(t.TempDir(), &DirOptions{NoSync: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, dir.Close()) })
		for _, store := range []Store{dir, NewMapStore()} {
			in, err := keep(t, store, Options{}, memories...).Inject(t.Context(), "You are the developer.", q)
			require.NoError(t, err)
			golden(t, "inject.golden", []byte(in.Prompt))
		}
	}
}

// naiveMatches gives the names of what matches, by a plain loop over the whole bank.
func naiveMatches(t *testing.T, b *Bank, q Query) map[string]bool {
	t.Helper()
	gates := map[Importance]Strength{Low: Exact, Medium: Close, High: Moderate, Critical: Slight}
	names := make(map[string]bool)
	for m, err := range b.All(t.Context()) {
		require.NoError(t, err)
		importance := cmp.Or(m.Importance, Medium)
		if importance < q.MinImportance || !m.Retired.IsZero() {
			continue
		}
		for _, line := range m.WhenToUse {
			p, err := CompilePattern(line)
			require.NoError(t, err)
			strength := max(p.Match(q.Task), min(Moderate, p.Match(q.Plan)))
			if strength >= gates[importance] {
				names[m.Name] = true
			}
		}
	}
	return names
}

func TestInjectAccountsForEveryMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	trigger := func() string {
		return pick("deploy", "rollback|release", "When deploying the payment service", "*.go", "auth.*token", "database migrations", "*", "login form", "修复")
	}
	task := func() string {
		return pick("deploy the payment service", "fix auth and token in main.go", "write database tests", "release notes for the login form", "修复登录", "nothing to see", "")
	}
	for bank := range 40 {
		var memories []*Memory
		for i := range r.IntN(12) {
			m := lesson(fmt.Sprintf("Memory %d", i), Importance(1+r.IntN(4)), r.IntN(60), strings.TrimSpace(words(r.IntN(900))))
			m.WhenToUse = []string{trigger(), trigger()}
			if r.IntN(8) == 0 {
				m.Retired = injectClock()
			}
			memories = append(memories, m)
			if r.IntN(3) == 0 {
				memories = append(memories, &Memory{Frontmatter: Frontmatter{Title: m.Title, DiscoveredBy: "dev"}, Body: strings.TrimSpace("x " + words(r.IntN(400)))})
			}
		}
		count := func(s string) int { return utf8.RuneCountInString(s) / (1 + bank%5) }
		b := keep(t, NewMapStore(), Options{CountTokens: count, MaxAge: time.Hour}, memories...)
		for range 10 {
			q := Query{Task: task(), Plan: pick("", "deploy it"), Max: r.IntN(10) - 1, MaxTokens: r.IntN(2000) - 200, MinImportance: Importance(r.IntN(5))}
			in, err := b.Inject(t.Context(), "prompt", q)
			require.NoError(t, err)
			checkInjection(t, in, q, naiveMatches(t, b, q), count)
		}
	}
}

func checkInjection(t *testing.T, in *Injection, q Query, want map[string]bool, count func(string) int) {
	t.Helper()
	found := make(map[string]bool)
	for _, name := range matchNames(in.Matches) {
		found[name] = true
	}
	for _, o := range in.Omitted {
		found[o.Name] = true
		require.Contains(t, []OmissionReason{OverLimit, OverBudget}, o.Reason)
	}
	require.Equal(t, want, found)
	require.Len(t, found, len(in.Matches)+len(in.Omitted), "each once")
	require.Equal(t, count(in.Block), in.Tokens)
	if q.MaxTokens > 0 {
		require.LessOrEqual(t, in.Tokens, q.MaxTokens)
	}
	require.True(t, slices.IsSortedFunc(in.Matches, CompareMatches))
	require.True(t, slices.IsSortedFunc(in.Omitted, func(a, b Omission) int { return CompareMatches(a.Match, b.Match) }))
	require.Len(t, in.Memories, len(in.Matches))
	if len(in.Matches) == 0 {
		require.Empty(t, in.Block)
		require.Equal(t, "prompt", in.Prompt)
		return
	}
	require.Equal(t, "prompt\n\n"+in.Block, in.Prompt)
	sections := strings.Split(in.Block, "\n### ")[1:]
	for i, m := range in.Memories {
		require.Equal(t, in.Matches[i].Name, m.Name)
		require.True(t, strings.HasPrefix(sections[i], m.Title+"\n"))
		marked := strings.HasSuffix(strings.TrimRight(sections[i], "\n"), "\n\n… (cut; the rest is in "+m.Name+".md)")
		require.Equal(t, slices.Contains(in.Cut, m.Name), marked)
		if !marked {
			require.Contains(t, sections[i], m.Body)
			for _, u := range m.Updates {
				require.Contains(t, sections[i], u.Body)
			}
		}
	}
}

func BenchmarkInject(b *testing.B) {
	var memories []*Memory
	for i := range 1000 {
		m := lesson(fmt.Sprintf("Memory number %d", i), Importance(1+i%4), i%60, words(1500))
		if i%100 != 0 {
			m.WhenToUse = []string{fmt.Sprintf("When working on subject%d", i)}
		}
		memories = append(memories, m)
	}
	store := NewMapStore()
	for i, m := range memories {
		data, err := Format(m)
		require.NoError(b, err)
		require.NoError(b, store.Update(b.Context(), fmt.Sprintf("m-%d.md", i), func([]byte) ([]byte, error) { return data, nil }))
	}
	bank := keep(b, store, Options{MaxAge: time.Hour})
	b.ReportAllocs()
	for b.Loop() {
		in, err := bank.Inject(b.Context(), "prompt", Query{Task: "deploy the service", MaxTokens: 800})
		if err != nil || in.Block == "" {
			b.Fatal(err)
		}
	}
}
