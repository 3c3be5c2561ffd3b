package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/rawko/memory"
)

func ExampleNewNotebook() {
	ctx := context.Background()
	store := memory.NewMapStore() // or memory.NewDirStore("data/memory", nil)
	notebook, err := memory.NewNotebook(store, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := notebook.Write(ctx, "facts/user.md", "- Name: Zhang San\n- Role: Full-stack developer"); err != nil {
		log.Fatal(err)
	}
	entry := "## Logger stdout leak fix\n- Summary: pino stdout leak → custom transport\n- Date: 2026-02-24"
	if err := notebook.Append(ctx, "episodes/2026-02.md", entry, ""); err != nil {
		log.Fatal(err)
	}
	facts, err := notebook.Read(ctx, "facts/user.md")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(facts)
	index, err := notebook.Index(ctx) // the message before a task's first
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(index)
	// Output:
	// # User Facts
	//
	// > Summary: name, role
	//
	// - Name: Zhang San
	// - Role: Full-stack developer
	//
	// Available memory:
	// - facts/user.md (84B): name, role
	// - episodes/2026-02.md (164B): pino stdout leak → custom transport
	//
	// Use memory_read to load relevant files before responding.
}

func ExampleNotebook_Tools() {
	ctx := context.Background()
	notebook, err := memory.NewNotebook(memory.NewMapStore(), nil)
	if err != nil {
		log.Fatal(err)
	}
	// What a model would call, one after another.
	tools := make(map[string]memory.Tool)
	for _, tool := range notebook.Tools() {
		tools[tool.Name] = tool
	}
	for _, call := range [][2]string{
		{"memory_write", `{"path": "facts/user.md", "content": "- Name: Zhang San\n- Role: Developer"}`},
		{"memory_patch", `{"path": "facts/user.md", "patches": [{"oldText": "Role: Dev", "newText": "Role: Full-stack dev"}]}`},
		{"memory_patch", `{"path": "facts/user.md", "patches": [{"oldText": "Name: Zang San", "newText": "Name: Li Si"}]}`},
		{"memory_list", `{}`},
	} {
		result, err := tools[call[0]].Call(ctx, json.RawMessage(call[1]))
		if err != nil {
			result = err.Error() // from which the model can mend its call
		}
		fmt.Println(result)
	}
	// Output:
	// {"success":true}
	// {"success":true,"appliedCount":1}
	// memory_patch: facts/user.md: oldText "Name: Zang San" is not in the file; the nearest line is 5: "- Name: Zhang San"; nothing was changed
	// [{"path":"facts/user.md","summary":"name, role","size":84}]
}
