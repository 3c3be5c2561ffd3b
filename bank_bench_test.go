package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchBank gives a bank of n memories of which the first tenth speaks of logins.
func benchBank(b *testing.B, store Store, n int) *Bank {
	b.Helper()
	for i := range n {
		topic := fmt.Sprintf("topic%d", i)
		if i < n/10 {
			topic = "login"
		}
		m := testMemory(fmt.Sprintf("Memory %d about %s", i, topic), func(m *Memory) {
			m.WhenToUse = []string{topic + "|handling of " + topic, fmt.Sprintf("When working on part %d of %s", i, topic), topic + ".*failed"}
			m.Tags = []string{"code-patterns"}
		})
		data, err := Format(m)
		require.NoError(b, err)
		write(b, store, slugTitle(m.Title, 1)+suffix, string(data))
	}
	bank, err := New(store, nil)
	require.NoError(b, err)
	_, err = bank.Recall(context.Background(), Query{})
	require.NoError(b, err)
	return bank
}

var benchQuery = Query{
	Task:  "The login page of the shop sends people back to the start after the session has expired; find out why, and write a test that fails first.",
	Agent: "developer",
}

func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			bank := benchBank(b, NewMapStore(), n)
			for b.Loop() {
				matches, err := bank.Recall(context.Background(), benchQuery)
				require.NoError(b, err)
				require.Len(b, matches, 5)
			}
		})
	}
}

// BenchmarkLook is what a look at an unchanged directory costs.
func BenchmarkLook(b *testing.B) {
	dir := b.TempDir()
	store, err := NewDirStore(dir, &DirOptions{NoSync: true})
	require.NoError(b, err)
	bank := benchBank(b, store, 1000)
	for name := range bank.index.entries { // files that were just written are read at each look
		require.NoError(b, os.Chtimes(filepath.Join(dir, name+suffix), longAgo, longAgo))
	}
	bank.opts.MaxAge = -1
	_, err = bank.snapshot(context.Background())
	require.NoError(b, err)
	for b.Loop() {
		_, err := bank.snapshot(context.Background())
		require.NoError(b, err)
	}
}

// BenchmarkLoad is what it costs to open a directory of a thousand memories.
func BenchmarkLoad(b *testing.B) {
	store, err := NewDirStore(b.TempDir(), &DirOptions{NoSync: true})
	require.NoError(b, err)
	benchBank(b, store, 1000)
	for b.Loop() {
		bank, err := New(store, nil)
		require.NoError(b, err)
		_, err = bank.snapshot(context.Background())
		require.NoError(b, err)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, sync := range []bool{true, false} {
		b.Run(fmt.Sprintf("sync=%v", sync), func(b *testing.B) {
			store, err := NewDirStore(b.TempDir(), &DirOptions{NoSync: !sync})
			require.NoError(b, err)
			bank := benchBank(b, store, 100)
			for i := 0; b.Loop(); i++ {
				_, err := bank.Append(context.Background(), testMemory(fmt.Sprintf("New %d", i), nil))
				require.NoError(b, err)
			}
		})
	}
}
