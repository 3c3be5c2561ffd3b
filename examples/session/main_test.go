package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden file anew")

// TestOutput holds what a newcomer sees.
func TestOutput(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, example(t.Context(), &out, ""))
	path := filepath.Join("testdata", "output.golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
	assert.LessOrEqual(t, strings.Count(out.String(), "\n"), 90, "two screens")
	assert.Contains(t, out.String(), "- Add OAuth2 integration: OAuth scope too broad for the task.", "the prompt warns of what failed")
}

// TestDirStays: with a directory both agents' files stay, and a second call goes on from them.
func TestDirStays(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, example(t.Context(), io.Discard, dir))
	for _, name := range []string{"agent-memory.yaml", "agent-memory.tester.yaml"} {
		assert.FileExists(t, filepath.Join(dir, sessionID, name))
	}
	var out bytes.Buffer
	require.NoError(t, example(t.Context(), &out, dir))
	for _, name := range []string{"agent-memory.yaml", "agent-memory.tester.yaml"} {
		file, err := os.ReadFile(filepath.Join(dir, sessionID, name))
		require.NoError(t, err)
		assert.Contains(t, out.String(), "/"+name+"\n"+string(file)+"\n━━", "exactly as it is")
	}
	assert.Contains(t, out.String(), "attempt-002")
	assert.Contains(t, out.String(), "(failed 2 times)")
}

// TestNothingStaysBehind: without one the directory in which the example works is gone afterwards.
func TestNothingStaysBehind(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // the name on Windows
	require.NoError(t, example(t.Context(), io.Discard, ""))
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
}
