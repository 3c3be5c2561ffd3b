package memory

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rawko/memory/internal/markdown"
	"github.com/rawko/memory/internal/summary"
)

// Write makes content the whole of a file, new or not. A file without a first-level
// heading gets one, and its summary is built. The file of a month that has text is
// not overwritten: that is [ErrInvalid], as is empty content. What is past a limit of
// [NotebookOptions] is [ErrTooLarge].
func (n *Notebook) Write(ctx context.Context, path, content string) error {
	return wrapped("write note", n.write(ctx, path, content, nil))
}

// Patch replaces texts of a file, one after another: all of them, or none. An OldText
// must occur exactly once, line ends included; another count is [ErrInvalid], and the
// error says where it occurs or which line is the nearest. It gives how many were
// replaced. Past a limit it is [ErrTooLarge].
func (n *Notebook) Patch(ctx context.Context, path string, patches []Patch) (applied int, err error) {
	if err := n.patch(ctx, path, patches, nil); err != nil {
		return 0, wrapped("patch note", err)
	}
	return len(patches), nil
}

// Append adds an entry, which is Markdown, at the end of a file. The file is made when
// it is missing: an episode file as "# 2026-02 Episodes". In an episode file each entry
// begins with a second-level heading; one without gets it, from its summary or first
// words. A summary that is not empty becomes the file's until the next write.
// Past a limit it is [ErrTooLarge].
func (n *Notebook) Append(ctx context.Context, path, entry, summary string) error {
	return wrapped("append to note", n.append(ctx, path, entry, summary, false, nil))
}

func wrapped(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// vet looks at what a model's call makes of a file, under the file's lock, and gives
// what is written in its place, or refuses it. Before is "" where the file is missing.
// It may be called more than once.
type vet func(before, after string) (text string, err error)

func (n *Notebook) write(ctx context.Context, path, content string, check vet) error {
	content, err := n.clean(path, "content", content)
	if err != nil {
		return err
	}
	if isEpisode(path) && len(summary.Entries(content)) == 0 {
		content = asEntry(path, content) + "\n"
	}
	return n.change(ctx, path, check, func(old string, exists bool) (string, error) {
		if exists && isEpisode(path) && !summary.IsEmpty(old) {
			return "", refuse(ErrInvalid, "%s has episodes, which a write would lose: append to it, or patch it; nothing was written", path)
		}
		return rebuild(path, summary.Titled(content, noteTitle(path))), nil
	})
}

func (n *Notebook) patch(ctx context.Context, path string, patches []Patch, check vet) error {
	if len(patches) == 0 {
		return refuse(ErrInvalid, "patches is empty: give at least one {oldText, newText}")
	}
	for _, p := range patches {
		if err := cmp.Or(sound(path, "oldText", p.OldText), sound(path, "newText", p.NewText)); err != nil {
			return err
		}
	}
	return n.change(ctx, path, check, func(old string, exists bool) (string, error) {
		if !exists {
			return "", refuse(fs.ErrNotExist, "%s does not exist, so there is nothing to patch: memory_write makes it", path)
		}
		text, err := n.applyPatches(path, old, patches)
		if err != nil {
			return "", err
		}
		return rebuild(path, text), nil
	})
}

// append adds an entry; once: unless the file has it already.
func (n *Notebook) append(ctx context.Context, path, entry, given string, once bool, check vet) error {
	entry, err := n.clean(path, "entry", entry)
	if err != nil {
		return err
	}
	entry = asEntry(path, entry)
	return n.change(ctx, path, check, func(old string, exists bool) (string, error) {
		if once && hasEntry(path, old, entry) {
			return summary.Set(old, shorten(markdown.Line(given), summary.MaxEpisodes)), nil
		}
		text := summary.Closed(strings.TrimRightFunc(summary.Titled(old, noteTitle(path)), unicode.IsSpace))
		gap := "\n\n"
		if summary.JoinsList(text, entry) {
			gap = "\n"
		}
		text = rebuild(path, text+gap+entry+"\n")
		return summary.Set(text, shorten(markdown.Line(given), summary.MaxEpisodes)), nil
	})
}

// change is the one way in which a file of the notebook is written. edit gets the
// file with LF at the ends of its lines; the file keeps the ends that it has.
func (n *Notebook) change(ctx context.Context, path string, check vet, edit func(old string, exists bool) (string, error)) error {
	if err := n.writable(path); err != nil {
		return err
	}
	others, release, err := n.otherFacts(ctx, path)
	if err != nil {
		return err
	}
	defer release()
	return n.store.Update(ctx, path, func(old []byte) ([]byte, error) {
		before, ends := unixEnds(string(old))
		after, err := edit(before, old != nil)
		if err != nil || after == before {
			return nil, err
		}
		if check != nil {
			if after, err = check(before, after); err != nil || after == before {
				return nil, err
			}
		}
		data := []byte(ends.restore(after))
		if err := n.fits(path, len(data)); err != nil && len(data) > len(old) {
			return nil, err
		}
		if err := n.affordable(path, others, len(old), len(data)); err != nil {
			return nil, err
		}
		return data, nil
	})
}

// clean gives a model's text in normal form: LF, no blank lines at either end.
func (n *Notebook) clean(path, what, text string) (string, error) {
	if err := sound(path, what, text); err != nil {
		return "", err
	}
	if err := n.fits(path, len(text)); err != nil {
		return "", err
	}
	text, _ = unixEnds(text)
	text = strings.ReplaceAll(text, "\r", "\n")
	text = summary.Unfenced(strings.TrimRightFunc(strings.TrimLeft(text, "\n"), unicode.IsSpace))
	if strings.TrimSpace(text) == "" {
		return "", refuse(ErrInvalid, "%s: %s is empty; nothing was written. Single facts are taken out with memory_patch, and a file by a person only", path, what)
	}
	return text + "\n", nil
}

// sound refuses text that is none.
func sound(path, what, text string) error {
	switch {
	case !utf8.ValidString(text):
		return refuse(ErrInvalid, "%s: %s is not valid UTF-8; nothing was written", path, what)
	case strings.ContainsRune(text, 0):
		return refuse(ErrInvalid, "%s: %s holds a NUL; nothing was written", path, what)
	}
	return nil
}

// rebuild gives a file with the summary that fits what it has.
func rebuild(path, text string) string {
	if summary.IsEmpty(text) {
		return summary.Drop(text)
	}
	if isEpisode(path) {
		return summary.Set(text, summary.OfEpisodes(text))
	}
	return summary.Set(text, summary.OfFacts(text))
}

// noteTitle makes a heading of a path: "User Facts", "2026-02 Episodes", "Alice".
func noteTitle(p string) string {
	if m := month.FindStringSubmatch(p); m != nil {
		return m[1] + " Episodes"
	}
	words := strings.FieldsFunc(strings.TrimSuffix(path.Base(p), suffix), func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	for i, w := range words {
		first, n := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(first)) + w[n:]
	}
	if isFact(p) && !slices.Contains(words, "Facts") {
		words = append(words, "Facts")
	}
	return cmp.Or(strings.Join(words, " "), path.Base(p))
}

// asEntry gives an entry as it stands in a file: without an open block of code, and in
// an episode file with a second-level heading, and without the file's own head.
func asEntry(path, entry string) string {
	entry = summary.Closed(strings.TrimSpace(entry))
	if !isEpisode(path) {
		return entry
	}
	entry = summary.Headless(entry, noteTitle(path))
	first, rest, _ := strings.Cut(entry, "\n")
	if rule, more, ok := strings.Cut(rest, "\n"); strings.TrimSpace(first) != "" && isRule(rule) && (ok || more == "") {
		return strings.TrimSpace("## " + strings.TrimSpace(first) + "\n" + more) // an underlined heading
	}
	if marks := strings.TrimLeft(first, "#"); marks != first && strings.TrimLeft(marks, " \t") != marks {
		return strings.TrimSpace("##" + marks + "\n" + rest)
	}
	return "## " + summary.OfEntry(entry) + "\n" + entry
}

// isRule reports whether a line is of dashes alone, which underline the one above.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && strings.Trim(line, "-") == ""
}

// hasEntry reports whether a file has an entry, the spaces in its lines aside: an episode
// file anywhere, another one, in which the same line may stand below two headings, at its end.
func hasEntry(path, text, entry string) bool {
	text, entry = "\n"+dense(text), "\n"+dense(entry)
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

// ends is how most lines of a file end, and whether it begins with a byte order mark.
type ends struct{ bom, crlf bool }

const byteOrderMark = "\uFEFF"

// unixEnds gives a text with LF alone.
func unixEnds(text string) (string, ends) {
	text, bom := strings.CutPrefix(text, byteOrderMark)
	crlf := strings.Count(text, "\r\n")
	mostly := 2*crlf > strings.Count(text, "\n")
	if crlf > 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text, ends{bom: bom, crlf: mostly}
}

func (e ends) restore(text string) string {
	if e.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if e.bom {
		text = byteOrderMark + text
	}
	return text
}
