package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	suffix        = ".md"
	defaultMaxAge = time.Second
)

// Options of a [Bank]. Nil or zero: every default.
type Options struct {
	// Now is the clock, for dates and ages. Nil: time.Now.
	Now func() time.Time
	// Logger is told once of each file that cannot be used. It must not call
	// the bank. Nil: silent.
	Logger *slog.Logger
	// MaxAge is how long a change made by others may go unseen. Zero: one
	// second; negative: the bank looks on every call. What the bank itself
	// writes is seen at once.
	MaxAge time.Duration
	// Weights of the relevance table. Nil: SpecWeights; otherwise taken
	// literally, zeros too.
	Weights *Weights
	// Adjust has the host's last word on a score. It may be called from several
	// goroutines, must not change the frontmatter nor call the bank. Nil: none.
	Adjust func(Query, *Frontmatter, *Score)
	// Specialties are the tags that an agent is good at, by its name in any
	// case. Nil: planner (planning, structure, analysis), developer
	// (implementation, code, patterns), tester (testing, validation, quality)
	// and reviewer (review, quality, standards), as in SPEC-0007.
	Specialties map[string][]string
	// Format of the injected block. Nil: see FormatOptions.
	Format *FormatOptions
	// CountTokens counts what a text costs in a prompt. Nil: an estimate, a
	// token for four ASCII characters or for one other.
	CountTokens func(string) int
}

// Bank is the memories of one store: the documents directly in it whose names
// end in .md. It is safe for concurrent use by goroutines, and several banks,
// in one process or many, may share a store.
type Bank struct {
	store       Store
	closer      io.Closer // of a store that Open made
	opts        Options
	now         func() time.Time
	log         *slog.Logger
	weights     *Weights
	specialties map[string][]string // folded

	learning chan struct{} // full while somebody appends what was learned
	looking  chan struct{} // full while somebody looks at the store, to whom index belongs
	index    index
	mu       sync.Mutex // guards seen; never held while the store is asked
	seen     seen
}

// Open opens the bank at a directory. One that does not exist is an empty bank,
// and the first Append makes it. Close the bank when done.
func Open(dir string, opts *Options) (*Bank, error) {
	store, err := NewDirStore(dir, nil)
	if err != nil {
		return nil, fmt.Errorf("open bank: %w", err)
	}
	b, err := New(store, opts)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	b.closer = store
	return b, nil
}

// New opens the bank in a store. Nothing is read before the first call that needs it.
func New(store Store, opts *Options) (*Bank, error) {
	if store == nil {
		return nil, fmt.Errorf("new bank: store is nil: %w", ErrInvalid)
	}
	b := &Bank{store: store, looking: make(chan struct{}, 1), learning: make(chan struct{}, 1)}
	b.index = index{entries: make(map[string]*indexed), logged: make(map[string]string)}
	b.rebuild()
	if opts != nil {
		b.opts = *opts
	}
	b.now = b.opts.Now
	if b.now == nil {
		b.now = time.Now
	}
	if b.opts.MaxAge == 0 {
		b.opts.MaxAge = defaultMaxAge
	}
	b.log = b.opts.Logger
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	b.weights = SpecWeights()
	if b.opts.Weights != nil {
		*b.weights = *b.opts.Weights
	}
	if b.opts.Format != nil {
		format := *b.opts.Format
		b.opts.Format = &format
	}
	specialties := b.opts.Specialties
	if specialties == nil {
		specialties = specSpecialties()
	}
	b.specialties = make(map[string][]string, len(specialties))
	for agent, tags := range specialties {
		for _, tag := range tags {
			b.specialties[fold(agent)] = joinNew(b.specialties[fold(agent)], []string{fold(tag)})
		}
	}
	return b, nil
}

// Close ends the use of the bank: later calls fail with [ErrClosed]. A store
// that was given to [New] stays open. Closing again does nothing.
func (b *Bank) Close() error {
	b.mu.Lock()
	done := b.seen.closed
	b.seen = seen{closed: true}
	b.mu.Unlock()
	if done || b.closer == nil {
		return nil
	}
	return b.closer.Close()
}

// usable gives ErrClosed after Close, and the context's error once there is one.
func (b *Bank) usable(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen.closed {
		return ErrClosed
	}
	return ctx.Err()
}

// orClosed gives ErrClosed for what a call fails with that Close has overtaken.
func (b *Bank) orClosed(err error) error {
	if errors.Is(err, fs.ErrClosed) && b.usable(context.Background()) != nil {
		return ErrClosed
	}
	return err
}

// Get reads one memory by its name, with or without .md. The error for one that
// does not exist is [io/fs.ErrNotExist]; one that cannot be read gives a [*ParseError].
func (b *Bank) Get(ctx context.Context, name string) (*Memory, error) {
	if err := b.usable(ctx); err != nil {
		return nil, err
	}
	document, err := documentName(name)
	if err != nil {
		return nil, fmt.Errorf("get memory %q: %w", name, err)
	}
	data, err := b.store.Read(ctx, document)
	if err != nil {
		return nil, fmt.Errorf("get memory %q: %w", name, b.orClosed(err))
	}
	return Parse(document, data)
}

// documentName gives the document of a memory. Memories stand directly in the
// store, so a slash in a name is a mistake or an attack.
func documentName(name string) (string, error) {
	if strings.Contains(name, "/") {
		return "", fmt.Errorf("a memory's name has no slash: %w", ErrUnsafeName)
	}
	return strings.TrimSuffix(name, suffix) + suffix, nil
}

// All yields every memory in the order of names, retired ones too. One that
// cannot be read is yielded as an error, and the others follow; only when the
// directory itself cannot be listed is the error the last.
func (b *Bank) All(ctx context.Context) iter.Seq2[*Memory, error] {
	return func(yield func(*Memory, error) bool) {
		if err := b.usable(ctx); err != nil {
			yield(nil, err)
			return
		}
		infos, err := b.list(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for f := range b.read(ctx, infos) {
			if f.err != nil {
				if !yield(nil, f.err) {
					return
				}
				continue
			}
			if !yield(Parse(f.name, f.data)) {
				return
			}
		}
	}
}

// Forget takes a memory away for good as far as the bank goes: it is no longer
// listed or recalled. It is meant for a person's demand; what is merely out of
// date is better retired. The file is moved to .trash/ in the store. The error
// of a store that cannot remove is [errors.ErrUnsupported].
func (b *Bank) Forget(ctx context.Context, name string) error {
	if err := b.usable(ctx); err != nil {
		return err
	}
	document, err := documentName(name)
	if err == nil {
		err = Remove(ctx, b.store, document)
	}
	if err != nil {
		return fmt.Errorf("forget memory %q: %w", name, b.orClosed(err))
	}
	b.touched(strings.TrimSuffix(document, suffix))
	return nil
}
