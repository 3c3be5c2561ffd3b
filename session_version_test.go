package memory

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/yamledit"
)

func TestSessionOfLaterVersion(t *testing.T) {
	ctx := context.Background()
	for _, version := range []string{`"2"`, "2", "'17'"} {
		file := strings.Replace(checkedFile, `version: "1"`, "version: "+version+" # from tomorrow", 1)
		for _, call := range sessionCalls {
			t.Run(version+"/"+call.name, func(t *testing.T) {
				store := NewMapStore()
				s := openSession(t, store, nil)
				write(t, store, sessionPath, file)
				err := call.do(ctx, store, s)
				assert.ErrorIs(t, err, ErrVersion)
				assert.ErrorContains(t, err, "line 1: version "+strings.Trim(version, `"'`)+" is later than 1, which this library reads; the file is left alone")
				data, err := store.Read(ctx, sessionPath)
				require.NoError(t, err)
				assert.Equal(t, file, string(data))
			})
		}
	}
}

// TestSessionArchiveOfLaterVersion: nothing is taken out of the file when the archive cannot have it.
func TestSessionArchiveOfLaterVersion(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	s := openSession(t, store, nil)
	archive := strings.Replace(sessionHead, `"1"`, `"2"`, 1)
	write(t, store, sessionPath, checkedFile)
	write(t, store, archivePath, archive)
	_, err := s.Archive(ctx, time.Minute)
	assert.ErrorIs(t, err, ErrVersion)
	_, err = OpenSession(ctx, store, sessionID, "developer", nil)
	assert.ErrorIs(t, err, ErrVersion)
	for name, want := range map[string]string{"agent-memory.yaml": checkedFile, "agent-memory-archive.yaml": archive} {
		data, err := store.Read(ctx, sessionID+"/"+name)
		require.NoError(t, err)
		assert.Equal(t, want, string(data), name)
	}
}

func TestSessionVersionIsRead(t *testing.T) {
	tests := []struct {
		name, old, new string
		want           error
		msg            string
	}{
		{"text", "", "", nil, ""},
		{"number", `"1"`, "1", nil, ""},
		{"text in single quotes", `"1"`, "'1'", nil, ""},
		{"missing", "version: \"1\"\n", "", nil, ""},
		{"later", `"1"`, "2", ErrVersion, "line 1: version 2 is later than 1"},
		{"zero", `"1"`, `"0"`, ErrInvalid, `line 1: version: "0" is none; this library writes "1"`},
		{"below zero", `"1"`, `-1`, ErrInvalid, `line 1: version: "-1" is none`},
		{"no number", `"1"`, "x", ErrInvalid, `line 1: version: "x" is none`},
		{"empty", `"1"`, `""`, ErrInvalid, `line 1: version: "" is none`},
		{"semantic", `"1"`, `"1.0.0"`, nil, ""},
		{"semantic, as a number", `"1"`, "1.0", nil, ""},
		{"null", `"1"`, "null", nil, ""},
		{"later, as a number", `"1"`, "2.0", ErrVersion, "line 1: version 2.0 is later than 1"},
		{"later, semantic", `"1"`, `"2.0.0"`, ErrVersion, "line 1: version 2.0.0 is later than 1"},
		{"later in its second part", `"1"`, "1.5", ErrVersion, "line 1: version 1.5 is later than 1"},
		{"later, and very long", `"1"`, "99999999999999999999", ErrVersion, "line 1: version 99999999999999999999 is later than 1"},
		{"zero and a fraction", `"1"`, "0.9", ErrInvalid, `line 1: version: "0.9" is none`},
		{"two points", `"1"`, "1..0", ErrInvalid, `line 1: version: "1..0" is none`},
		{"list", `"1"`, "[1]", ErrInvalid, `line 1: version: "" is none`},
		{"in another line", `version: "1"`, "# a file\nversion: x", ErrInvalid, `line 2: version: "x" is none`},
		{"schema without quotes", `"agent-memory"`, "agent-memory", nil, ""},
		{"schema missing", "schema: \"agent-memory\"\n", "", nil, ""},
		{"another schema", `"agent-memory"`, "agent-plan", ErrInvalid, `line 2: schema: want agent-memory, not "agent-plan"`},
		{"schema that is a list", `"agent-memory"`, "[agent-memory]", ErrInvalid, `line 2: schema: want agent-memory, not ""`},
	}
	ctx := context.Background()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, checkedFile, test.old)
			file := strings.Replace(checkedFile, test.old, test.new, 1)
			store := NewMapStore()
			write(t, store, sessionPath, file)
			s, err := OpenSession(ctx, store, sessionID, "developer", nil)
			if test.want != nil {
				assert.ErrorIs(t, err, test.want)
				assert.ErrorContains(t, err, "agent-memory.yaml: "+test.msg)
			} else {
				require.NoError(t, err)
				m, err := s.Memory(ctx)
				require.NoError(t, err)
				assert.Len(t, m.Attempts, 1)
			}
			data, err := store.Read(ctx, sessionPath)
			require.NoError(t, err)
			assert.Equal(t, file, string(data), "opening leaves the bytes")
		})
	}
}

// tomorrow is a format of three versions: the second calls content text, and the
// third has the importance of every discovery.
var tomorrow = sessionFormat{3, []func(*yamledit.Doc) error{
	func(doc *yamledit.Doc) error {
		return eachDiscovery(doc, func(i int, n *yaml.Node) error {
			renamed := *n
			renamed.Content = slices.Clone(n.Content)
			for j := 0; j < len(renamed.Content); j += 2 {
				if key := *renamed.Content[j]; key.Value == "content" {
					key.Value = "text"
					renamed.Content[j] = &key
				}
			}
			doc.Remove(yamledit.Get(doc.Root(), "discoveries"), i)
			doc.Append(doc.Root(), "discoveries", &renamed)
			return nil
		})
	},
	func(doc *yamledit.Doc) error {
		return eachDiscovery(doc, func(_ int, n *yaml.Node) error {
			if yamledit.Get(n, "text") == nil {
				return errors.New("no text")
			}
			importance, err := yamledit.Value("medium")
			doc.Set(n, "importance", importance)
			return err
		})
	},
}}

func eachDiscovery(doc *yamledit.Doc, do func(int, *yaml.Node) error) error {
	list := yamledit.Get(doc.Root(), "discoveries")
	if list == nil {
		return nil
	}
	for i, n := range list.Content {
		if err := do(i, n); err != nil {
			return err
		}
	}
	return nil
}

func TestSessionMigration(t *testing.T) {
	const entry = `# what was found
discoveries:
  - id: discovery-007
    content: | # of people
      Middleware.
      - auth
    colour: blue
# kept
extra: [1, 2]
`
	tests := []struct{ name, file, want string }{
		{"from the first version", "version: \"1\" # format\n" + entry, `version: "3" # format
# what was found
discoveries:
  - id: discovery-007
    text: | # of people
      Middleware.
      - auth
    colour: blue
    importance: "medium"
# kept
extra: [1, 2]
`},
		{"entries keep their order", "version: 1\ndiscoveries:\n  - content: a\n  - content: b\n",
			"version: \"3\"\ndiscoveries:\n  - text: a\n    importance: \"medium\"\n\n  - text: b\n    importance: \"medium\"\n"},
		{"from the second", "version: 2\ndiscoveries:\n  - text: a\n", "version: \"3\"\ndiscoveries:\n  - text: a\n    importance: \"medium\"\n"},
		{"from the newest: nothing is done", "version: 3\ndiscoveries:\n  - content: a\n", "version: 3\ndiscoveries:\n  - content: a\n"},
		{"without entries", "version: 1\n", "version: \"3\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := tomorrow.read([]byte(test.file))
			require.NoError(t, err)
			text, err := d.Bytes()
			require.NoError(t, err)
			assert.Equal(t, test.want, string(text))
			if strings.Contains(test.file, "007") {
				assert.Equal(t, 7, d.last["discovery"], "ids are counted after it")
			}
		})
	}
	_, err := tomorrow.read([]byte("version: 2\ndiscoveries:\n  - content: a\n"))
	assert.EqualError(t, err, "bring version 2 to 3: no text")
	_, err = tomorrow.read([]byte("version: 4\n"))
	assert.ErrorIs(t, err, ErrVersion)
	assert.ErrorContains(t, err, "version 4 is later than 3")
}

// TestSessionMigrationsAreComplete: there is one for each version before the one that is written.
func TestSessionMigrationsAreComplete(t *testing.T) {
	assert.Len(t, sessionMigrations, sessionVersion-1)
	assert.Equal(t, strconv.Itoa(sessionVersion), conventionMemories["versioning"].Version)
}
