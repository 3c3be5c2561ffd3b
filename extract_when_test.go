package memory

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSubstantial(t *testing.T) {
	for output, want := range map[string]bool{
		"":                   false,
		" \n\t":              false,
		"Done.":              false,
		"OK, all tests pass": false,
		"Task completed successfully, no changes needed.": false,
		"12345 67890 13579":                               false,
		"已完成，测试通过。":                                       false,
		"Alles erledigt, alles gut":                       false,
		"Found that auth lives in src/auth/middleware.ts": true,
		"OAuth is too broad":                              false, // two words of its own
		"OAuth is far too broad: JWT only":                true,
		"登录模块位于源码目录":                                      true,
	} {
		assert.Equal(t, want, Substantial(Run{Output: output}), output)
	}
	assert.True(t, Substantial(Run{Err: "exit status 1"}), "an error says something")
	assert.False(t, Substantial(Run{Err: " \n"}))
}

func TestOnlyFailures(t *testing.T) {
	const said = "OAuth is far too broad: JWT only"
	tests := map[string]struct {
		run  Run
		want bool
	}{
		"failure":               {Run{Output: said, Outcome: Failure}, true},
		"error, outcome unset":  {Run{Output: said, Err: "exit 1"}, true},
		"error, yet success":    {Run{Output: said, Err: "exit 1", Outcome: Success}, false},
		"partial":               {Run{Output: said, Outcome: Partial}, false},
		"unknown":               {Run{Output: said}, false},
		"failure, says nothing": {Run{Output: "done", Outcome: Failure}, false},
	}
	for name, tt := range tests {
		assert.Equal(t, tt.want, OnlyFailures(tt.run), name)
	}
}

func TestEveryNth(t *testing.T) {
	run, trivial := Run{Output: "OAuth is far too broad: JWT only"}, Run{Output: "done"}
	when := EveryNth(3)
	var asked []bool
	for range 7 {
		assert.False(t, when(trivial), "trivial runs do not count")
		asked = append(asked, when(run))
	}
	assert.Equal(t, []bool{false, false, true, false, false, true, false}, asked)
	for _, n := range []int{1, 0, -2} {
		assert.True(t, EveryNth(n)(run))
		assert.False(t, EveryNth(n)(trivial))
	}

	when = EveryNth(4)
	var passed atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 100 {
				if when(run) {
					passed.Add(1)
				}
			}
		})
	}
	wait.Wait()
	assert.EqualValues(t, 200, passed.Load(), "several goroutines share the count")
}
