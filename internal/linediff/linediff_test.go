package linediff

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnified(t *testing.T) {
	for _, tt := range []struct{ name, before, after, want string }{
		{"nothing changed", "a\n", "a\n", ""},
		{"a new text", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"all gone", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"a line replaced", "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"three lines around", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"far changes are two pieces", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "x\n1\n2\n3\n4\n5\n6\n7\ny\n",
			"@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+y\n"},
		{"near changes are one", "a\n1\n2\n3\n4\n5\n6\nb\n", "x\n1\n2\n3\n4\n5\n6\ny\n",
			"@@ -1,8 +1,8 @@\n-a\n+x\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+y\n"},
		{"no line end", "a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want != "" {
				want = "--- f.md\n+++ f.md\n" + want
			}
			assert.Equal(t, want, Unified("f.md", tt.before, tt.after))
		})
	}
}

func TestLongTextsAreOnePiece(t *testing.T) {
	before, after := strings.Repeat("a\nb\n", 2000), strings.Repeat("c\na\n", 2000)
	got := Unified("f.md", before, after)
	assert.Contains(t, got, "@@ -1,4000 +1,4000 @@\n")
	assert.Equal(t, 3+8000, strings.Count(got, "\n"))
}

// FuzzUnified applies what Unified gives, by hand, and compares with the new text.
func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd")
	f.Add("", "\n")
	f.Add("a\n\n\n\n\n\n\n\n\n\nb\n", "x\n\n\n\n\n\n\n\n\n\ny\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		diff := Unified("f", before, after)
		if before == after {
			assert.Empty(t, diff)
			return
		}
		var olds, news strings.Builder
		for _, o := range compare(lines(before), lines(after)) {
			if o.kind != '+' {
				olds.WriteString(o.text)
			}
			if o.kind != '-' {
				news.WriteString(o.text)
			}
		}
		require.Equal(t, strings.Join(lines(before), ""), olds.String())
		require.Equal(t, strings.Join(lines(after), ""), news.String())
	})
}

// TestPatchTakesIt lets patch(1) apply what Unified gives, where there is one.
func TestPatchTakesIt(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("there is no patch command")
	}
	for _, tt := range [][2]string{
		{"a\nb\nc\n", "a\nx\nc\n"}, {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "x\n1\n2\n3\n4\n5\n6\n7\ny\n"}, {"a\nb", "b\nc"}, {"a\n", "a\nb"},
	} {
		file := filepath.Join(t.TempDir(), "f")
		require.NoError(t, os.WriteFile(file, []byte(tt[0]), 0o600))
		cmd := exec.CommandContext(t.Context(), patch, "-s", file)
		cmd.Stdin = strings.NewReader(Unified("f", tt[0], tt[1]))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, tt[1], string(got))
	}
}
