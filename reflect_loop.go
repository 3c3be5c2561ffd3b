package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// reflecting is one Reflect call at work.
type reflecting struct {
	*Reflector
	out   *Reflection
	box   *toolbox
	tools []Tool
	head  []ChatMessage   // the instructions and the task
	loop  [][]ChatMessage // each a message of the model's with the results of its calls
	call  *CallRecord     // the one that runs
	// removed are the secrets that were taken out of its arguments
	removed []string
}

// run asks the model and calls its tools in turn.
func (l *reflecting) run(ctx context.Context) error {
	for l.out.Rounds < cmp.Or(l.MaxRounds, defaultRounds) {
		messages := l.messages()
		l.out.Tokens += sum(messages, l.cost) + l.toolCost()
		l.out.Rounds++
		response, err := l.Model.Chat(ctx, ChatRequest{Messages: messages, Tools: l.described()})
		if err == nil && response == nil {
			err = fmt.Errorf("the response is nil: %w", ErrInvalid)
		}
		if err != nil {
			return fmt.Errorf("reflect: ask the model: %w", err)
		}
		l.out.Text, _ = withoutSecrets(strings.TrimSpace(response.Content))
		if len(response.ToolCalls) == 0 {
			l.out.Stop = StopFinished
			return nil
		}
		calls := response.ToolCalls[:min(len(response.ToolCalls), maxCalls)]
		exchange := []ChatMessage{{Role: RoleAssistant, Content: response.Content, ToolCalls: wellFormed(calls)}}
		for _, call := range calls {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("reflect: %w", err)
			}
			exchange = append(exchange, l.answer(ctx, call))
		}
		if more := len(response.ToolCalls) - len(calls); more > 0 {
			exchange[len(exchange)-1].Content += fmt.Sprintf(tooMany, more, maxCalls)
		}
		l.loop = append(l.loop, exchange)
	}
	l.out.Stop = StopRounds
	return nil
}

// tooMany tells the model of calls that were not made.
const tooMany = "\n(%d more calls were left out: at most %d are made at once. Make them now if they are still needed.)"

// described gives the tools as a model needs them: only the reflector calls them.
func (l *reflecting) described() []Tool {
	tools := slices.Clone(l.tools)
	for i := range tools {
		tools[i].Call = nil
	}
	return tools
}

// earlier tells the model of messages for which there is no room.
const earlier = "\n(%d earlier messages of this reflection are left out, because there is no room. What they wrote is written.)\n"

// messages gives what the model is sent: the newest rounds that fit the window.
func (l *reflecting) messages() []ChatMessage {
	room := l.window() - l.toolCost() - sum(l.head, l.cost)
	if room <= 0 { // too small for the head; then it does not depend on this
		room = leastRoom
	}
	kept, left := newest(l.loop, room, l.cost)
	messages := slices.Clone(l.head)
	if left > 0 {
		kept, left = newest(l.loop, room-l.countTokens(fmt.Sprintf(earlier, left)), l.cost)
		messages[1].Content += fmt.Sprintf(earlier, left)
	}
	if n := len(l.loop); n > 0 && len(kept) == 0 { // nothing of what it asked for last
		l.forgetCut(l.loop[n-1], make([]ChatMessage, len(l.loop[n-1])))
	} else if n > 0 {
		l.forgetCut(l.loop[n-len(kept)], kept[0])
	}
	return append(messages, slices.Concat(kept...)...)
}

// forgetCut keeps that of a file whose text was cut the model has not seen all.
func (l *reflecting) forgetCut(whole, shown []ChatMessage) {
	for i, m := range whole {
		for _, c := range whole[0].ToolCalls {
			var args struct{ Path string }
			if m.Content != shown[i].Content && c.ID == m.ToolCallID && json.Unmarshal(c.Args, &args) == nil {
				l.box.unseen(args.Path)
			}
		}
	}
}

// cost is what a message takes of the window.
func (r *Reflector) cost(m ChatMessage) int {
	n := r.countTokens(m.Content)
	for _, c := range m.ToolCalls {
		n += r.countTokens(c.ID) + r.countTokens(c.Name) + r.countTokens(string(c.Args))
	}
	return n + r.countTokens(m.ToolCallID)
}

// toolCost is what the tools take of the window.
func (l *reflecting) toolCost() (n int) {
	for _, t := range l.tools {
		n += l.countTokens(t.Name) + l.countTokens(t.Description) + l.countTokens(string(t.Schema))
	}
	return n
}

// answer runs a call, and keeps a record of it.
func (l *reflecting) answer(ctx context.Context, call ToolCall) ChatMessage {
	name, _ := withoutSecrets(shorten(call.Name, maxAgent))
	args, kinds := cleanArgs(call.Args)
	l.out.Calls = append(l.out.Calls, CallRecord{Tool: name, Args: args})
	l.call = &l.out.Calls[len(l.out.Calls)-1]
	l.removed = nil
	if call.Name == "memory_append" && len(kinds) > 0 { // all of it is new, and a title is cut from it
		call.Args, l.removed = args, kinds
	}
	m := CallTool(ctx, l.tools, call)
	if l.call.Failed = m.IsError; m.IsError {
		l.call.Path, l.call.Diff, l.call.Removed = "", "", nil
	} else if len(l.call.Removed) > 0 {
		m.Content += " Secrets in it were replaced by [REDACTED:…]; the file has it so."
	}
	l.call.Result, _ = withoutSecrets(m.Content)
	return m
}

// wellFormed gives calls as a model can be sent them again: with an object as arguments,
// empty where what it gave is none. The call's result says so.
func wellFormed(calls []ToolCall) []ToolCall {
	calls = slices.Clone(calls)
	for i := range calls {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(calls[i].Args, &object); err != nil || object == nil {
			calls[i].Args = json.RawMessage(`{}`)
		}
	}
	return calls
}
