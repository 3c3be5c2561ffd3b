package markdown

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestCut(t *testing.T) {
	word := strings.Repeat("x", 30)
	for _, c := range []struct {
		name, body string
		limit      int
		want       string
	}{
		{"paragraph before sentence", "One two three. Four.\n\nFive. Six seven", 30, "One two three. Four."},
		{"sentence before word", "One two three. Four five six", 20, "One two three."},
		{"question", "One two three? Four five six", 20, "One two three?"},
		{"exclamation", "One two three! Four five six", 20, "One two three!"},
		{"sentence without spaces", "一二三四五六。七八九十", 9, "一二三四五六。"},
		{"line", "one two three\nfour five six", 20, "one two three"},
		{"word", "one two three four five", 12, "one two"},
		{"not in the first half", "A. " + word, 20, "A. " + word[:17]},
		{"one long word", word, 10, word[:10]},
		{"a word that ends at the limit", "one two three four", 13, "one two three"},
		{"a sentence that ends at the limit", "One two three. Four", 14, "One two three."},
		{"a paragraph that ends at the limit", "One. Two six\n\nThree", 12, "One. Two six"},
		{"at the limit exactly", "one two", 7, "one two"},
		{"characters, not bytes", "äöü äöü äöü", 7, "äöü äöü"},
		{"a mark stays with its letter", "abcde\u0301\u0302f", 6, "abcd"},
		{"a mark stays with its sentence", "abcdef。\u0301gh", 9, "abcdef。\u0301g"},
		{"marks only", strings.Repeat("\u0301", 9), 5, ""},
		{"a heading left alone goes", "One two three.\n\n#### Four five six", 22, "One two three."},
		{"headings left alone go", "One.\n\n####\n\n#### Four\n\nfive six seven", 20, "One."},
		{"a heading alone", "#### " + word, 20, ""},
		{"a number left alone goes", "1. one two\n2. " + word, 16, "1. one two"},
		{"a list's mark left alone goes", "- one two\n  - " + word, 16, "- one two"},
		{"half a line does not underline", "ab\n-- cd", 5, "ab"},
		{"half a line does not underline, at level 1", "ab\n== cd", 5, "ab"},
		{"half a line is no heading", "  #three", 3, ""},
		{"code is closed", "```go\na := 1\nb := 2\nc := 3\n```", 25, "```go\na := 1\nb := 2\n```"},
		{"code to the end of a line", "```\naaa\nbbb\nccc\n```", 15, "```\naaa\nbbb\n```"},
		{"code, one character less", "```\naaa\nbbb\nccc\n```", 14, "```\naaa\n```"},
		{"code without its blank lines at the end", "```\naaa\n\n\nccc\n```", 15, "```\naaa\n```"},
		{"blank lines in code are no paragraph", "```\naa\n\nbb\ncc\ndd\n```", 16, "```\naa\n\nbb\n```"},
		{"no line of code fits", "Text.\n\n```\n" + word + "\n```", 20, "Text."},
		{"only a blank line of code fits", "Text.\n\n```\n\n" + word + "\n```", 20, "Text."},
		{"the heading of code that goes", "Text.\n\n#### Code\n\n```\n" + word + "\n```", 40, "Text."},
		{"nothing but code that does not fit", "```\n" + word + "\n```", 20, ""},
		{"the opening fence is cut", "Text one.\n```golang\na\n```", 13, "Text one."},
		{"the opening fence is cut in its marks", "Text one.\n```golang\na\n```", 12, "Text one."},
		{"the end of a block is a paragraph's", "```\na\nb\nc\n```\nOne. Two three", 24, "```\na\nb\nc\n```"},
		{"behind a block", "```\na\n```\nOne two three four. Five six", 32, "```\na\n```\nOne two three four."},
		{"fences in code do not end it", "```\n\\```\na\n\\```\nb\n```", 17, "```\n\\```\na\n```"},
		{"zero", "abc", 0, ""},
		{"negative", "abc", -5, ""},
		{"negative, code", "```\na\n```", 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, cut := Cut(c.body, c.limit)
			assert.Equal(t, c.want, got)
			assert.Equal(t, got != c.body, cut)
		})
	}
}

// cutFaults gives what is wrong with what Cut made of a tamed body.
func cutFaults(body, got string, cut bool, limit int) []string {
	var found []string
	add := func(wrong bool, what string) {
		if wrong {
			found = append(found, what)
		}
	}
	add(cut != (utf8.RuneCountInString(body) > limit), "cut or not")
	add(!cut && got != body, "changed without need")
	if !cut {
		return found
	}
	add(utf8.RuneCountInString(got) > max(limit, 0), "too long")
	add(len(faults(got, 1)) > 0, strings.Join(faults(got, 1), "; "))
	kept := got
	if !strings.HasPrefix(body, got) {
		kept = strings.TrimSuffix(got, "\n```")
		rest := body[min(len(kept), len(body)):]
		add(!strings.HasPrefix(rest, "\n"), "half a line of code")
	}
	add(!strings.HasPrefix(body, kept), "no prefix")
	next, _ := utf8.DecodeRuneInString(body[min(len(kept), len(body)):])
	add(kept != "" && unicode.IsMark(next), "a mark was torn off")
	add(strings.TrimRight(got, " \t\n") != got, "blanks at the end")
	return found
}

func FuzzCut(f *testing.F) {
	for i, s := range attacks {
		f.Add(s, 3*i)
	}
	f.Add("One two. Three\n\n```go\nfour := 5\n\nsix\n```\n- seven\n\n#### Eight\n\ne\u0301\u0302", 20)
	f.Fuzz(func(t *testing.T, raw string, limit int) {
		body := Tame(raw, 4)
		limit %= utf8.RuneCountInString(body) + 2
		got, cut := Cut(body, limit)
		if found := cutFaults(body, got, cut, limit); len(found) > 0 {
			t.Errorf("%q cut at %d gives %q: %v", body, limit, got, found)
		}
		if again := Tame(got, 4); strings.Count(again, "```") != strings.Count(got, "```") {
			t.Errorf("%q has other fences than %q", again, got)
		}
		if got, _ := Cut(raw, limit); utf8.RuneCountInString(got) > max(limit, 0) {
			t.Errorf("%q cut at %d is too long: %q", raw, limit, got)
		}
	})
}
