// Package yamlrepair puts the quotes into YAML frontmatter that a model left
// out: "title: a: b", "- *.go", "- [a-z]+ test".
package yamlrepair

import (
	"regexp"
	"strings"

	"github.com/rawko/memory/internal/safeyaml"
)

var (
	keyLine  = regexp.MustCompile(`^( *(?:[A-Za-z_][\w ./-]*|"[^"]*"|'[^']*'):[ \t]+)(\S.*)$`)
	itemLine = regexp.MustCompile(`^( *-[ \t]+)(\S.*)$`)
	// blockScalar is the end of a line that opens a literal or folded text.
	blockScalar = regexp.MustCompile(`(?:^|[:-][ \t]+)[|>][-+0-9]{0,2}[ \t]*(?:[ \t]#.*)?$`)
)

// Quote quotes the values of block, line by line, that YAML cannot read alone.
// It returns the block with as many lines as before, and the numbers (from 1) of
// those that it changed. It does not know whether the result is YAML.
func Quote(block string) (fixed string, changed []int) {
	lines := strings.Split(block, "\n")
	for i := 0; i < len(lines); i++ {
		head, value, item := split(lines[i])
		switch {
		case head == "":
		case blockScalar.MatchString(value):
			i = lastOfBlock(lines, i)
		case fits(value, item):
		case lastOfBlock(lines, i) > i:
			// The value goes on in deeper lines, and one of them says too little.
			i = lastOfBlock(lines, i)
		case neverClosed(value):
			// Torn rather than unquoted: what was meant is anyone's guess.
		default:
			lines[i] = head + requote(value)
			changed = append(changed, i+1)
		}
	}
	return strings.Join(lines, "\n"), changed
}

// split takes "key: value" or "- value" apart; head is empty for any other line.
func split(line string) (head, value string, item bool) {
	if m := itemLine.FindStringSubmatch(line); m != nil {
		return m[1], m[2], true
	}
	if m := keyLine.FindStringSubmatch(line); m != nil {
		return m[1], m[2], false
	}
	return "", "", false
}

// lastOfBlock gives the last of the lines after i that are indented deeper than it.
func lastOfBlock(lines []string, i int) int {
	last := i
	for j := i + 1; j < len(lines); j++ {
		switch {
		case strings.TrimLeft(lines[j], " \t") == "":
		case indent(lines[j]) > indent(lines[i]):
			last = j
		default:
			return last
		}
	}
	return last
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// fits reports whether YAML reads the value where it stands. What it reads and
// refuses (a custom tag) is for the caller to judge.
func fits(value string, item bool) bool {
	head := "k: "
	if item {
		head = "- "
	}
	return readable(head + value)
}

func readable(text string) bool {
	_, err := safeyaml.Load([]byte(text))
	refused, ok := err.(*safeyaml.Error)
	return err == nil || ok && refused.Refused
}

// requote quotes a value, a flow list item by item, and leaves a comment behind it outside.
func requote(value string) string {
	value, comment := cutComment(value)
	if items, ok := flowItems(value); ok {
		for i, item := range items {
			if !inFlow(item) {
				items[i] = quote(item)
			}
		}
		return "[" + strings.Join(items, ", ") + "]" + comment
	}
	return quote(value) + comment
}

// neverClosed reports whether a value opens a list, a map or a quoted text and
// nothing in it closes that.
func neverClosed(value string) bool {
	closing := map[byte]string{'"': `"`, '\'': "'", '[': "]", '{': "}"}[value[0]]
	return closing != "" && !strings.Contains(value[1:], closing)
}

func inFlow(item string) bool {
	root, err := safeyaml.Load([]byte("[" + item + "]"))
	return err == nil && root != nil && len(root.Content) == 1
}

// cutComment cuts at " # ": a hash that touches a word (issue #12) is more likely text.
// In a quoted value or a flow list that can only be behind the closing sign.
func cutComment(value string) (head, comment string) {
	end := map[byte]string{'"': `"`, '\'': `'`, '[': `]`}[value[0]]
	for from := 0; ; {
		i := strings.Index(value[from:], " # ")
		if i < 0 {
			return strings.TrimRight(value, " \t"), ""
		}
		head = strings.TrimRight(value[:from+i], " \t")
		if len(head) > 1 && strings.HasSuffix(head, end) {
			return head, value[from+i:]
		}
		from += i + 1
	}
}

// flowItems splits "[a, b]" at the commas outside quotes and inner brackets.
// It is no flow list when a bracket closes too early ("[a] or [b]") or never.
func flowItems(value string) (items []string, ok bool) {
	if len(value) < 2 || value[0] != '[' || value[len(value)-1] != ']' {
		return nil, false
	}
	inner := value[1 : len(value)-1]
	depth, start := 0, 0
	add := func(item string) {
		if item = strings.Trim(item, " \t"); item != "" {
			items = append(items, item)
		}
	}
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; c {
		case '"', '\'':
			// Inside a word it is an apostrophe or an inch.
			if strings.Trim(inner[start:i], " \t") == "" {
				i += max(0, closing(inner[i+1:], c)+1)
			}
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				add(inner[start:i])
				start = i + 1
			}
		}
		if depth < 0 {
			return nil, false
		}
	}
	add(inner[start:])
	return items, depth == 0
}

// closing finds the first quote in s that is not escaped the way its kind is; -1: none.
func closing(s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch {
		case quote == '"' && s[i] == '\\':
			i++
		case quote == '\'' && strings.HasPrefix(s[i:], "''"):
			i++
		case s[i] == quote:
			return i
		}
	}
	return -1
}

func quote(s string) string {
	return "'" + strings.ReplaceAll(unwrap(s), "'", "''") + "'"
}

// unwrap takes off the quotes around a text that YAML could not read in them:
// a pattern in double quotes ("\bauth\s+token"), or a text with quotes of its
// own inside ("Use "strict" mode"). Its backslashes stay as they are.
func unwrap(s string) string {
	q := s[0]
	if q != '"' && q != '\'' || len(s) < 2 || s[len(s)-1] != q {
		return s
	}
	inner := s[1 : len(s)-1]
	if i := closing(inner, q); i > 0 && inner[i-1] != ' ' && i+1 < len(inner) && inner[i+1] == ' ' {
		return s // "a" or "b": the first pair closes before the end
	}
	if q == '"' {
		return strings.ReplaceAll(inner, `\"`, `"`)
	}
	return strings.ReplaceAll(inner, "''", "'")
}
