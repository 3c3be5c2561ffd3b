package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

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
	l.box.sawMissing(args)
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
			reason = cmp.Or(reason, newOrders("", wordsOf(path)))
		}
		if reason != "" {
			l.call.Quarantined = reason
			return refuse(ErrInvalid, "nothing was written to %s: the text reads as an order to agents, and a person has to see it first. Go on with something else", path)
		}
		if kinds := newSecrets(before, after); kinds != "" {
			return refuse(ErrInvalid, "nothing was written to %s: with this text it would hold a secret (%s)", path, kinds)
		}
		was, _ := withoutSecrets(before)
		is, _ := withoutSecrets(after)
		l.call.Path, l.call.Diff = path, linediff.Unified(path, was, is)
		return nil
	}
}

// wordsOf gives the words of a path as a sentence.
func wordsOf(path string) string {
	path = strings.TrimSuffix(path, suffix)
	return strings.Join(strings.FieldsFunc(path, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }), " ")
}

// newOrders says what in a text reads as an order to agents and did not in the one
// before. It does not count as new when the summary line repeats it, nor when less of
// it is left.
func newOrders(before, after string) string {
	there := make(map[string]bool)
	words := "" // of all of them
	for _, f := range quarantine.Find(before) {
		text := before[f.Begin:f.End]
		there[text] = true
		words += " " + foldedWords(text) + " \n"
	}
	var reasons []string
	for _, f := range quarantine.Find(after) {
		text := after[f.Begin:f.End]
		if w := foldedWords(text); there[text] || w != "" && strings.Contains(words, " "+w+" ") {
			continue
		}
		clean, _ := withoutSecrets(text)
		reasons = append(reasons, fmt.Sprintf("%s: %q", f.Kind, shorten(clean, 80)))
	}
	return strings.Join(reasons, "; ")
}

// foldedWords gives the words of a text in lower case, between spaces.
func foldedWords(text string) string { return strings.ToLower(wordsOf(text)) }

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
	args, removed = cleanStrings(raw, v, "oldText")
	shown, _ = cleanStrings(raw, v, "")
	return args, shown, removed
}

// cleanStrings gives a JSON value without the secrets in its strings, but for those of
// one key. Where there are none it is raw.
func cleanStrings(raw json.RawMessage, v any, but string) (clean json.RawMessage, removed []string) {
	v = mapStrings("", v, func(key, s string) string {
		if key == but && but != "" {
			return s
		}
		s, found := withoutSecrets(s)
		for _, secret := range found {
			removed = append(removed, fmt.Sprintf("%s: a secret (%s)", key, secret.Kind))
		}
		return s
	})
	if len(removed) == 0 {
		return raw, nil
	}
	slices.Sort(removed)
	text, err := jsonText(v)
	if err != nil { // what was read as JSON can be written
		return nil, removed
	}
	return text, removed
}
