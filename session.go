package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"
)

// defaultKeepRecent is how old entries may get before they are archived (the
// convention, "File Size Guidelines").
const defaultKeepRecent = 2 * time.Hour

// SessionOptions of a [Session]. Nil or zero: every default.
type SessionOptions struct {
	// Now is the clock, for timestamps and ages. Nil: time.Now.
	Now func() time.Time
	// Logger is told when archiving by itself fails; the entry that brought it
	// about is kept. Nil: silent.
	Logger *slog.Logger
	// ArchiveOver is the size in bytes past which a write archives old entries by
	// itself, once they make up a tenth of the file. 0: never.
	ArchiveOver int
	// KeepRecent is the age up to which archiving keeps entries. 0: two hours.
	KeepRecent time.Duration
}

// Session is what one agent remembers within one session, a YAML file in the
// session's directory. It is safe for concurrent use, and several processes may
// have the same session open: each method is one atomic change of the file, and
// what others wrote, comments and unknown keys too, stays as it is.
type Session struct {
	store         Store // the session's directory
	id, agent     string
	name, archive string // documents
	opts          SessionOptions
	now           func() time.Time
	log           *slog.Logger

	mu      sync.Mutex
	last    map[string]int // the highest number that was seen, by kind: none is given twice
	outline *outline       // of the file as it was last seen; nil: none
	index   *archiveIndex  // of the archive as it was last seen; nil: there was none
	mark    string         // see archiveMark, as it was last seen
	idle    time.Time      // when there was nothing to archive by itself
}

// errOtherAgent: the file belongs to another agent of the session.
var errOtherAgent = errors.New("another agent's file")

const (
	sessionFile    = "agent-memory"
	sessionArchive = "agent-memory-archive"
)

// OpenSession opens the memory of an agent in a session, and makes it when it is
// new: <id>/agent-memory.yaml, or <id>/agent-memory.<agent>.yaml where another
// agent has that file or its archive, or this one has a file or an archive of its own name.
// A file that names no agent becomes that of the first who opens it.
//
// The error is [ErrUnsafeName] where id or agent make no file name, and
// [ErrInvalid] or [ErrTooLarge] with the line where the file or its archive cannot be
// read: it is left alone then. A file of a later version is [ErrVersion].
func OpenSession(ctx context.Context, store Store, id, agent string, opts *SessionOptions) (*Session, error) {
	s := &Session{id: id, agent: agent, last: make(map[string]int)}
	err := s.configure(store, opts)
	if err == nil {
		err = s.open(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("open session %q: %w", id, err)
	}
	return s, nil
}

// ID is the session's.
func (s *Session) ID() string { return s.id }

// Agent is the name of the agent.
func (s *Session) Agent() string { return s.agent }

// Name is that of the agent's file in the store, such as <id>/agent-memory.yaml.
func (s *Session) Name() string { return s.id + "/" + s.name }

func (s *Session) configure(store Store, opts *SessionOptions) (err error) {
	switch {
	case s.agent == "":
		return fmt.Errorf("agent is empty: %w", ErrUnsafeName)
	case strings.Contains(s.agent, "/"):
		return fmt.Errorf("agent %q: want a name without a slash: %w", s.agent, ErrUnsafeName)
	}
	if err := ValidName(s.own(sessionArchive)); err != nil {
		return err
	}
	if s.store, err = sessionDir(store, s.id); err != nil {
		return err
	}
	if opts != nil {
		s.opts = *opts
	}
	if s.now = s.opts.Now; s.now == nil {
		s.now = time.Now
	}
	if s.log = s.opts.Logger; s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.opts.KeepRecent <= 0 {
		s.opts.KeepRecent = defaultKeepRecent
	}
	return nil
}

// sessionDir gives the directory of a session.
func sessionDir(store Store, id string) (Store, error) {
	switch {
	case store == nil:
		return nil, fmt.Errorf("store is nil: %w", ErrInvalid)
	case id == "":
		return nil, fmt.Errorf("session is empty: %w", ErrUnsafeName)
	case id == "." || strings.Contains(id, "/"):
		return nil, fmt.Errorf("session %q: want a name without a slash: %w", id, ErrUnsafeName)
	}
	return Sub(store, id)
}

// own gives the name of a document that is the agent's alone.
func (s *Session) own(base string) string { return base + "." + s.agent + ".yaml" }

// open finds out which files are the agent's, makes the file when it is new, and
// reads the archive.
func (s *Session) open(ctx context.Context) error {
	err := s.choose(ctx)
	if err == nil {
		err = s.touch(ctx)
	}
	if errors.Is(err, errOtherAgent) && s.name == sessionFile+".yaml" { // taken meanwhile
		s.name, s.archive = s.own(sessionFile), s.own(sessionArchive)
		err = s.touch(ctx)
	}
	if err == nil {
		_, err = s.archived(ctx)
	}
	return err
}

// touch makes the file when it is new.
func (s *Session) touch(ctx context.Context) error {
	_, err := s.write(ctx, func(*sessionDoc) error { return nil })
	return err
}

// choose finds out which files are the agent's. One that has a file or an archive of its
// own name keeps them; the others are those of the agent that is named in them, and of
// the first who comes where there is none. An archive outlives a file that was deleted,
// and then tells whose the file was.
func (s *Session) choose(ctx context.Context) error {
	var exist [2]bool // documents of the agent's own name: the file, the archive
	var other [2]bool // those that all can have are another agent's
	var mine [2]bool
	for i, base := range [...]string{sessionFile, sessionArchive} {
		_, err := s.store.Read(ctx, s.own(base))
		if exist[i] = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", s.own(base), err)
		}
		data, err := s.store.Read(ctx, base+".yaml")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s.yaml: %w", base, err)
		}
		if d, err := readSession(data); err == nil { // else it is looked at when it is the agent's
			owner := d.text("agent")
			mine[i], other[i] = owner == s.agent, owner != "" && owner != s.agent
		}
	}
	s.name, s.archive = sessionFile+".yaml", sessionArchive+".yaml"
	if exist[0] || other[0] || !mine[0] && (exist[1] || other[1]) {
		s.name = s.own(sessionFile)
	}
	if exist[1] || other[1] || !mine[1] && s.name == s.own(sessionFile) {
		s.archive = s.own(sessionArchive)
	}
	return nil
}

// update makes one atomic change of the file, and archives when it has grown too large.
func (s *Session) update(ctx context.Context, change func(*sessionDoc) error) error {
	size, err := s.write(ctx, change)
	if err == nil {
		s.archiveOver(ctx, size)
	}
	return err
}

// write makes one atomic change of the file, and gives its size. change may be called
// again, and may not change anything but the document.
func (s *Session) write(ctx context.Context, change func(*sessionDoc) error) (size int, err error) {
	var done *outline
	err = s.store.Update(ctx, s.name, func(old []byte) (_ []byte, err error) {
		if done, err = s.edit(old, change); err != nil {
			return nil, err
		}
		return done.text, nil
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.see(done.last)
	if s.outline = done; len(done.short) > done.limit || done.short == nil {
		s.outline = nil
	}
	return len(done.text), nil
}

// edit makes a change of a text: of the short one if it has an outline, and of
// the whole where it has none, or something is wrong. Without a short text what it gives is
// no outline.
func (s *Session) edit(old []byte, change func(*sessionDoc) error) (*outline, error) {
	s.mu.Lock()
	o := s.outline
	s.mu.Unlock()
	var d *sessionDoc
	var err error
	if o == nil || !bytes.Equal(o.text, old) {
		if d, err = s.document(old); err != nil {
			return nil, err
		}
		o = newOutline(d, old)
	}
	if o != nil {
		if done, err := s.editShort(o, change); err == nil {
			return done, nil
		}
	}
	if d == nil {
		if d, err = s.document(old); err != nil {
			return nil, err
		}
	}
	if err := change(d); err != nil {
		return nil, err
	}
	text, err := d.Bytes()
	return &outline{text: text, last: d.last}, err
}

func (s *Session) editShort(o *outline, change func(*sessionDoc) error) (*outline, error) {
	d, err := s.document(o.short)
	if err != nil {
		return nil, err
	}
	d.hidden = o.ids
	for kind, n := range o.last {
		d.last[kind] = max(d.last[kind], n)
	}
	if err := change(d); err != nil {
		return nil, err
	}
	short, err := d.Bytes()
	if err != nil {
		return nil, err
	}
	return o.with(short, d.last)
}

// document reads the file, or the archive, and gives it its head where it has none.
func (s *Session) document(old []byte) (*sessionDoc, error) {
	d, err := readSession(old)
	if err != nil {
		return nil, err
	}
	switch owner := d.text("agent"); {
	case owner != "" && owner != s.agent:
		return nil, fmt.Errorf("its agent is %.80q and not %q: %w: %w", owner, s.agent, errOtherAgent, ErrInvalid)
	case len(d.Root().Content) == 0:
		d.head(s.id, s.agent, s.now())
	case owner == "":
		if err := d.claim(s.agent); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.see(d.last)
	maps.Copy(d.last, s.last)
	return d, nil
}

// see keeps the highest numbers. The caller has the lock.
func (s *Session) see(last map[string]int) {
	for kind, n := range last {
		s.last[kind] = max(s.last[kind], n)
	}
}

// Memory reads what the agent remembers of the session, without what was archived.
func (s *Session) Memory(ctx context.Context) (*SessionMemory, error) {
	d, err := s.read(ctx, s.name)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", s.id, err)
	}
	return d.memory(), nil
}

// read reads the file, or the archive, as a document.
func (s *Session) read(ctx context.Context, name string) (*sessionDoc, error) {
	data, err := s.store.Read(ctx, name)
	var d *sessionDoc
	if err == nil {
		d, err = s.document(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}
