package memory

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sessionEnv makes the test binary an agent that takes notes, see [appenderEnv].
const sessionEnv = "MEMORY_TEST_NOTE_IN"

const (
	noteProcesses = 4
	noteRoutines  = 16
	notesEach     = 2 // of each goroutine
)

// noteMany has goroutines add discoveries and finish attempts, half of them through
// a handle of their own.
func noteMany(dir, process string) error {
	store, err := NewDirStore(dir, &DirOptions{NoSync: true})
	if err != nil {
		return err
	}
	defer store.Close()
	shared, err := OpenSession(context.Background(), store, sessionID, "developer", nil)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	errs := make(chan error, noteRoutines)
	for i := range noteRoutines {
		running.Go(func() { errs <- takeNotes(store, shared, process, i) })
	}
	running.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func takeNotes(store Store, s *Session, process string, routine int) (err error) {
	ctx := context.Background()
	if routine%2 == 0 {
		if s, err = OpenSession(ctx, store, sessionID, "developer", nil); err != nil {
			return err
		}
	}
	for i := range notesEach {
		name := fmt.Sprintf("%s/%d/%d", process, routine, i)
		if _, err = s.AddDiscovery(ctx, Discovery{Type: CodePattern, Content: name}); err != nil {
			return err
		}
		id, err := s.StartAttempt(ctx, Attempt{Description: name})
		if err != nil {
			return err
		}
		if err = s.FinishAttempt(ctx, id, AttemptEnd{Result: AttemptSuccess, Output: name}); err != nil {
			return err
		}
	}
	return nil
}

func assertNotes(t *testing.T, store Store, processes int) {
	t.Helper()
	m := memoryOf(t, openSession(t, store, nil))
	found, tried, ids := make(map[string]int), make(map[string]int), make(map[string]bool)
	for _, d := range m.Discoveries {
		found[d.Content]++
		ids[d.ID] = true
	}
	for _, a := range m.Attempts {
		assert.Equal(t, a.Description, a.Output)
		assert.Equal(t, AttemptSuccess, a.Result)
		tried[a.Description]++
		ids[a.ID] = true
	}
	all := processes * noteRoutines * notesEach
	assert.Len(t, ids, 2*all, "unique")
	for process := range processes {
		for routine := range noteRoutines {
			for i := range notesEach {
				name := fmt.Sprintf("%d/%d/%d", process, routine, i)
				assert.Equal(t, 1, found[name], name)
				assert.Equal(t, 1, tried[name], name)
			}
		}
	}
	assert.Len(t, m.Discoveries, all)
	assert.Len(t, m.Attempts, all)
}

func TestFourProcessesOfSixteenGoroutinesInOneSession(t *testing.T) {
	dir := t.TempDir()
	var running []*exec.Cmd
	for i := range noteProcesses {
		cmd := exec.Command(os.Args[0], strconv.Itoa(i))
		cmd.Env = append(os.Environ(), sessionEnv+"="+dir)
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		assert.NoError(t, cmd.Wait())
	}
	store, err := NewDirStore(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	assertNotes(t, store, noteProcesses)
}

func TestSixteenGoroutinesInOneSession(t *testing.T) {
	store := NewMapStore()
	s := openSession(t, store, nil)
	var running sync.WaitGroup
	for i := range noteRoutines {
		running.Go(func() { assert.NoError(t, takeNotes(store, s, "0", i)) })
	}
	running.Wait()
	assertNotes(t, store, 1)
}
