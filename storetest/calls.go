package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/rawko/memory"
)

var unsafeNames = []string{
	"", ".", "..", "../x.md", "a/../x.md", "/x.md", "a//x.md", "a/", ".hidden", "a/.hidden/x.md", "-x.md",
	`a\x.md`, "c:x.md", "x?.md", "x\x00.md", "x\n.md", "x\u202e.md", "x\xff.md", "x.md.", "x ", "con", "a/NUL.md",
	strings.Repeat("x", 256), strings.Repeat("long/", 300) + "x.md",
}

var nameRules = []Rule{
	{"unsafe names", "Every method refuses an unsafe name with memory.ErrUnsafeName, before it does anything.",
		func(ctx context.Context, store memory.Store) error {
			for _, name := range unsafeNames {
				for method, err := range callAll(ctx, store, name) {
					if errors.Is(err, errors.ErrUnsupported) || method == "List" && name == "." {
						continue
					}
					if !errors.Is(err, memory.ErrUnsafeName) {
						return fmt.Errorf("%s(%.40q) gave the error %v", method, name, err)
					}
				}
			}
			return nil
		}},
}

var callRules = []Rule{
	{"context", "When the context is done, every method gives its error, and nothing is written.",
		func(ctx context.Context, store memory.Store) error {
			if err := put(ctx, store, doc, "kept"); err != nil {
				return err
			}
			done, cancel := context.WithCancel(ctx)
			cancel()
			for method, err := range callAll(done, store, doc) {
				if !errors.Is(err, context.Canceled) && !errors.Is(err, errors.ErrUnsupported) {
					return fmt.Errorf("%s gave the error %v", method, err)
				}
			}
			return holds(ctx, store, doc, "kept")
		}},
	{"context in edit", "When the context ends while edit runs, nothing is written.",
		func(ctx context.Context, store memory.Store) error {
			if err := put(ctx, store, doc, "kept"); err != nil {
				return err
			}
			ending, cancel := context.WithCancel(ctx)
			defer cancel()
			err := store.Update(ending, doc, func([]byte) ([]byte, error) {
				cancel()
				return []byte("too late"), nil
			})
			if !errors.Is(err, context.Canceled) {
				return fmt.Errorf("the error of Update is %v", err)
			}
			return holds(ctx, store, doc, "kept")
		}},
	{"context in list", "When the context ends while its consumer is busy, List yields the context's error and stops.",
		func(ctx context.Context, store memory.Store) error {
			if err := putAll(ctx, store, "a.md", "b.md", "c.md"); err != nil {
				return err
			}
			ending, cancel := context.WithCancel(ctx)
			defer cancel()
			var last error
			n := 0
			for _, err := range store.List(ending, ".") {
				if err != nil && ending.Err() == nil {
					return err
				}
				cancel()
				last = err
				n++
			}
			if n != 2 || !errors.Is(last, context.Canceled) {
				return fmt.Errorf("%d calls of yield, the last with the error %v", n, last)
			}
			return nil
		}},
}

// callAll calls each method for name, and yields its error.
func callAll(ctx context.Context, store memory.Store, name string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		_, err := store.Read(ctx, name)
		if !yield("Read", err) || !yield("Update", put(ctx, store, name, "written")) {
			return
		}
		_, err = list(ctx, store, name)
		if !yield("List", err) {
			return
		}
		for _, batchErr := range memory.ReadBatch(ctx, store, []string{name}) {
			err = batchErr
		}
		if yield("ReadBatch", err) {
			yield("Remove", memory.Remove(ctx, store, name))
		}
	}
}

var optionalRules = []Rule{
	{"remove", "Remove takes a document out of the store, as often as there is one; the error for a missing one is fs.ErrNotExist.",
		func(ctx context.Context, store memory.Store) error {
			if err := put(ctx, store, "dir/other.md", "other"); err != nil {
				return err
			}
			for _, content := range []string{"first", "second"} {
				if err := put(ctx, store, doc, content); err != nil {
					return err
				}
				if err := memory.Remove(ctx, store, doc); errors.Is(err, errors.ErrUnsupported) {
					return nil
				} else if err != nil {
					return err
				}
				if data, err := store.Read(ctx, doc); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("after Remove, Read gave %q and the error %v", data, err)
				}
			}
			if err := memory.Remove(ctx, store, doc); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("for a missing document the error is %v", err)
			}
			return holds(ctx, store, "dir/other.md", "other")
		}},
	{"read batch", "ReadBatch yields one pair for each name, in their order; a document that cannot be read does not stop the others.",
		func(ctx context.Context, store memory.Store) error {
			var wanted []string
			for i := range 40 {
				name := fmt.Sprintf("dir/%d.md", i*7%40)
				if i%10 != 3 {
					if err := put(ctx, store, name, name); err != nil {
						return err
					}
				}
				wanted = append(wanted, name)
			}
			n := 0
			for data, err := range memory.ReadBatch(ctx, store, wanted) {
				if n == len(wanted) {
					return fmt.Errorf("more than the %d pairs wanted", n)
				}
				if n%10 == 3 && !errors.Is(err, fs.ErrNotExist) || n%10 != 3 && (err != nil || string(data) != wanted[n]) {
					return fmt.Errorf("for %q it gave %q and the error %v", wanted[n], data, err)
				}
				n++
			}
			if n < len(wanted) {
				return fmt.Errorf("%d pairs for %d names", n, len(wanted))
			}
			return nil
		}},
}
