package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut gives at most limit characters of a tamed body: up to the end of a
// paragraph, else of a sentence or line, else of a word, whichever comes in the
// second half. Of a block of code that it cuts, it keeps whole lines and closes
// it. cut is false when the whole body fits.
func Cut(body string, limit int) (text string, cut bool) {
	if utf8.RuneCountInString(body) <= limit {
		return body, false
	}
	end := len(prefix(body, limit))
	open, closed := lastFence(body, end)
	if open < 0 {
		return trimDangling(body[:bestEnd(body, closed, len(prefix(body, limit/2)), end)]), true
	}
	if code := wholeLines(body, limit-len("\n"+fence)); strings.Count(code, "\n") > strings.Count(body[:open], "\n") {
		return code + "\n" + fence, true
	}
	return trimDangling(body[:open]), true // nothing would be left of the block
}

// bestEnd is the index of the best place to cut a body between half and end,
// behind its last block of code.
func bestEnd(body string, block, half, end int) int {
	behind := strings.TrimLeft(body[end:], " \t\n")
	head := body[:len(body)-len(behind)] // blanks show that something ends at the very end
	for _, find := range []func(string) int{paragraphEnd, sentenceEnd, wordEnd} {
		if at := min(max(find(head), block), end); at > half && !startsWithMark(body[at:]) {
			return at
		}
	}
	return end
}

// wholeLines gives the lines that end within the first limit characters, without blank ones at the end.
func wholeLines(s string, limit int) string {
	head := prefix(s, limit)
	if !strings.HasPrefix(s[len(head):], "\n") {
		head = head[:max(strings.LastIndexByte(head, '\n'), 0)]
	}
	return strings.TrimRight(head, "\n")
}

// trimDangling takes off a heading, a rule or a list mark that has lost what
// stood behind it; of half a line, such a rest could underline the text above.
func trimDangling(s string) string {
	for {
		s = strings.TrimRight(s, " \t\n")
		last := s[strings.LastIndexByte(s, '\n')+1:]
		if last == "" || !dangling.MatchString(last) {
			return s
		}
		s = s[:len(s)-len(last)]
	}
}

var dangling = regexp.MustCompile(`^[ \t]*(?:#{1,6}(?: .*)?|[*+]|-+|=+|[0-9]{1,9}[.)])$`)

// prefix gives the first n characters; a mark stays with its letter.
func prefix(s string, n int) string {
	end := 0
	for i, r := range s {
		if !unicode.IsMark(r) {
			end = i // of what is whole
		}
		if n <= 0 {
			return s[:end]
		}
		n--
	}
	return s
}

func startsWithMark(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsMark(r)
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

// lastFence tells of a tamed text where the block of code begins that is open
// at end, -1 for none, and where the last one closed by then ends, 0 for none.
func lastFence(text string, end int) (open, closed int) {
	open = -1
	at := 0
	for l := range strings.Lines(text) {
		if at >= end {
			break
		}
		switch {
		case !strings.HasPrefix(l, fence):
		case open < 0:
			open = at
		case at+len(fence) <= end:
			open, closed = -1, at+len(fence)
		}
		at += len(l)
	}
	return open, closed
}
