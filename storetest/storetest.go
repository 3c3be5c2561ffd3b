// Package storetest holds the contract of [memory.Store] as tests. An implementer runs them:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) memory.Store { return mystore.New(t.TempDir()) })
//	}
package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/rawko/memory"
)

// Rule is one sentence of the contract and the check that holds a store to it.
type Rule struct {
	Name     string // in a few words, for the name of a test
	Sentence string // what a store promises
	// Check tries the rule on an empty store, which it leaves with documents in it. The
	// error tells what the store did instead; nil: the store keeps the rule.
	Check func(ctx context.Context, store memory.Store) error
}

// Rules gives every rule. Those about an optional interface are kept by a store without it.
func Rules() []Rule {
	all := [][]Rule{readRules, updateRules, listRules, nameRules, callRules, optionalRules}
	var rules []Rule
	for _, group := range all {
		rules = append(rules, group...)
	}
	return rules
}

// Run tests each rule, as a subtest, on a store that newStore makes for it. The store must be empty.
func Run(t *testing.T, newStore func(t *testing.T) memory.Store) {
	for _, rule := range Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			if err := rule.Check(t.Context(), newStore(t)); err != nil {
				t.Errorf("%s\nbut: %v", rule.Sentence, err)
			}
		})
	}
}

// put makes content the document name.
func put(ctx context.Context, store memory.Store, name, content string) error {
	return store.Update(ctx, name, func([]byte) ([]byte, error) { return []byte(content), nil })
}

// putAll makes a document of each name, which holds its own name.
func putAll(ctx context.Context, store memory.Store, names ...string) error {
	for _, name := range names {
		if err := put(ctx, store, name, name); err != nil {
			return err
		}
	}
	return nil
}

// holds says whether the document name is content.
func holds(ctx context.Context, store memory.Store, name, content string) error {
	got, err := store.Read(ctx, name)
	if err != nil {
		return err
	}
	if string(got) != content {
		return fmt.Errorf("%q holds %.60q (%d bytes), want %.60q (%d bytes)", name, got, len(got), content, len(content))
	}
	return nil
}

// list collects what is directly under dir.
func list(ctx context.Context, store memory.Store, dir string) ([]memory.Info, error) {
	var infos []memory.Info
	for info, err := range store.List(ctx, dir) {
		if err != nil {
			return nil, fmt.Errorf("list %q: %w", dir, err)
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// stat finds one document or directory in the list of its directory.
func stat(ctx context.Context, store memory.Store, dir, name string) (memory.Info, error) {
	infos, err := list(ctx, store, dir)
	for _, info := range infos {
		if info.Name == name {
			return info, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("list %q does not show %q: %v", dir, name, infos)
	}
	return memory.Info{}, err
}
