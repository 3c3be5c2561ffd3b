package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	var out bytes.Buffer
	ok, err := check(t.Context(), &out, filepath.Join("..", "quickstart", "memories"))
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Empty(t, out.String())

	ok, err = check(t.Context(), &out, "testdata")
	require.NoError(t, err)
	assert.False(t, ok, "there is an error")
	assert.Equal(t, "testdata/broken.md:1: error: title: missing; add the line title: \"…\" to the frontmatter\n", out.String())

	_, err = check(t.Context(), &out, "nowhere")
	assert.Error(t, err)
}
