package memory

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// asYAML shows a value such that equal ones, with pointers and NaNs, have equal texts.
func asYAML(t *testing.T, v any) string {
	text, err := yaml.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// FuzzSession reads any file: it never panics, gives the same each time, and a file that
// can be read keeps all its other lines when a discovery is added. One that cannot is left alone.
func FuzzSession(f *testing.F) {
	f.Add(sessionHead+"discoveries:\n  - id: discovery-001\n    content: |\n      a\n", "b")
	f.Add(handWritten, "## x\n\n- y\n")
	f.Add("# only a comment", "\t")
	f.Add("{version: 1, discoveries: [{id: a}, b], context: {blockers: x}}", "a: b")
	f.Add("discoveries:\r\n- a\r\n", "x\r\n")
	f.Add("history:\n- lastIds: {discovery: 5}\n  archivedAt: 2026-01-01\nattempts:\n- result: failure\n  timestamp: 2026-01-01\n", "---")
	f.Add("discoveries: |+\n  x\n\n\nattempts: null", "\u2028")
	for _, bad := range badSessions() {
		if len(bad.text) < 1<<12 {
			f.Add(bad.text, "x")
		}
	}
	f.Fuzz(func(t *testing.T, text, content string) {
		if len(text) > 1<<15 {
			return
		}
		checkReading(t, text, content)
	})
}

func checkReading(t *testing.T, text, content string) {
	ctx := context.Background()
	store := NewMapStore()
	write(t, store, sessionPath, text)
	d, err := readSession([]byte(text))
	s, openErr := OpenSession(ctx, store, sessionID, "developer", nil)
	if err != nil {
		require.Error(t, openErr)
		require.Equal(t, text, docText(t, store, sessionPath), "what cannot be read is left alone")
		return
	}
	if openErr != nil || s.name != sessionFile+".yaml" {
		return // another agent's, or its archive
	}
	before := memoryOf(t, s)
	if text != "" && len(d.Root().Content) > 0 {
		was := d.memory()
		was.Agent = "developer" // who opens a file without a name, takes it
		require.Equal(t, asYAML(t, was), asYAML(t, before))
	}
	require.NotContains(t, strings.ReplaceAll(FormatSession(before), "\n## ", "\n"), "\n#", "no heading of its own")
	id, err := s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: content})
	if err != nil {
		return
	}
	checkAdded(t, store, s, before, id, text, content)
	all, was, _ := everywhere(t, store)
	moved, err := s.Archive(ctx, -1)
	after, file, archive := everywhere(t, store)
	require.Equal(t, all, after, "each entry is in the file or in the archive")
	if err == nil {
		require.GreaterOrEqual(t, moved, 1, "the discovery")
		require.Less(t, len(file), len(was))
		require.GreaterOrEqual(t, len(archive), 1)
	}
}

func checkAdded(t *testing.T, store Store, s *Session, before *SessionMemory, id, text, content string) {
	after := memoryOf(t, s)
	last := len(after.Discoveries) - 1
	require.Equal(t, id, after.Discoveries[last].ID)
	require.Equal(t, cleaned(content), after.Discoveries[last].Content)
	if len(before.Discoveries) != last {
		require.Empty(t, before.Discoveries)
	}
	require.Equal(t, asYAML(t, before.Discoveries), asYAML(t, after.Discoveries[:last]))
	require.Equal(t, asYAML(t, before.Attempts), asYAML(t, after.Attempts))
	require.Equal(t, asYAML(t, before.Decisions), asYAML(t, after.Decisions))
	require.Equal(t, asYAML(t, before.Context), asYAML(t, after.Context))
	d, err := readSession([]byte(text))
	require.NoError(t, err)
	list, err := d.list("discoveries")
	require.NoError(t, err)
	if len(list) > 0 && list[0].Line > d.Root().Line && isPlainText(text) {
		assertLinesKept(t, strings.TrimSuffix(text, "\n"), docText(t, store, sessionPath), nil)
	}
}

// isPlainText says whether a file has neither flow style nor odd lines, which may be written anew.
func isPlainText(text string) bool {
	return !strings.ContainsAny(text, "{}[]?&!%|>\r\u0085\u2028\u2029\ufeff")
}
