//go:build unix

package memory

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func text(s string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(s), nil }
}

// temps lists the temporary files in dir.
func temps(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".tmp-*"))
	require.NoError(t, err)
	return found
}

// The process dies when the temporary file is complete and before it is renamed.
func TestCrashBeforeRename(t *testing.T) {
	const env = "MEMORY_TEST_CRASH_DIR"
	if dir := os.Getenv(env); dir != "" {
		store, err := NewDirStore(dir, nil)
		require.NoError(t, err)
		store.sync = func(*os.File) error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }
		_ = store.Update(t.Context(), "a.md", text("new"))
		return
	}
	dir := t.TempDir()
	store, err := NewDirStore(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, store.Update(t.Context(), "a.md", text("old")))

	child := exec.Command(os.Args[0], "-test.run=^TestCrashBeforeRename$")
	child.Env = append(os.Environ(), env+"="+dir)
	require.ErrorContains(t, child.Run(), "killed")
	data, err := store.Read(t.Context(), "a.md")
	require.NoError(t, err)
	assert.Equal(t, "old", string(data))
	require.Len(t, temps(t, dir), 1)
	for info := range store.List(t.Context(), ".") {
		assert.Equal(t, "a.md", info.Name)
	}

	// The lock died with the process. A fresh file may have a writer, so it stays.
	late, err := NewDirStore(dir, nil)
	require.NoError(t, err)
	defer late.Close()
	require.NoError(t, late.Update(t.Context(), "a.md", text("newer")))
	assert.Len(t, temps(t, dir), 1)
	later, err := NewDirStore(dir, nil)
	require.NoError(t, err)
	defer later.Close()
	later.now = func() time.Time { return time.Now().Add(leftAfter + time.Minute) }
	require.NoError(t, later.Update(t.Context(), "a.md", text("newest")))
	assert.Empty(t, temps(t, dir))
}

func TestFailedSyncKeepsOldContent(t *testing.T) {
	dir := t.TempDir()
	store, err := NewDirStore(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, store.Update(t.Context(), "a.md", text("old")))

	calls := 0
	store.sync = func(*os.File) error { calls++; return syscall.EIO }
	err = store.Update(t.Context(), "a.md", text("new"))
	assert.ErrorIs(t, err, syscall.EIO)
	assert.ErrorContains(t, err, `update "a.md"`)
	assert.Equal(t, 1, calls, "never again after a failure")
	data, err := store.Read(t.Context(), "a.md")
	require.NoError(t, err)
	assert.Equal(t, "old", string(data))
	assert.Empty(t, temps(t, dir))

	missing, err := NewDirStore(filepath.Join(dir, "new", "deep"), nil)
	require.NoError(t, err)
	missing.sync = store.sync
	assert.ErrorIs(t, missing.Update(t.Context(), "a.md", text("new")), syscall.EIO)
}

// Each step in the order in which it must come: content, then the names of it and above it.
func TestSyncOrder(t *testing.T) {
	dir := t.TempDir()
	store, err := NewDirStore(filepath.Join(dir, "memories"), nil)
	require.NoError(t, err)
	defer store.Close()
	var synced []string
	store.sync = func(f *os.File) error {
		rel, err := filepath.Rel(dir, f.Name())
		if strings.Contains(rel, ".tmp-") {
			_, err = os.Stat(filepath.Join(dir, "memories", "a", "b", "x.md"))
			assert.ErrorIs(t, err, os.ErrNotExist, "not renamed before the content is on the disk")
			rel, err = "temporary", nil
		}
		synced = append(synced, filepath.ToSlash(rel))
		return errors.Join(err, f.Sync())
	}
	require.NoError(t, store.Update(t.Context(), "a/b/x.md", text("x")))
	assert.Equal(t, []string{".", "memories", "memories/a", "temporary", "memories/a/b"}, synced)
}

// A file that is old enough has one version, and so has one whose time lies far ahead.
func TestVersionAtTheEdge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.md")
	require.NoError(t, os.WriteFile(file, []byte("a"), 0o600))
	info, err := os.Stat(file)
	require.NoError(t, err)
	for offset, stable := range map[time.Duration]bool{
		-time.Hour: true, 1 - racyWindow: false, 0: false, racyWindow - 1: false, racyWindow: true, time.Hour: true,
	} {
		store, now := new(DirStore), info.ModTime().Add(offset)
		first := store.version(info, now)
		assert.Equal(t, stable, first == store.version(info, now), offset)
	}
	assert.Zero(t, inode(fakeInfo{info}))
}

type fakeInfo struct{ os.FileInfo }

func (fakeInfo) Sys() any { return nil }
