package filelock

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func openRoot(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestLockExcludes(t *testing.T) {
	root := openRoot(t)
	// Atomic, because the race detector knows nothing of file locks; loads and stores
	// apart, so that two holders at once would lose one.
	var n, inside atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			release, err := Lock(t.Context(), root, "lock")
			if !assert.NoError(t, err) {
				return
			}
			assert.EqualValues(t, 1, inside.Add(1))
			before := n.Load()
			runtime.Gosched()
			n.Store(before + 1)
			inside.Add(-1)
			assert.NoError(t, release())
		})
	}
	group.Wait()
	assert.EqualValues(t, 8, n.Load())
	_, err := root.Stat("lock")
	assert.NoError(t, err, "the file stays")
}

func TestLockWaitsNoLongerThanItsContext(t *testing.T) {
	root := openRoot(t)
	synctest.Test(t, func(t *testing.T) {
		release, err := Lock(t.Context(), root, "lock")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = Lock(ctx, root, "lock")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "waiting for lock lock")

		other, err := Lock(t.Context(), root, "other")
		require.NoError(t, err)
		assert.NoError(t, other())
		assert.NoError(t, release())
		again, err := Lock(t.Context(), root, "lock")
		require.NoError(t, err)
		assert.NoError(t, again())
	})
}

func TestLockNeedsItsDirectory(t *testing.T) {
	_, err := Lock(t.Context(), openRoot(t), "missing/lock")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// Who waits on a lock file that is cleaned away meanwhile must not take the lock of the dead file.
func TestLockIsOfTheFileThatIsThere(t *testing.T) {
	root := openRoot(t)
	f, err := try(root, "lock")
	require.NoError(t, err)
	defer f.Close()

	at, err := isAt(f, root, "lock")
	assert.True(t, at)
	assert.NoError(t, err)

	require.NoError(t, root.Rename("lock", "kept")) // so that its inode is not used again
	at, err = isAt(f, root, "lock")
	assert.False(t, at)
	assert.NoError(t, err, "missing")

	require.NoError(t, root.WriteFile("lock", nil, 0o600))
	at, err = isAt(f, root, "lock")
	assert.False(t, at)
	assert.NoError(t, err, "another")

	require.NoError(t, root.Remove("lock"))
	require.NoError(t, os.Symlink(filepath.Join("..", "out"), filepath.Join(root.Name(), "lock")))
	_, err = isAt(f, root, "lock")
	assert.Error(t, err)
}

func TestLockOfAClosedFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = tryLock(f)
	assert.Error(t, err)
	assert.Error(t, unlock(f))
}
