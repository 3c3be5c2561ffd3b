package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// plot is what happens in a run.
type plot struct {
	name, later string // the user's, and what a person makes of it
	bug         bug
}

// bug is something that is fixed.
type bug struct{ part, symptom, cause, cure string }

// newPlot makes one that no other run has had.
func newPlot() plot {
	return plot{
		name: newName(), later: newName(),
		bug: bug{
			part:    one("logger", "scheduler", "importer", "search page", "mail queue", "cache"),
			symptom: one("leaks to stdout", "drops its last line", "stops at midnight", "doubles each entry", "loses its lock"),
			cause:   "the " + strings.ToLower(newWord()) + " " + one("worker closes too early", "buffer is never flushed", "header is read twice", "clock is local time"),
			cure:    one("a line transport", "a second queue", "one reader for all", "a lock with a timeout") + " called " + newWord(),
		},
	}
}

// report is how the user tells of it.
func (b bug) report() string {
	return fmt.Sprintf("The %s %s, because %s. Fix it with %s.", b.part, b.symptom, b.cause, b.cure)
}

func newName() string { return newWord() + " " + newWord() }

// newWord makes a word of three syllables, one of 8,000.
func newWord() string {
	word := ""
	for range 3 {
		word += one("ba", "do", "fi", "ga", "ho", "ka", "lu", "ma", "ne", "no", "pe", "ra", "ri", "sa", "se", "ti", "to", "va", "wi", "zo")
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func one(of ...string) string { return of[rand.N(len(of))] }
