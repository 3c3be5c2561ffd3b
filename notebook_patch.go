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
func (n *Notebook) applyPatches(path, text string, patches []Patch) (string, error) {
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
			replacement = strings.ReplaceAll(replacement, "\r", "\n")
			if err := n.fits(path, len(text)+len(replacement)-len(old)); err != nil && len(replacement) > len(old) {
				return "", err
			}
			text = text[:at[0]] + replacement + text[at[0]+len(old):]
		case 0:
			when := ""
			if i > 0 {
				when = " as the patches before it leave it"
			}
			return "", refuse(ErrInvalid, "%s: oldText%s %q is not in the file%s%s; nothing was changed", path, which, shorten(old, 80), when, nearest(text, old))
		default:
			return "", refuse(ErrInvalid, "%s: oldText%s %q occurs %s times, in %s; give more of the text around the one you mean. Nothing was changed",
				path, which, shorten(old, 80), count(len(at)), linesAt(text, at))
		}
	}
	return text, nil
}

// maxOccurrences is how many places of a text are looked for.
const maxOccurrences = 100

// occurrences gives where a text stands, those that overlap too: the first hundred.
func occurrences(text, part string) (at []int) {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 || len(at) == maxOccurrences {
			return at
		}
		at = append(at, from+i)
		from += i + 1
	}
}

// count says how many places were found.
func count(n int) string {
	if n == maxOccurrences {
		return fmt.Sprintf("%d or more", n)
	}
	return fmt.Sprint(n)
}

// maxPlaces is how many places a message names.
const maxPlaces = 10

// linesAt gives the lines of some places: "lines 3 (2 times) and 8".
func linesAt(text string, at []int) string {
	var lines []string
	line, last, times, seen := 1, 0, 0, 0
	for i, place := range at {
		line += strings.Count(text[last:place], "\n")
		last = place
		times++
		if i+1 < len(at) && !strings.Contains(text[place:at[i+1]], "\n") {
			continue // more of it in this line
		}
		if seen++; seen <= maxPlaces {
			lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%d (%d times)", line, times), " (1 times)"))
		}
		times = 0
	}
	if more := seen - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("%d more", more))
	}
	if len(lines) == 1 {
		return "line " + lines[0]
	}
	return "lines " + strings.Join(lines[:len(lines)-1], ", ") + " and " + lines[len(lines)-1]
}

// nearest says which line of a file is most like the first line of a text that the
// file does not have.
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
		return "; memory_read gives what it has"
	}
	if strings.TrimSpace(wanted) == strings.TrimSpace(lines[at]) {
		return fmt.Sprintf(": line %d, %q, is there, but the spaces or the lines around it differ", at+1, shorten(lines[at], 200))
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
