package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		status int
		out    string
		err    string // the beginning
	}{
		{"no problem", []string{filepath.Join("..", "quickstart", "memories")}, 0, "", ""},
		{"warnings", []string{filepath.Join("testdata", "warnings")}, 0,
			filepath.Join("testdata", "warnings", "short.md") + ": warning: only 7 of at least 50 words; say something specific\n", ""},
		{"errors", []string{filepath.Join("testdata", "errors")}, 1,
			filepath.Join("testdata", "errors", "broken.md") + ":1: error: title: missing; add the line title: \"…\" to the frontmatter\n", ""},
		{"a session", []string{filepath.Join("testdata", "sessions")}, 1,
			filepath.Join("testdata", "sessions", "session-1", "agent-memory.yaml") + ":6: error: ", ""},
		{"no directory named", nil, 2, "", "usage: check DIR\n"},
		{"two named", []string{".", "."}, 2, "", "usage: check DIR\n"},
		{"one that is not there", []string{"nowhere"}, 2, "", "check: "},
		{"a file", []string{"main.go"}, 2, "", "check: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			assert.Equal(t, c.status, run(t.Context(), c.args, &stdout, &stderr))
			assert.Equal(t, c.out, stdout.String()[:min(len(c.out), stdout.Len())])
			assert.Equal(t, c.out == "", stdout.Len() == 0)
			if c.err == "" {
				assert.Empty(t, stderr.String())
				return
			}
			assert.Regexp(t, "^"+c.err, stderr.String())
		})
	}
}
