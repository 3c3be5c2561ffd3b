package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// enough is a body of fifty words.
var enough = strings.Repeat("plain words of text ", 13)

func checkFile(t *testing.T, content string) []string {
	t.Helper()
	store := NewMapStore()
	write(t, store, "x.md", content)
	return checkStore(t, store)
}

func checkStore(t *testing.T, store Store) []string {
	t.Helper()
	b, err := New(store, nil)
	require.NoError(t, err)
	problems, err := b.Check(context.Background())
	require.NoError(t, err)
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return lines
}

func TestCheck(t *testing.T) {
	good := fmt.Sprintf(plainFile, "T", enough)
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	tests := []struct{ name, file, want string }{
		{"nothing wrong", good, ""},
		{"unknown importance", with("importance: high", "importance: urgent"), `x.md:4: error: importance`},
		{"missing importance", with("importance: high\n", ""), `x.md:1: warning: importance`},
		{"fewer than 50 words", fmt.Sprintf(plainFile, "T", "short"), `x.md: warning: only 1 of at least 50 words`},
		{"more than 2000 words", fmt.Sprintf(plainFile, "T", strings.Repeat(enough, 40)), `x.md: warning: 2080 of at most 2000 words`},
		{"characters of a script without spaces", fmt.Sprintf(plainFile, "T", strings.Repeat("用户登录", 25)), ""},
		{"related memory missing", with("whenToUse", "relatedMemories: [nowhere.md]\nwhenToUse"), `x.md:3: warning: relatedMemories: there is no memory "nowhere.md"`},
		{"related memory there, with .md or without", with("whenToUse", "relatedMemories: [x, x.md]\nwhenToUse"), ""},
		{"trigger that cannot be compiled", with("auth", "'(?!x)y'"), `x.md:3: error: whenToUse "(?!x)y"`},
		{"trigger too long", with("auth", strings.Repeat("long ", 60)), `x.md:3: error: whenToUse`},
		{"trigger that can never fire", with("auth", `'/a^b/'`), `can never fire`},
		{"trigger that ends before it begins", with("auth", `'/a$b/'`), `can never fire`},
		{"empty trigger", with("auth", "'| |'"), `is empty and can never fire`},
		{"trigger that always fires", with("auth", "'*'"), `x.md:3: warning: whenToUse "*": fires on nearly everything`},
		{"trigger that fires on nearly everything", with("auth", "'.*'"), `fires on nearly everything`},
		{"trigger with an anchor and no slashes", with("auth", "^auth"), `is read as words; for a regular expression write /^auth/`},
		{"trigger with a bracket that is never closed", with("auth", "'[auth.*'"), `missing closing ]`},
		{"no trigger", with("whenToUse: auth\n", ""), `x.md:1: error: whenToUse`},
		{"trigger without a topic", with("auth", "When working on it"), `no word that carries a topic`},
		{"secret", strings.Replace(good, "plain", "AKIA"+strings.Repeat("Q", 16), 1), `x.md:9: warning: looks like a secret (aws-key)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := checkFile(t, tt.file)
			if tt.want == "" {
				assert.Empty(t, got)
				return
			}
			require.Len(t, got, 1, "%q", got)
			assert.Contains(t, got[0], tt.want)
		})
	}
}

func TestCheckFindsTwoFilesWithOneTitle(t *testing.T) {
	store := NewMapStore()
	write(t, store, "a.md", fmt.Sprintf(plainFile, "Same title", enough))
	write(t, store, "b.md", fmt.Sprintf(plainFile, "same Title!", enough))
	got := checkStore(t, store)
	require.Len(t, got, 1)
	assert.Contains(t, got[0], "b.md:2: warning: has the title of a.md")
}

func TestCheckIsInTheOrderOfNamesAndLines(t *testing.T) {
	store := NewMapStore()
	write(t, store, "b.md", "no frontmatter")
	write(t, store, "a.md", "---\ntitle: T\nwhenToUse: ['(?!x)', '(?!y)']\nimportance: high\ndiscoveredAt: 2026-01-01\n---\n\n"+enough)
	got := checkStore(t, store)
	require.Len(t, got, 4, "%q", got)
	assert.Contains(t, got[0], "a.md:1: warning: discoveredBy")
	assert.Contains(t, got[1], "a.md:3: error")
	assert.Contains(t, got[2], "a.md:3: error")
	assert.Contains(t, got[3], "b.md:1: error")
}

func TestTriggerThatCannotBeReadDoesNotHideTheOthers(t *testing.T) {
	store := NewMapStore()
	write(t, store, "x.md", "---\ntitle: T\nwhenToUse: ['(?!x)y|auth', '(?!z)', cook]\nimportance: high\n---\n\nBody.")
	b, err := New(store, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, recallNames(t, b, Query{Task: "auth"}))
	assert.Equal(t, []string{"x"}, recallNames(t, b, Query{Task: "cook"}))
}
