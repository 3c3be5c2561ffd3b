package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script is a model that gives its replies one after another, and keeps what it was asked.
type script struct {
	mu      sync.Mutex
	replies []string
	prompts []string
}

func (s *script) Complete(_ context.Context, prompt string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompts = append(s.prompts, prompt)
	if len(s.prompts) > len(s.replies) {
		return "", errors.New("the script is at its end")
	}
	return s.replies[len(s.prompts)-1], nil
}

func (s *script) last() string { return s.prompts[len(s.prompts)-1] }

// replyOf gives the reply of a model that wants a memory kept; more are further keys, or others in place of these.
func replyOf(title, content string, more map[string]any) string {
	reply := map[string]any{
		"shouldCreateMemory": true, "memoryTitle": title, "content": content, "reasoning": "it will be needed again",
		"frontmatter": map[string]any{"whenToUse": []string{strings.ToLower(title)}, "importance": "high", "tags": []string{"failures"}},
	}
	for key, value := range more {
		reply[key] = value
	}
	text, _ := json.Marshal(reply)
	return string(text)
}

// oauthRun is a run from which there is something to learn.
func oauthRun() Run {
	return Run{
		Agent: "developer", Task: "Implement user authentication", Outcome: Failure, Err: "scope exceeded",
		Output: "I started an OAuth2 social login. OAuth2 is too broad: the task requires JWT only.", At: noon,
	}
}

const oauthBody = `# OAuth2 Integration Was Too Broad

OAuth2 social login exceeds the scope of authentication tasks in this project.

## What Was Attempted

OAuth2 social login with Google and GitHub, in ` + "`src/auth/providers.ts`" + `.

## Why It Failed

1. The task requires JWT only.
2. OAuth2 adds significant complexity, with callback routes and a token store.

## Key Lesson

Read the requirements for the token format before choosing a protocol. JWT is enough here.`

func oauthAnswer() string {
	return replyOf("OAuth2 Integration Was Too Broad", oauthBody, map[string]any{
		"evidence": "OAuth2 is too broad",
		"frontmatter": map[string]any{
			"whenToUse": []string{"oauth|social.*auth", "When implementing authentication"}, "tags": []string{"failures", "auth"}, "importance": "high",
		},
	})
}

// learn has a bank learn from a run what a reply says.
func learn(t *testing.T, b *Bank, r Run, replies ...string) *Extraction {
	t.Helper()
	e, err := (&Extractor{Bank: b, LLM: &script{replies: replies}}).Learn(context.Background(), r)
	require.NoError(t, err)
	return e
}

func TestTheWholeLoop(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	bank := keep(t, store, Options{})
	task := Query{Task: "Add authentication to the admin area", Agent: "developer"}

	first := learn(t, bank, oauthRun(), oauthAnswer())
	assert.Equal(t, Created, first.Action)
	assert.Equal(t, "oauth2-integration-was-too-broad", first.Name)

	in, err := bank.Inject(ctx, "Work.", task)
	require.NoError(t, err)
	assert.Contains(t, in.Prompt, "### OAuth2 Integration Was Too Broad\n*Importance: HIGH*\n*Discovered by: developer on ")
	assert.Contains(t, in.Prompt, "The task requires JWT only.")

	third := learn(t, bank, oauthRun(), replyOf("Social Login Is Out of Scope", strings.Replace(oauthBody, "# OAuth2 Integration Was Too Broad\n\n", "", 1), nil))
	assert.Equal(t, Skipped, third.Action)
	assert.Equal(t, "oauth2-integration-was-too-broad says it already", third.Reason)
	assert.Len(t, names(t, bank), 1, "no second file")

	fourth := learn(t, bank, Run{Agent: "tester", Task: "Check the scope of authentication", Output: "The requirements of 2026-03-02 ask for OAuth2 after all.", At: noon.Add(24 * time.Hour)},
		replyOf("OAuth2 Is Required", "The requirements of 2026-03-02 ask for OAuth2 with GitHub.", map[string]any{"contradicts": "oauth2-integration-was-too-broad"}))
	assert.Equal(t, Corrected, fourth.Action)
	assert.Equal(t, first.Name, fourth.Name)
	assert.Len(t, names(t, bank), 1)

	in, err = bank.Inject(ctx, "Work.", task)
	require.NoError(t, err)
	at := strings.Index(in.Block, "#### Correction: OAuth2 Is Required (")
	assert.Positive(t, at)
	assert.Less(t, at, strings.Index(in.Block, "What Was Attempted"), "the correction stands first")
}

// names gives the memories of a bank.
func names(t *testing.T, b *Bank) []string {
	t.Helper()
	var names []string
	for m, err := range b.All(context.Background()) {
		require.NoError(t, err)
		names = append(names, m.Name)
	}
	return names
}

func TestConventionUpdates(t *testing.T) {
	ctx := context.Background()
	tests := []struct {
		name  string
		word  string
		there Memory
		run   Run
		reply string
	}{
		{
			"convention-update-adding", "Update",
			Memory{Frontmatter: Frontmatter{Title: "Authentication Module Structure", WhenToUse: []string{"auth"}, Importance: High, DiscoveredAt: mustTime("2026-01-23T10:30:00Z"), DiscoveredBy: "planner"},
				Body: "# Authentication Module Structure\n\nOriginal content..."},
			Run{Agent: "developer", Task: "Add OAuth", Output: "The auth module also handles OAuth providers; see oauth-providers.ts.", At: mustTime("2026-01-24T09:00:00Z")},
			replyOf("Authentication Module Structure", "# Authentication Module Structure\n\nAdditional findings about the auth module:\n- Also handles OAuth providers (see oauth-providers.ts)\n- Database integration at models/UserSession.ts", nil),
		},
		{
			"convention-update-correcting", "Correction",
			Memory{Frontmatter: Frontmatter{Title: "Password Hashing Approach", WhenToUse: []string{"password"}, Importance: High, DiscoveredAt: mustTime("2026-01-23T10:30:00Z"), DiscoveredBy: "planner"},
				Body: "# Password Hashing Approach\n\n## Original Finding\n\nUses bcrypt with 10 salt rounds."},
			Run{Agent: "developer", Task: "Check password hashing", Output: "grep saltRounds src/auth/middleware.ts gives 12.", At: mustTime("2026-01-24T09:00:00Z")},
			replyOf("Password Hashing Approach", "## Correction (Found error in initial discovery)\n\nActually uses 12 salt rounds. Checked with:\n```sh\ngrep \"saltRounds\" src/auth/middleware.ts  # Output: 12\n```\n\n"+
				"## Updated Understanding\n\n- Salt rounds: 12 (not 10)\n- Algorithm: bcrypt\n- No custom salt generation (bcrypt handles it)", map[string]any{"contradicts": "password-hashing-approach.md"}),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := NewMapStore()
			bank := keep(t, store, Options{}, &tt.there)
			e := learn(t, bank, tt.run, tt.reply)
			file, err := store.Read(ctx, e.Name+".md")
			require.NoError(t, err)
			golden(t, "extract/"+tt.name+".md", file)
			m, err := bank.Get(ctx, e.Name)
			require.NoError(t, err)
			golden(t, "extract/"+tt.name+".block.md", []byte(FormatMemories([]*Memory{m}, nil)))
			spec, err := os.ReadFile("testdata/specs/" + tt.name + ".md")
			require.NoError(t, err)
			_, said, _ := strings.Cut(string(spec), "\n## "+tt.word)
			assert.Equal(t, "## "+tt.word+strings.TrimRight(said, "\n"), m.Updates[0].Body, "word for word as in the convention")
		})
	}
}

func TestPromptGolden(t *testing.T) {
	fires := func(m *Memory, on string) *Memory { m.WhenToUse = []string{on}; return m }
	bank := keep(t, NewMapStore(), Options{},
		fires(lesson("Project Uses JWT", Critical, 3, "Tokens are signed with RS256."), "auth|jwt"),
		lesson("Social Login Providers", Medium, 5, "They are in src/auth."), // half of its title's words
		fires(lesson("Database Schema", High, 7, "Tables."), "database"))
	run := oauthRun()
	run.Output += "\n```ts\nlogin()\n```\n" + strings.Repeat("Line of a long log.\n", 50) + "key " + "AKIA" + "QWERTZUIOPASDFGH" + "\nThe end."
	model := &script{replies: []string{oauthAnswer(), oauthAnswer()}}
	x := &Extractor{Bank: bank, LLM: model, MaxOutput: 400}
	for range 2 {
		e, err := x.Extract(context.Background(), run)
		require.NoError(t, err)
		assert.Equal(t, Created, e.Action)
		assert.Equal(t, estimateTokens(model.last()), e.PromptTokens)
		assert.Equal(t, estimateTokens(oauthAnswer()), e.ReplyTokens)
	}
	assert.Equal(t, model.prompts[0], model.prompts[1], "equal input gives the same prompt")
	golden(t, "extract/prompt.golden", []byte(model.prompts[0]))
	assert.Len(t, names(t, bank), 3, "Extract writes nothing")
}

func TestNamesOfActionsAndOutcomes(t *testing.T) {
	assert.Equal(t, "skipped created updated corrected quarantined Action(5) Action(-1)",
		fmt.Sprint(Skipped, Created, Updated, Corrected, Quarantined, Action(5), Action(-1)))
	assert.Equal(t, "unknown success failure partial Outcome(4) Outcome(-1)",
		fmt.Sprint(Outcome(0), Success, Failure, Partial, Outcome(4), Outcome(-1)))
}

func TestExtractorDefinition(t *testing.T) {
	agent, err := ParseAgent([]byte(ExtractorDefinition()))
	require.NoError(t, err)
	assert.Equal(t, "memory-extractor", agent.Name)
	assert.Equal(t, []string{"Read"}, agent.Tools.Allowed)
	prompt := asked(t, Extractor{}, oauthRun())
	assert.Equal(t, prompt, asked(t, Extractor{Definition: agent}, oauthRun()), "the definition that ships is the default")
	for _, of := range []string{ // SPEC-0009, "What to Extract", and the convention, "What's Worth Remembering?"
		"Codebase structure", "code pattern or convention", "constraint or limitation", "error that occurred, and its cause", "architectural decision",
		"dependency or version", "location of a file", "Configuration", "Temporary debugging steps", "Command output or logs", "Progress updates",
		"obvious from reading the code", "duplicate of an existing memory", "trivial findings",
	} {
		assert.Contains(t, prompt, of)
	}
}
