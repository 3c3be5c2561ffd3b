package memory

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sessionSchema(t *testing.T) map[string]any {
	t.Helper()
	data, err := os.ReadFile("docs/agent-memory.schema.json")
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.Unmarshal(data, &schema))
	return schema
}

// TestSchemaFitsTheTypes holds the schema against the types, struct by struct: each key
// is a property with a type that fits, the reverse, and what is always written is required.
func TestSchemaFitsTheTypes(t *testing.T) {
	schema := sessionSchema(t)
	defs := schema["$defs"].(map[string]any)
	seen := make(map[string]bool)
	fitStruct(t, reflect.TypeFor[SessionMemory](), schema, defs, seen)
	for name := range defs {
		assert.True(t, seen[name], "%s is in the schema, and no type", name)
	}
}

func fitStruct(t *testing.T, of reflect.Type, schema, defs map[string]any, seen map[string]bool) {
	t.Helper()
	seen[of.Name()] = true
	if variants, ok := schema["anyOf"].([]any); ok { // a text, or the map
		assert.Equal(t, map[string]any{"type": "string"}, variants[0])
		schema = variants[1].(map[string]any)
	}
	assert.Contains(t, []any{"object", []any{"object", "null"}}, schema["type"], of.Name())
	assert.NotContains(t, schema, "additionalProperties", "unknown keys are allowed")
	properties := schema["properties"].(map[string]any)
	keys := make(map[string]bool)
	var required []any
	for i := range of.NumField() {
		key, options, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ",")
		path := of.Name() + "." + key
		keys[key] = true
		property, ok := properties[key].(map[string]any)
		if !assert.True(t, ok, "%s is not in the schema", path) {
			continue
		}
		if options != "omitempty" {
			required = append(required, key)
		}
		assert.NotEmpty(t, property["description"], path)
		fitType(t, path, of.Field(i).Type, property, defs, seen)
	}
	for key := range properties {
		assert.True(t, keys[key], "%s.%s is in the schema, and no field", of.Name(), key)
	}
	listed, _ := schema["required"].([]any)
	assert.ElementsMatch(t, required, listed, "%s: required", of.Name())
}

func fitType(t *testing.T, path string, of reflect.Type, schema, defs map[string]any, seen map[string]bool) {
	t.Helper()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	types, ok := schema["type"].([]any) // a type, or null
	if !ok {
		types = []any{schema["type"]}
	}
	switch {
	case of == reflect.TypeFor[time.Time]():
		assert.Equal(t, []any{"string", "date-time"}, []any{schema["type"], schema["format"]}, path)
	case of == reflect.TypeFor[Importance](), of.Kind() == reflect.String:
		assert.Equal(t, "string", types[0], path)
	case of.Kind() == reflect.Int:
		assert.Equal(t, "integer", types[0], path)
	case of.Kind() == reflect.Bool:
		assert.Equal(t, "boolean", types[0], path)
	case of.Kind() == reflect.Slice:
		assert.Equal(t, "array", types[0], path)
		fitType(t, path+"[]", of.Elem(), schema["items"].(map[string]any), defs, seen)
	case of.Kind() == reflect.Map:
		assert.Equal(t, "object", types[0], path)
		if values, ok := schema["additionalProperties"].(map[string]any); ok {
			fitType(t, path+"{}", of.Elem(), values, defs, seen)
		} else {
			assert.Equal(t, reflect.Interface, of.Elem().Kind(), path)
		}
	case of.Kind() == reflect.Struct:
		require.Equal(t, "#/$defs/"+of.Name(), schema["$ref"], path)
		fitStruct(t, of, defs[of.Name()].(map[string]any), defs, seen)
	default:
		assert.Fail(t, "a kind that the schema has no place for", "%s: %s", path, of)
	}
}

// TestSchemaEnums holds the enums against the constants, and these against what the methods take.
func TestSchemaEnums(t *testing.T) {
	schema := sessionSchema(t)
	importances := make([]string, 0, 4)
	for i := Low; i <= Critical; i++ {
		importances = append(importances, i.String())
	}
	step := []string{"pending", "in_progress", "complete"}
	want := map[string][]string{
		"Discovery.type": {string(CodebaseStructure), string(DependencyCheck), string(CodePattern), string(APISurface),
			string(DataModel), string(ComplexityAssessment), string(FailureCause), string(SolutionVerified)},
		"Discovery.importance":          importances,
		"Attempt.result":                {string(AttemptSuccess), string(AttemptFailure), string(AttemptPartial), string(AttemptInProgress)},
		"Decision.type":                 {string(Architectural), string(Implementation), string(Skip), string(Workaround), string(Compromise)},
		"Decision.impact":               importances,
		"SubTask.status":                step,
		"FileInScope.status":            step,
		"SessionContext.planStepStatus": step,
	}
	got := make(map[string][]string)
	for name, def := range schema["$defs"].(map[string]any) {
		properties, _ := def.(map[string]any)["properties"].(map[string]any)
		for key, property := range properties {
			if values, ok := property.(map[string]any)["enum"].([]any); ok {
				for _, value := range values {
					if value != nil {
						got[name+"."+key] = append(got[name+"."+key], value.(string))
					}
				}
			}
		}
	}
	assert.Equal(t, want, got)
	assert.Equal(t, discoveryKind.allowed, got["Discovery.type"])
	assert.Equal(t, attemptKind.allowed, got["Attempt.result"])
	assert.Equal(t, decisionKind.allowed, got["Decision.type"])
	assert.Equal(t, stepStatuses, got["SubTask.status"])
	head := schema["properties"].(map[string]any)
	assert.Equal(t, fmt.Sprint(sessionVersion), head["version"].(map[string]any)["const"])
}

func TestSchemaHoldsForTheConvention(t *testing.T) {
	schema := sessionSchema(t)
	for name, file := range conventionFiles(t) {
		assert.Empty(t, validateSchema(schema, schema, "", yamlValue(t, file)), name)
	}
}

// lenient are changes to checkedFile that are read, and are not as the schema wants them.
var lenient = []struct{ old, new string }{
	{`version: "1"`, "version: 1"}, {`version: "1"`, `version: "1.0"`}, {"content: Middleware.", "content: 7"}, {"importance: high", "importance: HIGH"},
	{"    subTasks:", "    planStep: '2'\n    subTasks:"}, {"    subTasks:", "    commands: go test\n    subTasks:"}, {"    subTasks:", "    commands: [a, ~]\n    subTasks:"},
	{"    subTasks:", "    duration_ms: -1\n    subTasks:"}, {"    subTasks:", "    iterations: -1\n    subTasks:"},
	{"    subTasks:", "    tokensUsed: {input: -1, output: 0}\n    subTasks:"}, {"    subTasks:", "    tokensUsed: {input: 1}\n    subTasks:"},
	{"    subTasks:", "    artifacts: [{action: create}]\n    subTasks:"}, {"      - description: Route\n        status", "      - status"},
	{"    impact:", "    alternatives: [7]\n    impact:"}, {"    impact:", "    alternatives: [~]\n    impact:"}, {"    impact:", "    alternatives: [{reason: r}]\n    impact:"},
	{"    impact:", "    reversible: 'true'\n    impact:"}, {"timestamp: 2026-02-12T10:00:00Z", "timestamp: '2026-02-12 10:00'"},
	{"    - path: login.go\n      status", "    - status"}, {"context:", "context:\n  planStepStatus: soon"}, {"context:", "context:\n  blockers: [1]"},
	{"context:", "history: [{archivedAt: 2026-02-12T10:00:00Z}]\ncontext:"},
	{"context:", "history: [{archivedAt: 2026-02-12T10:00:00Z, from: 2026-02-12T10:00:00Z, to: 2026-02-12T10:00:00Z, summary: s, lastIds: {attempt: ~}, attempts: -1}]\ncontext:"},
}

// TestSchemaAndCheckAgree: what Check calls an error the schema refuses, and what the
// schema refuses is a problem for Check. Only ids given twice, and whose file it is, are beyond
// a schema.
func TestSchemaAndCheckAgree(t *testing.T) {
	schema := sessionSchema(t)
	assert.Empty(t, validateSchema(schema, schema, "", yamlValue(t, checkedFile)))
	for _, test := range sessionCheckTests {
		file := strings.Replace(checkedFile, test.old, test.new, 1)
		if _, err := readSession([]byte(file)); err != nil || strings.HasSuffix(test.name, "given twice") || test.name == "another agent's file" {
			continue
		}
		refused := validateSchema(schema, schema, "", yamlValue(t, file))
		if strings.Contains(test.want, ": error: ") {
			assert.NotEmpty(t, refused, test.name)
		}
		if len(refused) > 0 {
			assert.NotEmpty(t, checkSession(t, file, ""), "%s: %v", test.name, refused)
		}
	}
	for _, test := range lenient {
		require.Contains(t, checkedFile, test.old)
		file := strings.Replace(checkedFile, test.old, test.new, 1)
		assert.NotEmpty(t, validateSchema(schema, schema, "", yamlValue(t, file)), test.new)
		problems := checkSession(t, file, "")
		assert.NotEmpty(t, problems, test.new)
		for _, p := range problems {
			assert.Equal(t, SeverityWarning, p.Severity, "it is read: %v", p)
		}
	}
}

// TestSchemaTakesNull: null is as good as nothing, for what may be left out.
func TestSchemaTakesNull(t *testing.T) {
	schema := sessionSchema(t)
	for _, change := range [][2]string{{"    subTasks:", "    tokensUsed:\n    approach:\n    planStep: ~\n    commands:\n    subTasks:"}, {"importance: high", "importance:"},
		{"context:", "context:\n  codebaseUnderstanding: null\n  taskContext:\n  planStepStatus:"}, {checkedFile[strings.Index(checkedFile, "context:"):], "context:\nhistory:\n"}} {
		require.Contains(t, checkedFile, change[0])
		file := strings.Replace(checkedFile, change[0], change[1], 1)
		assert.Empty(t, validateSchema(schema, schema, "", yamlValue(t, file)), change[1])
		assert.Empty(t, checkSession(t, file, ""), change[1])
	}
}

// TestSchemaRefuses shows that the validator below can fail, keyword by keyword.
func TestSchemaRefuses(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"type", "content: Middleware.", "content: 7", ".discoveries[0].content: want a string"},
		{"number with a fraction", "    subTasks:", "    planStep: 1.5\n    subTasks:", ".attempts[0].planStep: want a [integer null]"},
		{"required", "    content: Middleware.\n", "", ".discoveries[0]: content is missing"},
		{"const", `version: "1"`, `version: "2"`, ".version: want 1"},
		{"enum", "type: skip", "type: guess", ".decisions[0].type: want one of [architectural implementation skip workaround compromise]"},
		{"pattern", "Middleware.", "' '", `.discoveries[0].content: want \S`},
		{"format", "2026-02-12T10:00:00Z\n    type", "today\n    type", ".discoveries[0].timestamp: want a date-time"},
		{"minimum", "    subTasks:", "    duration_ms: -1\n    subTasks:", ".attempts[0].duration_ms: want 0 or more"},
		{"anyOf", "    impact:", "    alternatives: [7]\n    impact:", ".decisions[0].alternatives[0]: want any of the variants"},
		{"additionalProperties", "context:", "history: [{archivedAt: 2026-02-12T10:00:00Z, from: 2026-02-12T10:00:00Z, to: 2026-02-12T10:00:00Z, summary: s, lastIds: {attempt: x}}]\ncontext:",
			".history[0].lastIds.attempt: want a integer"},
	}
	schema := sessionSchema(t)
	for _, test := range tests {
		require.Contains(t, checkedFile, test.old)
		file := strings.Replace(checkedFile, test.old, test.new, 1)
		assert.Equal(t, []string{test.want}, validateSchema(schema, schema, "", yamlValue(t, file)), test.name)
	}
}

// validateSchema gives what is wrong with a value, for the keywords that the schema uses.
// A keyword that it does not know is wrong, too.
func validateSchema(root, schema map[string]any, path string, v any) (wrong []string) {
	if t, ok := v.(time.Time); ok { // one without quotes
		v = t.Format(time.RFC3339)
	}
	for keyword, want := range schema {
		wrong = append(wrong, validateSchemaKeyword(root, keyword, want, schema, path, v)...)
	}
	return wrong
}

func validateSchemaKeyword(root map[string]any, keyword string, want any, schema map[string]any, path string, v any) (wrong []string) {
	fail := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, path+": "+fmt.Sprintf(format, args...))
		}
	}
	object, isObject := v.(map[string]any)
	list, _ := v.([]any)
	text, isText := v.(string)
	switch keyword {
	case "$schema", "$defs", "title", "description":
	case "$ref":
		name := strings.TrimPrefix(want.(string), "#/$defs/")
		return validateSchema(root, root["$defs"].(map[string]any)[name].(map[string]any), path, v)
	case "type":
		names, ok := want.([]any)
		if !ok {
			names = []any{want}
		}
		fail(slices.ContainsFunc(names, func(name any) bool { return isJSONType(v, name) }), "want a %v", want)
	case "const":
		fail(v == want, "want %v", want)
	case "enum":
		fail(slices.Contains(want.([]any), v), "want one of %v", want)
	case "pattern":
		fail(!isText || regexp.MustCompile(want.(string)).MatchString(text), "want %s", want)
	case "format":
		_, err := time.Parse(time.RFC3339, text)
		fail(!isText || err == nil, "want a %s", want)
	case "minimum":
		n, isNumber := v.(int)
		fail(!isNumber || float64(n) >= want.(float64), "want %v or more", want)
	case "required":
		for _, key := range want.([]any) {
			_, ok := object[key.(string)]
			fail(!isObject || ok, "%s is missing", key)
		}
	case "properties":
		for key, property := range want.(map[string]any) {
			if item, ok := object[key]; ok {
				wrong = append(wrong, validateSchema(root, property.(map[string]any), path+"."+key, item)...)
			}
		}
	case "additionalProperties":
		for key, item := range object {
			wrong = append(wrong, validateSchema(root, want.(map[string]any), path+"."+key, item)...)
		}
	case "items":
		for i, item := range list {
			wrong = append(wrong, validateSchema(root, want.(map[string]any), fmt.Sprintf("%s[%d]", path, i), item)...)
		}
	case "anyOf":
		fail(slices.ContainsFunc(want.([]any), func(s any) bool { return len(validateSchema(root, s.(map[string]any), path, v)) == 0 }), "want any of the variants")
	default:
		fail(false, "a keyword that this validator does not know: %s", keyword)
	}
	return wrong
}

func isJSONType(v, name any) bool {
	switch v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case int, int64, uint64:
		return name == "integer"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}
