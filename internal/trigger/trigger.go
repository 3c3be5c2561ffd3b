// Package trigger reads the lines of whenToUse: what each alternative of a line
// is (a regular expression, a glob or a phrase), and how strongly a text matches it.
package trigger

import (
	"fmt"
	"strings"

	"github.com/rawko/memory/internal/lexical"
)

// MaxLen is the longest line that is read, in bytes.
const MaxLen = 256

// maxSteps is how many steps the alternatives of a line may have together, and
// maxMemorySteps those of all lines of a memory; see countSteps and
// [lexical.Phrase.Cost]. Go's regexp takes time in proportion to the text and to
// the steps that it must try at once: ".{480}x" takes a fifth of a second for
// 64 KiB. What repeats nothing has about as many steps as bytes.
const (
	maxSteps       = 256
	maxMemorySteps = 2 * maxSteps
)

// Trigger is a line that was read. It is safe for concurrent use.
type Trigger struct {
	always       bool // "*"
	alternatives []alternative
	warnings     []string
}

type alternative interface {
	in(*lexical.Text) lexical.Degree
	steps() int // see maxSteps
}

// Error says what is wrong with one alternative of a line, or with the line.
type Error struct {
	Msg      string
	TooLarge bool // a cap was broken
}

func (e *Error) Error() string { return e.Msg }

// Compile reads the lines of a memory. Each trigger works with the alternatives
// that could be read; there is an error for each of the others, by line.
func Compile(lines ...string) ([]*Trigger, [][]*Error) {
	triggers, errs := make([]*Trigger, len(lines)), make([][]*Error, len(lines))
	left := budget{steps: maxMemorySteps}
	for i, line := range lines {
		triggers[i], errs[i] = compileLine(line, &left)
	}
	return triggers, errs
}

// budget is what the lines of a memory may still cost.
type budget struct {
	steps   int
	refused int // alternatives that were too much
}

// maxRefused is how many alternatives are compiled only to find that they are too much.
const maxRefused = 8

// compileLine takes the steps of a line from those that are left to its memory.
func compileLine(line string, left *budget) (*Trigger, []*Error) {
	t := &Trigger{}
	if len(line) > MaxLen {
		return t, []*Error{{fmt.Sprintf("is %d bytes long; shorten it to %d, or make it several lines", len(line), MaxLen), true}}
	}
	var errs []*Error
	steps, open := 0, false
	for _, source := range split(line) {
		if source == "*" {
			t.always = true
			continue
		}
		if left.refused >= maxRefused && !isPlain(source) {
			errs = append(errs, &Error{fmt.Sprintf("%q is too much for the memory, whose lines before it cost %d of %d steps of matching; say it in words, or split the memory", source, maxMemorySteps-left.steps, maxMemorySteps), true})
			continue
		}
		a, err := compile(source)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n := a.steps()
		switch {
		case steps+n > maxSteps:
			errs = append(errs, &Error{fmt.Sprintf("%q brings the line to %d steps of matching (at most %d); repeat less, or make it several lines", source, steps+n, maxSteps), true})
			continue
		case n > left.steps:
			left.refused++
			errs = append(errs, &Error{fmt.Sprintf("%q brings the lines of the memory to %d steps of matching (at most %d); repeat less, say it in words, or split the memory", source, maxMemorySteps-left.steps+n, maxMemorySteps), true})
			continue
		}
		steps += n
		left.steps -= n
		t.alternatives = append(t.alternatives, a)
		if _, ok := slashed(source); !ok && !bracketsMatch(source) {
			open = true
		}
		if warning := warn(source, a); warning != "" {
			t.warnings = append(t.warnings, warning)
		}
	}
	if !t.always && len(t.alternatives) == 0 && len(errs) == 0 {
		t.warnings = append(t.warnings, "is empty and can never fire")
	}
	if open && strings.ContainsAny(line, "|*") {
		t.warnings = append(t.warnings, "has brackets that do not match; a regular expression can be set between slashes")
	}
	return t, errs
}

// isPlain reports whether an alternative is words alone, which cost little to read.
func isPlain(source string) bool {
	_, slashes := slashed(source)
	return !slashes && !looksRegular(source) && !isGlob(source) && !hasOptional(source)
}

// compile reads one alternative.
func compile(source string) (alternative, *Error) {
	if inner, ok := slashed(source); ok {
		re, err := asRegexp(inner)
		if err != nil {
			return nil, err
		}
		return re, nil
	}
	if looksRegular(source) {
		re, err := asRegexp(source)
		if err == nil {
			return re, nil
		}
		if !isPlainGlob(source) {
			return nil, err
		}
	}
	if isGlob(source) {
		return asGlob(source)
	}
	p := phrase{Phrase: lexical.NewPhrase(source)}
	if hasOptional(source) {
		p.optional, _ = asRegexp(source) // if it is none, it is a phrase all the same
	}
	return p, nil
}

// In tells how strongly the text matches: as strongly as the best alternative.
func (t *Trigger) In(text *lexical.Text) lexical.Degree {
	if t.always {
		return lexical.Whole
	}
	best := lexical.Nothing
	for _, a := range t.alternatives {
		if best = max(best, a.in(text)); best == lexical.Whole {
			break
		}
	}
	return best
}

// Idle reports whether nothing of the line fires on more than its own letters:
// each alternative can never fire, or is a phrase without a word that carries a topic.
func (t *Trigger) Idle() bool {
	for _, a := range t.alternatives {
		switch a := a.(type) {
		case *regular:
			if !a.never() {
				return false
			}
		case phrase:
			if a.HasContent() || a.optional != nil {
				return false
			}
		default:
			return false
		}
	}
	return !t.always
}

// Warnings says what about the line works less well than its writer may think.
func (t *Trigger) Warnings() []string { return t.warnings }

func warn(source string, a alternative) string {
	switch a := a.(type) {
	case *regular:
		if a.never() {
			return fmt.Sprintf("%q can never fire", source)
		}
	case phrase:
		if strings.HasPrefix(source, "^") {
			return fmt.Sprintf("%q is read as words; for a regular expression write /%s/", source, source)
		}
		if !a.HasContent() {
			return fmt.Sprintf("%q has no word that carries a topic: it fires only where it stands literally", source)
		}
	}
	return ""
}

// phrase is plain words; where a "?" could mean "optional" it is tried as a
// regular expression too.
type phrase struct {
	*lexical.Phrase
	optional *regular // nil: none
}

func (p phrase) in(text *lexical.Text) lexical.Degree {
	if p.optional != nil && p.optional.in(text) == lexical.Whole {
		return lexical.Whole
	}
	return p.In(text)
}

func (p phrase) steps() int {
	if p.optional == nil {
		return p.Cost()
	}
	return p.Cost() + p.optional.steps()
}

// hasOptional reports whether a "?" inside s follows a letter or a parenthesis, as in "colou?r".
func hasOptional(s string) bool {
	for i := 1; i < len(s)-1; i++ {
		if s[i] == '?' && (isLetter(s[i-1]) || s[i-1] == ')') {
			return true
		}
	}
	return false
}
