package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/redact"
	"github.com/rawko/memory/internal/yamledit"
)

// longAttempt is how long an attempt may run before [Session.Check] asks whether it will ever end.
const longAttempt = 24 * time.Hour

// Check gives what a person should look at in the file and in its archive, in the
// order of their lines, the file first. It is for files that people or other
// programs write too; reading stays as lenient as it is. Unknown keys are fine.
//
// A [SeverityError] is what is not used as it stands: a file that cannot be read, a
// value that does not fit its field, an unknown type or result, an entry without
// id, timestamp, type, content, description or result, an id that is given twice, a
// file of another agent. A [SeverityWarning] is the rest: what is read, but not as
// docs/agent-memory.schema.json has it (a head or a part without its keys, an unknown
// status, a number in quotes or below 0, a text for a list, importance in capitals),
// relatedDiscoveries that stand neither in the file nor in its archive, an attempt that
// began more than 24 hours ago and is still in progress, one that is so in the archive,
// where it cannot be finished, what looks like a secret, and a file of more than
// [MediumSession] bytes.
// An entry that is the same in file and archive is none of these: the next
// [Session.Archive] mends it.
//
// The error is that of the store; a file that does not exist is [io/fs.ErrNotExist].
func (s *Session) Check(ctx context.Context) ([]Problem, error) {
	c := newSessionChecker(s.store, s.id, s.now)
	c.agent, c.name, c.archive = s.agent, s.name, s.archive
	err := c.read(ctx, s.name)
	if err == nil {
		if err = c.read(ctx, s.archive); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("session %q: check: %w", s.id, err)
	}
	return c.check(), nil
}

// CheckSession is [Session.Check] of all agents of a session, also of those whose files
// [OpenSession] refuses, in the order of the files' names, each with its archive. A
// session that does not exist has no problems.
func CheckSession(ctx context.Context, store Store, id string) ([]Problem, error) {
	dir, err := sessionDir(store, id)
	if err != nil {
		return nil, fmt.Errorf("check session %q: %w", id, err)
	}
	suffixes := make(map[string]bool) // of the files, and of archives whose file is gone
	for info, err := range dir.List(ctx, ".") {
		if err != nil {
			return nil, fmt.Errorf("check session %q: %w", id, err)
		}
		for _, base := range []string{sessionFile, sessionArchive} {
			if suffix, ok := strings.CutPrefix(info.Name, base+"."); ok && !info.IsDir && strings.HasSuffix("."+suffix, ".yaml") {
				suffixes["."+suffix] = true
			}
		}
	}
	var problems []Problem
	for _, suffix := range slices.Sorted(maps.Keys(suffixes)) {
		c := newSessionChecker(dir, id, time.Now)
		c.agent = strings.TrimPrefix(strings.TrimSuffix(suffix, ".yaml"), ".") // "": any
		c.name, c.archive = sessionFile+suffix, sessionArchive+suffix
		for _, name := range []string{c.name, c.archive} {
			if err := c.read(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("check session %q: %w", id, err)
			}
		}
		isOther := !c.unread && len(c.files) == 1 && c.files[0].isEmpty() // such as a schema
		if suffix == ".yaml" || !isOther {
			problems = append(problems, c.check()...)
		}
	}
	return problems, nil
}

var stepStatuses = []string{"pending", "in_progress", "complete"}

// sessionChecker collects the problems of an agent's file and its archive.
type sessionChecker struct {
	store         Store // the session's directory
	session       string
	agent         string // whose the files are to be; "": any
	name, archive string // documents
	now           time.Time
	files         []checkedDoc // those that can be read
	unread        bool         // there is one that cannot
	ids           map[string]sessionPlace
	problems      []Problem
}

func newSessionChecker(store Store, id string, now func() time.Time) *sessionChecker {
	return &sessionChecker{store: store, session: id, now: now(), ids: make(map[string]sessionPlace)}
}

// check looks at what was read.
func (c *sessionChecker) check() []Problem {
	for _, f := range c.files {
		c.head(f)
		for _, kind := range sessionKinds {
			c.entries(f, kind)
		}
		c.attempts(f)
		c.scope(f)
	}
	for _, f := range c.files {
		c.related(f)
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(c.rank(a.Name), c.rank(b.Name)), cmp.Compare(a.Line, b.Line))
	})
	return c.problems
}

// rank is 0 for the file and 1 for its archive.
func (c *sessionChecker) rank(name string) int {
	if name == c.archive {
		return 1
	}
	return 0
}

// checkedDoc is the file, or its archive.
type checkedDoc struct {
	name string
	doc  *sessionDoc
	SessionMemory
}

// sessionPlace is where an entry stands.
type sessionPlace struct {
	name  string // of the file
	entry *yaml.Node
}

func (c *sessionChecker) add(f checkedDoc, n *yaml.Node, severity Severity, format string, args ...any) {
	line := 0
	if n != nil {
		line = n.Line
	}
	c.problems = append(c.problems, Problem{f.name, line, severity, fmt.Sprintf(format, args...)})
}

// read reads a file, and reports what of it cannot be read.
func (c *sessionChecker) read(ctx context.Context, name string) error {
	data, err := c.store.Read(ctx, name)
	if err != nil && !errors.Is(err, ErrTooLarge) {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, secret := range redact.Find(string(data)) {
		line := 1 + bytes.Count(data[:secret.Begin], []byte("\n"))
		c.problems = append(c.problems, Problem{name, line, SeverityWarning, fmt.Sprintf("looks like a secret (%s): take it out, and revoke it where it was real", secret.Kind)})
	}
	f := checkedDoc{name: name}
	if err == nil {
		f.doc, err = readSession(data)
	}
	if err != nil {
		line, msg := lineOf(err)
		c.unread = true
		c.problems = append(c.problems, Problem{name, line, SeverityError, msg})
		return nil
	}
	for _, fault := range decodeNode(f.doc.Root(), &f.SessionMemory) {
		c.problems = append(c.problems, Problem{name, fault.line, fault.severity, strings.TrimPrefix(fault.path+": "+fault.msg, ": ")})
	}
	if name == c.name && len(data) > MediumSession {
		c.add(f, nil, SeverityWarning, "%d bytes, more than %d; Archive moves old entries to %s", len(data), MediumSession, c.archive)
	}
	c.files = append(c.files, f)
	return nil
}

// lineOf takes the line out of the error of a file that cannot be read, and leaves off the
// kind of error, which is for programs; 0: it names no line.
func lineOf(err error) (line int, msg string) {
	msg = err.Error()
	for _, kind := range [...]error{ErrInvalid, ErrTooLarge, ErrVersion} {
		msg = strings.TrimSuffix(msg, ": "+kind.Error())
	}
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if number, rest, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(number); err == nil {
				return line, rest
			}
		}
	}
	return 0, msg
}

// given reports whether a map has a value under a key that says something.
func given(m *yaml.Node, key string) bool {
	n := yamledit.Get(m, key)
	return n != nil && (n.Kind != yaml.ScalarNode || n.ShortTag() != "!!null" && strings.TrimSpace(n.Value) != "")
}

// head looks at what stands above the lists.
func (c *sessionChecker) head(f checkedDoc) {
	if n := yamledit.Get(f.doc.Root(), "version"); n != nil && n.ShortTag() == "!!str" && n.Value != strconv.Itoa(sessionVersion) {
		c.add(f, n, SeverityWarning, "version: %q is read as %q", n.Value, strconv.Itoa(sessionVersion))
	}
	if owner := f.doc.text("agent"); owner != "" && c.agent != "" && owner != c.agent {
		c.add(f, yamledit.Get(f.doc.Root(), "agent"), SeverityError, "agent: is %q and not %q; nothing is written to this file", owner, c.agent)
	}
	if id := f.doc.text("sessionId"); id != "" && id != c.session {
		c.add(f, yamledit.Get(f.doc.Root(), "sessionId"), SeverityWarning, "sessionId: is %q, in the directory of %q", id, c.session)
	}
}

// entries looks at the type or result of every entry of a kind, and at its id.
func (c *sessionChecker) entries(f checkedDoc, kind sessionKind) {
	list, _ := f.doc.list(kind.key) // an error would have kept the file from being read
	for i, entry := range list {
		path := fmt.Sprintf("%s[%d]", kind.key, i)
		c.oneOf(f, entry, path, kind.field, SeverityError, kind.allowed)
		if given(entry, "id") && entryID(entry) != "" {
			c.id(f, entry, path, kind)
		}
	}
}

// oneOf looks at a value that must be one of some. What is missing or no scalar is reported elsewhere.
func (c *sessionChecker) oneOf(f checkedDoc, m *yaml.Node, path, key string, severity Severity, allowed []string) {
	n := yamledit.Get(m, key)
	if given(m, key) && n.Kind == yaml.ScalarNode && !slices.Contains(allowed, n.Value) && (key != "result" || string(knownResult(n.Value)) == n.Value) {
		c.add(f, n, severity, "%s.%s: %q is none of %s", path, key, n.Value, strings.Join(allowed, ", "))
	}
}

// id looks for another entry with the same id.
func (c *sessionChecker) id(f checkedDoc, entry *yaml.Node, path string, kind sessionKind) {
	key := entryKey(kind.key, entryID(entry))
	first, twice := c.ids[key]
	if !twice {
		c.ids[key] = sessionPlace{f.name, entry}
		return
	}
	if (first.name != f.name || f.name == c.archive) && valueKey(kind, first.entry) == valueKey(kind, entry) {
		return // copied, and not yet taken out: an Archive that was interrupted
	}
	c.add(f, yamledit.Get(entry, "id"), SeverityError, "%s.id: %q is given twice, first in %s:%d; rename one", path, entryID(entry), first.name, first.entry.Line)
}

// attempts looks for attempts that never end, and at their parts.
func (c *sessionChecker) attempts(f checkedDoc) {
	list, _ := f.doc.list("attempts")
	for i, a := range f.Attempts {
		path := fmt.Sprintf("attempts[%d]", i)
		parts := yamledit.Get(list[i], "subTasks")
		for j := range a.SubTasks {
			c.oneOf(f, parts.Content[j], fmt.Sprintf("%s.subTasks[%d]", path, j), "status", SeverityWarning, stepStatuses)
		}
		age := c.now.Sub(a.Timestamp)
		switch {
		case !isRunning(list[i]):
		case f.name == c.archive:
			c.add(f, list[i], SeverityWarning, "%s: has not ended, but is in the archive, where it cannot be finished", path)
		case !a.Timestamp.IsZero() && age > longAttempt:
			c.add(f, list[i], SeverityWarning, "%s: in progress since %s, for more than %d hours; finish it", path, a.Timestamp.Format(time.RFC3339), int(longAttempt.Hours()))
		}
	}
}

// scope looks at the step and at the files in scope.
func (c *sessionChecker) scope(f checkedDoc) {
	if f.Context == nil {
		return
	}
	node := yamledit.Get(f.doc.Root(), "context")
	c.oneOf(f, node, "context", "planStepStatus", SeverityWarning, stepStatuses)
	list := yamledit.Get(node, "filesInScope")
	for i := range f.Context.FilesInScope {
		c.oneOf(f, list.Content[i], fmt.Sprintf("context.filesInScope[%d]", i), "status", SeverityWarning, stepStatuses)
	}
}

// related looks for the discoveries that decisions name. Without the whole of
// file and archive nothing can be said.
func (c *sessionChecker) related(f checkedDoc) {
	list, _ := f.doc.list("decisions")
	for i, entry := range list {
		n := yamledit.Get(entry, "relatedDiscoveries")
		for j, id := range f.Decisions[i].RelatedDiscoveries {
			_, found := c.ids[entryKey("discoveries", id)]
			if found || id == "" || c.unread {
				continue
			}
			at := n
			if n.Kind == yaml.SequenceNode {
				at = n.Content[j]
			}
			c.add(f, at, SeverityWarning, "decisions[%d].relatedDiscoveries: there is no discovery %q", i, id)
		}
	}
}
