package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rawko/memory/internal/lexical"
	"github.com/rawko/memory/internal/trigger"
)

// maxMatchText is how much of a text is matched, in bytes from its start.
const maxMatchText = 64 << 10

// Strength says how strongly a text matches a trigger.
type Strength int

// The strengths. [Bank.Recall] asks for the more of it, the less important a memory is.
const (
	None     Strength = iota
	Slight            // fewer than half of a phrase's words, or a word found inside another
	Moderate          // half of the words or more
	Close             // all of the words, or the stem or beginning of a single word
	Exact             // the phrase as it stands, a regular expression, a glob, or "*"
)

var strengthNames = [...]string{"none", "slight", "moderate", "close", "exact"}

// String gives the name in lower case.
func (s Strength) String() string {
	if s < 0 || int(s) >= len(strengthNames) {
		return fmt.Sprintf("Strength(%d)", int(s))
	}
	return strengthNames[s]
}

// Pattern is a line of whenToUse made ready for matching (SPEC-0009, "Pattern
// Matching"; docs/decisions.md has the rules whole).
//
//   - Bars separate alternatives: "auth|login". So do commas where each item
//     has one or two words.
//   - "/…/" is a regular expression in Go's syntax. An alternative that is
//     unmistakably one, such as "implement.*auth", is read as one too.
//   - One word with a star is a glob: "*.go", "src/**/*.sql". "*" alone is
//     always [Exact].
//   - Everything else is words: "When implementing security" fires on a task
//     about security.
//
// Case matters in one way only: a word is cut at its humps, so that "OAuth" holds
// the word "auth". A Pattern is safe for concurrent use.
type Pattern struct {
	source  string
	trigger *trigger.Trigger
}

// CompilePattern reads one line of whenToUse. It fails with [ErrInvalid] where
// an alternative is meant as a regular expression and is none that Go reads,
// and with [ErrTooLarge] where the line is longer than 256 bytes or compiles to
// something too costly to match. The pattern is nil then.
func CompilePattern(whenToUse string) (*Pattern, error) {
	patterns, faults := readPatterns([]string{whenToUse})
	if len(faults) > 0 {
		return nil, faults[0].asError()
	}
	return patterns[0], nil
}

// fault is what is wrong with an alternative of a line.
type fault struct {
	line string
	err  *trigger.Error
}

// asError is the fault for a caller who gave the line.
func (f fault) asError() error {
	kind := ErrInvalid
	if f.err.TooLarge {
		kind = ErrTooLarge
	}
	return fmt.Errorf("whenToUse %q: %w: %w", shorten(f.line, 60), f.err, kind)
}

// readPatterns gives the patterns of a memory, one for each line of whenToUse,
// with those alternatives that can be read, and what is wrong with each of the
// others. The lines of a memory share one budget.
func readPatterns(whenToUse []string) (patterns []*Pattern, faults []fault) {
	triggers, errs := trigger.Compile(whenToUse...)
	for i, line := range whenToUse {
		patterns = append(patterns, &Pattern{source: line, trigger: triggers[i]})
		for _, err := range errs[i] {
			faults = append(faults, fault{line, err})
		}
	}
	return patterns, faults
}

// Match tells how strongly a text matches. Only its first 64 KiB are looked at.
func (p *Pattern) Match(text string) Strength {
	text, _ = normalize(text)
	return p.in(lexical.NewText(text))
}

// String gives the line as it was written.
func (p *Pattern) String() string { return p.source }

func (p *Pattern) in(text *lexical.Text) Strength {
	return Strength(p.trigger.In(text)) // the degrees are the strengths, by their order
}

// normalize gives what is matched of a text, and whether that is only its
// beginning. It is cut before and after: a character can become eighteen. What a
// cut leaves of a character becomes a space.
func normalize(s string) (text string, cut bool) {
	text = lexical.Normalize(s[:min(len(s), maxMatchText)])
	cut = max(len(s), len(text)) > maxMatchText
	return strings.ToValidUTF8(text[:min(len(text), maxMatchText)], " "), cut
}

// shorten cuts what is quoted in a message.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.ToValidUTF8(string([]rune(s)[:n]), "") + "…"
}
