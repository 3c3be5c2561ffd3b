// Package markdown makes the Markdown of strangers safe to stand inside a
// larger document, and cuts it to a length without breaking it.
package markdown

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	maxLevel = 6     // of a heading in Markdown
	fence    = "```" // begins and ends each block of code in a tamed text
)

const listMarks = `(?:[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t])*`

var (
	atx    = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)*[ \t]*$`)
	setext = regexp.MustCompile(`^[ \t]*(=+|-+)[ \t]*$`)
	// noParagraph begins a line that an underline makes no heading, or not in every reader.
	noParagraph = regexp.MustCompile(`^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]|^[ \t]*>|^ {4}|^ {0,3}\t`)
	// fenceLine is a fence of a reader that asks for little: indented at will, and behind list marks.
	fenceLine = regexp.MustCompile("^(" + listMarks + ")[ \t]*(`{3,}[^`]*|~{3,}.*)$")
	fenceLike = regexp.MustCompile("^(" + listMarks + "[ \t]*)(```|~~~)")
	// html begins HTML that a renderer takes over as it stands, the headings and
	// fences in it too, up to an end that may never come.
	html = regexp.MustCompile(`(?i)<(?:[!?]|(?:script|style|textarea|title|pre|xmp|iframe|plaintext)\b)`)
	// htmlLine is a line that a renderer takes for HTML as a whole, each tag of it.
	htmlLine = regexp.MustCompile(`(?i)^[ \t]*<[a-z/]`)
	tag      = regexp.MustCompile(`(?i)<[a-z/!?]`)
)

// Tame gives body as a part of a document whose own headings are above level top:
// its highest heading gets that level and the others keep their distance to it.
// Control and invisible characters are gone, blank lines at either end too, and
// of several in a row one is left.
//
// Readers disagree about code fences that are indented, in a list, long or
// nested. So each block begins and ends with a line of three backticks at its
// very beginning, and no other line begins so: one gets a backslash. A block
// that is never closed is closed at the end. HTML that could hide what follows
// has a space behind its "<". Taming again changes nothing.
func Tame(body string, top int) string {
	lines := fenced(strings.Split(Visible(body), "\n"))
	lower(lines, top)
	var out []string
	for _, l := range lines {
		again := l.text == "" && !l.code && (len(out) == 0 || out[len(out)-1] == "")
		if !l.drop && !again {
			out = append(out, l.text)
		}
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// Visible takes control and invisible characters out of s; line ends become
// "\n", and other spaces than a tab " ".
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r >= ' ' && r < 0x7F:
			return r
		case unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point), r == brailleBlank:
			return -1
		}
		return r
	}, lineEnds.Replace(strings.ToValidUTF8(s, "\uFFFD")))
}

// brailleBlank shows nothing, and is in none of Unicode's classes for that.
const brailleBlank = '\u2800'

// Line gives s as one line of visible characters.
func Line(s string) string { return showHTML(strings.Join(strings.Fields(Visible(s)), " ")) }

// showHTML makes text of HTML that could hide what follows. A space does it in
// every reader; a backslash would not behind another one.
func showHTML(text string) string {
	html := html
	if htmlLine.MatchString(text) {
		html = tag
	}
	return html.ReplaceAllStringFunc(text, func(s string) string { return strings.Replace(s, "<", "< ", 1) })
}

// line is a line of a body: plain, or a part of a block of code.
type line struct {
	text string
	code bool // a fence, or what stands between two
	drop bool
}

// fenced finds the blocks of code and writes their fences anew.
func fenced(texts []string) []line {
	var lines []line
	open := ""
	for _, text := range texts {
		text = strings.TrimRight(text, " \t")
		m := fenceLine.FindStringSubmatch(text)
		switch {
		case open != "" && closes(text, open):
			lines = append(lines, line{text: fence, code: true})
			open = ""
		case open != "":
			lines = append(lines, line{text: noFence(text), code: true})
		case m != nil:
			if mark := strings.TrimSpace(m[1]); mark != "" { // set apart, or it could underline
				lines = append(lines, line{}, line{text: mark})
			}
			open = marks(m[2])
			info := strings.ReplaceAll(m[2][len(open):], "`", "")
			lines = append(lines, line{text: fence + strings.TrimSpace(info), code: true})
		default:
			lines = append(lines, line{text: noFence(showHTML(text))})
		}
	}
	if open != "" {
		lines = append(lines, line{text: fence, code: true})
	}
	return lines
}

func noFence(text string) string { return fenceLike.ReplaceAllString(text, `${1}\${2}`) }

// marks gives the run of marks with which a fence begins.
func marks(fence string) string {
	return fence[:len(fence)-len(strings.TrimLeft(fence, fence[:1]))]
}

// closes reports whether text closes the block that a fence with these marks opened.
func closes(text, open string) bool {
	text = strings.TrimSpace(text)
	return len(text) >= len(open) && strings.Trim(text, open[:1]) == ""
}

// lower rewrites the headings, underlined ones too, so that the highest is at
// top. What looks like an underline elsewhere is set apart.
func lower(lines []line, top int) {
	levels := make([]int, len(lines))
	titles := make([]string, len(lines))
	highest := maxLevel
	for i, l := range lines {
		if l.code {
			continue
		}
		at, m := i, atx.FindStringSubmatch(l.text)
		if under := setext.FindStringSubmatch(l.text); under != nil && i > 0 && lines[i-1].text != "" {
			if !isParagraph(lines[i-1]) || levels[i-1] > 0 {
				lines[i].text = "\n" + l.text
				continue
			}
			level := map[byte]string{'=': "# ", '-': "## "}[under[1][0]]
			at, m = i-1, atx.FindStringSubmatch(level+strings.TrimSpace(lines[i-1].text))
			lines[i].drop = true
		}
		if m != nil {
			levels[at], titles[at] = len(m[1]), m[2]
			highest = min(highest, levels[at])
		}
	}
	for i, level := range levels {
		if level > 0 {
			mark := strings.Repeat("#", min(level-highest+top, maxLevel))
			lines[i].text = strings.TrimSpace(mark + " " + titles[i])
		}
	}
}

// isParagraph reports whether a line is text that an underline makes a heading.
func isParagraph(l line) bool {
	return !l.code && !l.drop && l.text != "" && !noParagraph.MatchString(l.text)
}

// SplitHeading tames a body and gives the text of the heading with which it
// begins, and what stands behind it; ok is false where it begins with something else.
func SplitHeading(body string) (title, rest string, ok bool) {
	body = Tame(body, 1)
	first, rest, _ := strings.Cut(body, "\n")
	if m := atx.FindStringSubmatch(first); m != nil {
		return m[2], strings.TrimLeft(rest, "\n"), true
	}
	return "", body, false
}
