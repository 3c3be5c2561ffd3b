package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rawko/memory/internal/atomicfile"
	"github.com/rawko/memory/internal/filelock"
	"github.com/rawko/memory/internal/liveroot"
)

const (
	locksDir   = ".locks"
	lockFiles  = 256             // so that they do not grow with the documents
	leftAfter  = time.Hour       // a temporary file this old has no writer any more
	racyWindow = 2 * time.Second // the coarsest time stamp of a file system in use (FAT)
	readers    = 4               // that ReadBatch sets to work
	chunkSize  = 8               // documents that a reader fetches at a time, as one is too little work
)

// DirStore is a [Store] in a directory: each document is a file that people may read,
// edit and put under git. It is also a [Remover] and a [BatchReader].
//
// Any number of DirStores, in any number of processes, may write the same directory:
// each document is locked by a file in .locks/ while it is updated. All of them must
// have opened that directory, and not one above it or below; use [Sub] for a part.
// On a file system without locks, such as some network mounts, Update fails.
//
// A document is replaced in one step, so that a reader finds the old content or the new,
// and is on the disk when Update returns. Its permissions are kept. A crash leaves one of
// the two, and perhaps a .tmp- file; the first Update of a DirStore in a directory clears
// away those that are older than an hour.
//
// The directory may be deleted and made again meanwhile, as a git checkout does. No
// name leads out of it. A symbolic link in place of a document is shown by List and
// refused by all else with [ErrUnsafeName], as are pipes and devices. Directories may be
// symbolic links that stay inside, but a document should be written by one path only, as
// each has its own lock.
//
// A document larger than 64 MiB is refused with [ErrTooLarge]. A person's editor knows no
// locks: what it saves while an Update runs is noticed, and the edit made again on it, up to
// the instant of the replacement itself.
//
// Version of an [Info] comes from a file's times, size and inode. Shortly after a change
// those cannot tell the next one, as git knows too; until two seconds have passed, every
// look gives another Version.
type DirStore struct {
	dir  *liveroot.Dir
	sync atomicfile.Sync
	now  func() time.Time
	// locks has one place for each lock file: who is in it may wait for the file. So only
	// other processes (and other DirStores) are waited for by polling.
	locks [lockFiles]chan struct{}
	swept sync.Map      // directories that were looked through for old temporary files
	looks atomic.Uint64 // tells racy versions apart where the clock does not
}

// DirOptions say how a [DirStore] works; nil or zero: as documented there.
type DirOptions struct {
	// NoSync leaves it to the system when documents reach the disk: several times faster, safe
	// when the process dies, but a power loss may take what was written shortly before.
	NoSync bool
}

// NewDirStore gives the store in the directory dir. A missing directory is an empty
// store, and made by the first Update. Something else than a directory there is an error.
func NewDirStore(dir string, opts *DirOptions) (*DirStore, error) {
	if dir == "" {
		return nil, fmt.Errorf("open store: the directory is empty; \".\" is the working directory: %w", ErrInvalid)
	}
	live, err := liveroot.New(dir)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s := &DirStore{dir: live, sync: (*os.File).Sync, now: time.Now}
	if opts != nil && opts.NoSync {
		s.sync = nil
	}
	for i := range s.locks {
		s.locks[i] = make(chan struct{}, 1)
	}
	return s, nil
}

// Close lets go of the directory. Calls that are running end as usual; the error of later
// ones is [io/fs.ErrClosed].
func (s *DirStore) Close() error { return s.dir.Close() }

// List implements [Store]. Besides documents it shows all that is neither a document nor a
// directory (links, pipes, names that are not valid), so that it can be reported.
func (s *DirStore) List(ctx context.Context, dir string) iter.Seq2[Info, error] {
	return listing(ctx, dir, func() ([]Info, error) {
		now := s.now() // before the look, so that no change falls between
		var files []fs.FileInfo
		err := s.do("list", dir, func(root *os.Root) (err error) {
			files, err = atomicfile.ReadDir(root, dir)
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		infos := make([]Info, len(files))
		for i, f := range files {
			infos[i] = Info{Name: f.Name(), IsDir: f.IsDir()}
			if !f.IsDir() {
				infos[i].Size, infos[i].Version = f.Size(), s.version(f, now)
			}
		}
		return infos, err
	})
}

// version marks the content of a file as it was seen now or a little later; see the
// comment on DirStore.
func (s *DirStore) version(f fs.FileInfo, now time.Time) string {
	v := fmt.Sprintf("%x-%x-%s", f.ModTime().UnixNano(), f.Size(), inode(f))
	if now.Sub(f.ModTime()).Abs() < racyWindow {
		v += fmt.Sprintf("-%x-%x", now.UnixNano(), s.looks.Add(1))
	}
	return v
}

// Read implements [Store].
func (s *DirStore) Read(ctx context.Context, name string) ([]byte, error) {
	if err := ready(ctx, name); err != nil {
		return nil, err
	}
	var data []byte
	err := s.do("read", name, func(root *os.Root) (err error) {
		data, _, err = atomicfile.Read(root, name)
		return err
	})
	return data, err
}

// ReadBatch implements [BatchReader]. It reads some documents ahead, at the same time.
func (s *DirStore) ReadBatch(ctx context.Context, names []string) iter.Seq2[[]byte, error] {
	type result struct {
		data []byte
		err  error
	}
	return func(yield func([]byte, error) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()

		chunks := slices.Collect(slices.Chunk(names, chunkSize))
		var ahead [readers]chan []result
		start := func(i int) {
			if i >= len(chunks) {
				return
			}
			done := make(chan []result, 1)
			ahead[i%readers] = done
			running.Go(func() {
				results := make([]result, len(chunks[i]))
				for k, name := range chunks[i] {
					results[k].data, results[k].err = s.Read(ctx, name)
				}
				done <- results
			})
		}
		for i := range readers {
			start(i)
		}
		for i := range chunks {
			results := <-ahead[i%readers]
			start(i + readers)
			for _, r := range results {
				if !yield(r.data, r.err) {
					return
				}
			}
		}
	}
}

// Update implements [Store].
func (s *DirStore) Update(ctx context.Context, name string, edit func(old []byte) ([]byte, error)) error {
	if err := ready(ctx, name); err != nil {
		return err
	}
	root, release, err := s.acquire()
	if err != nil {
		return fmt.Errorf("update %q: %w", name, err)
	}
	defer release()
	unlock, err := s.lock(ctx, root, name)
	if err != nil {
		return fmt.Errorf("update %q: %w", name, err)
	}
	defer unlock()

	for {
		err := s.replace(ctx, root, name, edit)
		if !errors.Is(err, atomicfile.ErrChanged) {
			return err
		}
	}
}

// replace is one try of Update. It fails with [atomicfile.ErrChanged] when somebody who
// knows no locks, such as a person's editor, wrote the file meanwhile.
func (s *DirStore) replace(ctx context.Context, root *os.Root, name string, edit func(old []byte) ([]byte, error)) error {
	old, info, err := atomicfile.Read(root, name)
	if err != nil && !missing(err) {
		return explain("update", name, root, err)
	}
	data, err := edit(bytes.Clone(old))
	if err != nil || unchanged(old, data) {
		return err
	}
	if err := ended(ctx, name); err != nil {
		return err
	}
	s.sweep(root, path.Dir(name))
	return explain("update", name, root, atomicfile.Write(root, name, data, info, s.sync))
}

// Remove implements [Remover].
func (s *DirStore) Remove(ctx context.Context, name string) error {
	if err := ready(ctx, name); err != nil {
		return err
	}
	return s.do("remove", name, func(root *os.Root) error {
		unlock, err := s.lock(ctx, root, name)
		if err != nil {
			return err
		}
		defer unlock()
		if _, err := atomicfile.Stat(root, name); err != nil {
			return err
		}
		for n := 1; ; n++ {
			err := atomicfile.Move(root, name, trashName(name, n), s.sync)
			switch {
			case err == nil:
				return nil
			case missing(err): // the document is there, so this must not read as if it were not
				return fmt.Errorf("cannot be moved to %s: %v; is that a directory?", trashDir, err)
			case !errors.Is(err, fs.ErrExist):
				return err
			}
		}
	})
}

// do runs work on the directory for the document or directory name.
func (s *DirStore) do(op, name string, work func(*os.Root) error) error {
	root, release, err := s.dir.Acquire()
	if err != nil {
		return fmt.Errorf("%s %q: %w", op, name, err)
	}
	defer release()
	err = work(root)
	if missing(err) {
		err = fs.ErrNotExist
	}
	return explain(op, name, root, err)
}

// explain makes of an error of the disk what a caller and a person can act on.
func explain(op, name string, root *os.Root, err error) error {
	var kind *atomicfile.TypeError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, atomicfile.ErrTooLarge):
		return fmt.Errorf("%s %q: %w: %w", op, name, err, ErrTooLarge)
	case errors.As(err, &kind) && !kind.Mode.IsDir():
		return fmt.Errorf("%s %q: %w: %w", op, name, err, ErrUnsafeName)
	case escapes(root, err):
		return fmt.Errorf("%s %q: a symbolic link on the way leads out of the store; put a directory in its place: %w",
			op, name, ErrUnsafeName)
	}
	return fmt.Errorf("%s %q: %w", op, name, err)
}

// escapes says whether err is the one with which an [os.Root] keeps callers inside. It has no
// name, so it is compared with one that was provoked.
func escapes(root *os.Root, err error) bool {
	_, outside := root.Lstat("..")
	return errors.Is(err, errors.Unwrap(outside))
}

// acquire gives the root of the directory, which is made if there is none.
func (s *DirStore) acquire() (root *os.Root, release func(), err error) {
	root, release, err = s.dir.Acquire()
	if !errors.Is(err, fs.ErrNotExist) {
		return root, release, err
	}
	if err := makeDir(s.dir.Path(), s.sync); err != nil {
		return nil, nil, err
	}
	return s.dir.Acquire()
}

// makeDir makes a directory and those above it.
func makeDir(dir string, sync atomicfile.Sync) error {
	above := filepath.Dir(dir)
	for above != filepath.Dir(above) {
		if _, err := os.Stat(above); err == nil {
			break
		}
		above = filepath.Dir(above)
	}
	root, err := os.OpenRoot(above)
	if err != nil {
		return err
	}
	defer root.Close()
	rel, err := filepath.Rel(above, dir)
	if err != nil {
		return err
	}
	return atomicfile.MkdirAll(root, filepath.ToSlash(rel), sync)
}

// lock keeps all others, in this process and in others, from writing the document until
// unlock is called.
func (s *DirStore) lock(ctx context.Context, root *os.Root, name string) (unlock func(), err error) {
	h := fnv.New32a()
	// Some file systems take names for the same that differ in case only.
	_, _ = h.Write([]byte(strings.ToLower(name)))
	shard := h.Sum32() % lockFiles

	select {
	case s.locks[shard] <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for another update: %w", ctx.Err())
	}
	file := path.Join(locksDir, strconv.FormatUint(uint64(shard), 16))
	release, err := filelock.Lock(ctx, root, file)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeLocksDir(root); err == nil {
			release, err = filelock.Lock(ctx, root, file)
		}
	}
	if err != nil {
		<-s.locks[shard]
		return nil, err
	}
	return func() {
		_ = release()
		<-s.locks[shard]
	}, nil
}

// makeLocksDir makes the directory of lock files so that git does not see it.
func makeLocksDir(root *os.Root) error {
	err := root.Mkdir(locksDir, 0o777)
	if err == nil { // who may write beside it may lock in it, whatever the umask of the first
		var info fs.FileInfo
		if info, err = root.Stat("."); err == nil {
			err = root.Chmod(locksDir, info.Mode().Perm())
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return root.WriteFile(path.Join(locksDir, ".gitignore"), []byte("*\n"), 0o644)
}

// sweep clears away what a crash left, once for each directory.
func (s *DirStore) sweep(root *os.Root, dir string) {
	if _, done := s.swept.LoadOrStore(dir, true); !done {
		atomicfile.Sweep(root, dir, s.now().Add(-leftAfter))
	}
}

// missing says whether there is no such document. On the way to a document below another
// document there is something, but not a directory.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
