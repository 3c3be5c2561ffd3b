package redact

import (
	"slices"
	"strings"
)

// leastRepeat is the length from which a secret is taken out wherever it stands;
// a shorter one might be a part of something else.
const leastRepeat = 12

// repeats gives every place of text where the text of a find stands once more.
func repeats(text string, found []Secret) []Secret {
	list := distinct(text, found)
	if len(list) == 0 {
		return nil
	}
	var starts pairs
	for _, s := range list {
		starts.add(text[s.Begin], text[s.Begin+1])
	}
	var again []Secret
	for i := 0; i+leastRepeat <= len(text); i++ {
		if !starts.has(text[i], text[i+1]) {
			continue
		}
		if s, ok := lookup(text, list, i); ok {
			again = append(again, Secret{s.Kind, i, i + s.End - s.Begin})
			i += s.End - s.Begin - 1
		}
	}
	return again
}

// distinct gives the finds that are long enough, sorted by their texts, each
// once, and none whose text begins with another's, which is found there anyway.
func distinct(text string, found []Secret) []Secret {
	var list []Secret
	for _, s := range found {
		if s.End-s.Begin >= leastRepeat {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Secret) int { return strings.Compare(text[a.Begin:a.End], text[b.Begin:b.End]) })
	kept := list[:0]
	for _, s := range list {
		if last := len(kept) - 1; last < 0 || !strings.HasPrefix(text[s.Begin:s.End], text[kept[last].Begin:kept[last].End]) {
			kept = append(kept, s)
		}
	}
	return kept
}

// lookup gives the find whose text stands at index i. As none begins with
// another, it can only be the last that does not sort behind text[i:].
func lookup(text string, list []Secret, i int) (Secret, bool) {
	n, same := slices.BinarySearchFunc(list, text[i:], func(s Secret, rest string) int {
		return strings.Compare(text[s.Begin:s.End], rest)
	})
	if same {
		return list[n], true
	}
	if n == 0 || !strings.HasPrefix(text[i:], text[list[n-1].Begin:list[n-1].End]) {
		return Secret{}, false
	}
	return list[n-1], true
}
