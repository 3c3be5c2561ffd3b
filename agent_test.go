package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func agentFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "agents", name+".md"))
	require.NoError(t, err)
	return data
}

// agentOf reads a definition that has the given YAML besides its name. The YAML begins in line 3.
func agentOf(t *testing.T, yaml string) *Agent {
	t.Helper()
	a, err := ParseAgent([]byte("---\nname: dev\n" + yaml + "---\n\nPrompt.\n"))
	require.NoError(t, err, yaml)
	require.Equal(t, "dev", a.Name)
	require.Equal(t, "Prompt.", a.Prompt)
	return a
}

// The definitions of the documents, word for word.
func TestParseAgentReadsTheDocumentsExamples(t *testing.T) {
	extractor, err := ParseAgent(agentFile(t, "memory-extractor"))
	require.NoError(t, err)
	assert.Equal(t, &Agent{
		Name: "memory-extractor", DisplayName: "Memory Extraction Agent",
		WhenToUse: []string{"Internal - runs after every agent execution"},
		Tools:     AgentTools{Allowed: []string{"Read"}, Blocked: []string{"Write", "Edit", "Bash"}},
		Prompt:    "# Memory Extraction Agent\n\nEvaluate agent output. Extract anything worth remembering long-term.",
	}, extractor)
	developer, err := ParseAgent(agentFile(t, "developer"))
	require.NoError(t, err)
	assert.Equal(t, &Agent{Name: "developer", Memory: AgentMemory{MaxInjected: 5, MinImportance: Medium, ScoreBonus: 10}}, developer)
}

func TestAgentQuery(t *testing.T) {
	a := &Agent{Name: "dev", DisplayName: "Developer", Memory: AgentMemory{MaxInjected: 3, MinImportance: High, ScoreBonus: 7}}
	assert.Equal(t, Query{Task: "fix it", Agent: "dev", DisplayName: "Developer", Max: 3, MinImportance: High, ScoreBonus: 7}, a.Query("fix it"))
	assert.Equal(t, Query{}, (&Agent{}).Query(""))
}

func TestAgentMaxInjectedLimitsRecall(t *testing.T) {
	var memories []*Memory
	for i := range 7 {
		memories = append(memories, testMemory(fmt.Sprintf("Memory %d", i), func(m *Memory) { m.Importance = High }))
	}
	b := testBank(t, nil, memories...)
	for yaml, want := range map[string]int{"": 5, "memory:\n": 5, "memory: {maxInjected: 0}\n": 0, "memory: {maxInjected: 2}\n": 2, "memory: {maxInjected: 6}\n": 6} {
		matches, err := b.Recall(t.Context(), agentOf(t, yaml).Query("auth"))
		require.NoError(t, err)
		assert.Len(t, matches, want, yaml)
	}
}

func TestParseAgentIsLenientAboutFiles(t *testing.T) {
	const file = "---\nname: dev\n---\n\nDo it.\n\n---\n\n\\---\n"
	want := &Agent{Name: "dev", Prompt: "Do it.\n\n---\n\n\\---"}
	for name, text := range map[string]string{
		"as it should be":            file,
		"BOM":                        "\ufeff" + file,
		"CRLF":                       strings.ReplaceAll(file, "\n", "\r\n"),
		"lone CR":                    strings.ReplaceAll(file, "\n", "\r"),
		"comments and blanks before": "\n# a\n\n \t# b\n" + file,
		"BOM before a comment":       "\ufeff# a\n" + file,
		"blanks behind the dashes":   strings.Replace(file, "---\nname: dev\n---\n", "--- \t\nname: dev\n---  \n", 1),
		"blank lines at the ends":    strings.Replace(file, "\n\nDo", "\n \n\nDo", 1) + "\n\t\n",
		"no final line break":        strings.TrimSuffix(file, "\n"),
		"a line of dots":             strings.Replace(file, "dev\n", "dev\n...\n", 1),
	} {
		got, err := ParseAgent([]byte(text))
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

func TestParseAgentWithoutPromptOrFences(t *testing.T) {
	for name, text := range map[string]string{
		"no body":       "---\nname: dev\n---",
		"blank body":    "---\nname: dev\n---\n \n\n",
		"keys alone":    "name: dev",
		"after comment": "# In agent frontmatter\n\nname: dev # the first\n# the end\n",
	} {
		got, err := ParseAgent([]byte(text))
		require.NoError(t, err, name)
		assert.Equal(t, &Agent{Name: "dev"}, got, name)
	}
}

func TestAgentNames(t *testing.T) {
	for yaml, want := range map[string][2]string{
		"name: ' a '\ndisplayName: \" A B \"\n":      {"a", "A B"},
		"name: 404\ndisplayName: 1.50\n":             {"404", "1.50"},
		"displayName: B\nmemory: {}\nname: a\n":      {"a", "B"},
		"name: a\ndisplayName:\n":                    {"a", ""},
		"name: a\ndisplayName: ~\n":                  {"a", ""},
		"name: |\n  a\n  b\ndisplayName: A: the B\n": {"a b", "A: the B"},
		"Name: a\ndisplay_name: B\n":                 {"a", "B"},
		"name: a\ndisplay-name: B\n":                 {"a", "B"},
		"name: 开发者\n":                                {"开发者", ""},
	} {
		a, err := ParseAgent([]byte(yaml))
		require.NoError(t, err, yaml)
		assert.Equal(t, want, [2]string{a.Name, a.DisplayName}, yaml)
	}
}

func TestAgentWhenToUseIsReadAsInAMemoryFile(t *testing.T) {
	for yaml, want := range map[string][]string{
		"": nil, "whenToUse:\n": nil, "whenToUse: []\n": nil,
		"whenToUse: Internal: runs after\n":                    {"Internal: runs after"},
		"whenToUse: code, tests|docs\n":                        {"code, tests|docs"},
		"whenToUse:\n  - For code\n  - When adding tests: x\n": {"For code", "When adding tests: x"},
		"whenToUse: |\n  a b\n\n  c\n":                         {"a b", "c"},
		"whenToUse: >\n  a b\n  c\n":                           {"a b c"},
		"whenToUse: \"\\bauth\"\n":                             {`\bauth`},
		"when_to_use: [*.go, b]\n":                             {"*.go", "b"},
	} {
		assert.Equal(t, want, agentOf(t, yaml).WhenToUse, yaml)
	}
}

func TestAgentTools(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		want       AgentTools
	}{
		{"absent", "", AgentTools{}},
		{"empty", "tools:\n", AgentTools{}},
		{"null", "tools: ~\n", AgentTools{}},
		{"blank", "tools: ' '\n", AgentTools{}},
		{"empty map", "tools: {}\n", AgentTools{}},
		{"map of nulls", "tools:\n  allowed:\n  blocked: null\n", AgentTools{}},
		{"one", "tools: Read\n", AgentTools{Allowed: []string{"Read"}}},
		{"commas", "tools: Read, Grep,,\n", AgentTools{Allowed: []string{"Read", "Grep"}}},
		{"list", "tools: [Read, Grep]\n", AgentTools{Allowed: []string{"Read", "Grep"}}},
		{"items that are empty or no text", "tools:\n- Read\n-\n- ~\n- 2\n- on\n- Bash(git:*)\n", AgentTools{Allowed: []string{"Read", "2", "on", "Bash(git:*)"}}},
		{"repaired", "tools: [*.sh, Read]\n", AgentTools{Allowed: []string{"*.sh", "Read"}}},
		{"none allowed", "tools: []\n", AgentTools{Allowed: []string{}}},
		{"none allowed, some blocked", "tools:\n  allowed: [~]\n  blocked: [Bash]\n", AgentTools{Allowed: []string{}, Blocked: []string{"Bash"}}},
		{"none blocked", "tools: {blocked: []}\n", AgentTools{Blocked: []string{}}},
		{"blocked only, with commas", "tools:\n  blocked: Write, Edit\n", AgentTools{Blocked: []string{"Write", "Edit"}}},
		{"other order and case", "TOOLS:\n  Blocked: [Bash]\n  Allowed:\n  - Read\n", AgentTools{Allowed: []string{"Read"}, Blocked: []string{"Bash"}}},
		{"keys by their path", "tools.allowed: Read\ntools.blocked: Bash\n", AgentTools{Allowed: []string{"Read"}, Blocked: []string{"Bash"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := agentOf(t, c.yaml)
			assert.Equal(t, c.want, a.Tools)
			assert.Nil(t, a.Extra)
		})
	}
}

func TestAgentMemory(t *testing.T) {
	for yaml, want := range map[string]AgentMemory{
		"":                                       {},
		"memory:\n":                              {},
		"memory: null\n":                         {},
		"memory: {}\n":                           {},
		"memory:\n  maxInjected:\n":              {},
		"memory: {maxInjected: ''}\n":            {},
		"memory: {maxInjected: 0}\n":             {MaxInjected: -1},
		"memory: {maxInjected: \"0\"}\n":         {MaxInjected: -1},
		"memory: {maxInjected: 10}\n":            {MaxInjected: 10},
		"memory: {maxInjected: \" 10 \"}\n":      {MaxInjected: 10},
		"memory: {max_injected: '7'}\n":          {MaxInjected: 7},
		"memory.maxInjected: 7\n":                {MaxInjected: 7},
		"memory: {minImportance: low}\n":         {MinImportance: Low},
		"memory: {minImportance: MEDIUM}\n":      {MinImportance: Medium},
		"memory: {minImportance: \" High \"}\n":  {MinImportance: High},
		"memory: {min-importance: 'critical'}\n": {MinImportance: Critical},
		"memory: {minImportance: ~}\n":           {},
		"memory: {minImportance: ''}\n":          {},
		"memory: {scoreBonus: 0}\n":              {},
		"memory: {scoreBonus: '10'}\n":           {ScoreBonus: 10},
		"memory: {scorebonus: +10}\n":            {ScoreBonus: 10},
		"memory:\n  scoreBonus: 1 # one\n  minImportance: low\n  maxInjected: 2\n": {2, Low, 1},
	} {
		assert.Equal(t, want, agentOf(t, yaml).Memory, yaml)
	}
}

func TestAgentUnknownKeysAreKept(t *testing.T) {
	a := agentOf(t, "model: opus\nversion: 1.5\nempty:\nlist: [a, {b: 2}]\nmap: {b: 2}\nmemory: {maxInjected: 3}\n")
	assert.Equal(t, map[string]any{
		"model": "opus", "version": 1.5, "empty": nil, "list": []any{"a", map[string]any{"b": 2}}, "map": map[string]any{"b": 2},
	}, a.Extra)
	assert.Equal(t, 3, a.Memory.MaxInjected)
	assert.Equal(t, AgentTools{}, a.Tools)
}

func TestParseAgentErrors(t *testing.T) {
	const alone = "; want frontmatter between two lines of ---, or its keys alone (name: …)"
	const unclear = "; that goes for memory files, an agent definition must be clear"
	deep := strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)
	for _, c := range []struct{ name, file, want string }{
		{"unknown key below tools", "name: x\ntools:\n  block: [Bash]\n", "line 3: tools.block: unknown key; below tools there are allowed, blocked"},
		{"unknown key below memory", "name: x\nmemory: {maxInject: 3}\n", "line 2: memory.maxInject: unknown key; below memory there are maxInjected, minImportance, scoreBonus"},
		{"empty", "", "line 1: the frontmatter is not a list of keys and values" + alone},
		{"blank", " \n\n", "line 3: the frontmatter is not a list of keys and values" + alone},
		{"comments only", "# a", "line 1: the frontmatter is not a list of keys and values" + alone},
		{"prose", "# Developer\n\nYou are a developer.\n", "line 2: the frontmatter is not a list of keys and values" + alone},
		{"prose that begins like keys", "Role: dev\nYou write code.\n", "line 2: could not find expected ':'" + alone},
		{"prose that is keys", "Role: dev\n", "line 1: name: missing; add a line such as name: developer to the frontmatter"},
		{"prose with rules", "You are:\n---\nx: y\n---\n", "line 1: a line of --- is missing before or behind the frontmatter" + alone},
		{"no line of --- before", "# x\nname: dev\n---\n\nPrompt.\n", "line 1: a line of --- is missing before or behind the frontmatter" + alone},
		{"no line of --- behind", "# x\n---\nname: dev\n", "line 2: a line of --- is missing before or behind the frontmatter"},
		{"only a line of ---", "---", "line 1: a line of --- is missing before or behind the frontmatter"},
		{"nothing between", "---\n---\nPrompt.\n", "line 1: the frontmatter is not a list of keys and values"},
		{"list between", "---\n- name\n---\n", "line 1: the frontmatter is not a list of keys and values"},
		{"not UTF-8", "---\r\nname: dev\r\n---\r\na\xff\n", "line 4: not UTF-8"},
		{"NUL", "---\nname: \x00\n---\n", "line 1: control characters are not allowed"},

		{"no name", "---\ntools: Read\n---\n", "line 1: name: missing; add a line such as name: developer to the frontmatter"},
		{"null name", "# x\n---\ntools: Read\nname:\n---\n", "line 4: name: missing; add a line such as name: developer to the frontmatter"},
		{"blank name", "name: ' '\n", "line 1: name: missing; add a line such as name: developer to the frontmatter"},
		{"name in brackets", "---\nname: [WIP]\n---\n", "line 2: name: read as text in brackets; put it in quotes" + unclear},
		{"displayName a map", "name: a\ndisplayName: {b: c}\n", "line 2: displayName: left out: not a text" + unclear},
		{"given twice", "name: a\nname: b\n", "line 2: name: given twice; keep one"},
		{"given twice, first null", "name:\nname: b\n", "line 2: name: given twice; keep one"},
		{"two spellings", "name: a\nmemory:\n  maxInjected: 1\n  max_injected: 2\n", "line 4: memory.maxInjected: given twice; keep one"},
		{"section twice", "name: a\ntools: Read\nx: 1\ntools: {blocked: Bash}\n", "line 4: tools: given twice; keep one"},
		{"unknown key twice", "name: a\nx:\nx: 2\n", "line 3: x: given twice; keep one"},
		{"unknown key too deep", "name: a\nx: " + deep + "\n", `line 2: unknown key "x": nested too deep, or a key is a list or a map`},
		{"unknown key with a key that is a list", "name: a\nx: {[b]: c}\n", `line 2: unknown key "x": nested too deep, or a key is a list or a map`},
		{"key that is a list", "name: a\n? [b]\n: c\n", `line 2: unknown key "": nested too deep, or a key is a list or a map`},

		{"memory a number", "name: a\nmemory: 5\n", "line 2: memory: want keys such as maxInjected: 5 in the lines below"},
		{"memory a list", "name: a\nmemory:\n- maxInjected: 5\n", "line 3: memory: want keys such as maxInjected: 5 in the lines below"},
		{"maxInjected no number", "---\nname: a\nmemory:\n  maxInjected: many\n---\n", `line 4: memory.maxInjected: want a whole number, 0 or more, not "many"`},
		{"maxInjected negative", "name: a\nmemory: {maxInjected: -1}\n", `line 2: memory.maxInjected: want a whole number, 0 or more, not "-1"`},
		{"maxInjected fractional", "name: a\nmemory: {maxInjected: 1.5}\n", `line 2: memory.maxInjected: want a whole number, 0 or more, not "1.5"`},
		{"maxInjected beyond all", "name: a\nmemory: {maxInjected: 99999999999999999999}\n", `line 2: memory.maxInjected: want a whole number, 0 or more, not "99999999999999999999"`},
		{"maxInjected a map", "name: a\nmemory: {maxInjected: {b: c}}\n", "line 2: memory.maxInjected: left out: not a text" + unclear},
		{"scoreBonus negative", "name: a\nmemory: {scoreBonus: -10}\n", `line 2: memory.scoreBonus: want a whole number, 0 or more, not "-10"`},
		{"unknown importance", "name: a\nmemory: {minImportance: Huge}\n", `line 2: memory.minImportance: want low, medium, high or critical, not "Huge"`},
		{"importance a number", "name: a\nmemory:\n  minImportance: 3\n", `line 3: memory.minImportance: want low, medium, high or critical, not "3"`},
		{"blocked a map", "name: a\ntools: {blocked: {Write: true}}\n", "line 2: tools.blocked: left out: not a list" + unclear},
		{"blocked item a map", "name: a\ntools:\n  blocked:\n  - Bash\n  - Write: true\n", "line 5: tools.blocked: read as the text with a colon that it looks like; put it in quotes" + unclear},
		{"allowed item a list", "name: a\ntools: [[Read]]\n", "line 2: tools: a list in the list; its items are taken as items" + unclear},

		{"the first of several", "memory: {scoreBonus: x}\nmemory: 5\n", "line 2: memory: given twice; keep one"},
		{"anchor", "---\nname: &a dev\n---\n", "line 2: YAML anchors (&a) and aliases are not allowed; quote the text if it is none"},
		{"alias", "name: a\nx: &b [1]\ny: *b\n", "line 2: YAML anchors (&b) and aliases are not allowed; quote the text if it is none" + alone},
		{"custom tag", "---\nname: !env NAME\n---\n", "line 2: YAML tag !env is not allowed; quote the text if it is none"},
		{"bracket never closed", "---\nname: a\ntools: [Read\n---\n", "line 3: a list is opened with [ and not closed (did not find expected ',' or ']')"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := ParseAgent([]byte(c.file))
			assert.Nil(t, a)
			assert.ErrorIs(t, err, ErrInvalid)
			assert.EqualError(t, err, "agent definition: "+c.want+": invalid")
		})
	}
}

func TestParseAgentCaps(t *testing.T) {
	// padded gives text with filler such that it has size bytes.
	padded := func(begin, end string, size int) []byte {
		return []byte(begin + strings.Repeat("a", size-len(begin)-len(end)) + end)
	}
	for _, c := range []struct {
		name, begin, end string
		cap              int
		want             string
	}{
		{"file", "---\nname: dev\n---\n", "", maxFile, "line 1: 1048577 bytes; at most 1048576 can be read"},
		{"frontmatter", "---\nname: dev\nx: ", "\n---\n", maxFrontmatter + 8, "line 1: frontmatter of 16385 bytes; at most 16384 can be read"},
		{"keys alone", "name: dev\nx: ", "", maxFrontmatter - 1,
			"line 1: frontmatter of 16385 bytes; at most 16384 can be read; want frontmatter between two lines of ---, or its keys alone (name: …)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := ParseAgent(padded(c.begin, c.end, c.cap))
			require.NoError(t, err)
			assert.Equal(t, "dev", a.Name)
			a, err = ParseAgent(padded(c.begin, c.end, c.cap+1))
			assert.Nil(t, a)
			assert.ErrorIs(t, err, ErrTooLarge)
			assert.EqualError(t, err, "agent definition: "+c.want+": too large")
		})
	}
}

func ExampleParseAgent() {
	a, err := ParseAgent([]byte(`---
name: reviewer
displayName: Code Reviewer
tools:
  blocked: [Write, Edit]
memory:
  maxInjected: 3
  minImportance: high
  scoreBonus: 10
---

You review changes. Name the file and the line.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	q := a.Query("Review the login handler")
	fmt.Println(a.Prompt)
	fmt.Printf("%s, %s: at most %d, %s or more, %d points for specialists\n", q.Agent, q.DisplayName, q.Max, q.MinImportance, q.ScoreBonus)
	// Output:
	// You review changes. Name the file and the line.
	// reviewer, Code Reviewer: at most 3, high or more, 10 points for specialists
}
