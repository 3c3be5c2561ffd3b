package memory_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory"
)

// These are the rows of the acceptance table of M2, "Memory System Design".

// acceptanceModel answers from nothing but the messages that it is sent, and records
// what the user says of themselves and what was fixed.
var acceptanceModel = memory.ChatModelFunc(func(_ context.Context, req memory.ChatRequest) (*memory.ChatResponse, error) {
	last := req.Messages[len(req.Messages)-1]
	call := func(name string, args map[string]any) (*memory.ChatResponse, error) {
		text, err := json.Marshal(args)
		return &memory.ChatResponse{ToolCalls: []memory.ToolCall{{ID: "1", Name: name, Args: text}}}, err
	}
	switch {
	case last.Role == memory.RoleTool:
		return &memory.ChatResponse{Content: last.Content}, nil
	case len(req.Tools) == 2: // at work: read what the index says is of use
		want := "facts/"
		if strings.Contains(last.Content, "bug") {
			want = "episodes/"
		}
		if m := regexp.MustCompile(`(?m)^- (` + want + `\S+) \(`).FindStringSubmatch(req.Messages[0].Content); m != nil {
			return call("memory_read", map[string]any{"path": m[1]})
		}
	default:
		if m := regexp.MustCompile(`(?m)^    I'm (.+)$`).FindStringSubmatch(last.Content); m != nil {
			return call("memory_write", map[string]any{"path": "facts/user.md", "content": "- Name: " + m[1]})
		}
		if m := regexp.MustCompile(`(?m)^    Fixed (.+) by (.+)$`).FindStringSubmatch(last.Content); m != nil {
			path := regexp.MustCompile(`episodes/\S+\.md`).FindString(last.Content)
			return call("memory_append", map[string]any{"path": path, "entry": fmt.Sprintf("## %s\n- Summary: %[1]s → %s\n- Problem: %[1]s\n- Solution: %[2]s", m[1], m[2])})
		}
	}
	return &memory.ChatResponse{Content: "I don't know."}, nil
})

// openNotebook is what each start of a process does.
func openNotebook(t testing.TB, dir string) *memory.Notebook {
	t.Helper()
	store, err := memory.NewDirStore(dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	notebook, err := memory.NewNotebook(store, nil)
	require.NoError(t, err)
	return notebook
}

// record has a conversation of one message looked back on.
func record(t *testing.T, dir, said string) {
	t.Helper()
	reflector := memory.Reflector{Model: acceptanceModel, Notebook: openNotebook(t, dir)}
	_, err := reflector.Reflect(t.Context(), memory.TaskRecord{
		At: time.Date(2026, 2, 24, 0, 0, 0, 0, time.UTC), Messages: []memory.ChatMessage{{Role: memory.RoleUser, Content: said}},
	})
	require.NoError(t, err)
}

// ask gives the answer of an agent that has just been started over a directory.
func ask(notebook *memory.Notebook, question string) (string, error) {
	ctx := context.Background()
	index, err := notebook.Index(ctx)
	if err != nil {
		return "", err
	}
	messages := []memory.ChatMessage{{Role: memory.RoleUser, Content: index}, {Role: memory.RoleUser, Content: question}}
	tools := notebook.ReadTools()
	for {
		response, err := acceptanceModel(ctx, memory.ChatRequest{Messages: messages, Tools: tools})
		if err != nil || len(response.ToolCalls) == 0 {
			return response.Content, err
		}
		messages = append(messages, memory.ChatMessage{Role: memory.RoleAssistant, ToolCalls: response.ToolCalls})
		for _, call := range response.ToolCalls {
			i := slices.IndexFunc(tools, func(t memory.Tool) bool { return t.Name == call.Name })
			result, err := tools[i].Call(ctx, call.Args)
			if err != nil {
				return "", err
			}
			messages = append(messages, memory.ChatMessage{Role: memory.RoleTool, ToolCallID: call.ID, Content: result})
		}
	}
}

func answer(t *testing.T, dir, question string) string {
	t.Helper()
	text, err := ask(openNotebook(t, dir), question)
	require.NoError(t, err)
	return text
}

func randomName() string { return "Zhang " + strconv.FormatUint(rand.Uint64(), 36) }

// Row 1: the user says a name; restart; the answer is right, also in a process of its own.
func TestRemembersUserInfoAcrossRestarts(t *testing.T) {
	dir, name := t.TempDir(), randomName()
	record(t, dir, "I'm "+name)
	assert.Contains(t, answer(t, dir, "What's my name?"), "- Name: "+name+"\n")

	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAskInAnotherProcess$", "-test.v", "--", dir, "What's my name?")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "- Name: "+name+"\n")

	require.NoError(t, os.Remove(filepath.Join(dir, "facts", "user.md")))
	assert.Equal(t, "I don't know.", answer(t, dir, "What's my name?"))
}

// TestAskInAnotherProcess is the process that is started above: with a directory and a
// question behind the flags.
func TestAskInAnotherProcess(t *testing.T) {
	i := slices.Index(os.Args, "--")
	if i < 0 || len(os.Args) != i+3 {
		t.Skip("started by TestRemembersUserInfoAcrossRestarts")
	}
	fmt.Println(answer(t, os.Args[i+1], os.Args[i+2]))
}

// Row 2: what was fixed last time is answered with what the problem was and what helped.
func TestRemembersPastWork(t *testing.T) {
	dir, part := t.TempDir(), randomName()
	record(t, dir, "Fixed the stdout leak of "+part+" by a custom transport")
	got := answer(t, dir, "What bug did we fix last time?")
	assert.Contains(t, got, "- Problem: the stdout leak of "+part+"\n- Solution: a custom transport\n")
	index, err := openNotebook(t, dir).Index(t.Context())
	require.NoError(t, err)
	assert.Contains(t, index, "): the stdout leak of "+part+" → a custom transport\n", "the index says it already")
}

// Row 3: the files are plain Markdown of the documented form.
func TestHumanReadableFiles(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, "I'm Zhang San")
	record(t, dir, "Fixed the logger by a transport")
	for path, want := range map[string]string{
		"facts/user.md":       "# User Facts\n\n> Summary: name\n\n- Name: Zhang San\n",
		"episodes/2026-02.md": "# 2026-02 Episodes\n\n> Summary: the logger → a transport\n\n## the logger\n- Summary: the logger → a transport\n- Problem: the logger\n- Solution: a transport\n",
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
}

// Row 4: what a person changes, adds and removes is what the agent uses, with no restart either.
func TestHumanEditable(t *testing.T) {
	dir, name, later := t.TempDir(), randomName(), randomName()
	record(t, dir, "I'm "+name)
	running := openNotebook(t, dir)
	_, err := ask(running, "What's my name?")
	require.NoError(t, err)

	path := filepath.Join(dir, "facts", "user.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	edited := strings.ReplaceAll(string(bytes.ReplaceAll(text, []byte(name), []byte(later))), "\n", "\r\n") + "- City: Berlin\r\n"
	require.NoError(t, os.WriteFile(path, []byte(edited), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "people"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "people", "alice.md"), []byte("- Role: lead\n"), 0o600))

	for _, notebook := range []*memory.Notebook{running, openNotebook(t, dir)} {
		got, err := ask(notebook, "What's my name?")
		require.NoError(t, err)
		assert.Contains(t, got, "- Name: "+later+"\n")
		assert.Contains(t, got, "- City: Berlin\n")
		assert.NotContains(t, got, name)
		index, err := notebook.Index(t.Context())
		require.NoError(t, err)
		assert.Contains(t, index, "- people/alice.md (13B): role\n", "a new file is a new category")
	}
}

// Row 5: what the module requires is what docs/decisions.md gives reasons for, and all
// of it was there before the notebook.
func TestZeroNewDependencies(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	var direct []string
	for _, m := range regexp.MustCompile(`(?m)^(?:require )?\t?(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
		direct = append(direct, m[1])
	}
	want := []string{
		"github.com/adrg/frontmatter", "github.com/gosimple/slug", "github.com/kaptinlin/jsonrepair", "github.com/kljensen/snowball",
		"github.com/stretchr/testify", "golang.org/x/sys", "golang.org/x/text", "gopkg.in/yaml.v3",
	}
	assert.Equal(t, want, direct)
	decisions, err := os.ReadFile("docs/decisions.md")
	require.NoError(t, err)
	for _, module := range direct {
		assert.Contains(t, string(decisions), "\n| `"+module+"` | ")
	}
}

// Row 6: make coverage fails below 95 percent.
func TestCoverageIsAtLeast95Percent(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	least := regexp.MustCompile(`(?m)^COVERAGE_MIN \?= (\d+)$`).FindSubmatch(makefile)
	require.NotNil(t, least)
	percent, err := strconv.Atoi(string(least[1]))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, percent, 95)
	assert.Contains(t, string(makefile), "exit total + 0 < $(COVERAGE_MIN)", "it fails below")
}
