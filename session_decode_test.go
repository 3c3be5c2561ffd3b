package memory

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// TestDecodeFaults: a value that does not fit is passed over with its line and its place, and the rest is read.
func TestDecodeFaults(t *testing.T) {
	d, err := readSession([]byte(`version: 1
createdAt: soon
discoveries:
  - text
  - importance: huge
    relatedFiles: {a: b}
    content: [x]
attempts:
  - planStep: two
    tokensUsed: many
    subTasks: none
    commands: one
    artifacts:
      - path: [x]
decisions:
  - reversible: maybe
    alternatives:
      - text
      - {name: n, reason: r}
      - [x]
history:
  - lastIds: {discovery: many, attempt: 3}
  - lastIds: none
context:
  taskContext: text
  blockers: ~
`))
	require.NoError(t, err)
	m := &SessionMemory{}
	got := make(map[string]int)
	for _, f := range decodeNode(d.Root(), m) {
		assert.NotEmpty(t, f.msg)
		if f.severity == SeverityError && !strings.HasSuffix(f.msg, ": missing") {
			got[f.path] = f.line
		}
	}
	assert.Equal(t, map[string]int{
		"createdAt": 2, "discoveries[0]": 4, "discoveries[1].importance": 5, "discoveries[1].relatedFiles": 6, "discoveries[1].content": 7,
		"attempts[0].planStep": 9, "attempts[0].tokensUsed": 10, "attempts[0].subTasks": 11, "attempts[0].artifacts[0].path": 14,
		"decisions[0].reversible": 16, "decisions[0].alternatives[2]": 20,
		"history[0].lastIds.discovery": 22, "history[1].lastIds": 23, "context.taskContext": 25,
	}, got)
	assert.Equal(t, []string{"one"}, m.Attempts[0].Commands, "a text stands for a list of one")
	assert.Equal(t, []Alternative{{Name: "text"}, {"n", "r"}, {}}, m.Decisions[0].Alternatives)
	assert.Equal(t, map[string]int{"attempt": 3, "discovery": 0}, m.History[0].LastIDs)
	assert.Nil(t, m.Context.Blockers)
	assert.Empty(t, decodeNode(nil, m))
}

// TestSessionMemoryRoundTrip: what yaml.v3 writes of a memory, it and this package read again.
func TestSessionMemoryRoundTrip(t *testing.T) {
	for name, m := range conventionMemories {
		text, err := yaml.Marshal(m)
		require.NoError(t, err, name)
		var again SessionMemory
		require.NoError(t, yaml.Unmarshal(text, &again), name)
		assert.Equal(t, asYAML(t, m), asYAML(t, again), name) // an empty list is none
	}
	m := SessionMemory{Decisions: []Decision{{Alternatives: []Alternative{{Name: "a"}, {"b", "r"}, {"c: d", ""}, {"7", ""}}, Impact: High}}}
	text, err := yaml.Marshal(m)
	require.NoError(t, err)
	var again SessionMemory
	require.NoError(t, yaml.Unmarshal(text, &again))
	assert.Equal(t, m, again)
	assert.Equal(t, m.Decisions, decoded(t, strings.Replace(string(text), "version: \"\"\nschema: \"\"\n", "", 1)).Decisions)
	assert.Error(t, yaml.Unmarshal([]byte("decisions: [{alternatives: [[a]]}]"), &again))
}
