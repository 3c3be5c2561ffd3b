package memory

import (
	"regexp"
	"strings"
)

// codeRun is a run of backticks.
var codeRun = regexp.MustCompile("`+")

// spanMark stands where a span was; [cleanText] leaves none in a text.
const spanMark = "\x00"

// withoutSpans takes the spans of code out of a line, each by a mark. A run of
// three backticks is a fence that lost its line, and a paragraph ends a span.
func withoutSpans(line string) (text string, spans []string) {
	runs := codeRun.FindAllStringIndex(line, -1)
	var b strings.Builder
	done := 0
	for i := 0; i < len(runs); i++ {
		end := i + 1
		for end < len(runs) && runs[end][1]-runs[end][0] != runs[i][1]-runs[i][0] {
			end++
		}
		if end == len(runs) {
			continue
		}
		span := line[runs[i][0]:runs[end][1]]
		if runs[i][1]-runs[i][0] < 3 {
			if paragraphs.MatchString(span) {
				continue
			}
			b.WriteString(line[done:runs[i][0]] + spanMark)
			spans = append(spans, span)
			done = runs[end][1]
		}
		i = end
	}
	return b.String() + line[done:], spans
}

// paragraphs is an end of a paragraph between words.
var paragraphs = regexp.MustCompile(`\w.*\\n\\n.*\w`)

func withSpans(text string, spans []string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, spanMark) {
		if i > 0 {
			b.WriteString(spans[i-1])
		}
		b.WriteString(part)
	}
	return b.String()
}
