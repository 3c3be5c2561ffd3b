package memory_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawko/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onDisk lists all files under dir, dot names too, but not lock files.
func onDisk(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if entry.IsDir() && entry.Name() == ".locks" {
			return fs.SkipDir
		}
		if !entry.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	}))
	return files
}

func TestDirStoreOpens(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := memory.NewDirStore(file, nil)
	assert.ErrorContains(t, err, "file is not a directory")

	later := filepath.Join(dir, "not", "yet")
	store := openDir(t, later, nil)
	assert.Empty(t, list(t, store, "."))
	_, err = store.Read(t.Context(), "a.md")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorIs(t, store.Remove(t.Context(), "a.md"), fs.ErrNotExist)
	assert.NoDirExists(t, filepath.Dir(later), "only an Update makes it")
	put(t, store, "deep/a.md", "a")
	assert.Equal(t, []string{"deep/a.md"}, onDisk(t, later))

	below := openDir(t, filepath.Join(file, "below"), nil)
	assert.ErrorContains(t, below.Update(t.Context(), "a.md", write("a")), `update "a.md"`)
}

func TestDirStoreCloses(t *testing.T) {
	store := openDir(t, t.TempDir(), nil)
	put(t, store, "a.md", "a")
	require.NoError(t, store.Update(t.Context(), "a.md", func(old []byte) ([]byte, error) {
		return []byte("b"), store.Close() // while an Update runs, which ends as usual
	}))
	_, err := store.Read(t.Context(), "a.md")
	assert.ErrorIs(t, err, fs.ErrClosed)
	assert.ErrorIs(t, store.Update(t.Context(), "a.md", write("c")), fs.ErrClosed)
	for _, err := range store.List(t.Context(), ".") {
		assert.ErrorIs(t, err, fs.ErrClosed)
	}
}

func TestDirStoreKeepsItsPathWhenTheProcessMoves(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	store := openDir(t, "memories", nil)
	t.Chdir(t.TempDir())
	put(t, store, "a.md", "a")
	assert.FileExists(t, filepath.Join(dir, "memories", "a.md"))
}

func TestDirStoreFollowsARecreatedDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memories")
	store := openDir(t, dir, nil)
	put(t, store, "a.md", "old")

	require.NoError(t, os.RemoveAll(dir))
	assert.Empty(t, list(t, store, "."))
	_, err := store.Read(t.Context(), "a.md")
	assert.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.md"), []byte("new"), 0o600))
	assert.Equal(t, []string{"b.md"}, list(t, store, "."))
	assert.Equal(t, "new", read(t, store, "b.md"))

	require.NoError(t, os.RemoveAll(dir))
	put(t, store, "c.md", "newer")
	assert.Equal(t, []string{"c.md"}, onDisk(t, dir))
}

func TestDirStoreHidesLocksFromGit(t *testing.T) {
	dir := t.TempDir()
	store := openDir(t, dir, noSync)
	for i := range 1000 {
		put(t, store, fmt.Sprintf("%d.md", i), "x")
	}
	ignore, err := os.ReadFile(filepath.Join(dir, ".locks", ".gitignore"))
	require.NoError(t, err)
	assert.Equal(t, "*\n", string(ignore))
	locks, err := os.ReadDir(filepath.Join(dir, ".locks"))
	require.NoError(t, err)
	assert.LessOrEqual(t, len(locks), 257, "lock files do not grow with documents")
	assert.NoFileExists(t, filepath.Join(dir, ".gitignore"))
}

func TestDirStoreRemovesIntoTrash(t *testing.T) {
	dir := t.TempDir()
	for name, store := range map[string]memory.Store{"dir": openDir(t, dir, nil), "map": memory.NewMapStore()} {
		for _, content := range []string{"one", "two", "three"} {
			put(t, store, "sub/a.md", content)
			require.NoError(t, memory.Remove(t.Context(), store, "sub/a.md"), name)
			assert.Empty(t, list(t, store, "sub"))
		}
		put(t, store, "sub/a-2.md", "other")
		require.NoError(t, memory.Remove(t.Context(), store, "sub/a-2.md"))
	}
	for file, content := range map[string]string{"a.md": "one", "a-2.md": "two", "a-3.md": "three", "a-2-2.md": "other"} {
		got, err := os.ReadFile(filepath.Join(dir, ".trash", "sub", file))
		require.NoError(t, err)
		assert.Equal(t, content, string(got))
	}
	assert.Len(t, onDisk(t, dir), 4)

	users := sub(t, openDir(t, dir, nil), "users")
	put(t, users, "b.md", "b")
	require.NoError(t, memory.Remove(t.Context(), users, "b.md"))
	assert.FileExists(t, filepath.Join(dir, ".trash", "users", "b.md"))
}

// What stands in the way in .trash stays, and so does the document.
func TestDirStoreRemoveDestroysNothing(t *testing.T) {
	dir := t.TempDir()
	store := openDir(t, dir, noSync)
	put(t, store, "a.md/b.md", "b")
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".trash"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".trash", "a.md"), []byte("a"), 0o600))
	assert.ErrorContains(t, store.Remove(t.Context(), "a.md/b.md"), `remove "a.md/b.md"`)
	assert.Equal(t, []string{".trash/a.md", "a.md/b.md"}, onDisk(t, dir))

	assert.Error(t, store.Remove(t.Context(), "a.md"), "a directory is not a document")
	assert.Equal(t, "b", read(t, store, "a.md/b.md"))
}

func TestDirStoreEqualContentLeavesTheFile(t *testing.T) {
	dir := t.TempDir()
	store := openDir(t, dir, nil)
	put(t, store, "a.md", "a")
	file := filepath.Join(dir, "a.md")
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(file, long, long))
	before, err := os.Stat(file)
	require.NoError(t, err)
	version := infoOf(t, store, "a.md").Version
	assert.Equal(t, version, infoOf(t, store, "a.md").Version)

	put(t, store, "a.md", "a")
	after, err := os.Stat(file)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	assert.Equal(t, before.ModTime(), after.ModTime())
	assert.Equal(t, version, infoOf(t, store, "a.md").Version)

	put(t, store, "a.md", "b")
	assert.NotEqual(t, version, infoOf(t, store, "a.md").Version)
}

// infoOf finds a document in the root of a store.
func infoOf(t testing.TB, store memory.Store, name string) memory.Info {
	t.Helper()
	for info, err := range store.List(t.Context(), ".") {
		require.NoError(t, err)
		if info.Name == name {
			return info
		}
	}
	t.Fatalf("no %s", name)
	return memory.Info{}
}

// A file that changes again at once, to the same length, keeps size and inode, and on a
// coarse clock its time.
func TestDirStoreVersionOfAFreshFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.md")
	store := openDir(t, dir, nil)
	seen := make(map[string]bool)
	stamp := time.Now()
	for i := range 100 {
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "%03d", i), 0o600))
		require.NoError(t, os.Chtimes(file, stamp, stamp))
		version := infoOf(t, store, "a.md").Version
		assert.False(t, seen[version], version)
		seen[version] = true
	}
}

func TestDirStoreRefusesLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.md")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	store := openDir(t, dir, nil)
	put(t, store, "real.md", "real")
	put(t, store, "inner/x.md", "x")
	for name, target := range map[string]string{
		"out.md": secret, "in.md": "real.md", "gone.md": "nowhere", "null.md": "/dev/null",
		"outdir": outside, "updir": "..", "indir": "inner", "loop": "loop",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	for _, name := range []string{"out.md", "in.md", "gone.md", "null.md", "outdir/secret.md", "outdir/new.md", "updir/new.md"} {
		refuses(t, store, name)
	}
	assert.ErrorContains(t, store.Remove(t.Context(), "in.md"), `remove "in.md": a symbolic link, which is not followed`)
	assert.ErrorContains(t, store.Remove(t.Context(), "outdir/x.md"), "a symbolic link on the way leads out of the store")
	for _, dir := range []string{"outdir", "updir"} {
		for _, err := range store.List(t.Context(), dir) {
			assert.ErrorIs(t, err, memory.ErrUnsafeName)
		}
	}
	for _, err := range store.List(t.Context(), "loop") {
		assert.Error(t, err)
	}
	assert.Equal(t, []string{"secret.md"}, onDisk(t, outside))
	assert.Equal(t, "x", read(t, store, "indir/x.md"), "a directory may be a link inside")
	assert.Contains(t, list(t, store, "."), "out.md", "shown, so that it can be reported")
	assert.False(t, infoOf(t, store, "outdir").IsDir)
}

// refuses checks that no method touches the document.
func refuses(t *testing.T, store memory.Store, name string) {
	t.Helper()
	_, err := store.Read(t.Context(), name)
	assert.ErrorIs(t, err, memory.ErrUnsafeName, name)
	assert.ErrorContains(t, err, name)
	err = store.Update(t.Context(), name, func([]byte) ([]byte, error) {
		assert.Fail(t, "edit was called", name)
		return []byte("overwritten"), nil
	})
	assert.ErrorIs(t, err, memory.ErrUnsafeName, name)
	assert.ErrorIs(t, memory.Remove(t.Context(), store, name), memory.ErrUnsafeName, name)
}

// Neither the locks nor the trash may be led elsewhere by a checkout with a link in it.
func TestDirStoreOwnDirectoriesStayInside(t *testing.T) {
	for _, own := range []string{".locks", ".trash"} {
		outside, dir := t.TempDir(), t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("a"), 0o600))
		require.NoError(t, os.Symlink(outside, filepath.Join(dir, own)))
		store := openDir(t, dir, nil)
		assert.ErrorIs(t, store.Remove(t.Context(), "a.md"), memory.ErrUnsafeName, own)
		assert.Empty(t, onDisk(t, outside))
		assert.Equal(t, "a", read(t, store, "a.md"))
	}
}

func TestDirStoreDirectoryInPlaceOfADocument(t *testing.T) {
	store := openDir(t, t.TempDir(), nil)
	put(t, store, "x.md/below", "below")
	_, err := store.Read(t.Context(), "x.md")
	assert.ErrorContains(t, err, `read "x.md": a directory, not a document`)
	assert.NotErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, store.Update(t.Context(), "x.md", write("x")), "a directory")

	put(t, store, "doc.md", "doc")
	_, err = store.Read(t.Context(), "doc.md/below")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Empty(t, list(t, store, "doc.md"))
	assert.ErrorContains(t, store.Update(t.Context(), "doc.md/below", write("x")), "not a directory")
	assert.Equal(t, "doc", read(t, store, "doc.md"))
}

// In the bubble of synctest time passes by itself when all wait.
func TestUpdateWaitsNoLongerThanItsContext(t *testing.T) {
	dir := t.TempDir()
	for _, who := range []string{"the same store", "another store"} {
		synctest.Test(t, func(t *testing.T) {
			store := openDir(t, dir, noSync)
			waiter := store
			if who == "another store" { // stands for another process: only the file's lock is common
				waiter = openDir(t, dir, noSync)
			}
			require.NoError(t, store.Update(t.Context(), "a.md", func(old []byte) ([]byte, error) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := waiter.Update(ctx, "a.md", write("b"))
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.ErrorContains(t, err, `update "a.md": waiting for`)
				return []byte("a"), nil
			}))
			put(t, waiter, "a.md", "c")
			put(t, store, "A.md", "d")
		})
	}
}

// Documents whose names differ in case only may be one document.
func TestUpdateLocksWithoutCase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := openDir(t, t.TempDir(), noSync)
		put(t, store, "a.md", "a")
		require.NoError(t, store.Update(t.Context(), "a.md", func(old []byte) ([]byte, error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			assert.ErrorIs(t, store.Update(ctx, "A.md", write("b")), context.DeadlineExceeded)
			return nil, nil
		}))
	})
}

func TestUpdateOfOthersGoesOnMeanwhile(t *testing.T) {
	store := openDir(t, t.TempDir(), noSync)
	require.NoError(t, store.Update(t.Context(), "a.md", func(old []byte) ([]byte, error) {
		put(t, store, "b.md", "b") // against the rules, and works where the lock files differ
		return []byte("a"), nil
	}))
	assert.Equal(t, []string{"a.md", "b.md"}, list(t, store, "."))
}

func TestDirStoreShowsWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "-rf.md"), nil, 0o600))
	store := openDir(t, dir, nil)
	assert.Equal(t, []string{"-rf.md"}, list(t, store, "."))
	_, err := store.Read(t.Context(), "-rf.md")
	assert.ErrorIs(t, err, memory.ErrUnsafeName)
}

func BenchmarkUpdate(b *testing.B) {
	for name, opts := range map[string]*memory.DirOptions{"sync": nil, "nosync": noSync} {
		b.Run(name, func(b *testing.B) {
			store := openDir(b, b.TempDir(), opts)
			text := []byte(strings.Repeat("a line of a memory\n", 100))
			for i := 0; b.Loop(); i++ {
				text[0] = byte('a' + i%26)
				put(b, store, "a.md", string(text))
			}
		})
	}
}

func BenchmarkDirStore(b *testing.B) {
	store := openDir(b, b.TempDir(), noSync)
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("memory-%d.md", i))
		put(b, store, names[i], strings.Repeat("a line of a memory\n", 100))
	}
	b.Run("Read", func(b *testing.B) {
		for b.Loop() {
			read(b, store, "memory-500.md")
		}
	})
	b.Run("List1000", func(b *testing.B) {
		for b.Loop() {
			list(b, store, ".")
		}
	})
	b.Run("Read1000", func(b *testing.B) {
		for b.Loop() {
			for _, name := range names {
				read(b, store, name)
			}
		}
	})
	b.Run("ReadBatch1000", func(b *testing.B) {
		for b.Loop() {
			for _, err := range store.ReadBatch(b.Context(), names) {
				require.NoError(b, err)
			}
		}
	})
}

// A person saves the file while an Update runs: what was saved is not lost.
func TestDirStoreUpdateSeesAnEditor(t *testing.T) {
	dir := t.TempDir()
	store := openDir(t, dir, nil)
	put(t, store, "a.md", "old")
	calls := 0
	require.NoError(t, store.Update(t.Context(), "a.md", func(old []byte) ([]byte, error) {
		if calls++; calls == 1 {
			if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("edited by hand"), 0o600); err != nil {
				return nil, err
			}
		}
		return append(old, " + appended"...), nil
	}))
	assert.Equal(t, "edited by hand + appended", read(t, store, "a.md"))
	assert.Equal(t, 2, calls)
}

func TestDirStoreHugeDocument(t *testing.T) {
	dir := t.TempDir()
	store := openDir(t, dir, nil)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), nil, 0o600))
	require.NoError(t, os.Truncate(filepath.Join(dir, "a.md"), 65<<20))
	_, err := store.Read(t.Context(), "a.md")
	assert.ErrorIs(t, err, memory.ErrTooLarge)
	assert.ErrorIs(t, store.Update(t.Context(), "a.md", write("x")), memory.ErrTooLarge)
}

func TestRemoveWhereTheTrashIsNoDirectory(t *testing.T) {
	dir := t.TempDir()
	store := openDir(t, dir, nil)
	put(t, store, "a.md", "a")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".trash"), nil, 0o600))
	err := store.Remove(t.Context(), "a.md")
	require.Error(t, err)
	assert.NotErrorIs(t, err, fs.ErrNotExist, "the document is there")
}

func TestRemoveALongNameTwice(t *testing.T) {
	store := openDir(t, t.TempDir(), nil)
	name := strings.Repeat("x", 252) + ".md"
	for range 3 {
		put(t, store, name, "a")
		require.NoError(t, store.Remove(t.Context(), name))
	}
}
