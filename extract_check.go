package memory

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/markdown"
	"github.com/rawko/memory/internal/quarantine"
	"github.com/rawko/memory/internal/redact"
	"github.com/rawko/memory/internal/resemble"
)

// What a model may give of each, so that one answer cannot flood the bank.
const (
	maxLearnedBody     = 32 << 10 // bytes
	maxEvidence        = 2 << 10  // bytes
	maxGivenTriggers   = 64       // lines that are looked at
	maxLearnedTitle    = 120      // characters
	maxLearnedTriggers = 16
	maxLearnedTags     = 16
	maxLearnedTag      = 60  // characters, of a tag or of a related memory
	maxLearnedTask     = 200 // characters
)

// check makes of an answer what may be kept: provenance from the run, no secrets,
// no orders, triggers that work. What it corrects it says; what it cannot correct
// is a warning, or the whole is quarantined.
func (b *Bank) check(ctx context.Context, e *Extraction, seen *Run, existing []Match) error {
	e.redact()
	if e.Memory == nil {
		e.Name = ""
		return nil
	}
	e.draft = e.Memory
	e.forgery()
	e.orders()
	e.warnOf(seen)
	e.target(existing)
	if err := e.related(ctx, b); err != nil {
		return err
	}
	e.tidy()
	b.provenance(e, seen)
	e.triggers()
	if e.Action != Quarantined && !hasWord(marker.ReplaceAllString(e.Memory.Body, "")) {
		e.skip("nothing was left of the content")
	}
	return nil
}

// marker stands where a secret was.
var marker = regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)

// warn says something once.
func (e *Extraction) warn(format string, args ...any) {
	e.Warnings = joinNew(e.Warnings, []string{fmt.Sprintf(format, args...)})
}

func (e *Extraction) skip(format string, args ...any) {
	e.Action, e.Reason = Skipped, fmt.Sprintf(format, args...)
	e.Name, e.Memory, e.draft = "", nil, nil
}

// field is a text of an answer, with the name of its key.
type field struct {
	key  string
	text *string
}

// fields gives the texts of a memory.
func (m *Memory) fields() []field {
	fields := []field{{"memoryTitle", &m.Title}, {"content", &m.Body}, {"source", &m.Source}}
	for key, list := range map[string][]string{"whenToUse": m.WhenToUse, "tags": m.Tags, "relatedMemories": m.RelatedMemories} {
		for i := range list {
			fields = append(fields, field{key, &list[i]})
		}
	}
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Compare(a.key, b.key) })
	return fields
}

// redact takes secrets out of every field. A trigger that had one goes: what
// would be left of it fires on something else.
func (e *Extraction) redact() {
	fields := []field{{"reasoning", &e.Reasoning}, {"evidence", &e.Evidence}, {"contradicts", &e.Name}}
	if e.Memory != nil {
		m := e.Memory
		m.WhenToUse = slices.DeleteFunc(m.WhenToUse, func(line string) bool {
			clean, found := withoutSecrets(line)
			e.removedSecrets("whenToUse", found)
			return clean != line
		})
		fields = append(fields, m.fields()...)
	}
	for _, f := range fields {
		clean, found := withoutSecrets(*f.text)
		*f.text = clean
		e.removedSecrets(f.key, found)
	}
	for _, messages := range [][]string{e.Warnings, e.Removed} { // they quote the reply
		for i := range messages {
			messages[i], _ = withoutSecrets(messages[i])
		}
	}
}

func (e *Extraction) removedSecrets(key string, found []redact.Secret) {
	for _, s := range found {
		e.Removed = append(e.Removed, fmt.Sprintf("%s: a secret (%s)", key, s.Kind))
	}
}

// maxForgeries is how often content is looked at for what the last look uncovered.
const maxForgeries = 20

// forgery takes frontmatter out of the content, wherever it stands: what is between
// two lines of dashes and has a key of a memory. What remains may be another.
func (e *Extraction) forgery() {
	for n := range maxForgeries {
		lines := strings.Split(e.Memory.Body, "\n")
		kept := withoutForged(lines)
		if len(kept) == len(lines) {
			return
		}
		if n == maxForgeries-1 { // made to outlast us
			kept = slices.DeleteFunc(kept, isDashes)
		}
		e.Memory.Body = strings.Join(kept, "\n")
		e.Removed = joinNew(e.Removed, []string{"content: frontmatter that stood in it"})
	}
}

// withoutForged leaves out lines of dashes, or of dots, with the frontmatter between them.
func withoutForged(lines []string) []string {
	gone := make([]bool, len(lines))
	open := -1 // the last line of dashes
	for i, line := range lines {
		dots := strings.TrimSpace(line) == "..."
		if !dots && !isDashes(strings.TrimSpace(line)) {
			continue
		}
		if open >= 0 && isForged(strings.Join(lines[open+1:i], "\n")) {
			for j := open; j <= i; j++ {
				gone[j] = true
			}
		}
		if !dots {
			open = i
		}
	}
	var kept []string
	for i, line := range lines {
		if !gone[i] {
			kept = append(kept, line)
		}
	}
	return kept
}

// isForged reports whether a text is YAML with a key of a memory.
func isForged(text string) bool {
	if len(text) > maxFrontmatter {
		return false
	}
	r := &fieldReader{}
	root, err := r.load(text + "\n")
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(root.Content); i += 2 {
		if memoryKeys[foldKey(root.Content[i].Value)] {
			return true
		}
	}
	return false
}

// memoryKeys are those of a memory's frontmatter, folded.
var memoryKeys = wordSet(`title memorytitle whentouse tags importance discoveredat discoveredby discoveredin source relatedmemories retired`)

// orders quarantines what reads as if it ordered an agent about.
func (e *Extraction) orders() {
	var reasons []string
	for _, f := range e.Memory.fields() {
		for _, found := range quarantine.Find(*f.text) {
			reason := fmt.Sprintf("%s: %s: %q", f.key, found.Kind, shorten(markdown.Line((*f.text)[found.Begin:found.End]), 80))
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	if len(reasons) > 0 {
		e.Action, e.Reason = Quarantined, strings.Join(reasons, "; ")
	}
}

// warnOf says what a person should look at.
func (e *Extraction) warnOf(seen *Run) {
	e.Evidence = shorten(e.Evidence, maxEvidence)
	switch {
	case e.Evidence == "":
		e.warn("evidence: there is none")
	case !resemble.Quotes(seen.Output+"\n"+seen.Err, e.Evidence):
		e.warn("evidence: it does not stand in the output: %q", shorten(e.Evidence, 80))
	}
	if n := countWords(e.Memory); n > mostWords {
		e.warn("content: %d of at most %d words", n, mostWords)
	}
}

// target holds what the answer corrects against the memories that the model was
// shown. A name that was not among them is not believed.
func (e *Extraction) target(existing []Match) {
	e.shown = make(map[string]bool, len(existing))
	for _, m := range existing {
		e.shown[m.Name] = true
	}
	if e.Name == "" {
		return
	}
	name := strings.TrimSuffix(e.Name, suffix)
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "- "), ": ") // or the whole line of the list
	i := slices.IndexFunc(existing, func(m Match) bool {
		return m.Name == name || foldTitle(m.Frontmatter.Title) == foldTitle(e.Name)
	})
	if i < 0 {
		e.warn("contradicts: %q is none of the listed memories; what was to correct it is taken as a memory of its own", shorten(e.Name, 80))
		e.Name = ""
		if e.Action == Corrected {
			e.Action = Created
		}
		return
	}
	e.Name, e.corrects, e.correctsTitle = existing[i].Name, existing[i].Name, existing[i].Frontmatter.Title
}

// related keeps of the related memories those that exist.
func (e *Extraction) related(ctx context.Context, b *Bank) error {
	if len(e.Memory.RelatedMemories) == 0 {
		return nil
	}
	var known []string
	err := b.ask(ctx, func(ix *index) {
		for _, name := range e.Memory.RelatedMemories {
			name = strings.TrimSuffix(name, suffix)
			if ix.entries[name] == nil {
				e.warn("relatedMemories: there is no memory %q", shorten(name, maxLearnedTag))
			} else if !slices.Contains(known, name) && len(known) < maxLearnedTags {
				known = append(known, name)
			}
		}
	})
	e.Memory.RelatedMemories = known
	return err
}

// tidy brings title, tags and source to the form and length that they may have.
func (e *Extraction) tidy() {
	m := e.Memory
	m.Title = markdown.Line(m.Title)
	m.Source = shorten(markdown.Line(m.Source), maxLearnedTask)
	var tags []string
	for _, tag := range m.Tags {
		if tag = shorten(markdown.Line(tag), maxLearnedTag); tag != "" {
			tags = joinNew(tags, []string{tag})
		}
	}
	if len(tags) > maxLearnedTags {
		e.warn("tags: only the first %d of %d are kept", maxLearnedTags, len(tags))
	}
	m.Tags = tags[:min(len(tags), maxLearnedTags)]
}

// provenance says where a memory comes from: the host does, never the model.
func (b *Bank) provenance(e *Extraction, r *Run) {
	m := e.Memory
	if m.DiscoveredBy = r.Agent; m.DiscoveredBy == "" {
		m.DiscoveredBy = "unknown"
		e.warn("the run names no agent; discoveredBy is %q", m.DiscoveredBy)
	}
	m.DiscoveredAt = r.At.UTC().Truncate(time.Second)
	if r.At.IsZero() {
		m.DiscoveredAt = b.now().UTC().Truncate(time.Second)
	}
	m.DiscoveredIn = shorten(markdown.Line(r.Task), maxLearnedTask)
}

// triggers leaves the lines of whenToUse that work and say something.
func (e *Extraction) triggers() {
	m := e.Memory
	lines := m.WhenToUse
	m.WhenToUse = nil
	for _, line := range lines[:min(len(lines), maxGivenTriggers)] {
		if line = markdown.Line(line); line == "" || slices.Contains(m.WhenToUse, line) {
			continue
		}
		if len(m.WhenToUse) == maxLearnedTriggers {
			e.warn("whenToUse: only the first %d lines are kept", maxLearnedTriggers)
			break
		}
		patterns, faults := readPatterns(append(slices.Clip(m.WhenToUse), line))
		switch {
		case len(faults) > 0:
			e.warn("whenToUse: %q was left out: %v", shorten(line, 60), faults[0].err)
		case patterns[len(patterns)-1].trigger.Idle():
			e.warn("whenToUse: %q was left out: it has no word that carries a topic", shorten(line, 60))
		case firesOnEverything(patterns[len(patterns)-1]):
			e.warn("whenToUse: %q was left out: it fires on nearly everything", shorten(line, 60))
		default:
			m.WhenToUse = append(m.WhenToUse, line)
		}
	}
	if patterns, _ := readPatterns(m.WhenToUse); len(patterns) > 1 && firesOnEverything(patterns...) {
		e.warn("whenToUse: all lines were left out: together they fire on nearly everything")
		m.WhenToUse = nil
	}
}

// maxTitleTrigger is how long a trigger gets that is made of a title, in bytes.
const maxTitleTrigger = 120

// titleTrigger gives the words of a title, or else of a tag, as a trigger.
func titleTrigger(m *Memory) string {
	for _, text := range append([]string{m.Title}, m.Tags...) {
		words := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
		words = strings.TrimSpace(strings.ToValidUTF8(words[:min(len(words), maxTitleTrigger)], ""))
		patterns, faults := readPatterns([]string{words})
		if words != "" && len(faults) == 0 && !patterns[0].trigger.Idle() && !firesOnEverything(patterns[0]) {
			return words
		}
	}
	return shorten(m.Title, maxTitleTrigger/4)
}
