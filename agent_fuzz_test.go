package memory

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzParseAgent reads junk, alone and behind a name: it never panics, gives a
// result or an error that names its kind, reads the same thing twice in the same
// way, and what the bank is asked for is what was read.
func FuzzParseAgent(f *testing.F) {
	f.Add(agentFile(f, "memory-extractor"), "a task")
	f.Add(agentFile(f, "developer"), "a task")
	f.Add([]byte("\ufeff# x\r\n---\r\ntools: [*.sh, b: c]\r\nmemory: {maxInjected: 0}\r\n---\r\n\\---\r\n"), "")
	f.Add([]byte("memory: {max_injected: -1, scoreBonus: 1e9, minImportance: Huge}\nwhenToUse: Internal: runs after"), "x")
	f.Add([]byte("tools:\n  ask: !x y\n  ? [a]\n  : &b *b\n...\n"), "x")
	f.Fuzz(func(t *testing.T, data []byte, task string) {
		checkAgent(t, data, task)
		checkAgent(t, append([]byte("name: dev\n"), data...), task)
		checkAgent(t, append(append([]byte("---\nname: dev\n"), data...), "\n---\n"+task...), task)
	})
}

func checkAgent(t *testing.T, data []byte, task string) {
	a, err := ParseAgent(data)
	again, same := ParseAgent(data)
	require.Equal(t, err, same)
	require.Equal(t, shown(a), shown(again))
	if err != nil {
		require.Nil(t, a)
		require.True(t, errors.Is(err, ErrInvalid) || errors.Is(err, ErrTooLarge), err)
		require.Regexp(t, `^agent definition: line [1-9]\d*: `, err.Error())
		return
	}
	require.NotEmpty(t, strings.TrimSpace(a.Name))
	for _, text := range append([]string{a.Name, a.DisplayName, a.Prompt}, append(a.Tools.Allowed, a.Tools.Blocked...)...) {
		require.True(t, utf8.ValidString(text))
	}
	require.NotContains(t, a.Name+a.DisplayName, "\n")
	require.Equal(t, a.Prompt, strings.Join(trimBlank(strings.Split(a.Prompt, "\n")), "\n"))
	m := a.Memory
	require.True(t, m.MaxInjected >= -1 && m.ScoreBonus >= 0 && m.MinImportance >= 0 && m.MinImportance <= Critical, m)
	q := a.Query(task)
	require.Equal(t, Query{Task: task, Agent: a.Name, DisplayName: a.DisplayName, Max: m.MaxInjected, MinImportance: m.MinImportance, ScoreBonus: m.ScoreBonus}, q)
	require.GreaterOrEqual(t, q.limit(), 0)
}
