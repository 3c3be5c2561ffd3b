package resemble

import (
	"iter"
	"regexp"
	"strings"

	"github.com/rawko/memory/internal/lexical"
)

// glue says nothing: a sentence means the same with it and without.
var glue = map[string]bool{"a": true, "an": true, "the": true, "that": true, "which": true, "this": true, "it": true, "is": true, "are": true}

// sentenceEnd is a full stop with a space behind it; other marks say something.
var sentenceEnd = regexp.MustCompile(`\.+["')\]*_]*\s+|[。；]+`)

// begins is how a line begins that does not go on with the one before.
var begins = regexp.MustCompile(`^(?:[#>|*+-]|\d+[.)]\s)`)

// Adds reports whether text says something that known does not. A sentence, list
// item or line of code says nothing new where one of known has the same words and
// signs in the same order; articles and the like, endings, case and the marks of prose and of
// Markdown do not count. In doubt it is new.
func Adds(text, known string) bool {
	said := make(map[string]bool)
	for s := range sentences(known) {
		said[s] = true
	}
	for s := range sentences(text) {
		if !said[s] {
			return true
		}
	}
	return false
}

// sentences gives what the sentences of a text say, and the lines of its lists and
// code; those that say nothing are left out.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, paragraph := range paragraphs(lexical.Normalize(text)) {
			for _, part := range sentenceEnd.Split(paragraph, -1) {
				if s := said(part); s != "" && !yield(s) {
					return
				}
			}
		}
	}
}

// paragraphs joins the lines that are wrapped; a line of code stands alone.
func paragraphs(text string) []string {
	var found []string
	code, open := false, false // open: the next line may go on with the last
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			code, open = !code, false
		case line == "":
			open = false
		case code || !open || begins.MatchString(line):
			found = append(found, line)
			open = !code && !strings.HasPrefix(line, "#")
		default:
			found[len(found)-1] += " " + line
		}
	}
	return found
}

// said gives the words and signs of a sentence, in lower case and without endings.
func said(sentence string) string {
	var words []string
	sentence = strings.TrimRight(sentence, "!\"')*_ ") // "!" before something denies it
	for _, w := range meaning.FindAllString(spaced(sentence), -1) {
		if w = strings.ToLower(w); !glue[w] {
			words = append(words, lexical.Stem(w))
		}
	}
	return strings.Join(words, " ")
}

// meaning is a number with its sign and points, a word with its marks, or a sign
// that is not only a mark of prose or of Markdown.
var meaning = regexp.MustCompile(`\B-\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*\pL*|\pL[\pL\pM\pN]*(?:\+\+|#|['’]\pL+)?|\pN+|[!?¬=<>+%&|^~@$/\\{}[\]\pS]`)

// spaced sets characters of scripts without spaces apart: each is a word.
func spaced(text string) string {
	if !lexical.HasCJK(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if lexical.IsCJK(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
