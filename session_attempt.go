package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/yamledit"
)

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
				end.DurationMS = int(max(s.now().Sub(began).Milliseconds(), 1)) // 0 would be unknown
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
