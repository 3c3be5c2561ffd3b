package memory

import (
	"context"
	"iter"
	"path"
)

// Sub gives the part of store below dir as a [Store] of its own: one tenant's, user's or
// project's. No name leads out of it. dir need not exist; "." gives store itself. The error
// for an unsafe dir is [ErrUnsafeName].
//
// What the result can do beyond Store, it has from store: [Remove] moves a document to
// .trash/ at the root of store, under its whole path.
func Sub(store Store, dir string) (Store, error) {
	if dir == "." {
		return store, nil
	}
	if err := ValidName(dir); err != nil {
		return nil, err
	}
	return &subStore{store, dir}, nil
}

// subStore checks each name before it joins it to dir, because a name such as
// "../other" is harmless afterwards and leads out of dir.
type subStore struct {
	store Store
	dir   string
}

func (s *subStore) List(ctx context.Context, dir string) iter.Seq2[Info, error] {
	if err := validDir(dir); err != nil {
		return func(yield func(Info, error) bool) { yield(Info{}, err) }
	}
	return s.store.List(ctx, path.Join(s.dir, dir))
}

func (s *subStore) Read(ctx context.Context, name string) ([]byte, error) {
	if err := ValidName(name); err != nil {
		return nil, err
	}
	return s.store.Read(ctx, path.Join(s.dir, name))
}

func (s *subStore) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	if err := ValidName(name); err != nil {
		return err
	}
	return s.store.Update(ctx, path.Join(s.dir, name), edit)
}

// Remove implements [Remover].
func (s *subStore) Remove(ctx context.Context, name string) error {
	if err := ValidName(name); err != nil {
		return err
	}
	return Remove(ctx, s.store, path.Join(s.dir, name))
}

// ReadBatch implements [BatchReader].
func (s *subStore) ReadBatch(ctx context.Context, names []string) iter.Seq2[[]byte, error] {
	full := make([]string, len(names))
	for i, name := range names {
		if ValidName(name) != nil {
			return readEach(ctx, s, names)
		}
		full[i] = path.Join(s.dir, name)
	}
	return ReadBatch(ctx, s.store, full)
}
