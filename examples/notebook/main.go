// Command notebook shows an agent that remembers across restarts. It starts itself
// four times over one directory: each start is a process of its own that knows the
// directory and nothing else.
//
//  1. The user says a name, and a bug is fixed. The reflector records both.
//  2. The agent is asked for the name and the bug, and reads them up.
//  3. A person has edited a file in between: the agent goes by what it has now.
//  4. The file is gone: the agent does not know.
//
// The names and the bug are random in each run. The model is a stand-in that answers
// from nothing but the messages that it is sent (standin.go). agent.go is the host's
// loop, to be lifted into a program of your own.
//
// With -dir the files stay. With words behind the flags it is one start, in which the
// user says them, each argument a message: notebook -dir memory "What's my name?"
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rawko/memory"
)

func main() {
	dir := flag.String("dir", "", "where the notebook is; a directory that is removed at the end when empty")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *dir, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// run is one start in which the user says something, or else the whole example.
func run(ctx context.Context, out io.Writer, dir string, says []string) error {
	switch {
	case len(says) == 0:
		return example(ctx, out, dir, newPlot())
	case dir == "":
		return errors.New("say with -dir where the notebook is")
	}
	return talk(ctx, out, dir, says)
}

const (
	askName = "What's my name?"
	askBug  = "What bug did we fix last time?"
	user    = "facts/user.md"
)

// example plays the plot in dir, or in a directory of its own.
func example(ctx context.Context, out io.Writer, dir string, p plot) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "notebook-*"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if err := start(ctx, out, dir, "The first start", "I'm "+p.name+".", p.bug.report()); err != nil {
		return err
	}
	if err := files(out, dir); err != nil {
		return err
	}
	if err := start(ctx, out, dir, "The second start", askName, askBug); err != nil {
		return err
	}
	if err := edit(dir, "- Name: "+p.name, "- Name: "+p.later); err != nil {
		return err
	}
	if err := start(ctx, out, dir, "A person changed the name in "+user+"; the third start", askName); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, user)); err != nil {
		return err
	}
	return start(ctx, out, dir, "A person removed "+user+"; the fourth start", askName, askBug)
}

// start runs this program again, in which a user says something.
func start(ctx context.Context, out io.Writer, dir, title string, says ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "━━ %s\n", title)
	cmd := exec.CommandContext(ctx, self, append([]string{"-dir", dir, "--"}, says...)...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	defer fmt.Fprintln(out)
	return cmd.Run()
}

// talk is what one process does: a conversation, and a look back on it.
func talk(ctx context.Context, out io.Writer, dir string, says []string) (err error) {
	store, err := memory.NewDirStore(dir, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	notebook, err := memory.NewNotebook(store, nil)
	if err != nil {
		return err
	}
	a, err := newAgent(ctx, standIn{}, notebook)
	if err != nil {
		return err
	}
	for _, text := range says {
		if err := a.hear(ctx, text); err != nil {
			return err
		}
	}
	for _, m := range a.messages {
		printMessage(out, m)
	}
	reflector := memory.Reflector{Model: standIn{}, Notebook: notebook}
	reflection, err := reflector.Reflect(ctx, memory.TaskRecord{Agent: "helper", Task: says[0], Messages: a.messages})
	if err != nil {
		return err
	}
	for _, c := range reflection.Calls {
		show(out, "reflector", c.Tool+" "+c.Path)
	}
	show(out, "reflector", reflection.Text)
	return nil
}

// edit does what a person does in an editor.
func edit(dir, was, is string) error {
	path := filepath.Join(dir, user)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), was) {
		return fmt.Errorf("%s does not hold %q:\n%s", user, was, text)
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), was, is)), 0o600)
}

// files prints what stands in the directory.
func files(out io.Writer, dir string) error {
	fmt.Fprintln(out, "━━ The files, as a person finds them")
	defer fmt.Fprintln(out)
	return fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		fmt.Fprintf(out, "  %s\n", path)
		for line := range strings.Lines(string(text)) {
			fmt.Fprint(out, "             │ ", line)
		}
		return err
	})
}

func printMessage(out io.Writer, m memory.ChatMessage) {
	if m.Role != memory.RoleTool || m.IsError { // a file that is read is printed above
		show(out, string(m.Role), m.Content)
	}
	for _, call := range m.ToolCalls {
		show(out, string(m.Role), call.Name+" "+string(call.Args))
	}
}

// show prints a text with who says it beside its first line.
func show(out io.Writer, who, text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line != "" { // to fit a screen
			fmt.Fprintf(out, "  %10s │ %s\n", who, line)
			who = ""
		}
	}
}
