package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/rawko/memory"
	"github.com/rawko/memory/storetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStoreContract(t *testing.T) {
	stores := map[string]func(t *testing.T) memory.Store{
		"DirStore":        func(t *testing.T) memory.Store { return openDir(t, t.TempDir(), nil) },
		"DirStore NoSync": func(t *testing.T) memory.Store { return openDir(t, t.TempDir(), noSync) },
		"MapStore":        func(t *testing.T) memory.Store { return memory.NewMapStore() },
		"Sub of DirStore": func(t *testing.T) memory.Store { return sub(t, openDir(t, t.TempDir(), noSync), "users/ann") },
		"Sub of MapStore": func(t *testing.T) memory.Store { return sub(t, memory.NewMapStore(), "users") },
		"Sub of Sub": func(t *testing.T) memory.Store {
			return sub(t, sub(t, memory.NewMapStore(), "users"), "ann")
		},
		"Sub of a plain store": func(t *testing.T) memory.Store {
			return sub(t, struct{ memory.Store }{memory.NewMapStore()}, "users")
		},
	}
	for name, newStore := range stores {
		t.Run(name, func(t *testing.T) { storetest.Run(t, newStore) })
	}
}

var noSync = &memory.DirOptions{NoSync: true}

func openDir(t testing.TB, dir string, opts *memory.DirOptions) *memory.DirStore {
	t.Helper()
	store, err := memory.NewDirStore(dir, opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

func sub(t *testing.T, store memory.Store, dir string) memory.Store {
	t.Helper()
	below, err := memory.Sub(store, dir)
	require.NoError(t, err)
	return below
}

func put(t testing.TB, store memory.Store, name, content string) {
	t.Helper()
	require.NoError(t, store.Update(t.Context(), name, write(content)))
}

// write is an edit that replaces whatever is there.
func write(content string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(content), nil }
}

func read(t testing.TB, store memory.Store, name string) string {
	t.Helper()
	data, err := store.Read(t.Context(), name)
	require.NoError(t, err)
	return string(data)
}

func list(t testing.TB, store memory.Store, dir string) []string {
	t.Helper()
	var names []string
	for info, err := range store.List(t.Context(), dir) {
		require.NoError(t, err)
		names = append(names, info.Name)
	}
	return names
}

func TestValidName(t *testing.T) {
	good := []string{
		"a", "a.md", "a/b.md", "a b.md", "A-1_2.tar.gz", "héllo/世界.md", "🙂.md", "a..b", "a...b/c-", "~x", "x~", "#x#", "x,y;z=(1)&[2]'{3}!$%@^+`",
		"console", "comet", "com", "com10", "lpt", "nulls.md", "x.con", "com⁴", "conin", "users/" + strings.Repeat("x", 255),
		strings.Repeat("abc/", 255) + "abcd",
	}
	for _, name := range good {
		assert.NoError(t, memory.ValidName(name), name)
	}
	bad := map[string][]string{
		"relative path": {"", ".", "..", "../a", "a/..", "a/../b", "./a", "/a", "a/", "a//b", "/", "\xff", "a/\xc3"},
		"starts with":   {".a", "a/.b", ".git/config", "-rf", "a/-b", ".trash/a.md", "..."},
		"ends in":       {"a.", "a/b.", "a./b", "a ", "a /b", "a.md "},
		"one of":        {"a<b", "a>b", "a:b", `a"b`, "a|b", "a?b", "a*b", `a\b`, `\\host\share`, "C:/x"},
		"invisible": {"a\x00", "a\tb", "a\nb", "a\x7f", "a\u0085", "a\u200bb", "a\u202eb", "\ufeffa", "a\u00adb",
			"a\u2028b", "a\u2029b", "a\U000e0041"},
		"device": {"con", "CON", "Con.md", "prn", "aux.tar.gz", "nul", "a/nul/b", "com0", "COM1.md", "com9", "lpt0", "lpt5.x", "com¹", "lpt².md",
			"COM³", "conin$", "CONOUT$.md", "nul .txt"},
		"part is longer": {strings.Repeat("x", 256), "a/" + strings.Repeat("é", 128)},
		"1024 bytes":     {strings.Repeat("abc/", 256) + "a", strings.Repeat("x", 1<<20)},
	}
	for reason, names := range bad {
		for _, name := range names {
			err := memory.ValidName(name)
			require.ErrorIs(t, err, memory.ErrUnsafeName, "%q", name)
			assert.ErrorContains(t, err, reason, "%q", name)
			assert.Less(t, len(err.Error()), 1000)
		}
	}
	assert.ErrorContains(t, memory.ValidName("../secret"), `"../secret"`)
}

// FuzzValidName looks for a name that passes and means something outside of a directory,
// or more than one thing.
func FuzzValidName(f *testing.F) {
	for _, seed := range []string{"a/b.md", "../a", "a/./b", `..\a`, "C:x", "/etc/passwd", "a\x00", "con.md", "a\u202e", "~/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if memory.ValidName(name) != nil {
			return
		}
		assert.Equal(t, name, path.Clean(name))
		assert.True(t, fs.ValidPath(name))
		assert.Equal(t, name, strings.TrimPrefix(path.Join("/root/dir", name), "/root/dir/"))
		assert.NotContains(t, "/"+name, "/.")
		assert.False(t, strings.ContainsAny(name, "\\:\x00\n"))
		assert.Equal(t, name, strings.TrimRight(strings.ToValidUTF8(name, ""), " ."))
	})
}

func TestSubStaysInside(t *testing.T) {
	ctx, whole := t.Context(), memory.NewMapStore()
	put(t, whole, "users/ann/a.md", "ann's")
	put(t, whole, "users/bob/b.md", "bob's")
	put(t, whole, "users/anna.md", "beside")
	ann := sub(t, sub(t, whole, "users"), "ann")

	assert.Equal(t, []string{"a.md"}, list(t, ann, "."))
	assert.Equal(t, "ann's", read(t, ann, "a.md"))
	for _, name := range []string{"../bob/b.md", "../../users/bob/b.md", "/users/bob/b.md", "..", "."} {
		_, err := ann.Read(ctx, name)
		assert.ErrorIs(t, err, memory.ErrUnsafeName, name)
		assert.ErrorIs(t, ann.Update(ctx, name, write("mine")), memory.ErrUnsafeName, name)
		assert.ErrorIs(t, memory.Remove(ctx, ann, name), memory.ErrUnsafeName, name)
	}
	for _, dir := range []string{"", "..", "/", "a//b", ".trash", "con"} {
		_, err := memory.Sub(whole, dir)
		assert.ErrorIs(t, err, memory.ErrUnsafeName, dir)
	}
	same, err := memory.Sub(whole, ".")
	require.NoError(t, err)
	assert.Same(t, whole, same)
}

func TestSubReadBatchKeepsOrderAroundUnsafeNames(t *testing.T) {
	store := sub(t, memory.NewMapStore(), "users")
	put(t, store, "a.md", "a")
	put(t, store, "b.md", "b")
	want := []string{"a", "", "b"}
	n := 0
	for data, err := range memory.ReadBatch(t.Context(), store, []string{"a.md", "../users/a.md", "b.md"}) {
		assert.Equal(t, want[n], string(data))
		assert.Equal(t, n == 1, errors.Is(err, memory.ErrUnsafeName))
		n++
	}
	assert.Equal(t, 3, n)
}

func TestRemoveNeedsAbleStore(t *testing.T) {
	plain := struct{ memory.Store }{memory.NewMapStore()}
	put(t, plain, "a.md", "a")
	assert.ErrorIs(t, memory.Remove(t.Context(), plain, "a.md"), errors.ErrUnsupported)
	assert.Equal(t, "a", read(t, plain, "a.md"))
}

func TestReadBatchStopsWithItsConsumer(t *testing.T) {
	whole := openDir(t, t.TempDir(), noSync)
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprintf("%d.md", i))
		put(t, whole, names[i], names[i])
	}
	for _, store := range []memory.Store{whole, struct{ memory.Store }{whole}} {
		n := 0
		memory.ReadBatch(t.Context(), store, names)(func(data []byte, err error) bool {
			assert.NoError(t, err)
			assert.Equal(t, names[n], string(data))
			n++
			return n < 20
		})
		assert.Equal(t, 20, n)
	}
}

func TestReadBatchAfterTheContext(t *testing.T) {
	store := openDir(t, t.TempDir(), noSync)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, err := range store.ReadBatch(ctx, make([]string, 30)) {
		assert.Error(t, err)
		n++
	}
	assert.Equal(t, 30, n)
}

// The store goes on with newer content when another Update came first.
func TestMapStoreEditsAgain(t *testing.T) {
	store := memory.NewMapStore()
	calls := 0
	err := store.Update(t.Context(), "a.md", func(old []byte) ([]byte, error) {
		if calls++; calls == 1 { // from here only to have another one come first
			put(t, store, "a.md", "other, ")
		}
		return append(old, "mine"...), nil
	})
	require.NoError(t, err)
	assert.Equal(t, 2, calls)
	assert.Equal(t, "other, mine", read(t, store, "a.md"))
}

// Against the rules, but no store may take it for "nothing changed".
func TestEditInPlaceIsNotLost(t *testing.T) {
	for _, store := range []memory.Store{openDir(t, t.TempDir(), noSync), memory.NewMapStore()} {
		put(t, store, "a.md", "content")
		require.NoError(t, store.Update(t.Context(), "a.md", func(old []byte) ([]byte, error) {
			old[0] = 'C'
			return old, nil
		}))
		assert.Equal(t, "Content", read(t, store, "a.md"))
	}
}
