package lexical

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Keywords gives the distinct words of four characters or more that carry a
// topic, in lower case, and the bigrams of what is written without spaces.
func Keywords(text string) []string {
	keywords := Bigrams(text)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !isWordRune(r) || r == '_' || IsCJK(r)
	})
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		if utf8.RuneCountInString(w) >= 4 && !stopWords[w] {
			keywords = append(keywords, w)
		}
	}
	return keywords
}
