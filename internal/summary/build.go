package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rawko/memory/internal/markdown"
)

// Entry is one of the second-level sections of an episode file.
type Entry struct {
	Title   string
	Summary string // of its Summary item; "" where it has none
}

// Entries gives the entries of an episode file in their order.
func Entries(text string) []Entry {
	lines, code, _, behind := split(text)
	var entries []Entry
	for i, line := range lines {
		if code[i] || i < behind {
			continue
		}
		if m := section.FindStringSubmatch(line); m != nil {
			entries = append(entries, Entry{Title: markdown.Line(m[1])})
		} else if n := len(entries); n > 0 && entries[n-1].Summary == "" {
			if key, value := keyed(line); strings.EqualFold(key, "summary") {
				entries[n-1].Summary = value
			}
		}
	}
	return entries
}

// OfEntry gives what an entry without a heading is about: its Summary item, or else
// its first words outside of code.
func OfEntry(text string) string {
	first := ""
	lines := strings.Split(text, "\n")
	code, _ := markdown.Code(lines)
	for i, line := range lines {
		if code[i] {
			continue
		}
		key, value := keyed(line)
		if strings.EqualFold(key, "summary") && value != "" {
			return cut(value, maxEntry)
		}
		if first == "" {
			first = markdown.Line(strings.TrimLeft(line, "#>-*+ \t"))
		}
	}
	if first == "" {
		return "Entry"
	}
	return cut(first, maxEntry)
}

// OfEpisodes makes the summary of an episode file from its entries, oldest first:
// of each its summary, or else its title. Where that is too long the oldest are counted.
func OfEpisodes(text string) string {
	var labels []string
	for _, e := range Entries(text) {
		label := e.Summary
		if label == "" {
			label = e.Title
		}
		if label = cut(strings.TrimRight(label, " .;,"), maxEntry); label != "" {
			labels = append(labels, label)
		}
	}
	length := len("9999 earlier")
	for i, label := range slices.Backward(labels) {
		length += utf8.RuneCountInString(label) + 2
		if length > MaxEpisodes { // never of one label alone
			return fmt.Sprintf("%d earlier, %s", i+1, strings.Join(labels[i+1:], ", "))
		}
	}
	return strings.Join(labels, ", ")
}

// OfFacts makes the summary of any other file: the keys of its list items, and the
// first words of those that have none; else the keys of lines of the form "Key: value",
// its headings, or the first line below its title. It is "" where only the latter
// would be left and the file says of itself what is in it.
func OfFacts(text string) string {
	h := read(text)
	var labels, keys, headings []string
	first := ""
	for i := max(h.begin, h.title+1); i < len(h.lines); i++ {
		line := h.lines[i]
		if h.code[i] || i == h.summary {
			continue
		}
		key, _ := keyValueOf(line)
		if strings.HasPrefix(strings.TrimSpace(line), ">") {
			key = "" // of a quotation
		}
		if m := subheading.FindStringSubmatch(line); m != nil {
			headings = append(headings, markdown.Line(m[1]))
		} else if item.MatchString(line) {
			labels = append(labels, label(line))
		} else if key != "" && len(strings.Fields(key)) <= 3 {
			keys = append(keys, lowerFirst(key))
		} else if first == "" {
			first = markdown.Line(strings.Trim(line, "|> "))
		}
	}
	if h.summary >= 0 {
		first = ""
	}
	for _, found := range [][]string{labels, keys, headings, {first}} {
		if s := join(found); s != "" {
			return s
		}
	}
	return ""
}

// bookkeeping are keys that say nothing of what is in a file.
var bookkeeping = []string{"updated", "last updated", "date", "summary"}

// label gives what a list item is about: its key, or else its first words.
func label(line string) string {
	key, value := keyed(line)
	if slices.Contains(bookkeeping, strings.ToLower(key)) {
		return ""
	}
	if key == "" {
		return cut(value, maxLabel)
	}
	return lowerFirst(key)
}

var (
	keyValue   = regexp.MustCompile(`^([^:：]{1,60}?)(?:[:：](?:[ \t]+|$)|[ \t]+[—–][ \t]+)(.*)$`)
	checkbox   = regexp.MustCompile(`^\[[ xX]\][ \t]+`)
	subheading = regexp.MustCompile(`^ {0,3}#{2,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
)

// keyed splits a list item into its key and its value. Without a key the whole is
// the value. What is no item gives nothing.
func keyed(line string) (key, value string) {
	m := item.FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	return keyValueOf(checkbox.ReplaceAllString(m[1], ""))
}

// keyValueOf splits a text into its key and its value; without a key the whole is the value.
func keyValueOf(text string) (key, value string) {
	text = markdown.Line(strings.NewReplacer("**", "", "__", "", "`", "").Replace(text))
	if cjk := strings.Index(text, "："); cjk > 0 && !strings.Contains(text[:cjk], ":") {
		text = strings.Replace(text, "：", ": ", 1)
	}
	kv := keyValue.FindStringSubmatch(text)
	if kv == nil || utf8.RuneCountInString(kv[1]) > maxLabel || len(strings.Fields(kv[1])) > 5 {
		return "", text
	}
	return strings.TrimSpace(kv[1]), strings.TrimSpace(kv[2])
}

// lowerFirst makes a key a word within a line, unless it is a name such as "API" or "iOS".
func lowerFirst(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[n:])
	if unicode.IsUpper(second) || unicode.IsDigit(second) {
		return s
	}
	return string(unicode.ToLower(first)) + s[n:]
}

// join gives distinct labels as one line, and counts those for which there is no room.
func join(labels []string) string {
	var kept []string
	length, left := 0, 0
	for _, l := range labels {
		if l = cut(l, maxEntry); l == "" || slices.Contains(kept, l) {
			continue
		}
		if length += utf8.RuneCountInString(l) + 2; length > MaxFacts { // never of one label alone
			left++
			continue
		}
		kept = append(kept, l)
	}
	if left > 0 {
		kept = append(kept, fmt.Sprintf("%d more", left))
	}
	return strings.Join(kept, ", ")
}

// cut shortens a text to n characters, at the end of a word where one is near.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	head := string([]rune(s)[:n-1])
	if space := strings.LastIndexByte(head, ' '); space > len(head)/2 {
		head = head[:space]
	}
	return strings.TrimRight(head, " ,;:") + "…"
}
