package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rawko/memory/internal/linediff"
	"github.com/rawko/memory/internal/markdown"
	"github.com/rawko/memory/internal/quarantine"
	"github.com/rawko/memory/internal/redact"
	"github.com/rawko/memory/internal/summary"
)

// vet looks at what a call would make of a file: secrets that it did not have before are
// replaced, and what reads as an order stops the write.
func (l *reflecting) vet(path string) vet {
	return func(before, after string) (string, error) {
		built := isBuilt(path, after)
		if built { // it may hold half of a secret, which is none to look for
			after = summary.Set(after, "-")
		}
		after, removed := withoutNewSecrets(before, after)
		if built {
			after = summary.Set(after, builtFor(path, after))
		}
		reason := newOrders(withoutBuilt(path, before), withoutBuilt(path, after))
		if before == "" { // the name of a new file is shown to agents, too
			if _, secrets := withoutSecrets(path); len(secrets) > 0 {
				return "", refuse(ErrInvalid, "nothing was written: the path holds a secret")
			}
			reason = cmp.Or(reason, orderInPath(path, summary.Get(after)))
		}
		if reason != "" {
			l.call.Quarantined = reason
			return "", refuse(ErrInvalid, "nothing was written to %s: the text reads as an order to agents, and a person has to see it first. Go on with something else", path)
		}
		was, _ := withoutSecrets(before)
		is, _ := withoutSecrets(after)
		l.call.Removed = distinct(append(slices.Clip(l.removed), removed...))
		if l.call.Diff = linediff.Unified(path, was, is); after != before {
			l.call.Path = path
		}
		return after, nil
	}
}

// isBuilt reports whether a file's summary is the one that is built for it.
func isBuilt(path, text string) bool {
	s := summary.Get(text)
	return s != "" && s == builtFor(path, text)
}

// builtFor gives the summary that is built for a file.
func builtFor(path, text string) string { return summary.Get(rebuild(path, summary.Drop(text))) }

// withoutBuilt gives a file without a summary that was built: its words stand below.
func withoutBuilt(path, text string) string {
	if isBuilt(path, text) {
		return summary.Drop(text)
	}
	return text
}

// orderInPath says what reads as an order in the name of a file, in one of its parts or
// over several, or in what the index says of it beside that.
func orderInPath(path, summary string) string {
	var parts []string
	for part := range strings.SplitSeq(strings.TrimSuffix(path, suffix), "/") {
		parts = append(parts, wordsOf(part))
	}
	for _, text := range []string{strings.Join(parts, ". "), strings.Join(parts, " "), strings.Join(parts, " ") + " " + summary, parts[len(parts)-1] + " " + summary} {
		if reason := newOrders("", text); reason != "" {
			return reason
		}
	}
	return ""
}

// wordsOf gives the words of a text between spaces.
func wordsOf(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }), " ")
}

// newOrders says what in a text reads as an order to agents, as it stands or without
// marks of Markdown that could part its words, unless its lines stand in the text before
// as they are.
func newOrders(before, after string) string {
	there := make(map[string]bool) // lines with orders
	for _, text := range []string{before, unmarked.Replace(before)} {
		for _, f := range quarantine.Find(text) {
			there[linesAround(text, f)] = true
		}
	}
	var reasons []string
	look := func(text string) {
		for _, f := range quarantine.Find(text) {
			if there[linesAround(text, f)] {
				continue
			}
			order, _ := withoutSecrets(text[f.Begin:f.End])
			if reason := fmt.Sprintf("%s: %q", f.Kind, shorten(order, 80)); !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	look(after)
	if plain := unmarked.Replace(after); plain != after {
		look(plain)
	}
	if len(there) > 0 && len(reasons) == 0 { // one may hide in the passage of another
		look(newLines(before, after))
	}
	if more := len(reasons) - maxPlaces; more > 0 {
		reasons = append(reasons[:maxPlaces], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(reasons, "; ")
}

// unmarked takes out marks that a reader does not see.
var unmarked = strings.NewReplacer("*", "", "_", "", "~", "", "`", "", "\\", "", "[]()", "")

// newLines gives the lines of a text that the one before does not have.
func newLines(before, after string) string {
	old := make(map[string]bool)
	for line := range strings.SplitSeq(before, "\n") {
		old[line] = true
	}
	var lines []string
	for line := range strings.SplitSeq(after, "\n") {
		if !old[line] {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// linesAround gives the lines in which something was found, whole.
func linesAround(text string, f quarantine.Finding) string {
	begin := strings.LastIndexByte(text[:f.Begin], '\n') + 1
	if end := strings.IndexByte(text[f.End:], '\n'); end >= 0 {
		return text[begin : f.End+end]
	}
	return text[begin:]
}

// withoutNewSecrets replaces the secrets in a text that the one before did not have, and
// names their kinds.
func withoutNewSecrets(before, after string) (clean string, kinds []string) {
	old := make(map[string]bool)
	for _, s := range redact.Find(before) {
		secret := before[s.Begin:s.End]
		old[secret], old[markdown.Visible(secret)] = true, true
	}
	replace := func(text string) string {
		var b strings.Builder
		at := 0
		for _, s := range redact.Find(text) {
			if old[text[s.Begin:s.End]] {
				continue
			}
			b.WriteString(text[at:s.Begin] + "[REDACTED:" + s.Kind + "]")
			kinds = append(kinds, "a secret ("+s.Kind+")")
			at = s.End
		}
		return b.String() + text[at:]
	}
	clean = replace(after)
	if visible := markdown.Visible(clean); visible != clean { // what an invisible character hides
		if again := replace(visible); again != visible {
			return again, kinds
		}
	}
	return clean, kinds
}

// cleanArgs gives a model's arguments without secrets, and their kinds.
func cleanArgs(raw json.RawMessage) (args json.RawMessage, kinds []string) {
	clean := func(_, s string) string {
		s, found := withoutSecrets(s)
		for _, secret := range found {
			kinds = append(kinds, "a secret ("+secret.Kind+")")
		}
		return s
	}
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil { // the tool will say so
		return json.RawMessage(jsonText(clean("", string(raw)))), nil
	}
	args = json.RawMessage(jsonText(mapStrings("", v, func(key, s string) string {
		var inner any
		if key == "patches" && json.Unmarshal([]byte(s), &inner) == nil { // a text that holds JSON
			return jsonText(mapStrings("", inner, clean))
		}
		return clean(key, s)
	})))
	return args, distinct(kinds)
}

// distinct gives a list without what is there twice, sorted.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
