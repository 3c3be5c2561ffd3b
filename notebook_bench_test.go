package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkIndex asks for the index of a directory of 1,000 files that have not changed.
func BenchmarkIndex(b *testing.B) {
	store, err := NewDirStore(b.TempDir(), &DirOptions{NoSync: true})
	require.NoError(b, err)
	for i := range 1000 {
		write(b, store, fmt.Sprintf("facts/%04d.md", i), userFacts)
	}
	store.now = func() time.Time { return time.Now().Add(time.Hour) } // until when versions hold
	n := openNotes(b, store, nil)
	indexOf(b, n)
	for b.Loop() {
		indexOf(b, n)
	}
}

// BenchmarkAppendTool appends to an episode file of 100 KB, which is put back before each.
func BenchmarkAppendTool(b *testing.B) {
	for name, store := range map[string]func() Store{
		"memory": func() Store { return NewMapStore() },
		"files": func() Store {
			store, err := NewDirStore(b.TempDir(), &DirOptions{NoSync: true})
			require.NoError(b, err)
			return store
		},
	} {
		b.Run(name, func(b *testing.B) {
			n := openNotes(b, store(), nil)
			var file strings.Builder
			file.WriteString("# 2026-02 Episodes\n\n> Summary: s\n")
			for i := 0; file.Len() < 100_000; i++ {
				fmt.Fprintf(&file, "\n## Entry %04d%s", i, strings.TrimPrefix(loggerEntry, "## Logger stdout leak fix"))
			}
			tool := toolNamed(b, n.Tools(), "memory_append")
			args, err := json.Marshal(map[string]string{"path": "episodes/2026-02.md", "entry": shortIDEntry})
			require.NoError(b, err)
			b.SetBytes(int64(file.Len()))
			for b.Loop() {
				b.StopTimer()
				write(b, n.store, "episodes/2026-02.md", file.String())
				b.StartTimer()
				_, err := tool.Call(b.Context(), args)
				require.NoError(b, err)
			}
		})
	}
}
