package memory

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The caps of a memory file (docs/decisions.md, "Names and caps").
const (
	maxFile        = 1 << 20  // bytes of a file
	maxFrontmatter = 16 << 10 // bytes of an entry's YAML
	maxPattern     = 256      // bytes of a trigger
)

// separator stands between two entries of a file.
const separator = "\n\n---\n\n"

// entry is one entry of a file as it was read.
type entry struct {
	Update
	line int    // of its opening ---, from 1
	yaml string // between its fences
}

// same reports whether two entries stand in the same place with the same text.
// It compares text, because two NaNs in Extra would never be equal.
func (e entry) same(o entry) bool {
	return e.line == o.line && e.yaml == o.yaml && e.Body == o.Body
}

// isBlank reports whether a line has only spaces and tabs.
func isBlank(line string) bool { return strings.Trim(line, " \t") == "" }

// isDashes reports whether a line is zero or more backslashes, three dashes, then blanks.
func isDashes(line string) bool {
	return strings.TrimLeft(strings.TrimRight(line, " \t"), `\`) == "---"
}

// isBare reports whether a line is a dash line without backslashes.
func isBare(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// eachPaired calls f with the index of every dash line of a body that is paired:
// the next line that is not blank is a dash line too, or there is none. Only
// those could ever be taken for the fences of an entry. Backslashes do not
// change which lines they are, so that adding and removing one are exact inverses.
func eachPaired(lines []string, f func(i int)) {
	paired := true
	for i := len(lines) - 1; i >= 0; i-- {
		if isBlank(lines[i]) {
			continue
		}
		dashes := isDashes(lines[i])
		if dashes && paired {
			f(i)
		}
		paired = dashes
	}
}

// escapeBody puts a backslash before every paired dash line of a body.
func escapeBody(body string) string {
	lines := strings.Split(body, "\n")
	eachPaired(lines, func(i int) { lines[i] = `\` + lines[i] })
	return strings.Join(lines, "\n")
}

// readBody gives the body that stands in lines: without the blank lines at both
// ends, and without the backslash of every paired dash line that has one.
func readBody(lines []string) string {
	lines = append([]string(nil), trimBlank(lines)...)
	eachPaired(lines, func(i int) { lines[i] = strings.TrimPrefix(lines[i], `\`) })
	return strings.Join(lines, "\n")
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && isBlank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && isBlank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// lineEnds turns CRLF and lone CR into LF.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// normalBody brings a body into the form in which Parse gives it back: LF, no
// blank lines at either end. Invalid UTF-8 and NUL cannot be brought there.
func normalBody(body string) (string, error) {
	if !utf8.ValidString(body) {
		return "", fmt.Errorf("body: not UTF-8: %w", ErrInvalid)
	}
	if strings.ContainsRune(body, 0) {
		return "", fmt.Errorf("body: has a NUL: %w", ErrInvalid)
	}
	return strings.Join(trimBlank(strings.Split(lineEnds.Replace(body), "\n")), "\n"), nil
}

// entryScanner splits a file into its entries.
type entryScanner struct {
	name     string
	lines    []string
	entries  []entry
	problems []Problem
}

// parseEntries reads a file's entries, each with what it gave itself. The error
// is a *ParseError and says that the first entry cannot be used.
func parseEntries(name string, data []byte) ([]entry, []Problem, error) {
	name = strings.TrimSuffix(name, ".md")
	if len(data) > maxFile {
		return nil, nil, &ParseError{name, 0, fmt.Sprintf("%d bytes; at most %d can be read", len(data), maxFile), ErrTooLarge}
	}
	text := string(bytes.TrimPrefix(data, []byte("\ufeff")))
	if !utf8.ValidString(text) {
		valid := lineEnds.Replace(text[:len(text)-len(afterInvalid(text))])
		return nil, nil, &ParseError{name, 1 + strings.Count(valid, "\n"), "not UTF-8", ErrInvalid}
	}
	s := &entryScanner{name: name, lines: strings.Split(lineEnds.Replace(text), "\n")}
	if i := strings.IndexByte(text, 0); i >= 0 {
		s.problem(strings.Count(lineEnds.Replace(text[:i]), "\n"), SeverityWarning, "has a NUL character")
	}
	body, err := s.first()
	if err != nil {
		return nil, s.problems, err
	}
	s.updates(body)
	return s.entries, s.problems, nil
}

// afterInvalid gives text from its first byte that is not UTF-8.
func afterInvalid(text string) string {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return text[i:]
			}
		}
	}
	return ""
}

// problem records what is wrong at a line, given as its index.
func (s *entryScanner) problem(i int, severity Severity, msg string) {
	s.problems = append(s.problems, Problem{s.name, i + 1, severity, msg})
}

// nextText gives the index of the first line from i on that is not blank; len(lines): none.
func (s *entryScanner) nextText(i int) int {
	for i < len(s.lines) && isBlank(s.lines[i]) {
		i++
	}
	return i
}

// closing gives the index of the first bare --- from i on; len(lines): none.
func (s *entryScanner) closing(i int) int {
	for i < len(s.lines) && !isBare(s.lines[i]) {
		i++
	}
	return i
}

// yaml gives the lines between two fences.
func (s *entryScanner) yaml(open, end int) string {
	if open+1 == end {
		return ""
	}
	return strings.Join(s.lines[open+1:end], "\n") + "\n"
}

// first reads the entry that the file begins with, and returns where its body begins.
func (s *entryScanner) first() (body int, err error) {
	fail := func(i int, msg string, sentinel error) (int, error) {
		return 0, &ParseError{s.name, i + 1, msg, sentinel}
	}
	open := s.nextText(0)
	if open == len(s.lines) {
		return fail(0, "empty: a memory begins with frontmatter between two lines of ---", ErrInvalid)
	}
	if !isBare(s.lines[open]) {
		return fail(open, "no frontmatter: a memory begins with a line of ---", ErrInvalid)
	}
	end := s.closing(open + 1)
	if end == len(s.lines) {
		return fail(open, "the frontmatter is not closed by a second line of ---", ErrInvalid)
	}
	text := s.yaml(open, end)
	if len(text) > maxFrontmatter {
		return fail(open, fmt.Sprintf("frontmatter of %d bytes; at most %d can be read", len(text), maxFrontmatter), ErrTooLarge)
	}
	fm, problems, perr := readFrontmatter(s.name, text, open+1, true)
	s.problems = append(s.problems, problems...)
	if perr != nil {
		return 0, perr
	}
	s.entries = append(s.entries, entry{Update{Frontmatter: *fm}, open + 1, text})
	return end + 1, nil
}

// updates finds the entries behind the first. A body goes on until a boundary
// whose YAML can be read; code fences play no part in that, or one that is never
// closed would hide every later entry.
func (s *entryScanner) updates(body int) {
	for i := body; i < len(s.lines); i++ {
		open, end, ok := s.boundary(i)
		if !ok {
			s.warnSingle(i)
			continue
		}
		text := s.yaml(open, end)
		fm, problems, err := readFrontmatter(s.name, text, open+1, false)
		if err != nil {
			s.problem(err.Line-1, SeverityError, "an update that cannot be read: "+err.Msg)
			continue
		}
		s.problems = append(s.problems, problems...)
		s.warnTitle(fm.Title, open)
		s.entries[len(s.entries)-1].Body = readBody(s.lines[body:i])
		s.entries = append(s.entries, entry{Update{Frontmatter: *fm}, open + 1, text})
		body, i = end+1, end
	}
	s.entries[len(s.entries)-1].Body = readBody(s.lines[body:])
}

// boundary reports whether line i separates two entries, and between which lines
// the YAML of the second stands: a bare --- whose next non-blank line is a bare
// --- too, directly followed by a line that is neither blank nor ---, and closed
// by a later --- within the cap.
//
// It walks forward for every candidate, and is linear all the same: what it
// walks over has no bare line in it, so that the next candidate begins behind.
func (s *entryScanner) boundary(i int) (open, end int, ok bool) {
	if !isBare(s.lines[i]) {
		return 0, 0, false
	}
	open = s.nextText(i + 1)
	if open+1 >= len(s.lines) || !isBare(s.lines[open]) {
		return 0, 0, false
	}
	if next := s.lines[open+1]; isBlank(next) || isBare(next) {
		return 0, 0, false
	}
	end = s.closing(open + 1)
	switch {
	case end == len(s.lines):
		s.lost(open, "not closed by a line of ---")
	case len(s.yaml(open, end)) > maxFrontmatter:
		s.lost(open, fmt.Sprintf("frontmatter of more than %d bytes", maxFrontmatter))
	default:
		return open, end, true
	}
	return 0, 0, false
}

// lost reports an update that is none, where what follows looks like its title
// and not like prose behind two rules.
func (s *entryScanner) lost(open int, why string) {
	if strings.HasPrefix(s.lines[open+1], "title:") {
		s.problem(open, SeverityError, "an update that cannot be read: "+why)
	}
}

// warnSingle reports what looks like an update behind one --- where two are needed.
func (s *entryScanner) warnSingle(i int) {
	if !isBare(s.lines[i]) || i+1 == len(s.lines) || s.closing(i+1) == len(s.lines) {
		return
	}
	before := i - 1
	for before >= 0 && isBlank(s.lines[before]) {
		before--
	}
	if before >= 0 && isDashes(s.lines[before]) {
		return // the second of two, or one that was written as text
	}
	if key, _, ok := strings.Cut(s.lines[i+1], ":"); ok && slices.Contains(schema[:], key) {
		s.problem(i, SeverityWarning, "looks like an update, but is text of the entry before it: an update begins with a line of ---, a blank line, and --- again")
	}
}

// warnTitle reports an update that carries another title than its memory.
func (s *entryScanner) warnTitle(title string, open int) {
	if first := s.entries[0].Title; title != "" && foldTitle(title) != foldTitle(first) {
		s.problem(open, SeverityWarning, fmt.Sprintf("an update titled %q in the memory %q: a part of that, whatever its title says", title, first))
	}
}
