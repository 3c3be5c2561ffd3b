package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// defaultMax is how many memories a query gets at most.
const defaultMax = 5

// Query asks for the memories that matter to a task (SPEC-0007, "Relevance Matching").
// Of Task, Plan and History the first 64 KiB each are looked at.
type Query struct {
	Task        string
	Agent       string // its name; matched as whole words
	DisplayName string // matched as whole words
	Plan        string // matched too, but at most moderately
	History     string // likewise

	Max             int        // 0: 5; negative: none
	MinImportance   Importance // zero: no threshold
	ScoreBonus      int        // points when a memory's tags fit the agent's specialty
	MaxTokens       int        // of the injected block; 0 or less: no limit
	FillBySpecialty bool       // give free places to high and critical memories whose tags fit the agent
}

// limit is how many memories the query gets at most.
func (q *Query) limit() int {
	if q.Max == 0 {
		return defaultMax
	}
	return max(q.Max, 0)
}

// Match is a memory that a query recalls, and why.
type Match struct {
	Name        string
	Frontmatter *Frontmatter // shared: read only
	Pattern     string       // the line of whenToUse that fired most strongly; "" when Strength is None
	Strength    Strength     // None: it fills a free place, see Query.FillBySpecialty
	Score       Score
}

// CompareMatches is the order of [Bank.Recall], best first: what fired before
// what fills a free place, then score, strength, the newest, and name. A host
// sorts with it what it recalled from several banks.
func CompareMatches(a, b Match) int {
	return cmp.Or(
		cmp.Compare(min(b.Strength, 1), min(a.Strength, 1)),
		cmp.Compare(b.Score.Total(), a.Score.Total()),
		cmp.Compare(b.Strength, a.Strength),
		b.Frontmatter.DiscoveredAt.Compare(a.Frontmatter.DiscoveredAt),
		strings.Compare(a.Name, b.Name),
	)
}

// Recall gives the memories whose triggers fire on the query, best first, at
// most Query.Max. How strong a match must be depends on the memory's
// importance: critical memories need a slight one, high a moderate, medium a
// close and low an exact one. Files are read only when they changed.
func (b *Bank) Recall(ctx context.Context, q Query) ([]Match, error) {
	found, err := b.recall(ctx, &q)
	if err != nil {
		return nil, err
	}
	if len(found.tooLong) > 0 {
		b.log.Warn("only the first 64 KiB are matched", "fields", found.tooLong)
	}
	return found.matches[:min(len(found.matches), q.limit())], nil
}

// recalled is all that a query matched, best first, and behind it what may fill free places.
type recalled struct {
	matches []Match // fired first, then as many fills as there are free places
	tooLong []string
}

func (b *Bank) recall(ctx context.Context, q *Query) (*recalled, error) {
	triggers, err := b.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	text := newQueryText(q)
	found := &recalled{tooLong: text.cut}
	memories, err := triggers.on(ctx, text, q.MinImportance)
	if err != nil {
		return nil, err
	}
	scorer := b.newScorer(*q)
	names := make(map[string]bool, len(memories))
	for _, m := range memories {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		names[m.name] = true
		found.matches = append(found.matches, Match{m.name, m.front, m.pattern, m.strength, scorer.score(m.indexed)})
	}
	slices.SortFunc(found.matches, CompareMatches)
	free := q.limit() - len(found.matches)
	if !q.FillBySpecialty || free <= 0 || len(found.matches) == 0 {
		return found, nil
	}
	var fills []Match
	for _, m := range triggers.tagged(scorer.specialty) {
		if least := max(High, q.MinImportance); m.importance() >= least && !names[m.name] {
			fills = append(fills, Match{m.name, m.front, "", None, scorer.score(m)})
		}
	}
	slices.SortFunc(fills, CompareMatches)
	found.matches = append(found.matches, fills[:min(len(fills), free)]...)
	return found, nil
}
