package memory

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/safeyaml"
)

// Agent is an agent definition. A bank uses of it what [Agent.Query] gives; the rest is for the host.
type Agent struct {
	Name        string     // one line, never empty
	DisplayName string     // one line; "" when missing
	WhenToUse   []string   // when to give this agent a task; read as in a memory file, but not as triggers
	Tools       AgentTools // what the agent may call, by the names that the host gives its tools
	Prompt      string     // Markdown behind the frontmatter: the agent's instructions; "" when missing
	Memory      AgentMemory
	Extra       map[string]any // unknown keys, as YAML gives them, such as "model"; nil: none
}

// AgentTools is the "tools" section. The library does not enforce it.
type AgentTools struct {
	Allowed []string // nil: not given; empty: none, which is what [] in a file means
	Blocked []string // likewise
}

// AgentMemory is the "memory" section: how many and which memories the agent is given.
type AgentMemory struct {
	MaxInjected   int        // as Query.Max: 0: not given (5); negative: none, which is what 0 in a file means
	MinImportance Importance // zero: no threshold
	ScoreBonus    int        // points when a memory's tags fit the agent's specialty; 0 when missing
}

// Query asks for the memories that matter to the agent when it works on task.
func (a *Agent) Query(task string) Query {
	return Query{Task: task, Agent: a.Name, DisplayName: a.DisplayName, Max: a.Memory.MaxInjected,
		MinImportance: a.Memory.MinImportance, ScoreBonus: a.Memory.ScoreBonus}
}

// ParseAgent reads an agent definition: Markdown with YAML frontmatter, or the
// frontmatter alone, without its lines of ---. Only a name is required.
//
// Reading is lenient as with [Parse], and about keys spelled max_injected. But what
// Parse guesses or leaves out with a warning is an error here, or an unclear line
// could leave a tool unblocked; exempt are whenToUse and missing quotes.
//
// Errors name the line and the field. They are [ErrInvalid], or [ErrTooLarge]
// past 1 MiB of file or 16 KiB of frontmatter.
func ParseAgent(data []byte) (*Agent, error) {
	r := &agentReader{fieldReader: fieldReader{nodes: map[string]*yaml.Node{}}}
	text := lineEnds.Replace(string(bytes.TrimPrefix(data[:min(len(data), maxFile)], []byte("\ufeff"))))
	if bad := afterInvalid(text); len(data) > maxFile {
		r.fail(ErrTooLarge, 0, "%d bytes; at most %d can be read", len(data), maxFile)
	} else if bad != "" {
		r.fail(ErrInvalid, 1+strings.Count(text[:len(text)-len(bad)], "\n"), "not UTF-8")
	} else {
		r.file(&entryScanner{lines: strings.Split(text, "\n")})
	}
	if r.err != nil {
		return nil, r.err
	}
	return &r.agent, nil
}

// agentReader has the values of all keys as nodes, by their path: "memory.maxInjected". Its first error counts.
type agentReader struct {
	fieldReader
	agent Agent
	err   error
}

// fail reports what is wrong at a line of the YAML.
func (r *agentReader) fail(kind error, line int, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("agent definition: line %d: %s: %w", max(r.line+line, 1), fmt.Sprintf(format, args...), kind)
	}
}

// file finds the YAML: between two fences, or from the first key to the end.
func (r *agentReader) file(s *entryScanner) {
	open, all := s.nextText(0), len(s.lines)
	for open < all && strings.HasPrefix(strings.TrimLeft(s.lines[open], " \t"), "#") {
		open = s.nextText(open + 1)
	}
	end, want := s.closing(min(open+1, all)), ""
	fenced := open < all && isBare(s.lines[open])
	if !fenced {
		open, want = open-1, "; want frontmatter between two lines of ---, or its keys alone (name: …)"
	}
	r.line = open + 1
	switch text := s.yaml(open, end); {
	case fenced == (end == all):
		r.fail(ErrInvalid, 0, "a line of --- is missing before or behind the frontmatter%s", want)
	case len(text) > maxFrontmatter:
		r.fail(ErrTooLarge, 0, "frontmatter of %d bytes; at most %d can be read%s", len(text), maxFrontmatter, want)
	default:
		r.yaml(text, want)
		r.agent.Prompt = strings.Join(trimBlank(s.lines[min(end+1, all):]), "\n")
	}
}

// yaml reads the frontmatter; want is what it should be where it stands alone.
func (r *agentReader) yaml(text, want string) {
	root, err := r.load(text)
	switch {
	case err != nil:
		r.fail(ErrInvalid, err.Line, "%s%s", err.Msg, want)
	case root == nil || root.Kind != yaml.MappingNode:
		r.fail(ErrInvalid, 0, "the frontmatter is not a list of keys and values%s", want)
	default:
		r.keys("", root)
		r.agent.WhenToUse = r.triggers()
		r.problems = nil // of whenToUse, and of quotes that were put in
		r.fields(&r.agent)
	}
	for _, p := range r.problems {
		r.fail(ErrInvalid, p.Line-r.line, "%s; that goes for memory files, an agent definition must be clear", p.Msg)
	}
}

var agentKeys = [...]string{"name", "displayName", "whenToUse", "tools", "tools.allowed", "tools.blocked",
	"memory", "memory.maxInjected", "memory.minImportance", "memory.scoreBonus"}

// keysOf gives the keys of a section, for messages.
func keysOf(section string) string {
	var keys []string
	for _, k := range agentKeys {
		if key, ok := strings.CutPrefix(k, section); ok {
			keys = append(keys, key)
		}
	}
	return strings.Join(keys, ", ")
}

// keys puts all values into nodes, and those of unknown keys into Extra too.
func (r *agentReader) keys(section string, n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		path := section + key.Value
		known := slices.IndexFunc(agentKeys[:], func(k string) bool { return foldKey(k) == foldKey(path) })
		if known >= 0 {
			path = agentKeys[known]
		}
		switch v, err := safeyaml.Value(value, maxDepth); {
		case r.nodes[path] != nil:
			r.fail(ErrInvalid, key.Line, "%s: given twice; keep one", path)
		case known >= 0:
		case section != "":
			r.fail(ErrInvalid, key.Line, "%s: unknown key; below %s there are %s", path, strings.TrimSuffix(section, "."), keysOf(section))
		case err != nil || key.Kind != yaml.ScalarNode:
			r.fail(ErrInvalid, key.Line, "unknown key %q: nested too deep, or a key is a list or a map", path)
		case r.agent.Extra == nil:
			r.agent.Extra = map[string]any{path: v}
		default:
			r.agent.Extra[path] = v
		}
		r.nodes[path] = value
		if value.Kind == yaml.MappingNode && (path == "tools" || path == "memory") {
			r.keys(path+".", value)
		}
	}
}

// fields reads all known keys but whenToUse.
func (r *agentReader) fields(a *Agent) {
	a.Name, a.DisplayName = strings.TrimSpace(r.text("name")), strings.TrimSpace(r.text("displayName"))
	if a.Name == "" {
		r.fail(ErrInvalid, r.lineOf("name"), "name: missing; add a line such as name: developer to the frontmatter")
	}
	a.Tools = AgentTools{r.names("tools.allowed"), r.names("tools.blocked")}
	if n := r.value("tools"); n != nil && n.Kind != yaml.MappingNode {
		a.Tools.Allowed = r.names("tools")
	}
	if n := r.value("memory"); n != nil && n.Kind != yaml.MappingNode {
		r.fail(ErrInvalid, n.Line, "memory: want keys such as maxInjected: 5 in the lines below")
	}
	least := r.text("memory.minImportance")
	level, err := ParseImportance(least)
	if err != nil && least != "" {
		r.fail(ErrInvalid, r.lineOf("memory.minImportance"), "memory.minImportance: want low, medium, high or critical, not %q", least)
	}
	a.Memory = AgentMemory{r.count("memory.maxInjected", -1), level, r.count("memory.scoreBonus", 0)}
}

// names reads a list, or a text that is split at commas. An empty list is not nil.
func (r *agentReader) names(key string) []string {
	names := r.list(key, ",")
	if n := r.value(key); names == nil && n != nil && n.Kind == yaml.SequenceNode {
		return []string{}
	}
	return names
}

// count reads a whole number; a missing one is 0, and 0 is what the caller says.
func (r *agentReader) count(key string, zero int) int {
	text := strings.TrimSpace(r.text(key))
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		r.fail(ErrInvalid, r.lineOf(key), "%s: want a whole number, 0 or more, not %q", key, text)
	} else if n == 0 {
		return zero
	}
	return n
}
