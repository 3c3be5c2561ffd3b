package redact

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// perFind is how much ordinary text there has to be for each false find, in bytes.
const perFind = 200 << 10

// ordinary is text that has no secrets in it.
type ordinary struct {
	bytes int
	found []string
}

// read looks at the files of a tree that have an extension; not at test data,
// and not at tests of the packages skipped.
func (o *ordinary) read(t *testing.T, root, extension string, skipTests func(dir string) bool) {
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil:
			return err
		case d.IsDir() && path != root && (name == "testdata" || name == "vendor" || name == ".git"):
			return fs.SkipDir
		case d.IsDir(), filepath.Ext(path) != extension, strings.HasSuffix(path, "_test.go") && skipTests(filepath.Dir(path)):
			return nil
		}
		data, err := os.ReadFile(path)
		o.bytes += len(data)
		for _, s := range Find(string(data)) {
			o.found = append(o.found, path+": "+s.Kind+": "+string(data[max(0, s.Begin-20):s.End]))
		}
		return err
	}))
}

// Ordinary code and prose have no secrets: this repository, but for the samples
// of this package, and Go's own sources without their tests.
func TestFalseFinds(t *testing.T) {
	var o ordinary
	repository := filepath.Join("..", "..")
	here := func(dir string) bool { return filepath.Base(dir) == "redact" }
	o.read(t, repository, ".md", here)
	o.read(t, repository, ".go", here)
	assert.LessOrEqual(t, len(o.found), o.bytes/perFind, "%d bytes; %v", o.bytes, o.found)

	sources := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(sources); err != nil {
		t.Skip("Go's own sources are not here")
	}
	o = ordinary{}
	for _, dir := range []string{"net/http", "net/url", "encoding", "crypto/tls", "crypto/x509", "go", "text", "os"} {
		o.read(t, filepath.Join(sources, filepath.FromSlash(dir)), ".go", func(string) bool { return true })
	}
	assert.Greater(t, o.bytes, 400<<10)
	assert.LessOrEqual(t, len(o.found), o.bytes/perFind, "%d bytes; %v", o.bytes, o.found)
	t.Logf("%d bytes, false finds: %v", o.bytes, o.found)
}
