package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/rawko/memory"
)

// chat stands for any model that can call tools; this one records a name.
var chat = memory.ChatModelFunc(func(_ context.Context, req memory.ChatRequest) (*memory.ChatResponse, error) {
	if req.Messages[len(req.Messages)-1].Role == memory.RoleTool {
		return &memory.ChatResponse{Content: "Recorded the user's name."}, nil
	}
	return &memory.ChatResponse{ToolCalls: []memory.ToolCall{{
		ID: "1", Name: "memory_write", Args: json.RawMessage(`{"path": "facts/user.md", "content": "- Name: Zhang San\n- Role: developer"}`),
	}}}, nil
})

func ExampleReflector() {
	ctx := context.Background()
	notebook, err := memory.NewNotebook(memory.NewMapStore(), nil) // a DirStore keeps files
	if err != nil {
		log.Fatal(err)
	}
	reflector := memory.Reflector{Model: chat, Notebook: notebook}
	reflection, err := reflector.Reflect(ctx, memory.TaskRecord{
		Agent: "helper",
		Messages: []memory.ChatMessage{
			{Role: memory.RoleUser, Content: "I'm Zhang San, and I work as a developer."},
			{Role: memory.RoleAssistant, Content: "Nice to meet you."},
		},
		At: time.Date(2026, 2, 24, 0, 0, 0, 0, time.UTC),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reflection.Stop, "after", reflection.Rounds, "rounds:", reflection.Text)
	fmt.Print(strings.ReplaceAll(reflection.Diff(), "+\n", ""))

	index, err := notebook.Index(ctx) // for the next task
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(index)
	// Output:
	// finished after 2 rounds: Recorded the user's name.
	// --- facts/user.md
	// +++ facts/user.md
	// @@ -0,0 +1,6 @@
	// +# User Facts
	// +> Summary: name, role
	// +- Name: Zhang San
	// +- Role: developer
	// Available memory:
	// - facts/user.md (73B): name, role
	//
	// Use memory_read to load relevant files before responding.
}
