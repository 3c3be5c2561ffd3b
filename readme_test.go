package memory_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory"
)

// What follows is the README's first block of Go, to the letter.

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

// The README's block ends here.

func TestReadmeBlockIsThisFiles(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found)
	block, _, _ := strings.Cut(rest, "```")
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	assert.Contains(t, string(source), block)
	assert.LessOrEqual(t, strings.Count(block, "\n"), 20, "lines of the block")
	assert.LessOrEqual(t, strings.Count(string(readme), "\n"), 200, "lines of the README")
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
