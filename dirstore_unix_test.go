//go:build unix

package memory_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDirStoreRefusesPipesAtOnce(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600))
	store := openDir(t, dir, nil)
	refuses(t, store, "pipe.md")
	_, err := store.Read(t.Context(), "pipe.md")
	assert.ErrorContains(t, err, "not a regular file")
	assert.Equal(t, []string{"pipe.md"}, list(t, store, "."))
	assert.Empty(t, list(t, store, "pipe.md"))
	assert.ErrorContains(t, store.Update(t.Context(), "pipe.md/x.md", write("x")), "not a directory")
}

func TestDirStoreKeepsPermissions(t *testing.T) {
	dir := t.TempDir()
	store := openDir(t, dir, nil)
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	for _, mode := range []os.FileMode{0o600, 0o664, 0o777, 0o444} {
		file := filepath.Join(dir, "a.md")
		_ = os.Remove(file)
		put(t, store, "a.md", "new")
		assert.Equal(t, os.FileMode(0o640), modeOf(t, file), "0644 but for the umask")
		require.NoError(t, os.Chmod(file, mode))
		put(t, store, "a.md", "newer")
		assert.Equal(t, mode, modeOf(t, file))
	}
}

func modeOf(t *testing.T, file string) os.FileMode {
	info, err := os.Stat(file)
	require.NoError(t, err)
	return info.Mode()
}

// inChildren runs the test again in n processes at once. Each finds a directory in its
// environment and does its part there.
func inChildren(t *testing.T, n int, dir string) {
	t.Helper()
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			child.Env = append(os.Environ(), childDir+"="+dir)
			output, err := child.CombinedOutput()
			assert.NoError(t, err, string(output))
		})
	}
	group.Wait()
}

const childDir = "MEMORY_TEST_CHILD_DIR"

func TestManyProcessesLoseNothing(t *testing.T) {
	const processes, each = 8, 50
	if dir := os.Getenv(childDir); dir != "" {
		store := openDir(t, dir, noSync)
		for range each {
			require.NoError(t, store.Update(t.Context(), "count", func(old []byte) ([]byte, error) {
				n, err := strconv.Atoi("0" + string(old))
				return []byte(strconv.Itoa(n + 1)), err
			}))
		}
		return
	}
	dir := t.TempDir()
	inChildren(t, processes, dir)
	assert.Equal(t, strconv.Itoa(processes*each), read(t, openDir(t, dir, nil), "count"))
	assert.Equal(t, []string{"count"}, onDisk(t, dir))
}

// A limit on the size of files fails a write in the middle, as a full disk does.
func TestFullDiskKeepsOldContent(t *testing.T) {
	if dir := os.Getenv(childDir); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		var usual syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual))
		low := syscall.Rlimit{Cur: 100, Max: usual.Max}
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low))
		defer func() { assert.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual)) }()
		store := openDir(t, dir, nil)
		large := write(strings.Repeat("x", 1000))
		assert.ErrorIs(t, store.Update(t.Context(), "a.md", large), syscall.EFBIG)
		assert.ErrorIs(t, store.Update(t.Context(), "new.md", large), syscall.EFBIG)
		put(t, store, "small.md", "fits")
		return
	}
	dir := t.TempDir()
	put(t, openDir(t, dir, nil), "a.md", "old")
	inChildren(t, 1, dir)
	assert.Equal(t, []string{"a.md", "small.md"}, onDisk(t, dir))
	assert.Equal(t, "old", read(t, openDir(t, dir, nil), "a.md"))
}
