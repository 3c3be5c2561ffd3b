package memory

import (
	"context"
	"fmt"
	"time"
)

// LLM answers a prompt. A host puts any model behind it.
type LLM interface {
	// Complete gives the model's answer to one prompt. An error is passed on to
	// the caller of the library as it is.
	Complete(ctx context.Context, prompt string) (string, error)
}

// LLMFunc is a function as an [LLM].
type LLMFunc func(ctx context.Context, prompt string) (string, error)

// Complete calls f.
func (f LLMFunc) Complete(ctx context.Context, prompt string) (string, error) { return f(ctx, prompt) }

// Outcome says how a run ended, as far as the host knows. The zero value is "unknown".
type Outcome int

// The results of SPEC-0009 ("Extraction Implementation").
const (
	Success Outcome = iota + 1
	Failure
	Partial
)

var outcomeNames = [...]string{"unknown", "success", "failure", "partial"}

// String gives the name in lower case.
func (o Outcome) String() string {
	if o < 0 || int(o) >= len(outcomeNames) {
		return fmt.Sprintf("Outcome(%d)", int(o))
	}
	return outcomeNames[o]
}

// Run is what an agent did: what is learned from.
type Run struct {
	Agent    string // its name; becomes discoveredBy of what is learned
	Task     string // becomes discoveredIn
	Output   string // what the agent said and did, as text
	Err      string // how it failed; "" when it did not
	Outcome  Outcome
	At       time.Time // becomes discoveredAt; zero: now
	Injected string    // the block that the run was given, which is not learned again
}

// Decision is what was made of a run.
type Decision int

// The decisions. With [Extractor.Extract] they say what Learn would do.
const (
	Skipped     Decision = iota // nothing is kept
	Created                     // a memory of its own
	Updated                     // an update of a memory that is there
	Corrected                   // a correction of a memory that is there
	Quarantined                 // it reads as if it ordered an agent about, and is not kept
)

var decisionNames = [...]string{"skipped", "created", "updated", "corrected", "quarantined"}

// String gives the name in lower case.
func (d Decision) String() string {
	if d < 0 || int(d) >= len(decisionNames) {
		return fmt.Sprintf("Decision(%d)", int(d))
	}
	return decisionNames[d]
}

// Extraction is what a model wanted kept of a run, and what became of it.
type Extraction struct {
	Decision Decision
	// Name of the memory that is written: with Updated and Corrected one that is
	// there, with Created the new one's once it is kept. "" where nothing is.
	Name   string
	Memory *Memory // what is appended; of Quarantined what would have been; nil where the model gave nothing
	Reason string  // why it was skipped or quarantined

	Reasoning string   // the model's own words
	Evidence  string   // the model's quotation from the output
	Warnings  []string // what a person should look at
	Removed   []string // what was taken out of the answer: secrets, provenance that is not the model's to give

	PromptTokens int // of all prompts that were sent, by Options.CountTokens
	ReplyTokens  int // of all replies
}
