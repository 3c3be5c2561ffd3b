package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory"
)

var update = flag.Bool("update", false, "write the golden file anew")

// TestOutput holds what a newcomer sees; the block in it must not change by accident.
func TestOutput(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	path := filepath.Join("testdata", "output.golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
	assert.Contains(t, out.String(), "fills a free place", "each way into the block is shown")
}

// TestMemoriesAreClean: the example shows files without a problem.
func TestMemoriesAreClean(t *testing.T) {
	bank, err := memory.Open("memories", nil)
	require.NoError(t, err)
	defer bank.Close()
	problems, err := bank.Check(t.Context())
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// TestSpecExamplesAreWordForWord: these memories are examples of the specifications.
func TestSpecExamplesAreWordForWord(t *testing.T) {
	for ours, spec := range map[string]string{
		"error-handling-pattern": "convention-code-pattern",
		"middleware-pattern":     "spec-0009-code-pattern",
		"oauth-too-broad":        "convention-failure-lesson",
		"project-structure":      "convention-codebase-structure",
		"session-store-required": "convention-constraint-limitation",
	} {
		want, err := os.ReadFile(filepath.Join("..", "..", "testdata", "specs", spec+".md"))
		require.NoError(t, err)
		got, err := files.ReadFile("memories/" + ours + ".md")
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s.md and %s.md", ours, spec)
	}
}

// TestNothingStaysBehind: the directory in which the example works is gone afterwards.
func TestNothingStaysBehind(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // the name on Windows
	require.NoError(t, run(t.Context(), io.Discard))
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
}
