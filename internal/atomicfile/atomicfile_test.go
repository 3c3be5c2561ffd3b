package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
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

// files lists a directory, with the directories marked by a slash.
func files(t *testing.T, root *os.Root, dir string) []string {
	t.Helper()
	var names []string
	infos, err := ReadDir(root, dir)
	require.NoError(t, err)
	for _, info := range infos {
		name := info.Name()
		if info.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

func TestWriteThenRead(t *testing.T) {
	for name, sync := range map[string]Sync{"sync": (*os.File).Sync, "no sync": nil} {
		t.Run(name, func(t *testing.T) {
			root := openRoot(t)
			_, _, err := Read(root, "a/b/x")
			assert.ErrorIs(t, err, fs.ErrNotExist)
			var info fs.FileInfo
			for _, content := range []string{"first", "", strings.Repeat("long", 1<<20)} {
				require.NoError(t, Write(root, "a/b/x", []byte(content), info, sync))
				var data []byte
				data, info, err = Read(root, "a/b/x")
				require.NoError(t, err)
				require.NotNil(t, data)
				assert.Equal(t, content, string(data))
				assert.EqualValues(t, len(content), info.Size())
			}
			assert.Equal(t, []string{"x"}, files(t, root, "a/b"))
		})
	}
}

func TestWriteFails(t *testing.T) {
	broken := errors.New("broken")
	nth := func(n int) Sync { // fails at the nth call
		return func(*os.File) error {
			if n--; n == 0 {
				return broken
			}
			return nil
		}
	}
	tests := map[string]struct {
		name string
		sync Sync
		want error
		left []string
	}{
		"content":               {"old", nth(1), broken, []string{"dir/", "old"}},
		"name":                  {"old", nth(2), broken, []string{"dir/", "old"}},
		"directory":             {"new/x", nth(1), broken, []string{"dir/", "new/", "old"}},
		"directory above":       {"new/deep/x", nth(1), broken, []string{"dir/", "new/", "old"}},
		"below a file":          {"old/x", nil, syscall.ENOTDIR, []string{"dir/", "old"}},
		"in place of directory": {"dir", nil, fs.ErrExist, []string{"dir/", "old"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := openRoot(t)
			require.NoError(t, root.WriteFile("old", []byte("old"), 0o600))
			require.NoError(t, root.Mkdir("dir", 0o755))
			old, _ := root.Lstat(test.name)
			assert.ErrorIs(t, Write(root, test.name, []byte("new"), old, test.sync), test.want)
			assert.ElementsMatch(t, test.left, files(t, root, "."))
		})
	}
}

// A file that cannot be closed may not be complete.
func TestWriteFailsWhenClosingDoes(t *testing.T) {
	root := openRoot(t)
	closed := func(f *os.File) error { return f.Close() }
	assert.ErrorIs(t, Write(root, "x", []byte("x"), nil, closed), fs.ErrClosed)
	assert.Empty(t, files(t, root, "."))
}

func TestDirectoriesThatCannotBeSynced(t *testing.T) {
	root := openRoot(t)
	for _, refusal := range []error{syscall.EINVAL, errors.ErrUnsupported} {
		sync := func(f *os.File) error {
			if info, err := f.Stat(); err != nil || info.IsDir() {
				return errors.Join(err, refusal)
			}
			return nil
		}
		old, _ := root.Lstat("x")
		assert.NoError(t, Write(root, "x", []byte("x"), old, sync), refusal)
	}
	assert.ErrorIs(t, syncDir(root, "missing", (*os.File).Sync), fs.ErrNotExist)
}

func TestMkdirAll(t *testing.T) {
	root := openRoot(t)
	require.NoError(t, MkdirAll(root, ".", nil))
	require.NoError(t, MkdirAll(root, "a/b/c", (*os.File).Sync))
	require.NoError(t, MkdirAll(root, "a/b/c", nil))
	require.NoError(t, root.WriteFile("a/file", nil, 0o600))
	assert.ErrorIs(t, MkdirAll(root, "a/file", nil), syscall.ENOTDIR)
	assert.ErrorIs(t, MkdirAll(root, "a/file/x", nil), syscall.ENOTDIR)
	assert.Error(t, MkdirAll(root, "../out", nil))
	assert.Error(t, MkdirAll(root, "../out/x", nil))
}

func TestMove(t *testing.T) {
	root := openRoot(t)
	require.NoError(t, root.WriteFile("x", []byte("x"), 0o600))
	require.NoError(t, root.WriteFile("taken", []byte("taken"), 0o600))
	assert.ErrorIs(t, Move(root, "x", "taken", nil), fs.ErrExist)
	assert.ErrorIs(t, Move(root, "missing", "y", nil), fs.ErrNotExist)
	assert.ElementsMatch(t, []string{"x", "taken"}, files(t, root, "."))

	require.NoError(t, Move(root, "x", "new/y", (*os.File).Sync))
	assert.ElementsMatch(t, []string{"new/", "taken"}, files(t, root, "."))
	data, _, err := Read(root, "new/y")
	require.NoError(t, err)
	assert.Equal(t, "x", string(data))
	assert.ErrorIs(t, Move(root, "taken", "taken/x", nil), syscall.ENOTDIR)
	assert.ErrorIs(t, Move(root, "taken", "z", func(*os.File) error { return syscall.EIO }), syscall.EIO)
}

func TestReadRefuses(t *testing.T) {
	root := openRoot(t)
	require.NoError(t, root.Mkdir("dir", 0o755))
	require.NoError(t, root.Symlink("dir", "link"))
	for name, want := range map[string]string{"dir": "a directory", "link": "a symbolic link"} {
		_, _, err := Read(root, name)
		var kind *TypeError
		require.ErrorAs(t, err, &kind)
		assert.ErrorContains(t, err, want)
	}
	pipe := &TypeError{fs.ModeNamedPipe}
	assert.EqualError(t, pipe, "not a regular file (p---------); move it away")
	_, err := ReadDir(root, "missing")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestSweep(t *testing.T) {
	root := openRoot(t)
	hour := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for name, at := range map[string]time.Time{
		".tmp-old": hour.Add(-1), ".tmp-new": hour, "doc": hour.Add(-1), ".other": hour.Add(-1),
	} {
		require.NoError(t, root.WriteFile(name, nil, 0o600))
		require.NoError(t, root.Chtimes(name, at, at))
	}
	require.NoError(t, root.Mkdir(".tmp-dir", 0o755))
	Sweep(root, ".", hour)
	assert.ElementsMatch(t, []string{".tmp-dir/", ".tmp-new", ".other", "doc"}, files(t, root, "."))
	Sweep(root, "missing", hour)
}

// Between reading and replacing a file, somebody who knows no locks saves it.
func TestWriteNoticesAnEditor(t *testing.T) {
	for name, edit := range map[string]func(*os.Root) error{
		"changed": func(root *os.Root) error { return root.WriteFile("x", []byte("edited"), 0o600) },
		"replaced": func(root *os.Root) error {
			return errors.Join(root.WriteFile("y", []byte("old"), 0o600), root.Rename("y", "x"))
		},
		"removed": func(root *os.Root) error { return root.Remove("x") },
	} {
		t.Run(name, func(t *testing.T) {
			root := openRoot(t)
			require.NoError(t, root.WriteFile("x", []byte("old"), 0o600))
			_, info, err := Read(root, "x")
			require.NoError(t, err)
			require.NoError(t, edit(root))
			assert.ErrorIs(t, Write(root, "x", []byte("new"), info, nil), ErrChanged)
		})
	}
	root := openRoot(t)
	require.NoError(t, root.WriteFile("x", []byte("made"), 0o600))
	assert.ErrorIs(t, Write(root, "x", []byte("new"), nil, nil), ErrChanged, "made meanwhile")
	assert.Equal(t, []string{"x"}, files(t, root, "."), "no temporary file is left")
}

func TestHugeFilesAreNotRead(t *testing.T) {
	root := openRoot(t)
	f, err := root.Create("huge")
	require.NoError(t, err)
	require.NoError(t, errors.Join(f.Truncate(MaxSize+1), f.Close()))
	_, _, err = Read(root, "huge")
	assert.ErrorIs(t, err, ErrTooLarge)
}
