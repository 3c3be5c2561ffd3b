package memory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rawko/memory/internal/yamledit"
)

// formatEntry gives the text of an entry without the newline at its end. Of the
// first entry of a file all fields are required that recall needs.
func formatEntry(u *Update, first bool, now time.Time) (string, error) {
	if err := checkRequired(&u.Frontmatter, first); err != nil {
		return "", err
	}
	body, err := normalBody(u.Body)
	if err != nil {
		return "", err
	}
	fm := u.Frontmatter
	if fm.DiscoveredAt.IsZero() {
		fm.DiscoveredAt = now
	}
	w := &fieldWriter{}
	w.frontmatter(&fm)
	if w.err != nil {
		return "", w.err
	}
	if w.Len() > maxFrontmatter {
		return "", fmt.Errorf("frontmatter: %d bytes; at most %d are allowed: %w", w.Len(), maxFrontmatter, ErrTooLarge)
	}
	text := "---\n" + w.String() + "---"
	if body != "" {
		text += "\n\n" + escapeBody(body)
	}
	return text, nil
}

func checkRequired(f *Frontmatter, first bool) error {
	missing := func(field string) error { return fmt.Errorf("%s: missing: %w", field, ErrInvalid) }
	switch {
	case strings.TrimSpace(f.Title) == "":
		return missing("title")
	case first && len(f.WhenToUse) == 0:
		return missing("whenToUse")
	case first && f.Importance == 0:
		return missing("importance")
	case f.Importance < 0 || f.Importance > Critical:
		return fmt.Errorf("importance: unknown value %d: %w", f.Importance, ErrInvalid)
	case strings.TrimSpace(f.DiscoveredBy) == "":
		return missing("discoveredBy")
	}
	return nil
}

// fieldWriter writes frontmatter as YAML that readers of versions 1.1 and 1.2
// understand in the same way. After an error it writes on; the first one counts.
type fieldWriter struct {
	strings.Builder
	err error
}

func (w *fieldWriter) fail(field, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%s: "+format+": %w", append(append([]any{field}, args...), ErrInvalid)...)
	}
}

// frontmatter writes the keys in the order of schema, then the extra ones.
// What is not given is left out.
func (w *fieldWriter) frontmatter(f *Frontmatter) {
	w.text("title", f.Title)
	w.triggers(f.WhenToUse)
	w.list("tags", f.Tags)
	if f.Importance != 0 {
		w.line("importance", f.Importance.String())
	}
	w.time("discoveredAt", f.DiscoveredAt)
	w.checkLine("discoveredBy", f.DiscoveredBy)
	w.line("discoveredBy", yamlPlain(f.DiscoveredBy))
	w.text("discoveredIn", f.DiscoveredIn)
	w.text("source", f.Source)
	w.list("relatedMemories", f.RelatedMemories)
	w.time("retired", f.Retired)
	for _, key := range slices.Sorted(maps.Keys(f.Extra)) {
		switch {
		case slices.Contains(schema[:], key):
			w.fail("extra", "%s is a key of the schema", key)
		default:
			w.line(w.key("extra", key), w.value("extra."+key, f.Extra[key], maxDepth))
		}
	}
}

func (w *fieldWriter) line(key, value string) { w.WriteString(key + ": " + value + "\n") }

func (w *fieldWriter) text(key, s string) {
	if s == "" {
		return
	}
	if strings.TrimSpace(s) == "" {
		w.fail(key, "blank")
	}
	w.checkLine(key, s)
	w.line(key, yamlQuoted(s))
}

func (w *fieldWriter) triggers(triggers []string) {
	if len(triggers) == 0 {
		return
	}
	w.WriteString("whenToUse:\n")
	for i, trigger := range triggers {
		field := fmt.Sprintf("whenToUse[%d]", i)
		w.checkItem(field, trigger)
		if len(trigger) > maxPattern && w.err == nil {
			w.err = fmt.Errorf("%s: %d bytes; at most %d are allowed: %w", field, len(trigger), maxPattern, ErrTooLarge)
		}
		w.WriteString("  - " + yamlQuoted(trigger) + "\n")
	}
}

func (w *fieldWriter) list(key string, items []string) {
	if len(items) == 0 {
		return
	}
	texts := make([]string, len(items))
	for i, item := range items {
		w.checkItem(fmt.Sprintf("%s[%d]", key, i), item)
		texts[i] = yamlPlain(item)
	}
	w.line(key, "["+strings.Join(texts, ", ")+"]")
}

func (w *fieldWriter) time(key string, t time.Time) {
	if !t.IsZero() {
		w.line(key, w.timestamp(key, t))
	}
}

func (w *fieldWriter) timestamp(field string, t time.Time) string {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		w.fail(field, "the year %d cannot be written", t.Year())
	}
	return t.Format(time.RFC3339Nano)
}

func (w *fieldWriter) checkItem(field, s string) {
	if strings.TrimSpace(s) == "" {
		w.fail(field, "empty")
	}
	w.checkLine(field, s)
}

// checkLine checks a string that is meant to be one line.
func (w *fieldWriter) checkLine(field, s string) {
	if !utf8.ValidString(s) {
		w.fail(field, "not UTF-8")
	}
	for _, r := range s {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			w.fail(field, "has a control character or line break, %U", r)
			return
		}
	}
}

// key gives an extra key; YAML has no room for one of more than 1,024 characters.
func (w *fieldWriter) key(field, key string) string {
	if strings.TrimSpace(key) == "" {
		w.fail(field, "empty key")
	}
	if len(key) > maxPattern {
		w.fail(field, "a key of %d bytes", len(key))
	}
	w.checkLine(field+"."+key, key)
	return yamlPlain(key)
}

// value gives an extra value in flow style, on one line.
func (w *fieldWriter) value(field string, v any, depth int) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			w.fail(field, "not UTF-8, or with a NUL")
		}
		return yamlPlain(v)
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v)
	case float32:
		return yamledit.Float(float64(v), 32)
	case float64:
		return yamledit.Float(v, 64)
	case time.Time:
		return w.timestamp(field, v)
	case []string:
		items := make([]any, len(v))
		for i, s := range v {
			items[i] = s
		}
		return w.items(field, items, depth)
	case []any:
		return w.items(field, v, depth)
	case map[string]any:
		return w.pairs(field, v, depth)
	}
	w.fail(field, "a %T cannot be written", v)
	return ""
}

// deep reports, and records, that a list or map is nested too deep. That also
// ends one that contains itself.
func (w *fieldWriter) deep(field string, depth int) bool {
	if depth == 0 {
		w.fail(field, "nested deeper than %d", maxDepth)
	}
	return depth == 0 || w.err != nil
}

func (w *fieldWriter) items(field string, items []any, depth int) string {
	if w.deep(field, depth) {
		return ""
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = w.value(fmt.Sprintf("%s[%d]", field, i), item, depth-1)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func (w *fieldWriter) pairs(field string, m map[string]any, depth int) string {
	if w.deep(field, depth) {
		return ""
	}
	texts := make([]string, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		texts = append(texts, w.key(field, key)+": "+w.value(field+"."+key, m[key], depth-1))
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

// yamlWords are the words that some YAML reader takes for something other than text.
var yamlWords = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true,
	"true": true, "false": true, "null": true, "nan": true, "inf": true, "infinity": true}

// yamlPlain gives s without quotes where no YAML reader can misread that: it begins
// with a letter, goes on with letters, digits and a few signs, and is no word of YAML's.
func yamlPlain(s string) string {
	for i, r := range s {
		inside := i > 0 && strings.ContainsRune("0123456789-_./+ ", r)
		if !unicode.IsLetter(r) && !inside {
			return yamlQuoted(s)
		}
	}
	if s == "" || strings.HasSuffix(s, " ") || yamlWords[strings.ToLower(s)] {
		return yamlQuoted(s)
	}
	return s
}

// yamlQuoted gives s in double quotes, with escapes for what cannot be seen, the
// joiners of emoji and some scripts aside.
func yamlQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r) || r == '\u200c' || r == '\u200d':
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
