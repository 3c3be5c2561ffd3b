package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rawko/memory/internal/lexical"
)

// Weights are the points of the relevance table (SPEC-0009, "Scoring Algorithm").
type Weights struct {
	Critical, High, Medium, Low int // by importance; a memory without one is Medium
	Day, ThreeDays              int // discovered less than 24 h or 72 h ago
	Keyword, KeywordMax         int // for each task word in the title; at most
	Specialty, SpecialtyMax     int // for each tag that is the agent's; at most
	Discoverer                  int // the agent discovered it
}

// SpecWeights gives the table of SPEC-0009, anew at each call.
func SpecWeights() *Weights {
	return &Weights{
		Critical: 30, High: 25, Medium: 15, Low: 5,
		Day: 10, ThreeDays: 5,
		Keyword: 5, KeywordMax: 20,
		Specialty: 5, SpecialtyMax: 15,
		Discoverer: 10,
	}
}

// Score says how relevant a memory is to a query, each factor kept apart, in points.
type Score struct {
	Importance int
	Recency    int
	Keyword    int
	Specialty  int
	Discoverer int
	Bonus      int // Query.ScoreBonus
}

// Total is the sum of the factors, at least 0 and at most 100.
func (s Score) Total() int {
	total := 0
	for _, points := range []int{s.Importance, s.Recency, s.Keyword, s.Specialty, s.Discoverer, s.Bonus} {
		total += min(max(points, -1e6), 1e6) // a host may say "on top" with the largest number there is
	}
	return min(max(total, 0), 100)
}

// String gives the total and what it is made of: "40 = importance 25 + keyword 15".
func (s Score) String() string {
	var parts []string
	for _, f := range []struct {
		name   string
		points int
	}{
		{"importance", s.Importance}, {"recency", s.Recency}, {"keyword", s.Keyword},
		{"specialty", s.Specialty}, {"discoverer", s.Discoverer}, {"bonus", s.Bonus},
	} {
		if f.points != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", f.name, f.points))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d = %s", s.Total(), strings.Join(parts, " + "))
}

// specSpecialties are the tags of SPEC-0007's agents.
func specSpecialties() map[string][]string {
	return map[string][]string{
		"planner":   {"planning", "structure", "analysis"},
		"developer": {"implementation", "code", "patterns"},
		"tester":    {"testing", "validation", "quality"},
		"reviewer":  {"review", "quality", "standards"},
	}
}

// scorer scores memories for one query.
type scorer struct {
	weights   *Weights
	query     Query
	now       time.Time
	keywords  []string
	specialty []string // the agent's tags, folded
	adjust    func(Query, *Frontmatter, *Score)
}

func (b *Bank) newScorer(q Query) *scorer {
	s := &scorer{weights: b.weights, query: q, now: b.now(), adjust: b.opts.Adjust}
	task, _ := normalize(q.Task)
	s.keywords = lexical.Keywords(task)
	s.specialty = b.specialties[fold(q.Agent)]
	return s
}

// score rates one memory.
func (s *scorer) score(m *indexed) Score {
	f := m.front
	tags := s.commonTags(f)
	points := Score{
		Importance: s.weights.importance(f.Importance),
		Recency:    s.weights.recency(s.now, f.DiscoveredAt),
		Keyword:    s.keywordPoints(m.title),
		Specialty:  min(s.weights.SpecialtyMax, s.weights.Specialty*tags),
	}
	if s.query.Agent != "" && fold(f.DiscoveredBy) == fold(s.query.Agent) {
		points.Discoverer = s.weights.Discoverer
	}
	if tags > 0 {
		points.Bonus = s.query.ScoreBonus
	}
	if s.adjust != nil {
		s.adjust(s.query, f, &points)
	}
	return points
}

// commonTags counts the tags of a memory that are the agent's, each once.
func (s *scorer) commonTags(f *Frontmatter) int {
	n := 0
	for _, tag := range s.specialty {
		if slices.ContainsFunc(f.Tags, func(t string) bool { return fold(t) == tag }) {
			n++
		}
	}
	return n
}

func (w *Weights) importance(i Importance) int {
	switch i {
	case Critical:
		return w.Critical
	case High:
		return w.High
	case Low:
		return w.Low
	}
	return w.Medium
}

// recency gives nothing for what is dated more than a day ahead: clocks differ,
// but not by that.
func (w *Weights) recency(now, discovered time.Time) int {
	age := now.Sub(discovered)
	switch {
	case discovered.IsZero() || age < -24*time.Hour:
		return 0
	case age < 24*time.Hour:
		return w.Day
	case age < 72*time.Hour:
		return w.ThreeDays
	}
	return 0
}

// keywordPoints looks for the task's words in a title until there are points enough.
func (s *scorer) keywordPoints(title string) int {
	points := 0
	for _, w := range s.keywords {
		if points >= s.weights.KeywordMax {
			break
		}
		if strings.Contains(title, w) {
			points += s.weights.Keyword
		}
	}
	return min(points, s.weights.KeywordMax)
}

// fold makes names of agents and tags comparable.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
