package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"slices"
	"time"

	"github.com/rawko/memory"
)

// exampleBank gives a bank in memory with two entries on authentication.
func exampleBank() *memory.Bank {
	bank, err := memory.New(memory.NewMapStore(), &memory.Options{
		Now: func() time.Time { return time.Date(2026, 2, 12, 9, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []*memory.Memory{{
		Frontmatter: memory.Frontmatter{
			Title: "Project Uses JWT", WhenToUse: []string{"auth|jwt"},
			Importance: memory.High, DiscoveredBy: "planner", DiscoveredAt: time.Date(2026, 1, 23, 0, 0, 0, 0, time.UTC),
		},
		Body: "Tokens are signed with RS256 in `src/auth/tokens.ts`.",
	}, {
		Frontmatter: memory.Frontmatter{
			Title: "OAuth2 Was Too Broad", WhenToUse: []string{"oauth|social.*auth"},
			Importance: memory.High, DiscoveredBy: "developer", DiscoveredAt: time.Date(2026, 1, 24, 0, 0, 0, 0, time.UTC),
		},
		Body: "The task asked for JWT only.",
	}} {
		if _, err := bank.Append(context.Background(), m); err != nil {
			log.Fatal(err)
		}
	}
	return bank
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "memories")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	bank, err := memory.Open(dir, nil) // nil: every default
	if err != nil {
		log.Fatal(err)
	}
	defer bank.Close()
	matches, err := bank.Recall(context.Background(), memory.Query{Task: "Add a login page"})
	fmt.Println(len(matches), err)
	// Output: 0 <nil>
}

// A bank for each tenant in one store.
func ExampleNew() {
	store := memory.NewMapStore()
	for _, tenant := range []string{"acme", "globex"} {
		part, err := memory.Sub(store, tenant)
		if err != nil {
			log.Fatal(err)
		}
		bank, err := memory.New(part, nil)
		if err != nil {
			log.Fatal(err)
		}
		if tenant == "acme" {
			_, err = bank.Append(context.Background(), &memory.Memory{Frontmatter: memory.Frontmatter{
				Title: "Ours", WhenToUse: []string{"*"}, Importance: memory.Low, DiscoveredBy: "me",
			}})
			if err != nil {
				log.Fatal(err)
			}
		}
		matches, err := bank.Recall(context.Background(), memory.Query{Task: "anything"})
		fmt.Println(tenant, len(matches), err)
	}
	// Output:
	// acme 1 <nil>
	// globex 0 <nil>
}

func ExampleBank_Append() {
	bank := exampleBank()
	for _, title := range []string{"Sessions Live in Postgres", "sessions live in postgres"} {
		name, err := bank.Append(context.Background(), &memory.Memory{
			Frontmatter: memory.Frontmatter{
				Title: title, WhenToUse: []string{"session|logout"}, Importance: memory.Medium, DiscoveredBy: "developer",
			},
			Body: "Table `sessions`, one row a device.",
		})
		fmt.Println(name, err)
	}
	m, err := bank.Get(context.Background(), "sessions-live-in-postgres")
	fmt.Println(len(m.Updates), err)
	// Output:
	// sessions-live-in-postgres <nil>
	// sessions-live-in-postgres <nil>
	// 1 <nil>
}

func ExampleBank_Get() {
	m, err := exampleBank().Get(context.Background(), "oauth2-was-too-broad")
	fmt.Println(m.Title, err)
	fmt.Println(m.Body)
	_, err = exampleBank().Get(context.Background(), "unheard-of")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// OAuth2 Was Too Broad <nil>
	// The task asked for JWT only.
	// true
}

func ExampleBank_All() {
	for m, err := range exampleBank().All(context.Background()) {
		if err != nil {
			fmt.Println(err) // this one cannot be read; the others follow
			continue
		}
		fmt.Println(m.Name, m.Importance)
	}
	// Output:
	// oauth2-was-too-broad high
	// project-uses-jwt high
}

func ExampleBank_Forget() {
	bank := exampleBank()
	fmt.Println(bank.Forget(context.Background(), "project-uses-jwt"))
	_, err := bank.Get(context.Background(), "project-uses-jwt")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// <nil>
	// true
}

func ExampleBank_Check() {
	problems, err := exampleBank().Check(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// oauth2-was-too-broad.md: warning: only 6 of at least 50 words; say something specific
	// project-uses-jwt.md: warning: only 7 of at least 50 words; say something specific
}

// What two banks recall, such as a project's and a person's, in one order.
func ExampleCompareMatches() {
	project, person := exampleBank(), exampleBank()
	q := memory.Query{Task: "auth"}
	matches, err := project.Recall(context.Background(), q)
	if err != nil {
		log.Fatal(err)
	}
	more, err := person.Recall(context.Background(), q)
	if err != nil {
		log.Fatal(err)
	}
	matches = append(matches, more...)
	slices.SortFunc(matches, memory.CompareMatches)
	for _, m := range matches {
		fmt.Println(m.Name, m.Strength, m.Score)
	}
	// Output:
	// project-uses-jwt exact 25 = importance 25
	// project-uses-jwt exact 25 = importance 25
}

func ExampleScore_String() {
	fmt.Println(memory.Score{Importance: 25, Keyword: 15})
	// Output: 40 = importance 25 + keyword 15
}
