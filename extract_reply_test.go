package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory/internal/replyjson"
)

// TestParseExtractionReplies reads each testdata/replies/<case>.txt, and compares
// what it says with <case>.golden.
func TestParseExtractionReplies(t *testing.T) {
	files, err := filepath.Glob("testdata/replies/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			reply, err := os.ReadFile(file)
			require.NoError(t, err)
			golden(t, "replies/"+name+".golden", []byte(outcome(ParseExtraction(string(reply)))))
		})
	}
}

// outcome shows an extraction, or the error, for a person to read. What cannot be
// seen is shown by its code point, line breaks aside.
func outcome(x *Extraction, err error) string {
	if err != nil {
		return "error: " + err.(*ReplyError).Msg + "\n"
	}
	var b strings.Builder
	show := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	list := func(key string, items []string) {
		for _, item := range items {
			show(key, item)
		}
	}
	show("action", x.Action.String())
	show("name", x.Name)
	show("reason", x.Reason)
	if m := x.Memory; m != nil {
		show("title", m.Title)
		for _, trigger := range m.WhenToUse {
			show("whenToUse", "`"+trigger+"`")
		}
		list("tag", m.Tags)
		show("importance", m.Importance.String())
		show("source", m.Source)
		list("related", m.RelatedMemories)
	}
	show("reasoning", x.Reasoning)
	show("evidence", x.Evidence)
	list("warning", x.Warnings)
	list("removed", x.Removed)
	if x.Memory != nil {
		fmt.Fprintf(&b, "body:\n%s\n", x.Memory.Body)
	}
	var visible strings.Builder
	for _, r := range b.String() {
		if r != '\n' && !unicode.IsPrint(r) || r == '\uFFFD' {
			fmt.Fprintf(&visible, "<%U>", r)
			continue
		}
		visible.WriteRune(r)
	}
	return visible.String()
}

// TestParseExtractionGivesNothingElse: what is the host's to say stays zero.
func TestParseExtractionGivesNothingElse(t *testing.T) {
	reply, err := os.ReadFile("testdata/replies/provenance-given.txt")
	require.NoError(t, err)
	x, err := ParseExtraction(string(reply))
	require.NoError(t, err)
	m := *x.Memory
	want := Memory{Frontmatter: Frontmatter{Title: m.Title, WhenToUse: m.WhenToUse, Tags: m.Tags, Importance: m.Importance,
		Source: m.Source, RelatedMemories: m.RelatedMemories}, Body: m.Body}
	assert.Equal(t, want, m)
	for _, removed := range x.Removed {
		assert.NotContains(t, removed, "somebody-else", "values are not repeated")
	}
}

func TestParseExtractionTooLong(t *testing.T) {
	valid := `{"shouldCreateMemory": false, "reasoning": "x"}`
	x, err := ParseExtraction(strings.Repeat(" ", maxReply-len(valid)) + valid)
	require.NoError(t, err)
	assert.Equal(t, Skipped, x.Action)

	reply := strings.Repeat(" ", maxReply-len(valid)+1) + valid
	_, err = ParseExtraction(reply)
	var e *ReplyError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, reply, e.Reply)
	assert.Equal(t, "the reply has 1048577 bytes; at most 1048576 can be read", e.Msg)
	assert.ErrorIs(t, err, ErrInvalid)
}

// TestIsAnswerBoundsYAML: YAML is read only for the title of a candidate that does
// not decide, and only as often as the budget allows.
func TestIsAnswerBoundsYAML(t *testing.T) {
	var candidates []*replyjson.Object
	replyjson.Find(`{"frontmatter": "title: T", "content": "x"} {"shouldCreateMemory": true, "frontmatter": "title: T", "content": "x"}`,
		replyjson.Schema{Fits: func(o *replyjson.Object) bool { candidates = append(candidates, o); return true }})
	require.Len(t, candidates, 2)
	budget := 1
	assert.True(t, isAnswer(candidates[1], &budget))
	assert.Equal(t, 1, budget)
	assert.True(t, isAnswer(candidates[0], &budget))
	assert.Zero(t, budget)
	assert.False(t, isAnswer(candidates[0], &budget))
}

// BenchmarkParseExtraction reads answers of a usual and of the largest size, in
// valid JSON and with quotes that lack their backslashes.
func BenchmarkParseExtraction(b *testing.B) {
	head := `{"shouldCreateMemory": true, "memoryTitle": "T", "whenToUse": ["a"], "importance": "low", "reasoning": "r", "content": "`
	for name, reply := range map[string]string{
		"2 KB":          head + strings.Repeat(`Some words of text.\n`, 100) + `"}`,
		"2 KB, broken":  head + strings.Repeat(`Some "words" of text.\n`, 100) + `",}`,
		"1 MiB":         head + strings.Repeat(`Some words of text.\n`, 49_000) + `"}`,
		"1 MiB, broken": head + strings.Repeat(`Some "words" of text.\n`, 45_000) + `",}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				if _, err := ParseExtraction(reply); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
