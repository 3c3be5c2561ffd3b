// Command orchestrator shows what a host does with the library: a planner, a
// developer and a tester work on three tasks, are given what earlier runs found
// out, and leave what they found out themselves. The model is a stand-in.
//
// What to look at: loop.go is the host's loop, to be lifted into a program of your
// own; agents/ has the definitions; standin.go answers prompts, from script.yaml
// and from nothing but what stands in the prompt. In the output, see the tester,
// who fails in the first task and knows why in the next, and what becomes of the
// planner's mistake about sessions.
//
// With -dir the memories stay. Call it twice over the same directory: the second
// time nobody fails in the first task, and nothing is kept twice. -prompts prints
// each prompt that is sent to the model.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/rawko/memory"
)

//go:embed agents/*.md
var definitions embed.FS

func main() {
	dir := flag.String("dir", "", "where the memories are kept; a directory that is removed at the end when empty")
	prompts := flag.Bool("prompts", false, "print each prompt in full")
	flag.Parse()
	if err := example(context.Background(), os.Stdout, *dir, *prompts); err != nil {
		log.Fatal(err)
	}
}

// example has the stand-in work on all of its tasks.
func example(ctx context.Context, out io.Writer, dir string, prompts bool) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "orchestrator-*"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	days := newCalendar()
	bank, err := memory.Open(dir, &memory.Options{Now: days.now})
	if err != nil {
		return err
	}
	defer bank.Close()

	standIn, err := newStandIn()
	if err != nil {
		return err
	}
	var model memory.LLM = standIn
	if prompts {
		model = printing(out, model)
	}
	if err := start(ctx, out, bank); err != nil {
		return err
	}
	if err := run(ctx, out, bank, model, days, standIn.tasks()); err != nil {
		return err
	}
	return files(ctx, out, bank, dir)
}

// run has the agents work on tasks, one task a day, and prints every turn.
func run(ctx context.Context, out io.Writer, bank *memory.Bank, model memory.LLM, days *calendar, tasks []string) error {
	agents, err := readAgents("planner", "developer", "tester")
	if err != nil {
		return err
	}
	o := &Orchestrator{Bank: bank, LLM: model, Agents: agents, Now: days.now}
	for i, task := range tasks {
		fmt.Fprintf(out, "━━ Task %d, %s: %s\n\n", i+1, days.now().Format(time.DateOnly), task)
		if err := o.Do(ctx, task, func(t *Turn) { printTurn(out, t) }); err != nil {
			return err
		}
		days.next()
	}
	return nil
}

func readAgents(names ...string) ([]*memory.Agent, error) {
	var agents []*memory.Agent
	for _, name := range names {
		data, err := definitions.ReadFile("agents/" + name + ".md")
		if err != nil {
			return nil, err
		}
		agent, err := memory.ParseAgent(data)
		if err != nil {
			return nil, fmt.Errorf("%s.md: %w", name, err)
		}
		agents = append(agents, agent)
	}
	return agents, nil
}

// printing gives a model that prints what it is sent.
func printing(out io.Writer, model memory.LLM) memory.LLM {
	return memory.LLMFunc(func(ctx context.Context, prompt string) (string, error) {
		fmt.Fprintf(out, "  ┌ prompt\n%s  └\n", prefixed("  │ ", prompt))
		return model.Complete(ctx, prompt)
	})
}

// calendar is a clock of fixed days, so that each run prints the same.
type calendar struct{ today time.Time }

func newCalendar() *calendar { return &calendar{time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)} }

func (c *calendar) now() time.Time { return c.today }
func (c *calendar) next()          { c.today = c.today.AddDate(0, 0, 1) }
