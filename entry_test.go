package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fileHead begins a file whose first entry has no problem; its body begins in line 9.
const fileHead = "---\ntitle: T\nwhenToUse: x\nimportance: low\ndiscoveredAt: 2026-01-23\ndiscoveredBy: dev\n---\n\n"

// shape gives the bodies of a file's entries.
func shape(t *testing.T, file string) []string {
	t.Helper()
	entries, _, err := parseEntries("n", []byte(file))
	require.NoError(t, err)
	var bodies []string
	for _, e := range entries {
		bodies = append(bodies, e.Body)
	}
	return bodies
}

func TestDashLineIsBackslashesThreeDashesThenBlanks(t *testing.T) {
	for line, want := range map[string]bool{
		"---": true, "--- ": true, "---\t ": true, `\---`: true, `\\\--- `: true,
		" ---": false, "----": false, "--": false, "--- x": false, `-\--`: false, `/---`: false, "": false, `---\`: false,
	} {
		assert.Equal(t, want, isDashes(line), "%q", line)
	}
}

func TestPairedDashLinesGetOneBackslash(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a lone rule stays", "a\n\n---\n\nb", "a\n\n---\n\nb"},
		{"a lone rule with backslashes stays", "a\n\\\\---\nb", "a\n\\\\---\nb"},
		{"followed by none", "a\n---", "a\n\\---"},
		{"followed by one, directly", "a\n---\n---\nb", "a\n\\---\n---\nb"},
		{"followed by one, behind blanks", "---\n \t\n\n---\nb", "\\---\n \t\n\n---\nb"},
		{"followed by an escaped one", "---\n\\---\nb", "\\---\n\\---\nb"},
		{"with trailing blanks", "--- \t\n---\nb", "\\--- \t\n---\nb"},
		{"three", "---\n---\n---", "\\---\n\\---\n\\---"},
		{"one backslash more", "a\n\\\\---", "a\n\\\\\\---"},
		{"indented is text", "  ---\n  ---", "  ---\n  ---"},
		{"an entry", "x\n\n---\n\n---\ntitle: y\n---\n\nz", "x\n\n\\---\n\n---\ntitle: y\n---\n\nz"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := escapeBody(c.body)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.body, readBody(strings.Split(got, "\n")), "reading is the inverse")
			assert.Equal(t, []string{c.body}, shape(t, fileHead+got+"\n"), "no entry is forged")
		})
	}
}

// A person who writes a rule does not know of backslashes; nothing is taken off where there is none.
func TestPairedDashLinesWithoutBackslashAreRead(t *testing.T) {
	assert.Equal(t, []string{"a\n\n---\n\n---\n\nb\n---"}, shape(t, fileHead+"a\n\n---\n\n---\n\nb\n---\n"))
}

func TestBoundary(t *testing.T) {
	up := "---\ntitle: T\n---\n\nnew\n"
	one := func(body string) []string { return []string{body} }
	for _, c := range []struct {
		name, rest string
		want       []string
	}{
		{"as it is written", "old\n\n---\n\n" + up, []string{"old", "new"}},
		{"without blank lines", "old\n---\n" + up, []string{"old", "new"}},
		{"with many blank lines, and blanks", "old\n---\t\n \n\n\t\n" + up, []string{"old", "new"}},
		{"behind an empty body", "---\n\n" + up, []string{"", "new"}},
		{"with an empty body", "old\n\n---\n\n---\ntitle: T\n---\n", []string{"old", ""}},
		{"without a final newline", "old\n\n---\n\n---\ntitle: T\n---", []string{"old", ""}},
		{"two", "old\n\n---\n\n" + up + "\n---\n\n" + up, []string{"old", "new", "new"}},
		{"behind a rule of the body", "old\n---\n\n\n---\n\n" + up, []string{"old\n---", "new"}},
		{"behind an open code fence", "```\nold\n\n---\n\n" + up, []string{"```\nold", "new"}},
		{"only one rule", "old\n\n" + up, one("old\n\n---\ntitle: T\n---\n\nnew")},
		{"the first with a backslash", "old\n\n\\---\n\n" + up, one("old\n\n---\n\n---\ntitle: T\n---\n\nnew")},
		{"the second with a backslash", "old\n\n---\n\n\\" + up, one("old\n\n---\n\n\\---\ntitle: T\n---\n\nnew")},
		{"a blank line behind the second", "old\n\n---\n\n---\n\ntitle: T\n---\nx", one("old\n\n---\n\n---\n\ntitle: T\n---\nx")},
		{"a rule behind the second", "old\n---\n---\n---\nx", one("old\n---\n---\n---\nx")},
		{"indented", "old\n\n ---\n\n ---\ntitle: T\n---\nx", one("old\n\n ---\n\n ---\ntitle: T\n---\nx")},
		{"a hand-written update", "old\n\n---\n\n## Update (2026-01-24)\n\nmore", one("old\n\n---\n\n## Update (2026-01-24)\n\nmore")},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, shape(t, fileHead+c.rest))
			if c.name == "only one rule" {
				require.Len(t, problemsOf(t, fileHead+c.rest), 1)
				assert.Contains(t, problemsOf(t, fileHead+c.rest)[0], "warning: looks like an update")
				return
			}
			assert.Empty(t, problemsOf(t, fileHead+c.rest))
		})
	}
}

// problemsOf gives them as "line severity: message".
func problemsOf(t *testing.T, file string) []string {
	t.Helper()
	_, ps, err := parseMemory("n", []byte(file))
	require.NoError(t, err)
	var out []string
	for _, p := range ps {
		assert.Equal(t, "n", p.Name)
		out = append(out, fmt.Sprintf("%d %s: %s", p.Line, p.Severity, p.Msg))
	}
	return out
}

func TestUnreadableUpdateIsAProblemAndScanningGoesOn(t *testing.T) {
	good := "---\n\n---\ntitle: T\n---\n\nnew\n"
	big := "x: \"" + strings.Repeat("y", maxFrontmatter) + "\"\n"
	for _, c := range []struct{ name, bad, want string }{
		{"broken YAML", "---\n\n---\ntitle: T\n\tx: [\n---\n\n", "13 error: an update that cannot be read: indent with spaces, not with tabs (found a tab"},
		{"no mapping", "---\n\n---\nprose\n---\n\n", "11 error: an update that cannot be read: the frontmatter is not a list of keys"},
		{"alias", "---\n---\ntitle: &a T\nx: *a\n---\n\n", "11 error: an update that cannot be read: YAML anchors"},
		{"custom tag", "---\n---\ntitle: !t T\n---\n\n", "11 error: an update that cannot be read: YAML tag !t"},
		{"past the cap", "---\n---\ntitle: T\n" + big + "---\n\n", "10 error: an update that cannot be read: frontmatter of more than 16384 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := fileHead + c.bad + good
			got := problemsOf(t, file)
			require.Len(t, got, 1)
			assert.Contains(t, got[0], c.want)
			assert.Equal(t, []string{strings.TrimSpace(c.bad), "new"}, shape(t, file), "its text stays in the body before it")
		})
	}
}

func TestUnclosedUpdateIsAProblem(t *testing.T) {
	assert.Equal(t, []string{"11 error: an update that cannot be read: not closed by a line of ---"},
		problemsOf(t, fileHead+"---\n\n---\ntitle: T\n\nbody\n"))
	assert.Empty(t, problemsOf(t, fileHead+"---\n\n---\nprose behind two rules\n"))
}

func TestNormalBody(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"CRLF and CR", "a\r\nb\rc", "a\nb\nc"},
		{"blank ends", " \n\t\n  a\n\nb  \n \n", "  a\n\nb  "},
		{"nothing but blanks", " \n\t", ""},
		{"other white space is text", "\u00a0\na\n\f", "\u00a0\na\n\f"},
	} {
		got, err := normalBody(c.in)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, c.name)
	}
	for _, bad := range []string{"a\xffb", "a\x00b"} {
		_, err := normalBody(bad)
		assert.ErrorIs(t, err, ErrInvalid)
		assert.ErrorContains(t, err, "body: ")
	}
}

// A file of rules has as many candidates for a boundary as lines. Were the work
// quadratic, a file at the cap would take hours and run into the test's timeout.
func TestScanningIsLinear(t *testing.T) {
	for _, line := range []string{"---\n", "---\n---\nx\n", "\n---\n", "\\---\n", "---\n\n", "---\n---\ntitle: T\n\n"} {
		file := fileHead + strings.Repeat(line, (maxFile-1000)/len(line))
		_, _, err := parseEntries("n", []byte(file))
		require.NoError(t, err)
	}
}
