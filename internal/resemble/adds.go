package resemble

import (
	"regexp"
	"strings"

	"github.com/rawko/memory/internal/lexical"
)

// maxKnown is how long a text may be for its sentences to be compared, in bytes.
const maxKnown = 256 << 10

// negations turn a sentence round, so they are counted.
var negations = set(`no not never none neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt
	couldnt hasnt havent unless except nicht nie niemals kein keine keinen keiner ohne 不 没 無 无 非 未 别 勿 ! ¬`)

// glue says nothing. Stop words do: before and after, only and all.
var glue = set(`a an the is are was were be been being it its this that these those there here of to and also so then which who
	will has have had do does did for with as we i our you your`)

// between ends a sentence, with a space behind it.
var between = regexp.MustCompile(`[.!?]+["')\]*_]*\s+|[。！？；]+`)

// begins is how a line begins that does not go on with the one before.
var begins = regexp.MustCompile(`^(?:[#>|*+-]|\d+[.)]\s)`)

// Adds reports whether text says something that known does not. A sentence of it
// says nothing new where its words, articles and the like aside, stand in a row in
// one sentence of known, and both deny as often. In doubt it is new.
func Adds(text, known string) bool {
	if len(text)+len(known) > maxKnown {
		return true
	}
	said := make(map[int]*strings.Builder) // by how often they deny: the sentences, a line each
	for _, s := range sentences(known) {
		if said[s.negative] == nil {
			said[s.negative] = &strings.Builder{}
		}
		said[s.negative].WriteString(s.line())
	}
	for _, s := range sentences(text) {
		all := said[s.negative]
		if all == nil || !strings.Contains(all.String(), strings.Trim(s.line(), "\n")) {
			return true
		}
	}
	return false
}

// sentence is what a sentence says: its stems and signs in order, without glue.
type sentence struct {
	words    []string
	negative int
}

// line gives the words with a space before and behind each, between line breaks.
func (s *sentence) line() string { return "\n " + strings.Join(s.words, " ") + " \n" }

// sentences gives what the sentences of a text say, and the lines of its lists and
// code; those that say nothing are left out.
func sentences(text string) []*sentence {
	var found []*sentence
	text = strings.NewReplacer("'", "", "’", "").Replace(lexical.Normalize(text)) // don't: dont
	for _, paragraph := range paragraphs(text) {
		for _, part := range between.Split(paragraph, -1) {
			if s := newSentence(part); len(s.words) > 0 {
				found = append(found, s)
			}
		}
	}
	return found
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

// newSentence reads words and the signs that mean something in code; those of
// Markdown and of prose do not count. "1.25" and "C#" are words, and so is "-1".
func newSentence(text string) *sentence {
	s := &sentence{}
	text = strings.TrimRight(text, "!?*_\"') \t") // "!" before something denies it
	for _, w := range joinable.FindAllString(spaced(text), -1) {
		w = strings.ToLower(w)
		if negations[w] {
			s.negative++
		}
		if strings.HasSuffix(w, "nt") && negations[w] {
			w = "not" // dont
		}
		if !glue[w] {
			s.words = append(s.words, lexical.Stem(w))
		}
	}
	return s
}

// joinable is a number with its sign and points, a word with its marks, or a sign.
var joinable = regexp.MustCompile(`\B-\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*\pL*|\pL[\pL\pM\pN]*(?:\+\+|#)?|\pN+|[!¬=<>+%&|^~@$?/\\{}[\]]`)

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

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
