// Package quarantine finds text that orders an agent about where it should only
// tell what is so: memory poisoning and prompt injection.
//
// The text is folded (case, look-alike letters, what cannot be seen), cut into
// words and sentences, and each word is given the concepts that it stands for.
// A rule names the concepts that make an intent together, and whether the word
// at its head has to be an order. What is told of others, negated, asked or
// quoted in a sentence about it is none. What no rule finds may still show
// weak signs: words that harmless notes have now and then, but not several of
// them in one passage. Their points are added up, see weigh.
package quarantine

import (
	"cmp"
	"slices"
)

// The kinds of a Finding.
const (
	Override  = "override"  // sets aside what the agent was told, or speaks with the authority of others
	ToolCall  = "tool-call" // forges the turns of a conversation, or a call of a tool
	Invisible = "invisible" // cannot be seen by a person
	PassOn    = "pass-on"   // carries data out, spreads itself, or hides from people
	Command   = "command"   // has harmful commands run, or protection taken away
)

// Finding is a place that reads as if it ordered an agent about.
type Finding struct {
	Kind       string // Override, ToolCall, Invisible, PassOn or Command
	Begin, End int    // in bytes of the text, on the boundaries of characters
	Reason     string // what was found there, in a few words
}

// Find gives what in text reads as if it ordered an agent about, in the order of
// the text and without overlaps; nil where there is nothing. Of places that
// overlap it gives one, from the first byte to the last.
func Find(text string) []Finding {
	found := invisible(text)
	f := fold(text)
	found = append(found, find(f)...)
	found = append(found, encoded(text)...)
	return join(found)
}

// find looks for everything but what is invisible or encoded.
func find(f *folded) []Finding {
	d := scan(f)
	return d.weigh(append(d.markup(), d.match()...))
}

// join sorts findings and makes one of those that overlap; the first names the kind.
func join(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End))
	})
	var joined []Finding
	for _, f := range found {
		if n := len(joined); n > 0 && f.Begin < joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, f.End)
			continue
		}
		joined = append(joined, f)
	}
	return joined
}
