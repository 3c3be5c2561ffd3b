package memory

import (
	"context"
	"errors"
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
	Task     string // its first 200 characters become discoveredIn
	Output   string // what the agent said and did, as text
	Err      string // how it failed; "" when it did not
	Outcome  Outcome
	At       time.Time // becomes discoveredAt; zero: now
	Injected string    // the block that the run was given, which is not learned again
}

// Action is what was made of a run.
type Action int

// The actions. With [Extractor.Extract] they say what Learn would do.
const (
	Skipped     Action = iota // nothing is kept
	Created                   // a memory of its own
	Updated                   // an update of a memory that is there
	Corrected                 // a correction of a memory that is there
	Quarantined               // it reads as if it ordered an agent about, and is not kept
)

var actionNames = [...]string{"skipped", "created", "updated", "corrected", "quarantined"}

// String gives the name in lower case.
func (a Action) String() string {
	if a < 0 || int(a) >= len(actionNames) {
		return fmt.Sprintf("Action(%d)", int(a))
	}
	return actionNames[a]
}

// Extraction is what a model wanted kept of a run, and what became of it.
type Extraction struct {
	Action Action
	// Name of the memory that is written: with Updated and Corrected one that is
	// there, with Created the new one's once it is kept. With Skipped the one that
	// says it already, if that is the reason.
	Name   string
	Memory *Memory // what is appended, and of Quarantined what would be; nil with Skipped
	Reason string  // why it was skipped, or quarantined, also where it was kept afterwards

	Reasoning string   // the model's own words
	Evidence  string   // the model's quotation from the output
	Warnings  []string // what a person should look at
	Removed   []string // what was taken out of the answer: secrets, provenance that is not the model's to give

	PromptTokens int // of all prompts that were sent, by Options.CountTokens
	ReplyTokens  int // of all replies

	bank  *Bank
	draft *Memory         // what was checked, before it was placed; nil: there is nothing to keep
	shown map[string]bool // the names of the memories that the model was shown

	corrects, correctsTitle string // the memory that is there and that this corrects
}

// Extractor asks a model whether a run left something worth remembering, checks
// the answer, and appends it (SPEC-0009, "Memory Extraction"). Bank and LLM are
// required; every other field may be zero. It is safe for concurrent use when
// its LLM and functions are.
type Extractor struct {
	Bank *Bank
	LLM  LLM
	// Definition is the definition of the extracting agent, of which the Prompt is
	// used: it stands in place of the instructions that ship, and what the answer
	// has to look like is added to it. Nil, or an empty Prompt: [ExtractorDefinition].
	Definition *Agent
	// When decides whether the model is asked about a run at all; the run's output
	// comes without what was injected. Nil: [Substantial]. A policy in its place
	// should ask Substantial too, as those of this package do.
	When func(Run) bool
	// MaxOutput is how much of a run's output the model sees, in characters: the
	// beginning and the end. 0: 12,000; negative: all of it.
	MaxOutput int
}

// attempts is how often Learn asks a model about a run.
const attempts = 2

// Extract decides what of a run is worth remembering, and writes nothing.
//
// An error of the model is given as it is; a reply that cannot be understood is
// a [*ReplyError]. With an error, too, the extraction is not nil: it has the sizes.
func (x *Extractor) Extract(ctx context.Context, r Run) (*Extraction, error) {
	e, err := x.decide(ctx, r, 1)
	if err != nil || e.draft == nil {
		return e, err
	}
	return e, x.Bank.place(ctx, e)
}

// Learn decides what of a run is worth remembering, and appends it: as a memory
// of its own, or as an update or correction of one that is there. What adds nothing
// to what is there is not written, nor is what was quarantined; [Extractor.Keep] can
// do so once a person has seen it. A reply that cannot be understood is asked for
// once more, with what is wrong with it. Errors are those of Extract and of
// [Bank.Append].
func (x *Extractor) Learn(ctx context.Context, r Run) (*Extraction, error) {
	e, err := x.decide(ctx, r, attempts)
	if err != nil || e.draft == nil {
		return e, err
	}
	if e.Action == Quarantined {
		return e, x.Bank.place(ctx, e)
	}
	return e, x.Keep(ctx, e)
}

// Keep appends what Extract gave or Learn quarantined: it is the host's word that
// this may be written. Where it goes is decided anew, and Action, Name and Memory
// say what became of it. What was skipped is left, and so is what Keep has kept
// already. An extraction that is not from this extractor's bank is [ErrInvalid].
func (x *Extractor) Keep(ctx context.Context, e *Extraction) error {
	if e == nil || e.bank != x.Bank || x.Bank == nil {
		return fmt.Errorf("keep: want an extraction of this extractor's Extract or Learn: %w", ErrInvalid)
	}
	if e.draft == nil {
		return nil
	}
	if err := x.Bank.learn(ctx, e); err != nil {
		if e.Name = ""; e.Action != Quarantined {
			e.Action = Skipped // nothing was written
		}
		return fmt.Errorf("learn %q: %w", shorten(e.draft.Title, 60), x.Bank.orClosed(err))
	}
	return nil
}

// decide asks the model and checks its answer. The extraction is never nil.
func (x *Extractor) decide(ctx context.Context, r Run, attempts int) (*Extraction, error) {
	e := &Extraction{}
	if x.Bank == nil {
		return e, fmt.Errorf("extract: Extractor.Bank is nil: %w", ErrInvalid)
	}
	if x.LLM == nil {
		return e, fmt.Errorf("extract: Extractor.LLM is nil: %w", ErrInvalid)
	}
	if err := x.Bank.usable(ctx); err != nil {
		return e, err
	}
	seen, warnings := readable(r, x.maxOutput())
	if x.When == nil && !Substantial(seen) {
		e.Reason = "the run says too little to learn from; the model was not asked"
		return e, nil
	}
	if x.When != nil && !x.When(seen) {
		e.Reason = "Extractor.When left the run out; the model was not asked"
		return e, nil
	}
	existing, err := x.Bank.concerning(ctx, &seen, x.maxOutput())
	if err != nil {
		return e, err
	}
	answer, err := x.ask(ctx, x.prompt(&seen, existing), attempts, e)
	if err != nil {
		return e, err
	}
	answer.PromptTokens, answer.ReplyTokens = e.PromptTokens, e.ReplyTokens
	answer.Warnings = append(warnings, answer.Warnings...)
	answer.bank = x.Bank
	return answer, x.Bank.check(ctx, answer, &seen, existing)
}

// ask gives the model's answer, asking again where it cannot be understood. It
// counts into e.
func (x *Extractor) ask(ctx context.Context, prompt string, attempts int, e *Extraction) (*Extraction, error) {
	next := prompt
	for {
		e.PromptTokens += x.Bank.countTokens(next)
		reply, err := x.LLM.Complete(ctx, next)
		if err != nil {
			return nil, fmt.Errorf("extract: ask the model: %w", err)
		}
		e.ReplyTokens += x.Bank.countTokens(reply)
		answer, err := ParseExtraction(reply)
		if err == nil && answer.Memory != nil && len(answer.Memory.Body) > maxLearnedBody {
			err = &ReplyError{reply, fmt.Sprintf("content has %d bytes; at most %d are kept", len(answer.Memory.Body), maxLearnedBody)}
		}
		var fault *ReplyError
		if attempts--; attempts > 0 && errors.As(err, &fault) {
			msg, _ := withoutSecrets(fault.Msg) // it may quote the reply
			next = prompt + "\nYou answered this before, and the answer could not be used: " + msg + ". Answer once more, with the JSON object alone.\n"
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("extract: %w", err)
		}
		return answer, nil
	}
}
