package memory

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// shown shows a value such that equal ones, NaNs among them, have equal texts.
func shown(v any) string {
	if m, ok := v.(*Memory); ok && m != nil && m.Original != nil {
		original, c := *m.Original, *m
		c.Original = nil
		return fmt.Sprintf("%+v %+v", c, original)
	}
	return fmt.Sprintf("%+v", v)
}

// FuzzParse reads junk, alone and behind a good head: it never panics, reads the
// same thing twice in the same way, and an entry appended to it stands whole.
func FuzzParse(f *testing.F) {
	f.Add([]byte(fileHead+"a\n"), "b")
	f.Add([]byte("\ufeff---\r\ntitle: a: b\r\nwhenToUse: [*.go]\r\n---\r\n"), "---\n\n---\ntitle: x\n---\n")
	f.Add([]byte("a\n\n---\n\n---\ntitle: torn\n"), "```")
	f.Add([]byte("\\---\n---\nx: !y z\n---\n---"), "\\---")
	f.Fuzz(func(t *testing.T, data []byte, body string) {
		for _, file := range [][]byte{data, append([]byte(fileHead), data...)} {
			checkParse(t, file, body)
		}
	})
}

func checkParse(t *testing.T, file []byte, body string) {
	old, problems, err := parseMemory("n", file)
	again, same, _ := parseMemory("n", file)
	require.Equal(t, shown(old), shown(again))
	require.Equal(t, problems, same)
	if err != nil {
		_, err = appendEntries("n", file, newsMemory())
		require.Error(t, err, "what cannot be read is never treated as empty")
		return
	}
	checkFormat(t, old)
	m := newsMemory()
	if m.Body, err = normalBody(body); err != nil {
		return
	}
	data, err := appendEntries("n", file, m)
	if err != nil {
		return // the file ends in an unfinished entry, or is too large
	}
	require.Equal(t, string(file), string(data[:len(file)]))
	got, err := Parse("n", data)
	require.NoError(t, err)
	require.Len(t, got.Updates, len(old.Updates)+1)
	last := len(old.Updates)
	require.Equal(t, Update{m.Frontmatter, m.Body}, got.Updates[last], "an entry that stands whole is not lost")
	require.Equal(t, old.Body, got.Body)
	if last > 0 {
		require.Equal(t, shown(old.Updates), shown(got.Updates[:last]))
	}
	checkWholeEntryAmongJunk(t, file, body)
}

// checkWholeEntryAmongJunk: whatever somebody writes behind an entry, it stands.
func checkWholeEntryAmongJunk(t *testing.T, file []byte, junk string) {
	m := newsMemory()
	m.Body = "whole body"
	data, err := appendEntries("n", file, m)
	if err != nil || !utf8.ValidString(junk) || len(data)+len(junk)+2 > maxFile {
		return
	}
	got, err := Parse("n", append(data, "\n"+junk...))
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(got.Updates, func(u Update) bool {
		return reflect.DeepEqual(u.Frontmatter, m.Frontmatter) && strings.HasPrefix(u.Body, m.Body)
	}), "an entry that stands whole is not lost")
}

// checkFormat writes what was read, where that is strict enough, and reads it again.
func checkFormat(t *testing.T, m *Memory) {
	dated := !m.first().DiscoveredAt.IsZero()
	for _, u := range m.Updates {
		dated = dated && !u.DiscoveredAt.IsZero()
	}
	data, err := Format(m)
	if err != nil || !dated {
		return
	}
	got, err := Parse("n", data)
	require.NoError(t, err)
	require.Equal(t, shown(m), shown(got))
}

// FuzzFormatParse writes any memory that Format accepts and reads it back as one
// entry; a body in normal form is always accepted.
func FuzzFormatParse(f *testing.F) {
	f.Add("T", "auth|login", "tag", "---\n---\n\\---\n\n--- \n```\n---", "k", int64(0))
	f.Add("a: b # c", `"\b'`, "no", "\r\n  x\r\n---\r\n\r\n---\r\ntitle: y\r\n---\r\n", "1", int64(1)<<60)
	f.Add("\u00a0é\u200d\ufeff", "- *.go", "~", "\\\\---\t\n\n\n", "title", int64(-1)<<62)
	f.Fuzz(func(t *testing.T, title, trigger, tag, body, extra string, ns int64) {
		normal, err := normalBody(body)
		if err != nil || len(body) > maxFile/4 {
			return
		}
		plain := newsMemory()
		plain.Importance, plain.WhenToUse, plain.Body = Low, []string{"x"}, body
		got := formatAndParse(t, plain)
		require.NotNil(t, got, "a body in normal form is accepted")
		require.Equal(t, normal, got.Body)

		m := newsMemory()
		m.Title, m.WhenToUse, m.Tags = title, []string{trigger, title}, []string{tag}
		m.Importance, m.DiscoveredAt, m.DiscoveredBy = High, time.Unix(0, ns).UTC(), tag
		m.DiscoveredIn, m.Source, m.RelatedMemories = extra, trigger, []string{extra}
		m.Extra, m.Body = map[string]any{extra: []any{title, map[string]any{tag: body}, float64(ns), ns}}, normal
		if got = formatAndParse(t, m); got != nil {
			m.Extra[extra].([]any)[3] = int(ns)
			require.Equal(t, m, got)
		}
	})
}

// formatAndParse gives nil where Format does not accept m.
func formatAndParse(t *testing.T, m *Memory) *Memory {
	data, err := Format(m)
	if err != nil {
		return nil
	}
	require.True(t, strings.HasSuffix(string(data), "\n"))
	got, err := Parse("", data)
	require.NoError(t, err)
	require.Empty(t, got.Updates, "one entry")
	return got
}
