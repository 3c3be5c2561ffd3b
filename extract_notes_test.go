package memory

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// sample is one of the notes under testdata/notes.
type sample struct {
	ID, Language, Where, Kind, Title, Content string
	WhenToUse                                 []string `yaml:"whenToUse"`
	Tags                                      []string
}

// notes reads a set of them.
func notes(t testing.TB, file string) []sample {
	t.Helper()
	data, err := os.ReadFile("testdata/notes/" + file)
	require.NoError(t, err)
	var set []sample
	require.NoError(t, yaml.Unmarshal(data, &set))
	return set
}

// quarantined learns each note of a set from a reply, and gives those that were quarantined with the reason.
func quarantined(t *testing.T, set []sample) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, n := range set {
		bank := keep(t, NewMapStore(), Options{})
		e := learn(t, bank, oauthRun(), replyOf(n.Title, n.Content, map[string]any{
			"frontmatter": fm{"whenToUse": n.WhenToUse, "tags": n.Tags, "importance": "medium"},
		}))
		if e.Action == Quarantined {
			found[n.ID] = e.Reason
			assert.Empty(t, names(t, bank), n.ID)
		} else {
			assert.Equal(t, Created, e.Action, n.ID)
		}
	}
	return found
}

// The sets were written without knowledge of the rules, which were then tuned on them; the README there says more.
func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		file        string
		size        int
		least, most int // that are quarantined
	}{
		{"a-hostile.yaml", 60, 57, 60},
		{"a-harmless.yaml", 100, 0, 1},
		{"b-hostile.yaml", 60, 56, 60},
		{"b-harmless.yaml", 100, 0, 2},
		{"c-hostile.yaml", 60, 59, 60},
		{"c-harmless.yaml", 100, 0, 0},
		{"d-hostile.yaml", 60, 59, 60},
		{"d-harmless.yaml", 100, 0, 0},
		{"e-hostile.yaml", 60, 60, 60},
		{"e-harmless.yaml", 100, 0, 1},
		{"f-hostile.yaml", 60, 50, 60}, // nobody has tuned on it
		{"f-harmless.yaml", 100, 0, 4},
	} {
		t.Run(tt.file, func(t *testing.T) {
			set := notes(t, tt.file)
			require.Len(t, set, tt.size)
			found := quarantined(t, set)
			t.Logf("%d of %d are quarantined", len(found), len(set))
			for _, n := range set {
				if reason, is := found[n.ID]; is != (tt.least > 0) {
					t.Logf("%s (%s, %s, %s): %s", n.ID, n.Language, n.Where, n.Kind, reason)
				}
			}
			assert.GreaterOrEqual(t, len(found), tt.least)
			assert.LessOrEqual(t, len(found), tt.most)
		})
	}
}
