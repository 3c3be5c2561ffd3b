package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/markdown"
	"github.com/rawko/memory/internal/yamledit"
)

// AddDiscovery keeps something that the agent learned, and gives its id. Type and
// Content are required. An unknown type, or an id that is there already, in the
// archive too, is [ErrInvalid].
func (s *Session) AddDiscovery(ctx context.Context, d Discovery) (id string, err error) {
	if d.Timestamp.IsZero() {
		d.Timestamp = s.now()
	}
	err = errors.Join(required("discovery", "content", d.Content), oneOf("discovery", "type", string(d.Type), discoveryKind.allowed),
		importance("discovery", "importance", d.Importance))
	return s.add(ctx, discoveryKind, d.ID, err, func(id string) any { d.ID = id; return d })
}

// StartAttempt keeps what the agent is about to try, and gives its id. Description
// is required. An empty Result is in_progress.
func (s *Session) StartAttempt(ctx context.Context, a Attempt) (id string, err error) {
	if a.Timestamp.IsZero() {
		a.Timestamp = s.now()
	}
	if a.Result == "" {
		a.Result = AttemptInProgress
	}
	err = errors.Join(required("attempt", "description", a.Description), oneOf("attempt", "result", string(a.Result), attemptKind.allowed),
		notNegative(a.DurationMS, a.Iterations, a.TokensUsed))
	return s.add(ctx, attemptKind, a.ID, err, func(id string) any { a.ID = id; return a })
}

// AddDecision keeps a choice that the agent made, and gives its id. Type and
// Description are required.
func (s *Session) AddDecision(ctx context.Context, d Decision) (id string, err error) {
	if d.Timestamp.IsZero() {
		d.Timestamp = s.now()
	}
	err = errors.Join(required("decision", "description", d.Description), oneOf("decision", "type", string(d.Type), decisionKind.allowed),
		importance("decision", "impact", d.Impact))
	return s.add(ctx, decisionKind, d.ID, err, func(id string) any { d.ID = id; return d })
}

// add appends an entry to a list of the file.
func (s *Session) add(ctx context.Context, kind sessionKind, given string, fault error, entry func(id string) any) (id string, err error) {
	err = errors.Join(fault, usableID(kind, given))
	if err == nil {
		id, err = s.addTo(ctx, kind, given, entry)
	}
	for errors.Is(err, errArchivedMeanwhile) {
		id, err = s.addTo(ctx, kind, given, entry)
	}
	if err != nil {
		return "", fmt.Errorf("session %q: %w", s.id, err)
	}
	return id, nil
}

// errArchivedMeanwhile: what the archive was read for may stand in it now.
var errArchivedMeanwhile = errors.New("entries were archived meanwhile")

// addTo is add, once. An id of the host's is looked for in the archive and then in the
// file, between which another may move it; so the file must not have been
// archived from since a look at it that came before that at the archive.
func (s *Session) addTo(ctx context.Context, kind sessionKind, given string, entry func(id string) any) (id string, err error) {
	s.mu.Lock()
	mark := s.mark
	s.mu.Unlock()
	archived, err := s.archived(ctx)
	if err != nil {
		return "", err
	}
	err = s.update(ctx, func(d *sessionDoc) error {
		if is := d.archiveMark(); given != "" && is != mark {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.mark = is
			return errArchivedMeanwhile
		}
		id = given
		if err := d.next(kind, &id, archived); err != nil {
			return err
		}
		n, err := cleanNode(entry(id))
		if err != nil {
			return fmt.Errorf("%s: %w", kind.id, err)
		}
		d.Append(d.Root(), kind.key, n)
		d.seeEntry(kind, n)
		return nil
	})
	return id, err
}

// maxID is how many bytes an id of the host's may have.
const maxID = 200

// usableID checks an id that the host gives.
func usableID(kind sessionKind, id string) error {
	if len(id) > maxID || id != markdown.Line(id) {
		return fmt.Errorf("%s: id %.80q: want one line of visible characters, at most %d bytes: %w", kind.id, id, maxID, ErrInvalid)
	}
	return nil
}

// AttemptProgress is what has become known of a running attempt. Fields that are
// zero change nothing.
type AttemptProgress struct {
	Status       string
	Progress     string // such as "60%"
	SubTasks     []SubTask
	CurrentIssue string
	NextStep     string
	Commands     []string   // added to those that are there
	Artifacts    []Artifact // added to those that are there
	Iterations   int
	TokensUsed   *TokensUsed
}

// Progress notes how far a running attempt is. An attempt that has ended, and perhaps is
// archived, is [ErrInvalid], one that does not exist [io/fs.ErrNotExist].
func (s *Session) Progress(ctx context.Context, id string, p AttemptProgress) error {
	if err := notNegative(0, p.Iterations, p.TokensUsed); err != nil {
		return fmt.Errorf("session %q: progress of attempt %q: %w", s.id, id, err)
	}
	return s.change(ctx, id, func(e *attemptEdit) {
		e.set("status", p.Status)
		e.set("progress", p.Progress)
		e.subTasks(p.SubTasks)
		e.append("commands", items(p.Commands))
		e.append("artifacts", items(p.Artifacts))
		e.set("iterations", p.Iterations)
		e.tokens(p.TokensUsed)
		e.set("currentIssue", p.CurrentIssue)
		e.set("nextStep", p.NextStep)
	})
}

// ChangeApproach says that a running attempt is now made in another way. What it
// was before is kept under previousApproaches; the same approach changes nothing. An empty one
// is [ErrInvalid], as is an attempt that has ended; one that does not exist is [io/fs.ErrNotExist].
func (s *Session) ChangeApproach(ctx context.Context, id, approach string) error {
	if err := required("attempt", "approach", approach); err != nil {
		return fmt.Errorf("session %q: change attempt %q: %w", s.id, id, err)
	}
	approach = cleaned(approach)
	return s.change(ctx, id, func(e *attemptEdit) {
		if given(e.entry, "approach") {
			old := yamledit.Get(e.entry, "approach")
			was := old.Value
			if old.Kind != yaml.ScalarNode { // somebody's list of steps
				text, err := yaml.Marshal(old)
				if err != nil {
					e.err = fmt.Errorf("approach: %w: %w", err, ErrInvalid)
					return
				}
				was = string(text)
			}
			if strings.TrimSpace(was) == strings.TrimSpace(approach) {
				return
			}
			e.append("previousApproaches", []any{was})
		}
		e.set("approach", approach)
	})
}

// AttemptEnd is how an attempt ended. Fields that are zero are not written.
type AttemptEnd struct {
	Result      AttemptResult // success, failure or partial
	Output      string        // what happened
	Error       string        // of a failure: the cause
	Lessons     string
	NextAttempt string
	Artifacts   []Artifact // added to those that are there
	DurationMS  int        // 0: since the attempt's timestamp
	Iterations  int
	TokensUsed  *TokensUsed
}

// FinishAttempt says how a running attempt ended. An attempt that has ended
// already is [ErrInvalid], one that does not exist [io/fs.ErrNotExist]. A success
// has no currentIssue any more; where it failed, that stays.
func (s *Session) FinishAttempt(ctx context.Context, id string, end AttemptEnd) error {
	if err := oneOf("attempt", "result", string(end.Result), attemptKind.allowed); err != nil || end.Result == AttemptInProgress {
		return fmt.Errorf("session %q: finish attempt %q: want success, failure or partial, not %q: %w", s.id, id, end.Result, ErrInvalid)
	}
	if err := notNegative(end.DurationMS, end.Iterations, end.TokensUsed); err != nil {
		return fmt.Errorf("session %q: finish attempt %q: %w", s.id, id, err)
	}
	return s.change(ctx, id, func(e *attemptEdit) {
		e.set("result", end.Result)
		if yamledit.Get(e.entry, "status") != nil {
			e.set("status", "finished") // "working" would no longer be true
		}
		if end.Result == AttemptSuccess && given(e.entry, "currentIssue") {
			e.doc.Set(e.entry, "currentIssue", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"})
		}
		e.set("output", end.Output)
		e.set("error", end.Error)
		e.set("lessons", end.Lessons)
		e.set("nextAttempt", end.NextAttempt)
		e.append("artifacts", items(end.Artifacts))
		if end.DurationMS == 0 {
			var a Attempt
			decodeNode(e.entry, &a)
			if began := a.Timestamp; !began.IsZero() {
				end.DurationMS = int(max(s.now().Sub(began).Milliseconds(), 0))
			}
		}
		e.set("duration_ms", end.DurationMS)
		e.set("iterations", end.Iterations)
		e.tokens(end.TokensUsed)
	})
}

// attemptEdit changes one attempt of a document. Its first error counts.
type attemptEdit struct {
	doc   *sessionDoc
	entry *yaml.Node
	err   error
}

var errNoAttempt = fmt.Errorf("no such attempt: %w", fs.ErrNotExist)

func noAttempt(id string) error { return fmt.Errorf("attempt %q: %w", id, errNoAttempt) }

// change makes changes to a running attempt.
func (s *Session) change(ctx context.Context, id string, edit func(*attemptEdit)) error {
	err := s.update(ctx, func(d *sessionDoc) error {
		entry := d.find("attempts", id)
		if d.hidden[entryKey("attempts", id)] {
			return errCut // it is there twice: the whole file tells which one is meant
		}
		if entry == nil {
			return noAttempt(id)
		}
		if !isRunning(entry) {
			return fmt.Errorf("attempt %q has ended (result: %.80q): %w", id, yamledit.Get(entry, "result").Value, ErrInvalid)
		}
		e := &attemptEdit{doc: d, entry: entry}
		edit(e)
		return e.err
	})
	if errors.Is(err, errNoAttempt) {
		if archived, err2 := s.archived(ctx); err2 == nil && id != "" && archived[entryKey(attemptKind.key, id)] {
			err = fmt.Errorf("attempt %q has ended and is archived: %w", id, ErrInvalid)
		}
	}
	if err != nil {
		return fmt.Errorf("session %q: %w", s.id, err)
	}
	return nil
}

// set gives a key a value, unless that is zero.
func (e *attemptEdit) set(key string, value any) {
	if v := reflect.ValueOf(cleaned(value)); !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return
	}
	n, err := cleanNode(value)
	if err != nil {
		e.err = errors.Join(e.err, fmt.Errorf("%s: %w", key, err))
		return
	}
	e.doc.Set(e.entry, key, n)
}

// subTasks makes the list of sub tasks a new one. Those that stay keep what else
// the file says of them.
func (e *attemptEdit) subTasks(is []SubTask) {
	var was Attempt
	decodeNode(e.entry, &was)
	is = cleaned(is)
	if len(is) == 0 || slices.Equal(was.SubTasks, is) {
		return
	}
	if err := setField(e.doc.Doc, e.entry, "subTasks", reflect.ValueOf(was.SubTasks), reflect.ValueOf(is)); err != nil {
		e.err = errors.Join(e.err, fmt.Errorf("subTasks: %w", err))
	}
}

// tokens sets what was used, and keeps what else the file says of it.
func (e *attemptEdit) tokens(is *TokensUsed) {
	if is == nil {
		return
	}
	var was Attempt
	decodeNode(e.entry, &was)
	if was.TokensUsed == nil {
		e.set("tokensUsed", is)
	} else if err := setField(e.doc.Doc, e.entry, "tokensUsed", reflect.ValueOf(was.TokensUsed), reflect.ValueOf(is)); err != nil {
		e.err = errors.Join(e.err, fmt.Errorf("tokensUsed: %w", err))
	}
}

// append adds to the list under a key. A single value there becomes its first item.
func (e *attemptEdit) append(key string, values []any) {
	if n := yamledit.Get(e.entry, key); len(values) > 0 && given(e.entry, key) && n.Kind != yaml.SequenceNode {
		only := *n
		only.HeadComment, only.LineComment, only.FootComment = "", "", ""
		e.doc.Set(e.entry, key, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{&only}})
	}
	for _, value := range values {
		n, err := cleanNode(value)
		if err != nil {
			e.err = errors.Join(e.err, fmt.Errorf("%s: %w", key, err))
			return
		}
		e.doc.Append(e.entry, key, n)
	}
}

func items[T any](list []T) []any {
	all := make([]any, len(list))
	for i, item := range list {
		all[i] = item
	}
	return all
}

func required(entry, field, value string) error {
	if strings.TrimSpace(cleaned(value)) == "" {
		return fmt.Errorf("%s: %s: missing: %w", entry, field, ErrInvalid)
	}
	return nil
}

func oneOf(entry, field, value string, allowed []string) error {
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%s: %s: %q is none of %s: %w", entry, field, value, strings.Join(allowed, ", "), ErrInvalid)
	}
	return nil
}

// importance checks one that may be left out.
func importance(entry, field string, i Importance) error {
	if i < 0 || i > Critical {
		return fmt.Errorf("%s: %s: %s is unknown: %w", entry, field, i, ErrInvalid)
	}
	return nil
}

// notNegative checks what an attempt cost.
func notNegative(ms, iterations int, tokens *TokensUsed) error {
	if tokens == nil {
		tokens = &TokensUsed{}
	}
	if min(ms, iterations, tokens.Input, tokens.Output) < 0 {
		return fmt.Errorf("attempt: duration, iterations or tokens are less than 0: %w", ErrInvalid)
	}
	return nil
}

// cleanNode gives a value as it is written, see cleaned.
func cleanNode(value any) (*yaml.Node, error) {
	n, err := yamledit.Value(cleaned(value))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrInvalid)
	}
	return n, nil
}

// cleaned gives a copy of a value of this package's types in which all texts can be
// written, as what programs print often cannot: bytes that are not UTF-8 become U+FFFD, NULs
// are gone, and lines end in "\n". Times have milliseconds, as those of the convention.
func cleaned[T any](value T) T {
	clean(reflect.ValueOf(&value).Elem())
	return value
}

// clean cleans a copy, and copies what it points to.
func clean(v reflect.Value) {
	if at, ok := v.Interface().(time.Time); ok {
		v.Set(reflect.ValueOf(at.Truncate(time.Millisecond)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(lineEnds.Replace(strings.ReplaceAll(strings.ToValidUTF8(v.String(), "\uFFFD"), "\x00", "")))
	case reflect.Struct:
		for i := range v.NumField() {
			clean(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.AppendSlice(reflect.Zero(v.Type()), v))
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		is := reflect.New(v.Elem().Type()).Elem()
		is.Set(v.Elem())
		clean(is)
		if v.Kind() == reflect.Pointer {
			is = is.Addr()
		}
		v.Set(is)
	}
}
