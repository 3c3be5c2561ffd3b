package liveroot

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func acquire(t *testing.T, d *Dir) (*os.Root, func()) {
	t.Helper()
	root, release, err := d.Acquire()
	require.NoError(t, err)
	return root, release
}

func TestNewRefusesAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := New(file)
	assert.ErrorContains(t, err, file+" is not a directory")
}

func TestNewNeedsAWorkingDirectoryForARelativePath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(dir, 0o755))
	t.Chdir(dir)
	if os.Remove(dir) != nil {
		t.Skip("the working directory cannot be removed here")
	}
	t.Setenv("PWD", "")
	_, err := New("relative")
	assert.Error(t, err)
}

func TestAcquireFollowsTheDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir")
	d, err := New(path)
	require.NoError(t, err)
	assert.Equal(t, path, d.Path())
	_, _, err = d.Acquire()
	assert.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, os.Mkdir(path, 0o755))
	first, releaseFirst := acquire(t, d)
	again, releaseAgain := acquire(t, d)
	assert.Same(t, first, again)
	releaseAgain()

	require.NoError(t, os.Rename(path, path+".old"))
	require.NoError(t, os.Mkdir(path, 0o755))
	second, releaseSecond := acquire(t, d)
	assert.NotSame(t, first, second)
	require.NoError(t, second.WriteFile("x", nil, 0o600))
	assert.FileExists(t, filepath.Join(path, "x"))

	_, err = first.Stat(".")
	assert.NoError(t, err, "open while it is used")
	releaseFirst()
	_, err = first.Stat(".")
	assert.ErrorIs(t, err, fs.ErrClosed)

	require.NoError(t, d.Close())
	_, err = second.Stat(".")
	assert.NoError(t, err, "open while it is used")
	releaseSecond()
	_, err = second.Stat(".")
	assert.ErrorIs(t, err, fs.ErrClosed)

	_, _, err = d.Acquire()
	assert.ErrorIs(t, err, fs.ErrClosed)
	assert.NoError(t, d.Close(), "twice is harmless")
}

func TestAcquireOfWhatIsNoDirectoryAnyMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir")
	d, err := New(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, _, err = d.Acquire()
	assert.Error(t, err)
}
