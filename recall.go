package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/lexical"
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
// close and low an exact one. No body is read.
func (b *Bank) Recall(ctx context.Context, q Query) ([]Match, error) {
	found, err := b.recall(ctx, &q)
	if err != nil {
		return nil, err
	}
	return found.matches[:min(len(found.matches), q.limit())], nil
}

// recalled is all that a query matched, best first, and behind it what may fill free places.
type recalled struct {
	matches []Match // fired first, then as many fills as there are free places
	tooLong []string
}

func (b *Bank) recall(ctx context.Context, q *Query) (*recalled, error) {
	memories, err := b.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	text := newQueryText(q)
	scorer := b.newScorer(*q)
	found := &recalled{tooLong: tooLong(q)}
	if len(found.tooLong) > 0 {
		b.log.Warn("only the first 64 KiB are matched", "fields", found.tooLong)
	}
	var fills []Match
	for i, m := range memories {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		importance := cmp.Or(m.front.Importance, Medium)
		if importance < q.MinImportance {
			continue
		}
		pattern, strength := m.fire(text, needed(importance))
		switch {
		case strength >= needed(importance):
			found.matches = append(found.matches, Match{m.name, m.front, pattern, strength, scorer.score(m.front, m.title)})
		case q.FillBySpecialty && importance >= High && scorer.commonTags(m.front) > 0:
			fills = append(fills, Match{m.name, m.front, "", None, scorer.score(m.front, m.title)})
		}
	}
	slices.SortFunc(found.matches, CompareMatches)
	if free := q.limit() - len(found.matches); free > 0 && len(found.matches) > 0 {
		slices.SortFunc(fills, CompareMatches)
		found.matches = append(found.matches, fills[:min(len(fills), free)]...)
	}
	return found, nil
}

// needed is the weakest match that lets a memory in: the more important it is, the weaker.
func needed(i Importance) Strength {
	switch i {
	case Critical:
		return Slight
	case High:
		return Moderate
	case Medium:
		return Close
	}
	return Exact
}

// queryText is what triggers are matched with.
type queryText struct {
	task       *lexical.Text // with the agent's names
	background *lexical.Text // plan and history; nil when there is neither
}

func newQueryText(q *Query) queryText {
	t := queryText{task: newText(q.Task, q.Agent, q.DisplayName)}
	if q.Plan != "" || q.History != "" {
		t.background = lexical.NewText(normalize(q.Plan) + "\n\n" + normalize(q.History))
	}
	return t
}

// tooLong names the fields of which only the beginning is matched.
func tooLong(q *Query) []string {
	var names []string
	for _, f := range []struct{ name, text string }{{"task", q.Task}, {"plan", q.Plan}, {"history", q.History}} {
		if len(f.text) > maxMatchText {
			names = append(names, f.name)
		}
	}
	return names
}

// fire gives the line that fires most strongly, the first of equals. Plan and
// history count at most moderately, and are not asked where that is not enough.
func (m *indexed) fire(text queryText, needed Strength) (pattern string, best Strength) {
	for _, p := range m.patterns {
		s := p.in(text.task)
		if s < Moderate && needed <= Moderate && text.background != nil {
			s = max(s, min(p.in(text.background), Moderate))
		}
		if s > best {
			pattern, best = p.source, s
		}
	}
	return pattern, best
}
