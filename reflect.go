package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// TaskRecord is a task that has ended: what is reflected on.
type TaskRecord struct {
	Agent    string        // its name
	Task     string        // what it was asked; may be empty where Messages say it
	Messages []ChatMessage // the conversation, oldest first; the host's system messages are not looked at
	Err      string        // how it failed; "" when it did not
	Outcome  Outcome
	At       time.Time // when it ended, in the zone in which days are to be counted; zero: now
	Injected string    // what of the notebook or a bank it was given: not recorded again
}

// StopReason says why a reflection ended.
type StopReason int

// The reasons.
const (
	StopFinished StopReason = iota // the model called no more tools
	StopTrivial                    // ShouldReflect left the task out; the model was not asked
	StopRounds                     // the model wanted more than MaxRounds
	StopFailed                     // the model or the store failed, or the context ended; see the error
)

var stopNames = [...]string{"finished", "trivial", "rounds", "failed"}

// String gives the name in lower case.
func (s StopReason) String() string {
	if s < 0 || int(s) >= len(stopNames) {
		return fmt.Sprintf("StopReason(%d)", int(s))
	}
	return stopNames[s]
}

// Reflection is what a model made of a task.
type Reflection struct {
	Stop    StopReason
	Rounds  int          // how often the model was asked
	Calls   []CallRecord // in their order
	Text    string       // the model's closing words, without secrets
	Omitted int          // messages of the conversation for which there was no room
	Tokens  int          // of all that the model was sent, by CountTokens
}

// CallRecord is one tool call of a reflection.
type CallRecord struct {
	Tool        string
	Args        json.RawMessage // as the model gave them, without secrets
	Result      string          // what the model was told: the result, or the error's message
	Failed      bool            // Result is an error; nothing was written
	Quarantined string          // why the text reads as if it ordered an agent about; it was not written
	Removed     []string        // secrets that were taken out of Args before the call
	Path        string          // the file that was changed; "" when none was
	Diff        string          // what changed in it, in unified format, without secrets
}

// Diff gives what changed in the notebook, call by call, in unified format.
func (r *Reflection) Diff() string {
	var b strings.Builder
	for _, c := range r.Calls {
		b.WriteString(c.Diff)
	}
	return b.String()
}

// Quarantined gives the calls whose text reads as if it ordered an agent about. None
// of it was written; a host that trusts it after a look calls the tool by itself, with [CallTool].
func (r *Reflection) Quarantined() []CallRecord {
	var calls []CallRecord
	for _, c := range r.Calls {
		if c.Quarantined != "" {
			calls = append(calls, c)
		}
	}
	return calls
}

// Reflector lets a model look back on a task and record in a notebook what will be
// needed again. Model and Notebook are required; every other field may be zero. It is
// safe for concurrent use when its model and functions are.
type Reflector struct {
	Model    ChatModel
	Notebook *Notebook
	Persona  string // who the model is; stands first in its instructions
	// ShouldReflect decides whether the model is asked about a task at all.
	// Nil: the function [ShouldReflect].
	ShouldReflect func(TaskRecord) bool
	MaxRounds     int // how often the model is asked at most; 0: 5
	// ContextWindow is what the model can be sent at once, in tokens, tools included.
	// What it is told to do, the facts and the task are sent in any case. 0: 32,000.
	ContextWindow int
	// HistoryShare is the share of the window that the task's conversation may take at
	// most, between 0 and 1; older messages are left out. 0: 0.5.
	HistoryShare float64
	CountTokens  func(string) int // nil: the built-in estimate
}

const (
	defaultRounds       = 5
	defaultWindow       = 32_000
	defaultHistoryShare = 0.5
	maxCalls            = 16 // tool calls of one response
	// leastRoom is what the model's own calls may take, in tokens, where the rest fills
	// the window already.
	leastRoom = 1_000
)

// Reflect asks the model about a task, and runs the tools that it calls until it calls
// none. Doing nothing is a good outcome. A tool's error goes back to the model. When
// the model fails, the notebook is as the completed calls have left it, and the error
// is the model's. The reflection is never nil.
//
// Secrets are taken out of the conversation before the model sees it, and out of what
// it writes; so is what the task was given of a memory (TaskRecord.Injected, and the
// results of memory_read and memory_list). What reads as an order to agents is not
// written.
func (r *Reflector) Reflect(ctx context.Context, t TaskRecord) (*Reflection, error) {
	out := &Reflection{Stop: StopFailed}
	if err := r.valid(); err != nil {
		return out, err
	}
	if t.At.IsZero() {
		t.At = r.Notebook.opts.Now()
	}
	should := r.ShouldReflect
	if should == nil {
		should = ShouldReflect
	}
	if !should(t) {
		out.Stop = StopTrivial
		return out, nil
	}
	l := &reflecting{Reflector: r, out: out, box: r.Notebook.newToolbox()}
	l.box.vet = l.vet
	l.tools = l.box.tools()
	system, err := r.instructions(ctx, l.box)
	if err != nil {
		return out, fmt.Errorf("reflect: %w", err)
	}
	base := l.toolCost() + r.countTokens(system) + r.countTokens(taskMessage(&t, "", 0))
	history, left := r.transcript(&t, base)
	out.Omitted = left
	l.head = []ChatMessage{{Role: RoleSystem, Content: system}, {Role: RoleUser, Content: taskMessage(&t, history, left)}}
	return out, l.run(ctx)
}

func (r *Reflector) valid() error {
	switch {
	case r.Model == nil:
		return fmt.Errorf("reflect: Reflector.Model is nil: %w", ErrInvalid)
	case r.Notebook == nil:
		return fmt.Errorf("reflect: Reflector.Notebook is nil: %w", ErrInvalid)
	case !(r.HistoryShare >= 0 && r.HistoryShare <= 1): // NaN, too
		return fmt.Errorf("reflect: Reflector.HistoryShare is %v: want between 0 and 1: %w", r.HistoryShare, ErrInvalid)
	case r.MaxRounds < 0 || r.ContextWindow < 0:
		return fmt.Errorf("reflect: Reflector.MaxRounds and ContextWindow must not be negative: %w", ErrInvalid)
	}
	return nil
}

func (r *Reflector) window() int { return cmp.Or(r.ContextWindow, defaultWindow) }

func (r *Reflector) countTokens(s string) int {
	if r.CountTokens != nil {
		return r.CountTokens(s)
	}
	return estimateTokens(s)
}
