package memory

import (
	"context"
	"encoding/json"
)

// ChatModel is a model that can call tools. A host puts any behind it.
type ChatModel interface {
	// Chat gives the model's next message. An error is passed on to the caller of the
	// library as it is.
	Chat(ctx context.Context, req ChatRequest) (*ChatResponse, error)
}

// ChatModelFunc is a function as a [ChatModel].
type ChatModelFunc func(ctx context.Context, req ChatRequest) (*ChatResponse, error)

// Chat calls f.
func (f ChatModelFunc) Chat(ctx context.Context, req ChatRequest) (*ChatResponse, error) {
	return f(ctx, req)
}

// ChatRequest is what a model is sent: the whole conversation so far, oldest first.
type ChatRequest struct {
	Messages []ChatMessage
	Tools    []Tool // Name, Description and Schema are for the model; Call may be nil
}

// ChatResponse is a model's next message. Without tool calls the conversation ends.
type ChatResponse struct {
	Content   string
	ToolCalls []ToolCall
}

// Role says who speaks in a conversation.
type Role string

// The roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // the result of a tool call
)

// ChatMessage is one message of a conversation.
type ChatMessage struct {
	Role       Role       `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"toolCalls,omitempty"`  // of the assistant
	ToolCallID string     `json:"toolCallId,omitempty"` // of a result: the call that it answers
	IsError    bool       `json:"isError,omitempty"`    // of a result: the call failed, and Content says why
}

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID   string          `json:"id"` // distinguishes the calls of one message
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"` // a JSON object
}
