package yamledit

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/stretchr/testify/require"
)

// long gives a document of at least size bytes, made of the convention's discoveries.
func long(tb testing.TB, size int) string {
	text, err := os.ReadFile("testdata/discoveries.yaml")
	require.NoError(tb, err)
	entries, found := strings.CutPrefix(string(text), "discoveries:\n")
	require.True(tb, found)
	var b strings.Builder
	b.WriteString("version: \"1\"\n\ndiscoveries:\n")
	for b.Len() < size {
		b.WriteString(entries + "\n")
	}
	b.WriteString("context:\n  currentPlanStep: 2\n")
	return b.String()
}

func benchmark(b *testing.B, text string, change func(d *Doc)) {
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		d, err := Parse([]byte(text))
		require.NoError(b, err)
		change(d)
		_, err = d.Bytes()
		require.NoError(b, err)
	}
}

func BenchmarkAppend100K(b *testing.B) {
	v := value(b, entry{ID: "new", Content: "Two lines:\n- one\n", Files: []string{"src/a.ts"}})
	benchmark(b, long(b, 100<<10), func(d *Doc) { d.Append(d.Root(), "discoveries", v) })
}

func BenchmarkSet100K(b *testing.B) {
	v := value(b, 3)
	benchmark(b, long(b, 100<<10), func(d *Doc) { d.Set(Get(d.Root(), "context"), "currentPlanStep", v) })
}

// BenchmarkLoad100K is what the YAML reader alone needs.
func BenchmarkLoad100K(b *testing.B) {
	text := []byte(long(b, 100<<10))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := safeyaml.Load(text)
		require.NoError(b, err)
	}
}

func entries(n int) string {
	var b strings.Builder
	b.WriteString("l:\n")
	for i := range n {
		fmt.Fprintf(&b, "- id: %d\n  s: x\n", i)
	}
	return b.String()
}

func BenchmarkAppendTo20000(b *testing.B) {
	v := value(b, map[string]int{"id": 1})
	benchmark(b, entries(20000), func(d *Doc) { d.Append(d.Root(), "l", v) })
}

func BenchmarkSetIn20000(b *testing.B) {
	v := value(b, "y")
	benchmark(b, entries(20000), func(d *Doc) {
		for _, e := range Get(d.Root(), "l").Content {
			d.Set(e, "s", v)
			d.Set(e, "t", v)
		}
	})
}

func BenchmarkRemoveHalfOf20000(b *testing.B) {
	benchmark(b, entries(20000), func(d *Doc) {
		list := Get(d.Root(), "l")
		for i := range list.Content {
			if i%2 == 0 {
				d.Remove(list, i)
			}
		}
	})
}

func BenchmarkSet20000Keys(b *testing.B) {
	v := value(b, 1)
	text := strings.Replace(strings.Replace(entries(20000), "- id: ", "k", -1), "\n  s:", ":", -1)
	benchmark(b, strings.TrimPrefix(text, "l:\n"), func(d *Doc) {
		for i := range 40000 {
			d.Set(d.Root(), fmt.Sprint("k", i), v)
		}
	})
}
