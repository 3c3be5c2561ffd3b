package memory

import (
	"fmt"
	"strings"
	"unicode"
)

// Patch replaces one text of a file by another.
type Patch struct {
	OldText string `json:"oldText"` // must occur exactly once; it may span lines
	NewText string `json:"newText"` // in its place; "" takes it out
}

// applyPatches gives text with all patches applied in their order. An error is one
// that a model can mend its call by.
func applyPatches(path, text string, patches []Patch) (string, error) {
	for i, p := range patches {
		which := ""
		if len(patches) > 1 {
			which = fmt.Sprintf(" of patch %d", i+1)
		}
		old, _ := unixEnds(p.OldText)
		if old == "" {
			return "", refuse(ErrInvalid, "%s: oldText%s is empty: give the text to replace; nothing was changed", path, which)
		}
		switch at := occurrences(text, old); len(at) {
		case 1:
			replacement, _ := unixEnds(p.NewText)
			text = text[:at[0]] + replacement + text[at[0]+len(old):]
		case 0:
			return "", refuse(ErrInvalid, "%s: oldText%s %q is not in the file%s; nothing was changed", path, which, shorten(old, 80), nearest(text, old))
		default:
			return "", refuse(ErrInvalid, "%s: oldText%s %q occurs %d times, in %s; give more of the text around the one you mean. Nothing was changed",
				path, which, shorten(old, 80), len(at), linesAt(text, at))
		}
	}
	return text, nil
}

// occurrences gives where a text stands, those that overlap too.
func occurrences(text, part string) (at []int) {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + 1
	}
}

// maxPlaces is how many places a message names.
const maxPlaces = 10

// linesAt gives the lines of some places: "lines 3, 3 and 8".
func linesAt(text string, at []int) string {
	var lines []string
	for _, i := range at[:min(len(at), maxPlaces)] {
		lines = append(lines, fmt.Sprint(1+strings.Count(text[:i], "\n")))
	}
	if more := len(at) - maxPlaces; more > 0 {
		return fmt.Sprintf("lines %s and %d more", strings.Join(lines, ", "), more)
	}
	return "lines " + strings.Join(lines[:len(lines)-1], ", ") + " and " + lines[len(lines)-1]
}

// nearest says which line of a file is most like the first line of a text that the
// file does not have: "" where none is.
func nearest(text, old string) string {
	lines := strings.Split(text, "\n")
	there := make(map[string]bool)
	for _, line := range lines {
		there[strings.TrimSpace(line)] = true
	}
	wanted, number := "", 0
	for line := range strings.SplitSeq(old, "\n") {
		if number++; strings.TrimSpace(line) != "" && (wanted == "" || there[strings.TrimSpace(wanted)]) {
			if wanted = line; !there[strings.TrimSpace(line)] {
				break
			}
		}
	}
	best, at := 0.0, -1
	pairs := letterPairs(wanted)
	for i, line := range lines {
		if alike := likeness(pairs, letterPairs(line)); alike > best {
			best, at = alike, i
		}
	}
	if at < 0 || best < leastLikeness {
		return ""
	}
	if strings.TrimSpace(wanted) == strings.TrimSpace(lines[at]) {
		return fmt.Sprintf(" as it stands: line %d, %q, is there, but the spaces or the lines around it differ", at+1, shorten(lines[at], 200))
	}
	return fmt.Sprintf("; the nearest line is %d: %q", at+1, shorten(lines[at], 200))
}

// leastLikeness is how much a line must have in common with a text to be named.
const leastLikeness = 0.3

// letterPairs counts the pairs of letters of a line, without case and spaces.
func letterPairs(line string) map[[2]rune]int {
	pairs := make(map[[2]rune]int)
	last := ' '
	for _, r := range line[:min(len(line), 1<<10)] {
		if r = unicode.ToLower(r); !unicode.IsSpace(r) {
			pairs[[2]rune{last, r}]++
			last = r
		}
	}
	return pairs
}

// likeness says how much of a line stands in another one, and how much else does, from
// 0 to 1: half of a line finds the whole.
func likeness(a, b map[[2]rune]int) float64 {
	inA, inB, common := 0, 0, 0
	for pair, n := range a {
		inA += n
		common += min(n, b[pair])
	}
	for _, n := range b {
		inB += n
	}
	if common == 0 {
		return 0
	}
	return float64(common)/float64(2*inA) + float64(common)/float64(inA+inB)
}
