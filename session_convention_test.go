package memory

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/rawko/memory/internal/yamledit"
)

// conventionBlocks gives the YAML blocks of the convention, word for word, by file.
func conventionBlocks(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/session/convention/*.yaml")
	require.NoError(t, err)
	require.Len(t, names, 9)
	blocks := make(map[string]string, len(names))
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		blocks[strings.TrimSuffix(filepath.Base(name), ".yaml")] = string(data)
	}
	return blocks
}

// conventionTime gives a time of the day of the convention's examples.
func conventionTime(clock string) time.Time {
	t, err := time.Parse(time.RFC3339, "2026-01-23T"+clock+"Z")
	if err != nil {
		return time.Time{} // no test expects it
	}
	return t
}

// conventionMemories is what the blocks say, read by a person.
var conventionMemories = map[string]SessionMemory{
	"versioning": {Version: "1", Schema: "agent-memory"},
	"file-format": {Version: "1", Schema: "agent-memory", SessionID: "20260123-103000-abc1def2-auth-feature", Agent: "developer",
		CreatedAt: conventionTime("10:31:05")},
	"discoveries": {Discoveries: []Discovery{
		{ID: "discovery-001", Timestamp: conventionTime("10:31:10"), Type: CodebaseStructure, Importance: High,
			Content: "Project uses TypeScript with Deno.\n- src/\n  - api/ - Express routes\n  - auth/ - Authentication (partially exists)\n" +
				"  - models/ - Data types\nAuthentication module exists but incomplete.\nShould extend rather than replace.\n",
			RelatedFiles: []string{"src/auth/", "src/api/middleware.ts"}, ActionItems: []string{}},
		{ID: "discovery-002", Timestamp: conventionTime("10:31:25"), Type: DependencyCheck, Importance: High,
			Content: "Dependencies available:\n- jsonwebtoken@9.0.0 (for JWT)\n- bcrypt@5.1.0 (for password hashing)\n" +
				"- express-session@1.17.0 (for sessions)\n\nNo additional dependencies needed for basic auth.\n",
			ActionItems: []string{"Can proceed without npm install"}},
		{ID: "discovery-003", Timestamp: conventionTime("10:31:45"), Type: CodePattern, Importance: Medium,
			Content: "Middleware pattern used in project:\n- Express middleware functions\n- Return 401 status on auth failure\n" +
				"- Pass user info via req.user\n- Use try/catch for errors\n\nThis pattern should be followed in auth middleware.\n",
			RelatedFiles: []string{"src/api/middleware.ts"},
			ActionItems:  []string{"Follow existing middleware pattern", "Set req.user for authenticated requests"}},
		{ID: "discovery-004", Timestamp: conventionTime("10:32:15"), Type: ComplexityAssessment, Importance: Medium,
			Content: "Task complexity: 5 steps across 3 files\n- Middleware: straightforward, existing pattern\n" +
				"- Login endpoint: standard implementation\n- Sessions: requires understanding session store\n\n" +
				"Risk: Session store integration may have gotchas\n",
			ActionItems: []string{"Test session store carefully", "May need tester agent for validation"}},
	}},
	"attempts": {Attempts: []Attempt{
		{ID: "attempt-001", Timestamp: conventionTime("10:31:05"), PlanStep: 1, Description: "Implement authentication middleware",
			Approach: "Create src/auth/middleware.ts with:\n- Bearer token validation\n- User extraction from token\n- Error handling\n",
			Commands: []string{"Create file: src/auth/middleware.ts", "Implement middleware function", "Test with curl"},
			Result:   AttemptSuccess,
			Output: "Created middleware.ts with 45 lines of code.\nHandles JWT validation and passes user to req.user.\n" +
				"Tested with local curl - working correctly.\n",
			Artifacts: []Artifact{{Path: "src/auth/middleware.ts", Action: "create", Status: "success",
				Content: "import jwt from \"jsonwebtoken\";\n\nexport function authMiddleware(req, res, next) {\n  ...\n}\n"}},
			DurationMS: 85000, Iterations: 1, TokensUsed: &TokensUsed{Input: 2100, Output: 1230}},
		{ID: "attempt-002", Timestamp: conventionTime("10:33:00"), PlanStep: 2, Description: "Implement login endpoint",
			Approach: "Create src/auth/login.ts with:\n- Accept username/password\n- Validate against users\n- Generate JWT token\n",
			Result:   AttemptInProgress, Status: "working", Progress: "60%",
			SubTasks: []SubTask{{"Create login route", "complete"}, {"Implement password validation", "complete"},
				{"Generate JWT token", "in_progress"}, {"Test endpoint", "pending"}},
			NextStep: "Complete token generation and test"},
	}},
	"decisions": {Decisions: []Decision{
		{ID: "decision-001", Timestamp: conventionTime("10:31:00"), Type: Architectural, Description: "Choose JWT over session-based auth",
			Reasoning: "- Task explicitly mentions JWT\n- Simpler than session store for MVP\n- Scalable for multi-server deployments\n",
			Alternatives: []Alternative{{"Session-based auth", "Not chosen - more complex, less scalable"},
				{"OAuth2", "Not chosen - scope too large for this task"}},
			Impact: High, Reversible: new(true), RelatedDiscoveries: []string{"discovery-002", "discovery-003"}},
		{ID: "decision-002", Timestamp: conventionTime("10:31:30"), Type: Implementation, Description: "Extend existing auth module instead of replacing",
			Reasoning: "- Code already exists at src/auth/\n- Partial implementation provides foundation\n- Consistent with codebase patterns\n",
			Impact:    Medium, RelatedDiscoveries: []string{"discovery-001"}},
	}},
	"context": {Context: &SessionContext{
		CurrentPlanStep: 2, PlanStepStatus: "in_progress",
		FilesInScope: []FileInScope{{"src/auth/middleware.ts", "complete", "Token validation"},
			{"src/auth/login.ts", "in_progress", "Login endpoint"}, {"src/auth/types.ts", "pending", "Type definitions"}},
		CodebaseUnderstanding: &CodebaseUnderstanding{MainLanguage: "TypeScript", Runtime: "Deno", Framework: "Express",
			ExistingPatterns: []string{"Middleware functions", "Error handling with try/catch", "Type safety with interfaces"}},
		TaskContext:   map[string]any{"authType": "JWT", "passwordHashing": "bcrypt", "tokenExpiration": "24h"},
		Constraints:   []string{"No new dependencies allowed (all available)", "Must follow existing patterns", "Session store integration critical"},
		OpenQuestions: []string{"Session store integration working correctly?", "Password validation following best practices?", "Token refresh strategy needed?"},
		NextSteps:     []string{"Complete login endpoint implementation", "Create session management functions", "Write integration tests"},
		Blockers:      []string{},
		Assumptions:   []string{"Users table already exists", "Password field is hashed in database"},
	}},
	"example-1-discovery-flow": {Discoveries: []Discovery{
		{ID: "disc-auth-001", Timestamp: conventionTime("10:31:10"), Type: CodebaseStructure, Importance: High,
			Content: "Authentication needs:\n1. Middleware for token validation\n2. Login endpoint for token generation\n3. User/password verification\n\n" +
				"Existing: src/auth/ directory with some utilities\nNeed: Complete middleware and login logic\n",
			RelatedFiles: []string{"src/auth/", "src/auth/types.ts", "src/api/middleware.ts"}},
	}},
	"example-2-failed-attempt": {Attempts: []Attempt{
		{ID: "attempt-oauth", Timestamp: conventionTime("10:35:00"), PlanStep: 2, Description: "Add OAuth2 integration",
			Approach: "Integrate with Google OAuth for authentication\nSimpler than manual password handling\n",
			Result:   AttemptFailure,
			Error: "OAuth scope too broad for task requirements.\nTask specifically asks for JWT-based auth, not OAuth.\n" +
				"Attempted approach misaligned with requirements.\n",
			Lessons: "- Should have read requirements more carefully\n- OAuth is a viable approach but not for this task\n" +
				"- Stick to JWT as specified in task\n",
			NextAttempt: "Return to JWT implementation"},
	}},
	"example-3-architecture-decision": {Decisions: []Decision{
		{ID: "dec-jwt-strategy", Timestamp: conventionTime("10:31:00"), Type: Architectural, Description: "JWT-based authentication strategy",
			Reasoning: "- Task explicitly requires JWT\n- Available libraries: jsonwebtoken, bcrypt\n- No existing session store infrastructure\n" +
				"- Simpler for stateless microservices\n",
			Alternatives: []Alternative{{Name: "Session-based auth (complexity vs. simplicity)"}, {Name: "OAuth2 (scope too large)"},
				{Name: "API keys (not user-centric)"}},
			Impact: High, Reversible: new(false), RelatedDiscoveries: []string{"disc-auth-001", "disc-deps-001"}},
	}},
}

func TestConventionBlocksAreReadWithoutLoss(t *testing.T) {
	for name, block := range conventionBlocks(t) {
		t.Run(name, func(t *testing.T) {
			d, err := readSession([]byte(block))
			require.NoError(t, err)
			var m SessionMemory
			for _, fault := range decodeNode(d.Root(), &m) {
				assert.Empty(t, fault.path, "only the head is missing, of a block that is a part of a file")
			}
			want, known := conventionMemories[name]
			require.True(t, known)
			assert.Equal(t, want, m)
		})
	}
}

// TestConventionBlocksSurviveAFullWrite writes what was read as a new file and reads that.
// What stands there as null or as an empty list is then not written: it says the same.
func TestConventionBlocksSurviveAFullWrite(t *testing.T) {
	for name, file := range conventionFiles(t) {
		t.Run(name, func(t *testing.T) {
			d, err := readSession([]byte(file))
			require.NoError(t, err)
			was := d.memory()
			text := writeWhole(t, was)
			d, err = readSession([]byte(text))
			require.NoError(t, err)
			assert.Equal(t, withoutEmpty(*was), *d.memory())
			assert.Equal(t, prune(yamlValue(t, file)), prune(yamlValue(t, text)), "every key and value is in the file that was written")
		})
	}
}

// conventionFiles gives the blocks of the convention, each with the head that a file has.
func conventionFiles(t *testing.T) map[string]string {
	t.Helper()
	files := conventionBlocks(t)
	head := files["file-format"]
	for name, block := range files {
		switch name {
		case "file-format":
		case "versioning":
			_, rest, _ := strings.Cut(head, "\n\n")
			files[name] += rest
		default:
			files[name] = head + block
		}
	}
	return files
}

// writeWhole gives a memory as a new document.
func writeWhole(t *testing.T, m *SessionMemory) string {
	t.Helper()
	doc, err := yamledit.Parse(nil)
	require.NoError(t, err)
	n, err := yamledit.Value(m)
	require.NoError(t, err)
	for i := 0; i < len(n.Content); i += 2 {
		doc.Set(doc.Root(), n.Content[i].Value, n.Content[i+1])
	}
	text, err := doc.Bytes()
	require.NoError(t, err)
	return string(text)
}

// withoutEmpty takes the empty lists out of a memory that the convention has in two places.
func withoutEmpty(m SessionMemory) SessionMemory {
	for i := range m.Discoveries {
		if len(m.Discoveries[i].ActionItems) == 0 {
			m.Discoveries[i].ActionItems = nil
		}
	}
	if m.Context != nil && len(m.Context.Blockers) == 0 {
		m.Context.Blockers = nil
	}
	return m
}

// yamlValue gives a document as plain values.
func yamlValue(t *testing.T, text string) map[string]any {
	t.Helper()
	root, err := safeyaml.Load([]byte(text))
	require.NoError(t, err)
	v, err := safeyaml.Value(root, maxDepth)
	require.NoError(t, err)
	m, ok := v.(map[string]any)
	require.True(t, ok)
	return m
}

// prune takes nulls and empty lists out of a value.
func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			if list, ok := item.([]any); item == nil || ok && len(list) == 0 {
				delete(v, key)
			} else {
				v[key] = prune(item)
			}
		}
	case []any:
		for i, item := range v {
			v[i] = prune(item)
		}
	}
	return v
}

// TestConventionBlocksKeepTheirBytes opens each block as a session's file and changes
// it with every method that adds: all bytes that stood there stay.
func TestConventionBlocksKeepTheirBytes(t *testing.T) {
	ctx := context.Background()
	changes := map[string]func(*Session) error{
		"open": func(*Session) error { return nil },
		"discovery": func(s *Session) error {
			_, err := s.AddDiscovery(ctx, Discovery{Type: DataModel, Content: "Users.\nRoles.\n"})
			return err
		},
		"attempt": func(s *Session) error {
			_, err := s.StartAttempt(ctx, Attempt{Description: "Add a login", SubTasks: []SubTask{{"Route", "pending"}}})
			return err
		},
		"decision": func(s *Session) error {
			_, err := s.AddDecision(ctx, Decision{Type: Skip, Description: "No OAuth2", Alternatives: []Alternative{{Name: "OAuth2"}}})
			return err
		},
		"context": func(s *Session) error {
			return s.UpdateContext(ctx, func(c *SessionContext) { c.PlanStepStatus += "!" })
		},
	}
	for name, block := range conventionBlocks(t) {
		for what, change := range changes {
			t.Run(name+"/"+what, func(t *testing.T) {
				store := NewMapStore()
				write(t, store, sessionPath, block)
				s := openSession(t, store, nil)
				block, given := docText(t, store, sessionPath), block
				if block != given { // the agent's name, where a block has none
					claim, inOnePlace := insertion(given, block)
					assert.True(t, inOnePlace, "%s", block)
					assert.Equal(t, "agent: \"developer\"", strings.TrimSpace(claim))
				}
				before, err := s.Memory(ctx)
				require.NoError(t, err)
				require.NoError(t, change(s))
				data, err := store.Read(ctx, sessionPath)
				require.NoError(t, err)
				switch added, inOnePlace := insertion(block, string(data)); {
				case what == "open":
					assert.Equal(t, block, string(data))
				case what == "context" && before.Context != nil:
					assert.Equal(t, strings.Replace(block, `planStepStatus: "in_progress"`, `planStepStatus: "in_progress!"`, 1), string(data))
				default:
					assert.True(t, inOnePlace, "%s", data)
					assert.NotEmpty(t, added)
				}
				after, err := s.Memory(ctx)
				require.NoError(t, err)
				assert.Equal(t, len(before.Discoveries), commonPrefix(before.Discoveries, after.Discoveries))
				assert.Equal(t, len(before.Attempts), commonPrefix(before.Attempts, after.Attempts))
				assert.Equal(t, len(before.Decisions), commonPrefix(before.Decisions, after.Decisions))
			})
		}
	}
}

// TestConventionBlocksTogether puts all sections into one file: one of each kind is
// added, the running attempt finished, and everything else stays as it was.
func TestConventionBlocksTogether(t *testing.T) {
	ctx := context.Background()
	blocks := conventionBlocks(t)
	file := blocks["file-format"] + "\n" + blocks["discoveries"] + "\n" + blocks["attempts"] + "\n" + blocks["decisions"] + "\n" + blocks["context"]
	store := NewMapStore()
	write(t, store, sessionPath, file)
	s := openSession(t, store, nil)
	for _, want := range []string{"discovery-005", "discovery-006"} {
		id, err := s.AddDiscovery(ctx, Discovery{Type: APISurface, Content: "POST /login"})
		require.NoError(t, err)
		assert.Equal(t, want, id)
	}
	require.NoError(t, s.FinishAttempt(ctx, "attempt-002", AttemptEnd{Result: AttemptSuccess, Lessons: "Tokens\nfirst.\n"}))
	data, err := store.Read(ctx, sessionPath)
	require.NoError(t, err)
	file = strings.Replace(file, `result: "in_progress"`, `result: "success"`, 1)
	file = strings.Replace(file, `status: "working"`, `status: "finished"`, 1)
	assert.Empty(t, lostLine(file, string(data)), "in:\n%s", data)
}

// lostLine gives the first line of before that does not stand in after, in the same order.
func lostLine(before, after string) string {
	rest := strings.SplitAfter(after, "\n")
	for line := range strings.Lines(before) {
		at := slices.Index(rest, line)
		if at < 0 {
			return line
		}
		rest = rest[at+1:]
	}
	return ""
}

// commonPrefix gives how many items two lists have in common at their beginning.
func commonPrefix[T any](a, b []T) int {
	for i := range min(len(a), len(b)) {
		if !reflect.DeepEqual(a[i], b[i]) {
			return i
		}
	}
	return min(len(a), len(b))
}

// insertion reports whether after is before with some text put in at one place, and gives that.
func insertion(before, after string) (added string, ok bool) {
	at := commonPrefix([]byte(before), []byte(after))
	if n := len(after) - len(before); n >= 0 {
		for ; at >= 0; at-- { // the text that was put in may begin as what stands behind it
			if after[at+n:] == before[at:] {
				return after[at : at+n], true
			}
		}
	}
	return "", false
}
