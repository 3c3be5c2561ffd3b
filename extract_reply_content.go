package memory

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/rawko/memory/internal/replyjson"
)

// maxWraps is how many fences and copies of the frontmatter are taken off a body.
const maxWraps = 8

// body reads the content. fault says why there is none.
func (a *answer) body() (body, fault string) {
	given := a.value("content")
	texts, ok := replyjson.Texts(given)
	if body = a.unwrap(joined(texts), isCut(texts)); hasWord(body) {
		return body, ""
	}
	switch {
	case !ok:
		return "", "content is an object; it has to be one text in Markdown"
	case isCut(texts):
		return "", "the object ends in the middle of content, before it says anything"
	case a.found.Cut && a.found.Lost != "":
		return "", fmt.Sprintf("the object ends in the middle of %s, before content", keyName(a.found.Lost))
	case a.found.Cut && given == nil:
		return "", "the object ends before content"
	}
	return "", "content is missing although shouldCreateMemory is true"
}

// literalLines tells a text whose line breaks are written as \n from one that
// speaks of \n.
var literalLines = regexp.MustCompile(`\\n(?:\\n|#|- |\* |\d+\. )|^#.*\\n`)

var literalEscapes = strings.NewReplacer(`\\`, `\`, `\r\n`, "\n", `\n`, "\n", `\t`, "\t", `\"`, `"`)

// unescape resolves the escapes of a body that was escaped twice, those in spans
// of code aside.
func (a *answer) unescape(lines []string) []string {
	if len(lines) != 1 {
		return lines
	}
	text, spans := withoutSpans(lines[0])
	if !literalLines.MatchString(text) {
		return lines
	}
	text = withSpans(literalEscapes.Replace(text), spans)
	more := trimBlank(strings.Split(cleanText(text), "\n"))
	if len(more) < 2 { // its backslashes are escaped, too
		return lines
	}
	a.warn(`content had \n in place of line breaks`)
	return more
}

// unwrap takes off the fence that is around the whole body, and the copy of the
// frontmatter with which it begins.
func (a *answer) unwrap(body string, cut bool) string {
	lines := trimBlank(strings.Split(body, "\n"))
	for range maxWraps {
		lines = a.unescape(lines)
		inner, unwrapped := withoutFence(lines, cut)
		rest, fm := a.withoutFrontmatter(inner)
		if fm != nil {
			a.remove("content: a copy of the frontmatter")
			a.fromYAML("content.", fm)
		}
		lines = trimBlank(rest)
		if !unwrapped && fm == nil {
			break
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " \t\n")
}

var (
	markdownFence = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*(?i:markdown|md)[ \t]*$")
	codeFence     = regexp.MustCompile("^ {0,3}(?:[-*+] +)?(`{3,}|~{3,})(.*)$")
	anyHeading    = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)
)

// withoutFence takes off a fence of Markdown, where the last line closes it and
// not one inside.
func withoutFence(lines []string, cut bool) ([]string, bool) {
	if len(lines) == 0 {
		return lines, false
	}
	m := markdownFence.FindStringSubmatch(lines[0])
	if m == nil {
		return lines, false
	}
	last := len(lines) - 1
	switch {
	case last > 0 && closesFence(lines[last], m[1]) && !openFence(lines[1:last]):
		return lines[1:last], true
	case cut:
		return lines[1:], true
	}
	return lines, false
}

// openFence reports whether a block of code is open at the end of the lines.
func openFence(lines []string) bool {
	open := ""
	eachOutside(lines, func(string) {}, &open)
	return open != ""
}

// eachOutside calls f for each line outside of blocks of code; open is the fence
// of the block that is open.
func eachOutside(lines []string, f func(string), open *string) {
	for _, line := range lines {
		m := codeFence.FindStringSubmatch(line)
		switch {
		case *open != "" && closesFence(line, *open):
			*open = ""
		case *open != "":
		case m != nil && !(m[1][0] == '`' && strings.Contains(m[2], "`")):
			*open = m[1]
		default:
			f(line)
		}
	}
}

func closesFence(line, open string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(open) && strings.Trim(line, open[:1]) == ""
}

func isFence(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// withoutFrontmatter takes off frontmatter with a key of the schema; nil where there is none.
func (a *answer) withoutFrontmatter(lines []string) ([]string, *Frontmatter) {
	if len(lines) == 0 || !isFence(lines[0]) {
		return lines, nil
	}
	for i, line := range lines[1:] {
		if !isFence(line) {
			continue
		}
		fm := a.yamlOf(strings.Join(lines[1:i+1], "\n"))
		if fm == nil || fm.Title == "" && len(fm.WhenToUse) == 0 && len(fm.Tags) == 0 && fm.Importance == 0 {
			break
		}
		return lines[i+2:], fm
	}
	return lines, nil
}

// firstHeading is the text of the first heading outside of code; "" for none.
func firstHeading(body string) (title string) {
	open := ""
	eachOutside(strings.Split(body, "\n"), func(line string) {
		if m := anyHeading.FindStringSubmatch(line); m != nil && title == "" && hasWord(m[1]) {
			title = oneSpaced(m[1])
		}
	}, &open)
	return title
}
