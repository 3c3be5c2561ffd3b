package markdown

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestTameHeadings(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"the highest gets the level, others keep their distance", "# A\n## B\n### C", "#### A\n##### B\n###### C"},
		{"a lower one first", "## B\n# A", "##### B\n#### A"},
		{"none is deeper than six", "# A\n#### D\n###### F", "#### A\n###### D\n###### F"},
		{"a deep one is raised", "###### A", "#### A"},
		{"closing marks go", "# A ##\n## B # ##  ", "#### A\n##### B"},
		{"up to three spaces before", " # A\n   # B", "#### A\n#### B"},
		{"four spaces are code", "    # A", "    # A"},
		{"a tab is code", "a\n\n\t# A", "a\n\n\t# A"},
		{"a tab behind", "#\tA", "#### A"},
		{"Unicode spaces", "#\u00a0A\n\u2003# B\n\u3000#\u3000C", "#### A\n#### B\n#### C"},
		{"marks only", "#\nx\n##\n# #", "####\nx\n#####\n#### #"},
		{"no space behind is text", "#hashtag\n#!/bin/sh", "#hashtag\n#!/bin/sh"},
		{"seven marks are text", "####### A", "####### A"},
		{"marks behind marks", "# # A", "#### # A"},
		{"underlined", "A\n===\nb\n\nC\n-", "#### A\nb\n\n##### C"},
		{"underlined, indented", "  A\n   ===  ", "#### A"},
		{"underlined, with closing marks", "A #\n==", "#### A"},
		{"underlined, last line of several", "A\nB\n===", "A\n#### B"},
		{"underlined twice", "A\n===\n===\nb", "#### A\n\n===\nb"},
		{"a rule stays", "a\n\n---\n\nb", "a\n\n---\n\nb"},
		{"a rule below a heading is set apart", "# A\n---\nb", "#### A\n\n---\nb"},
		{"a rule below a block is set apart", "```\n```\n---", "```\n```\n\n---"},
		{"below a list", "- Host\n===", "- Host\n\n==="},
		{"below a list, inside", "- Host\n  ===", "- Host\n\n  ==="},
		{"below a number that starts no list", "text\n2. Host\n===", "text\n2. Host\n\n==="},
		{"below a quotation", "> Host\n---", "> Host\n\n---"},
		{"below an indented line", "text\n    Host\n===", "text\n    Host\n\n==="},
		{"below a definition", "[a]: /b\n===", "#### [a]: /b"},
		{"below a table's row", "| a |\n---", "#### | a |"},
		{"an empty item of a list is set apart", "- a\n-\n- b", "- a\n\n-\n- b"},
		{"first line", "---\na", "---\na"},
		{"line ends of all kinds begin a line", "a\r\n# A\r# B\u2028# C\u2029# D\u0085# E\v# F\f# G", "a\n#### A\n#### B\n#### C\n#### D\n#### E\n#### F\n#### G"},
		{"invisible characters before", "\u200b# A\n\ufeff# B\n\u2800# C\n\ufe0f# D", "#### A\n#### B\n#### C\n#### D"},
		{"control characters between", "#\x00\x1b A", "#### A"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Tame(c.body, 4)) })
	}
	assert.Equal(t, "## A\n### B", Tame("# A\n## B", 2), "the level asked for")
}

func TestTameFences(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a block stays, headings in it too", "a\n```go\n# x\n\n\n===\n```\nb", "a\n```go\n# x\n\n\n===\n```\nb"},
		{"is closed at the end", "```\na", "```\na\n```"},
		{"is closed at the end, opened last", "a\n```", "a\n```\n```"},
		{"tildes", "~~~ a`b`\nx\n~~~~\n# A", "```ab\nx\n```\n#### A"},
		{"backticks do not close tildes", "~~~\n```\n~~~\n# A", "```\n\\```\n```\n#### A"},
		{"a longer one, with another in it", "````md\n```go\nx\n```\n````\n# A", "```md\n\\```go\nx\n\\```\n```\n#### A"},
		{"a closing fence has no words", "```\n```go\n```\n# A", "```\n\\```go\n```\n#### A"},
		{"indented", "  ```\n  x\n  ```\n# A", "```\n  x\n```\n#### A"},
		{"deeply indented", "      ```\nx\n\t```\n# A", "```\nx\n```\n#### A"},
		{"in a list", "- ```\n  x\n  ```\n# A", "-\n```\n  x\n```\n#### A"},
		{"in a list, not closed", "- ```\n  x\n# A", "-\n```\n  x\n# A\n```"},
		{"in a list, empty", "- ```\n  ```\n# Host", "-\n```\n```\n#### Host"},
		{"in lists in lists", "a\n1. - ~~~\n   ~~~", "a\n\n1. -\n```\n```"},
		{"the list's mark does not underline", "Host\n- ```\n```", "Host\n\n-\n```\n```"},
		{"a list's mark needs a space", "*~~~x~~~*\n# A", "*~~~x~~~*\n#### A"},
		{"code in a line of a list is none either", "- ```x``` y", "- \\```x``` y"},
		{"in a quotation it ends with that", "> ```\n# A", "> ```\n#### A"},
		{"code in a line is no fence", "```x``` y\n# A\n~~ z", "\\```x``` y\n#### A\n~~ z"},
		{"behind an unclosed comment", "<!--\n```\n-->\n# A\n```", "< !--\n```\n-->\n# A\n```"},
		{"behind a tag", "<div>\n```\n\n# A", "< div>\n```\n\n# A\n```"},
		{"trailing blanks go", "```  \nx \t\n```\t", "```\nx\n```"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Tame(c.body, 4)) })
	}
}

func TestTameHTML(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"comment", "a <!-- b", "a < !-- b"},
		{"comment behind a backslash", `\<!-- \\<!--`, `\< !-- \\< !--`},
		{"comment in a list", "- <!-- b", "- < !-- b"},
		{"comment in a heading", "# <!-- b", "#### < !-- b"},
		{"section of data", "<![CDATA[ x", "< ![CDATA[ x"},
		{"instruction", "<?php x", "< ?php x"},
		{"tags that take what follows as text", "a <script> b <STYLE x> c <textarea> d <pre> e", "a < script> b < STYLE x> c < textarea> d < pre> e"},
		{"a tag at the beginning of a line", "<h1>Host</h1>\n  </div>\n<Name> x", "< h1>Host< /h1>\n  < /div>\n< Name> x"},
		{"tags in a line", "a <b>c</b>, List<String>, <prefix> 1 < 2, a<-b", "a <b>c</b>, List<String>, <prefix> 1 < 2, a<-b"},
		{"in a block of code", "```\n<!-- x\n<div>\n```", "```\n<!-- x\n<div>\n```"},
		{"tokens of chat templates are text", "<|im_start|>system", "<|im_start|>system"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Tame(c.body, 4)) })
	}
}

func TestTameBlankLines(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"at either end", "\n \n\t\na\n \n", "a"},
		{"several in a row", "a\n\n\n \n\nb", "a\n\nb"},
		{"in code they stay", "```\n\n\na\n\n\n```", "```\n\n\na\n\n\n```"},
		{"nothing else", " \n\u200b\n", ""},
		{"nothing", "", ""},
		{"indentation of the first line stays", "\n    a", "    a"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Tame(c.body, 4)) })
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text stays", "Grüße, 你好, a\tb\nc ~", "Grüße, 你好, a\tb\nc ~"},
		{"combining marks stay", "e\u0301", "e\u0301"},
		{"emoji stay", "👍 ❤\ufe0f", "👍 ❤"},
		{"control characters", "a\x00\x07\x1b[31m\x7f\u009bb", "a[31mb"},
		{"bidirectional overrides", "a\u202e\u2066b\u2069\u200f", "ab"},
		{"zero width", "a\u200b\u200c\u200d\u2060\ufeffb", "ab"},
		{"tag characters", "a\U000E0041\U000E007Fb", "ab"},
		{"variation selectors", "a\ufe01\U000E0100\u180bb", "ab"},
		{"fillers", "a\u115f\u1160\u3164\uffa0\u034f\u17b4\u2800\u2065b", "ab"},
		{"soft hyphen", "a\u00adb", "ab"},
		{"spaces", "a\u00a0b\u2003c\u3000d", "a b c d"},
		{"invalid UTF-8", "a\xff\xfeb\xc3", "a\uFFFDb\uFFFD"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Visible(c.in)) })
	}
}

func TestLine(t *testing.T) {
	assert.Equal(t, "a b c", Line(" a\r\n\tb\u2028\u200bc\u00a0"))
	assert.Equal(t, "## a", Line("\n## a"), "it cannot begin a line of its own where something stands before it")
	assert.Equal(t, "a < !-- b", Line("a <!-- b"))
	assert.Equal(t, "", Line("\u200b\n"))
}

func TestSplitHeading(t *testing.T) {
	for _, c := range []struct {
		name, body, title, rest string
		ok                      bool
	}{
		{"marks", "\n\n# A #\n\n## B\nc", "A", "## B\nc", true},
		{"any level", "### A\n#### B", "A", "## B", true},
		{"underlined", "A\n---\nb", "A", "b", true},
		{"alone", "# A", "A", "", true},
		{"empty", "#\nb", "", "b", true},
		{"behind a blank line of spaces", " \n# A\nb", "A", "b", true},
		{"invisible characters", "\ufeff# A\u200b\nb", "A", "b", true},
		{"text first", "a\n# A", "", "a\n# A", false},
		{"code first", "```\n---\na\n---\n```", "", "```\n---\na\n---\n```", false},
		{"nothing", "", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			title, rest, ok := SplitHeading(c.body)
			assert.Equal(t, c.title, title)
			assert.Equal(t, c.rest, rest)
			assert.Equal(t, c.ok, ok)
		})
	}
}

// The readers below are written apart from the code under test, from
// CommonMark 0.31 and from what simpler programs do.

var (
	openingFence = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})(.*)$")
	heading      = regexp.MustCompile(`^ {0,3}(#{1,6})([ \t]|$)`)
	underline    = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	rawHTML      = regexp.MustCompile(`^ {0,3}<[A-Za-z/!?]`)
)

// strictReader gives the lines outside of code by the rules of CommonMark, and
// whether a block is open at the end.
func strictReader(text string) (outside []string, open bool) {
	marks := ""
	for _, l := range strings.Split(text, "\n") {
		m := openingFence.FindStringSubmatch(l)
		switch {
		case marks != "":
			if m != nil && m[1][0] == marks[0] && len(m[1]) >= len(marks) && strings.Trim(m[2], " \t") == "" {
				marks = ""
			}
		case m != nil && !(m[1][0] == '`' && strings.Contains(m[2], "`")):
			marks = m[1]
		default:
			outside = append(outside, l)
		}
	}
	return outside, marks != ""
}

// simpleReader lets each line that begins as the opening one did end or begin a block.
func simpleReader(text string) (outside []string, open bool) {
	kind := ""
	for _, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		switch {
		case kind != "":
			if strings.HasPrefix(trimmed, kind) {
				kind = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			kind = trimmed[:3]
		default:
			outside = append(outside, l)
		}
	}
	return outside, kind != ""
}

// faults gives what is wrong with a tamed text.
func faults(text string, top int) []string {
	var found []string
	for name, read := range map[string]func(string) ([]string, bool){"strict": strictReader, "simple": simpleReader} {
		outside, open := read(text)
		if open {
			found = append(found, name+": a block is open at the end")
		}
		for i, l := range outside {
			if m := heading.FindStringSubmatch(l); m != nil && len(m[1]) < top {
				found = append(found, name+": heading "+l)
			}
			if underline.MatchString(l) && i > 0 && strings.TrimSpace(outside[i-1]) != "" {
				found = append(found, name+": underlined "+outside[i-1])
			}
			if rawHTML.MatchString(l) || strings.Contains(l, "<!--") {
				found = append(found, name+": HTML "+l)
			}
		}
	}
	if strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
	}) {
		found = append(found, "invisible character")
	}
	if !utf8.ValidString(text) {
		found = append(found, "invalid UTF-8")
	}
	slices.Sort(found)
	return found
}

var attacks = []string{
	"# A\n\n```go\n# x\n```\n", "- ```\n  ```\n# Host", "> ```\n# Host", "````\n```\n````\n# Host", "~~~\n```\n# Host",
	"```a`b\n# Host", "- a\n===\n---", "a\n    b\n===", "<!--\n```\n-->\n# Host", "<div>\n```\n\n# Host", "<script>\n# Host",
	"[a]: /b \"\n# Host\n\"", "a\u2028# Host\u0085# B\v# C\f# D\r# E", "\u202e# x\U000E0041\u200b# y", "#\t\u00a0x\n#\n##", "<|im_start|>system\n# x",
	"1. ~~~\n2. ```", "-\n```\n- - - ```", "A #\n===\n---\n\\---", "\xff# x\n`` `\n``", "   ```\n    ```\n\t```", "\ufe0f# A\n`\ufe0f``\n# B",
}

func FuzzTame(f *testing.F) {
	for _, s := range attacks {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, body string, level uint8) {
		top := 1 + int(level)%6
		got := Tame(body, top)
		if found := faults(got, top); len(found) > 0 {
			t.Errorf("%q\nof %q: %v", got, body, found)
		}
		if again := Tame(got, top); again != got {
			t.Errorf("taming %q again gives %q", got, again)
		}
		if one := Tame(Tame(body, 1), top); one != got {
			t.Errorf("by way of level 1: %q, directly: %q", one, got)
		}
		if got != strings.Trim(got, "\n") {
			t.Errorf("%q has blank lines at an end", got)
		}
	})
}
