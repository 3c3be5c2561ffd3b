package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toolNamed gives one of some tools.
func toolNamed(t testing.TB, tools []Tool, name string) Tool {
	t.Helper()
	i := slices.IndexFunc(tools, func(tool Tool) bool { return tool.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return tools[i]
}

// calls runs a tool that must succeed.
func calls(t testing.TB, tools []Tool, name, args string) string {
	t.Helper()
	result, err := toolNamed(t, tools, name).Call(t.Context(), json.RawMessage(args))
	require.NoError(t, err, "%s %s", name, args)
	return result
}

// fails runs a tool that must not succeed, and gives the message for the model.
func fails(t testing.TB, tools []Tool, name, args string) string {
	t.Helper()
	result, err := toolNamed(t, tools, name).Call(t.Context(), json.RawMessage(args))
	require.Error(t, err, "%s %s", name, args)
	assert.Empty(t, result)
	return err.Error()
}

func toolNames(tools []Tool) (names []string) {
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestToolsAreThoseOfTheDocument(t *testing.T) {
	n := openNotes(t, nil, nil)
	assert.Equal(t, []string{"memory_read", "memory_write", "memory_patch", "memory_append", "memory_list"}, toolNames(n.Tools()))
	assert.Equal(t, []string{"memory_list", "memory_read"}, toolNames(n.ReadTools()))
}

func TestToolsHaveTheResultsOfTheDocument(t *testing.T) {
	n := openNotes(t, nil, nil)
	tools := n.Tools()
	assert.Equal(t, `[]`, calls(t, tools, "memory_list", `{}`))
	assert.Equal(t, `{"success":true}`, calls(t, tools, "memory_write", `{"path":"facts/user.md","content":"- Name: Zhang San\n- Role: <dev> & ops"}`))
	assert.Equal(t, "# User Facts\n\n> Summary: name, role\n\n- Name: Zhang San\n- Role: <dev> & ops\n", calls(t, tools, "memory_read", `{"path":"facts/user.md"}`))
	assert.Equal(t, `{"success":true,"appliedCount":2}`, calls(t, tools, "memory_patch",
		`{"path":"facts/user.md","patches":[{"oldText":"Zhang San","newText":"Li Si"},{"oldText":"\n- Role: <dev> & ops","newText":"\n- Language: Chinese"}]}`))
	assert.Equal(t, `{"success":true}`, calls(t, tools, "memory_append", `{"path":"episodes/2026-02.md","entry":"## A & B\n- Summary: x → y <z>"}`))
	assert.Equal(t, `[{"path":"facts/user.md","summary":"name, language","size":75},{"path":"episodes/2026-02.md","summary":"x → y <z>","size":76}]`,
		calls(t, tools, "memory_list", ``))
	assert.Equal(t, `{"success":true}`, calls(t, tools, "memory_append", `{"path":"episodes/2026-02.md","entry":"## C","summary":"given"}`))
	assert.Contains(t, calls(t, n.ReadTools(), "memory_list", `null`), `"summary":"given"`)
	assert.Equal(t, "# User Facts\n\n> Summary: name, language\n\n- Name: Li Si\n- Language: Chinese\n", calls(t, n.ReadTools(), "memory_read", `{"path":"facts/user.md"}`))
}

func TestReadGivesAModelPlainText(t *testing.T) {
	n := openNotes(t, nil, nil)
	write(t, n.store, "a.md", "\uFEFF# T\r\n\xff\r\n")
	tools := n.Tools()
	assert.Equal(t, "# T\n\uFFFD\n", calls(t, tools, "memory_read", `{"path":"a.md"}`))
	calls(t, tools, "memory_patch", `{"path":"a.md","patches":[{"oldText":"# T\n","newText":"# U\n"}]}`)
	assert.Equal(t, "\uFEFF# U\r\n\r\n> Summary: \uFFFD\r\n\r\n\xff\r\n", noteOf(t, n, "a.md"))
}

// jsonSchema is what the schemas of the tools are made of.
type jsonSchema struct {
	Type                 string                `json:"type"`
	Description          string                `json:"description"`
	Properties           map[string]jsonSchema `json:"properties"`
	Required             []string              `json:"required"`
	AdditionalProperties *bool                 `json:"additionalProperties"`
	Items                *jsonSchema           `json:"items"`
	MinItems             int                   `json:"minItems"`
}

func schemaOf(t *testing.T, tool Tool) (s jsonSchema) {
	t.Helper()
	require.NoError(t, decodeStrict(tool.Schema, &s), tool.Name)
	return s
}

// fault says why a value does not fit a schema; "" where it does.
func (s jsonSchema) fault(v any) string {
	switch v := v.(type) {
	case string:
		if s.Type != "string" {
			return "a string"
		}
	case []any:
		if s.Type != "array" || len(v) < s.MinItems {
			return "an array"
		}
		for _, item := range v {
			if fault := s.Items.fault(item); fault != "" {
				return fault
			}
		}
	case map[string]any:
		if s.Type != "object" {
			return "an object"
		}
		for _, key := range s.Required {
			if _, ok := v[key]; !ok {
				return key + " is missing"
			}
		}
		for key, value := range v {
			property, ok := s.Properties[key]
			if !ok {
				return key + " is unknown"
			}
			if fault := property.fault(value); fault != "" {
				return key + ": " + fault
			}
		}
	default:
		return "of another type"
	}
	return ""
}

func TestSchemasAreThoseOfTheDocument(t *testing.T) {
	params := map[string]string{
		"memory_read": "path", "memory_write": "path content", "memory_patch": "path patches", "memory_append": "path entry [summary]", "memory_list": "",
	}
	for _, tool := range openNotes(t, nil, nil).Tools() {
		var plain map[string]any
		require.NoError(t, json.Unmarshal(tool.Schema, &plain))
		assert.NotNil(t, plain["properties"], "some APIs ask for it")
		s := schemaOf(t, tool)
		assert.Equal(t, "object", s.Type)
		assert.False(t, *s.AdditionalProperties)
		var keys []string
		for key, property := range s.Properties {
			if !slices.Contains(s.Required, key) {
				key = "[" + key + "]"
			}
			keys = append(keys, key)
			assert.NotEmpty(t, property.Description+property.Type, "%s.%s", tool.Name, key)
			assert.Equal(t, key == "patches", property.Type == "array", "%s.%s", tool.Name, key)
		}
		assert.ElementsMatch(t, strings.Fields(params[tool.Name]), keys, tool.Name)
		assert.NotEmpty(t, tool.Description)
	}
	patch := schemaOf(t, toolNamed(t, openNotes(t, nil, nil).Tools(), "memory_patch")).Properties["patches"]
	assert.Equal(t, 1, patch.MinItems)
	assert.Equal(t, []string{"oldText", "newText"}, patch.Items.Required)
	assert.Equal(t, []string{"newText", "oldText"}, slices.Sorted(maps.Keys(patch.Items.Properties)))
}

// TestCallTakesWhatTheSchemaAllows gives each tool arguments with and without each key, and of each type.
func TestCallTakesWhatTheSchemaAllows(t *testing.T) {
	values := []any{"facts/user.md", 1, true, nil, []any{}, map[string]any{}, []any{map[string]any{"oldText": "A", "newText": "B"}},
		[]any{map[string]any{"oldText": "A"}}, []any{map[string]any{"oldText": "A", "newText": 1}}, []any{map[string]any{"oldText": "A", "newText": "", "x": ""}}, []any{"x"}}
	for _, name := range toolNames(openNotes(t, nil, nil).Tools()) {
		schema := schemaOf(t, toolNamed(t, openNotes(t, nil, nil).Tools(), name))
		good := map[string]any{"path": "facts/user.md", "content": "- A: b", "entry": "## A", "summary": "s", "patches": values[6]}
		for key := range good {
			if _, ok := schema.Properties[key]; !ok {
				delete(good, key)
			}
		}
		try := func(args map[string]any) {
			n := openNotes(t, nil, nil)
			write(t, n.store, "facts/user.md", "A")
			tools := n.Tools()
			calls(t, tools, "memory_read", `{"path":"facts/user.md"}`)
			raw, err := json.Marshal(args)
			require.NoError(t, err)
			var back map[string]any
			require.NoError(t, json.Unmarshal(raw, &back))
			_, err = toolNamed(t, tools, name).Call(t.Context(), raw)
			if fault := schema.fault(back); fault == "" {
				assert.NoError(t, err, "%s %s", name, raw)
			} else if v, ok := args["summary"]; !ok || v != nil { // null is as good as nothing
				if _, object := args["patches"].(map[string]any); !object {
					assert.ErrorIs(t, err, ErrInvalid, "%s %s: %s", name, raw, fault)
				}
			}
		}
		try(good)
		for key := range good {
			args := maps.Clone(good)
			delete(args, key)
			try(args)
			for _, v := range values {
				args[key] = v
				try(args)
			}
		}
		if args := maps.Clone(good); len(args) > 0 { // memory_list takes whatever it is given
			args["other"] = "x"
			try(args)
		}
	}
}

func TestArgumentsThatCannotBeRead(t *testing.T) {
	n := openNotes(t, nil, nil)
	write(t, n.store, "facts/user.md", userFacts)
	for _, c := range []struct{ tool, args, msg string }{
		{"memory_read", ``, "path is missing; give a JSON object with path"},
		{"memory_read", `{}`, "path is missing; give a JSON object with path"},
		{"memory_read", `null`, "path is missing; give a JSON object with path"},
		{"memory_read", `{"path":null}`, "path is missing; give a JSON object with path"},
		{"memory_read", `{"Path":"facts/user.md"}`, "path is missing; give a JSON object with path"},
		{"memory_read", `{"path":1}`, "arguments cannot be read: path is of type number: want a string; give a JSON object with path"},
		{"memory_read", `{"path":["facts/user.md"]}`, "arguments cannot be read: path is of type array: want a string; give a JSON object with path"},
		{"memory_read", `"facts/user.md"`, "arguments cannot be read: a value is of type string: want an object; give a JSON object with path"},
		{"memory_read", `[]`, "arguments cannot be read: a value is of type array: want an object; give a JSON object with path"},
		{"memory_read", `{"path":"a.md"`, "arguments cannot be read: unexpected end of JSON input; give a JSON object with path"},
		{"memory_read", `{"path":"a.md"}{}`, "arguments cannot be read: invalid character '{' after top-level value; give a JSON object with path"},
		{"memory_read", `{"path":"a.md","file":"b"}`, `arguments cannot be read: unknown field "file"; give a JSON object with path`},
		{"memory_write", `{"path":"facts/user.md"}`, "content is missing; give a JSON object with path and content"},
		{"memory_write", `{"content":"x"}`, "path is missing; give a JSON object with path and content"},
		{"memory_write", `{"path":"facts/user.md","content":{"a":1}}`, "arguments cannot be read: content is of type object: want a string; give a JSON object with path and content"},
		{"memory_append", `{"path":"episodes/2026-02.md"}`, "entry is missing; give a JSON object with path and entry"},
		{"memory_append", `{"path":"episodes/2026-02.md","entry":"x","summary":2}`, "arguments cannot be read: summary is of type number: want a string; give a JSON object with path and entry"},
		{"memory_patch", `{"path":"facts/user.md"}`, "patches is missing; give a JSON object with path and patches"},
		{"memory_patch", `{"path":"facts/user.md","patches":[]}`, "patches is empty: give at least one {oldText, newText}"},
		{"memory_patch", `{"path":"facts/user.md","patches":[{"oldText":"x"}]}`,
			"arguments cannot be read: patches: patch 1 has no newText; give \"\" to take the text out; give a JSON object with path and patches"},
		{"memory_patch", `{"path":"facts/user.md","patches":[{"oldText":"x","newText":"y"},{"newText":"y"}]}`,
			"arguments cannot be read: patches: patch 2 has no oldText: want [{\"oldText\": \"…\", \"newText\": \"…\"}]; give a JSON object with path and patches"},
		{"memory_patch", `{"path":"facts/user.md","patches":[{"oldText":"x","newText":"y","line":3}]}`,
			`arguments cannot be read: patches: unknown field "line": want [{"oldText": "…", "newText": "…"}]; give a JSON object with path and patches`},
		{"memory_patch", `{"path":"facts/user.md","patches":[{"oldText":"x","newText":3}]}`,
			"arguments cannot be read: patches: newText is of type number: want a string: want [{\"oldText\": \"…\", \"newText\": \"…\"}]; give a JSON object with path and patches"},
		{"memory_patch", `{"path":"facts/user.md","patches":["x"]}`,
			"arguments cannot be read: patches: a value is of type string: want an object: want [{\"oldText\": \"…\", \"newText\": \"…\"}]; give a JSON object with path and patches"},
		{"memory_patch", `{"path":"facts/user.md","patches":7}`,
			"arguments cannot be read: patches: a value is of type number: want a list: want [{\"oldText\": \"…\", \"newText\": \"…\"}]; give a JSON object with path and patches"},
		{"memory_patch", `{"path":"facts/user.md","patches":"Zhang"}`,
			"arguments cannot be read: patches is a text and not a list: want [{\"oldText\": \"…\", \"newText\": \"…\"}]; give a JSON object with path and patches"},
		{"memory_patch", `{"path":"facts/user.md","patches":"[] []"}`,
			"arguments cannot be read: patches is a text and not a list: want [{\"oldText\": \"…\", \"newText\": \"…\"}]; give a JSON object with path and patches"},
	} {
		assert.Equal(t, c.tool+": "+c.msg, fails(t, n.Tools(), c.tool, c.args), c.args)
	}
	assert.Equal(t, userFacts, noteOf(t, n, "facts/user.md"))
}

func TestPatchesInOtherForms(t *testing.T) {
	for _, patches := range []string{
		`[{"oldText":"Zhang San","newText":"Li Si"}]`,
		`{"oldText":"Zhang San","newText":"Li Si"}`,
		`"[{\"oldText\":\"Zhang San\",\"newText\":\"Li Si\"}]"`,
		`" {\"oldText\":\"Zhang San\",\"newText\":\"Li Si\"}\n"`,
	} {
		n := openNotes(t, nil, nil)
		write(t, n.store, "facts/user.md", userFacts)
		assert.Equal(t, `{"success":true,"appliedCount":1}`, calls(t, n.Tools(), "memory_patch", `{"path":"facts/user.md","patches":`+patches+`}`))
		assert.Equal(t, strings.Replace(userFacts, "Zhang San", "Li Si", 1), noteOf(t, n, "facts/user.md"), patches)
	}
}

func TestErrorsTellAModelHowToMendItsCall(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{Now: injectClock, MaxFacts: 300, MaxFile: 400})
	assert.Equal(t, "memory_read: facts/user.md does not exist; there are no files yet", fails(t, n.Tools(), "memory_read", `{"path":"facts/user.md"}`))
	write(t, n.store, "facts/user.md", userFacts)
	write(t, n.store, "people/alice.md", strings.Repeat("x", 401))
	for _, c := range []struct {
		tool, args, msg string
		err             error
	}{
		{"memory_read", `{"path":"facts/users.md"}`, "facts/users.md does not exist; the files are facts/user.md", fs.ErrNotExist},
		{"memory_read", `{"path":"people/alice.md"}`, "people/alice.md has 401 bytes, and at most 400 can be read: a person has to divide it", ErrTooLarge},
		{"memory_read", `{"path":"/etc/passwd"}`,
			`path "/etc/passwd": not a relative path of parts with one slash between them; give a path such as facts/user.md or episodes/2026-02.md`, ErrUnsafeName},
		{"memory_write", `{"path":"episodes/notes.md","content":"x"}`,
			`path "episodes/notes.md": an episode file is named for its month, such as episodes/2026-03.md`, ErrInvalid},
		{"memory_write", `{"path":"facts/user.md","content":" "}`, "facts/user.md: content is empty; nothing was written. Single facts are taken out with memory_patch, and a file by a person only", ErrInvalid},
		{"memory_patch", `{"path":"facts/users.md","patches":[{"oldText":"a","newText":"b"}]}`, "facts/users.md does not exist, so there is nothing to patch: memory_write makes it; the files are facts/user.md", fs.ErrNotExist},
		{"memory_patch", `{"path":"facts/user.md","patches":[{"oldText":"Name: Zhang Sen","newText":"b"}]}`,
			`facts/user.md: oldText "Name: Zhang Sen" is not in the file; the nearest line is 5: "- Name: Zhang San"; nothing was changed`, ErrInvalid},
		{"memory_patch", `{"path":"facts/user.md","patches":[{"oldText":"- ","newText":"b"}]}`,
			`facts/user.md: oldText "- " occurs 4 times, in lines 5, 6, 7 and 8; give more of the text around the one you mean. Nothing was changed`, ErrInvalid},
		{"memory_append", `{"path":"facts/user.md","entry":"` + strings.Repeat("x", 200) + `"}`,
			"all facts together would have 371 bytes, and may have 300; facts/user.md would have 371 (now: 169). Condense first: " +
				"merge what says the same and remove what is out of date, with memory_patch or memory_write, and then try again", ErrTooLarge},
	} {
		_, err := toolNamed(t, n.Tools(), c.tool).Call(t.Context(), json.RawMessage(c.args))
		assert.ErrorIs(t, err, c.err, c.args)
		assert.EqualError(t, err, c.tool+": "+c.msg, c.args)
	}
	assert.Equal(t, userFacts, noteOf(t, n, "facts/user.md"))
}

func TestAMissingFileIsToldWithThoseThatAreThere(t *testing.T) {
	n := openNotes(t, nil, nil)
	write(t, n.store, "bad%.md", "x")
	assert.Equal(t, "memory_read: a.md does not exist; there are no files yet", fails(t, n.Tools(), "memory_read", `{"path":"a.md"}`))
	for i := range 12 {
		write(t, n.store, fmt.Sprintf("facts/%02d.md", i), "x")
	}
	assert.Equal(t, "memory_read: a.md does not exist; the files are facts/00.md, facts/01.md, facts/02.md, facts/03.md, facts/04.md, facts/05.md, facts/06.md, "+
		"facts/07.md, facts/08.md, facts/09.md, and 2 more", fails(t, n.Tools(), "memory_read", `{"path":"a.md"}`))
}

func TestAFailingStoreIsToldToTheModel(t *testing.T) {
	boom := errors.New("boom")
	n := openNotes(t, failingStore{NewMapStore(), boom, boom, boom}, nil)
	assert.Equal(t, "memory_list: list notes: boom", fails(t, n.Tools(), "memory_list", ``))
	assert.Equal(t, "memory_read: read note: boom", fails(t, n.Tools(), "memory_read", `{"path":"a.md"}`))
	assert.Equal(t, "memory_write: boom", fails(t, n.Tools(), "memory_write", `{"path":"a.md","content":"x"}`))
	assert.Equal(t, "memory_append: boom", fails(t, n.Tools(), "memory_append", `{"path":"a.md","entry":"x"}`))
	assert.Equal(t, "memory_patch: boom", fails(t, n.Tools(), "memory_patch", `{"path":"a.md","patches":{"oldText":"a","newText":"b"}}`))
}

func TestToolsTellOfAClosedSet(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{Facts: []FactFile{{"facts/user.md", "who the user is"}, {Path: "facts/project.md"}}})
	for _, tool := range n.Tools() {
		const note = " The fact files are facts/user.md (who the user is), facts/project.md; no other fact files can be written."
		assert.Equal(t, tool.Name == "memory_write" || tool.Name == "memory_patch", strings.HasSuffix(tool.Description, note), tool.Name)
	}
	assert.Equal(t, `memory_write: path "facts/x.md" is not one of the files that can be written: facts/user.md (who the user is), facts/project.md and episodes/YYYY-MM.md`,
		fails(t, n.Tools(), "memory_write", `{"path":"facts/x.md","content":"x"}`))
}

const stale = "memory_write: facts/user.md has changed since you saw it: read it again, and write it with what it has now; nothing was written"

func TestAFileThatHasChangedIsNotOverwritten(t *testing.T) {
	const (
		read   = `{"path":"facts/user.md"}`
		write1 = `{"path":"facts/user.md","content":"- A: 1"}`
	)
	n := openNotes(t, nil, nil)
	write(t, n.store, "facts/user.md", userFacts)
	tools := n.Tools()
	calls(t, tools, "memory_read", read)
	write(t, n.store, "facts/user.md", userFacts+"- City: Bern\n")
	assert.Equal(t, stale, fails(t, tools, "memory_write", write1))
	assert.Equal(t, stale, fails(t, tools, "memory_write", write1), "to try again is not to read")
	assert.Equal(t, userFacts+"- City: Bern\n", noteOf(t, n, "facts/user.md"))
	calls(t, n.Tools(), "memory_read", read) // by another conversation
	assert.Equal(t, stale, fails(t, tools, "memory_write", write1))
	calls(t, tools, "memory_patch", `{"path":"facts/user.md","patches":{"oldText":"Zhang","newText":"Li"}}`)
	assert.Equal(t, stale, fails(t, tools, "memory_write", write1), "a patch of what is not known shows nothing")
	calls(t, tools, "memory_read", read)
	calls(t, tools, "memory_write", write1)
	assert.Contains(t, noteOf(t, n, "facts/user.md"), "- A: 1")
}

func TestOwnWritesAreNoChanges(t *testing.T) {
	n := openNotes(t, nil, nil)
	write(t, n.store, "facts/user.md", strings.ReplaceAll(userFacts, "\n", "\r\n"))
	tools := n.Tools()
	calls(t, tools, "memory_read", `{"path":"facts/user.md"}`)
	for i := range 3 {
		calls(t, tools, "memory_patch", `{"path":"facts/user.md","patches":{"oldText":"# User","newText":"# The User"}}`)
		calls(t, tools, "memory_append", `{"path":"facts/user.md","entry":"- More: x"}`)
		calls(t, tools, "memory_append", `{"path":"facts/user.md","entry":"- More: x"}`)
		calls(t, tools, "memory_write", fmt.Sprintf(`{"path":"facts/user.md","content":"# User Facts\n- A: %d"}`, i))
	}
	assert.Contains(t, noteOf(t, n, "facts/user.md"), "\r\n- A: 2\r\n")
}

func TestAFileThatIsGoneCanBeWrittenOnceThatIsKnown(t *testing.T) {
	store := NewMapStore()
	n := openNotes(t, store, nil)
	tools := n.Tools()
	calls(t, tools, "memory_write", `{"path":"facts/user.md","content":"- A: 1"}`)
	require.NoError(t, Remove(t.Context(), store, "facts/user.md"))
	assert.Equal(t, stale, fails(t, tools, "memory_write", `{"path":"facts/user.md","content":"- A: 2"}`))
	assert.Equal(t, "memory_read: facts/user.md does not exist; there are no files yet", fails(t, tools, "memory_read", `{"path":"facts/user.md"}`))
	calls(t, tools, "memory_write", `{"path":"facts/user.md","content":"- A: 2"}`)
}

func TestAFileThatSomebodyElseHasMadeIsNotOverwritten(t *testing.T) {
	n := openNotes(t, nil, nil)
	tools := n.Tools()
	fails(t, tools, "memory_read", `{"path":"facts/user.md"}`)
	write(t, n.store, "facts/user.md", userFacts)
	assert.Equal(t, stale, fails(t, tools, "memory_write", `{"path":"facts/user.md","content":"- A: 2"}`))
}

func TestWhatIsAppendedTwiceIsThereOnce(t *testing.T) {
	const again = `{"success":true}`
	for _, c := range []struct{ name, path, first, second string }{
		{"an entry", "episodes/2026-02.md", loggerEntry, loggerEntry},
		{"other spaces", "episodes/2026-02.md", loggerEntry, "\n\n" + strings.ReplaceAll(loggerEntry, "\n", "  \r\n\r\n") + "\n"},
		{"another level", "episodes/2026-02.md", "# A\nx", "### A\nx"},
		{"without a heading", "episodes/2026-02.md", "- Summary: s\n- x", "- Summary: s\n- x"},
		{"two entries at once", "episodes/2026-02.md", "## A\nx\n\n## B\ny", "## A\nx\n\n## B\ny"},
		{"a fence left open", "episodes/2026-02.md", "## A\n```\nx", "## A\n```\nx"},
		{"to facts", "facts/user.md", "- A: b", "- A: b"},
	} {
		n := openNotes(t, nil, nil)
		tools := n.Tools()
		add := func(entry string) string {
			args, err := json.Marshal(map[string]string{"path": c.path, "entry": entry})
			require.NoError(t, err)
			return calls(t, tools, "memory_append", string(args))
		}
		assert.Equal(t, `{"success":true}`, add(c.first), c.name)
		before := noteOf(t, n, c.path)
		assert.Equal(t, again, add(c.second), c.name)
		assert.Equal(t, before, noteOf(t, n, c.path), c.name)
		if isEpisode(c.path) {
			assert.Equal(t, `{"success":true}`, add("## Z"), c.name)
			assert.Equal(t, again, add(c.second), "%s, further up", c.name)
		}
		assert.Equal(t, `{"success":true}`, add(c.first+" and more"), c.name)
	}
}

func TestWhatIsAlikeIsAppended(t *testing.T) {
	n := openNotes(t, nil, nil)
	tools := n.Tools()
	for path, entries := range map[string][]string{
		"episodes/2026-02.md": {"## A\n- x\n- y", "## A\n- x", "## A", "## A\n- x\n- y\n- z", "# B\n## A", "## x", "- x"},
		"people/alice.md":     {"## Work\n- tea", "## Home", "- tea", "## Home\n- coffee", "a"},
	} {
		for _, entry := range entries {
			args, err := json.Marshal(map[string]string{"path": path, "entry": entry})
			require.NoError(t, err)
			assert.Equal(t, `{"success":true}`, calls(t, tools, "memory_append", string(args)), entry)
		}
	}
}

func TestMemoryListStaysSmall(t *testing.T) {
	for _, c := range []struct {
		files  int
		format string
	}{{3000, "facts/%04d.md"}, {3000, "episodes/%04d-01.md"}, {800, "people/%04d" + strings.Repeat("é", 100) + ".md"}, {1, "%d.md"}} {
		store := NewMapStore()
		n := openNotes(t, store, nil)
		for i := range c.files {
			write(t, store, fmt.Sprintf(c.format, i), "> Summary: "+strings.Repeat(`"<é>`, 10))
		}
		result := calls(t, n.ReadTools(), "memory_list", `{}`)
		assert.LessOrEqual(t, len(result), 64<<10)
		var notes []Note
		require.NoError(t, json.Unmarshal([]byte(result), &notes))
		if c.files == 1 {
			assert.Len(t, notes, 1)
			continue
		}
		last := notes[len(notes)-1]
		left := c.files - len(notes) + 1
		assert.Equal(t, Note{Path: "…", Summary: fmt.Sprintf("%d more files that this list has no room for", left), Size: 61 * left}, last)
		assert.Greater(t, len(result), 64<<10-700, "there is no more left out than must be")
		kept := fmt.Sprintf(c.format, 0)
		if strings.HasPrefix(kept, "episodes") {
			kept = fmt.Sprintf(c.format, c.files-1)
			assert.Equal(t, kept, notes[len(notes)-2].Path, "the newest")
		} else {
			assert.Equal(t, kept, notes[0].Path)
		}
	}
}

// TestMemoryListToTheByte has the list end at each place around its limit.
func TestMemoryListToTheByte(t *testing.T) {
	notes := make([]Note, 600)
	for i := range notes {
		notes[i] = Note{Path: fmt.Sprintf("facts/%03d.md", i), Summary: strings.Repeat("x", 60)}
	}
	for more := range 400 {
		notes[0].Summary = strings.Repeat("x", more)
		require.LessOrEqual(t, len(listResult(notes)), maxList)
	}
}

func TestAToolboxAsksItsVet(t *testing.T) {
	n := openNotes(t, nil, nil)
	box := n.newToolbox()
	box.vet = func(path string) vet {
		return func(before, after string) (string, error) {
			if strings.Contains(after, "token") {
				return "", refuse(ErrInvalid, "%s: not this", path)
			}
			return after, nil
		}
	}
	assert.Equal(t, "memory_write: facts/user.md: not this", fails(t, box.tools(), "memory_write", `{"path":"facts/user.md","content":"- A token: x"}`))
	assert.Equal(t, "memory_append: facts/user.md: not this", fails(t, box.tools(), "memory_append", `{"path":"facts/user.md","entry":"- A token: x"}`))
	assert.Empty(t, noteOf(t, n, "facts/user.md"))
	calls(t, box.tools(), "memory_write", `{"path":"facts/user.md","content":"- A: x"}`)
	assert.Equal(t, "memory_patch: facts/user.md: not this", fails(t, box.tools(), "memory_patch", `{"path":"facts/user.md","patches":{"oldText":"A","newText":"A token"}}`))
	assert.Contains(t, noteOf(t, n, "facts/user.md"), "- A: x\n")
}
