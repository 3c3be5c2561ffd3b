// Package liveroot keeps an [os.Root] open on a directory that may be deleted and made
// again meanwhile, as a git checkout does.
package liveroot

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Dir is a directory that need not exist yet. Its methods may be called at the same time.
type Dir struct {
	path   string
	mu     sync.Mutex
	cur    *handle // nil: not open
	closed bool
}

// handle is one opened root. It is closed when its last user is done with it, so that
// nobody loses the root in the middle of a call.
type handle struct {
	root  *os.Root
	info  fs.FileInfo
	users int // Dir itself is one
}

// New gives the directory at path, which is resolved now, so that a later change of the
// working directory does not move it. Something else than a directory there is an error.
func New(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", path)
	}
	return &Dir{path: path}, nil
}

// Path gives the absolute path.
func (d *Dir) Path() string { return d.path }

// Acquire gives the root of the directory that is at the path now; it stays open until
// release is called. The error for a missing directory is [fs.ErrNotExist], and after
// Close [fs.ErrClosed].
func (d *Dir) Acquire() (root *os.Root, release func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, nil, fmt.Errorf("%s: %w", d.path, fs.ErrClosed)
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return nil, nil, err
	}
	// An inode number is not used again while the root holds the old directory open.
	if d.cur == nil || !os.SameFile(info, d.cur.info) {
		if err := d.reopen(); err != nil {
			return nil, nil, err
		}
	}
	h := d.cur
	h.users++
	return h.root, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		_ = h.leave()
	}, nil
}

// Close lets go of the directory. Who has acquired its root may use it to the end.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return d.drop()
}

func (d *Dir) reopen() error {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return err
	}
	info, err := root.Stat(".")
	if err != nil {
		_ = root.Close()
		return err
	}
	_ = d.drop()
	d.cur = &handle{root, info, 1}
	return nil
}

func (d *Dir) drop() error {
	if d.cur == nil {
		return nil
	}
	h := d.cur
	d.cur = nil
	return h.leave()
}

func (h *handle) leave() error {
	h.users--
	if h.users > 0 {
		return nil
	}
	return h.root.Close()
}
