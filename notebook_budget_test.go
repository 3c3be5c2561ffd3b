package memory

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// factsOf counts the bytes of all facts.
func factsOf(t *testing.T, n *Notebook) (total int) {
	t.Helper()
	require.NoError(t, n.walk(t.Context(), "facts", func(_ string, info Info) { total += int(info.Size) }))
	return total
}

func TestFactsKeepToTheirBudget(t *testing.T) {
	n := openNotes(t, nil, nil)
	line := "- A: " + strings.Repeat("x", 7000)
	require.NoError(t, n.Write(t.Context(), "facts/a.md", line))
	require.NoError(t, n.Write(t.Context(), "facts/deep/b.md", line))
	write(t, n.store, "facts/c.txt", strings.Repeat("x", 20_000)) // which is no note
	require.NoError(t, n.Append(t.Context(), "episodes/2026-02.md", line+line+line, ""), "episodes are not counted")
	require.NoError(t, n.Write(t.Context(), "people/a.md", line+line+line), "nor is anything else")
	before := factsOf(t, n)

	err := n.Append(t.Context(), "facts/a.md", "- B: "+strings.Repeat("y", 2000), "")
	assert.ErrorIs(t, err, ErrTooLarge)
	assert.EqualError(t, err, "append to note: all facts together would have 16071 bytes, and may have 15360; facts/a.md would have 9040 (now: 7031), "+
		"facts/deep/b.md 7031. Condense first: merge what says the same and remove what is out of date, with memory_patch or memory_write, and then try again")
	_, err = n.Patch(t.Context(), "facts/a.md", []Patch{{"- A", strings.Repeat("y", 2000)}})
	assert.ErrorIs(t, err, ErrTooLarge)
	assert.ErrorIs(t, n.Write(t.Context(), "facts/d.md", line), ErrTooLarge)
	assert.Equal(t, before, factsOf(t, n))

	require.NoError(t, n.Write(t.Context(), "facts/a.md", "- A: short"), "it shrinks")
	require.NoError(t, n.Write(t.Context(), "facts/d.md", line), "so there is room")
}

func TestTheBudgetToTheByte(t *testing.T) {
	const file = "# A Facts\n\n> Summary: a\n\n- A: b\n" // 32 bytes
	for max, fits := range map[int]bool{64: true, 63: false, 62: false, -1: true, 0: true} {
		n := openNotes(t, nil, &NotebookOptions{MaxFacts: max})
		write(t, n.store, "facts/b.md", strings.Repeat("x", 32))
		err := n.Write(t.Context(), "facts/a.md", "- A: b")
		assert.Equal(t, fits, err == nil, "%d: %v", max, err)
		if fits {
			assert.Len(t, noteOf(t, n, "facts/a.md"), len(file))
		}
	}
}

func TestFactsThatAPersonMadeTooLargeCanShrink(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{MaxFacts: 1000})
	for i := range 13 {
		write(t, n.store, fmt.Sprintf("facts/%02d.md", i), "# T\n\n> Summary: a\n\n- A: "+strings.Repeat("x", 475))
	}
	_, err := n.Patch(t.Context(), "facts/00.md", []Patch{{"xxx", ""}})
	assert.ErrorContains(t, err, "occurs 100 or more times, in line 5 (")
	_, err = n.Patch(t.Context(), "facts/00.md", []Patch{{": x", ": "}})
	assert.NoError(t, err, "by one byte")
	_, err = n.Patch(t.Context(), "facts/00.md", []Patch{{": x", ": y"}})
	assert.NoError(t, err, "as large as it was")
	_, err = n.Patch(t.Context(), "facts/00.md", []Patch{{": y", ": yy"}})
	assert.ErrorIs(t, err, ErrTooLarge)
	assert.ErrorContains(t, err, "facts/10.md 499, 2 more. Condense first")
	assert.NotContains(t, err.Error(), "facts/11.md")
}

func TestOneFileKeepsToItsCap(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{MaxFile: 100})
	const rest = " bytes, and a file may have 100: condense it first, or begin another file"
	long := strings.Repeat("x", 101)
	for msg, err := range map[string]error{
		"write note: a.md would have 102" + rest:                    n.Write(t.Context(), "a.md", "\n"+long),
		"write note: a.md would have 119" + rest:                    n.Write(t.Context(), "a.md", long[:50]),
		"append to note: episodes/2026-02.md would have 102" + rest: n.Append(t.Context(), "episodes/2026-02.md", long+"\n", ""),
	} {
		assert.ErrorIs(t, err, ErrTooLarge)
		assert.EqualError(t, err, msg)
	}
	assert.Empty(t, noteOf(t, n, "a.md"))
	require.NoError(t, n.Write(t.Context(), "c.md", "# T\n> Summary: x\nx\n"+strings.Repeat("y", 80)), "to the byte")
	assert.Len(t, noteOf(t, n, "c.md"), 100)
	write(t, n.store, "b.md", "# T\n\n> Summary: x\n\nx\n"+strings.Repeat("y", 200))
	_, err := n.Patch(t.Context(), "b.md", []Patch{{"\nx\n", "\nxx\n"}})
	assert.ErrorIs(t, err, ErrTooLarge)
	_, err = n.Patch(t.Context(), "b.md", []Patch{{"\nx\ny", "\nx\n"}})
	assert.NoError(t, err, "what is too large can shrink")
}

// TestTheBudgetHoldsForManyAtOnce has sixteen goroutines write facts for which there is no room for all.
func TestTheBudgetHoldsForManyAtOnce(t *testing.T) {
	n := openNotes(t, nil, &NotebookOptions{MaxFacts: 2000})
	refused := make(chan error, 16*20)
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			for range 20 {
				if err := n.Append(context.Background(), fmt.Sprintf("facts/%d.md", g), "- A: "+strings.Repeat("x", 50), ""); err != nil {
					refused <- err
				}
				total := 0
				if err := n.walk(context.Background(), "facts", func(_ string, info Info) { total += int(info.Size) }); err != nil || total > 2000 {
					refused <- fmt.Errorf("%d bytes, %v", total, err)
				}
			}
		})
	}
	all.Wait()
	close(refused)
	count := 0
	for err := range refused {
		assert.ErrorIs(t, err, ErrTooLarge)
		count++
	}
	assert.Greater(t, count, 200)
	assert.Greater(t, factsOf(t, n), 1800)
}

// waitingStore holds its updates until it is told to go on.
type waitingStore struct {
	Store
	wait chan struct{}
}

func (s waitingStore) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	<-s.wait
	return s.Store.Update(ctx, name, edit)
}

func TestAContextThatEndsWhileAnotherWritesFacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := openNotes(t, waitingStore{NewMapStore(), make(chan struct{})}, nil)
		first := make(chan error)
		go func() { first <- n.Write(context.Background(), "facts/a.md", "- A: b") }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		err := n.Write(ctx, "facts/b.md", "- A: b")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.EqualError(t, err, "write note: facts/b.md: context deadline exceeded")
		close(n.store.(waitingStore).wait)
		assert.NoError(t, <-first)
		assert.NoError(t, n.Write(context.Background(), "facts/b.md", "- A: b"), "and the next one goes on")
	})
}

// TestFiftyAppendToOneMonth has fifty goroutines append by two notebooks on one directory.
func TestFiftyAppendToOneMonth(t *testing.T) {
	store, err := NewDirStore(t.TempDir(), &DirOptions{NoSync: true})
	require.NoError(t, err)
	books := []*Notebook{openNotes(t, store, nil), openNotes(t, store, nil)}
	var all sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		all.Go(func() {
			errs[i] = books[i%2].Append(context.Background(), "episodes/2026-02.md", fmt.Sprintf("## Entry %02d\n- Summary: s%02d", i, i), "")
		})
	}
	all.Wait()
	for _, err := range errs {
		assert.NoError(t, err)
	}
	text := noteOf(t, books[0], "episodes/2026-02.md")
	assert.Equal(t, 50, strings.Count(text, "\n## "))
	for i := range errs {
		assert.Equal(t, 1, strings.Count(text, fmt.Sprintf("\n\n## Entry %02d\n- Summary: s%02d\n", i, i)))
	}
	var labels []string
	for _, e := range strings.Split(text, "- Summary: ")[1:] {
		labels = append(labels, e[:3])
	}
	head, _, _ := strings.Cut(text, "\n\n## ")
	earlier, shown, _ := strings.Cut(strings.TrimPrefix(head, "# 2026-02 Episodes\n\n> Summary: "), " earlier, ")
	left, err := strconv.Atoi(earlier)
	require.NoError(t, err, head)
	assert.Equal(t, strings.Join(labels[left:], ", "), shown)
}
