// Package linediff shows what changed between two versions of a small text, in the
// unified format that diff and git have.
package linediff

import (
	"fmt"
	"slices"
	"strings"
)

const (
	context = 3 // lines around a change
	// most is the largest table of line pairs that is compared. Past it what changed is
	// shown as one piece: all old lines, then all new ones.
	most = 4 << 20
)

// Unified gives the lines that differ, with three lines around them; "" where nothing
// does. A name stands in both lines of the head.
func Unified(name, before, after string) string {
	if before == after {
		return ""
	}
	ops := compare(lines(before), lines(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	for begin := 0; begin < len(ops); {
		begin = nextChange(ops, begin)
		if begin == len(ops) {
			break
		}
		end := hunkEnd(ops, begin)
		hunk(&b, ops, max(begin-context, 0), min(end+context, len(ops)))
		begin = end
	}
	return b.String()
}

// op is a line of both texts (' '), of the old one ('-') or of the new one ('+').
type op struct {
	kind byte
	text string
}

// noNewline follows a last line that has no line end, as in diff.
const noNewline = "\n\\ No newline at end of file\n"

func lines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		return lines[:last]
	} else {
		lines[last] += noNewline
	}
	return lines
}

// compare gives both texts as one list of operations.
func compare(a, b []string) (ops []op) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	all := func(kind byte, lines []string) {
		for _, text := range lines {
			ops = append(ops, op{kind, text})
		}
	}
	all(' ', a[:head])
	ops = append(ops, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	all(' ', a[len(a)-tail:])
	return ops
}

// middle compares by the longest common subsequence.
func middle(a, b []string) (ops []op) {
	width := len(b) + 1
	var length []int32
	if (len(a)+1)*width <= most {
		length = make([]int32, (len(a)+1)*width)
		for i := range slices.Backward(a) {
			for j := range slices.Backward(b) {
				if a[i] == b[j] {
					length[i*width+j] = length[(i+1)*width+j+1] + 1
				} else {
					length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case length != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			ops = append(ops, op{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && (length == nil || length[(i+1)*width+j] >= length[i*width+j+1]):
			ops = append(ops, op{'-', a[i]})
			i++
		default:
			ops = append(ops, op{'+', b[j]})
			j++
		}
	}
	return ops
}

func nextChange(ops []op, from int) int {
	for from < len(ops) && ops[from].kind == ' ' {
		from++
	}
	return from
}

// hunkEnd gives the end of the changes that one hunk shows: up to a gap that is larger
// than the context of both sides.
func hunkEnd(ops []op, begin int) int {
	end := begin
	for {
		for end < len(ops) && ops[end].kind != ' ' {
			end++
		}
		next := nextChange(ops, end)
		if next == len(ops) || next-end > 2*context {
			return end
		}
		end = next
	}
}

func hunk(b *strings.Builder, ops []op, begin, end int) {
	count := func(ops []op, other byte) (n int) {
		for _, o := range ops {
			if o.kind != other {
				n++
			}
		}
		return n
	}
	olds, news := count(ops[begin:end], '+'), count(ops[begin:end], '-')
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(count(ops[:begin], '+'), olds), span(count(ops[:begin], '-'), news))
	for _, o := range ops[begin:end] {
		b.WriteByte(o.kind)
		b.WriteString(o.text)
	}
}

// span gives where a hunk stands: of no lines it is the line before them.
func span(before, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}
