// Command session shows a developer and a tester at work on one session: an attempt of
// the developer fails, its next prompt warns of it, and an arbiter is told of both.
//
// With -dir the session's files stay, in a directory of the session's name there.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/rawko/memory"
)

const sessionID = "20260123-103000-abc1def2-auth-feature"

func main() {
	dir := flag.String("dir", "", "where the session is kept; a directory that is removed at the end when empty")
	flag.Parse()
	if err := example(context.Background(), os.Stdout, *dir); err != nil {
		log.Fatal(err)
	}
}

// example works in dir, or in a directory of its own.
func example(ctx context.Context, out io.Writer, dir string) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "session-*"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	store, err := memory.NewDirStore(dir, nil)
	if err != nil {
		return err
	}
	defer store.Close()

	// A clock that goes on by 20 seconds at each look, so that each run prints the same.
	at := time.Date(2026, 1, 23, 10, 31, 0, 0, time.UTC)
	options := &memory.SessionOptions{Now: func() time.Time { at = at.Add(20 * time.Second); return at }}
	developer, err := memory.OpenSession(ctx, store, sessionID, "developer", options)
	if err != nil {
		return err
	}
	tester, err := memory.OpenSession(ctx, store, sessionID, "tester", options)
	if err != nil {
		return err
	}
	if err := develop(ctx, developer); err != nil {
		return err
	}
	if err := try(ctx, tester); err != nil {
		return err
	}
	return report(ctx, out, store, developer, tester)
}

// develop is the developer's turn: it finds something out, and fails with an approach.
func develop(ctx context.Context, s *memory.Session) error {
	_, err := s.AddDiscovery(ctx, memory.Discovery{
		Type: memory.CodebaseStructure, Importance: memory.High,
		Content: "src/auth/ exists but is incomplete.\nExtend it rather than replace it.\n",
	})
	if err != nil {
		return err
	}
	attempt, err := s.StartAttempt(ctx, memory.Attempt{PlanStep: 2, Description: "Add OAuth2 integration", Approach: "Sign in with Google."})
	if err != nil {
		return err
	}
	err = s.FinishAttempt(ctx, attempt, memory.AttemptEnd{
		Result:  memory.AttemptFailure,
		Error:   "OAuth scope too broad for the task.\nThe task asks for JWT.\n",
		Lessons: "Read the requirements first.",
	})
	if err != nil {
		return err
	}
	return s.UpdateContext(ctx, func(c *memory.SessionContext) { c.CurrentPlanStep = 2 })
}

// try is the tester's turn, which does not come to an end.
func try(ctx context.Context, s *memory.Session) error {
	attempt, err := s.StartAttempt(ctx, memory.Attempt{Description: "Test the middleware"})
	if err != nil {
		return err
	}
	err = s.Progress(ctx, attempt, memory.AttemptProgress{Progress: "50%", NextStep: "Test expired tokens"})
	if err != nil {
		return err
	}
	return s.UpdateContext(ctx, func(c *memory.SessionContext) { c.CurrentPlanStep, c.Blockers = 3, []string{"No login endpoint yet"} })
}

// report prints the agents' files as they are, what each agent is told next, and the arbiter's summary.
func report(ctx context.Context, out io.Writer, store memory.Store, sessions ...*memory.Session) error {
	for _, s := range sessions {
		file, err := store.Read(ctx, s.Name())
		if err != nil {
			return err
		}
		show(out, s.Name(), string(file))
	}
	for _, s := range sessions {
		prompt, err := s.Prompt(ctx)
		if err != nil {
			return err
		}
		show(out, "The "+s.Agent()+"'s next prompt", "You are the "+s.Agent()+".\n\n"+prompt)
	}
	summary, err := memory.SessionSummary(ctx, store, sessionID)
	if err != nil {
		return err
	}
	show(out, "For the arbiter", summary)
	return nil
}

func show(out io.Writer, title, text string) { fmt.Fprintf(out, "━━ %s\n%s\n", title, text) }
