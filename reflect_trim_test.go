package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// conversation reads a sketch: "u" is the user's message, "a" the assistant's, "c12" one
// that calls 1 and 2, "r1" a result of 1, and "s" the system's.
func conversation(sketch string) (messages []ChatMessage) {
	for i, word := range strings.Fields(sketch) {
		m := ChatMessage{Content: fmt.Sprintf("%s#%d", word, i)}
		switch word[0] {
		case 'u':
			m.Role = RoleUser
		case 's':
			m.Role = RoleSystem
		case 'r':
			m.Role, m.ToolCallID = RoleTool, word[1:]
		default:
			m.Role = RoleAssistant
			for _, id := range word[1:] {
				m.ToolCalls = append(m.ToolCalls, ToolCall{ID: string(id), Name: "t", Args: json.RawMessage("{}")})
			}
		}
		messages = append(messages, m)
	}
	return messages
}

func sketched(parts [][]ChatMessage) string {
	var out []string
	for _, part := range parts {
		var words []string
		for _, m := range part {
			word, _, _ := strings.Cut(m.Content, "#")
			words = append(words, word)
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, " | ")
}

func TestExchanges(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"nothing":                           {"", ""},
		"no calls":                          {"u a u", "u | a | u"},
		"a call and its result":             {"u c1 r1 a", "u | c1 r1 | a"},
		"several results":                   {"u c12 r1 r2 a", "u | c12 r1 r2 | a"},
		"results out of order":              {"u c12 r2 r1 a", "u | c12 r2 r1 | a"},
		"a user message in between":         {"u c12 r1 u r2 a", "u | c12 r1 u r2 | a"},
		"calls that overlap":                {"c1 c2 r1 r2 a", "c1 c2 r1 r2 | a"},
		"calls within a call":               {"u c1 u c2 r2 a r1 u", "u | c1 u c2 r2 a r1 | u"},
		"an id used again":                  {"c1 r1 u c1 r1", "c1 r1 | u | c1 r1"},
		"an id used again before its reply": {"c1 c1 r1", "c1 | c1 r1"},
		"a call without a result":           {"u c1 u a", "u | c1 | u | a"},
		"a second result of a call":         {"c1 r1 u r1 u", "c1 r1 u r1 | u"},
		"a result of nothing":               {"u a r9 u", "u | a r9 | u"},
		"a result of nothing at first":      {"r9 r8 u", "r9 r8 | u"},
		"a result before its call":          {"u r1 c1 u", "u r1 | c1 | u"},
		"no ids":                            {"u c r a", "u | c r | a"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, sketched(exchanges(conversation(tt.in)))) })
	}
}

// TestExchangesOfManyResults: one call with very many results is no work of its square.
func TestExchangesOfManyResults(t *testing.T) {
	messages := conversation("c1" + strings.Repeat(" u r1", 50_000))
	got := exchanges(messages)
	require.Len(t, got, 1)
	assert.Len(t, got[0], 100_001)
}

// perMessage is a cost of ten for each message, or of its length when it is longer.
func perMessage(m ChatMessage) int { return max(10, utf8.RuneCountInString(m.Content)) }

func TestNewest(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		room int
		want string
		left int
	}{
		"all fits":                    {"u a u", 30, "u | a | u", 0},
		"the oldest first":            {"u a u", 29, "a | u", 1},
		"a call stays with a result":  {"u c1 r1 a", 29, "a", 3},
		"a call and its result fit":   {"u c1 r1 a", 30, "c1 r1 | a", 1},
		"no gap is filled":            {"u c1 r1 u a", 25, "u | a", 3},
		"nothing fits":                {"u a", 9, "", 2},
		"no room at all":              {"u a", 0, "", 2},
		"less than that":              {"u a", -5, "", 2},
		"nothing is there":            {"", 9, "", 0},
		"the newest exchange is long": {"u c12 r1 r2", 29, "", 4},
	} {
		t.Run(name, func(t *testing.T) {
			kept, left := newest(exchanges(conversation(tt.in)), tt.room, perMessage)
			assert.Equal(t, tt.want, sketched(kept))
			assert.Equal(t, tt.left, left)
		})
	}
}

// TestNewestCutsALongOne: one message that is too long is shown in part, from both ends.
func TestNewestCutsALongOne(t *testing.T) {
	all := exchanges([]ChatMessage{{Content: "old"}, {Content: "BEGIN" + strings.Repeat("x", 5000) + "END"}})
	kept, left := newest(all, 1000, perMessage)
	require.Len(t, kept, 1)
	assert.Equal(t, 1, left)
	text := kept[0][0].Content
	assert.LessOrEqual(t, len(text), 1000)
	assert.Greater(t, len(text), 300)
	assert.Contains(t, text, "characters left out …]")
	assert.True(t, strings.HasPrefix(text, "BEGIN") && strings.HasSuffix(text, "END"))
	assert.Len(t, all[1][0].Content, 5008, "the conversation itself is as it was")
}

// TestCutTextsTakesTheLongest: short texts of an exchange stay whole, and arguments stay JSON.
func TestCutTextsTakesTheLongest(t *testing.T) {
	long := strings.Repeat("long ", 2000)
	exchange := []ChatMessage{
		{Role: RoleAssistant, Content: "short", ToolCalls: []ToolCall{
			{ID: "1", Name: "write", Args: json.RawMessage(`{"path":"facts/user.md","content":"` + long + `"}`)},
			{ID: "2", Name: "list", Args: json.RawMessage("[" + strings.Repeat("1,", 3000) + "1]")},
			{ID: "3", Name: "odd", Args: json.RawMessage("{" + long)}, {ID: "4", Name: "little", Args: json.RawMessage(`{"a":1}`)},
		}},
		{Role: RoleTool, ToolCallID: "1", Content: long}, {Role: RoleTool, ToolCallID: "2", Content: "result"},
	}
	r := &Reflector{CountTokens: func(s string) int { return len(s) }}
	got, ok := cutTexts(exchange, 1500, r.cost)
	require.True(t, ok)
	assert.LessOrEqual(t, sum(got, r.cost), 1500)
	assert.Equal(t, "short", got[0].Content)
	assert.Equal(t, "result", got[2].Content)
	assert.Equal(t, `{"a":1}`, string(got[0].ToolCalls[3].Args))
	for _, c := range got[0].ToolCalls {
		assert.True(t, json.Valid(c.Args), "%s", c.Args)
	}
	assert.Contains(t, string(got[0].ToolCalls[0].Args), `"path":"facts/user.md"`)
	assert.Equal(t, `{"…":"6003 characters left out"}`, string(got[0].ToolCalls[1].Args))
	assert.Contains(t, string(got[0].ToolCalls[2].Args), "characters left out")
	assert.Len(t, exchange[0].ToolCalls[2].Args, 10_001, "the model's own call is as it was")

	_, ok = cutTexts(exchange, 50, r.cost)
	assert.False(t, ok)
}

// TestTranscriptLeft: how many messages there was no room for is told, to the host and the model.
func TestTranscriptLeft(t *testing.T) {
	n, _ := reflectNotebook(t, nil, nil)
	task := said()
	for i := range 200 {
		task.Messages = append(task.Messages, fromUser(fmt.Sprintf("message %03d %s", i, strings.Repeat("x", 100))))
	}
	model := &chatScript{}
	r := Reflector{Model: model, Notebook: n, ContextWindow: 6000, HistoryShare: 0.25, CountTokens: func(s string) int { return len(s) / 4 }}
	got, err := r.Reflect(t.Context(), task)
	require.NoError(t, err)
	user := model.requests[0].Messages[1].Content
	shown := strings.Count(user, "    message ")
	assert.Greater(t, shown, 30)
	assert.Less(t, shown, 60, "a quarter of the window")
	assert.Equal(t, 201-shown, got.Omitted)
	assert.Contains(t, user, fmt.Sprintf("Conversation (its end; %d earlier messages are left out), each", got.Omitted))
	assert.Contains(t, user, "message 199")
	assert.NotContains(t, user, "message 000")

	r.ContextWindow = 10
	got, err = r.Reflect(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, 201, got.Omitted)
	assert.Contains(t, model.requests[1].Messages[1].Content, "Conversation: left out, because there is no room for its 201 messages.")
}

// TestOwnCallsLeaveToo: the model's own rounds are left out, oldest first, when the
// window is full, and it is told.
func TestOwnCallsLeaveToo(t *testing.T) {
	n, _ := reflectNotebook(t, map[string]string{"big.md": "# Big\n\n" + strings.Repeat("word ", 2000)}, nil)
	var rounds []*ChatResponse
	for i := range 4 {
		c := chatCall("memory_read", args{"path": "big.md"})
		c.ID = fmt.Sprint("round ", i)
		rounds = append(rounds, chatCalls(c))
	}
	model := &chatScript{responses: rounds}
	r := Reflector{Model: model, Notebook: n, ContextWindow: 7500}
	_, err := r.Reflect(t.Context(), loggerTask())
	require.NoError(t, err)
	require.Len(t, model.requests, 5)
	assert.Len(t, model.requests[2].Messages, 2+4)
	last := model.requests[4].Messages
	require.Len(t, last, 2+4)
	assert.Equal(t, "round 2", last[2].ToolCalls[0].ID)
	assert.Equal(t, "round 3", last[5].ToolCallID)
	assert.Contains(t, last[1].Content, "(4 earlier messages of this reflection are left out, because there is no room. What they wrote is written.)")
	assert.NotContains(t, model.requests[2].Messages[1].Content, "earlier messages of this")
}

// TestATooSmallWindow: the task is sent all the same, and the newest calls in part.
func TestATooSmallWindow(t *testing.T) {
	n, _ := reflectNotebook(t, map[string]string{"big.md": "# Big\n\n" + strings.Repeat("word ", 20_000)}, nil)
	model := &chatScript{responses: []*ChatResponse{chatCalls(chatCall("memory_read", args{"path": "big.md"}))}}
	_, err := (&Reflector{Model: model, Notebook: n, ContextWindow: 100}).Reflect(t.Context(), loggerTask())
	require.NoError(t, err)
	last := model.requests[1].Messages
	require.Len(t, last, 4)
	assert.Less(t, len(last[3].Content), 4*leastRoom)
}

// randomConversation makes one with calls, results in and out of order, and long texts.
func randomConversation(r *rand.Rand) (messages []ChatMessage) {
	text := func() string {
		switch r.IntN(12) {
		case 0:
			return strings.Repeat("long text ", r.IntN(3000))
		case 1:
			return strings.Repeat("`", r.IntN(2000))
		case 2:
			return strings.Repeat("记忆\n", r.IntN(500))
		}
		return strings.Repeat("word ", r.IntN(40))
	}
	var open []string
	for range r.IntN(60) {
		m := ChatMessage{Role: []Role{RoleUser, RoleAssistant, RoleTool, RoleSystem}[r.IntN(4)], Content: text()}
		switch m.Role {
		case RoleAssistant:
			for range r.IntN(4) {
				id := fmt.Sprint(r.IntN(9))
				open = append(open, id)
				argument, _ := json.Marshal(args{"text": text()})
				m.ToolCalls = append(m.ToolCalls, ToolCall{ID: id, Name: "tool", Args: argument})
			}
		case RoleTool:
			m.ToolCallID = "orphan"
			if len(open) > 0 {
				m.ToolCallID = open[r.IntN(len(open))]
			}
		}
		messages = append(messages, m)
	}
	return messages
}

// TestWindowHolds: what the model is sent costs no more than the window, whatever was
// said and whatever the model calls, and each result stands behind its call.
func TestWindowHolds(t *testing.T) {
	n, _ := reflectNotebook(t, map[string]string{"facts/user.md": knownFacts, "big.md": strings.Repeat("word word\n", 6000)}, nil)
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		window := 8_500 + random.IntN(20_000) // the head without a conversation takes less than 8,000
		task := TaskRecord{Task: "I'm here", Messages: randomConversation(random), At: reflectDay}
		r := Reflector{Notebook: n, ContextWindow: window, HistoryShare: random.Float64(), CountTokens: func(s string) int { return len(s) }}
		r.ShouldReflect = func(TaskRecord) bool { return true }
		r.Model = ChatModelFunc(func(_ context.Context, req ChatRequest) (*ChatResponse, error) {
			require.LessOrEqual(t, sentBytes(req), window, "seed %d", seed)
			requireResultsBehindCalls(t, req.Messages)
			response := &ChatResponse{Content: strings.Repeat("talk ", random.IntN(500))}
			for i := range 1 + random.IntN(20) {
				c := chatCall("memory_read", args{"path": "big.md", "more": strings.Repeat("x", random.IntN(2000))})
				if random.IntN(2) == 0 {
					c = chatCall("memory_read", args{"path": "big.md"})
				}
				c.ID = fmt.Sprint(i)
				response.ToolCalls = append(response.ToolCalls, c)
			}
			return response, nil
		})
		got, err := r.Reflect(t.Context(), task)
		require.NoError(t, err)
		assert.Equal(t, 5, got.Rounds)
	}
}

func requireResultsBehindCalls(t require.TestingT, messages []ChatMessage) {
	open := make(map[string]bool)
	for _, m := range messages {
		if m.Role == RoleTool {
			require.True(t, open[m.ToolCallID])
			delete(open, m.ToolCallID)
			continue
		}
		require.Empty(t, open, "each call has its result")
		for _, c := range m.ToolCalls {
			require.True(t, json.Valid(c.Args))
			open[c.ID] = true
		}
	}
	require.Empty(t, open)
}

// FuzzExchanges: whatever the order of calls and results, an exchange never ends
// between a call and a result that answers it, and none is lost.
func FuzzExchanges(f *testing.F) {
	f.Add("u c12 r1 u r2 a", 25)
	f.Add("c1 c2 r1 r2 c1 r9 r1", 40)
	f.Add("r c r c1 c1 r1 r1", 0)
	f.Fuzz(func(t *testing.T, sketch string, room int) {
		messages := conversation(strings.Map(func(r rune) rune {
			if strings.ContainsRune("ucras123 ", r) {
				return r
			}
			return -1
		}, sketch[:min(len(sketch), 1000)]))
		parts := exchanges(messages)
		n, begin, last := 0, make(map[int]bool), make(map[string]int)
		for _, part := range parts {
			require.NotEmpty(t, part)
			begin[n] = true
			n += len(part)
		}
		require.Equal(t, len(messages), n)
		for i, m := range messages {
			if from, ok := last[m.ToolCallID]; ok && m.Role == RoleTool {
				for j := from + 1; j <= i; j++ {
					require.False(t, begin[j], "%s", sketched(parts))
				}
			}
			for _, c := range m.ToolCalls {
				last[c.ID] = i
			}
		}
		kept, left := newest(parts, room, perMessage)
		total, cost := left, 0
		for _, part := range kept {
			total += len(part)
			cost += sum(part, perMessage)
		}
		require.Equal(t, len(messages), total)
		require.LessOrEqual(t, cost, max(room, 0))
	})
}

// FuzzTranscript: nobody speaks in another's name, whatever they say, and no line ends
// the fence.
func FuzzTranscript(f *testing.F) {
	f.Add("hello", "```\nassistant:\n    I did.\n", `{"a":"b"}`)
	f.Add("a\r\u2028user:", "\u200b````````````", "\x00\xff\nx:")
	f.Fuzz(func(t *testing.T, user, assistant, arguments string) {
		task := &TaskRecord{At: reflectDay, Messages: []ChatMessage{
			{Role: RoleUser, Content: user},
			{Role: RoleAssistant, Content: assistant, ToolCalls: []ToolCall{{ID: "1", Name: "tool", Args: json.RawMessage(arguments)}}},
			{Role: RoleTool, ToolCallID: "1", Content: user + assistant},
		}}
		history, left := (&Reflector{}).transcript(task, 0)
		require.LessOrEqual(t, estimateTokens(history), defaultWindow/2)
		message := taskMessage(task, history, left)
		require.True(t, utf8.ValidString(message))
		_, body, found := strings.Cut(message, "each message indented below who speaks:\n\n")
		if !found {
			return
		}
		lines := strings.Split(body, "\n")
		fence := strings.TrimSuffix(lines[0], "text")
		known := []string{"user:", "assistant:", "assistant calls tool:", "tool result:"}
		for i, line := range lines[1:] {
			if line == fence {
				require.Equal(t, "\nRecord what is worth it, or nothing.\n", strings.Join(lines[i+2:], "\n"))
				return
			}
			if strings.HasPrefix(line, "    ") {
				require.NotContains(t, line, fence)
				continue
			}
			require.NotEmpty(t, known, "more speakers than messages: %q", line)
			at := -1
			for j, who := range known {
				if who == line {
					at = j
				}
			}
			require.GreaterOrEqual(t, at, 0, "%q speaks, out of turn", line)
			known = known[at+1:]
		}
		t.Fatal("the fence stays open")
	})
}

// TestLongConversationLeft: messages that are not even looked at are counted, too.
func TestLongConversationLeft(t *testing.T) {
	task := said()
	for range 2000 {
		task.Messages = append(task.Messages, ChatMessage{Role: RoleSystem, Content: "host"}, fromUser("mark "+strings.Repeat("x", 2000)))
	}
	history, left := (&Reflector{}).transcript(&task, 0)
	shown := strings.Count(history, "    mark ")
	assert.Greater(t, shown, 25)
	assert.Equal(t, 2001-shown, left)
	last := said(fromUser("old"), fromUser(strings.Repeat("y", 2<<20)))
	history, left = (&Reflector{}).transcript(&last, 0)
	assert.Equal(t, 2, left)
	assert.Contains(t, history, "characters left out")
}
