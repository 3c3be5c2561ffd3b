// Command check prints every problem of a directory of memories, a line each
// (file:line: severity: message). It exits 1 when one of them is an error, and
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
	if _, err := os.Stat(dir); err != nil {
		return false, err // to the library a missing directory is an empty bank; here it is a slip
	}
	bank, err := memory.Open(dir, nil)
	if err != nil {
		return false, err
	}
	defer bank.Close()
	problems, err := bank.Check(ctx)
	if err != nil {
		return false, err
	}
	ok = true
	for _, p := range problems {
		ok = ok && p.Severity != memory.SeverityError
		p.Name = filepath.Join(dir, p.Name)
		fmt.Fprintln(out, p)
	}
	return ok, nil
}
