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

// What follows are the README's first two blocks of Go, to the letter.

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

// The README's blocks end here.

func TestReadmeBlocksAreThisFiles(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	blocks := strings.Split(string(readme), "```go\n")[1:]
	require.Len(t, blocks, 3, "the third is the interface of stores")
	for _, block := range blocks[:2] {
		block, _, _ = strings.Cut(block, "```")
		assert.Contains(t, string(source), block)
		assert.LessOrEqual(t, strings.Count(block, "\n"), 20, "lines of a block")
	}
	assert.LessOrEqual(t, strings.Count(string(readme), "\n"), 200, "lines of the README")
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
