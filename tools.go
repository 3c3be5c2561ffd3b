package memory

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Tool is a function that a model can call, in the form that any tool-calling API takes.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments
	// Call runs the tool with arguments as the model gave them, a JSON object. The
	// result is for the model, as text. So is an error's message: from it a model can
	// mend its call.
	Call func(ctx context.Context, args json.RawMessage) (string, error) `json:"-"`
}

// CallTool runs a model's call with the tool of that name, and gives the message that
// answers it. An error is a message, too: its text is the Content, and IsError is set.
func CallTool(ctx context.Context, tools []Tool, call ToolCall) ChatMessage {
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == call.Name })
	var result string
	var err error
	if i >= 0 {
		result, err = tools[i].Call(ctx, call.Args)
	} else {
		var names []string
		for _, t := range tools {
			names = append(names, t.Name)
		}
		err = refuse(ErrInvalid, "there is no tool %.60q; the tools are %s", call.Name, strings.Join(names, ", "))
	}
	if err != nil {
		result = err.Error()
	}
	return ChatMessage{Role: RoleTool, ToolCallID: call.ID, Content: result, IsError: err != nil}
}

// Tools gives memory_read, memory_write, memory_patch, memory_append and memory_list,
// for a model that may write: the [Reflector]'s, or any other. Each call gives tools
// for one conversation: they know what they have shown, and do not let the model
// overwrite a file that it has not read, or that somebody else has changed since. An
// entry that a file has is not appended again. What the model writes is written as it
// is; a Reflector looks for secrets and orders first.
func (n *Notebook) Tools() []Tool { return n.newToolbox().tools() }

// ReadTools gives memory_list and memory_read, for an agent at work.
func (n *Notebook) ReadTools() []Tool {
	t := n.newToolbox()
	return []Tool{t.listTool(), t.readTool()}
}

// toolbox is what the tools of one conversation share.
type toolbox struct {
	n   *Notebook
	vet func(path string) vet // looks at what would be written; nil: nobody

	mu    sync.Mutex
	shown map[string][sha256.Size]byte // what the model last saw of each file
}

func (n *Notebook) newToolbox() *toolbox {
	return &toolbox{n: n, shown: make(map[string][sha256.Size]byte)}
}

func (t *toolbox) tools() []Tool {
	return []Tool{t.readTool(), t.writeTool(), t.patchTool(), t.appendTool(), t.listTool()}
}

// saw keeps what the model has been shown of a file; "" is one that does not exist.
func (t *toolbox) saw(path, text string) {
	text, _ = unixEnds(text)
	t.mu.Lock()
	t.shown[path] = sha256.Sum256([]byte(text))
	t.mu.Unlock()
}

// unseen keeps that the model has not seen a file after all.
func (t *toolbox) unseen(path string) {
	t.mu.Lock()
	delete(t.shown, path)
	t.mu.Unlock()
}

// fresh refuses to overwrite what the model has not seen as it is.
func (t *toolbox) fresh(path, before string) error {
	t.mu.Lock()
	shown, ok := t.shown[path]
	t.mu.Unlock()
	switch {
	case ok && shown == sha256.Sum256([]byte(before)), !ok && before == "":
		return nil
	case ok:
		return refuse(ErrInvalid, "%s has changed since you saw it: read it again, and write it with what it has now; nothing was written", path)
	}
	return refuse(ErrInvalid, "%s exists and you have not read it: read it first, or change a part of it with memory_patch; nothing was written", path)
}

// change runs a write of the model's. What the file has then, the model may overwrite,
// unless there was something that it had not seen.
func (t *toolbox) change(path string, whole bool, write func(vet) error) error {
	known, is := false, ""
	err := write(func(before, after string) (_ string, err error) {
		stale := t.fresh(path, before)
		if whole && stale != nil {
			return "", stale
		}
		if t.vet != nil {
			if after, err = t.vet(path)(before, after); err != nil {
				return "", err
			}
		}
		known, is = stale == nil, after
		return after, nil
	})
	if err == nil && known {
		t.saw(path, is)
	}
	return err
}

// done is the result of a write.
const done = `{"success":true}`

var (
	pathProperty  = property{name: "path", schema: `{"type": "string", "description": "path of the file, e.g. facts/user.md"}`}
	monthProperty = property{name: "path", schema: `{"type": "string", "description": "path of the file, which is named for its month, e.g. episodes/2026-02.md"}`}
)

func (t *toolbox) readTool() Tool {
	type args struct {
		Path string `json:"path"`
	}
	return newTool("memory_read", "Read a memory file. Gives its whole content.", []property{pathProperty}, func(ctx context.Context, a args) (string, error) {
		text, err := t.n.Read(ctx, a.Path)
		if errors.Is(err, fs.ErrNotExist) {
			t.saw(a.Path, "")
			err = refuse(fs.ErrNotExist, "%s does not exist", a.Path)
		}
		if err != nil {
			return "", t.explained(ctx, err)
		}
		text, _ = unixEnds(text)
		if utf8.ValidString(text) { // else it cannot be written back as it is
			t.saw(a.Path, text)
		}
		return strings.ToValidUTF8(text, "\uFFFD"), nil
	})
}

func (t *toolbox) writeTool() Tool {
	type args struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	return newTool("memory_write", "Create or overwrite a fact file, facts/….md, with the whole content given. Facts are list items of the form \"- Key: value\". "+
		"The summary line is made from their keys. To change single facts of a file use memory_patch."+t.n.filesNote(),
		[]property{pathProperty, {name: "content", schema: `{"type": "string", "description": "the whole file, as Markdown"}`}},
		func(ctx context.Context, a args) (string, error) {
			err := t.change(a.Path, true, func(check vet) error { return t.n.write(ctx, a.Path, a.Content, check) })
			return done, t.explained(ctx, err)
		})
}

func (t *toolbox) patchTool() Tool {
	type args struct {
		Path    string    `json:"path"`
		Patches patchList `json:"patches"`
	}
	return newTool("memory_patch", "Replace texts of a memory file, all of them or none. Each oldText must occur exactly once, letter by letter; "+
		"it may span lines. An empty newText takes the text out. The summary line is made anew and cannot be patched."+t.n.filesNote(),
		[]property{pathProperty, {name: "patches", schema: `{"type": "array", "minItems": 1, "items": {"type": "object", ` +
			`"properties": {"oldText": {"type": "string", "description": "text to find"}, "newText": {"type": "string", "description": "replacement text"}}, ` +
			`"required": ["oldText", "newText"], "additionalProperties": false}}`}},
		func(ctx context.Context, a args) (string, error) {
			err := t.change(a.Path, false, func(check vet) error { return t.n.patch(ctx, a.Path, a.Patches, check) })
			return fmt.Sprintf(`{"success":true,"appliedCount":%d}`, len(a.Patches)), t.explained(ctx, err)
		})
}

func (t *toolbox) appendTool() Tool {
	type args struct {
		Path    string `json:"path"`
		Entry   string `json:"entry"`
		Summary string `json:"summary"`
	}
	return newTool("memory_append", "Append an entry to the episode file of a month, which is made when it is missing. An entry is a heading \"## …\" with list items below it, "+
		"the first one \"- Summary: …\" in under ten words, then Date, Problem, Solution, Lesson or what fits.",
		[]property{monthProperty, {name: "entry", schema: `{"type": "string", "description": "the entry, as Markdown"}`},
			{name: "summary", optional: true, schema: `{"type": "string", "description": "in place of the file's summary, which is otherwise made from the entries"}`}},
		func(ctx context.Context, a args) (string, error) {
			err := t.change(a.Path, false, func(check vet) error { return t.n.append(ctx, a.Path, a.Entry, a.Summary, true, check) })
			return done, t.explained(ctx, err)
		})
}

func (t *toolbox) listTool() Tool {
	return newTool("memory_list", "List the memory files, with a summary and the size in bytes of each.", nil, func(ctx context.Context, _ struct{}) (string, error) {
		notes, err := t.n.List(ctx)
		return listResult(notes), err
	})
}

// explained names the files that there are where an error is that one is missing.
func (t *toolbox) explained(ctx context.Context, err error) error {
	var r *refusal
	if !errors.As(err, &r) || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	notes, _ := t.n.List(ctx)
	return refuse(err, "%s; %s", r.msg, listed(notes))
}

// listed names the first files of a list that can be read.
func listed(notes []Note) string {
	notes = slices.DeleteFunc(notes, func(n Note) bool { return n.Err != nil })
	if len(notes) == 0 {
		return "there are no files yet"
	}
	var paths []string
	for _, note := range notes[:min(len(notes), maxPlaces)] {
		paths = append(paths, shorten(note.Path, maxShownPath))
	}
	if more := len(notes) - maxPlaces; more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return "the files are " + strings.Join(paths, ", ")
}

// filesNote tells a model of a closed set.
func (n *Notebook) filesNote() string {
	if n.purposes == nil {
		return ""
	}
	return " The fact files are " + n.closedSet() + "; no other fact files can be written."
}
