//go:build unix

package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatIsNoFileIsRefusedAtOnce: none of these blocks a call or lets it out of the directory.
func TestWhatIsNoFileIsRefusedAtOnce(t *testing.T) {
	ctx := context.Background()
	outside := filepath.Join(t.TempDir(), "secret.md")
	require.NoError(t, os.WriteFile(outside, fmt.Appendf(nil, plainFile, "Secret", "Body."), 0o644))
	dir := t.TempDir()
	writeFile(t, dir, "good.md", fmt.Sprintf(plainFile, "Good", enough))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.md")))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "device.md")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644))
	writeFile(t, dir, "a:b.md", "a name that means something else on Windows")

	b := openBank(t, dir, nil)
	assert.Equal(t, []string{"good"}, recallNames(t, b, Query{Task: "auth"}))
	problems, err := b.Check(ctx)
	require.NoError(t, err)
	var names []string
	for _, p := range problems {
		assert.Equal(t, SeverityError, p.Severity, p.String())
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"a:b", "device", "link", "pipe"}, names)
	for _, name := range names {
		_, err := b.Get(ctx, name)
		assert.ErrorIs(t, err, ErrUnsafeName, name)
	}
	for _, title := range []string{"Link", "Device", "Pipe"} {
		_, err := b.Append(ctx, testMemory(title, nil))
		assert.ErrorIs(t, err, ErrUnsafeName, title)
	}
	data, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf(plainFile, "Secret", "Body."), string(data))
}
