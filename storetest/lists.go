package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rawko/memory"
)

var listRules = []Rule{
	{"missing directory", "The list of a missing directory is empty, and so is that of an empty store.",
		func(ctx context.Context, store memory.Store) error {
			for _, dir := range []string{".", "missing", "missing/below"} {
				if infos, err := list(ctx, store, dir); err != nil || len(infos) > 0 {
					return fmt.Errorf("List(%q) gave %v and the error %v", dir, infos, err)
				}
			}
			return nil
		}},
	{"directly under", "List yields what is directly under a directory, each once, by the last element of its path.",
		func(ctx context.Context, store memory.Store) error {
			if err := putAll(ctx, store, "a.md", "dir/b.md", "dir/c.md", "dir/deep/d.md", "dirt/e.md"); err != nil {
				return err
			}
			for dir, want := range map[string]string{".": "a.md dir dirt", "dir": "b.md c.md deep", "dir/deep": "d.md"} {
				infos, err := list(ctx, store, dir)
				if err != nil {
					return err
				}
				got := names(infos)
				slices.Sort(got)
				if strings.Join(got, " ") != want {
					return fmt.Errorf("List(%q) gave %q, want %q", dir, got, want)
				}
			}
			return nil
		}},
	{"order", "List is in byte order of the names, documents and directories together.",
		func(ctx context.Context, store memory.Store) error {
			if err := putAll(ctx, store, "a2.md", "ä.md", "b/x.md", "a.md", "a/x.md", "a10.md", "B.md", "a1.md", "a-b.md"); err != nil {
				return err
			}
			infos, err := list(ctx, store, ".")
			if err == nil && !slices.IsSorted(names(infos)) {
				err = fmt.Errorf("the order is %q", names(infos))
			}
			return err
		}},
	{"dot names", "List leaves out names that start with a dot, such as those that the store itself uses.",
		func(ctx context.Context, store memory.Store) error {
			if err := putAll(ctx, store, "a.md", "dir/b.md", "removed.md"); err != nil {
				return err
			}
			if err := memory.Remove(ctx, store, "removed.md"); err != nil && !errors.Is(err, errors.ErrUnsupported) {
				return err
			}
			for _, dir := range []string{".", "dir"} {
				infos, err := list(ctx, store, dir)
				if err != nil {
					return err
				}
				for _, name := range names(infos) {
					if strings.HasPrefix(name, ".") {
						return fmt.Errorf("List(%q) shows %q", dir, name)
					}
				}
			}
			return nil
		}},
	{"is directory", "IsDir tells directories from documents.",
		func(ctx context.Context, store memory.Store) error {
			if err := putAll(ctx, store, "a.md", "dir.md/b"); err != nil {
				return err
			}
			file, err1 := stat(ctx, store, ".", "a.md")
			dir, err2 := stat(ctx, store, ".", "dir.md")
			below, err3 := stat(ctx, store, "dir.md", "b")
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			if file.IsDir || below.IsDir || !dir.IsDir {
				return fmt.Errorf("documents: %+v, %+v; directory: %+v", file, below, dir)
			}
			return nil
		}},
	{"size", "Size is the length of a document in bytes.",
		func(ctx context.Context, store memory.Store) error {
			for _, content := range []string{"", "ä", "some more"} {
				if err := put(ctx, store, doc, content); err != nil {
					return err
				}
				info, err := stat(ctx, store, "dir", "doc.md")
				if err != nil {
					return err
				}
				if info.Size != int64(len(content)) {
					return fmt.Errorf("%q has Size %d", content, info.Size)
				}
			}
			return nil
		}},
	{"version", "Equal versions of a document mean equal content.",
		func(ctx context.Context, store memory.Store) error {
			seen := make(map[string]string) // version -> content
			for _, content := range []string{"one", "two", "six", "one, longer", "two"} {
				if err := put(ctx, store, doc, content); err != nil {
					return err
				}
				info, err := stat(ctx, store, "dir", "doc.md")
				if err != nil {
					return err
				}
				if old, ok := seen[info.Version]; ok && old != content && info.Version != "" {
					return fmt.Errorf("version %q stands for %q and for %q", info.Version, old, content)
				}
				seen[info.Version] = content
			}
			return nil
		}},
	{"break", "List stops when its consumer does.",
		func(ctx context.Context, store memory.Store) error {
			if err := putAll(ctx, store, "a.md", "b.md", "c.md"); err != nil {
				return err
			}
			calls := 0
			store.List(ctx, ".")(func(memory.Info, error) bool {
				calls++
				return false
			})
			if calls != 1 {
				return fmt.Errorf("%d calls of yield for a consumer that wanted one", calls)
			}
			return nil
		}},
}

func names(infos []memory.Info) []string {
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return names
}
