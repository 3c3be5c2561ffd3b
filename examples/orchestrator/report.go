package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rawko/memory"
)

const width = 100 // characters of a line

// start says how to read the output, and with what the bank begins.
func start(ctx context.Context, out io.Writer, bank *memory.Bank) error {
	n := 0
	for _, err := range bank.All(ctx) {
		if err != nil {
			return err
		}
		n++
	}
	fmt.Fprint(out, `The model is a script that sees nothing but its prompts; all else is what the library does. For each
agent: what it was given, and the trigger that fired on task, plan, history or the agent's name; how
its run ended; what was learned, with the model's reason in quotes, and the tokens that this took.
`)
	if n > 0 {
		_, err := fmt.Fprintf(out, "The bank has %d memories of an earlier call: less goes wrong, and little is new.\n\n", n)
		return err
	}
	_, err := fmt.Fprint(out, "The bank is empty. With -dir DIR the memories stay, and a second call starts with them.\n\n")
	return err
}

// printTurn prints what an agent was given, what it did, and what was learned.
func printTurn(out io.Writer, t *Turn) {
	did := firstLine(t.Run.Output)
	if t.Run.Err != "" {
		did += " (" + t.Run.Err + ")"
	}
	for i, line := range given(t.Injection) {
		name, label := t.Agent.Name, "given"
		if i > 0 {
			name, label = "", ""
		}
		fmt.Fprintf(out, "%-10s%-9s%s\n", name, label, line)
	}
	paragraph(out, t.Run.Outcome.String(), did)
	paragraph(out, "learned", learned(t.Learned, t.LearnErr))
	fmt.Fprintln(out)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// given says what is in the block and why, and what could have been.
func given(in *memory.Injection) []string {
	var lines []string
	for _, m := range in.Matches {
		lines = append(lines, fmt.Sprintf("%s, %s match of %q", m.Name, m.Strength, m.Pattern))
	}
	for _, o := range in.Omitted {
		lines = append(lines, fmt.Sprintf("not %s, %s match of %q (%s)", o.Name, o.Strength, o.Pattern, o.Reason))
	}
	if len(lines) == 0 {
		return []string{"nothing"}
	}
	return lines
}

// learned says what the library made of the model's answer.
func learned(e *memory.Extraction, err error) string {
	text := strings.ToUpper(e.Action.String())
	if e.Action == memory.Quarantined {
		text = "NOTHING, QUARANTINED"
	}
	switch {
	case err != nil:
		text = fmt.Sprintf("NOTHING: %v", err)
	case e.Reason != "":
		text += ": " + e.Reason
	default:
		text += " " + e.Name
	}
	if e.Reasoning != "" {
		text += ": “" + e.Reasoning + "”"
	}
	for _, w := range e.Warnings {
		text += " Warning: " + w + "."
	}
	for _, r := range e.Removed {
		text += " Removed: " + r + "."
	}
	return fmt.Sprintf("%s [%d+%d tokens]", text, e.PromptTokens, e.ReplyTokens)
}

// files lists the memories, and prints one that was corrected or added to.
func files(ctx context.Context, out io.Writer, bank *memory.Bank, dir string) error {
	fmt.Fprintf(out, "━━ The memories\n\n")
	shown := ""
	for m, err := range bank.All(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s.md: %s, by the %s", m.Name, m.Importance, m.DiscoveredBy)
		for _, u := range m.Updates {
			fmt.Fprintf(out, ", added to by the %s on %s", u.DiscoveredBy, u.DiscoveredAt.Format(time.DateOnly))
		}
		fmt.Fprintln(out)
		if shown == "" && len(m.Updates) > 0 {
			shown = m.Name + ".md"
		}
	}
	if shown == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, shown))
	if err == nil {
		_, err = fmt.Fprintf(out, "\n%s:\n\n%s", shown, prefixed("  │ ", string(data)))
	}
	return err
}

// paragraph prints a text behind a label, in lines of at most width characters.
func paragraph(out io.Writer, label, text string) {
	line := fmt.Sprintf("%10s%-8s", "", label)
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			fmt.Fprintln(out, line)
			line = strings.Repeat(" ", 18)
		}
		line += " " + word
	}
	fmt.Fprintln(out, line)
}

// prefixed puts something before each line of a text.
func prefixed(prefix, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(prefix+strings.TrimRight(line, "\n"), " ") + "\n")
	}
	return b.String()
}
