package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Tool is a function that a model can call, in the form that any tool-calling API takes.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments
	// Call runs the tool with arguments as the model gave them, a JSON object. The
	// result is for the model, as text. So is an error's message: from it a model can
	// mend its call.
	Call func(ctx context.Context, args json.RawMessage) (string, error)
}

// Tools gives memory_read, memory_write, memory_patch, memory_append and memory_list,
// for a model that may write: the [Reflector]'s, or any other. Each call gives tools
// for one conversation: they know what they have shown, and do not let the model
// overwrite a file that somebody else has changed since. An entry that a file has is not
// appended again. What the model writes is written as it is; a Reflector looks for
// secrets and orders first.
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

// saw keeps what the model has been shown of a file.
func (t *toolbox) saw(path, text string) {
	text, _ = unixEnds(text)
	t.mu.Lock()
	t.shown[path] = sha256.Sum256([]byte(text))
	t.mu.Unlock()
}

// fresh refuses to overwrite what the model has seen otherwise. Of a file that it
// never saw it may overwrite all: the host decides what a model is shown.
func (t *toolbox) fresh(path, before string) error {
	t.mu.Lock()
	shown, ok := t.shown[path]
	t.mu.Unlock()
	if !ok || shown == sha256.Sum256([]byte(before)) {
		return nil
	}
	return refuse(ErrInvalid, "%s is not what you have seen of it: read it again, and write it with what it has now; nothing was written", path)
}

// change runs a write of the model's. What the file has then, the model may overwrite,
// unless somebody had changed before what it knew of it.
func (t *toolbox) change(path string, whole bool, write func(vet) error) error {
	known, is := false, ""
	err := write(func(before, after string) error {
		stale := t.fresh(path, before)
		if whole && stale != nil {
			return stale
		}
		if t.vet != nil {
			if err := t.vet(path)(before, after); err != nil {
				return err
			}
		}
		known, is = stale == nil, after
		return nil
	})
	if err == nil && known {
		t.saw(path, is)
	}
	return err
}

type pathArgs struct {
	Path *string `json:"path"`
}

func (t *toolbox) readTool() Tool {
	return Tool{
		Name:        "memory_read",
		Description: "Read a memory file. Gives its whole content.",
		Schema:      objectSchema(`"path": ` + pathSchema),
		Call: func(ctx context.Context, raw json.RawMessage) (string, error) {
			var args pathArgs
			if err := decodeArgs("memory_read", raw, &args, "path"); err != nil {
				return "", err
			}
			text, err := t.n.Read(ctx, *args.Path)
			if errors.Is(err, fs.ErrNotExist) {
				t.saw(*args.Path, "")
			}
			if err != nil {
				return "", t.n.explain(ctx, "memory_read", *args.Path, err)
			}
			text, _ = unixEnds(text)
			t.saw(*args.Path, text)
			return strings.ToValidUTF8(text, "\uFFFD"), nil
		},
	}
}

type writeArgs struct {
	pathArgs
	Content *string `json:"content"`
}

func (t *toolbox) writeTool() Tool {
	return Tool{
		Name: "memory_write",
		Description: "Create or overwrite a fact file with the whole content given. Facts are list items of the form \"- Key: value\". " +
			"To change single facts of a file use memory_patch." + t.n.filesNote(),
		Schema: objectSchema(`"path": `+pathSchema, `"content": {"type": "string", "description": "the whole file, as Markdown"}`),
		Call: func(ctx context.Context, raw json.RawMessage) (string, error) {
			var args writeArgs
			if err := decodeArgs("memory_write", raw, &args, "path", "content"); err != nil {
				return "", err
			}
			err := t.change(*args.Path, true, func(check vet) error { return t.n.write(ctx, *args.Path, *args.Content, check) })
			return done(`{"success":true}`, t.n.explain(ctx, "memory_write", *args.Path, err))
		},
	}
}

type patchArgs struct {
	pathArgs
	Patches *patchList `json:"patches"`
}

func (t *toolbox) patchTool() Tool {
	return Tool{
		Name: "memory_patch",
		Description: "Replace texts of a memory file, all of them or none. Each oldText must occur exactly once, letter by letter; " +
			"it may span lines. An empty newText takes the text out." + t.n.filesNote(),
		Schema: objectSchema(`"path": `+pathSchema, `"patches": {"type": "array", "minItems": 1, "items": {"type": "object", `+
			`"properties": {"oldText": {"type": "string", "description": "text to find"}, "newText": {"type": "string", "description": "replacement text"}}, `+
			`"required": ["oldText", "newText"], "additionalProperties": false}}`),
		Call: func(ctx context.Context, raw json.RawMessage) (string, error) {
			var args patchArgs
			if err := decodeArgs("memory_patch", raw, &args, "path", "patches"); err != nil {
				return "", err
			}
			err := t.change(*args.Path, false, func(check vet) error { return t.n.patch(ctx, *args.Path, *args.Patches, check) })
			return done(fmt.Sprintf(`{"success":true,"appliedCount":%d}`, len(*args.Patches)), t.n.explain(ctx, "memory_patch", *args.Path, err))
		},
	}
}

type appendArgs struct {
	pathArgs
	Entry   *string `json:"entry"`
	Summary string  `json:"summary"`
}

func (t *toolbox) appendTool() Tool {
	return Tool{
		Name: "memory_append",
		Description: "Append an entry to the episode file of a month, which is made when it is missing. An entry is a heading \"## …\" with list items below it, " +
			"the first one \"- Summary: …\" in under ten words, then Date, Problem, Solution, Lesson or what fits.",
		Schema: objectSchema(`"path": `+pathSchema, `"entry": {"type": "string", "description": "the entry, as Markdown"}`,
			`?"summary": {"type": "string", "description": "in place of the file's summary, which is otherwise made from the entries"}`),
		Call: func(ctx context.Context, raw json.RawMessage) (string, error) {
			var args appendArgs
			if err := decodeArgs("memory_append", raw, &args, "path", "entry"); err != nil {
				return "", err
			}
			err := t.change(*args.Path, false, func(check vet) error {
				return t.n.append(ctx, *args.Path, *args.Entry, args.Summary, func(before, after string) error {
					if hasEntry(*args.Path, before, *args.Entry) {
						return errEntryThere
					}
					return check(before, after)
				})
			})
			if errors.Is(err, errEntryThere) {
				return `{"success":true,"note":"this entry is there already; nothing was added"}`, nil
			}
			return done(`{"success":true}`, t.n.explain(ctx, "memory_append", *args.Path, err))
		},
	}
}

var errEntryThere = errors.New("entry is there already")

// hasEntry reports whether a file has an entry word for word: an episode file anywhere,
// another one, in which the same line may stand below two headings, at its end.
func hasEntry(path, text, entry string) bool {
	entry, _ = unixEnds(entry)
	text, entry = "\n"+dense(text), "\n"+dense(asEntry(path, entry))
	if isEpisode(path) {
		return strings.Contains(text+"## ", entry+"## ")
	}
	return strings.HasSuffix(text, entry)
}

// dense gives the lines of a text that are not blank, with one space between words.
func dense(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// maxList is how long the result of memory_list gets, in bytes.
const maxList = 64 << 10

func (t *toolbox) listTool() Tool {
	return Tool{
		Name:        "memory_list",
		Description: "List the memory files, with a summary and the size in bytes of each.",
		Schema:      objectSchema(),
		Call: func(ctx context.Context, raw json.RawMessage) (string, error) {
			if err := decodeArgs("memory_list", raw, &struct{}{}); err != nil {
				return "", err
			}
			notes, err := t.n.List(ctx)
			if err != nil {
				return "", fmt.Errorf("memory_list: %w", err)
			}
			return listResult(notes), nil
		},
	}
}

// listResult gives notes as a JSON array; what does not fit is one last element.
func listResult(notes []Note) string {
	items := make([][]byte, len(notes))
	total := 0
	for i := range notes {
		items[i], _ = jsonText(notes[i]) // two strings and a number cannot fail
		total += len(items[i]) + 1
	}
	const room = 160 // for the last element
	left := Note{Path: "…"}
	count := 0
	for _, i := range leastFirst(notes) {
		if total <= maxList-room {
			break
		}
		total -= len(items[i]) + 1
		items[i] = nil
		count++
		left.Size += notes[i].Size
	}
	if count > 0 {
		left.Summary = fmt.Sprintf("%d more files that this list has no room for", count)
		item, _ := jsonText(left)
		items = append(items, item)
	}
	items = slices.DeleteFunc(items, func(item []byte) bool { return item == nil })
	return "[" + string(bytes.Join(items, []byte(","))) + "]"
}

// jsonText gives a value as JSON that a model reads without escapes for <, > and &.
func jsonText(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// done gives a result unless there was an error.
func done(result string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return result, nil
}

// explain adds to an error what a model needs in order to do better.
func (n *Notebook) explain(ctx context.Context, tool, path string, err error) error {
	var plain *refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &plain):
		return &refusal{tool + ": " + plain.msg, err}
	case errors.Is(err, fs.ErrNotExist):
		notes, _ := n.List(ctx)
		return &refusal{fmt.Sprintf("%s: %s does not exist; %s", tool, path, listed(notes)), err}
	}
	return fmt.Errorf("%s: %w", tool, err)
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
		paths = append(paths, fmt.Sprintf("%d more", more))
	}
	return "there are " + strings.Join(paths, ", ")
}

// filesNote tells a model of a closed set.
func (n *Notebook) filesNote() string {
	if n.purposes == nil {
		return ""
	}
	return " Fact files: " + n.closedSet() + ". No others can be written."
}
