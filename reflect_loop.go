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
		exchange := []ChatMessage{{Role: RoleAssistant, Content: response.Content, ToolCalls: response.ToolCalls}}
		for i, call := range response.ToolCalls {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("reflect: %w", err)
			}
			exchange = append(exchange, l.answer(ctx, call, i))
		}
		l.loop = append(l.loop, exchange)
	}
	l.out.Stop = StopRounds
	return nil
}

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
	return append(messages, slices.Concat(kept...)...)
}

// cost is what a message takes of the window.
func (r *Reflector) cost(m ChatMessage) int {
	n := r.countTokens(m.Content)
	for _, c := range m.ToolCalls {
		n += r.countTokens(c.Name) + r.countTokens(string(c.Args))
	}
	return n
}

// toolCost is what the tools take of the window.
func (l *reflecting) toolCost() (n int) {
	for _, t := range l.tools {
		n += l.countTokens(t.Name) + l.countTokens(t.Description) + l.countTokens(string(t.Schema))
	}
	return n
}

// answer runs the nth call of a response, and keeps a record of it.
func (l *reflecting) answer(ctx context.Context, call ToolCall, n int) ChatMessage {
	args, shown, removed := cleanArgs(call.Args)
	name, _ := withoutSecrets(shorten(call.Name, maxAgent))
	l.out.Calls = append(l.out.Calls, CallRecord{Tool: name, Args: shown, Removed: removed})
	l.call = &l.out.Calls[len(l.out.Calls)-1]
	result, err := l.do(ctx, call.Name, args, n)
	if err != nil {
		l.call.Failed, l.call.Path, l.call.Diff = true, "", ""
		result = err.Error()
	}
	l.call.Result, _ = withoutSecrets(result)
	return ChatMessage{Role: RoleTool, ToolCallID: call.ID, Content: result, IsError: err != nil}
}

func (l *reflecting) do(ctx context.Context, name string, args json.RawMessage, n int) (string, error) {
	if n >= maxCalls {
		return "", refuse(ErrInvalid, "%s: at most %d calls at once; call it again", name, maxCalls)
	}
	l.box.sawNothing(args)
	var names []string
	for _, tool := range l.tools {
		if tool.Name == name {
			return tool.Call(ctx, args)
		}
		names = append(names, tool.Name)
	}
	return "", refuse(ErrInvalid, "there is no tool %.60q; there are %s", name, strings.Join(names, ", "))
}
