package main

import (
	"context"
	"fmt"

	"github.com/rawko/memory"
)

// maxSteps is how often the model is asked for one answer.
const maxSteps = 5

// agent answers a user, with a model that may read the notebook.
type agent struct {
	model    memory.ChatModel
	tools    []memory.Tool
	messages []memory.ChatMessage
}

// newAgent begins a task: the index of the notebook is the first message, once.
func newAgent(ctx context.Context, model memory.ChatModel, n *memory.Notebook) (*agent, error) {
	index, err := n.Index(ctx)
	if err != nil {
		return nil, err
	}
	a := &agent{model: model, tools: n.ReadTools()}
	if index != "" {
		a.messages = append(a.messages, memory.ChatMessage{Role: memory.RoleUser, Content: index})
	}
	return a, nil
}

// hear takes a message of the user's, and works until there is an answer.
func (a *agent) hear(ctx context.Context, text string) error {
	a.messages = append(a.messages, memory.ChatMessage{Role: memory.RoleUser, Content: text})
	for range maxSteps {
		response, err := a.model.Chat(ctx, memory.ChatRequest{Messages: a.messages, Tools: a.tools})
		if err != nil {
			return err
		}
		a.messages = append(a.messages, memory.ChatMessage{Role: memory.RoleAssistant, Content: response.Content, ToolCalls: response.ToolCalls})
		if len(response.ToolCalls) == 0 {
			return nil
		}
		for _, call := range response.ToolCalls {
			a.messages = append(a.messages, memory.CallTool(ctx, a.tools, call))
		}
	}
	return fmt.Errorf("no answer after %d steps", maxSteps)
}
