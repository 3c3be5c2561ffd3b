package memory

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzParseExtraction reads junk: it never panics, gives either an extraction or
// a *ReplyError with the reply, and what it gives can be written as JSON and read again.
func FuzzParseExtraction(f *testing.F) {
	files, err := filepath.Glob("testdata/replies/*.txt")
	require.NoError(f, err)
	for _, file := range files {
		reply, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(reply))
	}
	f.Fuzz(func(t *testing.T, reply string) {
		x, err := ParseExtraction(reply)
		if err != nil {
			var e *ReplyError
			require.ErrorAs(t, err, &e)
			require.Equal(t, reply, e.Reply)
			require.NotEmpty(t, e.Msg)
			require.Nil(t, x)
			return
		}
		checkExtraction(t, x)
		again, err := ParseExtraction(asReply(t, x))
		require.NoError(t, err)
		require.Equal(t, x.Memory, again.Memory)
		require.Equal(t, []string{x.Action.String(), x.Name, x.Reasoning, x.Evidence},
			[]string{again.Action.String(), again.Name, again.Reasoning, again.Evidence})
	})
}

// checkExtraction: one that was read can be kept.
func checkExtraction(t *testing.T, x *Extraction) {
	lines := append([]string{x.Name}, x.Warnings...)
	lines = append(lines, x.Removed...)
	texts := []string{x.Reasoning, x.Evidence}
	switch x.Action {
	case Skipped:
		require.Nil(t, x.Memory)
		require.NotEmpty(t, x.Reason)
	case Created, Corrected:
		m := x.Memory
		require.True(t, hasWord(m.Title) && hasWord(m.Body))
		require.Equal(t, x.Action == Corrected, x.Name != "")
		normal, err := normalBody(m.Body)
		require.NoError(t, err)
		require.Equal(t, normal, m.Body)
		lines = append(lines, m.Title, m.Source)
		for _, items := range [][]string{m.WhenToUse, m.Tags, m.RelatedMemories} {
			for _, item := range items {
				require.NotEmpty(t, strings.TrimSpace(item))
			}
			lines = append(lines, items...)
		}
		texts = append(texts, m.Body)
	default:
		t.Fatalf("decision %v", x.Action)
	}
	for _, line := range lines {
		require.True(t, utf8.ValidString(line))
		require.False(t, strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
		}), "%q", line)
	}
	for _, text := range texts {
		require.True(t, utf8.ValidString(text))
		require.False(t, strings.ContainsFunc(text, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\t'
		}), "%q", text)
	}
}

// asReply is the reply of a model that says the same in valid JSON.
func asReply(t *testing.T, x *Extraction) string {
	answer := map[string]any{"shouldCreateMemory": x.Memory != nil, "contradicts": x.Name, "reasoning": x.Reasoning, "evidence": x.Evidence}
	if m := x.Memory; m != nil {
		answer["memoryTitle"], answer["content"] = m.Title, m.Body
		answer["frontmatter"] = map[string]any{"title": m.Title, "whenToUse": m.WhenToUse, "tags": m.Tags,
			"importance": m.Importance.String(), "source": m.Source, "relatedMemories": m.RelatedMemories}
	}
	reply, err := json.Marshal(answer)
	require.NoError(t, err)
	return string(reply)
}
