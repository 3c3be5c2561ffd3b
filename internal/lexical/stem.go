package lexical

import (
	"strings"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// Stem gives the English stem of a lower-case word. Words with anything but the
// letters a to z are their own stems.
func Stem(word string) string {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	return english.Stem(word, true)
}

// numbers gives a lower-case word and what may be its singular or plural.
func numbers(word string) []string {
	if utf8.RuneCountInString(word) < 2 || word[len(word)-1] >= 0x80 {
		return []string{word}
	}
	forms := []string{word, word + "s", word + "es"}
	if base, ok := strings.CutSuffix(word, "y"); ok {
		forms = append(forms, base+"ies")
	}
	for _, cut := range [][2]string{{"ies", "y"}, {"es", ""}, {"s", ""}} {
		if base, ok := strings.CutSuffix(word, cut[0]); ok && len(base) > 1 {
			forms = append(forms, base+cut[1])
		}
	}
	return forms
}
