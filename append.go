package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxSameSlug bounds how many titles may share a slug.
const maxSameSlug = 1000

// errTaken: the file has another title, or cannot be read.
var errTaken = errors.New("name is taken")

// Append keeps a memory: in a new file, whose name is made from the title, or
// as an update of the memory that has the title already, whatever its file is
// called. Case, spaces and punctuation of titles do not count. It gives the name
// of the file. Nothing that stands in a file is ever changed or removed.
//
// A new memory needs Title, WhenToUse, Importance and DiscoveredBy; an update
// needs Title and DiscoveredBy, and gives only what it sets. Triggers must
// compile, and fit the budget that those of one memory share. A zero DiscoveredAt
// becomes now. m.Name is not looked at, and m is not changed; where m has
// updates, they are kept behind it. An update of a retired memory is kept, and
// the memory stays retired.
//
// What the format forbids is [ErrInvalid] or [ErrTooLarge], and nothing is written.
func (b *Bank) Append(ctx context.Context, m *Memory) (name string, err error) {
	if err := b.usable(ctx); err != nil {
		return "", err
	}
	if m == nil {
		return "", fmt.Errorf("append memory: memory is nil: %w", ErrInvalid)
	}
	dated := b.dated(m)
	name, err = b.nameOf(ctx, m.Title)
	if err == nil && name != "" {
		err = b.appendTo(ctx, name, dated, appending{})
	}
	if errors.Is(err, errTaken) { // a person renamed the file or the memory: look once more
		if name, err = b.nameOf(ctx, m.Title); err == nil && name != "" {
			err = b.appendTo(ctx, name, dated, appending{})
		}
	}
	if err == nil && name == "" || errors.Is(err, errTaken) {
		name, err = b.appendNew(ctx, dated, nil)
	}
	if err != nil {
		return "", fmt.Errorf("append memory %q: %w", shorten(m.Title, 60), b.orClosed(err))
	}
	return name, nil
}

// appendNew appends to the first of the files for a memory's title that is not
// there or has the title.
func (b *Bank) appendNew(ctx context.Context, m *Memory, accept func(there *Memory) error) (name string, err error) {
	err = errTaken
	for n := 1; errors.Is(err, errTaken) && n <= maxSameSlug; n++ {
		name = slugTitle(m.Title, n)
		err = b.appendTo(ctx, name, m, appending{create: true, accept: accept})
	}
	return name, err
}

// appending says how a memory is appended to a file.
type appending struct {
	create bool                      // where there is no file, one is made
	accept func(there *Memory) error // may refuse to append to what is there; nil: never
}

// appendTo decides under the store's lock what the file is: none, the title's, or another's.
func (b *Bank) appendTo(ctx context.Context, name string, m *Memory, how appending) error {
	defer b.touched(name)
	return b.store.Update(ctx, name+suffix, func(old []byte) ([]byte, error) {
		if old == nil && how.create {
			if err := checkTriggers(&Frontmatter{}, m); err != nil {
				return nil, err
			}
			return Format(m)
		}
		there, err := Parse(name, old)
		switch {
		case err != nil && !how.create && old != nil: // it could be read a moment ago; perhaps it is just being saved
			return nil, fmt.Errorf("the memory's file cannot be read now, so nothing was appended; mend it, or try again: %w", err)
		case err != nil || foldTitle(there.Title) != foldTitle(m.Title):
			return nil, errTaken
		}
		if how.accept != nil {
			if err := how.accept(there); err != nil {
				return nil, err
			}
		}
		if err := checkTriggers(&there.Frontmatter, m); err != nil {
			return nil, err
		}
		return appendEntries(name, old, m)
	})
}

// checkTriggers refuses triggers of m that could not be used beside those that are
// there: they share the budget of the memory.
func checkTriggers(there *Frontmatter, m *Memory) error {
	_, before := readPatterns(there.WhenToUse)
	joined := Frontmatter{WhenToUse: there.WhenToUse}
	joined.take(&m.Frontmatter)
	for i := range m.Updates {
		joined.take(&m.Updates[i].Frontmatter)
	}
	if _, faults := readPatterns(joined.WhenToUse); len(faults) > len(before) {
		return faults[len(before)].asError()
	}
	return nil
}

// dated gives a copy of a memory in which each entry has its own date: now, where
// it has none.
func (b *Bank) dated(m *Memory) *Memory {
	now := b.now().UTC().Truncate(time.Second)
	c := &Memory{Frontmatter: *m.first(), Body: m.Body, Updates: slices.Clone(m.Updates)}
	if c.DiscoveredAt.IsZero() {
		c.DiscoveredAt = now
	}
	for i := range c.Updates {
		if c.Updates[i].DiscoveredAt.IsZero() {
			c.Updates[i].DiscoveredAt = now
		}
	}
	return c
}
