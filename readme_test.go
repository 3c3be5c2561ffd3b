package memory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory"
)

// What follows are the blocks of Go in README.md, docs/sessions.md and docs/notebook.md, to the letter.

// run gives a developer agent its prompt, and keeps what it found out.
func run(ctx context.Context, dir, task string) error {
	bank, err := memory.Open(dir, nil)
	if err != nil {
		return err
	}
	defer bank.Close()
	in, err := bank.Inject(ctx, "You are a developer.", memory.Query{Task: task, Agent: "developer"})
	if err != nil {
		return err
	}
	fmt.Println(in.Prompt) // give this to the agent
	_, err = bank.Append(ctx, &memory.Memory{
		Frontmatter: memory.Frontmatter{Title: "Reset Links Are Valid for One Hour", WhenToUse: []string{"password|reset"},
			Importance: memory.High, DiscoveredBy: "developer"},
		Body: "`src/auth/reset.ts` signs links with an expiry of 3600 seconds. Older links answer 410.",
	})
	return err
}

// learn keeps what a developer's run found out, if a model says that it is worth it.
func learn(ctx context.Context, bank *memory.Bank, model memory.LLM, task, block, output string, failed error) error {
	run := memory.Run{Agent: "developer", Task: task, Output: output, Injected: block, Outcome: memory.Success}
	if failed != nil {
		run.Outcome, run.Err = memory.Failure, failed.Error()
	}
	extractor := memory.Extractor{Bank: bank, LLM: model}
	e, err := extractor.Learn(ctx, run)
	if err != nil {
		return err
	}
	fmt.Println(e.Action, e.Name, e.Reason) // created oauth2-was-too-broad
	return nil
}

// attempt tells a developer what its session knows, and keeps how the work went. store is a *DirStore, say.
func attempt(ctx context.Context, store memory.Store, id string, work func(prompt string) error) error {
	session, err := memory.OpenSession(ctx, store, id, "developer", nil) // the file <id>/agent-memory.yaml
	if err != nil {
		return err
	}
	prompt, err := session.Prompt(ctx) // newest discoveries and failures, current step, blockers
	if err != nil {
		return err
	}
	running, err := session.StartAttempt(ctx, memory.Attempt{Description: "Implement OAuth2", Approach: "The provider's library"})
	if err != nil {
		return err
	}
	end := memory.AttemptEnd{Result: memory.AttemptSuccess}
	if failed := work(prompt); failed != nil {
		end = memory.AttemptEnd{Result: memory.AttemptFailure, Error: failed.Error()}
	}
	return session.FinishAttempt(ctx, running, end)
}

// talk gives an agent its index and tools, and lets a model record what the conversation leaves.
func talk(ctx context.Context, store memory.Store, model memory.ChatModel, agent func(index string, tools []memory.Tool) []memory.ChatMessage) error {
	notebook, err := memory.NewNotebook(store, nil)
	if err != nil {
		return err
	}
	index, err := notebook.Index(ctx) // one line for each file; goes before the task's first message
	if err != nil {
		return err
	}
	messages := agent(index, notebook.ReadTools()) // memory_list and memory_read
	reflector := memory.Reflector{Model: model, Notebook: notebook}
	r, err := reflector.Reflect(ctx, memory.TaskRecord{Agent: "helper", Messages: messages})
	fmt.Printf("%s\n%s", r.Stop, r.Diff()) // why it ended, and what changed in which file, also where the model failed
	return err
}

// The README's blocks end here.

func TestReadmeBlocksAreThisFiles(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	for name, want := range map[string]int{"README.md": 3, "docs/sessions.md": 1, "docs/notebook.md": 1} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		blocks := strings.Split(string(text), "```go\n")[1:]
		require.Len(t, blocks, want, name)
		for _, block := range blocks {
			block, _, _ = strings.Cut(block, "```")
			if !strings.HasPrefix(block, "type Store interface") {
				assert.Contains(t, string(source), block, name)
			}
			assert.LessOrEqual(t, strings.Count(block, "\n"), 20, "lines of a block")
		}
		if name == "README.md" {
			assert.LessOrEqual(t, strings.Count(string(text), "\n"), 200, "lines of the README")
		}
	}
}

func TestReadmeLearningWorks(t *testing.T) {
	bank, err := memory.New(memory.NewMapStore(), nil)
	require.NoError(t, err)
	model := memory.LLMFunc(func(context.Context, string) (string, error) {
		return `{"shouldCreateMemory": true, "memoryTitle": "OAuth2 Was Too Broad", "reasoning": "scope", "content": "The task asks for JWT only.",
			"frontmatter": {"whenToUse": "oauth", "importance": "high"}, "evidence": "OAuth2 is too broad"}`, nil
	})
	require.NoError(t, learn(t.Context(), bank, model, "Add a login", "", "OAuth2 is too broad for this task.", errors.New("rejected")))
	m, err := bank.Get(t.Context(), "oauth2-was-too-broad")
	require.NoError(t, err)
	assert.Equal(t, "developer", m.DiscoveredBy)
}

func TestReadmeSessionWorks(t *testing.T) {
	store := memory.NewMapStore()
	var prompts []string
	work := func(prompt string) error {
		prompts = append(prompts, prompt)
		return errors.New("the provider knows JWT only")
	}
	require.NoError(t, attempt(t.Context(), store, "session-1", work))
	require.NoError(t, attempt(t.Context(), store, "session-1", work))
	assert.Empty(t, prompts[0])
	assert.Contains(t, prompts[1], "- Implement OAuth2: the provider knows JWT only")
}

func TestReadmeNotebookWorks(t *testing.T) {
	store := memory.NewMapStore()
	model := memory.ChatModelFunc(func(_ context.Context, req memory.ChatRequest) (*memory.ChatResponse, error) {
		if len(req.Messages) > 2 {
			return &memory.ChatResponse{Content: "Recorded the name."}, nil
		}
		return &memory.ChatResponse{ToolCalls: []memory.ToolCall{
			{ID: "1", Name: "memory_write", Args: []byte(`{"path": "facts/user.md", "content": "- Name: Ada"}`)},
		}}, nil
	})
	var indexes []string
	agent := func(index string, tools []memory.Tool) []memory.ChatMessage {
		indexes = append(indexes, index)
		assert.Len(t, tools, 2)
		return []memory.ChatMessage{{Role: memory.RoleUser, Content: "I'm Ada."}}
	}
	require.NoError(t, talk(t.Context(), store, model, agent))
	require.NoError(t, talk(t.Context(), store, model, agent))
	assert.Empty(t, indexes[0])
	assert.Contains(t, indexes[1], "- facts/user.md (")
}

func TestReadmeBlockWorks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, run(t.Context(), dir, "Send a password reset link"))
	bank, err := memory.Open(dir, nil)
	require.NoError(t, err)
	defer bank.Close()
	matches, err := bank.Recall(t.Context(), memory.Query{Task: "Send a password reset link"})
	require.NoError(t, err)
	require.Len(t, matches, 1)
	assert.Equal(t, "reset-links-are-valid-for-one-hour", matches[0].Name)
}

// TestReadmeFileFormat reads the README's memory file.
func TestReadmeFileFormat(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(readme), "```markdown\n")
	file, _, _ := strings.Cut(rest, "```")
	m, err := memory.Parse("password-hashing-approach", []byte(file))
	require.NoError(t, err)
	assert.Equal(t, "Password Hashing Approach", m.Title)
	require.Len(t, m.Updates, 1)
	assert.Equal(t, "reviewer", m.Updates[0].DiscoveredBy)
}
