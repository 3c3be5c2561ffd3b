// Package atomicfile reads and replaces whole files inside an [os.Root], so that a reader
// finds either the old content or the new, and a crash leaves one of them too.
package atomicfile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// tempPrefix starts the name of a file that is being written.
const tempPrefix = ".tmp-"

// Sync brings what was written to a file or directory to the disk, as [os.File.Sync]
// does. A nil Sync leaves that to the system, at the cost of losing it with the power.
type Sync func(*os.File) error

// MaxSize is the largest file that is read, in bytes: one that somebody made huge
// must not take the memory of the process.
const MaxSize = 64 << 20

var (
	// ErrTooLarge is the error for a file of more than MaxSize.
	ErrTooLarge = fmt.Errorf("larger than %d bytes", MaxSize)
	// ErrChanged is the error of Write for a file that is no longer as it was read.
	ErrChanged = errors.New("changed meanwhile")
)

// TypeError is the error for what is not a regular file.
type TypeError struct{ Mode fs.FileMode }

// Error names what it is.
func (e *TypeError) Error() string {
	switch e.Mode.Type() {
	case fs.ModeDir:
		return "a directory, not a document"
	case fs.ModeSymlink:
		return "a symbolic link, which is not followed; put a copy of the file in its place"
	default:
		return fmt.Sprintf("not a regular file (%v); move it away", e.Mode.Type())
	}
}

// Read gives the content and the state of a file. What is not a regular file is a
// *[TypeError], and is not opened.
func Read(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	if _, err := Stat(root, name); err != nil {
		return nil, nil, err
	}
	// It may have become a pipe since, which would keep an open waiting.
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := regular(f.Stat())
	if err != nil {
		return nil, nil, err
	}
	if info.Size() > MaxSize {
		return nil, nil, ErrTooLarge
	}
	var buf bytes.Buffer
	buf.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(f, MaxSize+1)); err != nil {
		return nil, nil, err
	}
	if buf.Len() > MaxSize { // it has grown
		return nil, nil, ErrTooLarge
	}
	return buf.Bytes(), info, nil
}

// Stat gives the state of a regular file. Anything else is a *[TypeError].
func Stat(root *os.Root, name string) (fs.FileInfo, error) {
	return regular(root.Lstat(name))
}

func regular(info fs.FileInfo, err error) (fs.FileInfo, error) {
	if err == nil && !info.Mode().IsRegular() {
		err = &TypeError{info.Mode()}
	}
	return info, err
}

// ReadDir gives the state of everything in a directory, in no order. Symbolic links are
// not followed.
func ReadDir(root *os.Root, dir string) ([]fs.FileInfo, error) {
	f, err := root.OpenFile(dir, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdir(-1)
}

// Write replaces the file name by data, with the permissions of old; nil: there is none yet.
// Missing directories are made. Where the file is not as old says any more, because an
// editor that knows no locks saved it, the error is [ErrChanged]. On an error the old
// content stands, but for one of bringing the directory to the disk, which comes last.
func Write(root *os.Root, name string, data []byte, old fs.FileInfo, sync Sync) (err error) {
	temp := path.Join(path.Dir(name), tempPrefix+rand.Text())
	f, err := create(root, temp, old, sync)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	if err := fill(f, data, old, sync); err != nil {
		return err
	}
	if err := unchanged(root, name, old); err != nil {
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(root, path.Dir(name), sync)
}

// unchanged gives ErrChanged where the file is another than old, or newer.
func unchanged(root *os.Root, name string, old fs.FileInfo) error {
	now, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && old == nil:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || old == nil || !os.SameFile(old, now) || old.Size() != now.Size() || !old.ModTime().Equal(now.ModTime()):
		return ErrChanged
	}
	return nil
}

// Move renames a file to a name that nothing has yet, else the error is [fs.ErrExist].
// Missing directories are made.
func Move(root *os.Root, from, to string, sync Sync) error {
	// Renaming replaces what is there, so the new name is taken first.
	f, err := create(root, to, nil, sync)
	if err != nil {
		return err
	}
	err = f.Close()
	if err == nil {
		err = root.Rename(from, to)
	}
	if err != nil {
		_ = root.Remove(to)
		return err
	}
	// The new name first: rather both than none after a crash.
	return errors.Join(syncDir(root, path.Dir(to), sync), syncDir(root, path.Dir(from), sync))
}

// create makes a file that must not exist, and the directories above it.
func create(root *os.Root, name string, old fs.FileInfo, sync Sync) (*os.File, error) {
	perm := fs.FileMode(0o644)
	if old != nil {
		perm = old.Mode().Perm()
	}
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := root.OpenFile(name, flags, perm)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := MkdirAll(root, path.Dir(name), sync); err != nil {
		return nil, err
	}
	return root.OpenFile(name, flags, perm)
}

// fill writes and closes f.
func fill(f *os.File, data []byte, old fs.FileInfo, sync Sync) error {
	_, err := f.Write(data)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm()) // the umask has held some back
	}
	if err == nil && sync != nil {
		err = sync(f) // not again after a failure: the system may have dropped the data
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// MkdirAll makes a directory and those above it.
func MkdirAll(root *os.Root, dir string, sync Sync) error {
	if dir == "." {
		return nil
	}
	err := root.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		if err := MkdirAll(root, path.Dir(dir), sync); err != nil {
			return err
		}
		err = root.Mkdir(dir, 0o755)
	}
	if errors.Is(err, fs.ErrExist) {
		return isDir(root, dir)
	}
	if err != nil {
		return err
	}
	return syncDir(root, path.Dir(dir), sync)
}

func isDir(root *os.Root, name string) error {
	info, err := root.Stat(name)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
	}
	return err
}

// syncDir makes the names in a directory last. Windows does that by itself, and
// has no way to ask for it; nor have some file systems, which say so.
func syncDir(root *os.Root, dir string, sync Sync) error {
	if sync == nil || runtime.GOOS == "windows" {
		return nil
	}
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = sync(f)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// Sweep removes from a directory what writers left that died before the given time. It
// does what it can; a temporary file that stays does no harm.
func Sweep(root *os.Root, dir string, before time.Time) {
	infos, _ := ReadDir(root, dir)
	for _, info := range infos {
		if info.Mode().IsRegular() && strings.HasPrefix(info.Name(), tempPrefix) && info.ModTime().Before(before) {
			_ = root.Remove(path.Join(dir, info.Name()))
		}
	}
}
