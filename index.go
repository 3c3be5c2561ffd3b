package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rawko/memory/internal/lexical"
)

// index is what the bank knows of its memories without reading them again.
type index struct {
	closed   bool
	entries  map[string]*indexed // by name
	dirty    map[string]bool     // names that this bank wrote since they were read
	loaded   bool
	lookedAt time.Time // by the machine's clock, which never goes back
	hostTime time.Time // by Options.Now
	triggers *triggers
	titles   map[string]string // folded title to name, of every memory that can be read
}

// snapshot gives the triggers of the memories that can be recalled.
func (b *Bank) snapshot(ctx context.Context) (*triggers, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.look(ctx); err != nil {
		return nil, err
	}
	return b.index.triggers, nil
}

// nameOf gives the file that has a title, "" for none.
func (b *Bank) nameOf(ctx context.Context, title string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.look(ctx); err != nil {
		return "", err
	}
	return b.index.titles[foldTitle(title)], nil
}

// touched says that the bank wrote a file. It is read again before the next
// answer, rather than taken from what was written: another may have written since.
func (b *Bank) touched(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.index.dirty == nil {
		b.index.dirty = make(map[string]bool)
	}
	b.index.dirty[name] = true
}

// look brings the index up to date: a whole look when the last is older than
// MaxAge, else only at what this bank wrote.
func (b *Bank) look(ctx context.Context) error {
	if b.index.closed {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.index.loaded && !b.stale() {
		return b.lookAgain(ctx)
	}
	realTime, hostTime := time.Now(), b.now()
	infos, err := b.list(ctx)
	if err != nil {
		return err
	}
	entries := make(map[string]*indexed, len(infos))
	var changed []Info
	for _, info := range infos {
		known := b.index.entries[info.Name]
		if known == nil || info.Version == "" || known.version != info.Version || b.index.dirty[info.Name] {
			changed = append(changed, info)
			continue
		}
		entries[info.Name] = known
	}
	if err := b.load(ctx, changed, entries); err != nil {
		return err
	}
	removed := len(entries) != len(b.index.entries)
	b.index.entries, b.index.dirty, b.index.loaded = entries, nil, true
	b.index.lookedAt, b.index.hostTime = realTime, hostTime
	if removed || len(changed) > 0 || b.index.triggers == nil {
		b.rebuild()
	}
	return nil
}

// stale asks both clocks: the host's may stand still, as in tests.
func (b *Bank) stale() bool {
	return time.Since(b.index.lookedAt) >= b.opts.MaxAge ||
		b.now().Sub(b.index.hostTime).Abs() >= max(b.opts.MaxAge, 0)
}

// lookAgain reads what this bank wrote.
func (b *Bank) lookAgain(ctx context.Context) error {
	if len(b.index.dirty) == 0 {
		return nil
	}
	var infos []Info
	for name := range b.index.dirty {
		infos = append(infos, Info{Name: name})
	}
	entries := make(map[string]*indexed, len(infos))
	if err := b.load(ctx, infos, entries); err != nil {
		return err
	}
	for _, info := range infos {
		b.replace(b.index.entries[info.Name], entries[info.Name])
	}
	b.index.dirty = nil
	return nil
}

// replace puts one memory in the place of another of the same name; nil is none.
// Only what changed is touched, unless a title went: another file may have it.
func (b *Bank) replace(old, m *indexed) {
	switch {
	case m == nil && old == nil:
		return
	case m == nil:
		delete(b.index.entries, old.name)
	default:
		b.index.entries[m.name] = m
	}
	if old.titleKey() != "" && old.titleKey() != m.titleKey() {
		b.rebuild()
		return
	}
	b.index.triggers = b.index.triggers.with(old, m)
	b.title(m)
}

// title notes the title of a memory, unless another file has it.
func (b *Bank) title(m *indexed) {
	if key := m.titleKey(); key != "" && b.index.titles[key] == "" {
		b.index.titles[key] = m.name
	}
}

// list gives the memory files, their names without .md.
func (b *Bank) list(ctx context.Context) ([]Info, error) {
	var infos []Info
	for info, err := range b.store.List(ctx, ".") {
		if err != nil {
			return nil, fmt.Errorf("list memories: %w", err)
		}
		if name, ok := strings.CutSuffix(info.Name, suffix); ok && name != "" && !info.IsDir {
			info.Name = name
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// file is a memory file that was read, or could not be.
type file struct {
	Info
	name string
	data []byte
	err  error
}

// read reads files, in their order; one that is too large is not read at all.
func (b *Bank) read(ctx context.Context, infos []Info) iter.Seq[file] {
	return func(yield func(file) bool) {
		names := make([]string, 0, len(infos))
		for _, info := range infos {
			if info.Size <= maxFile {
				names = append(names, info.Name+suffix)
			}
		}
		next, stop := iter.Pull2(ReadBatch(ctx, b.store, names))
		defer stop()
		for _, info := range infos {
			f := file{Info: info, name: info.Name}
			if info.Size > maxFile {
				f.err = &ParseError{Name: info.Name, Msg: fmt.Sprintf("is %d bytes long; a memory file has at most %d: split it", info.Size, maxFile), Err: ErrTooLarge}
			} else if data, err, ok := next(); ok {
				f.data, f.err = data, err
			} else {
				f.err = fmt.Errorf("read %q: the store ended its batch too early", info.Name+suffix)
			}
			if !yield(f) {
				return
			}
		}
	}
}

// load reads files into entries. Files that are gone meanwhile are left out; a
// context that ends is an error, lest its files be taken for unreadable.
func (b *Bank) load(ctx context.Context, infos []Info, entries map[string]*indexed) error {
	for f := range b.read(ctx, infos) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if errors.Is(f.err, fs.ErrNotExist) {
			continue
		}
		entries[f.name] = b.indexFile(f)
	}
	return ctx.Err()
}

// indexFile keeps of a file what recall needs, and tells the log of what is wrong with it.
func (b *Bank) indexFile(f file) *indexed {
	e := &indexed{name: f.name, version: f.Version, err: f.err}
	var problems []Problem
	var m *Memory
	if e.err == nil {
		m, problems, e.err = parseMemory(f.name, f.data)
	}
	if e.err != nil {
		b.report(f.name, e.err.Error())
		return e
	}
	e.front = &m.Frontmatter
	e.title = strings.ToLower(lexical.Normalize(m.Title))
	var unused []string
	for _, p := range problems {
		if p.Severity == Error {
			unused = append(unused, p.String())
		}
	}
	patterns, faults := readPatterns(m.WhenToUse)
	e.patterns = patterns
	for _, fault := range faults {
		unused = append(unused, fmt.Sprintf("whenToUse %q: %v", shorten(fault.line, 60), fault.err))
	}
	b.report(f.name, strings.Join(unused, "; "))
	return e
}

// report tells the log what of a file cannot be used, and nothing when it has
// told that already.
func (b *Bank) report(name, problem string) {
	if b.logged[name] == problem {
		return
	}
	if b.logged == nil {
		b.logged = make(map[string]string)
	}
	b.logged[name] = problem
	if problem != "" {
		b.log.Warn("memory cannot be used, or not all of it", "name", name, "problem", problem)
	}
}

// rebuild makes anew what is derived from the entries.
func (b *Bank) rebuild() {
	b.index.titles = make(map[string]string, len(b.index.entries))
	var memories []*indexed
	for _, name := range slices.Sorted(maps.Keys(b.index.entries)) {
		m := b.index.entries[name]
		b.title(m)
		if m.recallable() {
			memories = append(memories, m)
		}
	}
	b.index.triggers = newTriggers(memories)
}
