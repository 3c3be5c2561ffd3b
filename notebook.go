package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Notebook keeps what is worth remembering of a user, a project and past tasks as
// plain Markdown files in a [Store]: facts in facts/*.md, experiences by month in
// episodes/YYYY-MM.md, and whatever else has a name that ends in .md. The folders
// are the index; a model reads it, and then the files that it needs.
//
// Each file says in a line `> Summary: …` below its title what is in it. The line is
// built anew after each write: from the keys of a file's list items, or of an episode
// file from the summaries of its entries.
//
// A Notebook may be used by several goroutines, and a store by several notebooks and
// processes: each write is one atomic Update.
type Notebook struct {
	store    Store
	opts     NotebookOptions
	purposes map[string]string // of the closed set of fact files; nil: any
	budget   chan struct{}     // held while the facts are counted and one of them is written

	mu    sync.Mutex
	known map[string]noted // by path
}

// noted is what was read of a file that may still be the same.
type noted struct{ version, summary string }

// NotebookOptions are the limits of a notebook. Nil or zero: every default.
type NotebookOptions struct {
	// Facts is the closed set of fact files, each with its purpose. Then nothing else
	// can be written but these and the episodes. Nil: any file; empty: episodes alone.
	Facts []FactFile
	// MaxFacts is the budget of all files under facts/ together, in bytes, because they
	// are given to the [Reflector] whole. A write that grows them past it is refused; of
	// two in different processes at the same moment one may slip through.
	// 0: 15,360 (15 KiB); negative: no limit.
	MaxFacts int
	// MaxFile is the cap of one file, in bytes, for reading and writing. 0: 256 KiB;
	// more than 1 MiB, or less than 0, is [ErrInvalid].
	MaxFile int
	// MaxIndex is the cap of [Notebook.Index], in bytes. 0: 4 KiB; less than 512 is [ErrInvalid].
	MaxIndex int

	Now func() time.Time // nil: time.Now
}

// FactFile is one file of a closed set.
type FactFile struct {
	Path    string // such as "facts/user.md"
	Purpose string // what belongs there, for the model that writes
}

const (
	defaultMaxFacts = 15 << 10
	defaultMaxNote  = 256 << 10
	mostMaxNote     = 1 << 20
	defaultMaxIndex = 4 << 10
	leastMaxIndex   = 512
)

// NewNotebook gives the notebook at the root of a store. It reads and writes nothing.
// A store that is nil, a path in opts.Facts that is none or stands twice, and a limit out
// of its range are [ErrInvalid].
func NewNotebook(store Store, opts *NotebookOptions) (*Notebook, error) {
	if store == nil {
		return nil, fmt.Errorf("new notebook: store is nil: %w", ErrInvalid)
	}
	n := &Notebook{store: store, budget: make(chan struct{}, 1), known: make(map[string]noted)}
	if opts != nil {
		n.opts = *opts
	}
	o := &n.opts
	o.MaxFacts = cmp.Or(o.MaxFacts, defaultMaxFacts)
	o.MaxFile = cmp.Or(o.MaxFile, defaultMaxNote)
	o.MaxIndex = cmp.Or(o.MaxIndex, defaultMaxIndex)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxFile < 0 || o.MaxFile > mostMaxNote {
		return nil, fmt.Errorf("new notebook: MaxFile is %d: want at most %d bytes: %w", o.MaxFile, mostMaxNote, ErrInvalid)
	}
	if o.MaxIndex < leastMaxIndex {
		return nil, fmt.Errorf("new notebook: MaxIndex is %d: want at least %d bytes: %w", o.MaxIndex, leastMaxIndex, ErrInvalid)
	}
	o.Facts = slices.Clone(o.Facts)
	if o.Facts != nil {
		n.purposes = make(map[string]string)
	}
	for _, f := range o.Facts {
		if err := notePath(f.Path); err != nil || !isFact(f.Path) {
			return nil, fmt.Errorf("new notebook: fact file %.80q: want a path such as facts/user.md: %w", f.Path, ErrInvalid)
		}
		if _, twice := n.purposes[f.Path]; twice {
			return nil, fmt.Errorf("new notebook: fact file %q stands twice: %w", f.Path, ErrInvalid)
		}
		n.purposes[f.Path] = f.Purpose
	}
	return n, nil
}

// Read gives a file as it stands. A missing one is [io/fs.ErrNotExist], one of more
// than MaxFile bytes [ErrTooLarge], and a path that the notebook does not know
// [ErrUnsafeName].
func (n *Notebook) Read(ctx context.Context, path string) (string, error) {
	err := notePath(path)
	var data []byte
	if err == nil {
		data, err = n.store.Read(ctx, path)
	}
	if err == nil {
		err = n.readable(path, len(data))
	}
	if err != nil {
		return "", fmt.Errorf("read note: %w", err)
	}
	return string(data), nil
}

// readable says whether a file of so many bytes can be read.
func (n *Notebook) readable(path string, size int) error {
	if size <= n.opts.MaxFile {
		return nil
	}
	return refuse(ErrTooLarge, "%s has %d bytes, and at most %d can be read: a person has to divide it", path, size, n.opts.MaxFile)
}

// fits says whether a file may become as large as this.
func (n *Notebook) fits(path string, size int) error {
	if size <= n.opts.MaxFile {
		return nil
	}
	return refuse(ErrTooLarge, "%s would have %d bytes, and a file may have %d: condense it first, or begin another file", path, size, n.opts.MaxFile)
}

// Note is a file of a notebook as a list shows it.
type Note struct {
	Path    string `json:"path"`    // such as "facts/user.md"
	Summary string `json:"summary"` // what is in it; of a file that cannot be read, why
	Size    int    `json:"size"`    // in bytes
	Err     error  `json:"-"`       // why it cannot be read; nil: it can
}

// The kinds of files, in the order of the list.
const (
	kindFact = iota
	kindOther
	kindEpisode
)

func kind(path string) int {
	switch {
	case isFact(path):
		return kindFact
	case strings.HasPrefix(path, episodesDir):
		return kindEpisode
	}
	return kindOther
}

// List gives the files with their summaries: facts first, then other files, then
// episodes, each in the order of their names. Where nobody has written a summary one
// is made. A file that did not change since the last List is not read again. What
// cannot be read is in the list as well, with Err.
func (n *Notebook) List(ctx context.Context) ([]Note, error) {
	var notes []Note
	versions := make(map[string]string)
	if err := n.walk(ctx, ".", func(path string, info Info) {
		note := Note{Path: path, Size: noteSize(info), Err: notePath(path)}
		if folder, ok := strings.CutSuffix(path, "/"); ok {
			note.Err = refuse(ErrUnsafeName, "folder %.80q: %s; nothing in it can be read", folder, nameFault(folder))
		} else if note.Err == nil {
			note.Err = n.readable(path, note.Size)
		}
		notes = append(notes, note)
		versions[path] = info.Version
	}); err != nil {
		return nil, fmt.Errorf("list notes: %w", err)
	}
	slices.SortFunc(notes, func(a, b Note) int {
		return cmp.Or(cmp.Compare(kind(a.Path), kind(b.Path)), strings.Compare(a.Path, b.Path))
	})
	if err := n.summarize(ctx, notes, versions); err != nil {
		return nil, fmt.Errorf("list notes: %w", err)
	}
	return notes, nil
}

// noteSize gives what a store says of a size, within what an int holds.
func noteSize(info Info) int { return int(min(max(info.Size, 0), 1<<30)) }

// walk calls visit for each document whose name ends in .md, and for each folder with a
// name by which a store cannot be asked for it.
func (n *Notebook) walk(ctx context.Context, dir string, visit func(path string, info Info)) error {
	var folders []string
	for info, err := range n.store.List(ctx, dir) {
		if err != nil {
			return err
		}
		path := info.Name
		if dir != "." {
			path = dir + "/" + info.Name
		}
		switch {
		case info.IsDir && ValidName(path) == nil:
			folders = append(folders, path)
		case info.IsDir:
			visit(path+"/", info)
		case strings.HasSuffix(path, suffix):
			visit(path, info)
		}
	}
	for _, folder := range folders {
		if err := n.walk(ctx, folder, visit); err != nil {
			return err
		}
	}
	return nil
}
