package memory_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/rawko/memory"
)

// model stands for any model; this one always has the same to say.
var model = memory.LLMFunc(func(_ context.Context, prompt string) (string, error) {
	return `{
		"shouldCreateMemory": true,
		"memoryTitle": "Migrations Need a Lock Timeout",
		"frontmatter": {"whenToUse": ["migration|migrations"], "tags": ["failures"], "importance": "HIGH", "discoveredBy": "admin"},
		"content": "Without lock_timeout a migration of the orders table waits behind the nightly report and blocks every write.",
		"evidence": "the migration waited behind the nightly report",
		"reasoning": "It will happen with the next migration."
	}`, nil
})

func ExampleExtractor_Learn() {
	bank, err := memory.New(memory.NewMapStore(), nil)
	if err != nil {
		log.Fatal(err)
	}
	extractor := memory.Extractor{Bank: bank, LLM: model}
	run := memory.Run{
		Agent: "developer", Task: "Add a column to orders", Outcome: memory.Failure,
		Output: "It timed out: the migration waited behind the nightly report.",
	}
	for range 2 {
		e, err := extractor.Learn(context.Background(), run)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Action, e.Name)
		fmt.Println("  removed:", strings.Join(e.Removed, ", "))
	}
	m, err := bank.Get(context.Background(), "migrations-need-a-lock-timeout")
	fmt.Println("by", m.DiscoveredBy, err)
	// Output:
	// created migrations-need-a-lock-timeout
	//   removed: frontmatter.discoveredBy
	// skipped migrations-need-a-lock-timeout
	//   removed: frontmatter.discoveredBy
	// by developer <nil>
}

// Extract writes nothing, so that a person can have a look first.
func ExampleExtractor_Extract() {
	bank, err := memory.New(memory.NewMapStore(), nil)
	if err != nil {
		log.Fatal(err)
	}
	extractor := memory.Extractor{Bank: bank, LLM: model, When: memory.OnlyFailures}
	run := memory.Run{Agent: "developer", Output: "It timed out: the migration waited behind the nightly report.", Outcome: memory.Failure}
	e, err := extractor.Extract(context.Background(), run)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Action, e.Memory.Title)
	for _, warning := range e.Warnings {
		fmt.Println("warning:", warning)
	}
	if _, err = bank.Append(context.Background(), e.Memory); err != nil {
		log.Fatal(err)
	}
	// Output:
	// created Migrations Need a Lock Timeout
	// warning: content: only 17 of at least 50 words
}

func ExampleParseExtraction() {
	e, err := memory.ParseExtraction("Here you are:\n```json\n" +
		`{shouldCreateMemory: True, 'memoryTitle': "Tests Need make gen", "whenToUse": "/\bgo\s+test/", content: "Run make gen first.", reasoning: "…",}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Action, e.Memory.Title, e.Memory.WhenToUse)
	// Output: created Tests Need make gen [/\bgo\s+test/]
}

func ExampleEveryNth() {
	when := memory.EveryNth(3)
	for range 4 {
		fmt.Println(when(memory.Run{Output: "Sessions are kept in Postgres and not in Redis."}))
	}
	// Output:
	// false
	// false
	// true
	// false
}
