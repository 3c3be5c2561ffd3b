package replyjson

import (
	"testing"

	"github.com/kaptinlin/jsonrepair"
)

// FuzzRepair gives the library every skeleton that the scanner makes, without
// the guard around it.
func FuzzRepair(f *testing.F) {
	for name, s := range begun {
		f.Add(s[0] + s[1] + s[1])
		f.Add(hostile[name])
	}
	f.Add("{a: b, 'c': “d” + \"e\", // f\n[g, ...], h: ObjectId(1), i: /j/, k: -, l: 01, m: .5e}")
	f.Fuzz(func(t *testing.T, text string) {
		s := &scanner{text: "{" + text}
		if s.object() && s.out.Len() <= maxSkeleton {
			_, _ = jsonrepair.Repair(s.out.String())
		}
	})
}
