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
// says nothing new where its words, articles and the like aside, stand in the same order in
// one sentence of known, and both deny as often. In doubt it is new.
func Adds(text, known string) bool {
	if len(text)+len(known) > maxKnown {
		return true
	}
	byWord := make(map[string][]*sentence)
	for _, s := range sentences(known) {
		for _, w := range s.words {
			if same := byWord[w]; len(same) == 0 || same[len(same)-1] != s {
				byWord[w] = append(same, s)
			}
		}
	}
	for _, s := range sentences(text) {
		if !s.in(byWord) {
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

// in reports whether one of the sentences that have the rarest word says the same.
func (s *sentence) in(byWord map[string][]*sentence) bool {
	candidates := byWord[s.words[0]]
	for _, w := range s.words {
		if with := byWord[w]; len(with) < len(candidates) {
			candidates = with
		}
	}
	for _, c := range candidates {
		if c.negative == s.negative && inOrder(s.words, c.words) {
			return true
		}
	}
	return false
}

// inOrder reports whether all words stand in others, in their order.
func inOrder(words, others []string) bool {
	for _, o := range others {
		if len(words) > 0 && words[0] == o {
			words = words[1:]
		}
	}
	return len(words) == 0
}

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
// Markdown and of prose do not count.
func newSentence(text string) *sentence {
	s := &sentence{}
	text = strings.TrimRight(text, "!?*_\"') \t") // "!" before something denies it
	end := 0
	add := func(w string) {
		if negations[w] {
			s.negative++
		} else if !glue[w] {
			s.words = append(s.words, lexical.Stem(w))
		}
	}
	for _, w := range append(cut(text), word{"", len(text), len(text)}) {
		for _, r := range text[end:w.begin] {
			if strings.ContainsRune("!¬=<>+%&|^~@$?/\\{}[]", r) {
				add(string(r))
			}
		}
		if end = w.end; w.text != "" {
			add(w.text)
		}
	}
	return s
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
