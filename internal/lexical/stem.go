package lexical

import (
	"strings"

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

// minNumber is the number of letters from which a word has a plural: "go" has not "goes".
const minNumber = 3

// numbers gives a lower-case word and what may be its singular or plural; they
// must have one stem, lest "news" be the plural of "new".
func numbers(word string) []string {
	others := []string{word + "s", word + "es"}
	if base, ok := strings.CutSuffix(word, "y"); ok {
		others = append(others, base+"ies")
	}
	for _, cut := range [][2]string{{"ies", "y"}, {"es", ""}, {"s", ""}} {
		if base, ok := strings.CutSuffix(word, cut[0]); ok && !strings.HasSuffix(word, "ss") {
			others = append(others, base+cut[1])
		}
	}
	forms, stem := []string{word}, Stem(word)
	for _, other := range others {
		if min(len(word), len(other)) >= minNumber && Stem(other) == stem {
			forms = append(forms, other)
		}
	}
	return forms
}
