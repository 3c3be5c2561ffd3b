package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/yamledit"
)

// Sizes of the convention ("File Size Guidelines"), in bytes.
const (
	SmallSession  = 50 << 10  // a session of less than two hours
	MediumSession = 100 << 10 // of two to four hours; past it old entries belong into the archive
)

// SessionSize tells where a session file stands.
type SessionSize struct {
	Bytes   int  // of the file
	Archive int  // of the archive; 0: there is none
	Medium  bool // past SmallSession
	Large   bool // past MediumSession: archive it
}

// Size tells how large the file is.
func (s *Session) Size(ctx context.Context) (SessionSize, error) {
	data, err := s.store.Read(ctx, s.name)
	if err != nil {
		return SessionSize{}, fmt.Errorf("session %q: %s: %w", s.id, s.name, err)
	}
	archive, err := s.store.Read(ctx, s.archive)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return SessionSize{}, fmt.Errorf("session %q: %s: %w", s.id, s.archive, err)
	}
	return SessionSize{len(data), len(archive), len(data) > SmallSession, len(data) > MediumSession}, nil
}

// Archive moves the entries that are older than age to the archive file, leaves a
// summary of them under history, and gives how many they were. The age of an attempt
// counts from its end, which is its timestamp and duration_ms. An age of 0 is
// [SessionOptions].KeepRecent; a negative one means all, those
// with a time in the future too. Attempts that run or whose result is unknown stay, and so do
// entries without a readable timestamp.
//
// An entry is written to the archive before it is taken out of the file, so that
// none is lost whatever fails in between; one that is in both is moved by the
// next call, and one that was changed meanwhile stays and is moved as it is then. Where
// the archive has not room for all, the oldest are moved that it has room for; a full
// archive is [ErrTooLarge], until somebody moves that file away. Ids stay unique then.
func (s *Session) Archive(ctx context.Context, age time.Duration) (moved int, err error) {
	if age == 0 {
		age = s.opts.KeepRecent
	}
	if moved, err = s.archiveOlder(ctx, age, 0); err != nil {
		return 0, fmt.Errorf("session %q: archive: %w", s.id, err)
	}
	return moved, nil
}

// archiveOver archives by itself when the file has grown past the limit. Each time
// costs a rewrite of the archive, so it is not done for a few entries.
func (s *Session) archiveOver(ctx context.Context, size int) {
	if s.opts.ArchiveOver <= 0 || size <= s.opts.ArchiveOver {
		return
	}
	now := s.now()
	s.mu.Lock()
	soon := !s.idle.IsZero() && now.Sub(s.idle).Abs() < s.opts.KeepRecent/10
	s.mu.Unlock()
	if soon {
		return // nothing was old enough a moment ago
	}
	moved, err := s.archiveOlder(ctx, s.opts.KeepRecent, size/10)
	if err != nil {
		s.log.Warn("session memory could not be archived", "session", s.id, "agent", s.agent, "problem", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle = now; moved > 0 {
		s.idle = time.Time{}
	}
}

// endOfTime is later than any time that a file can have.
var endOfTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// archiveOlder archives entries if together they have at least so many bytes.
func (s *Session) archiveOlder(ctx context.Context, age time.Duration, least int) (moved int, err error) {
	limit := endOfTime
	if age >= 0 {
		limit = s.now().Add(-age)
	}
	d, err := s.read(ctx, s.name)
	if err != nil {
		return 0, err
	}
	old, size := d.old(limit), 0
	for _, e := range old {
		size += len(e.key)
	}
	if len(old) == 0 || size < least {
		return 0, nil
	}
	for {
		err := s.store.Update(ctx, s.archive, func(data []byte) ([]byte, error) { return s.archiveWith(data, old) })
		if err == nil {
			break
		}
		if !errors.Is(err, ErrTooLarge) || len(old) == 1 {
			return 0, fmt.Errorf("%s: %w", s.archive, err)
		}
		old = oldest(old, len(old)/2) // what fits is moved
	}
	err = s.store.Update(ctx, s.name, func(data []byte) (text []byte, err error) {
		text, moved, err = s.without(data, old, limit)
		return text, err
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	return moved, nil
}

// oldest gives the n oldest entries, the oldest first.
func oldest(old []oldEntry, n int) []oldEntry {
	byAge := slices.Clone(old)
	slices.SortStableFunc(byAge, func(a, b oldEntry) int { return a.when.Compare(b.when) })
	return byAge[:n]
}

// without takes old entries that were copied to the archive out of the file, those of them
// that are still as they were.
func (s *Session) without(data []byte, old []oldEntry, limit time.Time) (text []byte, moved int, err error) {
	d, err := s.document(data)
	if err != nil {
		return nil, 0, err
	}
	copied := make(map[string][]string, len(old))
	for _, e := range old {
		copied[e.key] = e.comments
	}
	gone := slices.DeleteFunc(d.old(limit), func(e oldEntry) bool {
		comments, ok := copied[e.key]
		return !ok || !slices.Equal(comments, e.comments)
	})
	if len(gone) == 0 {
		return data, 0, nil
	}
	at := make(map[string][]int)
	for _, e := range gone {
		at[e.kind.key] = append(at[e.kind.key], e.at)
	}
	for key, items := range at {
		d.Remove(yamledit.Get(d.Root(), key), items...)
	}
	summary := s.summary(d, gone)
	if d, err = d.foldHistory(); err == nil {
		err = d.addHistory(summary)
	}
	if err != nil {
		return nil, 0, err
	}
	text, err = d.Bytes()
	return text, len(gone), err
}

// archiveMark is another one after each time that entries were archived.
func (d *sessionDoc) archiveMark() string {
	list, _ := d.list("history") // it was read
	if len(list) == 0 {
		return ""
	}
	return string(appendValues(nil, list[len(list)-1]))
}

// oldEntry is an entry that is to be archived.
type oldEntry struct {
	kind     sessionKind
	key      string // its list and values, to know it again
	id       string
	comments []string
	at       int // in the list
	node     *yaml.Node
	when     time.Time
	line     string // for the summary
}

// old gives the entries from before limit that are not running.
func (d *sessionDoc) old(limit time.Time) []oldEntry {
	var found []oldEntry
	for _, kind := range sessionKinds {
		list, _ := d.list(kind.key) // it was read
		for i, n := range list {
			var e struct {
				Timestamp   time.Time `yaml:"timestamp"`
				DurationMS  int       `yaml:"duration_ms"`
				Result      string    `yaml:"result"`
				Description string    `yaml:"description"`
				Content     string    `yaml:"content"`
			}
			decodeNode(n, &e)
			if e.Timestamp.IsZero() || !endOf(e.Timestamp, e.DurationMS).Before(limit) || kind.id == "attempt" && isRunning(n) {
				continue
			}
			line := cutLine(cmp.Or(e.Description, e.Content), maxHistoryLine)
			if e.Result != "" {
				line += " (" + cutLine(e.Result, maxSessionWord) + ")"
			}
			found = append(found, oldEntry{kind, valueKey(kind, n), entryID(n), commentsOf(n), i, n, e.Timestamp, line})
		}
	}
	return found
}

// valueKey is equal for entries of a list that have the same values, however they
// are written and in whatever order their keys are.
func valueKey(kind sessionKind, n *yaml.Node) string {
	return string(appendValues([]byte(kind.key), n))
}

func all(list []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !ok(s) })
}

// commentsOf gives the lines of the comments in an entry, wherever they stand in it; one
// above it may be the list's.
func commentsOf(n *yaml.Node) []string {
	var lines []string
	var collect func(n *yaml.Node)
	collect = func(n *yaml.Node) {
		for line := range strings.Lines(n.HeadComment + "\n" + n.LineComment + "\n" + n.FootComment) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		for _, child := range n.Content {
			collect(child)
		}
	}
	entry := *n
	if entry.HeadComment = ""; len(n.Content) > 0 {
		first := *n.Content[0]
		first.HeadComment = ""
		entry.Content = slices.Concat([]*yaml.Node{&first}, n.Content[1:])
	}
	collect(&entry)
	slices.Sort(lines)
	return lines
}

func appendValues(to []byte, n *yaml.Node) []byte {
	to = append(to, byte(n.Kind), ' ')
	to = append(to, n.ShortTag()...)
	if n.Kind == yaml.ScalarNode {
		if n.ShortTag() == "!!null" {
			return to
		}
		to = strconv.AppendInt(append(to, ' '), int64(len(n.Value)), 10)
		return append(append(to, ':'), n.Value...)
	}
	to = strconv.AppendInt(append(to, ' '), int64(len(n.Content)), 10)
	if n.Kind != yaml.MappingNode {
		for _, child := range n.Content {
			to = appendValues(to, child)
		}
		return to
	}
	pairs := make([]string, len(n.Content)/2)
	for i := range pairs {
		pairs[i] = string(appendValues(appendValues(nil, n.Content[2*i]), n.Content[2*i+1]))
	}
	slices.Sort(pairs)
	return append(to, strings.Join(pairs, "")...)
}

// archiveWith gives the archive with the entries that it does not have yet.
func (s *Session) archiveWith(data []byte, old []oldEntry) ([]byte, error) {
	a, err := s.document(data)
	if err != nil {
		return nil, err
	}
	have := make(map[string]bool)
	for _, kind := range sessionKinds {
		list, _ := a.list(kind.key) // it was read
		for _, n := range list {
			have[valueKey(kind, n)] = true
		}
	}
	for _, e := range old {
		noted := func(comment string) bool { return bytes.Contains(data, []byte(comment)) }
		if !have[e.key] || !all(e.comments, noted) {
			a.Append(a.Root(), e.kind.key, e.node)
		}
	}
	return a.Bytes()
}
