package memory

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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

// fieldReader reads the frontmatter of one entry, leniently (DESIGN.md, section 3,
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
// it gives. The problems come in the order of their lines.
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
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
	return &r.fm, r.problems, nil
}

func (r *fieldReader) failed(line int, msg string) *ParseError {
	return &ParseError{r.name, r.line + line, msg, ErrInvalid}
}

func (r *fieldReader) report(severity Severity, line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.name, r.line + line, severity, fmt.Sprintf(format, args...)})
}

func (r *fieldReader) warn(line int, format string, args ...any) {
	r.report(Warning, line, format, args...)
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
	for _, known := range schema {
		if foldKey(key.Value) == foldKey(known) {
			r.warn(key.Line, "%s: unknown key; %s is meant?", key.Value, known)
		}
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
func foldKey(key string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key))
}

// required reads what a memory cannot be used without.
func (r *fieldReader) required() *ParseError {
	r.fm.Title = r.text("title")
	if r.fm.Title == "" && r.first {
		return r.failed(r.lineOf("title"), "title: missing")
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
		r.report(Error, r.lineOf("importance"), "%s; not used", strings.TrimSuffix(err.Error(), ": "+ErrInvalid.Error()))
	}
	r.fm.Importance = level
	return nil
}

// optional reads the rest.
func (r *fieldReader) optional() {
	f := &r.fm
	f.WhenToUse = r.triggers()
	f.Tags = r.list("tags", ",")
	f.DiscoveredAt = r.time("discoveredAt")
	f.DiscoveredBy = r.text("discoveredBy")
	f.DiscoveredIn = r.text("discoveredIn")
	f.Source = r.text("source")
	f.RelatedMemories = r.list("relatedMemories", ",")
	f.Retired = r.retired()
	if !r.first {
		return
	}
	if len(f.WhenToUse) == 0 {
		r.warn(r.lineOf("whenToUse"), "whenToUse: missing; no trigger can ever recall this memory")
	}
	if r.value("discoveredAt") == nil {
		r.warn(0, "discoveredAt: missing")
	}
	if f.DiscoveredBy == "" {
		r.warn(r.lineOf("discoveredBy"), "discoveredBy: missing")
	}
}

// value gives the node of a key, nil where it is missing or null.
func (r *fieldReader) value(key string) *yaml.Node {
	n := r.nodes[key]
	if n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	return n
}

// lineOf gives the line of a key's value in the YAML; 0, which is the fence, where it is missing.
func (r *fieldReader) lineOf(key string) int {
	if n := r.nodes[key]; n != nil {
		return n.Line
	}
	return 0
}

// text reads a string of one line: line breaks become spaces, blank is missing.
// A list of words in brackets is a title like "[WIP]".
func (r *fieldReader) text(key string) string {
	n := r.value(key)
	switch {
	case n == nil:
		return ""
	case n.Kind == yaml.ScalarNode:
		return oneLine(n.Value)
	case n.Kind == yaml.SequenceNode && n.Style&yaml.FlowStyle != 0:
		r.warn(n.Line, "%s: read as text in brackets; put it in quotes", key)
		return "[" + strings.Join(r.items(key, n), ", ") + "]"
	}
	r.warn(n.Line, "%s: left out: not a text", key)
	return ""
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func oneLine(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	if s = lineBreaks.Replace(s); !strings.Contains(s, "\n") {
		return s
	}
	var parts []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, " ")
}

// list reads a list of strings, or a string that is split at sep.
func (r *fieldReader) list(key, sep string) []string {
	n := r.value(key)
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		return r.items(key, n)
	case n.Kind == yaml.ScalarNode:
		if strings.Contains(n.Value, sep) {
			return split(n.Value, sep)
		}
		return nonBlank(oneLine(n.Value))
	}
	r.warn(n.Line, "%s: left out: not a list", key)
	return nil
}

// split gives the parts of s without the white space around them, and without the blank ones.
func split(s, sep string) (parts []string) {
	for part := range strings.SplitSeq(s, sep) {
		parts = append(parts, nonBlank(strings.TrimSpace(oneLine(part)))...)
	}
	return parts
}

func nonBlank(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []string{s}
}

// items reads the strings of a list: numbers, dates and booleans by their
// source text, and what YAML took for something else put together again.
func (r *fieldReader) items(key string, list *yaml.Node) (items []string) {
	for _, n := range list.Content {
		switch {
		case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
			// An empty item is none, but the word "null" is one.
			items = append(items, nonBlank(strings.Trim(n.Value, "~"))...)
		case n.Kind == yaml.ScalarNode && key == "whenToUse":
			items = append(items, r.trigger(n)...)
		case n.Kind == yaml.ScalarNode:
			items = append(items, nonBlank(oneLine(n.Value))...)
		case n.Kind == yaml.SequenceNode:
			r.warn(n.Line, "%s: a list in the list; its items are taken as items", key)
			items = append(items, r.items(key, n)...)
		case len(n.Content) == 2 && n.Content[0].Kind == yaml.ScalarNode && n.Content[1].Kind == yaml.ScalarNode:
			r.warn(n.Line, "%s: read as the text with a colon that it looks like; put it in quotes", key)
			k, v := n.Content[0].Value, n.Content[1].Value
			items = append(items, strings.TrimSpace(oneLine(k)+": "+oneLine(v)))
		default:
			r.warn(n.Line, "%s: left out: not a text", key)
		}
	}
	return items
}

// triggers reads whenToUse: a list, one string, or a block of text with one trigger in a line.
func (r *fieldReader) triggers() []string {
	n := r.value("whenToUse")
	if n != nil && n.Kind == yaml.ScalarNode {
		return r.trigger(n)
	}
	return r.list("whenToUse", "\n")
}

func (r *fieldReader) trigger(n *yaml.Node) []string {
	text := n.Value
	if strings.Contains(text, "\b") {
		r.warn(n.Line, `whenToUse: in double quotes YAML reads \b as a backspace; read as \b; use single quotes or \\b`)
		text = strings.ReplaceAll(text, "\b", `\b`)
	}
	if strings.Contains(text, "\n") {
		return split(text, "\n")
	}
	return nonBlank(oneLine(text))
}

// layouts of a time, as people and models write it. Fractions of a second are read after any.
var layouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

// time reads a timestamp, in UTC where it names no zone.
func (r *fieldReader) time(key string) time.Time {
	text := strings.ToUpper(strings.TrimSpace(r.text(key)))
	if text == "" {
		return time.Time{}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	r.warn(r.lineOf(key), "%s: %q is no date; want one like 2026-01-23T10:30:00Z", key, r.text(key))
	return time.Time{}
}

// retired reads a time, or true: since the entry was discovered.
func (r *fieldReader) retired() time.Time {
	switch strings.ToLower(r.text("retired")) {
	case "false", "no", "off":
		return time.Time{}
	case "true", "yes", "on":
		if at := r.fm.DiscoveredAt; !at.IsZero() {
			return at
		}
		return time.Unix(0, 0).UTC()
	}
	return r.time("retired")
}
