// Package summary reads and writes the line with which a file of a notebook says
// what is in it:
//
//	# User Facts
//
//	> Summary: name, language, role
//
//	- Name: Zhang San
//
// The line stands in the file's head: above its first second-level heading and its
// first list item, outside of code and frontmatter.
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
	summaryLine = regexp.MustCompile(`^ {0,3}>[ \t]*[*_]{0,2}[Ss]ummary[*_]{0,2}[:：][*_]{0,2}(.*)$`)
	title       = regexp.MustCompile(`^ {0,3}#(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underline   = regexp.MustCompile(`^ {0,3}=+[ \t]*$`)
	section     = regexp.MustCompile(`^ {0,3}##[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	item        = regexp.MustCompile(`^ {0,1}[-*+][ \t]+(.*)$`)
)

// head is where the parts of a file's head stand, as indexes of its lines.
type head struct {
	lines   []string
	code    []bool
	begin   int // the first line behind frontmatter
	title   int // -1: there is none; of an underlined one, its underline
	summary int // -1: there is none
}

func read(text string) *head {
	h := &head{title: -1, summary: -1}
	h.lines, h.code, h.begin = split(text)
	for i := h.begin; i < len(h.lines); i++ {
		line := h.lines[i]
		switch {
		case h.code[i]:
		case h.title < 0 && (title.MatchString(line) || i > h.begin && underline.MatchString(line) && strings.TrimSpace(h.lines[i-1]) != ""):
			h.title = i
		case section.MatchString(line), item.MatchString(line):
			return h
		case summaryLine.MatchString(line):
			h.summary = i
			return h
		}
	}
	return h
}

// split gives the lines of a text, which of them are code, and where its frontmatter
// ends, in which a fence is none.
func split(text string) (lines []string, code []bool, begin int) {
	lines = strings.Split(text, "\n")
	begin = behindFrontmatter(lines)
	behind, _ := markdown.Code(lines[begin:])
	return lines, append(make([]bool, begin), behind...), begin
}

func behindFrontmatter(lines []string) int {
	if strings.TrimRight(lines[0], " \t") != "---" {
		return 0
	}
	for i := 1; i < len(lines); i++ {
		if strings.TrimRight(lines[i], " \t") == "---" {
			return i + 1
		}
	}
	return 0
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
