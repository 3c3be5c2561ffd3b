package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut gives at most limit characters of a tamed body: up to the end of a
// paragraph, else of a sentence or line, else of a word, whichever comes in the
// second half. A code fence that the cut leaves open is closed. cut is false
// when the whole body fits.
func Cut(body string, limit int) (text string, cut bool) {
	if utf8.RuneCountInString(body) <= limit {
		return body, false
	}
	for room := limit; room > 0; {
		text = trimCut(body, room)
		open, at := openFence(text)
		if open == "" {
			return text, true
		}
		code := strings.LastIndexByte(text, '\n') // no line of code is halved
		if code < 0 || !strings.Contains(text[at:code], "\n") {
			return strings.TrimRight(text[:at], " \t\n"), true // nothing would be left of the block
		}
		text = strings.TrimRight(text[:code], " \t\n") + "\n" + open
		if utf8.RuneCountInString(text) <= limit {
			return text, true
		}
		room -= len(open) + 1
	}
	return "", true
}

// trimCut cuts at the best place before limit characters.
func trimCut(body string, limit int) string {
	head := prefix(body, limit)
	half := len(prefix(body, limit/2))
	for _, end := range []func(string) int{paragraphEnd, sentenceEnd, wordEnd} {
		if at := end(head); at > half {
			head = head[:at]
			break
		}
	}
	return trimDangling(head)
}

// trimDangling takes off a heading or a list number that has lost what stood behind it.
func trimDangling(s string) string {
	for {
		s = strings.TrimRight(s, " \t\n")
		last := s[strings.LastIndexByte(s, '\n')+1:]
		if open, _ := openFence(s); open != "" || !dangling.MatchString(last) {
			return s
		}
		s = s[:len(s)-len(last)]
	}
}

var dangling = regexp.MustCompile(`^(?:#{1,6} .*|[ \t]*(?:[-*+]|[0-9]{1,9}[.)]))$`)

// prefix gives the first n characters; a mark stays with its letter.
func prefix(s string, n int) string {
	end := len(s)
	for i, r := range s {
		if n <= 0 && !unicode.IsMark(r) {
			end = i
			break
		}
		n--
	}
	if n < 0 { // marks went past the limit: leave their letter out too
		for end > 0 {
			r, size := utf8.DecodeLastRuneInString(s[:end])
			end -= size
			if !unicode.IsMark(r) {
				break
			}
		}
	}
	return s[:end]
}

func paragraphEnd(s string) int { return strings.LastIndex(s, "\n\n") }

// sentenceEnd is the index behind the last sentence or line of s.
func sentenceEnd(s string) int {
	best := strings.LastIndexByte(s, '\n')
	for _, mark := range []string{". ", "! ", "? ", "。", "！", "？"} {
		if i := strings.LastIndex(s, mark); i >= 0 {
			best = max(best, i+len(strings.TrimRight(mark, " ")))
		}
	}
	return best
}

func wordEnd(s string) int { return strings.LastIndexAny(s, " \t\n") }

// openFence gives the marks of the fence that is open at the end of a tamed
// text, and where its line begins.
func openFence(text string) (open string, at int) {
	begin := 0
	for l := range strings.Lines(text) {
		switch {
		case open != "":
			if closes(l, open) {
				open = ""
			}
		case strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~"):
			open, at = marks(l), begin
		}
		begin += len(l)
	}
	return open, at
}
