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
	"github.com/rawko/memory/internal/resemble"
)

// index is what the bank knows of its files without reading them again. It
// belongs to whoever holds Bank.looking.
type index struct {
	entries  map[string]*indexed // by name
	titles   map[string]string   // folded title to name, of every memory that can be read
	triggers *triggers
	alike    *alike            // nil: nobody asked yet
	logged   map[string]string // name to what the log was told of it
}

// seen is what queries need of the last look. Bank.mu guards it.
type seen struct {
	triggers *triggers       // nil before the first look
	at       time.Time       // of the last look at the whole store, by the machine's clock, which never goes back
	hostTime time.Time       // by Options.Now
	dirty    map[string]bool // names that this bank wrote since they were read
	closed   bool
}

// maxTitle is how much of a title keywords are looked for in, in bytes.
const maxTitle = 1 << 10

// extent says how much of the store a look is at.
type extent int

const (
	nothing   extent = iota
	ownWrites        // what this bank wrote
	newNames         // that, and files that are new or gone
	everyFile        // that, and files that changed
)

// snapshot gives the triggers of the memories that can be recalled.
func (b *Bank) snapshot(ctx context.Context) (*triggers, error) {
	if t, todo, err := b.current(ctx); err != nil || todo == nothing {
		return t, err
	}
	stop, err := b.startLook(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	if err := b.catchUp(ctx); err != nil {
		return nil, err
	}
	return b.index.triggers, nil
}

// nameOf gives the file that has a title, "" for none. A title that is not known
// is looked for among the files that others made meanwhile.
func (b *Bank) nameOf(ctx context.Context, title string) (string, error) {
	stop, err := b.startLook(ctx)
	if err != nil {
		return "", err
	}
	defer stop()
	if err := b.catchUp(ctx); err != nil {
		return "", err
	}
	if name := b.index.titles[foldTitle(title)]; name != "" {
		return name, nil
	}
	if err := b.look(ctx, newNames); err != nil {
		return "", err
	}
	return b.index.titles[foldTitle(title)], nil
}

// current gives the triggers of the last look, and what to look at to bring them up to date.
func (b *Bank) current(ctx context.Context) (t *triggers, todo extent, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.seen.closed:
		return nil, nothing, ErrClosed
	case b.seen.stale(b):
		todo = everyFile
	case len(b.seen.dirty) > 0:
		todo = ownWrites
	}
	return b.seen.triggers, todo, ctx.Err()
}

// stale asks both clocks: the host's may stand still, as in tests.
func (s *seen) stale(b *Bank) bool {
	maxAge := max(b.opts.MaxAge, 0)
	return s.triggers == nil || time.Since(s.at) >= maxAge || b.now().Sub(s.hostTime).Abs() >= maxAge
}

// startLook makes the caller the one that looks at the store, until it calls stop.
func (b *Bank) startLook(ctx context.Context) (stop func(), err error) {
	select {
	case b.looking <- struct{}{}:
		return func() { <-b.looking }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask calls f with an index that knows every file that is there now, and what was
// written by others less than MaxAge ago or more.
func (b *Bank) ask(ctx context.Context, f func(*index)) error {
	stop, err := b.startLook(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := b.catchUp(ctx); err != nil {
		return err
	}
	if err := b.look(ctx, newNames); err != nil {
		return err
	}
	if b.index.alike == nil {
		b.index.alike = newAlike(b.index.entries)
	}
	f(&b.index)
	return nil
}

// catchUp looks at as much of the store as is not up to date.
func (b *Bank) catchUp(ctx context.Context) error {
	_, todo, err := b.current(ctx)
	if err != nil || todo == nothing {
		return err
	}
	return b.look(ctx, todo)
}

// look brings the index up to date. The store is asked without a lock that
// queries wait for.
func (b *Bank) look(ctx context.Context, e extent) error {
	at, hostTime := time.Now(), b.now()
	b.mu.Lock()
	dirty := b.seen.dirty
	b.seen.dirty = nil
	b.mu.Unlock()
	done := false
	defer func() { // also where the store or the logger panics
		for name := range dirty {
			if !done {
				b.touched(name)
			}
		}
	}()

	gone, toRead, err := b.changes(ctx, e, dirty)
	if err != nil {
		return err
	}
	read, err := b.load(ctx, toRead)
	if err != nil {
		b.change(nil, read) // so that the next look has less to do
		return err
	}
	for _, info := range toRead {
		gone[info.Name] = read[info.Name] == nil
	}
	b.change(gone, read)
	done = true
	for name := range dirty {
		if m := read[name]; m != nil && m.failed {
			b.touched(name) // what the bank wrote is seen as soon as it can be read
		}
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen.triggers = b.index.triggers
	if e == everyFile {
		b.seen.at, b.seen.hostTime = at, hostTime
	}
	return nil
}

// changes tells which files are gone and which are to be read.
func (b *Bank) changes(ctx context.Context, e extent, dirty map[string]bool) (gone map[string]bool, toRead []Info, err error) {
	gone = make(map[string]bool)
	if e == ownWrites {
		for name := range dirty {
			toRead = append(toRead, Info{Name: name})
		}
		return gone, toRead, nil
	}
	infos, err := b.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	for name := range b.index.entries {
		gone[name] = true
	}
	for _, info := range infos {
		known := b.index.entries[info.Name]
		changed := e == everyFile && (info.Version == "" || known != nil && known.version != info.Version)
		if known == nil || changed || dirty[info.Name] {
			toRead = append(toRead, info)
		}
		delete(gone, info.Name)
	}
	return gone, toRead, nil
}

// touched says that the bank wrote a file. It is read again before the next
// answer, rather than taken from what was written: another may have written since.
func (b *Bank) touched(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen.dirty == nil {
		b.seen.dirty = make(map[string]bool)
	}
	b.seen.dirty[name] = true
}

// list gives the memory files, their names without .md. A name that would still
// end in .md then could be taken for another's, and is left out.
func (b *Bank) list(ctx context.Context) ([]Info, error) {
	var infos []Info
	for info, err := range b.store.List(ctx, ".") {
		if err != nil {
			return nil, fmt.Errorf("list memories: %w", b.orClosed(err))
		}
		name, ok := strings.CutSuffix(info.Name, suffix)
		if ok && name != "" && !info.IsDir && !strings.HasSuffix(name, suffix) {
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

// load reads files. Those that are gone meanwhile are left out. A context that
// ends is an error, with the files that were read before.
func (b *Bank) load(ctx context.Context, infos []Info) (map[string]*indexed, error) {
	entries := make(map[string]*indexed, len(infos))
	for f := range b.read(ctx, infos) {
		if err := ctx.Err(); err != nil {
			return entries, err
		}
		if !errors.Is(f.err, fs.ErrNotExist) {
			entries[f.name] = b.indexFile(f)
		}
	}
	return entries, ctx.Err()
}

// indexFile keeps of a file what recall needs, and tells the log of what is wrong with it.
func (b *Bank) indexFile(f file) *indexed {
	if f.err != nil {
		b.report(f.name, f.err.Error())
		return &indexed{name: f.name, err: f.err, failed: true} // without a version: it is tried again at the next look
	}
	e := &indexed{name: f.name, version: f.Version}
	m, problems, err := parseMemory(f.name, f.data)
	if err != nil {
		e.err = err
		b.report(f.name, err.Error())
		return e
	}
	front := m.Frontmatter // a copy, or the body would stay in memory with it
	e.front = &front
	e.title = strings.ToLower(lexical.Normalize(m.Title[:min(len(m.Title), maxTitle)]))
	var unused []string
	for _, p := range problems {
		if p.Severity == SeverityError {
			unused = append(unused, p.String())
		}
	}
	e.sketch, e.topics = sketch(m), resemble.Topics(m.Title[:min(len(m.Title), maxTitle)])
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
	if b.index.logged[name] == problem {
		return
	}
	b.index.logged[name] = problem
	if problem != "" {
		b.log.Warn("memory cannot be used, or not all of it", "name", name, "problem", problem)
	}
}

// change takes files out of the index and puts others in. What is derived is
// changed for those alone, unless they are many, or a title went: then another
// file may have it.
func (b *Bank) change(gone map[string]bool, read map[string]*indexed) {
	const few = 16
	again := len(gone)+len(read) > few
	for name, is := range gone {
		old := b.index.entries[name]
		if !is || old == nil {
			continue
		}
		delete(b.index.entries, name)
		delete(b.index.logged, name)
		b.index.alike.remove(old)
		again = again || old.titleKey() != ""
	}
	for name, m := range read {
		old := b.index.entries[name]
		b.index.entries[name] = m
		again = again || old.titleKey() != "" && old.titleKey() != m.titleKey()
		if !again {
			b.index.triggers = b.index.triggers.with(old, m)
			b.index.alike.remove(old)
			b.index.alike.add(m)
			b.title(m)
		}
	}
	if again {
		b.rebuild()
	}
}

// title notes the title of a memory. Of two files that have one, the first by name counts.
func (b *Bank) title(m *indexed) {
	key := m.titleKey()
	if other := b.index.titles[key]; key != "" && (other == "" || m.name < other) {
		b.index.titles[key] = m.name
	}
}

// rebuild makes anew what is derived from the entries.
func (b *Bank) rebuild() {
	b.index.titles = make(map[string]string, len(b.index.entries))
	b.index.alike = nil
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
