package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/replyjson"
)

// answer is a model's answer while it is read.
type answer struct {
	found    *replyjson.Found
	sources  []answerSource // where values are looked for, the one that counts first
	yaml     []*Frontmatter // frontmatter that was given as text
	budget   *int           // how often YAML may still be read
	warnings []string
	removed  []string
}

// answerSource is an object of an answer.
type answerSource struct {
	path string // the keys that lead to it, each with a dot behind
	*replyjson.Object
}

// maxYAML is how often YAML is read for the candidates of a reply, and again for
// the answer; it takes milliseconds where it is hostile.
const maxYAML = 8

// newAnswer finds the places in which models put values: the frontmatter, the
// top, and where there is no content at the top, the one object there that has
// it, and does not decide itself.
func newAnswer(found *replyjson.Found, budget *int) *answer {
	a := &answer{found: found, budget: budget}
	a.source("", found.Object)
	if isGiven(found.Object.Get("content")) {
		return a
	}
	var path string
	var only *replyjson.Object
	for _, m := range found.Object.Members {
		inner, ok := m.Value.(*replyjson.Object)
		if !ok || m.Folded == "frontmatter" || !isGiven(inner.Get("content")) {
			continue
		}
		if only != nil || inner.Has(answerKeys[0]) {
			return a
		}
		path, only = m.Key+".", inner
	}
	if only != nil {
		a.source(path, only)
	}
	return a
}

// yamlOf reads YAML as often as that is bounded.
func (a *answer) yamlOf(text string) *Frontmatter {
	if *a.budget <= 0 {
		return nil
	}
	*a.budget--
	return readYAML(text)
}

// source adds an object, behind its frontmatter.
func (a *answer) source(path string, o *replyjson.Object) {
	switch front := o.Get("frontmatter").(type) {
	case *replyjson.Object:
		a.sources = append(a.sources, answerSource{path + "frontmatter.", front})
	case replyjson.Text:
		if !isGiven(front) || front.Cut {
			break
		}
		if fm := a.yamlOf(cleanText(front.String())); fm != nil {
			a.fromYAML("frontmatter.", fm)
		} else {
			a.warn("frontmatter cannot be read as an object or as YAML; left out")
		}
	}
	a.sources = append(a.sources, answerSource{path, o})
}

func (a *answer) warn(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

// maxNamed is how many keys are named that were left out.
const maxNamed = 20

func (a *answer) remove(what string) {
	if len(a.removed) == maxNamed {
		what = "more keys"
	}
	if len(a.removed) <= maxNamed && !slices.Contains(a.removed, what) {
		a.removed = append(a.removed, what)
	}
}

// unknownKeys names the keys that were given and not read.
func (a *answer) unknownKeys() {
	for _, s := range a.sources {
		for _, m := range s.Members {
			inner := slices.ContainsFunc(a.sources, func(o answerSource) bool { return o.Object == m.Value })
			if !inner && isGiven(m.Value) && !slices.Contains(answerKeys[:], m.Folded) {
				a.remove(keyName(s.path + m.Key))
			}
		}
	}
}

// keyName shows a key, which is the model's text, in one short line.
func keyName(key string) string { return shorten(oneSpaced(cleanText(key)), 60) }

// isGiven reports whether a value says anything.
func isGiven(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case replyjson.Text:
		return strings.TrimSpace(v.String()) != ""
	case []any:
		return slices.ContainsFunc(v, isGiven)
	case *replyjson.Object:
		return len(v.Members) > 0
	}
	return true
}

func isCut(texts []replyjson.Text) bool {
	return slices.ContainsFunc(texts, func(t replyjson.Text) bool { return t.Cut })
}

// value gives the first value of a key that says anything.
func (a *answer) value(key string) any {
	for _, s := range a.sources {
		if v := s.Get(replyjson.Fold(key)); isGiven(v) {
			return v
		}
	}
	return nil
}

// texts gives the texts of a key, each in one line, without one that is cut.
func (a *answer) texts(key string, read func(replyjson.Text) string) []string {
	texts, ok := replyjson.Texts(a.value(key))
	if !ok {
		a.warn("%s has an object where a text is meant; left out", key)
	}
	var lines []string
	for _, t := range texts {
		if !t.Cut {
			lines = append(lines, splitText(cleanText(strings.ReplaceAll(read(t), "\t", " ")), "\n")...)
		}
	}
	return lines
}

// line reads a text of one line; of a list, the items with a comma between them.
func (a *answer) line(key string) string {
	return oneSpaced(strings.Join(a.texts(key, oneLined), ", "))
}

// oneLined makes one text of the lines of a text.
func oneLined(t replyjson.Text) string { return oneLine(cleanText(t.String())) }

func oneSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// list reads a list, or a text with commas between the items.
func (a *answer) list(key string) []string {
	_, isList := a.value(key).([]any)
	lines := a.texts(key, replyjson.Text.String)
	if isList {
		return lines
	}
	var items []string
	for _, line := range lines {
		items = append(items, splitText(line, ",")...)
	}
	return items
}

// triggers reads whenToUse. Each line is a trigger; commas are the trigger's own.
func (a *answer) triggers() []string { return a.texts("whenToUse", replyjson.Text.Pattern) }

// prose reads a text of several lines, even one that is cut.
func (a *answer) prose(key string) string {
	texts, _ := replyjson.Texts(a.value(key))
	return strings.TrimSpace(joined(texts))
}

// joined gives texts as lines.
func joined(texts []replyjson.Text) string {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = cleanText(t.String())
	}
	return strings.Join(parts, "\n")
}

// importance reads a level; the zero value where it is missing or unknown.
func (a *answer) importance() Importance {
	level, err := ParseImportance(a.line("importance"))
	if err != nil {
		return 0
	}
	return level
}

// readBool reads a boolean, and the words and numbers that stand for one.
func readBool(v any) (value, ok bool) {
	var word string
	switch v := v.(type) {
	case bool:
		return v, true
	case json.Number:
		word = v.String()
	case replyjson.Text:
		word = v.String()
	}
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "true", "yes", "y", "1", "on":
		return true, true
	case "false", "no", "n", "0", "off":
		return false, true
	}
	return false, false
}

// readYAML reads frontmatter that was given as text, with or without its fences.
// It gives nil for what is none.
func readYAML(text string) *Frontmatter {
	lines := trimBlank(strings.Split(text, "\n"))
	if len(lines) > 0 && isFence(lines[0]) {
		lines = lines[1:]
	}
	if n := len(lines); n > 0 && isFence(lines[n-1]) {
		lines = lines[:n-1]
	}
	text = strings.Join(lines, "\n") + "\n"
	if len(text) > maxFrontmatter {
		return nil
	}
	fm, _, err := readFrontmatter("", text, 0, false)
	if err != nil {
		return nil
	}
	return fm
}

// fromYAML keeps frontmatter for [answer.fill], and names what of it is left out.
func (a *answer) fromYAML(path string, fm *Frontmatter) {
	a.yaml = append(a.yaml, fm)
	for _, provenance := range []struct {
		key   string
		given bool
	}{
		{"discoveredAt", !fm.DiscoveredAt.IsZero()}, {"discoveredBy", fm.DiscoveredBy != ""},
		{"discoveredIn", fm.DiscoveredIn != ""}, {"retired", !fm.Retired.IsZero()},
	} {
		if provenance.given {
			a.remove(path + provenance.key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fm.Extra)) {
		a.remove(keyName(path + key))
	}
}

// yamlTitle is the first title of frontmatter that was given as text.
func (a *answer) yamlTitle() string {
	for _, fm := range a.yaml {
		if title := oneSpaced(cleanText(fm.Title)); hasWord(title) {
			return title
		}
	}
	return ""
}

// fill takes what is missing from frontmatter that was given as text.
func (a *answer) fill(f *Frontmatter) {
	for _, fm := range a.yaml {
		if len(f.WhenToUse) == 0 {
			f.WhenToUse = cleanLines(fm.WhenToUse)
		}
		if len(f.Tags) == 0 {
			f.Tags = cleanLines(fm.Tags)
		}
		if len(f.RelatedMemories) == 0 {
			f.RelatedMemories = cleanLines(fm.RelatedMemories)
		}
		if f.Source == "" {
			f.Source = oneSpaced(cleanText(fm.Source))
		}
		if f.Importance == 0 {
			f.Importance = fm.Importance
		}
	}
}

// cleanLines cleans what an escape of YAML's may have brought in.
func cleanLines(items []string) (lines []string) {
	for _, item := range items {
		lines = append(lines, splitText(cleanText(strings.ReplaceAll(item, "\t", " ")), "\n")...)
	}
	return lines
}
