package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"

	"github.com/rawko/memory"
)

const doc = "dir/doc.md"

var readRules = []Rule{
	{"missing document", "The error of Read for a missing document is fs.ErrNotExist.",
		func(ctx context.Context, store memory.Store) error {
			if err := putAll(ctx, store, "dir/other.md"); err != nil {
				return err
			}
			for _, name := range []string{"doc.md", doc, "other/doc.md", "dir/other.md/below.md"} {
				if data, err := store.Read(ctx, name); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("Read(%q) gave %q and the error %v", name, data, err)
				}
			}
			return nil
		}},
	{"content", "Read gives the bytes that were written, whatever they are.",
		func(ctx context.Context, store memory.Store) error {
			every := make([]byte, 256)
			for i := range every {
				every[i] = byte(i)
			}
			for _, content := range []string{string(every), "\xef\xbb\xbfa\r\nb", "no line end", "\n\n", "x\x00", ""} {
				if err := errors.Join(put(ctx, store, doc, content), holds(ctx, store, doc, content)); err != nil {
					return err
				}
			}
			return nil
		}},
	{"large document", "A document of 1 MiB is kept whole.",
		func(ctx context.Context, store memory.Store) error {
			large := string(bytes.Repeat([]byte("0123456789abcde\n"), 1<<16))
			return errors.Join(put(ctx, store, doc, large), holds(ctx, store, doc, large))
		}},
	{"read is the caller's", "The slice that Read gives is the caller's: changing it changes nothing else.",
		func(ctx context.Context, store memory.Store) error {
			if err := put(ctx, store, doc, "content"); err != nil {
				return err
			}
			got, err := store.Read(ctx, doc)
			if err != nil {
				return err
			}
			clobber(got)
			return holds(ctx, store, doc, "content")
		}},
}

var updateRules = []Rule{
	{"old content", "edit gets the current content: nil for a missing document, and an empty slice that is not nil for an empty one.",
		func(ctx context.Context, store memory.Store) error {
			var seen []byte
			for _, step := range []struct{ old, next []byte }{{nil, []byte{}}, {[]byte{}, []byte("full")}, {[]byte("full"), nil}} {
				err := store.Update(ctx, doc, func(old []byte) ([]byte, error) {
					seen = old
					return step.next, nil
				})
				if err != nil {
					return err
				}
				if (seen == nil) != (step.old == nil) || !bytes.Equal(seen, step.old) {
					return fmt.Errorf("edit got %#v, want %#v", seen, step.old)
				}
			}
			return nil
		}},
	{"nil content", "Nothing is written when edit returns nil.",
		func(ctx context.Context, store memory.Store) error {
			nothing := func([]byte) ([]byte, error) { return nil, nil }
			if err := store.Update(ctx, doc, nothing); err != nil {
				return err
			}
			if data, err := store.Read(ctx, doc); err == nil {
				return fmt.Errorf("a missing document became %q", data)
			}
			return errors.Join(put(ctx, store, doc, "kept"), store.Update(ctx, doc, nothing), holds(ctx, store, doc, "kept"))
		}},
	{"equal content", "Nothing is written when edit returns the content that is there already.",
		func(ctx context.Context, store memory.Store) error {
			if err := put(ctx, store, doc, "same"); err != nil {
				return err
			}
			// Only a store whose versions stand still shows what was written.
			first, err1 := stat(ctx, store, "dir", "doc.md")
			still, err2 := stat(ctx, store, "dir", "doc.md")
			if err := errors.Join(err1, err2, put(ctx, store, doc, "same")); err != nil {
				return err
			}
			after, err := stat(ctx, store, "dir", "doc.md")
			if err == nil && first.Version == still.Version && after.Version != still.Version {
				err = fmt.Errorf("the version changed from %q to %q", still.Version, after.Version)
			}
			return err
		}},
	{"error from edit", "An error from edit comes back, and nothing is written.",
		func(ctx context.Context, store memory.Store) error {
			refusal := errors.New("refused by edit")
			refuse := func([]byte) ([]byte, error) { return []byte("refused"), refusal }
			if err := store.Update(ctx, doc, refuse); !errors.Is(err, refusal) {
				return fmt.Errorf("the error of Update is %v, want %v", err, refusal)
			}
			if data, err := store.Read(ctx, doc); err == nil {
				return fmt.Errorf("a missing document became %q", data)
			}
			if err := put(ctx, store, doc, "kept"); err != nil {
				return err
			}
			if err := store.Update(ctx, doc, refuse); !errors.Is(err, refusal) {
				return fmt.Errorf("the error of Update is %v, want %v", err, refusal)
			}
			return holds(ctx, store, doc, "kept")
		}},
	{"old content is a copy", "The store is not harmed by an edit that changes what it was given.",
		func(ctx context.Context, store memory.Store) error {
			if err := put(ctx, store, doc, "content"); err != nil {
				return err
			}
			refusal := errors.New("refused by edit")
			_ = store.Update(ctx, doc, func(old []byte) ([]byte, error) {
				clobber(old)
				return nil, refusal
			})
			return holds(ctx, store, doc, "content")
		}},
	{"new content is copied", "The store does not keep the slice that edit returns.",
		func(ctx context.Context, store memory.Store) error {
			content := []byte("content")
			if err := store.Update(ctx, doc, func([]byte) ([]byte, error) { return content, nil }); err != nil {
				return err
			}
			clobber(content)
			return holds(ctx, store, doc, "content")
		}},
	{"concurrent updates", "No other Update of a document comes between what edit is given and what is written.",
		func(ctx context.Context, store memory.Store) error {
			const workers, each = 8, 25
			errs := make([]error, workers)
			var group sync.WaitGroup
			for w := range workers {
				group.Go(func() {
					for range each {
						errs[w] = errors.Join(errs[w], store.Update(ctx, doc, increment))
					}
				})
			}
			group.Wait()
			return errors.Join(errors.Join(errs...), holds(ctx, store, doc, strconv.Itoa(workers*each)))
		}},
	{"panic in edit", "A panic in edit writes nothing and leaves the document usable.",
		func(ctx context.Context, store memory.Store) error {
			if err := put(ctx, store, doc, "kept"); err != nil {
				return err
			}
			func() {
				defer func() { _ = recover() }()
				_ = store.Update(ctx, doc, func([]byte) ([]byte, error) { panic("in edit") })
			}()
			return errors.Join(holds(ctx, store, doc, "kept"), put(ctx, store, doc, "next"))
		}},
}

// increment counts up the decimal number in a document.
func increment(old []byte) ([]byte, error) {
	n, err := strconv.Atoi("0" + string(old))
	return strconv.AppendInt(nil, int64(n)+1, 10), err
}

func clobber(data []byte) {
	for i := range data {
		data[i] = '#'
	}
}
