// Package summary reads and writes the line with which a file of a notebook says
// what is in it:
//
//	# User Facts
//
//	> Summary: name, language, role
//
//	- Name: Zhang San
//
// The line stands directly below the title, or where there is none at the beginning,
// behind frontmatter.
package summary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/markdown"
)

// Limits, in characters, so that an index of many files stays cheap.
const (
	MaxFacts    = 160
	MaxEpisodes = 240
	maxLabel    = 40
	maxEntry    = 80
)

var (
	summaryLine = regexp.MustCompile(`^ {0,3}>[ \t]*[*_]{0,2}[Ss]ummary[*_]{0,2}[:：][*_]{0,2}([^\r]*)$`)
	title       = regexp.MustCompile(`^ {0,3}#(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underline   = regexp.MustCompile(`^ {0,3}=+[ \t]*$`)
	section     = regexp.MustCompile(`^ {0,3}##[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	item        = regexp.MustCompile(`^ {0,1}(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(.*)$`)
)

// head is where the parts of a file's head stand, as indexes of its lines.
type head struct {
	lines   []string
	code    []bool // a line of code, or of a comment
	comment []bool // one of a comment
	begin   int    // the first line behind frontmatter
	title   int    // -1: there is none; of an underlined one, its underline
	summary int    // -1: there is none
}

func read(text string) *head {
	h := &head{title: -1, summary: -1}
	h.lines, h.code, h.comment, h.begin = split(text)
	last := -1 // the last line before this one that is not blank
	for i := h.begin; i < len(h.lines); i++ {
		line := h.lines[i]
		switch {
		case h.code[i]:
		case h.title < 0 && (title.MatchString(line) || underline.MatchString(line) && last >= 0 && last == i-1):
			h.title = i
		case section.MatchString(line), item.MatchString(line):
			return h
		case h.summary < 0 && last == h.title && summaryLine.MatchString(line) && !h.goesOn(i):
			h.summary = i // below the title, or where there is none
		}
		if strings.TrimSpace(line) != "" && !h.comment[i] { // which parts nothing
			last = i
		}
	}
	return h
}

// goesOn reports whether a quotation has another line: then it is a person's words.
func (h *head) goesOn(i int) bool {
	return i+1 < len(h.lines) && strings.HasPrefix(strings.TrimSpace(h.lines[i+1]), ">")
}

// IsEmpty reports whether a text has nothing but a title and a summary.
func IsEmpty(text string) bool {
	h := read(text)
	if h.begin > 0 {
		return false
	}
	for i := 0; i < len(h.lines); i++ {
		underlined := i+1 == h.title && underline.MatchString(h.lines[h.title])
		if i != h.title && i != h.summary && !underlined && strings.TrimSpace(h.lines[i]) != "" {
			return false
		}
	}
	return true
}

// Headless gives what stands behind the title and summary of a text that has this title,
// and then second-level sections; any other text as it is.
func Headless(text, own string) string {
	h := read(text)
	if h.title < 0 || !strings.EqualFold(strings.TrimSpace(strings.Trim(h.lines[h.title], "# \t")), own) {
		return text
	}
	for i := h.title + 1; i < len(h.lines); i++ {
		if section.MatchString(h.lines[i]) && !h.code[i] && IsEmpty(strings.Join(h.lines[:i], "\n")) {
			return strings.Join(h.lines[i:], "\n")
		}
	}
	return text
}

var markdownFence = regexp.MustCompile("^(`{3,}|~{3,})(?:markdown|md)[ \t]*$")

// Unfenced gives the text within a fence for Markdown that is around the whole of it, as
// models like to write; any other text as it is.
func Unfenced(text string) string {
	lines := strings.Split(text, "\n")
	m := markdownFence.FindStringSubmatch(lines[0])
	last := len(lines) - 1
	if m == nil || strings.TrimSpace(lines[last]) != m[1] {
		return text
	}
	for _, line := range lines[1:last] {
		if strings.TrimSpace(line) == m[1] {
			return text // it ends here, and the last line is another one's
		}
	}
	return strings.Join(lines[1:last], "\n")
}

// JoinsList reports whether a text ends with the list item that stands in its last line,
// and what is to follow it begins with one.
func JoinsList(text, next string) bool {
	first, _, _ := strings.Cut(next, "\n")
	lines := strings.Split(text, "\n")
	code, _ := markdown.Code(lines)
	last := len(lines) - 1
	return !code[last] && item.MatchString(lines[last]) && item.MatchString(first)
}

// split gives the lines of a text, which of them are code or a comment, and where its
// frontmatter ends, in which a fence is none.
func split(text string) (lines []string, code, comment []bool, begin int) {
	lines = strings.Split(text, "\n")
	begin = behindFrontmatter(lines)
	behind, _ := markdown.Code(lines[begin:])
	code = append(make([]bool, begin), behind...)
	comment = make([]bool, len(lines))
	open := false
	for i := begin; i < len(lines); i++ {
		open = open || !code[i] && strings.HasPrefix(strings.TrimSpace(lines[i]), "<!--")
		comment[i] = open
		code[i] = code[i] || open
		open = open && !strings.Contains(lines[i], "-->")
	}
	return lines, code, comment, begin
}

// yamlLine is a line as frontmatter has it: a key, an item, a comment, or more of the one above.
var (
	yamlKey  = regexp.MustCompile(`^["'$@\pL\pN_][^:]*:(?:[ \t]|$)`)
	yamlMore = regexp.MustCompile(`^(?:[ \t]+.*|-[ \t].*|#.*|[\]}].*)?$`)
)

// behindFrontmatter gives the line behind YAML frontmatter, 0 where a text has none: a
// rule at the beginning is none without keys right below it.
func behindFrontmatter(lines []string) int {
	if strings.TrimRight(lines[0], " \t") != "---" {
		return 0
	}
	keys := 0
	for i := 1; i < len(lines); i++ {
		switch line := strings.TrimRight(lines[i], " \t\r"); {
		case line == "---" || line == "...":
			if keys == 0 {
				return 0
			}
			return i + 1
		case yamlKey.MatchString(line):
			keys++
		case !yamlMore.MatchString(line), i == 1 && line == "":
			return 0
		}
	}
	return 0
}

// Closed gives a text in which no block of code is left open, so that what is appended
// to it is seen.
func Closed(text string) string {
	lines := strings.Split(text, "\n")
	if _, open := markdown.Code(lines[behindFrontmatter(lines):]); open != "" {
		return text + "\n" + open
	}
	return text
}

// Titled gives text with a first-level heading in its head: its own, or else this one.
func Titled(text, title string) string {
	h := read(text)
	if h.title >= 0 {
		return text
	}
	return h.insert(h.begin, "# "+title, "")
}

// insert gives the text with more lines before one, and no blank lines behind them.
func (h *head) insert(at int, more ...string) string {
	if at == h.begin && at > 0 { // behind frontmatter
		more = slices.Insert(more, 0, "")
	}
	rest := h.lines[at:]
	for len(rest) > 0 && strings.TrimSpace(rest[0]) == "" {
		rest = rest[1:]
	}
	return strings.Join(slices.Concat(h.lines[:at], more, rest), "\n")
}

// Get gives the summary that stands in a text: "" where there is none.
func Get(text string) string {
	h := read(text)
	if h.summary < 0 {
		return ""
	}
	return strings.TrimSpace(markdown.Line(summaryLine.FindStringSubmatch(h.lines[h.summary])[1]))
}

// Drop gives text without its summary.
func Drop(text string) string {
	h := read(text)
	if h.summary < 0 {
		return text
	}
	return strings.TrimRight(strings.Join(slices.Delete(h.lines, h.summary, h.summary+1), "\n"), "\n") + "\n"
}

// Set gives text with this summary: in place of the one that it has, or below its
// title. "" leaves the text as it is.
func Set(text, summary string) string {
	summary = markdown.Line(summary)
	if summary == "" {
		return text
	}
	h := read(text)
	line := "> Summary: " + summary
	if h.summary >= 0 {
		h.lines[h.summary] = line
		return strings.Join(h.lines, "\n")
	}
	if h.title >= 0 {
		return h.insert(h.title+1, "", line, "")
	}
	return h.insert(h.begin, line, "")
}
