package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rawko/memory/internal/linediff"
	"github.com/rawko/memory/internal/quarantine"
	"github.com/rawko/memory/internal/redact"
)

// vet looks at what a call would make of a file.
func (l *reflecting) vet(path string) vet {
	return func(before, after string) error {
		reason := newOrders(before, after)
		if before == "" { // the name of a new file is shown to agents, too
			reason = cmp.Or(reason, orderInPath(path))
		}
		if reason != "" {
			l.call.Quarantined = reason
			return refuse(ErrInvalid, "nothing was written to %s: the text reads as an order to agents, and a person has to see it first. Go on with something else", path)
		}
		if kinds := newSecrets(before, after); kinds != "" {
			return refuse(ErrInvalid, "nothing was written to %s: with this text it would hold a secret (%s)", path, kinds)
		}
		was, _ := withoutSecrets(before)
		is, _ := withoutSecrets(after)
		l.call.Path, l.call.Diff = path, linediff.Unified(path, was, is)
		return nil
	}
}

// orderInPath says what in the name of a file reads as an order, in one of its parts
// or over several.
func orderInPath(path string) string {
	var parts []string
	for part := range strings.SplitSeq(strings.TrimSuffix(path, suffix), "/") {
		parts = append(parts, wordsOf(part))
	}
	return cmp.Or(newOrders("", strings.Join(parts, ". ")), newOrders("", strings.Join(parts, " ")))
}

// wordsOf gives the words of a text between spaces.
func wordsOf(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }), " ")
}

// newOrders says what in a text reads as an order to agents, unless its lines stand in
// the text before as they are. The summary line may repeat words of such an order.
func newOrders(before, after string) string {
	there := make(map[string]bool) // lines with orders
	var words strings.Builder      // of the orders
	for _, f := range quarantine.Find(before) {
		there[linesAround(before, f)] = true
		words.WriteString(" " + strings.ToLower(wordsOf(before[f.Begin:f.End])) + " \n")
	}
	var reasons []string
	look := func(text string) {
		for _, f := range quarantine.Find(text) {
			order, lines := text[f.Begin:f.End], linesAround(text, f)
			repeated := strings.HasPrefix(lines, "> Summary: ") && strings.Contains(words.String(), " "+strings.ToLower(wordsOf(order))+" ")
			if !there[lines] && !repeated {
				clean, _ := withoutSecrets(order)
				reasons = append(reasons, fmt.Sprintf("%s: %q", f.Kind, shorten(clean, 80)))
			}
		}
	}
	look(after)
	if len(there) > 0 && len(reasons) == 0 { // one may hide in the passage of another
		look(newLines(before, after))
	}
	return strings.Join(reasons, "; ")
}

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

// newSecrets names the kinds of secrets in a text that the one before did not have.
func newSecrets(before, after string) string {
	old := make(map[string]bool)
	for _, s := range redact.Find(before) {
		old[before[s.Begin:s.End]] = true
	}
	var kinds []string
	for _, s := range redact.Find(after) {
		if !old[after[s.Begin:s.End]] && !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
	}
	return strings.Join(kinds, ", ")
}

// cleanArgs takes secrets out of a model's arguments: out of all for the record, and
// out of all but what is to be found in a file for the call.
func cleanArgs(raw json.RawMessage) (args, shown json.RawMessage, removed []string) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil { // the tool will say so
		text, _ := withoutSecrets(string(raw))
		shown, _ := jsonText(text)
		return raw, shown, nil
	}
	args, removed = cleanStrings(raw, v, "oldText")
	shown, _ = cleanStrings(raw, v, "")
	return args, shown, removed
}

// cleanStrings gives a JSON value without the secrets in its strings, but for those of
// one key. Where there are none it is raw.
func cleanStrings(raw json.RawMessage, v any, but string) (clean json.RawMessage, removed []string) {
	v = mapStrings("", v, func(key, s string) string {
		if key == but && but != "" {
			return s
		}
		s, found := withoutSecrets(s)
		for _, secret := range found {
			where, _ := withoutSecrets(shorten(key, maxAgent))
			removed = append(removed, fmt.Sprintf("%s: a secret (%s)", where, secret.Kind))
		}
		return s
	})
	if len(removed) == 0 {
		return raw, nil
	}
	slices.Sort(removed)   // the keys of an object have no order
	clean, _ = jsonText(v) // what was read as JSON can be written
	return clean, removed
}
