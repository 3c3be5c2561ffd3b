package memory

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/adrg/frontmatter"
	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/safeyaml"
	"github.com/rawko/memory/internal/yamlrepair"
)

// schema are the keys of an entry, in the order in which they are written.
var schema = [...]string{"title", "whenToUse", "tags", "importance", "discoveredAt", "discoveredBy",
	"discoveredIn", "source", "relatedMemories", "retired"}

// maxDepth is how deep lists and maps may nest in an extra key.
const maxDepth = 32

// fieldReader reads the frontmatter of one entry, leniently (docs/decisions.md,
// "Reading is lenient").
type fieldReader struct {
	name     string
	line     int // of the opening fence; line n of the YAML is line+n of the file
	first    bool
	nodes    map[string]*yaml.Node // by key, the last where one stands twice
	fm       Frontmatter
	problems []Problem
}

// readFrontmatter reads the YAML of an entry whose opening fence is at line. Of
// the first entry a title and a known importance are required; an update is what
// it gives.
func readFrontmatter(name, text string, line int, first bool) (*Frontmatter, []Problem, *ParseError) {
	r := &fieldReader{name: name, line: line, first: first, nodes: map[string]*yaml.Node{}}
	root, err := r.load(text)
	if err != nil {
		return nil, nil, r.failed(err.Line, err.Msg)
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil, nil, r.failed(0, "the frontmatter is not a list of keys and values")
	}
	r.keys(root)
	if err := r.required(); err != nil {
		return nil, r.problems, err
	}
	r.optional()
	return &r.fm, r.problems, nil
}

func (r *fieldReader) failed(line int, msg string) *ParseError {
	return &ParseError{r.name, r.line + line, msg, ErrInvalid}
}

func (r *fieldReader) report(severity Severity, line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.name, r.line + line, severity, fmt.Sprintf(format, args...)})
}

func (r *fieldReader) warn(line int, format string, args ...any) {
	r.report(SeverityWarning, line, format, args...)
}

// load reads the YAML, with the missing quotes put in where YAML refuses it.
func (r *fieldReader) load(text string) (*yaml.Node, *safeyaml.Error) {
	text = r.withoutDots(text)
	root, err := loadYAML(text)
	if err == nil || err.Refused {
		return root, err
	}
	// The reader's own line can lie behind the end, where a quote is never closed.
	err.Line = min(err.Line, strings.Count(text, "\n"))
	fixed, changed := yamlrepair.Quote(text)
	root, again := loadYAML(fixed)
	if again != nil && again.Refused {
		return nil, again
	}
	if again != nil {
		return nil, err
	}
	for _, line := range changed {
		r.warn(line, "read as if it were in quotes, which YAML needs here")
	}
	return root, nil
}

// withoutDots empties the lines of "...", with which the convention's own examples
// say that keys were left out. To YAML they end the document.
func (r *fieldReader) withoutDots(text string) string {
	if !strings.Contains("\n"+text, "\n...") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.TrimRight(line, " \t") == "..." {
			r.warn(i+1, "a line of ... is left out")
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// loadYAML has adrg/frontmatter take the block out of its fences and hand it to
// our reader. That library trims every line before it looks for the closing fence,
// so that an indented --- in a block of text would end the frontmatter. The
// scanner knows where it ends, and so the fences are made longer until no line is one.
func loadYAML(text string) (*yaml.Node, *safeyaml.Error) {
	fence := "---"
	for hasTrimmedLine(text, fence) {
		fence += "-"
	}
	var root *yaml.Node
	format := frontmatter.NewFormat(fence, fence, func(data []byte, _ any) (err error) {
		root, err = safeyaml.Load(data)
		return err
	})
	_, err := frontmatter.MustParse(strings.NewReader(fence+"\n"+text+fence+"\n"), nil, format)
	var bad *safeyaml.Error
	if err != nil && !errors.As(err, &bad) {
		bad = &safeyaml.Error{Msg: err.Error()}
	}
	return root, bad
}

// hasTrimmedLine trims as adrg/frontmatter does: all of Unicode's white space.
func hasTrimmedLine(text, line string) bool {
	for l := range bytes.Lines([]byte(text)) {
		if string(bytes.TrimSpace(l)) == line {
			return true
		}
	}
	return false
}

// keys sorts the entry's keys into those of the schema and the extra ones.
func (r *fieldReader) keys(root *yaml.Node) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			r.warn(key.Line, "a key that is a list or a map is left out")
			continue
		}
		if r.nodes[key.Value] != nil {
			r.warn(key.Line, "%s: given twice; the last one counts", key.Value)
		}
		r.nodes[key.Value] = value
		if !slices.Contains(schema[:], key.Value) {
			r.extra(key, value)
		}
	}
}

func (r *fieldReader) extra(key, value *yaml.Node) {
	if known := foldedSchema[foldKey(key.Value)]; known != "" {
		r.warn(key.Line, "%s: unknown key; %s is meant?", key.Value, known)
	}
	v, err := safeyaml.Value(value, maxDepth)
	if err != nil {
		r.warn(key.Line, "%s: left out: %v", key.Value, err)
		return
	}
	if r.fm.Extra == nil {
		r.fm.Extra = map[string]any{}
	}
	r.fm.Extra[key.Value] = v
}

// foldKey makes when_to_use, when-to-use and WhenToUse the same.
func foldKey(key string) string { return dashes.Replace(strings.ToLower(key)) }

var (
	dashes       = strings.NewReplacer("-", "", "_", "")
	foldedSchema = foldSchema()
)

// foldSchema gives the keys of the schema by their folded form.
func foldSchema() map[string]string {
	folded := make(map[string]string, len(schema))
	for _, key := range schema {
		folded[foldKey(key)] = key
	}
	return folded
}

// required reads what a memory cannot be used without.
func (r *fieldReader) required() *ParseError {
	r.fm.Title = r.text("title")
	if r.fm.Title == "" && r.first {
		return r.failed(r.lineOf("title"), "title: missing; add the line title: \"…\" to the frontmatter")
	}
	given := r.text("importance")
	level, err := ParseImportance(given)
	switch {
	case given == "" && r.first:
		level = Medium
		r.warn(0, "importance: missing; taken as medium")
	case given == "":
	case err != nil && r.first:
		return r.failed(r.lineOf("importance"), strings.TrimSuffix(err.Error(), ": "+ErrInvalid.Error()))
	case err != nil:
		r.report(SeverityError, r.lineOf("importance"), "%s; not used", strings.TrimSuffix(err.Error(), ": "+ErrInvalid.Error()))
	}
	r.fm.Importance = level
	return nil
}

// optional reads the rest.
func (r *fieldReader) optional() {
	f := &r.fm
	f.WhenToUse = r.triggers()
	f.Tags = r.list("tags", ",")
	f.DiscoveredAt = r.time("discoveredAt", r.text("discoveredAt"))
	f.DiscoveredBy = r.text("discoveredBy")
	f.DiscoveredIn = r.text("discoveredIn")
	f.Source = r.text("source")
	f.RelatedMemories = r.list("relatedMemories", ",")
	f.Retired = r.retired()
	if !r.first {
		return
	}
	if len(f.WhenToUse) == 0 {
		r.report(SeverityError, r.lineOf("whenToUse"), "whenToUse: missing; nothing can recall this memory")
	}
	if r.value("discoveredAt") == nil {
		r.warn(0, "discoveredAt: missing")
	}
	if f.DiscoveredBy == "" {
		r.warn(r.lineOf("discoveredBy"), "discoveredBy: missing")
	}
}
