package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chatScript is a model that gives its responses one after another, then a closing
// word, and keeps what it was sent.
type chatScript struct {
	mu        sync.Mutex
	responses []*ChatResponse
	requests  []ChatRequest
}

func (s *chatScript) Chat(_ context.Context, req ChatRequest) (*ChatResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	if len(s.requests) > len(s.responses) {
		return &ChatResponse{Content: "Done."}, nil
	}
	return s.responses[len(s.requests)-1], nil
}

// text gives all that the model was sent in the nth request.
func (s *chatScript) text(n int) string {
	var b strings.Builder
	for _, m := range s.requests[n].Messages {
		b.WriteString(m.Content + "\n")
		for _, c := range m.ToolCalls {
			b.WriteString(c.Name + " " + string(c.Args) + "\n")
		}
	}
	return b.String()
}

// chatCalls is a response that calls tools.
func chatCalls(calls ...ToolCall) *ChatResponse { return &ChatResponse{ToolCalls: calls} }

// args are the arguments of a tool.
type args = map[string]any

func chatCall(name string, a args) ToolCall {
	text, _ := json.Marshal(a)
	return ToolCall{ID: "id-" + name, Name: name, Args: text}
}

func writeCall(path, content string) ToolCall {
	return chatCall("memory_write", args{"path": path, "content": content})
}

func patchCall(path string, patches ...Patch) ToolCall {
	return chatCall("memory_patch", args{"path": path, "patches": patches})
}

func appendCall(path, entry string) ToolCall {
	return chatCall("memory_append", args{"path": path, "entry": entry})
}

var reflectDay = time.Date(2026, 2, 24, 15, 0, 0, 0, time.UTC)

// reflectNotebook gives a notebook over files of a map, and the map.
func reflectNotebook(t *testing.T, files map[string]string, opts *NotebookOptions) (*Notebook, *MapStore) {
	t.Helper()
	store := NewMapStore()
	for name, text := range files {
		setFile(t, store, name, text)
	}
	if opts == nil {
		opts = &NotebookOptions{}
	}
	opts.Now = func() time.Time { return reflectDay }
	n, err := NewNotebook(store, opts)
	require.NoError(t, err)
	return n, store
}

func setFile(t *testing.T, store Store, name, text string) {
	t.Helper()
	require.NoError(t, store.Update(context.Background(), name, func([]byte) ([]byte, error) { return []byte(text), nil }))
}

// filesOf gives all files of a store.
func filesOf(t *testing.T, n *Notebook) map[string]string {
	t.Helper()
	notes, err := n.List(context.Background())
	require.NoError(t, err)
	files := make(map[string]string)
	for _, note := range notes {
		data, err := n.store.Read(context.Background(), note.Path)
		require.NoError(t, err)
		files[note.Path] = string(data)
	}
	return files
}

// loggerTask is a task from which there is something to record.
func loggerTask() TaskRecord {
	return TaskRecord{
		Agent: "developer", Task: "Fix the logger", Outcome: Success, At: reflectDay,
		Messages: []ChatMessage{
			{Role: RoleSystem, Content: "You are the host's developer."},
			{Role: RoleUser, Content: "I'm Zhang San. The logger leaks to stdout."},
			{Role: RoleAssistant, Content: "Let me look.", ToolCalls: []ToolCall{{ID: "1", Name: "grep", Args: json.RawMessage(`{"for":"pipeline"}`)}}},
			{Role: RoleTool, ToolCallID: "1", Content: "logger.ts: pipeline"},
			{Role: RoleAssistant, Content: "Fixed: a custom transport."},
		},
	}
}

// reflectOn gives what a model of these responses makes of a task.
func reflectOn(t *testing.T, n *Notebook, task TaskRecord, responses ...*ChatResponse) (*Reflection, *chatScript) {
	t.Helper()
	model := &chatScript{responses: responses}
	r := Reflector{Model: model, Notebook: n}
	got, err := r.Reflect(context.Background(), task)
	require.NoError(t, err)
	return got, model
}

const knownFacts = "# User Facts\n\n> Summary: name, role\n\n- Name: Zhang San\n- Role: developer\n"

const loggerEpisode = "## Logger stdout leak fix\n- Summary: pipeline leak → transport\n- Date: 2026-02-24\n- Lesson: no pipelines\n"

func TestReflectRecords(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	got, model := reflectOn(t, n, loggerTask(),
		chatCalls(writeCall("facts/user.md", "# User Facts\n\n- Name: Zhang San\n- Role: developer\n"), appendCall("episodes/2026-02.md", loggerEpisode)),
		&ChatResponse{Content: " Recorded both. \n"})
	assert.Equal(t, map[string]string{
		"facts/user.md":       knownFacts,
		"episodes/2026-02.md": "# 2026-02 Episodes\n\n> Summary: pipeline leak → transport\n\n" + loggerEpisode,
	}, filesOf(t, n))
	assert.Equal(t, StopFinished, got.Stop)
	assert.Equal(t, 2, got.Rounds)
	assert.Equal(t, "Recorded both.", got.Text)
	assert.Zero(t, got.Omitted)
	require.Len(t, got.Calls, 2)
	assert.Equal(t, CallRecord{
		Tool: "memory_write", Args: model.responses[0].ToolCalls[0].Args, Result: `{"success":true}`, Path: "facts/user.md",
		Diff: "--- facts/user.md\n+++ facts/user.md\n@@ -0,0 +1,6 @@\n+# User Facts\n+\n+> Summary: name, role\n+\n+- Name: Zhang San\n+- Role: developer\n",
	}, got.Calls[0])
	assert.Equal(t, got.Calls[0].Diff+got.Calls[1].Diff, got.Diff())
	assert.Empty(t, got.Quarantined())
}

func TestReflectEndsWithoutCalls(t *testing.T) {
	n, _ := reflectNotebook(t, map[string]string{"facts/user.md": knownFacts}, nil)
	got, model := reflectOn(t, n, loggerTask(), &ChatResponse{Content: "Nothing to record."})
	assert.Equal(t, &Reflection{Stop: StopFinished, Rounds: 1, Text: "Nothing to record.", Tokens: got.Tokens}, got)
	assert.Len(t, model.requests, 1)
	assert.Equal(t, map[string]string{"facts/user.md": knownFacts}, filesOf(t, n))
	assert.Empty(t, got.Diff())
}

func TestReflectRoundsAreLimited(t *testing.T) {
	for name, tt := range map[string]struct{ max, want int }{"default": {0, 5}, "one": {1, 1}, "nine": {9, 9}} {
		t.Run(name, func(t *testing.T) {
			n, _ := reflectNotebook(t, nil, nil)
			rounds := 0
			r := Reflector{Notebook: n, MaxRounds: tt.max, Model: ChatModelFunc(func(context.Context, ChatRequest) (*ChatResponse, error) {
				rounds++
				return chatCalls(appendCall("episodes/2026-02.md", fmt.Sprintf("## Round %d\n- Summary: r%d", rounds, rounds))), nil
			})}
			got, err := r.Reflect(t.Context(), loggerTask())
			require.NoError(t, err)
			assert.Equal(t, StopRounds, got.Stop)
			assert.Equal(t, tt.want, got.Rounds)
			assert.Equal(t, tt.want, rounds)
			assert.Len(t, got.Calls, tt.want, "the calls of the last round ran as well")
			text, err := n.Read(t.Context(), "episodes/2026-02.md")
			require.NoError(t, err)
			assert.Equal(t, tt.want, strings.Count(text, "## Round "))
		})
	}
}

func TestStopReasonNames(t *testing.T) {
	for reason, want := range map[StopReason]string{StopFinished: "finished", StopTrivial: "trivial", StopRounds: "rounds", StopFailed: "failed", 9: "StopReason(9)", -1: "StopReason(-1)"} {
		assert.Equal(t, want, reason.String())
	}
}

// TestReflectErrorsGoBack: each error is a result from which the model mends its call.
func TestReflectErrorsGoBack(t *testing.T) {
	for name, tt := range map[string]struct {
		call ToolCall
		want string
	}{
		"unknown tool":     {chatCall("memory_delete", args{"path": "facts/user.md"}), `there is no tool "memory_delete"; the tools are memory_read, memory_write, memory_patch, memory_append, memory_list`},
		"text not there":   {patchCall("facts/user.md", Patch{"- Name: Zhang Sam", "x"}), `the nearest line is 5: "- Name: Zhang San"`},
		"leaves the root":  {writeCall("../user.md", "x"), "give a path such as facts/user.md"},
		"no JSON":          {ToolCall{ID: "1", Name: "memory_write", Args: json.RawMessage("{path:")}, "memory_write: arguments cannot be read"},
		"no arguments":     {ToolCall{ID: "1", Name: "memory_write"}, "memory_write: path is missing"},
		"nothing to patch": {patchCall("facts/none.md", Patch{"a", "b"}), "facts/none.md does not exist"},
		"a long name":      {chatCall(strings.Repeat("x", 1000), nil), `there is no tool "` + strings.Repeat("x", 60) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			n, _ := reflectNotebook(t, map[string]string{"facts/user.md": knownFacts}, nil)
			mended := patchCall("facts/user.md", Patch{"developer", "tester"})
			got, model := reflectOn(t, n, loggerTask(), chatCalls(tt.call), chatCalls(mended))
			require.Len(t, got.Calls, 2)
			assert.True(t, got.Calls[0].Failed)
			assert.Contains(t, got.Calls[0].Result, tt.want)
			assert.Empty(t, got.Calls[0].Path+got.Calls[0].Diff)
			assert.True(t, json.Valid(got.Calls[0].Args))
			answer := model.requests[1].Messages[3]
			assert.Equal(t, ChatMessage{Role: RoleTool, ToolCallID: tt.call.ID, Content: got.Calls[0].Result, IsError: true}, answer)
			assert.Equal(t, wellFormed([]ToolCall{tt.call})[0], model.requests[1].Messages[2].ToolCalls[0], "beside its own call")
			assert.False(t, got.Calls[1].Failed)
			assert.Equal(t, StopFinished, got.Stop)
			assert.Equal(t, strings.ReplaceAll(knownFacts, "developer", "tester"), filesOf(t, n)["facts/user.md"])
		})
	}
}

func TestReflectTooManyCalls(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	var calls []ToolCall
	for i := range maxCalls + 2 {
		calls = append(calls, appendCall("episodes/2026-02.md", fmt.Sprintf("## Entry %d\n- Summary: e%d", i, i)))
	}
	got, model := reflectOn(t, n, loggerTask(), chatCalls(calls...))
	require.Len(t, got.Calls, maxCalls)
	messages := model.requests[1].Messages
	require.Len(t, messages, 2+1+maxCalls, "each call has a result")
	assert.Len(t, messages[2].ToolCalls, maxCalls)
	assert.Contains(t, messages[2+maxCalls].Content, "(2 more calls were left out: at most 16 are made at once.")
	text, err := n.Read(t.Context(), "episodes/2026-02.md")
	require.NoError(t, err)
	assert.Equal(t, maxCalls, strings.Count(text, "## Entry "))
}

// TestReflectModelFails: in each round; what earlier rounds wrote stays, and nothing else.
func TestReflectModelFails(t *testing.T) {
	down := errors.New("down")
	for round := 1; round <= 4; round++ {
		for name, fail := range map[string]func() (*ChatResponse, error){
			"error":                 func() (*ChatResponse, error) { return nil, down },
			"error with a response": func() (*ChatResponse, error) { return chatCalls(writeCall("facts/x.md", "- X: y")), down },
			"nil":                   func() (*ChatResponse, error) { return nil, nil },
		} {
			t.Run(fmt.Sprint(name, " in round ", round), func(t *testing.T) {
				n, _ := reflectNotebook(t, nil, nil)
				asked := 0
				r := Reflector{Notebook: n, Model: ChatModelFunc(func(context.Context, ChatRequest) (*ChatResponse, error) {
					if asked++; asked == round {
						return fail()
					}
					return chatCalls(writeCall(fmt.Sprintf("facts/f%d.md", asked), "- A: b")), nil
				})}
				got, err := r.Reflect(t.Context(), loggerTask())
				if name == "nil" {
					assert.ErrorIs(t, err, ErrInvalid)
				} else {
					assert.ErrorIs(t, err, down)
				}
				assert.ErrorContains(t, err, "reflect: ask the model: ")
				assert.Equal(t, StopFailed, got.Stop)
				assert.Equal(t, round, got.Rounds)
				assert.Len(t, got.Calls, round-1)
				assert.Len(t, filesOf(t, n), round-1)
			})
		}
	}
}

func TestReflectContextEndsBetweenCalls(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	n.opts.Now = func() time.Time { return reflectDay }
	r := Reflector{Notebook: n, Model: ChatModelFunc(func(context.Context, ChatRequest) (*ChatResponse, error) {
		return chatCalls(writeCall("facts/a.md", "- A: b"), writeCall("facts/b.md", "- B: c")), nil
	})}
	n.store = &afterUpdate{n.store, cancel}
	got, err := r.Reflect(ctx, loggerTask())
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, StopFailed, got.Stop)
	require.Len(t, got.Calls, 1, "the second call did not run")
	assert.Equal(t, "facts/a.md", got.Calls[0].Path)
	files := filesOf(t, n)
	assert.Contains(t, files, "facts/a.md")
	assert.NotContains(t, files, "facts/b.md")
}

// afterUpdate calls a function after each write.
type afterUpdate struct {
	Store
	then func()
}

func (s *afterUpdate) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	err := s.Store.Update(ctx, name, edit)
	s.then()
	return err
}

func TestReflectWithAnEndedContext(t *testing.T) {
	n, _ := reflectNotebook(t, map[string]string{"facts/user.md": knownFacts}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	model := &chatScript{}
	got, err := (&Reflector{Model: model, Notebook: n}).Reflect(ctx, loggerTask())
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, StopFailed, got.Stop)
	assert.Empty(t, model.requests)
}

// TestReflectWriteFails: what the store does not take is a tool's error like any other.
func TestReflectWriteFails(t *testing.T) {
	n, store := reflectNotebook(t, map[string]string{"facts/user.md": knownFacts}, nil)
	n.store = brokenUpdate{store}
	got, model := reflectOn(t, n, loggerTask(), chatCalls(writeCall("facts/a.md", "- A: b")))
	assert.True(t, got.Calls[0].Failed)
	assert.Contains(t, got.Calls[0].Result, "disk is full")
	assert.Empty(t, got.Calls[0].Path+got.Calls[0].Diff)
	assert.Len(t, model.requests, 2)
}

// TestReflectListFails: what cannot be listed ends the reflection before the model is asked.
func TestReflectListFails(t *testing.T) {
	n, store := reflectNotebook(t, nil, nil)
	broken := errors.New("disk is gone")
	n.store = brokenList{store, broken}
	model := &chatScript{}
	got, err := (&Reflector{Model: model, Notebook: n}).Reflect(t.Context(), loggerTask())
	assert.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "reflect: ")
	assert.Equal(t, StopFailed, got.Stop)
	assert.Empty(t, model.requests)
}

type brokenList struct {
	Store
	err error
}

func (s brokenList) List(context.Context, string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) { yield(Info{}, s.err) }
}

// TestReflectReadFails: a fact file that cannot be read after it was listed is named,
// and the context's end is no such file.
func TestReflectReadFails(t *testing.T) {
	n, store := reflectNotebook(t, map[string]string{"facts/user.md": knownFacts, "facts/z.md": "- Z: a\n"}, nil)
	_, err := n.List(t.Context()) // from here on it knows the summaries
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	reads := &brokenRead{Store: store, then: func() {}}
	n.store = reads
	model := &chatScript{}
	r := Reflector{Model: model, Notebook: n}
	_, err = r.Reflect(ctx, loggerTask())
	require.NoError(t, err)
	facts, others, _ := strings.Cut(model.text(0), "\n## Other files\n")
	assert.NotContains(t, facts, "### facts/user.md")
	assert.Contains(t, others, "- facts/user.md (73B): name, role\n")
	assert.Contains(t, facts, "### facts/z.md\n")

	reads.then = cancel
	_, err = r.Reflect(ctx, loggerTask())
	assert.ErrorIs(t, err, context.Canceled)
	assert.Len(t, model.requests, 1)
}

// brokenRead cannot read one file, and calls a function first.
type brokenRead struct {
	Store
	then func()
}

func (s *brokenRead) Read(ctx context.Context, name string) ([]byte, error) {
	if s.then(); name == "facts/user.md" {
		return nil, errors.New("bad sector")
	}
	return s.Store.Read(ctx, name)
}

type brokenUpdate struct{ Store }

func (brokenUpdate) Update(_ context.Context, _ string, edit func([]byte) ([]byte, error)) error {
	if _, err := edit(nil); err != nil {
		return err
	}
	return errors.New("disk is full")
}

func TestReflectInvalid(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	model := &chatScript{}
	nan := 0.0
	nan /= nan
	for name, tt := range map[string]struct {
		r    Reflector
		want string
	}{
		"no model":          {Reflector{Notebook: n}, "Reflector.Model is nil"},
		"no notebook":       {Reflector{Model: model}, "Reflector.Notebook is nil"},
		"negative share":    {Reflector{Model: model, Notebook: n, HistoryShare: -0.1}, "HistoryShare is -0.1"},
		"share beyond one":  {Reflector{Model: model, Notebook: n, HistoryShare: 1.1}, "HistoryShare is 1.1"},
		"share that is NaN": {Reflector{Model: model, Notebook: n, HistoryShare: nan}, "HistoryShare is NaN"},
		"negative rounds":   {Reflector{Model: model, Notebook: n, MaxRounds: -1}, "must not be negative"},
		"negative window":   {Reflector{Model: model, Notebook: n, ContextWindow: -1}, "must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.r.Reflect(t.Context(), loggerTask())
			assert.ErrorIs(t, err, ErrInvalid)
			assert.ErrorContains(t, err, tt.want)
			assert.Equal(t, &Reflection{Stop: StopFailed}, got)
		})
	}
	assert.Empty(t, model.requests)
}

// TestReflectToolsAreDescribed: the model gets what a tool-calling API takes, and only
// the reflector calls them.
func TestReflectToolsAreDescribed(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	_, model := reflectOn(t, n, loggerTask())
	var names []string
	for _, tool := range model.requests[0].Tools {
		names = append(names, tool.Name)
		assert.NotEmpty(t, tool.Description)
		assert.True(t, json.Valid(tool.Schema))
		assert.Nil(t, tool.Call)
	}
	assert.Equal(t, []string{"memory_read", "memory_write", "memory_patch", "memory_append", "memory_list"}, names)
}

// TestReflectConversation: each round sends all that came before, in its order.
func TestReflectConversation(t *testing.T) {
	n, _ := reflectNotebook(t, map[string]string{"people/alice.md": "# Alice\n\n- Role: lead\n"}, nil)
	first := chatCalls(chatCall("memory_read", args{"path": "people/alice.md"}), chatCall("memory_list", nil))
	first.Content = "I look around."
	_, model := reflectOn(t, n, loggerTask(), first, chatCalls(writeCall("facts/user.md", "- Name: Zhang San")))
	require.Len(t, model.requests, 3)
	assert.Len(t, model.requests[0].Messages, 2)
	last := model.requests[2].Messages
	assert.Equal(t, model.requests[0].Messages, last[:2])
	assert.Equal(t, ChatMessage{Role: RoleAssistant, Content: "I look around.", ToolCalls: wellFormed(first.ToolCalls)}, last[2])
	assert.Equal(t, ChatMessage{Role: RoleTool, ToolCallID: "id-memory_read", Content: "# Alice\n\n- Role: lead\n"}, last[3])
	assert.Equal(t, ChatMessage{Role: RoleTool, ToolCallID: "id-memory_list", Content: `[{"path":"people/alice.md","summary":"role","size":22}]`}, last[4])
	assert.Equal(t, `{"success":true}`, last[6].Content)
}

func TestReflectCountsTokens(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	model := &chatScript{responses: []*ChatResponse{chatCalls(writeCall("facts/user.md", "- Name: Zhang San"))}}
	r := Reflector{Model: model, Notebook: n, CountTokens: func(s string) int { return len(s) }, ContextWindow: 100_000}
	got, err := r.Reflect(t.Context(), loggerTask())
	require.NoError(t, err)
	want := 0
	for _, req := range model.requests {
		want += sentBytes(req)
	}
	assert.Equal(t, want, got.Tokens)
	assert.Greater(t, want, 1000)
}

// sentBytes is the size of all that a request has.
func sentBytes(req ChatRequest) (n int) {
	for _, m := range req.Messages {
		n += len(m.Content) + len(m.ToolCallID)
		for _, c := range m.ToolCalls {
			n += len(c.ID) + len(c.Name) + len(c.Args)
		}
	}
	for _, tool := range req.Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	return n
}

// TestReflectIsRepeatable: the same input gives the same result and the same requests.
func TestReflectIsRepeatable(t *testing.T) {
	var results []*Reflection
	var sent []string
	for range 3 {
		n, _ := reflectNotebook(t, map[string]string{"facts/user.md": knownFacts, "facts/b.md": "- B: c\n", "x.md": "x\n", "episodes/2026-01.md": "# E\n"}, nil)
		got, model := reflectOn(t, n, loggerTask(),
			chatCalls(patchCall("facts/user.md", Patch{"developer", awsKey}, Patch{"Zhang", "Li"}), appendCall("episodes/2026-02.md", loggerEpisode)))
		results = append(results, got)
		sent = append(sent, model.text(0)+model.text(1))
	}
	assert.Equal(t, results[0], results[1])
	assert.Equal(t, results[0], results[2])
	assert.Equal(t, sent[0], sent[1])
	assert.Equal(t, sent[0], sent[2])
}

// TestReflectDefaultsToNow: a task without a time ended now, by the notebook's clock.
func TestReflectDefaultsToNow(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	task := loggerTask()
	task.At = time.Time{}
	_, model := reflectOn(t, n, task)
	assert.Contains(t, model.text(0), "Today is 2026-02-24; the episode file of this month is episodes/2026-02.md.")
	task.At = time.Date(2025, 12, 31, 23, 59, 0, 0, time.FixedZone("", -3600))
	_, model = reflectOn(t, n, task)
	assert.Contains(t, model.text(0), "Today is 2025-12-31; the episode file of this month is episodes/2025-12.md.")
}

// TestReflectGate: a trivial task costs nothing, and the gate can be replaced.
func TestReflectGate(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	greeting := TaskRecord{Messages: []ChatMessage{{Role: RoleUser, Content: "hi"}, {Role: RoleAssistant, Content: "Hello!"}}}
	got, model := reflectOn(t, n, greeting)
	assert.Equal(t, &Reflection{Stop: StopTrivial}, got)
	assert.Empty(t, model.requests)

	var asked []TaskRecord
	r := Reflector{Model: model, Notebook: n, ShouldReflect: func(t TaskRecord) bool { asked = append(asked, t); return true }}
	got, err := r.Reflect(t.Context(), greeting)
	require.NoError(t, err)
	assert.Equal(t, StopFinished, got.Stop)
	require.Len(t, asked, 1)
	assert.Equal(t, reflectDay, asked[0].At)

	r.ShouldReflect = func(TaskRecord) bool { return false }
	got, err = r.Reflect(t.Context(), loggerTask())
	require.NoError(t, err)
	assert.Equal(t, StopTrivial, got.Stop)
	assert.Len(t, model.requests, 1)
}

// TestTwoReflectionsLoseNothing: at once, on one notebook, both write the same file
// whole; what one has written the other has to read before it writes.
func TestTwoReflectionsLoseNothing(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a new file": nil, "a fact file": {"facts/user.md": knownFacts}, "another file": {"people/alice.md": "# Alice\n\n- Role: lead\n"},
	} {
		t.Run(name, func(t *testing.T) {
			n, _ := reflectNotebook(t, files, nil)
			path := "facts/user.md"
			for p := range files {
				path = p
			}
			const models = 8
			var all, asked sync.WaitGroup
			asked.Add(models)
			for i := range models {
				r := Reflector{Notebook: n, MaxRounds: 100, Model: carefulModel(path, fmt.Sprintf("- Key %d: value\n", i), &asked)}
				all.Go(func() {
					got, err := r.Reflect(context.Background(), loggerTask())
					assert.NoError(t, err)
					assert.Equal(t, StopFinished, got.Stop)
				})
			}
			all.Wait()
			text := filesOf(t, n)[path]
			for i := range models {
				assert.Contains(t, text, fmt.Sprintf("- Key %d: value\n", i))
			}
			for _, before := range files {
				assert.Contains(t, text, before[strings.LastIndex(before, "- Role"):])
			}
		})
	}
}

// carefulModel writes a file whole with one more line: what it was shown of the file
// when all of them began, and what it read when that was refused.
func carefulModel(path, line string, asked *sync.WaitGroup) ChatModel {
	return ChatModelFunc(func(_ context.Context, req ChatRequest) (*ChatResponse, error) {
		last := req.Messages[len(req.Messages)-1]
		switch {
		case last.Role != RoleTool:
			asked.Done()
			asked.Wait()
			_, shown, _ := strings.Cut(req.Messages[0].Content, "### "+path+"\n```markdown\n")
			shown, _, _ = strings.Cut(shown, "```")
			return chatCalls(writeCall(path, shown+line)), nil
		case last.IsError:
			return chatCalls(chatCall("memory_read", args{"path": path})), nil
		case strings.HasPrefix(last.Content, `{"success":true`):
			return &ChatResponse{Content: "Done."}, nil
		}
		return chatCalls(writeCall(path, last.Content+line)), nil
	})
}

// TestWriteNeedsASight: what the model was not shown whole it does not overwrite.
func TestWriteNeedsASight(t *testing.T) {
	big := "# Big\n\n" + strings.Repeat("- Key: value\n", 2000)
	for name, tt := range map[string]struct {
		path, before string
		meanwhile    string // written by somebody else after the model was asked
		first        []ToolCall
		refused      bool
	}{
		"shown":                      {path: "facts/user.md", before: knownFacts},
		"new":                        {path: "facts/new.md"},
		"past the budget":            {path: "facts/big.md", before: big, refused: true},
		"past the budget, read":      {path: "facts/big.md", before: big, first: []ToolCall{chatCall("memory_read", args{"path": "facts/big.md"})}},
		"past the budget, appended":  {path: "facts/big.md", before: big, first: []ToolCall{patchCall("facts/big.md", Patch{"# Big", "# Large"})}, refused: true},
		"listed":                     {path: "people/alice.md", before: "# Alice\n\n- Role: lead\n", refused: true},
		"changed meanwhile":          {path: "facts/user.md", before: knownFacts, meanwhile: knownFacts + "- Age: 30\n", refused: true},
		"begun meanwhile":            {path: "facts/new.md", meanwhile: knownFacts, refused: true},
		"begun meanwhile, appended":  {path: "facts/new.md", meanwhile: knownFacts, first: []ToolCall{appendCall("facts/new.md", "- More: yes")}, refused: true},
		"its own":                    {path: "facts/new.md", first: []ToolCall{appendCall("facts/new.md", "- More: yes")}},
		"begun by somebody in files": {path: "people/new.md", meanwhile: "# New\n", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			if tt.before != "" {
				files[tt.path] = tt.before
			}
			n, store := reflectNotebook(t, files, nil)
			rounds := 0
			r := Reflector{Notebook: n, Model: ChatModelFunc(func(context.Context, ChatRequest) (*ChatResponse, error) {
				switch rounds++; {
				case rounds == 1:
					if tt.meanwhile != "" {
						setFile(t, store, tt.path, tt.meanwhile)
					}
					return chatCalls(append(tt.first, writeCall(tt.path, "- Only: this"))...), nil
				}
				return &ChatResponse{}, nil
			})}
			got, err := r.Reflect(t.Context(), loggerTask())
			require.NoError(t, err)
			last := got.Calls[len(got.Calls)-1]
			assert.Equal(t, tt.refused, last.Failed, last.Result)
			data, err := store.Read(t.Context(), tt.path)
			require.NoError(t, err)
			if tt.refused {
				assert.Regexp(t, "read it (first|again)", last.Result)
				assert.NotContains(t, string(data), "- Only: this")
			} else {
				assert.Contains(t, string(data), "- Only: this")
			}
		})
	}
}
