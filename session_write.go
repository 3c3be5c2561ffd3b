package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/markdown"
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
