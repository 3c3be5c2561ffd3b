package memory

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/markdown"
	"github.com/rawko/memory/internal/resemble"
)

// transcript gives the newest part of a task's conversation that fits its share of the
// window, and how many messages are left out. base is what the rest of the head takes;
// a quarter of what remains is for the calls.
func (r *Reflector) transcript(t *TaskRecord, base int) (text string, left int) {
	free := max(r.window()-base, 0)
	room := min(int(cmp.Or(r.HistoryShare, defaultHistoryShare)*float64(r.window())), free-free/4)
	recent, before := recentMessages(t.Messages, max(maxRead, slack*4*room))
	kept, left := newest(exchanges(t.readable(recent)), room, func(m ChatMessage) int { return r.countTokens(spoken(m)) })
	left += before
	var b strings.Builder
	for _, exchange := range kept {
		for _, m := range exchange {
			b.WriteString(spoken(m))
		}
	}
	return strings.TrimRight(b.String(), "\n"), left
}

// longFence is more backticks in a row than anybody needs: the transcript's fence would
// have to be longer still.
var longFence = regexp.MustCompile("`{10,}")

// spoken gives a message as a part of the transcript. Every line of what was said is
// indented, so that nobody can speak in another's name.
func spoken(m ChatMessage) string {
	var b strings.Builder
	say := func(who, text string) {
		text = longFence.ReplaceAllString(text, "`````````")
		b.WriteString(who + ":\n    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n")
	}
	if strings.TrimSpace(m.Content) != "" {
		who := cmp.Or(shorten(markdown.Line(string(m.Role)), maxAgent), "unknown")
		switch {
		case m.Role == RoleTool && m.IsError:
			who = "tool error"
		case m.Role == RoleTool:
			who = "tool result"
		}
		say(who, m.Content)
	}
	for _, c := range m.ToolCalls {
		say("assistant calls "+shorten(markdown.Line(c.Name), maxAgent), string(c.Args))
	}
	return b.String()
}

// recentMessages gives the end of a conversation without the host's own instructions:
// whole exchanges, at most limit bytes or the last one. So the time that it takes to
// look through it has a bound. left is how many messages there are before.
func recentMessages(messages []ChatMessage, limit int) (recent []ChatMessage, left int) {
	messages = slices.DeleteFunc(slices.Clone(messages), func(m ChatMessage) bool { return m.Role == RoleSystem })
	begin := len(messages)
	for _, exchange := range slices.Backward(exchanges(messages)) {
		limit -= sum(exchange, sizeOf)
		if limit < 0 && begin < len(messages) {
			break
		}
		begin -= len(exchange)
	}
	return messages[begin:], begin
}

// sizeOf gives what a message holds, in bytes.
func sizeOf(m ChatMessage) int {
	n := len(m.Content)
	for _, c := range m.ToolCalls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}

// readable gives messages as the model may see them: without what came from memory,
// without secrets and what cannot be seen.
func (t *TaskRecord) readable(messages []ChatMessage) []ChatMessage {
	clean := t.cleaner()
	fromMemory := make(map[string]bool) // ids of calls that read the notebook
	var out []ChatMessage
	for _, m := range messages {
		calls := m.ToolCalls
		m.ToolCalls = nil
		for _, c := range calls {
			fromMemory[c.ID] = slices.ContainsFunc(calls, func(d ToolCall) bool { return d.ID == c.ID && readsMemory(d.Name) })
			c.Args = []byte(clean(string(c.Args)))
			m.ToolCalls = append(m.ToolCalls, c)
		}
		if m.Role == RoleTool && fromMemory[m.ToolCallID] {
			m.Content = "(what memory has, left out here)"
		} else {
			m.Content = clean(withoutIndex(m.Content))
		}
		if strings.TrimSpace(m.Content) != "" || len(m.ToolCalls) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// readsMemory reports whether a tool is one that reads the notebook; hosts put a name
// of theirs before it.
func readsMemory(tool string) bool {
	return strings.HasSuffix(tool, "memory_read") || strings.HasSuffix(tool, "memory_list")
}

// cleaner gives a function that takes out of a text what the task was given of a
// memory, secrets, and what cannot be seen.
func (t *TaskRecord) cleaner() func(string) string {
	injected := resemble.NewKnown(markdown.Visible(t.Injected[:min(len(t.Injected), maxRead)]))
	return func(text string) string {
		text, _ = headAndTail(text, maxRead)
		text, _ = injected.Without(markdown.Visible(text))
		text, _ = withoutSecrets(text)
		return text
	}
}

// withoutIndex gives a message without what [Notebook.Index] gives: a host may send it
// alone, or before what the user says.
func withoutIndex(text string) string {
	before, rest, begun := strings.Cut(text, indexHead)
	lines, after, ended := strings.Cut(rest, indexTail[:len(indexTail)-1])
	if !begun || !ended || before != "" && !strings.HasSuffix(before, "\n") {
		return text
	}
	for line := range strings.Lines(lines) {
		if !strings.HasPrefix(line, "- ") {
			return text // somebody says it
		}
	}
	return before + strings.TrimLeft(after, "\n")
}
