package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// exchanges divides a conversation so that no call is parted from its result: an
// exchange is one message, or a message with tool calls and everything up to the last
// of their results.
func exchanges(messages []ChatMessage) [][]ChatMessage {
	var begins []int               // of the exchanges so far
	caller := make(map[string]int) // the last message with a call of this id
	for i, m := range messages {
		from, called := caller[m.ToolCallID]
		switch {
		case m.Role == RoleTool && called: // all since the call is one exchange
			for begins[len(begins)-1] > from {
				begins = begins[:len(begins)-1]
			}
		case m.Role == RoleTool && i > 0: // whose result it is nobody knows
		default:
			begins = append(begins, i)
		}
		for _, c := range m.ToolCalls {
			caller[c.ID] = i
		}
	}
	out := make([][]ChatMessage, len(begins))
	for i, begin := range begins {
		end := len(messages)
		if i+1 < len(begins) {
			end = begins[i+1]
		}
		out[i] = messages[begin:end]
	}
	return out
}

// newest gives the newest exchanges that cost at most room together, and how many
// messages are left out. Where not even the newest one fits its texts are cut; where
// that does not help either nothing is kept.
func newest(all [][]ChatMessage, room int, cost func(ChatMessage) int) (kept [][]ChatMessage, left int) {
	from := len(all)
	for from > 0 {
		price := sum(all[from-1], cost)
		if price > room {
			break
		}
		room -= price
		from--
	}
	kept = slices.Clone(all[from:])
	if from > 0 && from == len(all) {
		if short, ok := cutTexts(all[from-1], room, cost); ok {
			from--
			kept = append(kept, short)
		}
	}
	for _, exchange := range all[:from] {
		left += len(exchange)
	}
	return kept, left
}

func sum(messages []ChatMessage, cost func(ChatMessage) int) (total int) {
	for _, m := range messages {
		total += cost(m)
	}
	return total
}

// cutTexts gives an exchange that costs at most room: its longest texts are cut in their
// middle until it does, be they what was said or calls' arguments.
func cutTexts(exchange []ChatMessage, room int, cost func(ChatMessage) int) (short []ChatMessage, ok bool) {
	longest := 0
	short = slices.Clone(exchange)
	for i := range short {
		short[i].ToolCalls = slices.Clone(short[i].ToolCalls)
		longest = max(longest, utf8.RuneCountInString(short[i].Content))
		for _, c := range short[i].ToolCalls {
			longest = max(longest, utf8.RuneCount(c.Args))
		}
	}
	for limit := longest; sum(short, cost) > room; {
		if limit /= 2; limit < minPiece {
			return nil, false
		}
		for i := range short {
			m := &short[i]
			m.Content, _ = headAndTail(m.Content, limit)
			for j := range m.ToolCalls {
				m.ToolCalls[j].Args = cutArgs(m.ToolCalls[j].Args, limit)
			}
		}
	}
	return short, true
}

// cutArgs gives arguments with the strings in them cut, or where that does not help
// what says so; they stay JSON.
func cutArgs(args json.RawMessage, limit int) json.RawMessage {
	n := utf8.RuneCount(args)
	if n <= limit {
		return args
	}
	var v any
	if json.Unmarshal(args, &v) == nil {
		v = mapStrings("", v, func(_, s string) string {
			s, _ = headAndTail(s, limit/2)
			return s
		})
		if short := jsonText(v); len(short) < len(args) {
			return json.RawMessage(short)
		}
	}
	return fmt.Appendf(nil, `{"…":"%d characters left out"}`, n)
}

// mapStrings gives a copy of a JSON value in which f has changed the strings and the
// keys. key is that of the object around a string or a list of them, "key" of a key.
func mapStrings(key string, v any, f func(key, s string) string) any {
	switch v := v.(type) {
	case string:
		return f(key, v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = mapStrings(key, v[i], f)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for k := range v {
			object[f("key", k)] = mapStrings(k, v[k], f)
		}
		return object
	}
	return v
}
