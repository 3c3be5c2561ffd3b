package memory

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

// badPaths gives thousands of paths that leave the root, or that somebody could read so.
func badPaths() []string {
	prefixes := []string{
		"", "facts/", "episodes/", "people/alice/", "./", "facts/./", "/", "//", "~/", "~root/", "$HOME/", "${HOME}/", "`pwd`/", "%HOME%/",
		"C:/", "c:\\", "C:", `\\server\share\`, "//server/share/", `\\?\C:\`, `\\.\C:\`, "file:///", "facts\\", " /", "\x00/",
	}
	ups := []string{
		"..", "../..", "../../..", "...", "....", ".", ".. ", "..;", "..\x00", "..\u200b", "\u200b..", ".\u200d.", "\u202e..", ".\u0338.", ".\u034f.",
		"．．", "﹒﹒", "‥", "․․", "。。", "｡｡", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "%25252e", "%c0%ae%c0%ae", "%uff0e%uff0e", "&#46;&#46;", `\u002e\u002e`, `\x2e\x2e`,
	}
	slashes := []string{
		"/", "//", "/./", "\\", "\\\\", "\\/", "%2f", "%2F", "%5c", "%252f", "%255c", "%c0%af", "%u2215", "&#47;", "／", "＼", "﹨", "⁄", "∕", "⧸", "⧵", "⧹", "╱", "╲",
		"⟋", "⟍", "\u0338", "\x00", "\n", "/\u200b", "/ ", "\u2028", "\ufe0f/",
	}
	var paths []string
	for _, prefix := range prefixes {
		for _, up := range ups {
			for i, slash := range slashes {
				paths = append(paths, prefix+up+slash+[]string{"secret.md", "outside/secret.md", "notes/facts/user.md"}[i%3])
			}
		}
	}
	for _, prefix := range prefixes[4:] { // absolute, or absolute for somebody
		paths = append(paths, prefix+"secret.md", prefix+"facts/user.md", prefix+"etc/passwd.md")
	}
	for _, folder := range []string{"", "facts/", "people/"} {
		for _, device := range []string{"con", "PRN", "Aux", "nul", "com0", "COM1", "com9", "lpt1", "LPT9", "com¹", "lpt³", "conin$", "CONOUT$", "ＣＯＮ", "con ", "nul.txt"} {
			paths = append(paths, folder+device+".md", folder+device+"/a.md", folder+device)
		}
		for _, name := range []string{
			"", ".", "/", ".md", "user", "user.MD", "user.txt", "user.md/", "user.md/x", "user.md.", "user.md ", "user.md\u00a0", " user.md", "x /y.md", "x./y.md", "-rf.md", "-x/y.md",
			".git/config.md", ".git/x.md", ".trash/old.md", ".locks/00.md", ".hidden.md", "GIT~1/x.md", "~user.md", "user.md~", "$HOME.md", "a|b.md", "a>b.md", "a*.md", "a?.md",
			`"a".md`, "a:b.md", "user.md::$DATA", "user.md:stream", "a&b.md", "a;b.md", "a`b`.md", "a\tb.md", "a\rb.md", "\ufeffuser.md", "user．md", "a℀b.md", "⒈.md",
			"\ue000.md", "\U00100000.md", "a\u2800b.md", "a\u3164b.md", "❤\ufe0f.md", "\xff.md", "a\xc0\xaf.md", "a\xed\xa0\x80.md", "a\u3000b.md",
			strings.Repeat("a", 253) + ".md", strings.Repeat("a/", 126) + "a.md", strings.Repeat("../", 1000) + "x.md", strings.Repeat("x", 1<<20) + ".md", strings.Repeat("字", 85) + ".md",
		} {
			paths = append(paths, folder+name)
		}
	}
	for _, folder := range []string{"Facts", "FACTS", "facTs", "Episodes", "EPISODES", "ｆacts", "ｅpisodes", "ﬀ/../facts", "fact\u017f", "FACTſ"} {
		paths = append(paths, folder+"/user.md")
	}
	return append(paths, foldedPaths()...)
}

// foldedPaths gives paths with each character that is invisible, or becomes a dot, a slash, a
// backslash or a colon for somebody who folds it.
func foldedPaths() (paths []string) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		folds := r > unicode.MaxASCII && strings.ContainsAny(norm.NFKC.String(string(r)), `./\:`)
		if hidden := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector); utf8.ValidRune(r) && (folds || hidden) {
			paths = append(paths, "facts/us"+string(r)+"er.md", "facts"+string(r)+"user.md", string(r)+"facts/user.md")
		}
	}
	return paths
}

// tree gives all that is below a directory, byte for byte, links and empty folders too.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		rel, _ := filepath.Rel(dir, path)
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			all[rel], err = os.Readlink(path)
		case entry.IsDir():
			all[rel] = "folder"
		default:
			var data []byte
			data, err = os.ReadFile(path)
			all[rel] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		return err
	}))
	return all
}

// besides makes a directory with a notebook in notes/, and with files around it and hidden in it.
func besides(t testing.TB) (dir string, n *Notebook) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"secret.md": "outside", "outside/secret.md": "outside", "notes/facts/user.md": userFacts, "notes/user.md": "- A: b\n",
		"notes/episodes/2026-02.md": "# E\n", "notes/people/alice.md": "- A: b\n", "notes/.git/config.md": "hidden", "notes/.git/x.md": "hidden", "notes/.trash/old.md": "hidden",
		"notes/.locks/00.md": "hidden",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	store, err := NewDirStore(filepath.Join(dir, "notes"), &DirOptions{NoSync: true})
	require.NoError(t, err)
	return dir, openNotes(t, store, nil)
}

// callsOf gives each call of a notebook and of its tools that takes a path.
func callsOf(t testing.TB, n *Notebook) map[string]func(path string) error {
	t.Helper()
	calls := map[string]func(string) error{
		"Read":   func(path string) error { _, err := n.Read(t.Context(), path); return err },
		"Write":  func(path string) error { return n.Write(t.Context(), path, "- A: b") },
		"Patch":  func(path string) error { _, err := n.Patch(t.Context(), path, []Patch{{"outside", "x"}}); return err },
		"Append": func(path string) error { return n.Append(t.Context(), path, "- A: b", "") },
	}
	for _, tool := range append(n.Tools(), n.ReadTools()...) {
		args := map[string]any{
			"memory_write": map[string]any{"content": "- A: b"}, "memory_append": map[string]any{"entry": "- A: b"},
			"memory_patch": map[string]any{"patches": []Patch{{"outside", "x"}}}, "memory_read": map[string]any{},
		}[tool.Name]
		if args == nil {
			continue // memory_list takes none
		}
		calls[tool.Name] = func(path string) error {
			all := map[string]any{"path": path}
			for key, value := range args.(map[string]any) {
				all[key] = value
			}
			raw, err := json.Marshal(all)
			require.NoError(t, err)
			_, err = tool.Call(t.Context(), raw)
			return err
		}
	}
	return calls
}

func TestNoPathLeavesTheRoot(t *testing.T) {
	paths := badPaths()
	require.Greater(t, len(paths), 20_000)
	dir, n := besides(t)
	before := tree(t, dir)
	for name, call := range callsOf(t, n) {
		for _, path := range paths {
			err := call(path)
			if !errors.Is(err, ErrUnsafeName) || len(err.Error()) > 600 {
				require.ErrorIs(t, err, ErrUnsafeName, "%s of %.100q", name, path)
				require.LessOrEqual(t, len(err.Error()), 600, "%s of %.100q", name, path)
			}
		}
	}
	assert.Equal(t, before, tree(t, dir))
}

func TestNoLinkLeadsOutOfTheRoot(t *testing.T) {
	dir, n := besides(t)
	for link, to := range map[string]string{
		"facts/link.md": "../../secret.md", "facts/absolute.md": filepath.Join(dir, "secret.md"), "facts/dangling.md": "../../new.md",
		"facts/inside.md": "user.md", "out": "../outside", "facts/up": "..", "far": dir, "hidden": ".git",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, "notes", filepath.FromSlash(link))))
	}
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "notes", ".locks"))) // which are made by asking for a lock
	before := tree(t, dir)
	for name, call := range callsOf(t, n) {
		for _, path := range []string{
			"facts/link.md", "facts/absolute.md", "facts/dangling.md", "facts/inside.md", "out/secret.md", "out/new.md", "out/deep/new.md", "far/secret.md", "far/new.md",
			"facts/up/facts/link.md",
		} {
			err := call(path)
			if assert.Error(t, err, "%s of %s", name, path) {
				assert.NotContains(t, err.Error(), dir, "%s of %s tells where the host keeps files", name, path)
			}
		}
	}
	_, err := n.List(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "notes", ".locks")))
	assert.Equal(t, before, tree(t, dir))
}

func TestPathsThatAreMeant(t *testing.T) {
	for _, path := range []string{
		"用户.md", "Meeting notes.md", "v1.2-plan.md", "people/bob.md", "people/Ådne Øy (old)_2.md", "日本語/メモ.md", "हिन्दी.md", "a,b+c=d@e#f!.md", "ёж/u\u0308.md",
		"factsheet/a.md", "my facts/a.md", "people/Facts/a.md", "·middle.md", "emoji 🎉.md", "context.md", "auxiliary.md", "com10.md", "a.b/c.md", "facts/a/b/c/d.md", "x.txt.md",
		strings.Repeat("a", 252) + ".md", strings.Repeat("字", 84) + ".md",
	} {
		assert.NoError(t, notePath(path), path)
		dir, n := besides(t)
		require.NoError(t, n.Write(t.Context(), path, "- A: b"), path)
		assert.FileExists(t, filepath.Join(dir, "notes", filepath.FromSlash(path)))
		text, err := n.Read(t.Context(), path)
		require.NoError(t, err, path)
		assert.Contains(t, text, "> Summary: a\n", path)
		notes, err := n.List(t.Context())
		require.NoError(t, err)
		assert.Len(t, notes, 5, path)
	}
}

func TestTheMessageOfAPath(t *testing.T) {
	for path, want := range map[string]string{
		"":                "it is empty",
		"a\xff.md":        "it is not valid UTF-8",
		"facts/a..b.md":   "it has two dots in a row",
		"facts/%2e.md":    "it holds one of %$&;`~",
		"facts∕a.md":      "it holds a character that looks like a slash or a dot",
		"facts/a.md\x00":  "a part holds a control or invisible character",
		"a\u3164.md":      "it holds a character that cannot be seen",
		"people/ a.md":    "a part starts with a space",
		"Facts/user.md":   "facts/ and episodes/ are written in small letters",
		"EPISODES/x.md":   "facts/ and episodes/ are written in small letters",
		"ｆacts/user.md":   "facts/ and episodes/ are written in small letters",
		"facts/user":      "it does not end in .md",
		"facts/user.md/x": "it does not end in .md",
	} {
		err := notePath(path)
		assert.ErrorIs(t, err, ErrUnsafeName, path)
		assert.EqualError(t, err, fmt.Sprintf("path %q: %s; give a path such as facts/user.md or episodes/2026-02.md", path, want))
	}
	for path, meant := range map[string]string{
		"/facts/user.md":   "facts/user.md",
		"./facts/user.md":  "facts/user.md",
		"facts//user.md":   "facts/user.md",
		" facts/user.md\n": "facts/user.md",
	} {
		err := notePath(path)
		assert.ErrorIs(t, err, ErrUnsafeName, path)
		assert.ErrorContains(t, err, "; give "+meant, path)
	}
	assert.EqualError(t, notePath(strings.Repeat("a", 300)),
		`path "`+strings.Repeat("a", 80)+`": longer than 255 bytes; give a path such as facts/user.md or episodes/2026-02.md`)
}

// FuzzPath checks that whatever path is accepted is a file inside, and that one that is not changes nothing.
func FuzzPath(f *testing.F) {
	paths := badPaths()
	for i := 0; i < len(paths); i += 401 {
		f.Add(paths[i])
	}
	for _, path := range []string{"用户.md", "facts/a/b.md", "episodes/2026-02.md", "Meeting notes.md"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		dir := t.TempDir()
		root := filepath.Join(dir, "in", "notes")
		require.NoError(t, os.MkdirAll(root, 0o700))
		store, err := NewDirStore(root, &DirOptions{NoSync: true})
		require.NoError(t, err)
		n := openNotes(t, store, nil)
		before := tree(t, dir)
		if err := n.Write(t.Context(), path, "## A"); err != nil {
			require.Equal(t, before, tree(t, dir))
			return
		}
		require.True(t, filepath.IsLocal(filepath.FromSlash(path)))
		require.NoError(t, os.RemoveAll(filepath.Join(root, ".locks")))
		made := tree(t, root)
		require.Contains(t, made, filepath.FromSlash(path))
		for name, content := range made {
			inside := strings.HasPrefix(filepath.ToSlash(path)+"/", filepath.ToSlash(name)+"/") || name == "."
			require.True(t, inside && (content == "folder") == (name != filepath.FromSlash(path)), name)
		}
		require.Len(t, tree(t, dir), len(made)+2)
		text, err := n.Read(t.Context(), path)
		require.NoError(t, err)
		require.Contains(t, text, "## A")
	})
}
