package main

import (
	"bytes"
	"flag"
	"io/fs"
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

// TestSeedExamplesAreWordForWord: five of the memories are the specifications' own.
func TestSeedExamplesAreWordForWord(t *testing.T) {
	seeds, err := fs.Glob(os.DirFS("../../testdata/seeds"), "*.md")
	require.NoError(t, err)
	same := 0
	for _, seed := range seeds {
		want, err := os.ReadFile(filepath.Join("../../testdata/seeds", seed))
		require.NoError(t, err)
		ours, err := files.ReadDir("memories")
		require.NoError(t, err)
		for _, f := range ours {
			got, err := files.ReadFile("memories/" + f.Name())
			require.NoError(t, err)
			if bytes.Equal(want, got) {
				same++
			}
		}
	}
	assert.Equal(t, 5, same)
}
