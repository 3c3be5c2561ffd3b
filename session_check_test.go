package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkedFile has one entry of each kind, and nothing wrong with it.
const checkedFile = sessionHead + `discoveries:
  - id: discovery-001
    timestamp: 2026-02-12T10:00:00Z
    type: code_pattern
    importance: high
    content: Middleware.
attempts:
  - id: attempt-001
    timestamp: 2026-02-12T11:00:00Z
    description: Add a login
    result: in_progress
    subTasks:
      - description: Route
        status: pending
decisions:
  - id: decision-001
    timestamp: 2026-02-12T10:30:00Z
    type: skip
    description: No OAuth2
    impact: low
    relatedDiscoveries:
      - discovery-001
context:
  filesInScope:
    - path: login.go
      status: complete
`

// checkSession gives what Check says at noon of a file and, where it is not empty, an archive.
func checkSession(t *testing.T, file, archive string) []Problem {
	t.Helper()
	store := NewMapStore()
	s := openSession(t, store, nil)
	write(t, store, sessionPath, file)
	if archive != "" {
		write(t, store, archivePath, archive)
	}
	problems, err := s.Check(context.Background())
	require.NoError(t, err)
	return problems
}

func problemLines(problems []Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sessionCheckTests are changes to checkedFile, each with what Check then says.
// Lines count from 1: the head has five, the entries begin at 7, 13 and 21, the context at 28.
var sessionCheckTests = []struct{ name, old, new, want string }{
	{"nothing wrong", "", "", ""},
	{"unknown keys", "    content:", "    colour: blue\n    content:", ""},
	{"comments and blank lines move the lines", "discoveries:\n", "# found\n\ndiscoveries:\n  - {}\n",
		`agent-memory.yaml:9: error: discoveries[0]: id, timestamp, type, content: missing`},

	{"unknown type of a discovery", "code_pattern", "pattern",
		`agent-memory.yaml:9: error: discoveries[0].type: "pattern" is none of codebase_structure, dependency_check, code_pattern, api_surface, data_model, complexity_assessment, failure_cause, solution_verified`},
	{"unknown importance", "importance: high", "importance: urgent",
		`agent-memory.yaml:10: error: discoveries[0].importance: "urgent" is none; want low, medium, high or critical`},
	{"importance in capitals", "importance: high", "importance: HIGH", `agent-memory.yaml:10: warning: discoveries[0].importance: "HIGH" is read as high`},
	{"unknown status of the step", "context:", "context:\n  planStepStatus: soon", `agent-memory.yaml:29: warning: context.planStepStatus: "soon" is none of pending, in_progress, complete`},
	{"number below zero", "    subTasks:", "    duration_ms: -5\n    subTasks:", `agent-memory.yaml:17: warning: attempts[0].duration_ms: -5 is less than 0`},
	{"unknown result", "in_progress", "failed", `agent-memory.yaml:16: error: attempts[0].result: "failed" is none of success, failure, partial, in_progress`},
	{"result in capitals", "in_progress", "In_Progress", `agent-memory.yaml:16: warning: attempts[0].result: "In_Progress" is read as in_progress`},
	{"unknown status of a part", "status: pending", "status: todo", `agent-memory.yaml:19: warning: attempts[0].subTasks[0].status: "todo" is none of pending, in_progress, complete`},
	{"unknown status of a later part", "    subTasks:\n", "    subTasks:\n      - {description: Model, status: complete}\n      - {description: Table, status: started}\n",
		`agent-memory.yaml:19: warning: attempts[0].subTasks[1].status: "started" is none of pending, in_progress, complete`},
	{"unknown type of a decision", "type: skip", "type: guess", `agent-memory.yaml:23: error: decisions[0].type: "guess" is none of architectural, implementation, skip, workaround, compromise`},
	{"unknown impact", "impact: low", "impact: none", `agent-memory.yaml:25: error: decisions[0].impact: "none" is none; want low, medium, high or critical`},
	{"unknown status of a file", "status: complete", "status: done", `agent-memory.yaml:31: warning: context.filesInScope[0].status: "done" is none of pending, in_progress, complete`},

	{"value that does not fit", "    subTasks:", "    planStep: two\n    subTasks:", `agent-memory.yaml:17: error: attempts[0].planStep: want a whole number, not "two"`},
	{"value that is a list", "type: skip", "type: [skip]", `agent-memory.yaml:23: error: decisions[0].type: want a single value, not a list or a map`},
	{"timestamp that is none", "timestamp: 2026-02-12T10:00:00Z", "timestamp: yesterday",
		`agent-memory.yaml:8: error: discoveries[0].timestamp: "yesterday" is no time; want one like 2026-01-23T10:31:05.000Z`},
	{"entry that is a text", "discoveries:\n", "discoveries:\n  - Middleware.\n", `agent-memory.yaml:7: error: discoveries[0]: want keys and values`},
	{"entry that is a list", "discoveries:\n", "discoveries:\n  - [a, b]\n", `agent-memory.yaml:7: error: discoveries[0]: want keys and values`},
	{"list of the context that is a map", "filesInScope:", "blockers: {a: b}\n  filesInScope:", `agent-memory.yaml:29: error: context.blockers: want a list`},

	{"discovery without content", "    content: Middleware.\n", "", `agent-memory.yaml:7: error: discoveries[0]: content: missing`},
	{"attempt without result", "    result: in_progress\n", "", `agent-memory.yaml:13: error: attempts[0]: result: missing`},
	{"attempt of blank description", "Add a login", "' '", `agent-memory.yaml:13: error: attempts[0]: description: missing`},
	{"decision without id and type", "id: decision-001\n    timestamp: 2026-02-12T10:30:00Z\n    type: skip", "timestamp: 2026-02-12T10:30:00Z",
		`agent-memory.yaml:21: error: decisions[0]: id, type: missing`},
	{"entry of null", "discoveries:\n", "discoveries:\n  -\n", `agent-memory.yaml:7: error: discoveries[0]: id, timestamp, type, content: missing`},
	{"empty lists", checkedFile[strings.Index(checkedFile, "attempts:"):], "attempts: []\ndecisions:\ncontext: {}\n", ""},

	{"id given twice", "attempts:\n", `  - id: discovery-001
    timestamp: 2026-02-12T10:00:00Z
    type: code_pattern
    content: Another.
attempts:
`, `agent-memory.yaml:12: error: discoveries[1].id: "discovery-001" is given twice, first in agent-memory.yaml:7; rename one`},
	{"the same entry given twice", "attempts:\n", checkedFile[strings.Index(checkedFile, "  - id: discovery"):strings.Index(checkedFile, "attempts:")] + "attempts:\n",
		`agent-memory.yaml:12: error: discoveries[1].id: "discovery-001" is given twice, first in agent-memory.yaml:7; rename one`},
	{"same id in another kind", "id: attempt-001", "id: discovery-001", ""},
	{"related discovery missing", "      - discovery-001\n", "      - discovery-001\n      - discovery-007\n",
		`agent-memory.yaml:28: warning: decisions[0].relatedDiscoveries: there is no discovery "discovery-007"`},
	{"related discovery as a single text", "\n      - discovery-001\n", " discovery-007\n",
		`agent-memory.yaml:26: warning: decisions[0].relatedDiscoveries: want a list, not a single text
agent-memory.yaml:26: warning: decisions[0].relatedDiscoveries: there is no discovery "discovery-007"`},

	{"attempt that runs for a day", "2026-02-12T11:00:00Z", "2026-02-11T12:00:00Z", ""},
	{"attempt that runs for more than a day", "2026-02-12T11:00:00Z", "2026-02-11T11:59:59Z",
		`agent-memory.yaml:13: warning: attempts[0]: in progress since 2026-02-11T11:59:59Z, for more than 24 hours; finish it`},
	{"attempt that runs for more than a day, without a result", "2026-02-12T11:00:00Z\n    description: Add a login\n    result: in_progress", "2026-02-10T11:00:00Z\n    description: Add a login",
		`agent-memory.yaml:13: error: attempts[0]: result: missing
agent-memory.yaml:13: warning: attempts[0]: in progress since 2026-02-10T11:00:00Z, for more than 24 hours; finish it`},
	{"attempt that ended long ago", "2026-02-12T11:00:00Z\n    description: Add a login\n    result: in_progress", "2026-01-12T11:00:00Z\n    description: Add a login\n    result: success", ""},

	{"no head", sessionHead, "", `agent-memory.yaml: warning: version, schema, sessionId, agent, createdAt: missing`},
	{"no version", "version: \"1\"\n", "", `agent-memory.yaml: warning: version: missing`},
	{"agent of null", "agent: \"developer\"", "agent: null", `agent-memory.yaml: warning: agent: missing`},
	{"another session's file", "abc1def2", "abc1def3", `agent-memory.yaml:3: warning: sessionId: is "20260123-103000-abc1def3-auth-feature", in the directory of "20260123-103000-abc1def2-auth-feature"`},
	{"another agent's file", "\"developer\"", "tester", `agent-memory.yaml:4: error: agent: is "tester" and not "developer"; nothing is written to this file`},

	{"tab as indentation", "  - id: discovery-001", "\t- id: discovery-001", `agent-memory.yaml:7: error: put the value in quotes; indent with spaces, not with tabs (found character that cannot start any token)`},
	{"key twice", "    importance: high\n", "    importance: high\n    importance: high\n", `agent-memory.yaml:11: error: the key "importance" again, which is in line 10 already`},
	{"alias", "code_pattern", "&a code_pattern", `agent-memory.yaml:9: error: YAML anchors (&a) and aliases are not allowed; quote the text if it is none`},
	{"discoveries that are a map", checkedFile[len(sessionHead):], "discoveries: {a: b}\n", `agent-memory.yaml:6: error: discoveries: want a list of entries`},
	{"list as the root", checkedFile, "- a\n", `agent-memory.yaml:1: error: not a map of keys and values`},
	{"later version", `version: "1"`, `version: "2"`, `agent-memory.yaml:1: error: version 2 is later than 1, which this library reads; the file is left alone`},
	{"more than can be read", "Middleware.", strings.Repeat("x", 10<<20), `agent-memory.yaml:1: error: 10486458 bytes; at most 8388608 can be read`},
	{"as much as a session of four hours may have", "Middleware.", strings.Repeat("x", 99<<10), ""},
	{"more than a session should have", "Middleware.", strings.Repeat("x", 101<<10),
		`agent-memory.yaml: warning: 104122 bytes, more than 102400; Archive moves old entries to agent-memory-archive.yaml`},
	{"several, in the order of lines", checkedFile, `decisions:
  - id: decision-001
    type: guess
    timestamp: yesterday
    description: D
    relatedDiscoveries: [a]
agent: developer
attempts: [{}]
`, `agent-memory.yaml: warning: version, schema, sessionId, createdAt: missing
agent-memory.yaml:3: error: decisions[0].type: "guess" is none of architectural, implementation, skip, workaround, compromise
agent-memory.yaml:4: error: decisions[0].timestamp: "yesterday" is no time; want one like 2026-01-23T10:31:05.000Z
agent-memory.yaml:6: warning: decisions[0].relatedDiscoveries: there is no discovery "a"
agent-memory.yaml:8: error: attempts[0]: id, timestamp, description, result: missing`},
}

func TestSessionCheck(t *testing.T) {
	for _, test := range sessionCheckTests {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, checkedFile, test.old)
			file := strings.Replace(checkedFile, test.old, test.new, 1)
			assert.Equal(t, test.want, problemLines(checkSession(t, file, "")))
		})
	}
}

func TestSessionCheckArchive(t *testing.T) {
	list := checkedFile[strings.Index(checkedFile, "discoveries:"):strings.Index(checkedFile, "attempts:")]
	without := strings.Replace(checkedFile, list, "", 1)
	tests := []struct{ name, file, archive, want string }{
		{"related discovery in the archive", without, sessionHead + list, ""},
		{"related discovery nowhere", without, sessionHead, `agent-memory.yaml:21: warning: decisions[0].relatedDiscoveries: there is no discovery "discovery-001"`},
		{"decision in the archive, its discovery in the file", sessionHead + list, sessionHead + "decisions:\n  - {id: d, timestamp: 2026-02-12T10:00:00Z, type: skip, description: D, relatedDiscoveries: [discovery-001]}\n", ""},
		{"entry in both, as an interrupted Archive leaves it", checkedFile, sessionHead + "discoveries:\n  - {id: discovery-001, timestamp: 2026-02-12T10:00:00Z, type: code_pattern, importance: high, content: Middleware.}\n", ""},
		{"id in both, of two entries", checkedFile, sessionHead + strings.Replace(list, "Middleware", "Another", 1),
			`agent-memory-archive.yaml:7: error: discoveries[0].id: "discovery-001" is given twice, first in agent-memory.yaml:7; rename one`},
		{"faults of the archive behind those of the file", strings.Replace(checkedFile, "status: complete", "status: done", 1), strings.Replace(sessionHead, "schema: \"agent-memory\"\n", "", 1) + "context: 1\n",
			`agent-memory.yaml:31: warning: context.filesInScope[0].status: "done" is none of pending, in_progress, complete
agent-memory-archive.yaml: warning: schema: missing
agent-memory-archive.yaml:5: error: context: want keys and values`},
		{"running attempt in the archive", without[:strings.Index(without, "attempts:")], sessionHead + "attempts:\n  - {id: a, timestamp: 2026-02-12T11:00:00Z, description: D, result: in_progress}\n",
			`agent-memory-archive.yaml:7: warning: attempts[0]: has not ended, but is in the archive, where it cannot be finished`},
		{"archive that cannot be read hides no discovery", without, sessionHead + "discoveries: [\n",
			`agent-memory-archive.yaml:7: error: did not find expected node content`},
		{"file that cannot be read does not hide the archive", "a: [", sessionHead + "decisions:\n  - {id: d, timestamp: 2026-02-12T10:00:00Z, type: skip, description: D, impact: huge, relatedDiscoveries: [gone]}\n",
			`agent-memory.yaml:1: error: did not find expected node content
agent-memory-archive.yaml:7: error: decisions[0].impact: "huge" is none; want low, medium, high or critical`},
		{"a large archive is what it is for", checkedFile, sessionHead + strings.Repeat("# x\n", 50<<10), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, problemLines(checkSession(t, test.file, test.archive)))
		})
	}
}

// TestSessionCheckOfWhatIsWritten is that nothing is wrong with what the methods write.
func TestSessionCheckOfWhatIsWritten(t *testing.T) {
	ctx := context.Background()
	s := openSession(t, NewMapStore(), nil)
	found, err := s.AddDiscovery(ctx, Discovery{Type: DataModel, Importance: Critical, Content: "Users.\nRoles.\n"})
	require.NoError(t, err)
	tried, err := s.StartAttempt(ctx, Attempt{Description: "Add a login", PlanStep: 2})
	require.NoError(t, err)
	require.NoError(t, s.Progress(ctx, tried, AttemptProgress{SubTasks: []SubTask{{"Route", "complete"}}}))
	require.NoError(t, s.FinishAttempt(ctx, tried, AttemptEnd{Result: AttemptPartial}))
	_, err = s.AddDecision(ctx, Decision{Type: Compromise, Description: "No OAuth2", RelatedDiscoveries: []string{found}})
	require.NoError(t, err)
	require.NoError(t, s.UpdateContext(ctx, func(c *SessionContext) { c.FilesInScope = []FileInScope{{Path: "a.go", Status: "pending"}} }))
	for range 2 {
		problems, err := s.Check(ctx)
		require.NoError(t, err)
		assert.Empty(t, problems)
		s.now = func() time.Time { return noon.Add(3 * time.Hour) }
		_, err = s.Archive(ctx, time.Hour)
		require.NoError(t, err)
	}
}

func TestSessionCheckOfSecondAgent(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	openSession(t, store, nil)
	s, err := OpenSession(ctx, store, sessionID, "tester", nil)
	require.NoError(t, err)
	write(t, store, sessionID+"/agent-memory.tester.yaml", strings.Replace(sessionHead, "developer", "tester", 1)+"discoveries: [{}]\n")
	problems, err := s.Check(ctx)
	require.NoError(t, err)
	assert.Equal(t, "agent-memory.tester.yaml:6: error: discoveries[0]: id, timestamp, type, content: missing", problemLines(problems))
}

// TestCheckSession: of all agents of a session, also of those that cannot be opened.
func TestCheckSession(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	problems, err := CheckSession(ctx, store, sessionID)
	require.NoError(t, err)
	assert.Empty(t, problems, "there is none")
	named := func(agent string) string { return strings.Replace(sessionHead, "developer", agent, 1) }
	for name, text := range map[string]string{
		"agent-memory.yaml":                 named("developer") + "discoveries:\n  - {id: a, timestamp: 2026-01-01, type: code_pattern, content: \"AKIA" + "Q3EGRU5KPZ7TW2XN\"}\n",
		"agent-memory-archive.yaml":         "history: none\n",
		"agent-memory.tester.yaml":          "a: [\n",
		"agent-memory.planner.yaml":         named("reviewer"),
		"agent-memory.late.yaml":            "version: \"2\"\n",
		"agent-memory-archive.gone.yaml":    named("gone") + "decisions: [{}]\n",
		"agent-memory.schema.yaml":          "type: object\n",
		"agent-memory.d/agent-memory.yaml":  "a: [",
		"plan.yaml":                         "a: [",
		"agent-memory-archive.planner.yaml": named("planner"),
	} {
		write(t, store, sessionID+"/"+name, text)
	}
	problems, err = CheckSession(ctx, store, sessionID)
	require.NoError(t, err)
	assert.Equal(t, `agent-memory-archive.gone.yaml:6: error: decisions[0]: id, timestamp, type, description: missing
agent-memory.late.yaml:1: error: version 2 is later than 1, which this library reads; the file is left alone
agent-memory.planner.yaml:4: error: agent: is "reviewer" and not "planner"; nothing is written to this file
agent-memory.tester.yaml:2: error: did not find expected node content
agent-memory.yaml:7: warning: looks like a secret (aws-key): take it out, and revoke it where it was real
agent-memory-archive.yaml:1: error: history: want a list of entries`, problemLines(problems))

	_, err = CheckSession(ctx, store, "../x")
	assert.ErrorIs(t, err, ErrUnsafeName)
	boom := errors.New("boom")
	for _, failing := range []failingStore{{Store: store, list: boom}, {Store: store, read: boom}} {
		_, err = CheckSession(ctx, failing, sessionID)
		assert.ErrorIs(t, err, boom)
	}
}

func TestSessionCheckErrors(t *testing.T) {
	ctx := context.Background()
	s := openSession(t, NewMapStore(), nil)
	boom := errors.New("boom")
	s.store = failingStore{Store: s.store, read: boom}
	_, err := s.Check(ctx)
	assert.ErrorIs(t, err, boom)
	s.store = NewMapStore()
	_, err = s.Check(ctx)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	s.store = failingStore{Store: s.store, read: fmt.Errorf("65 MiB: %w", ErrTooLarge)}
	problems, err := s.Check(ctx)
	require.NoError(t, err, "what the store cannot read for its size is a problem of the file")
	assert.Equal(t, "agent-memory.yaml: error: 65 MiB\nagent-memory-archive.yaml: error: 65 MiB", problemLines(problems))
}

// FuzzSessionCheck: whatever stands in the file and its archive, the problems are in
// order and in lines that exist, a file that cannot be read is one problem, and nothing is written.
func FuzzSessionCheck(f *testing.F) {
	for _, test := range sessionCheckTests {
		if file := strings.Replace(checkedFile, test.old, test.new, 1); len(file) < 4096 {
			f.Add([]byte(file), []byte(checkedFile))
		}
	}
	f.Fuzz(func(t *testing.T, file, archive []byte) {
		ctx := context.Background()
		store := NewMapStore()
		s := openSession(t, store, nil)
		data := map[string][]byte{s.name: file, s.archive: archive}
		for name, text := range data {
			write(t, s.store, name, string(text))
		}
		problems, err := s.Check(ctx)
		require.NoError(t, err)
		last := Problem{Name: s.name}
		count := make(map[string]int)
		for _, p := range problems {
			require.False(t, p.Name == s.name && last.Name != s.name || p.Name == last.Name && p.Line < last.Line, "%v behind %v", p, last)
			require.LessOrEqual(t, p.Line, 1+bytes.Count(data[p.Name], []byte("\n"))+bytes.Count(data[p.Name], []byte("\r"))+
				strings.Count(string(data[p.Name]), "\u0085")+strings.Count(string(data[p.Name]), "\u2028")+strings.Count(string(data[p.Name]), "\u2029"))
			if p.Severity == SeverityError {
				count[p.Name]++
			}
			last = p
		}
		for name, text := range data {
			kept, err := s.store.Read(ctx, name)
			require.NoError(t, err)
			require.True(t, bytes.Equal(text, kept))
			if _, err := readSession(text); err != nil {
				require.Equal(t, 1, count[name], "%v", problems)
			}
		}
	})
}

func TestProblemString(t *testing.T) {
	tests := map[string]Problem{
		"a.md:3: warning: m":                    {"a", 3, SeverityWarning, "m"},
		"a.md: error: m":                        {"a", 0, SeverityError, "m"},
		"notes.v2.md:3: warning: m":             {"notes.v2", 3, SeverityWarning, "m"},
		"agent-memory.tester.yaml:3: error: m":  {"agent-memory.tester.yaml", 3, SeverityError, "m"},
		"agent-memory-archive.yaml: warning: m": {"agent-memory-archive.yaml", 0, SeverityWarning, "m"},
	}
	for want, p := range tests {
		assert.Equal(t, want, p.String())
	}
}
