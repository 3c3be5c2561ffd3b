// Command quickstart shows the library at work on the memories of a web shop:
// three tasks for three agents, then a new memory and an update, both recalled.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"
	"time"

	"github.com/rawko/memory"
)

//go:embed memories/*.md
var files embed.FS

// today is fixed, so that each run prints the same.
var today = time.Date(2026, 2, 12, 9, 0, 0, 0, time.UTC)

var tasks = []memory.Query{
	{Agent: "developer", Task: "Add OAuth integration to the existing auth system", MaxTokens: 400},
	{Agent: "tester", Task: "The payment webhook test in src/payments/webhook.test.ts fails sometimes"},
	{Agent: "planner", Task: "Plan a migration that adds a column: migrations/0042_orders.sql", Max: 3, FillBySpecialty: true},
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	dir, err := copyMemories()
	defer os.RemoveAll(dir)
	if err != nil {
		return err
	}

	bank, err := memory.Open(dir, &memory.Options{Now: func() time.Time { return today }})
	if err != nil {
		return err
	}
	defer bank.Close()

	for i, q := range tasks {
		if err := inject(ctx, out, bank, fmt.Sprintf("Task %d", i+1), q); err != nil {
			return err
		}
	}
	return learn(ctx, out, bank)
}

// inject asks for the memories that matter to a task and prints each choice.
func inject(ctx context.Context, out io.Writer, bank *memory.Bank, name string, q memory.Query) error {
	in, err := bank.Inject(ctx, "You are the "+q.Agent+".", q)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "━━ %s, for the %s: %s\n\n", name, q.Agent, q.Task)
	for i, m := range in.Matches {
		why := fmt.Sprintf("%s match of %q", m.Strength, m.Pattern)
		if m.Strength == memory.None {
			why = "fills a free place: its tags are the agent's"
		}
		fmt.Fprintf(out, "%d. %s.md\n   why:   %s\n   score: %s\n", i+1, m.Name, why, m.Score)
	}
	for _, o := range in.Omitted {
		fmt.Fprintf(out, "-  %s.md is left out (%s), score %d\n", o.Name, o.Reason, o.Score.Total())
	}
	if len(in.Cut) > 0 {
		fmt.Fprintf(out, "-  cut to fit: %s\n", strings.Join(in.Cut, ", "))
	}
	fmt.Fprintf(out, "\nThe prompt, of which the block is about %d tokens:\n\n", in.Tokens)
	for line := range strings.Lines(in.Prompt) {
		fmt.Fprintf(out, "  │ %s", line)
	}
	_, err = fmt.Fprintln(out)
	return err
}

// learn keeps a new memory and an update of one that is there, and recalls both.
func learn(ctx context.Context, out io.Writer, bank *memory.Bank) error {
	fmt.Fprintf(out, "━━ Two things learned\n\n")
	for _, m := range []*memory.Memory{{
		Frontmatter: memory.Frontmatter{
			Title:        "E-mail Goes Through the Outbox Table",
			WhenToUse:    []string{"email|notification|outbox", "When sending anything to a customer"},
			Tags:         []string{"code-patterns", "constraints"},
			Importance:   memory.High,
			DiscoveredBy: "developer",
			DiscoveredIn: "Task: Add email notifications",
		},
		Body: "# E-mail Goes Through the Outbox Table\n\nNothing calls the mail provider directly. " +
			"Insert a row into `outbox` in the transaction of the order (src/mail/outbox.ts); a worker sends it and retries.",
	}, {
		Frontmatter: memory.Frontmatter{Title: "OAuth2 integration was too broad!", DiscoveredBy: "reviewer"},
		Body:        "## Correction\n\nThe requirements of 2026-02-11 ask for Google sign-in. Build that one provider, on top of JWT.",
	}} {
		name, err := bank.Append(ctx, m)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%q is kept in %s.md\n", m.Title, name)
	}
	fmt.Fprintln(out)
	return inject(ctx, out, bank, "Task 4", memory.Query{
		Agent: "developer", Task: "Send an email notification after the first OAuth login", Max: 2,
	})
}

// copyMemories puts the example's memories into a directory of their own.
func copyMemories() (string, error) {
	dir, err := os.MkdirTemp("", "quickstart-*")
	if err != nil {
		return "", err
	}
	memories, err := fs.Sub(files, "memories")
	if err == nil {
		err = os.CopyFS(dir, memories)
	}
	return dir, err
}
