// Command check prints every problem of a directory of memories, a line each
// (file:line: severity: message), and exits 1 when one of them is an error.
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
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: check DIR")
		os.Exit(2)
	}
	ok, err := check(context.Background(), os.Stdout, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
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
		ok = ok && p.Severity != memory.Error
		p.Name = filepath.Join(dir, p.Name)
		fmt.Fprintln(out, p)
	}
	return ok, nil
}
