package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
)

// Store is a set of named documents: all that this package asks of a place to keep things.
// [DirStore] keeps them in files, [MapStore] in memory, [Sub] inside another store.
// Package storetest holds this contract as tests that any implementation can run.
//
// A name is a slash-separated path for which [ValidName] gives nil. Every method refuses
// another one with an error that is [ErrUnsafeName], before it touches anything. One name
// should not be both a document and a directory; what happens then is up to the store.
//
// All methods may be called at the same time. Each ends early, with an error that is the
// context's, when its context does.
type Store interface {
	// List yields the documents and directories directly under dir, in byte order of
	// their names; "." is the root. Names that start with a dot are left out. A missing
	// directory is empty; one without documents may be yielded or not.
	// An error is yielded with a zero Info and ends the list.
	List(ctx context.Context, dir string) iter.Seq2[Info, error]

	// Read gives the content of a document. The slice is the caller's. The error for a
	// missing document is [io/fs.ErrNotExist].
	Read(ctx context.Context, name string) ([]byte, error)

	// Update is the one way to write: it replaces a document by what edit makes of it,
	// and no other Update of the same document comes between. Append, patch, replace
	// and create-if-absent are all an Update.
	//
	// edit gets the current content, nil when there is no document (an empty document is
	// not nil), and returns the new content. It must not change what it gets, nor call
	// the store; it may return a part of it, or what [append] makes of it. The store keeps
	// neither slice. Directories on the way are made.
	//
	// Nothing is written when edit returns nil or the content that is there already. An
	// error from edit comes back as it is, and nothing is written either.
	// A store that commits by compare-and-swap may call edit more than once, each time
	// with newer content.
	Update(ctx context.Context, name string, edit func(old []byte) ([]byte, error)) error
}

// Info is what a store tells about a document or directory without reading it.
type Info struct {
	Name  string // last element of its path
	IsDir bool
	Size  int64 // of a document's content in bytes
	// Version is an opaque mark of a document's content: where a later look finds an
	// equal one, the content is the same. The reverse does not hold. Empty: the
	// store cannot tell, or it is a directory.
	Version string
}

// Remover is a [Store] that can take documents away. Call it through [Remove].
type Remover interface {
	// Remove moves a document to the same path under .trash/, where List does not show
	// it and Read does not reach it. It destroys nothing: when that place is taken,
	// x.md becomes x-2.md, and so on. The error for a missing document is [io/fs.ErrNotExist].
	Remove(ctx context.Context, name string) error
}

// Remove takes a document away as [Remover] describes.
// The error of a store that cannot is [errors.ErrUnsupported].
func Remove(ctx context.Context, store Store, name string) error {
	if r, ok := store.(Remover); ok {
		return r.Remove(ctx, name)
	}
	return fmt.Errorf("remove %q: this store cannot remove documents: %w", name, errors.ErrUnsupported)
}

// BatchReader is a [Store] that reads many documents faster together than one by one.
// Call it through [ReadBatch].
type BatchReader interface {
	// ReadBatch yields what Read gives for each name: one pair for each, in their order.
	// A document that cannot be read does not stop the others.
	ReadBatch(ctx context.Context, names []string) iter.Seq2[[]byte, error]
}

// ReadBatch reads many documents as [BatchReader] describes, one by one where the
// store has no faster way.
func ReadBatch(ctx context.Context, store Store, names []string) iter.Seq2[[]byte, error] {
	if b, ok := store.(BatchReader); ok {
		return b.ReadBatch(ctx, names)
	}
	return readEach(ctx, store, names)
}

func readEach(ctx context.Context, store Store, names []string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, name := range names {
			if !yield(store.Read(ctx, name)) {
				return
			}
		}
	}
}

// listing is what List of a store does around look, which finds what is directly under
// dir: in any order, dot names among it.
func listing(ctx context.Context, dir string, look func() ([]Info, error)) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		err := validDir(dir)
		if err == nil {
			err = ended(ctx, dir)
		}
		var infos []Info
		if err == nil {
			infos, err = look()
		}
		if err != nil {
			yield(Info{}, err)
			return
		}
		infos = slices.DeleteFunc(infos, func(i Info) bool { return strings.HasPrefix(i.Name, ".") })
		slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
		for _, info := range infos {
			if err := ended(ctx, dir); err != nil {
				yield(Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// ready says whether a call for name may begin.
func ready(ctx context.Context, name string) error {
	if err := ValidName(name); err != nil {
		return err
	}
	return ended(ctx, name)
}

// ended gives the context's error once there is one.
func ended(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// unchanged says whether an edit that was given old and returned data leaves things as they are.
func unchanged(old, data []byte) bool {
	return data == nil || old != nil && bytes.Equal(old, data)
}

// trashDir is where Remove puts documents.
const trashDir = ".trash"

// trashName gives the nth place to which a document is removed, from 1.
func trashName(name string, n int) string {
	if n == 1 {
		return path.Join(trashDir, name)
	}
	dir, base := path.Split(name)
	ext := path.Ext(base)
	mark := fmt.Sprintf("-%d%s", n, ext)
	base = base[:min(len(base)-len(ext), max(maxNamePart-len(mark), 0))]
	return path.Join(trashDir, dir, strings.ToValidUTF8(base, "")+mark)
}
