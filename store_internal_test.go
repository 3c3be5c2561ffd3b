package memory

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoSyncIsNoSync(t *testing.T) {
	for _, opts := range []*DirOptions{nil, {}, {NoSync: true}} {
		store, err := NewDirStore(t.TempDir(), opts)
		require.NoError(t, err)
		assert.Equal(t, opts != nil && opts.NoSync, store.sync == nil)
	}
}

// A root that is still in use stays open after Close.
func TestReadBatchLeavesNothingRunning(t *testing.T) {
	store, err := NewDirStore(t.TempDir(), &DirOptions{NoSync: true})
	require.NoError(t, err)
	var names []string
	for i := range 2 * readers * chunkSize {
		names = append(names, fmt.Sprint(i))
		require.NoError(t, store.Update(t.Context(), names[i], func([]byte) ([]byte, error) { return make([]byte, 1<<16), nil }))
	}
	root, release, err := store.dir.Acquire()
	require.NoError(t, err)
	release()
	for range store.ReadBatch(t.Context(), names) {
		break
	}
	require.NoError(t, store.Close())
	_, err = root.Stat(".")
	assert.ErrorIs(t, err, fs.ErrClosed)
}

func TestMapStoreKeepsWhatIsRemoved(t *testing.T) {
	store := NewMapStore()
	for _, content := range []string{"one", "two", "three"} {
		require.NoError(t, store.Update(t.Context(), "a.md", func([]byte) ([]byte, error) { return []byte(content), nil }))
		require.NoError(t, store.Remove(t.Context(), "a.md"))
	}
	for name, content := range map[string]string{".trash/a.md": "one", ".trash/a-2.md": "two", ".trash/a-3.md": "three"} {
		assert.Equal(t, content, string(store.docs[name].data))
	}
	assert.Len(t, store.docs, 3)
}
