package memory

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// This file reads the values of one key each, in all the ways in which people and
// models write them (docs/decisions.md, "Reading is lenient").

// value gives the node of a key, nil where it is missing or null.
func (r *fieldReader) value(key string) *yaml.Node {
	n := r.nodes[key]
	if n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	return n
}

// lineOf gives the line of a key's value in the YAML; 0, which is the fence, where it is missing.
func (r *fieldReader) lineOf(key string) int {
	if n := r.nodes[key]; n != nil {
		return n.Line
	}
	return 0
}

// text reads a string of one line: line breaks become spaces, blank is missing.
// A list of words in brackets is a title like "[WIP]".
func (r *fieldReader) text(key string) string {
	n := r.value(key)
	switch {
	case n == nil:
		return ""
	case n.Kind == yaml.ScalarNode:
		return oneLine(n.Value)
	case n.Kind == yaml.SequenceNode && n.Style&yaml.FlowStyle != 0:
		r.warn(n.Line, "%s: read as text in brackets; put it in quotes", key)
		return "[" + strings.Join(r.items(key, n), ", ") + "]"
	}
	r.warn(n.Line, "%s: left out: not a text", key)
	return ""
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func oneLine(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	if s = lineBreaks.Replace(s); !strings.Contains(s, "\n") {
		return s
	}
	var parts []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, " ")
}

// list reads a list of strings, or a string that is split at sep.
func (r *fieldReader) list(key, sep string) []string {
	n := r.value(key)
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		return r.items(key, n)
	case n.Kind == yaml.ScalarNode:
		if strings.Contains(n.Value, sep) {
			return splitText(n.Value, sep)
		}
		return nonBlank(oneLine(n.Value))
	}
	r.warn(n.Line, "%s: left out: not a list", key)
	return nil
}

// splitText gives the parts of s without the white space around them, and without the blank ones.
func splitText(s, sep string) (parts []string) {
	for part := range strings.SplitSeq(s, sep) {
		parts = append(parts, nonBlank(strings.TrimSpace(oneLine(part)))...)
	}
	return parts
}

func nonBlank(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []string{s}
}

// items reads the strings of a list: numbers, dates and booleans by their
// source text, and what YAML took for something else put together again.
func (r *fieldReader) items(key string, list *yaml.Node) (items []string) {
	for _, n := range list.Content {
		switch {
		case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
			// An empty item is none, but the word "null" is one.
			items = append(items, nonBlank(strings.Trim(n.Value, "~"))...)
		case n.Kind == yaml.ScalarNode && key == "whenToUse":
			items = append(items, r.trigger(n)...)
		case n.Kind == yaml.ScalarNode:
			items = append(items, nonBlank(oneLine(n.Value))...)
		case n.Kind == yaml.SequenceNode:
			r.warn(n.Line, "%s: a list in the list; its items are taken as items", key)
			items = append(items, r.items(key, n)...)
		case len(n.Content) == 2 && n.Content[0].Kind == yaml.ScalarNode && n.Content[1].Kind == yaml.ScalarNode:
			r.warn(n.Line, "%s: read as the text with a colon that it looks like; put it in quotes", key)
			k, v := n.Content[0].Value, n.Content[1].Value
			items = append(items, strings.TrimSpace(oneLine(k)+": "+oneLine(v)))
		default:
			r.warn(n.Line, "%s: left out: not a text", key)
		}
	}
	return items
}

// triggers reads whenToUse: a list, one string, or a block of text with one trigger in a line.
func (r *fieldReader) triggers() []string {
	n := r.value("whenToUse")
	if n != nil && n.Kind == yaml.ScalarNode {
		return r.trigger(n)
	}
	return r.list("whenToUse", "\n")
}

func (r *fieldReader) trigger(n *yaml.Node) []string {
	text := n.Value
	if strings.Contains(text, "\b") {
		r.warn(n.Line, `whenToUse: in double quotes YAML reads \b as a backspace; read as \b; use single quotes or \\b`)
		text = strings.ReplaceAll(text, "\b", `\b`)
	}
	if strings.Contains(text, "\n") {
		return splitText(text, "\n")
	}
	return nonBlank(oneLine(text))
}

// layouts of a time, as people and models write it. Fractions of a second are read after any.
var layouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

// time reads a timestamp, in UTC where it names no zone.
func (r *fieldReader) time(key, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.ToUpper(strings.TrimSpace(text))); err == nil {
			return t.UTC()
		}
	}
	r.warn(r.lineOf(key), "%s: %q is no date; want one like 2026-01-23T10:30:00Z", key, text)
	return time.Time{}
}

// retired reads a time, or true: since the entry was discovered.
func (r *fieldReader) retired() time.Time {
	text := r.text("retired")
	switch strings.ToLower(text) {
	case "false", "no", "off":
		return time.Time{}
	case "true", "yes", "on":
		if at := r.fm.DiscoveredAt; !at.IsZero() {
			return at
		}
		return time.Unix(0, 0).UTC()
	}
	return r.time("retired", text)
}
