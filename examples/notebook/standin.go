package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rawko/memory"
)

// standIn takes the place of a real model. It has no state, and answers from nothing
// but the messages that it is sent.
type standIn struct{}

// Chat answers the user, or looks back when there is a tool to write with.
func (standIn) Chat(_ context.Context, req memory.ChatRequest) (*memory.ChatResponse, error) {
	if slices.ContainsFunc(req.Tools, func(t memory.Tool) bool { return t.Name == "memory_write" }) {
		return lookBack(req.Messages), nil
	}
	return reply(req.Messages), nil
}

var (
	introduction = regexp.MustCompile(`(?m)^(?:    )?I'm (.+)\.$`)
	report       = regexp.MustCompile(`(?m)^(?:    )?The (.+), because (.+)\. Fix it with (.+)\.$`)
	today        = regexp.MustCompile(`(?m)^Today is (\S+); the episode file of this month is (\S+)\.$`)
	nameItem     = regexp.MustCompile(`(?m)^- Name: (.+)$`)
	listedFile   = regexp.MustCompile(`(?m)^- (\S+\.md) \([^)]*\)(?:: (.*))?$`)
	lastEntry    = regexp.MustCompile(`(?s).*\n- Problem: ([^\n]+)\n- Cause: ([^\n]+)\n- Solution: ([^\n]+)`)
)

// reply is the agent at work.
func reply(messages []memory.ChatMessage) *memory.ChatResponse {
	said := messages[len(messages)-1].Content
	for _, m := range messages {
		if m.Role == memory.RoleUser {
			said = m.Content // the last one is the question
		}
	}
	switch {
	case strings.Contains(said, "my name?"):
		return fromMemory(messages, aboutNames, func(file string) string {
			if m := nameItem.FindStringSubmatch(file); m != nil {
				return "Your name is " + m[1] + "."
			}
			return ""
		})
	case strings.Contains(said, "bug did we fix"):
		return fromMemory(messages, newestEpisodes, func(file string) string {
			if m := lastEntry.FindStringSubmatch(file); m != nil {
				return fmt.Sprintf("We fixed this: %s, because %s. What helped: %s.", m[1], m[2], m[3])
			}
			return ""
		})
	case introduction.MatchString(said):
		return &memory.ChatResponse{Content: "Nice to meet you, " + introduction.FindStringSubmatch(said)[1] + "."}
	case report.MatchString(said):
		return &memory.ChatResponse{Content: "Fixed, with " + report.FindStringSubmatch(said)[3] + "."}
	}
	return &memory.ChatResponse{Content: "Fine."}
}

// fromMemory answers from a file that the index has, once it was read.
func fromMemory(messages []memory.ChatMessage, choose func(index string) string, answer func(file string) string) *memory.ChatResponse {
	path := ""
	if strings.HasPrefix(messages[0].Content, "Available memory:") {
		path = choose(messages[0].Content)
	}
	if path == "" {
		return &memory.ChatResponse{Content: "I don't know."}
	}
	id := "read-" + path
	for _, m := range messages {
		if m.Role != memory.RoleTool || m.ToolCallID != id {
			continue
		}
		if text := answer(m.Content); text != "" && !m.IsError {
			return &memory.ChatResponse{Content: text}
		}
		return &memory.ChatResponse{Content: "I don't know."}
	}
	return &memory.ChatResponse{ToolCalls: []memory.ToolCall{call(id, "memory_read", map[string]any{"path": path})}}
}

// aboutNames gives the first file whose summary speaks of a name.
func aboutNames(index string) string {
	for _, m := range listedFile.FindAllStringSubmatch(index, -1) {
		if slices.Contains(strings.Split(m[2], ", "), "name") {
			return m[1]
		}
	}
	return ""
}

// newestEpisodes gives the last of the episode files.
func newestEpisodes(index string) (path string) {
	for _, m := range listedFile.FindAllStringSubmatch(index, -1) {
		if strings.HasPrefix(m[1], "episodes/") {
			path = m[1]
		}
	}
	return path
}

// lookBack is the reflector's model: the first message is its instructions with the
// facts on record, the second one the task, and then come its own calls.
func lookBack(messages []memory.ChatMessage) *memory.ChatResponse {
	if last := messages[len(messages)-1]; last.Role == memory.RoleTool {
		return &memory.ChatResponse{Content: "Recorded what the user said of themselves, and what was fixed."}
	}
	var calls []memory.ToolCall
	onRecord, task := messages[0].Content, messages[1].Content
	if m := introduction.FindStringSubmatch(task); m != nil {
		calls = append(calls, recordName(onRecord, m[1])...)
	}
	if m, day := report.FindStringSubmatch(task), today.FindStringSubmatch(task); m != nil && day != nil {
		entry := fmt.Sprintf("## %s\n- Summary: %s → %s\n- Date: %s\n- Problem: the %s\n- Cause: %s\n- Solution: %s\n",
			strings.ToUpper(m[1][:1])+m[1][1:], m[1], m[3], day[1], m[1], m[2], m[3])
		calls = append(calls, call("append", "memory_append", map[string]any{"path": day[2], "entry": entry}))
	}
	if len(calls) == 0 {
		return &memory.ChatResponse{Content: "Nothing to record."}
	}
	return &memory.ChatResponse{ToolCalls: calls}
}

// recordName writes a name down, or changes the one on record.
func recordName(onRecord, name string) []memory.ToolCall {
	item := "- Name: " + name
	old := nameItem.FindString(onRecord)
	switch old {
	case item:
		return nil
	case "":
		return []memory.ToolCall{call("write", "memory_write", map[string]any{"path": user, "content": "# User Facts\n\n" + item + "\n"})}
	}
	return []memory.ToolCall{call("patch", "memory_patch", map[string]any{
		"path": user, "patches": []memory.Patch{{OldText: old + "\n", NewText: item + "\n"}},
	})}
}

func call(id, name string, args map[string]any) memory.ToolCall {
	text, err := json.Marshal(args)
	if err != nil { // there are only strings in it
		text = nil
	}
	return memory.ToolCall{ID: id, Name: name, Args: text}
}
