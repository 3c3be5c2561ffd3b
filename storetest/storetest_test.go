package storetest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rawko/memory"
	"github.com/rawko/memory/storetest"
	"github.com/stretchr/testify/assert"
)

func TestRunPassesGoodStores(t *testing.T) {
	storetest.Run(t, func(*testing.T) memory.Store { return memory.NewMapStore() })
	// A store without the optional interfaces.
	storetest.Run(t, func(*testing.T) memory.Store { return struct{ memory.Store }{memory.NewMapStore()} })
}

type editFunc = func([]byte) ([]byte, error)

// broken is a MapStore of which some methods do something else.
type broken struct {
	*memory.MapStore
	list   func(ctx context.Context, dir string) iter.Seq2[memory.Info, error]
	read   func(ctx context.Context, name string) ([]byte, error)
	update func(ctx context.Context, name string, edit editFunc) error
	remove func(ctx context.Context, name string) error
	batch  func(ctx context.Context, names []string) iter.Seq2[[]byte, error]
}

func (b *broken) List(ctx context.Context, dir string) iter.Seq2[memory.Info, error] {
	return b.list(ctx, dir)
}
func (b *broken) Read(ctx context.Context, name string) ([]byte, error) { return b.read(ctx, name) }
func (b *broken) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	return b.update(ctx, name, edit)
}
func (b *broken) Remove(ctx context.Context, name string) error { return b.remove(ctx, name) }
func (b *broken) ReadBatch(ctx context.Context, names []string) iter.Seq2[[]byte, error] {
	return b.batch(ctx, names)
}

// eachInfo makes the broken store change each Info that it lists; false leaves it out.
func (b *broken) eachInfo(change func(*memory.Info) bool) {
	b.list = func(ctx context.Context, dir string) iter.Seq2[memory.Info, error] {
		return func(yield func(memory.Info, error) bool) {
			for info, err := range b.MapStore.List(ctx, dir) {
				if (err != nil || change(&info)) && !yield(info, err) {
					return
				}
			}
		}
	}
}

// breaks has faults for each rule, which must trip that rule and no other. After a colon
// stands what tells apart several for one rule.
var breaks = map[string]func(b *broken){
	"missing document": func(b *broken) {
		b.read = func(ctx context.Context, name string) ([]byte, error) {
			data, err := b.MapStore.Read(ctx, name)
			if name == "other/doc.md" && errors.Is(err, fs.ErrNotExist) {
				return []byte{}, nil
			}
			return data, err
		}
	},
	"content": func(b *broken) { // keeps text, not bytes
		b.read = func(ctx context.Context, name string) ([]byte, error) {
			data, err := b.MapStore.Read(ctx, name)
			return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), err
		}
	},
	"large document": func(b *broken) {
		b.read = func(ctx context.Context, name string) ([]byte, error) {
			data, err := b.MapStore.Read(ctx, name)
			return data[:min(len(data), 1<<16)], err
		}
	},
	"read is the caller's": func(b *broken) {
		cache := make(map[string][]byte)
		b.read = func(ctx context.Context, name string) ([]byte, error) {
			data, err := b.MapStore.Read(ctx, name)
			if old := cache[name]; bytes.HasPrefix(old, []byte("#")) {
				return old, err
			}
			cache[name] = data
			return data, err
		}
	},
	"old content": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			return b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				if len(old) == 0 {
					old = nil
				}
				return edit(old)
			})
		}
	},
	"nil content": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			return b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				data, err := edit(old)
				if data == nil && err == nil && old == nil {
					data = []byte{}
				}
				return data, err
			})
		}
	},
	"nil content: empties": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			return b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				data, err := edit(old)
				if data == nil && err == nil && len(old) > 0 {
					data = []byte{}
				}
				return data, err
			})
		}
	},
	"equal content": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			equal := false
			err := b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				data, err := edit(bytes.Clone(old))
				if equal = err == nil && data != nil && old != nil && bytes.Equal(old, data); equal {
					data = append(data, ' ') // so that the MapStore writes, twice
				}
				return data, err
			})
			if equal {
				err = b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) { return old[:len(old)-1], nil })
			}
			return err
		}
	},
	"error from edit": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			var refused error
			err := b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				data, err := edit(old)
				if refused = err; err != nil && data == nil {
					return nil, err
				}
				return data, nil
			})
			return errors.Join(err, refused)
		}
	},
	"error from edit: swallowed": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			return b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				data, err := edit(old)
				if err != nil {
					return nil, nil
				}
				return data, nil
			})
		}
	},
	"error from edit: swallowed later": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			return b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				data, err := edit(old)
				if err != nil && old != nil {
					return nil, nil
				}
				return data, err
			})
		}
	},
	"old content is a copy": func(b *broken) { // as if edit had changed the store's own bytes
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			return b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				data, err := edit(old)
				if bytes.HasPrefix(old, []byte("#")) {
					return old, nil
				}
				return data, err
			})
		}
	},
	"new content is copied": func(b *broken) {
		var mu sync.Mutex
		kept := make(map[string][]byte)
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			return b.MapStore.Update(ctx, name, func(old []byte) ([]byte, error) {
				data, err := edit(old)
				mu.Lock()
				defer mu.Unlock()
				kept[name] = data
				return data, err
			})
		}
		b.read = func(ctx context.Context, name string) ([]byte, error) {
			data, err := b.MapStore.Read(ctx, name)
			if bytes.HasPrefix(kept[name], []byte("#")) {
				return bytes.Clone(kept[name]), err
			}
			return data, err
		}
	},
	"concurrent updates": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			var data []byte
			err := b.MapStore.Update(ctx, name, func(old []byte) (_ []byte, err error) {
				data, err = edit(old)
				return nil, err
			})
			for range 20 {
				runtime.Gosched()
			}
			if err != nil || data == nil {
				return err
			}
			return b.MapStore.Update(ctx, name, func([]byte) ([]byte, error) { return data, nil })
		}
	},
	"panic in edit": func(b *broken) {
		var locked atomic.Bool
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			if locked.Load() {
				return errors.New("locked for ever")
			}
			defer func() {
				if r := recover(); r != nil {
					locked.Store(true)
					panic(r)
				}
			}()
			return b.MapStore.Update(ctx, name, edit)
		}
	},
	"missing directory": func(b *broken) {
		b.list = func(ctx context.Context, dir string) iter.Seq2[memory.Info, error] {
			return func(yield func(memory.Info, error) bool) {
				empty := true
				for info, err := range b.MapStore.List(ctx, dir) {
					empty = false
					if !yield(info, err) {
						return
					}
				}
				if empty {
					yield(memory.Info{}, fs.ErrNotExist)
				}
			}
		}
	},
	"directly under": func(b *broken) { // directories only where documents are beside them
		b.eachInfo(func(info *memory.Info) bool { return info.Name != "deep" })
	},
	"order": func(b *broken) {
		b.list = func(ctx context.Context, dir string) iter.Seq2[memory.Info, error] {
			return func(yield func(memory.Info, error) bool) {
				var infos []memory.Info
				for info, err := range b.MapStore.List(ctx, dir) {
					if err != nil {
						yield(info, err)
						return
					}
					infos = append(infos, info)
				}
				slices.Reverse(infos)
				for _, info := range infos {
					if err := ctx.Err(); err != nil {
						yield(memory.Info{}, err)
						return
					}
					if !yield(info, nil) {
						return
					}
				}
			}
		}
	},
	"dot names": func(b *broken) {
		var removed atomic.Bool
		b.remove = func(ctx context.Context, name string) error {
			removed.Store(true)
			return b.MapStore.Remove(ctx, name)
		}
		b.eachInfo(func(info *memory.Info) bool {
			if removed.Load() && info.Name == "a.md" {
				info.Name = ".trash"
			}
			return true
		})
	},
	"is directory": func(b *broken) { // takes a directory by its name for a document
		b.eachInfo(func(info *memory.Info) bool {
			info.IsDir = !strings.Contains(info.Name, ".")
			return true
		})
	},
	"size": func(b *broken) {
		b.eachInfo(func(info *memory.Info) bool {
			info.Size = (info.Size + 511) / 512
			return true
		})
	},
	"version": func(b *broken) {
		b.eachInfo(func(info *memory.Info) bool {
			info.Version = fmt.Sprint(info.Size)
			return true
		})
	},
	"break": func(b *broken) {
		b.list = func(ctx context.Context, dir string) iter.Seq2[memory.Info, error] {
			return func(yield func(memory.Info, error) bool) {
				for info, err := range b.MapStore.List(ctx, dir) {
					yield(info, err)
				}
			}
		}
	},
	"directly under: twice": func(b *broken) {
		b.list = func(ctx context.Context, dir string) iter.Seq2[memory.Info, error] {
			return func(yield func(memory.Info, error) bool) {
				for info, err := range b.MapStore.List(ctx, dir) {
					if !yield(info, err) || info.IsDir && !yield(info, err) {
						return
					}
				}
			}
		}
	},
	"unsafe names": func(b *broken) { // cleans the name, and then finds nothing wrong with it
		b.read = func(ctx context.Context, name string) ([]byte, error) {
			return b.MapStore.Read(ctx, strings.ReplaceAll(name, "//", "/"))
		}
	},
	"context": func(b *broken) {
		b.read = func(_ context.Context, name string) ([]byte, error) {
			return b.MapStore.Read(context.Background(), name)
		}
	},
	"context in edit": func(b *broken) {
		b.update = func(ctx context.Context, name string, edit editFunc) error {
			if ctx.Err() != nil {
				return b.MapStore.Update(ctx, name, edit)
			}
			return b.MapStore.Update(context.WithoutCancel(ctx), name, edit)
		}
	},
	"context in list": func(b *broken) {
		b.list = func(ctx context.Context, dir string) iter.Seq2[memory.Info, error] {
			if ctx.Err() != nil {
				return b.MapStore.List(ctx, dir)
			}
			return b.MapStore.List(context.WithoutCancel(ctx), dir)
		}
	},
	"remove": func(b *broken) { // is content with a missing document
		b.remove = func(ctx context.Context, name string) error {
			if err := b.MapStore.Remove(ctx, name); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		}
	},
	"remove: shows it still": func(b *broken) {
		b.remove = func(ctx context.Context, name string) error {
			_, err := b.MapStore.Read(ctx, name)
			return err
		}
	},
	"read batch: too many": func(b *broken) {
		b.batch = func(ctx context.Context, names []string) iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) {
				for data, err := range b.MapStore.ReadBatch(ctx, names) {
					if !yield(data, err) {
						return
					}
				}
				if len(names) > 1 {
					yield(nil, nil)
				}
			}
		}
	},
	"read batch: wrong order": func(b *broken) {
		b.batch = func(ctx context.Context, names []string) iter.Seq2[[]byte, error] {
			return b.MapStore.ReadBatch(ctx, slices.Sorted(slices.Values(names)))
		}
	},
	"read batch": func(b *broken) {
		b.batch = func(ctx context.Context, names []string) iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) {
				for data, err := range b.MapStore.ReadBatch(ctx, names) {
					if !yield(data, err) || err != nil {
						return
					}
				}
			}
		}
	},
}

func TestEachRuleCatchesItsFault(t *testing.T) {
	rules := storetest.Rules()
	for _, rule := range rules {
		assert.Contains(t, breaks, rule.Name, "no broken store for this rule")
	}
	for name, fault := range breaks {
		t.Run(name, func(t *testing.T) {
			var tripped []string
			for _, rule := range rules {
				if err := rule.Check(t.Context(), newBroken(fault)); err != nil {
					tripped = append(tripped, rule.Name)
				}
			}
			rule, _, _ := strings.Cut(name, ":")
			assert.Equal(t, []string{rule}, tripped)
		})
	}
}

func newBroken(fault func(*broken)) *broken {
	store := memory.NewMapStore()
	b := &broken{store, store.List, store.Read, store.Update, store.Remove, store.ReadBatch}
	fault(b)
	return b
}

func TestRulesReportErrorsOfTheStore(t *testing.T) {
	failure := errors.New("disk on fire")
	faults := map[string]func(*broken){
		"read":   func(b *broken) { b.read = func(context.Context, string) ([]byte, error) { return nil, failure } },
		"update": func(b *broken) { b.update = func(context.Context, string, editFunc) error { return failure } },
		"remove": func(b *broken) { b.remove = func(context.Context, string) error { return failure } },
		"list": func(b *broken) {
			b.list = func(context.Context, string) iter.Seq2[memory.Info, error] {
				return func(yield func(memory.Info, error) bool) { yield(memory.Info{}, failure) }
			}
		},
	}
	seen := make(map[string]bool)
	for _, fault := range faults {
		for _, rule := range storetest.Rules() {
			if err := rule.Check(t.Context(), newBroken(fault)); err != nil {
				assert.ErrorContains(t, err, failure.Error(), rule.Name)
				seen[rule.Name] = true
			}
		}
	}
	assert.Len(t, seen, len(storetest.Rules()), "a rule that hides errors")
}
