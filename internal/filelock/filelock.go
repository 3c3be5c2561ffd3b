// Package filelock excludes other processes, and other holders in this one, by a lock on a file.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	firstWait   = time.Millisecond
	longestWait = 16 * time.Millisecond
)

// Lock takes the exclusive lock on the file name in root, which is made when it is
// missing; its directory must exist. It waits until the lock is free or ctx is done,
// and then gives ctx's error. The file stays for ever: where a lock file is unlinked, one
// process can hold the old file's lock and another the new one's.
//
// release gives the lock back; call it once. The system does so too when the process dies.
func Lock(ctx context.Context, root *os.Root, name string) (release func() error, err error) {
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		f, err := try(root, name)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if f != nil {
			return func() error { return errors.Join(unlock(f), f.Close()) }, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for lock %s, which another process holds: %w", name, ctx.Err())
		case <-time.After(wait):
		}
	}
}

// try gives the locked file, or nil when somebody else has the lock.
func try(root *os.Root, name string) (*os.File, error) {
	// Reading is all that a lock takes, so that users who share a directory share its locks.
	f, err := root.OpenFile(name, os.O_RDONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().Perm()&0o444 != 0o444 {
		_ = f.Chmod(0o644) // the first one's umask must not shut the others out
	}
	locked, err := tryLock(f)
	if err == nil && locked {
		// A clean-up may have unlinked the file since it was opened.
		locked, err = isAt(f, root, name)
	}
	if err != nil || !locked {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// isAt says whether name in root is still the file f.
func isAt(f *os.File, root *os.Root, name string) (bool, error) {
	now, err := root.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	opened, err := f.Stat()
	return err == nil && os.SameFile(opened, now), err
}
