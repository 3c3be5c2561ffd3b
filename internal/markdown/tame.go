// Package markdown makes the Markdown of strangers safe to stand inside a
// larger document, and cuts it to a length without breaking it.
package markdown

import (
	"regexp"
	"strings"
	"unicode"
)

// maxLevel is the deepest heading that Markdown has.
const maxLevel = 6

var (
	atx       = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	setext    = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	listItem  = regexp.MustCompile(`^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]|^[ \t]*>|^ {4}|^\t`)
	fenceLine = regexp.MustCompile("^((?:[ \t]*(?:[-*+]|[0-9]{1,9}[.)]))*)[ \t]*(`{3,}[^`]*|~{3,}.*)$")
)

// Tame gives body as a part of a document whose own headings are above level top:
// its highest heading gets that level and the others keep their distance to it.
// Control and invisible characters are gone, each code fence stands at the
// beginning of its line and is closed, and blank lines at either end are off.
func Tame(body string, top int) string {
	lines := fenced(strings.Split(Visible(body), "\n"))
	lower(lines, top)
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		if l.drop {
			continue
		}
		out = append(out, strings.TrimRight(l.text, " \t"))
	}
	return strings.Join(trimBlank(out), "\n")
}

// Visible takes control and invisible characters out of s; line ends become "\n".
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(s)
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r < 0x7F {
			return r
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector) && r != '\uFE0F' || unicode.Is(blanks, r) {
			return -1
		}
		return r
	}, s)
}

// blanks are characters that show nothing and are not in Unicode's classes for that.
var blanks = &unicode.RangeTable{R16: []unicode.Range16{
	{0x034F, 0x034F, 1}, {0x115F, 0x1160, 1}, {0x17B4, 0x17B5, 1}, {0x2800, 0x2800, 1}, {0x3164, 0x3164, 1}, {0xFFA0, 0xFFA0, 1},
}}

// Line gives s as one line of visible characters.
func Line(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }

// line is a line of a body: plain, or a part of a fenced block.
type line struct {
	text string
	code bool // a fence, or what stands between two
	drop bool
}

// fenced finds the fenced blocks. Readers disagree about fences that are
// indented or stand in a list, so each is moved to the beginning of its line,
// where nobody can; one that is never closed is closed at the end.
func fenced(texts []string) []line {
	var lines []line
	open := ""
	for _, text := range texts {
		m := fenceLine.FindStringSubmatch(text)
		switch {
		case open != "" && closes(text, open):
			lines = append(lines, line{text: strings.TrimSpace(text), code: true})
			open = ""
		case open != "":
			lines = append(lines, line{text: text, code: true})
		case m != nil:
			if m[1] != "" {
				lines = append(lines, line{text: m[1]})
			}
			lines = append(lines, line{text: m[2], code: true})
			open = marks(m[2])
		default:
			lines = append(lines, line{text: text})
		}
	}
	if open != "" {
		lines = append(lines, line{text: open, code: true})
	}
	return lines
}

// marks gives the run of marks with which a fence begins.
func marks(fence string) string {
	return fence[:len(fence)-len(strings.TrimLeft(fence, fence[:1]))]
}

// closes reports whether text closes the block that a fence with these marks opened.
func closes(text, open string) bool {
	text = strings.TrimSpace(text)
	return len(text) >= len(open) && strings.Trim(text, open[:1]) == ""
}

// lower rewrites the headings, underlined ones too, so that the highest is at top.
func lower(lines []line, top int) {
	levels := make([]int, len(lines))
	titles := make([]string, len(lines))
	highest := maxLevel
	for i := range lines {
		if lines[i].code || lines[i].drop {
			continue
		}
		if m := atx.FindStringSubmatch(lines[i].text); m != nil {
			levels[i], titles[i] = len(m[1]), m[2]
		} else if m := setext.FindStringSubmatch(lines[i].text); m != nil && i > 0 && isParagraph(lines[i-1]) && levels[i-1] == 0 {
			levels[i-1], titles[i-1] = 1, strings.TrimSpace(lines[i-1].text)
			if m[1][0] == '-' {
				levels[i-1] = 2
			}
			lines[i].drop = true
			highest = min(highest, levels[i-1])
		}
		if levels[i] > 0 {
			highest = min(highest, levels[i])
		}
	}
	for i, level := range levels {
		if level > 0 {
			lines[i].text = strings.Repeat("#", min(level-highest+top, maxLevel)) + " " + titles[i]
		}
	}
}

// isParagraph reports whether a line is text that an underline makes a heading.
func isParagraph(l line) bool {
	return !l.code && !l.drop && strings.TrimSpace(l.text) != "" && !listItem.MatchString(l.text)
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// SplitHeading gives the text of the heading with which a body begins, and what
// stands behind it; ok is false where it begins with something else.
func SplitHeading(body string) (title, rest string, ok bool) {
	body = strings.Trim(Visible(body), "\n")
	first, rest, _ := strings.Cut(body, "\n")
	if m := atx.FindStringSubmatch(first); m != nil {
		return m[2], strings.TrimLeft(rest, "\n"), true
	}
	under, after, _ := strings.Cut(rest, "\n")
	if setext.MatchString(under) && isParagraph(line{text: first}) {
		return strings.TrimSpace(first), strings.TrimLeft(after, "\n"), true
	}
	return "", body, false
}
