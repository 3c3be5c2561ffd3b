package memory

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPatch(t *testing.T) {
	for _, c := range []struct {
		name, old string
		patches   []Patch
		want      string
	}{
		{"one", userFacts, []Patch{{"Zhang San", "Li Si"}}, strings.Replace(userFacts, "Zhang San", "Li Si", 1)},
		{"two", userFacts, []Patch{{"Zhang San", "Li Si"}, {"Full-stack", "Backend"}},
			strings.NewReplacer("Zhang San", "Li Si", "Full-stack", "Backend").Replace(userFacts)},
		{"a later one sees what an earlier one made", "# T\n- A: b\n", []Patch{{"- A: b", "- C: d"}, {"C: d", "E: f"}}, "# T\n\n> Summary: e\n\n- E: f\n"},
		{"across lines", userFacts, []Patch{{"\n- Role: Full-stack developer\n- Updated: 2026-02-24", ""}},
			"# User Facts\n\n> Summary: name, language\n\n- Name: Zhang San\n- Language: prefers Chinese discussion, English code\n"},
		{"all of it", "- A: b\n", []Patch{{"- A: b\n", ""}}, ""},
		{"the summary is built anew", "# T\n\n> Summary: mine\n\n- A: b\n", []Patch{{"mine", "yours"}}, "# T\n\n> Summary: a\n\n- A: b\n"},
		{"CRLF text in a file with LF", "# T\n- A: b\n- C: d\n", []Patch{{"b\r\n- C", "x\r\n- Y"}}, "# T\n\n> Summary: a, y\n\n- A: x\n- Y: d\n"},
		{"LF text in a file with CRLF", "# T\r\n- A: b\r\n- C: d\r\n", []Patch{{"b\n- C", "x\n- Y"}}, "# T\r\n\r\n> Summary: a, y\r\n\r\n- A: x\r\n- Y: d\r\n"},
		{"BOM", "\uFEFF# T\n- A: b\n", []Patch{{"# T\n- A", "# T\n- C"}}, "\uFEFF# T\n\n> Summary: c\n\n- C: b\n"},
		{"in a file with invalid bytes", "# T\n- A: b\n- \xff\n", []Patch{{"b", "c"}}, "# T\n\n> Summary: a, \uFFFD\n\n- A: c\n- \xff\n"},
	} {
		n := openNotes(t, nil, nil)
		write(t, n.store, "facts/user.md", c.old)
		applied, err := n.Patch(t.Context(), "facts/user.md", c.patches)
		require.NoError(t, err, c.name)
		assert.Equal(t, len(c.patches), applied, c.name)
		assert.Equal(t, c.want, noteOf(t, n, "facts/user.md"), c.name)
	}
}

func TestPatchIsRefused(t *testing.T) {
	many := strings.Repeat("- x\n", 12)
	for _, c := range []struct {
		name, old string
		patches   []Patch
		msg       string
	}{
		{"nothing to do", "a", nil, "patches is empty: give at least one {oldText, newText}"},
		{"empty text", "a", []Patch{{"", "x"}}, "facts/user.md: oldText is empty: give the text to replace; nothing was changed"},
		{"a mark alone is empty", "a", []Patch{{"\uFEFF", "x"}}, "facts/user.md: oldText is empty: give the text to replace; nothing was changed"},
		{"the second is empty", "a", []Patch{{"a", "b"}, {"", "x"}}, "facts/user.md: oldText of patch 2 is empty: give the text to replace; nothing was changed"},
		{"twice", "# T\n- x\n\n- x\n", []Patch{{"- x", "y"}},
			`facts/user.md: oldText "- x" occurs 2 times, in lines 2 and 4; give more of the text around the one you mean. Nothing was changed`},
		{"twice on one line", "# T\nab ab\n", []Patch{{"ab", "y"}},
			`facts/user.md: oldText "ab" occurs 2 times, in line 2 (2 times); give more of the text around the one you mean. Nothing was changed`},
		{"overlapping", "aaa", []Patch{{"aa", "y"}},
			`facts/user.md: oldText "aa" occurs 2 times, in line 1 (2 times); give more of the text around the one you mean. Nothing was changed`},
		{"three times", "x\nx\nx", []Patch{{"x", "y"}},
			`facts/user.md: oldText "x" occurs 3 times, in lines 1, 2 and 3; give more of the text around the one you mean. Nothing was changed`},
		{"often", many, []Patch{{"x", "y"}},
			`facts/user.md: oldText "x" occurs 12 times, in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more; give more of the text around the one you mean. Nothing was changed`},
		{"twice after the first", "a\nb", []Patch{{"a", "b"}, {"b", "c"}},
			`facts/user.md: oldText of patch 2 "b" occurs 2 times, in lines 1 and 2; give more of the text around the one you mean. Nothing was changed`},
		{"gone after the first", "- A: b", []Patch{{"- A: b", "C"}, {"zzz", "c"}},
			`facts/user.md: oldText of patch 2 "zzz" is not in the file as the patches before it leave it; memory_read gives what it has; nothing was changed`},
		{"the nearest line", userFacts, []Patch{{"- Role: full stack dev", "x"}},
			`facts/user.md: oldText "- Role: full stack dev" is not in the file; the nearest line is 7: "- Role: Full-stack developer"; nothing was changed`},
		{"half of a line", userFacts, []Patch{{"zhang  san", "x"}},
			`facts/user.md: oldText "zhang  san" is not in the file; the nearest line is 5: "- Name: Zhang San"; nothing was changed`},
		{"the line that differs", userFacts, []Patch{{"- Name: Zhang San\n- Language: Chinese", "x"}},
			`facts/user.md: oldText "- Name: Zhang San\n- Language: Chinese" is not in the file; the nearest line is 6: "- Language: prefers Chinese discussion, English code"; nothing was changed`},
		{"lines that are there in another order", userFacts, []Patch{{"- Role: Full-stack developer\n- Name: Zhang San", "x"}},
			`facts/user.md: oldText "- Role: Full-stack developer\n- Name: Zhang San" is not in the file: line 5, "- Name: Zhang San", is there, but the spaces or the lines around it differ; nothing was changed`},
		{"spaces", userFacts, []Patch{{"  - Name: Zhang San", "x"}},
			`facts/user.md: oldText "  - Name: Zhang San" is not in the file: line 5, "- Name: Zhang San", is there, but the spaces or the lines around it differ; nothing was changed`},
		{"blank lines", userFacts, []Patch{{"\n\n\n", "x"}}, `facts/user.md: oldText "\n\n\n" is not in the file; memory_read gives what it has; nothing was changed`},
		{"nothing near", userFacts, []Patch{{"猫", "x"}}, `facts/user.md: oldText "猫" is not in the file; memory_read gives what it has; nothing was changed`},
		{"little in common", "- abc xyz", []Patch{{"qqq xyw rrr", "x"}}, `facts/user.md: oldText "qqq xyw rrr" is not in the file; memory_read gives what it has; nothing was changed`},
		{"small and capital letters", "- Role: x", []Patch{{"- ROLE: X", "x"}},
			`facts/user.md: oldText "- ROLE: X" is not in the file; the nearest line is 1: "- Role: x"; nothing was changed`},
		{"long text is cut", "é", []Patch{{strings.Repeat("x", 90), "x"}},
			`facts/user.md: oldText "` + strings.Repeat("x", 80) + `…" is not in the file; memory_read gives what it has; nothing was changed`},
		{"long lines are cut", strings.Repeat("ab", 200), []Patch{{strings.Repeat("ab", 200) + "c", "x"}},
			`facts/user.md: oldText "` + strings.Repeat("ab", 40) + `…" is not in the file; the nearest line is 1: "` + strings.Repeat("ab", 100) + `…"; nothing was changed`},
		{"NUL", "- A: b", []Patch{{"b", "\x00"}}, "facts/user.md: newText holds a NUL; nothing was written"},
		{"invalid bytes", "- A: b", []Patch{{"b", "c"}, {"c", "\xff"}}, "facts/user.md: newText is not valid UTF-8; nothing was written"},
		{"half a character", "é", []Patch{{"\xc3", "c"}}, "facts/user.md: oldText is not valid UTF-8; nothing was written"},
	} {
		n := openNotes(t, nil, nil)
		write(t, n.store, "facts/user.md", c.old)
		applied, err := n.Patch(t.Context(), "facts/user.md", c.patches)
		assert.Zero(t, applied, c.name)
		assert.ErrorIs(t, err, ErrInvalid, c.name)
		assert.EqualError(t, err, "patch note: "+c.msg, c.name)
		assert.Equal(t, c.old, noteOf(t, n, "facts/user.md"), c.name)
	}
}

func TestPatchOfAMissingFile(t *testing.T) {
	n := openNotes(t, nil, nil)
	_, err := n.Patch(t.Context(), "facts/user.md", []Patch{{"a", "b"}})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.EqualError(t, err, "patch note: facts/user.md does not exist, so there is nothing to patch: memory_write makes it")
	assert.Empty(t, noteOf(t, n, "facts/user.md"))
}

// Of texts around which a file is mended at random, either all are replaced or the file is as it was.
func FuzzPatch(f *testing.F) {
	f.Add(userFacts, "Zhang San", "Li Si", "Li", "Wang")
	f.Add("aaa", "aa", "b", "", "")
	f.Add("\uFEFFa\r\nb", "a\nb", "c\r\nd", "d", "\n")
	f.Fuzz(func(t *testing.T, text, old1, new1, old2, new2 string) {
		n := openNotes(t, nil, nil)
		write(t, n.store, "a.md", text)
		applied, err := n.Patch(t.Context(), "a.md", []Patch{{old1, new1}, {old2, new2}})
		if err != nil {
			require.Zero(t, applied)
			require.Equal(t, text, noteOf(t, n, "a.md"))
			require.Less(t, len(err.Error()), 4<<10)
			return
		}
		require.Equal(t, 2, applied)
	})
}
