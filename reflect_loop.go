package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/linediff"
	"github.com/rawko/memory/internal/quarantine"
	"github.com/rawko/memory/internal/redact"
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
		for _, m := range messages {
			l.out.Tokens += l.cost(m)
		}
		l.out.Rounds++
		response, err := l.Model.Chat(ctx, ChatRequest{Messages: messages, Tools: slices.Clone(l.tools)})
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

// messages gives what the model is sent: the newest rounds that fit the window.
func (l *reflecting) messages() []ChatMessage {
	room := cmp.Or(l.ContextWindow, defaultWindow)
	for _, m := range l.head {
		room -= l.cost(m)
	}
	kept, left := newest(l.loop, room, l.cost)
	messages := slices.Clone(l.head)
	if left > 0 {
		messages[1].Content += fmt.Sprintf("\n(%d earlier messages of this reflection are left out, because there is no room. What they wrote is written.)\n", left)
	}
	return append(messages, slices.Concat(kept...)...)
}

func (l *reflecting) cost(m ChatMessage) int {
	n := l.countTokens(m.Content)
	for _, c := range m.ToolCalls {
		n += l.countTokens(c.Name) + l.countTokens(string(c.Args))
	}
	return n
}

// answer runs the nth call of a response, and keeps a record of it.
func (l *reflecting) answer(ctx context.Context, call ToolCall, n int) ChatMessage {
	args, shown, removed := cleanArgs(call.Args)
	l.out.Calls = append(l.out.Calls, CallRecord{Tool: call.Name, Args: shown, Removed: removed})
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
	var names []string
	for _, tool := range l.tools {
		if tool.Name == name {
			return tool.Call(ctx, args)
		}
		names = append(names, tool.Name)
	}
	return "", refuse(ErrInvalid, "there is no tool %.60q; there are %s", name, strings.Join(names, ", "))
}

// vet looks at what a call would make of a file.
func (l *reflecting) vet(path string) vet {
	return func(before, after string) error {
		reason := newOrders(before, after)
		if before == "" { // the name of a new file is shown to agents, too
			reason = cmp.Or(reason, newOrders("", pathWords.Replace(path)))
		}
		if reason != "" {
			l.call.Quarantined = reason
			return refuse(ErrInvalid, "nothing was written to %s: the text reads as an order to agents, and a person has to see it first. Go on with something else", path)
		}
		if kinds := newSecrets(before, after); kinds != "" {
			return refuse(ErrInvalid, "nothing was written to %s: with this text it would hold a secret (%s)", path, kinds)
		}
		l.call.Path, l.call.Diff = path, linediff.Unified(path, before, after)
		return nil
	}
}

var pathWords = strings.NewReplacer("-", " ", "_", " ", "/", ". ", suffix, "")

// newOrders says what in a text reads as an order to agents and did not in the one before.
func newOrders(before, after string) string {
	old := make(map[string]bool)
	for _, f := range quarantine.Find(before) {
		old[before[f.Begin:f.End]] = true
	}
	var reasons []string
	for _, f := range quarantine.Find(after) {
		if text := after[f.Begin:f.End]; !old[text] {
			clean, _ := withoutSecrets(text)
			reasons = append(reasons, fmt.Sprintf("%s: %q", f.Kind, shorten(clean, 80)))
		}
	}
	return strings.Join(reasons, "; ")
}

// newSecrets names the kinds of secrets in a text that the one before did not have.
func newSecrets(before, after string) string {
	old := make(map[string]bool)
	for _, s := range redact.Find(before) {
		old[before[s.Begin:s.End]] = true
	}
	var kinds []string
	for _, s := range redact.Find(after) {
		if !old[after[s.Begin:s.End]] && !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
	}
	return strings.Join(kinds, ", ")
}

// cleanArgs takes secrets out of a model's arguments: out of all for the record, and
// out of all but what is to be found in a file for the call.
func cleanArgs(raw json.RawMessage) (args, shown json.RawMessage, removed []string) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil { // the tool will say so
		text, _ := withoutSecrets(string(raw))
		shown, _ := jsonText(text)
		return raw, shown, nil
	}
	var all []string
	args, shown = raw, raw
	if clean := cleanValue("", v, true, &all); len(all) > 0 {
		shown, _ = jsonText(clean)
	}
	if clean := cleanValue("", v, false, &removed); len(removed) > 0 {
		args, _ = jsonText(clean)
	}
	return args, shown, removed
}

// cleanValue gives a copy of a value without secrets; oldText only where all is asked for.
func cleanValue(key string, v any, all bool, removed *[]string) any {
	switch v := v.(type) {
	case string:
		if key == "oldText" && !all {
			return v
		}
		clean, found := withoutSecrets(v)
		for _, s := range found {
			*removed = append(*removed, fmt.Sprintf("%s: a secret (%s)", key, s.Kind))
		}
		return clean
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = cleanValue(key, v[i], all, removed)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k := range v {
			m[k] = cleanValue(k, v[k], all, removed)
		}
		return m
	}
	return v
}
