package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rawko/memory"
)

// maxHistory is how many earlier turns of a task an agent is told of.
const maxHistory = 3

// Orchestrator has agents work on tasks. Each turn begins with what earlier runs
// found out and ends with what this one did. All fields are required. This file
// depends on nothing else in the example, so that a host can start from it.
type Orchestrator struct {
	Bank   *memory.Bank
	LLM    memory.LLM       // runs the agents, and says what their runs were good for
	Agents []*memory.Agent  // in the order of their turns; the first one plans
	Now    func() time.Time // the date of a run
}

// Turn is one agent's run, with what it was given before and what was learned after.
type Turn struct {
	Agent     *memory.Agent
	Injection *memory.Injection
	Run       memory.Run
	Learned   *memory.Extraction
	LearnErr  error // why nothing could be learned; the run itself counts all the same
}

// Do has each agent take its turn on a task, and calls done after each. It fails
// where an agent cannot be run at all. A task knows nothing of the ones before but
// what the bank remembers.
func (o *Orchestrator) Do(ctx context.Context, task string, done func(*Turn)) error {
	var plan string
	var history []string
	for i, agent := range o.Agents {
		t, err := o.turn(ctx, agent, task, plan, lastLines(history))
		if err != nil {
			return fmt.Errorf("%s on %q: %w", agent.Name, task, err)
		}
		done(t)
		if i == 0 {
			plan = planOf(t.Run.Output)
		}
		history = append(history, agent.Name+": "+strings.TrimSpace(t.Run.Output))
	}
	return nil
}

// turn runs one agent: recall, run, learn.
func (o *Orchestrator) turn(ctx context.Context, agent *memory.Agent, task, plan, history string) (*Turn, error) {
	query := agent.Query(task)
	query.Plan, query.History = plan, history
	in, err := o.Bank.Inject(ctx, agent.Prompt, query)
	if err != nil {
		return nil, err
	}
	output, err := o.LLM.Complete(ctx, prompt(in.Prompt, task, plan, history))
	if err != nil {
		return nil, err
	}

	t := &Turn{Agent: agent, Injection: in}
	t.Run = memory.Run{Agent: agent.Name, Task: task, Output: output, Injected: in.Block, At: o.Now()}
	t.Run.Outcome, t.Run.Err = outcomeOf(output)
	extractor := memory.Extractor{Bank: o.Bank, LLM: o.LLM}
	t.Learned, t.LearnErr = extractor.Learn(ctx, t.Run)
	return t, ctx.Err() // what could not be learned stops nobody
}

// prompt puts the work behind the agent's instructions and the injected block.
func prompt(instructions, task, plan, history string) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(instructions))
	for _, section := range []struct{ heading, text string }{
		{"Task", task}, {"Plan", plan}, {"What the others did so far", history},
	} {
		if section.text != "" {
			b.WriteString("\n\n## " + section.heading + "\n\n" + section.text)
		}
	}
	return b.String() + "\n"
}

// outcomeOf reads the line with which agents end: RESULT: failure: why. Where it
// is missing it is not known how the run ended.
func outcomeOf(output string) (outcome memory.Outcome, why string) {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	result, ok := strings.CutPrefix(lines[len(lines)-1], "RESULT:")
	if !ok {
		return 0, ""
	}
	word, why, _ := strings.Cut(result, ":")
	for _, o := range []memory.Outcome{memory.Success, memory.Partial, memory.Failure} {
		if strings.EqualFold(strings.TrimSpace(word), o.String()) {
			return o, strings.TrimSpace(why)
		}
	}
	return 0, ""
}

// planOf gives the steps of a planner's answer; without the notes before them,
// which can hold anything that was read somewhere.
func planOf(output string) string {
	if _, steps, ok := strings.Cut(output, "\nPLAN:"); ok {
		output = steps
	}
	steps, _, _ := strings.Cut(output, "\nRESULT:")
	return strings.TrimSpace(steps)
}

func lastLines(lines []string) string {
	return strings.Join(lines[max(0, len(lines)-maxHistory):], "\n")
}
