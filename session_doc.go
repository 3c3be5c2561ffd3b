package memory

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/rawko/memory/internal/yamledit"
)

// sessionVersion is the version of the format that is written.
const sessionVersion = 1

// sessionKind is a list of entries that have ids.
type sessionKind struct {
	key, id string
	field   string   // the key of the next one
	allowed []string // its values
}

var (
	discoveryKind = sessionKind{"discoveries", "discovery", "type", []string{"codebase_structure", "dependency_check", "code_pattern",
		"api_surface", "data_model", "complexity_assessment", "failure_cause", "solution_verified"}}
	attemptKind  = sessionKind{"attempts", "attempt", "result", []string{"success", "failure", "partial", "in_progress"}}
	decisionKind = sessionKind{"decisions", "decision", "type", []string{"architectural", "implementation", "skip", "workaround", "compromise"}}
	sessionKinds = []sessionKind{discoveryKind, attemptKind, decisionKind}
)

// sessionDoc is a session file that is being changed.
type sessionDoc struct {
	*yamledit.Doc
	last   map[string]int  // the highest number of an id, by kind
	hidden map[string]bool // entries that the file has and the document has not, see entryKey
}

// readSession reads a session file of this version or an earlier one; nothing is an empty one.
func readSession(data []byte) (*sessionDoc, error) {
	return sessionFormat{sessionVersion, sessionMigrations}.read(data)
}

// sessionFormat is a version of the format, with what makes of a file of version
// i+1 one of the next.
type sessionFormat struct {
	version    int
	migrations []func(*yamledit.Doc) error
}

// sessionMigrations: there has been one version so far.
var sessionMigrations []func(*yamledit.Doc) error

func (f sessionFormat) read(data []byte) (*sessionDoc, error) {
	doc, err := parseSession(data)
	if err != nil {
		return nil, err
	}
	version, err := f.versionOf(doc)
	if err != nil {
		return nil, err
	}
	if n := yamledit.Get(doc.Root(), "schema"); n != nil && n.Value != "agent-memory" {
		return nil, fmt.Errorf("line %d: schema: want agent-memory, not %q: %w", n.Line, n.Value, ErrInvalid)
	}
	for ; version < f.version; version++ {
		if err := f.migrations[version-1](doc); err != nil {
			return nil, fmt.Errorf("bring version %d to %d: %w", version, version+1, err)
		}
		next, _ := yamledit.Value(strconv.Itoa(version + 1))
		doc.Set(doc.Root(), "version", next)
		if data, err = doc.Bytes(); err == nil {
			doc, err = parseSession(data)
		}
		if err != nil {
			return nil, fmt.Errorf("bring version %d to %d: %w", version, version+1, err)
		}
	}
	d := &sessionDoc{Doc: doc, last: make(map[string]int)}
	return d, d.count()
}

var versionForm = regexp.MustCompile(`^([0-9]+)((?:\.[0-9]+)*)$`)

// versionOf gives the version of a document; one that names none has the newest.
// 1.0 and 1.0.0 are 1, and 1.1 is later than 1.
func (f sessionFormat) versionOf(doc *yamledit.Doc) (int, error) {
	n := yamledit.Get(doc.Root(), "version")
	if n == nil || n.ShortTag() == "!!null" {
		return f.version, nil
	}
	m := versionForm.FindStringSubmatch(n.Value)
	if m == nil || strings.Trim(m[1], "0") == "" {
		return 0, fmt.Errorf("line %d: version: %.80q is none; this library writes %q: %w", n.Line, n.Value, strconv.Itoa(f.version), ErrInvalid)
	}
	version, err := strconv.Atoi(m[1])
	if err != nil || version > f.version || strings.Trim(m[2], ".0") != "" { // an error: it is too long
		return 0, fmt.Errorf("line %d: version %.80s is later than %d, which this library reads; the file is left alone: %w", n.Line, n.Value, f.version, ErrVersion)
	}
	return version, nil
}

func parseSession(data []byte) (*yamledit.Doc, error) {
	doc, err := yamledit.Parse(data)
	var fault *safeyaml.Error
	if errors.As(err, &fault) {
		kind := ErrInvalid
		if len(data) > yamledit.MaxSize {
			kind = ErrTooLarge
		}
		line := fault.Line
		if line == 0 && kind == ErrInvalid { // of control characters the reader gives none
			before := data[:max(bytes.IndexFunc(data, isControl), 0)]
			line = 1 + bytes.Count(before, []byte("\n"))
		}
		return nil, fmt.Errorf("line %d: %s: %w", max(line, 1), fault.Msg, kind)
	}
	return doc, err
}

// isControl says whether YAML has no place for a character.
func isControl(r rune) bool {
	return r != '\t' && r != '\n' && r != '\r' && r != '\u0085' && (r < ' ' || r >= 0x7f && r < 0xa0)
}

// maxNumber is the highest number of an id that counts.
const maxNumber = 999_999_999

var numbered = regexp.MustCompile(`^([a-z]+)-(\d{1,9})$`)

// count finds the highest numbers: of the entries, and what the history keeps of
// those that were archived.
func (d *sessionDoc) count() error {
	for _, kind := range sessionKinds {
		list, err := d.list(kind.key)
		if err != nil {
			return err
		}
		for _, entry := range list {
			d.seeEntry(kind, entry)
		}
	}
	history, err := d.list("history")
	for _, entry := range history {
		for _, kind := range sessionKinds {
			if n := yamledit.Get(yamledit.Get(entry, "lastIds"), kind.id); n != nil {
				if last, err := strconv.Atoi(n.Value); err == nil && last <= maxNumber {
					d.last[kind.id] = max(d.last[kind.id], last)
				}
			}
		}
	}
	return err
}

// seeEntry counts the number of an entry, and those of the discoveries that it names: one
// that is gone must not become another.
func (d *sessionDoc) seeEntry(kind sessionKind, entry *yaml.Node) {
	d.see(kind, entryID(entry))
	related := yamledit.Get(entry, "relatedDiscoveries")
	if related == nil {
		return
	}
	d.see(discoveryKind, related.Value)
	for _, n := range related.Content {
		d.see(discoveryKind, n.Value)
	}
}

// see counts the number of an id.
func (d *sessionDoc) see(kind sessionKind, id string) {
	if m := numbered.FindStringSubmatch(id); m != nil && m[1] == kind.id {
		n, _ := strconv.Atoi(m[2])
		d.last[kind.id] = max(d.last[kind.id], n)
	}
}

// list gives the entries under a key of the root.
func (d *sessionDoc) list(key string) ([]*yaml.Node, error) {
	switch n := yamledit.Get(d.Root(), key); {
	case n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		return nil, nil
	case n.Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("line %d: %s: want a list of entries: %w", n.Line, key, ErrInvalid)
	default:
		return n.Content, nil
	}
}

func entryID(entry *yaml.Node) string {
	if n := yamledit.Get(entry, "id"); n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		return n.Value
	}
	return ""
}

// find gives the entry of a list that has an id, nil for none.
func (d *sessionDoc) find(key, id string) *yaml.Node {
	if id == "" {
		return nil
	}
	list, _ := d.list(key)
	if i := slices.IndexFunc(list, func(n *yaml.Node) bool { return entryID(n) == id }); i >= 0 {
		return list[i]
	}
	return nil
}

// Bytes gives the text with all changes made.
func (d *sessionDoc) Bytes() ([]byte, error) {
	text, err := d.Doc.Bytes()
	switch {
	case err == nil:
		return text, nil
	case err.Error() == tooLargeText: // it has no other mark
		return nil, fmt.Errorf("%w: %w", err, ErrTooLarge)
	}
	return nil, fmt.Errorf("%w: %w", err, ErrInvalid)
}

var tooLargeText = fmt.Sprintf("more than %d bytes after the changes", yamledit.MaxSize)

// text gives the text under a key of the root.
func (d *sessionDoc) text(key string) string {
	if n := yamledit.Get(d.Root(), key); n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		return n.Value
	}
	return ""
}

// head gives a new file its first lines.
func (d *sessionDoc) head(id, agent string, now time.Time) {
	for _, field := range []struct {
		key   string
		value any
	}{{"version", strconv.Itoa(sessionVersion)}, {"schema", "agent-memory"}, {"sessionId", id}, {"agent", agent}, {"createdAt", now}} {
		n, err := cleanNode(field.value)
		if err == nil {
			d.Set(d.Root(), field.key, n)
		}
	}
}

// claim makes a file that names no agent that of one.
func (d *sessionDoc) claim(agent string) error {
	if n := yamledit.Get(d.Root(), "agent"); n != nil && n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: agent: want a name: %w", n.Line, ErrInvalid)
	}
	n, err := yamledit.Value(agent)
	if err == nil {
		d.Set(d.Root(), "agent", n)
	}
	return err
}

// next gives an entry the next number of its kind, or checks the id that it has.
func (d *sessionDoc) next(kind sessionKind, id *string, archived map[string]bool) error {
	if *id == "" {
		if d.last[kind.id] >= maxNumber {
			return fmt.Errorf("%s: there is no number behind %d; give an id: %w", kind.id, maxNumber, ErrInvalid)
		}
		d.last[kind.id]++
		*id = fmt.Sprintf("%s-%03d", kind.id, d.last[kind.id])
		return nil
	}
	key := entryKey(kind.key, *id)
	if d.find(kind.key, *id) != nil || d.hidden[key] || archived[key] {
		return fmt.Errorf("%s %q is there already: %w", kind.id, *id, ErrInvalid)
	}
	return nil
}
