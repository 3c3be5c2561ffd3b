package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"

	"github.com/rawko/memory"
)

func ExampleStore() {
	ctx, store := context.Background(), memory.NewMapStore()
	appendLine := func(old []byte) ([]byte, error) { return append(old, "- one more line\n"...), nil }
	for range 2 {
		if err := store.Update(ctx, "notes/log.md", appendLine); err != nil {
			fmt.Println(err)
		}
	}
	text, err := store.Read(ctx, "notes/log.md")
	fmt.Print(string(text), err)
	// Output:
	// - one more line
	// - one more line
	// <nil>
}

func ExampleSub() {
	ctx, everyone := context.Background(), memory.NewMapStore()
	ann, err := memory.Sub(everyone, "users/ann")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = ann.Update(ctx, "likes.md", func([]byte) ([]byte, error) { return []byte("tea"), nil })
	_, err = ann.Read(ctx, "../bob/likes.md")
	fmt.Println(err)
	for info := range everyone.List(ctx, "users/ann") {
		fmt.Println(info.Name, info.Size)
	}
	// Output:
	// name "../bob/likes.md": not a relative path of parts with one slash between them: unsafe name
	// likes.md 3
}

// A store in a directory; on another it may be memory.NewMapStore().
func ExampleNewDirStore() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := memory.NewDirStore(dir, &memory.DirOptions{NoSync: true})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	create := func(old []byte) ([]byte, error) {
		if old != nil {
			return nil, fs.ErrExist
		}
		return []byte("first"), nil
	}
	fmt.Println(store.Update(context.Background(), "a.md", create))
	fmt.Println(store.Update(context.Background(), "a.md", create))
	// Output:
	// <nil>
	// file already exists
}

func ExampleRemove() {
	ctx, store := context.Background(), memory.NewMapStore()
	_ = store.Update(ctx, "a.md", func([]byte) ([]byte, error) { return []byte("text"), nil })
	fmt.Println(memory.Remove(ctx, store, "a.md"))
	_, err := store.Read(ctx, "a.md")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// <nil>
	// true
}

func ExampleReadBatch() {
	ctx, store := context.Background(), memory.NewMapStore()
	for _, name := range []string{"a.md", "b.md"} {
		_ = store.Update(ctx, name, func([]byte) ([]byte, error) { return []byte("text of " + name), nil })
	}
	for data, err := range memory.ReadBatch(ctx, store, []string{"a.md", "missing.md", "b.md"}) {
		fmt.Printf("%q %v\n", data, errors.Is(err, fs.ErrNotExist))
	}
	// Output:
	// "text of a.md" false
	// "" true
	// "text of b.md" false
}

func ExampleValidName() {
	for _, name := range []string{"facts/user.md", "../user.md", "con.md"} {
		fmt.Println(name, memory.ValidName(name) == nil)
	}
	// Output:
	// facts/user.md true
	// ../user.md false
	// con.md false
}
