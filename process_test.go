package memory

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// appenderEnv makes the test binary an appender, instead of running tests: its
// value is the directory, and its one argument the number of the process.
const appenderEnv = "MEMORY_TEST_APPEND_TO"

const (
	processes         = 8
	appendsPerProcess = 5
)

// sharedTitles are one title spelled in two ways, and two titles with one slug.
var sharedTitles = []string{"Project Structure", "project structure!", "C", "C++"}

func TestMain(m *testing.M) {
	for env, work := range map[string]func(dir, process string) error{appenderEnv: appendMany, sessionEnv: noteMany} {
		if dir := os.Getenv(env); dir != "" {
			if err := work(dir, os.Args[1]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

func appendMany(dir, process string) error {
	b, err := Open(dir, nil)
	if err != nil {
		return err
	}
	for i := range appendsPerProcess {
		for _, title := range sharedTitles {
			m := testMemory(title, func(m *Memory) { m.Body = fmt.Sprintf("entry %s %d", process, i) })
			if title == sharedTitles[1] {
				m.Body = fmt.Sprintf("entry %s %d", process, 100+i)
			}
			if _, err := b.Append(context.Background(), m); err != nil {
				return err
			}
		}
	}
	return b.Close()
}

func TestEightProcessesAppendToOneDirectory(t *testing.T) {
	dir := t.TempDir()
	var running []*exec.Cmd
	for i := range processes {
		cmd := exec.Command(os.Args[0], strconv.Itoa(i))
		cmd.Env = append(os.Environ(), appenderEnv+"="+dir)
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		assert.NoError(t, cmd.Wait())
	}
	b := openBank(t, dir, nil)
	const each = processes * appendsPerProcess
	assertEntries(t, b, map[string]int{"projectstructure": 2 * each, "c": each, "c++": each})
}
