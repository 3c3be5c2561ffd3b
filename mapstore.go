package memory

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"strconv"
	"strings"
	"sync"
)

// MapStore is a [Store] in memory, for tests and for hosts that keep documents elsewhere.
// It is also a [Remover] and a [BatchReader]. Updates commit by compare-and-swap, so that no
// lock is held while edit runs; edit is called again when another Update came first.
type MapStore struct {
	mu       sync.RWMutex
	docs     map[string]mapDoc
	versions uint64 // given out so far
}

// mapDoc is never changed, only replaced.
type mapDoc struct {
	data    []byte
	version uint64 // 0: no document
}

// NewMapStore gives an empty store.
func NewMapStore() *MapStore {
	return &MapStore{docs: make(map[string]mapDoc)}
}

// List implements [Store]. It shows the documents as they were when the iteration began.
func (s *MapStore) List(ctx context.Context, dir string) iter.Seq2[Info, error] {
	return listing(ctx, dir, func() ([]Info, error) {
		prefix := dir + "/"
		if dir == "." {
			prefix = ""
		}
		s.mu.RLock()
		defer s.mu.RUnlock()
		var infos []Info
		dirs := make(map[string]bool)
		for name, doc := range s.docs {
			rest, ok := strings.CutPrefix(name, prefix)
			if !ok {
				continue
			}
			first, _, below := strings.Cut(rest, "/")
			if !below {
				infos = append(infos, Info{Name: first, Size: int64(len(doc.data)), Version: strconv.FormatUint(doc.version, 10)})
			} else if !dirs[first] {
				dirs[first] = true
				infos = append(infos, Info{Name: first, IsDir: true})
			}
		}
		return infos, nil
	})
}

// Read implements [Store].
func (s *MapStore) Read(ctx context.Context, name string) ([]byte, error) {
	if err := ready(ctx, name); err != nil {
		return nil, err
	}
	doc := s.get(name)
	if doc.version == 0 {
		return nil, fmt.Errorf("read %q: %w", name, fs.ErrNotExist)
	}
	return bytes.Clone(doc.data), nil
}

// ReadBatch implements [BatchReader].
func (s *MapStore) ReadBatch(ctx context.Context, names []string) iter.Seq2[[]byte, error] {
	return readEach(ctx, s, names)
}

// Update implements [Store].
func (s *MapStore) Update(ctx context.Context, name string, edit func(old []byte) ([]byte, error)) error {
	if err := ValidName(name); err != nil {
		return err
	}
	for {
		if err := ended(ctx, name); err != nil {
			return err
		}
		old := s.get(name)
		data, err := edit(bytes.Clone(old.data))
		if err != nil || unchanged(old.data, data) {
			return err
		}
		if err := ended(ctx, name); err != nil {
			return err
		}
		if s.swap(name, old.version, bytes.Clone(data)) {
			return nil
		}
	}
}

// Remove implements [Remover].
func (s *MapStore) Remove(ctx context.Context, name string) error {
	if err := ready(ctx, name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	doc, ok := s.docs[name]
	if !ok {
		return fmt.Errorf("remove %q: %w", name, fs.ErrNotExist)
	}
	n := 1
	for s.docs[trashName(name, n)].version != 0 {
		n++
	}
	s.docs[trashName(name, n)] = doc
	delete(s.docs, name)
	return nil
}

func (s *MapStore) get(name string) mapDoc {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.docs[name]
}

// swap keeps data as the document name, unless the document is no longer of the version given.
func (s *MapStore) swap(name string, version uint64, data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs[name].version != version {
		return false
	}
	s.versions++
	s.docs[name] = mapDoc{data, s.versions}
	return true
}
