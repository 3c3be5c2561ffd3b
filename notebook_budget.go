package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// otherFacts counts the facts beside the file that is written, and keeps other calls
// of this notebook from writing facts until release. For what is no fact it counts nothing.
//
// A store has no lock over several documents: two processes that write different
// fact files in the same moment may go past the budget by one write. The next one is
// refused, and what is shown to a model keeps to the budget in any case.
func (n *Notebook) otherFacts(ctx context.Context, path string) (others map[string]int, release func(), err error) {
	if !isFact(path) || n.opts.MaxFacts < 0 {
		return nil, func() {}, nil
	}
	select {
	case n.budget <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("%s: %w", path, ctx.Err())
	}
	release = func() { <-n.budget }
	others = make(map[string]int)
	twin := ""
	err = n.walk(ctx, strings.TrimSuffix(factsDir, "/"), func(name string, info Info) {
		if name == path {
			return
		}
		others[name] = noteSize(info)
		if strings.EqualFold(name, path) {
			twin = name
		}
	})
	if err == nil && twin != "" { // on some systems they are one file
		err = refuse(ErrInvalid, "%s is there already as %s: use that path", path, twin)
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return others, release, nil
}

// affordable says whether a fact file may become as large as this.
func (n *Notebook) affordable(path string, others map[string]int, was, is int) error {
	if others == nil || is <= was { // to condense is always allowed
		return nil
	}
	total := is
	for _, size := range others {
		total += size
	}
	if total <= n.opts.MaxFacts {
		return nil
	}
	var sizes []string
	for name, size := range others {
		note := ""
		if n.writable(name) != nil {
			note = " (only a person can change it)"
		}
		sizes = append(sizes, fmt.Sprintf("%s %d%s", name, size, note))
	}
	slices.Sort(sizes)
	if len(sizes) > 10 {
		sizes = append(sizes[:10], fmt.Sprintf("%d more", len(sizes)-10))
	}
	return refuse(ErrTooLarge, "all facts together would have %d bytes, and may have %d; %s would have %d (now: %d)%s. "+
		"Condense first: merge what says the same and remove what is out of date, with memory_patch or memory_write, and then try again",
		total, n.opts.MaxFacts, path, is, was, prefixed(", ", strings.Join(sizes, ", ")))
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
