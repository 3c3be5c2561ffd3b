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
		after, removed := withoutNewSecrets(before, after)
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
		l.call.Removed, l.call.Path, l.call.Diff = removed, path, linediff.Unified(path, was, is)
		return after, nil
	}
}

// withoutBuilt gives a file without a summary that was built: its words stand below.
func withoutBuilt(path, text string) string {
	if rebuild(path, text) == text {
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
	words := strings.Join(parts, " ")
	return cmp.Or(newOrders("", strings.Join(parts, ". ")), newOrders("", words), newOrders("", words+" "+summary))
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
		old[before[s.Begin:s.End]] = true
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

// shownArgs gives a model's arguments for the record, without secrets.
func shownArgs(raw json.RawMessage) json.RawMessage {
	clean := func(_, s string) string {
		s, _ = withoutSecrets(s)
		return s
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil { // the tool will say so
		return json.RawMessage(jsonText(clean("", string(raw))))
	}
	return json.RawMessage(jsonText(mapStrings("", v, func(key, s string) string {
		var inner any
		if key == "patches" && json.Unmarshal([]byte(s), &inner) == nil { // a text that holds JSON
			return jsonText(mapStrings("", inner, clean))
		}
		return clean(key, s)
	})))
}
