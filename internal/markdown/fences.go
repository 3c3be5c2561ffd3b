package markdown

import "strings"

// Code tells which lines of a text belong to a block of code, its fences among
// them, and gives the fence that would close a block left open at the end: "" for none.
func Code(lines []string) (code []bool, open string) {
	code = make([]bool, len(lines))
	for i, line := range lines {
		if open != "" {
			code[i] = true
			if closes(line, open) {
				open = ""
			}
			continue
		}
		if !strings.Contains(line, fence) && !strings.Contains(line, "~~~") {
			continue // most lines; the expression costs more
		}
		if m := fenceLine.FindStringSubmatch(line); m != nil {
			code[i] = true
			open = marks(m[2])
		}
	}
	return code, open
}
