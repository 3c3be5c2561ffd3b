// Command check prints every problem of a directory of memories, and of the sessions in
// its subdirectories, a line each (file:line: severity: message). It exits 1 when one of them is an error, and
// 2 when it is called wrongly or cannot look.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rawko/memory"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command; it gives the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "usage: check DIR")
		return 2
	}
	ok, err := check(ctx, stdout, args[0])
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "check:", err)
		return 2
	case !ok:
		return 1
	}
	return 0
}

// check prints the problems of a directory and reports whether it is free of errors.
func check(ctx context.Context, out io.Writer, dir string) (ok bool, err error) {
	entries, err := os.ReadDir(dir) // to the library a missing directory is an empty bank; here it is a slip
	if err != nil {
		return false, err
	}
	store, err := memory.NewDirStore(dir, nil)
	if err != nil {
		return false, err
	}
	defer store.Close()
	bank, err := memory.New(store, nil)
	if err != nil {
		return false, err
	}
	defer bank.Close()
	problems, err := bank.Check(ctx)
	if err != nil {
		return false, err
	}
	ok = show(out, dir, problems)
	for _, entry := range entries {
		if !entry.IsDir() || memory.ValidName(entry.Name()) != nil {
			continue
		}
		problems, err := memory.CheckSession(ctx, store, entry.Name())
		if err != nil {
			return false, err
		}
		ok = show(out, filepath.Join(dir, entry.Name()), problems) && ok
	}
	return ok, nil
}

// show prints problems and reports whether none is an error.
func show(out io.Writer, dir string, problems []memory.Problem) (ok bool) {
	ok = true
	for _, p := range problems {
		ok = ok && p.Severity != memory.SeverityError
		p.Name = filepath.Join(dir, p.Name)
		fmt.Fprintln(out, p)
	}
	return ok
}
