package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchEntry is a discovery of usual size.
var benchEntry = Discovery{
	Type: CodePattern, Importance: High, RelatedFiles: []string{"src/api/middleware.ts"}, ActionItems: []string{"Follow existing middleware pattern"},
	Content: "Middleware pattern used in project:\n- Express middleware functions\n- Return 401 status on auth failure\n- Pass user info via req.user\n\nThis pattern should be followed in auth middleware.\n",
}

// largeSession gives the text of a session of at least size bytes, two thirds of them discoveries.
func largeSession(size int) string {

	var d, a strings.Builder
	for i := 1; d.Len()+a.Len() < size; i++ {
		fmt.Fprintf(&d, "  - id: \"discovery-%03d\"\n    timestamp: \"2026-02-12T10:00:00.000Z\"\n    type: \"code_pattern\"\n    importance: \"high\"\n    content: |\n"+
			"      Middleware pattern used in project %d:\n      - Express middleware functions\n      - Return 401 status on auth failure\n\n"+
			"      This pattern should be followed in auth middleware.\n    relatedFiles:\n      - \"src/api/middleware.ts\"\n\n", i, i)
		fmt.Fprintf(&a, "  - id: \"attempt-%03d\"\n    timestamp: \"2026-02-12T10:00:00.000Z\"\n    description: \"Step %d\"\n    result: \"success\"\n    output: |\n      Created middleware.ts.\n      Tested.\n\n", i, i)
	}
	return sessionHead + "\ndiscoveries:\n" + d.String() + "attempts:\n" + a.String() + "context:\n  currentPlanStep: 2\n"
}

const sessionHead = `version: "1"
schema: "agent-memory"
sessionId: "20260123-103000-abc1def2-auth-feature"
agent: "developer"
createdAt: "2026-01-23T10:31:05.000Z"
`

// BenchmarkSessionAdd adds one entry to a session of 100 KB that is open, with an archive
// of 7 MB or without; the file is put back now and then, outside the time, before it has grown by a quarter.
func BenchmarkSessionAdd(b *testing.B) {
	for _, c := range []struct {
		name, archive string
		dir           bool
	}{{"MapStore", "", false}, {"DirStore", "", true}, {"MapStore/archive", largeSession(7 << 20), false}, {"DirStore/archive", largeSession(7 << 20), true}} {
		b.Run(c.name, func(b *testing.B) {
			var store Store = NewMapStore()
			if c.dir {
				dir, err := NewDirStore(b.TempDir(), &DirOptions{NoSync: true})
				require.NoError(b, err)
				b.Cleanup(func() { _ = dir.Close() })
				store = dir
			}
			if c.archive != "" {
				write(b, store, archivePath, c.archive)
			}
			benchAdd(b, store, largeSession(100<<10))
		})
	}
}

func benchAdd(b *testing.B, store Store, text string) {
	ctx := context.Background()
	var s *Session
	for i := 0; b.Loop(); i++ {
		if i%50 == 0 {
			b.StopTimer()
			write(b, store, sessionPath, text)
			if s == nil {
				s = openSession(b, store, nil)
			}
			require.NoError(b, s.touch(ctx))
			require.NoError(b, second(s.archived(ctx)))
			b.StartTimer()
		}
		_, err := s.AddDiscovery(ctx, benchEntry)
		require.NoError(b, err)
	}
}

// BenchmarkSessionAddAfterOthers is the same when somebody else has written since:
// the whole file is read.
func BenchmarkSessionAddAfterOthers(b *testing.B) {
	store := NewMapStore()
	text := largeSession(100 << 10)
	s := openSession(b, store, nil)
	for b.Loop() {
		write(b, store, sessionPath, text)
		_, err := s.AddDiscovery(context.Background(), benchEntry)
		require.NoError(b, err)
	}
}
