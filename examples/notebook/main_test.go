package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory"
)

var update = flag.Bool("update", false, "write the golden file anew")

// programEnv makes the test binary the program itself, which starts itself as well.
const programEnv = "NOTEBOOK_TEST_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// play gives what a run over dir prints.
func play(t *testing.T, dir string, p plot) string {
	t.Helper()
	t.Setenv(programEnv, "1")
	var out bytes.Buffer
	require.NoError(t, example(t.Context(), &out, dir, p), out.String())
	return out.String()
}

var (
	sizes  = regexp.MustCompile(`\(\d+B\)`)
	days   = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
	months = regexp.MustCompile(`\d{4}-\d{2}\b`)
)

// withPlaceholders takes out what is random and what depends on the day.
func withPlaceholders(out string, p plot) string {
	b := p.bug
	out = strings.NewReplacer(p.name, "<name>", p.later, "<later name>", b.part, "<part>", strings.ToUpper(b.part[:1])+b.part[1:], "<Part>",
		b.symptom, "<symptom>", b.cause, "<cause>", b.cure, "<cure>").Replace(out)
	out = sizes.ReplaceAllString(out, "(<size>)")
	return months.ReplaceAllString(days.ReplaceAllString(out, "<day>"), "<month>")
}

// TestOutput holds what a newcomer sees, with whatever is random as a placeholder.
func TestOutput(t *testing.T) {
	p := newPlot()
	got := withPlaceholders(play(t, "", p), p)
	path := filepath.Join("testdata", "output.golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
	assert.LessOrEqual(t, strings.Count(got, "\n"), 75, "a screen and a half")
}

// answers gives what the assistant says in each start.
func answers(out string) (all [][]string) {
	for start := range strings.SplitSeq(out, "━━ ") {
		var said []string
		for line := range strings.Lines(start) {
			if _, text, ok := strings.Cut(line, "assistant │ "); ok && !strings.HasPrefix(text, "memory_read") {
				said = append(said, strings.TrimSpace(text))
			}
		}
		if said != nil {
			all = append(all, said)
		}
	}
	return all
}

// TestAnswersOfEachProcess: criteria 1, 2 and 4, and that nothing is known without the file.
func TestAnswersOfEachProcess(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // over one directory: names of an earlier run are not answered
		p := newPlot()
		found := answers(play(t, dir, p))
		require.Len(t, found, 4)
		fixed := "We fixed this: the " + p.bug.part + " " + p.bug.symptom + ", because " + p.bug.cause + ". What helped: " + p.bug.cure + "."
		assert.Equal(t, []string{"Your name is " + p.name + ".", fixed}, found[1])
		assert.Equal(t, []string{"Your name is " + p.later + "."}, found[2])
		assert.Equal(t, []string{"I don't know.", fixed}, found[3])
	}
}

// TestNamesDiffer: no answer can be a constant.
func TestNamesDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for range 1000 {
		seen[newName()] = true
	}
	assert.Greater(t, len(seen), 990)
}

// TestStandInKnowsNothing: without the messages of memory it has no answer.
func TestStandInKnowsNothing(t *testing.T) {
	for _, question := range []string{askName, askBug} {
		response, err := standIn{}.Chat(t.Context(), memory.ChatRequest{Messages: []memory.ChatMessage{{Role: memory.RoleUser, Content: question}}})
		require.NoError(t, err)
		assert.Equal(t, &memory.ChatResponse{Content: "I don't know."}, response)
	}
}

// TestStandInGoesByTheIndex: it reads the file that the index says has the name in it.
func TestStandInGoesByTheIndex(t *testing.T) {
	index := "Available memory:\n- facts/a.md (10B): role\n- people/me.md (10B): role, name\n\nUse memory_read …\n"
	response, err := standIn{}.Chat(t.Context(), memory.ChatRequest{Messages: []memory.ChatMessage{
		{Role: memory.RoleUser, Content: index}, {Role: memory.RoleUser, Content: askName},
	}})
	require.NoError(t, err)
	require.Len(t, response.ToolCalls, 1)
	assert.JSONEq(t, `{"path": "people/me.md"}`, string(response.ToolCalls[0].Args))
}

// TestIndexComesOnce: it is the first message, and no later one.
func TestIndexComesOnce(t *testing.T) {
	p := newPlot()
	for _, start := range strings.Split(play(t, "", p), "━━ ")[3:] {
		assert.Equal(t, 1, strings.Count(start, "Available memory:"), start)
		assert.Regexp(t, `^.*\n +user │ Available memory:`, start)
	}
}

// TestFailuresAreTold: a directory that cannot be one, and a file that is not as it was.
func TestFailuresAreTold(t *testing.T) {
	t.Setenv(programEnv, "1")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	assert.Error(t, example(t.Context(), io.Discard, file, newPlot()))
	assert.ErrorContains(t, run(t.Context(), io.Discard, "", []string{"hi"}), "-dir")
	assert.Error(t, run(t.Context(), io.Discard, file, nil))
	assert.Error(t, talk(t.Context(), io.Discard, file, []string{"hi"}))
	assert.ErrorIs(t, edit(t.TempDir(), "a", "b"), fs.ErrNotExist)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "facts"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, user), []byte("# User\n"), 0o600))
	assert.ErrorContains(t, edit(dir, "- Name", "- Role"), `facts/user.md does not hold "- Name"`)
	assert.Error(t, files(io.Discard, filepath.Join(dir, "none")))
}

// TestAgentMendsItsCalls: an unknown tool and a tool's error go back to the model, and
// a model that never answers is stopped.
func TestAgentMendsItsCalls(t *testing.T) {
	notebook, err := memory.NewNotebook(memory.NewMapStore(), nil)
	require.NoError(t, err)
	calls := []memory.ToolCall{call("1", "memory_write", nil), call("2", "memory_read", map[string]any{"path": "../x.md"})}
	a, err := newAgent(t.Context(), memory.ChatModelFunc(nil), notebook)
	require.NoError(t, err)
	a.model = memory.ChatModelFunc(func(_ context.Context, req memory.ChatRequest) (*memory.ChatResponse, error) {
		if len(req.Messages) == 1 {
			return &memory.ChatResponse{ToolCalls: calls}, nil
		}
		return &memory.ChatResponse{Content: "done"}, nil
	})
	require.NoError(t, a.hear(t.Context(), "read"))
	require.Len(t, a.messages, 5)
	assert.Equal(t, `there is no tool "memory_write"; the tools are memory_list, memory_read`, a.messages[2].Content)
	assert.True(t, a.messages[2].IsError && a.messages[3].IsError)

	a.model = memory.ChatModelFunc(func(context.Context, memory.ChatRequest) (*memory.ChatResponse, error) {
		return &memory.ChatResponse{ToolCalls: calls}, nil
	})
	assert.ErrorContains(t, a.hear(t.Context(), "read"), "no answer after 5 steps")
	down := errors.New("down")
	a.model = memory.ChatModelFunc(func(context.Context, memory.ChatRequest) (*memory.ChatResponse, error) { return nil, down })
	assert.ErrorIs(t, a.hear(t.Context(), "read"), down)
}

// TestNothingStaysBehind: without a directory the one in which the example works is gone afterwards.
func TestNothingStaysBehind(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // the name on Windows
	play(t, "", newPlot())
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
}
