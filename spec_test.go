package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spec0007Bank gives the bank of SPEC-0007's first example, with the bodies of its injected text.
func spec0007Bank(t *testing.T) *Bank {
	t.Helper()
	bodies := map[string]string{
		"Project uses JWT authentication":             "The project currently uses JWT tokens...",
		"OAuth2 integration was considered too broad": "Earlier attempts at OAuth2 failed because...",
		"Express middleware pattern":                  "The project follows this middleware pattern...",
		"Database schema version 2.1":                 "Not injected.",
	}
	memories := spec0007Memories()
	for _, m := range memories {
		m.Body = bodies[m.Title]
	}
	return testBank(t, nil, memories...)
}

// TestSpec0007Example1Block is what the example injects. Its block differs in three
// ways, see docs/decisions.md: the introduction of the document's own code, and the
// sentence on instructions, stand below the heading (1.11); the date stands beside the
// discoverer (1.11); and the third memory, which did not fire, comes in only with
// FillBySpecialty (1.10).
func TestSpec0007Example1Block(t *testing.T) {
	b := spec0007Bank(t)
	for name, fill := range map[string]bool{
		"spec-0007-example-1.golden":                   false,
		"spec-0007-example-1-fill-by-specialty.golden": true,
	} {
		t.Run(name, func(t *testing.T) {
			in, err := b.Inject(t.Context(), "You are the developer.", Query{Task: spec0007Task, Agent: "developer", FillBySpecialty: fill})
			require.NoError(t, err)
			assert.Equal(t, "You are the developer.\n\n"+in.Block, in.Prompt)
			golden(t, name, []byte(in.Block))
		})
	}
}

// TestSpec0007Configuration is the document's configuration: maxInjected 5,
// minImportance "medium", scoreBonus 10. Medium memories come in, as its code has it,
// though the comment beside says that only high and critical ones do; the bonus goes to
// memories whose tags are the agent's (docs/decisions.md, section 6).
func TestSpec0007Configuration(t *testing.T) {
	with := func(importance Importance, tags ...string) func(*Memory) {
		return func(m *Memory) { m.Importance, m.Tags = importance, tags }
	}
	b := testBank(t, nil,
		testMemory("Low", with(Low)), testMemory("Medium", with(Medium)),
		testMemory("High", with(High)), testMemory("Critical", with(Critical)))
	least, err := ParseImportance("medium")
	require.NoError(t, err)
	q := Query{Task: "auth", Max: 5, MinImportance: least}
	assert.Equal(t, []string{"critical", "high", "medium"}, recallNames(t, b, q))
	q.MinImportance = High
	assert.Equal(t, []string{"critical", "high"}, recallNames(t, b, q))

	b = testBank(t, nil, testMemory("Specialist", with(High, "review")), testMemory("Generalist", with(High, "auth")))
	matches, err := b.Recall(t.Context(), Query{Task: "auth", Agent: "reviewer", Max: 5, ScoreBonus: 10})
	require.NoError(t, err)
	require.Len(t, matches, 2)
	assert.Equal(t, Score{Importance: 25, Specialty: 5, Bonus: 10}, matches[0].Score)
	assert.Equal(t, Score{Importance: 25}, matches[1].Score)
}
