package yamledit

import (
	"fmt"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// oneLine gives a scalar as it may stand behind a key, or as a key.
func oneLine(n *yaml.Node) string {
	tag := n.ShortTag()
	switch {
	case tag == "!!str" && n.Style&yaml.SingleQuotedStyle != 0 && !strings.ContainsFunc(n.Value, unseen):
		return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
	case tag == "!!str" && n.Style&^yaml.TaggedStyle == 0 && canBePlain(n.Value):
		return n.Value
	case tag == "!!str":
		return quoted(n.Value)
	case isPlainValue(n.Value) && (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag() == tag:
		return n.Value
	case tag == "!!binary" && n.Style&^yaml.TaggedStyle == 0 && isBase64(n.Value):
		return tag + " " + n.Value
	}
	return tag + " " + quoted(n.Value)
}

func isBase64(s string) bool {
	return s != "" && s[0] != '=' && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("+/=", r)
	})
}

// scalarText gives a scalar as it may stand as a value.
func scalarText(n *yaml.Node) string {
	if n.ShortTag() == "!!null" && n.Value == "" {
		return "null"
	}
	return oneLine(n)
}

// isPlainValue reports whether a text has only what numbers, dates and words are made of.
func isPlainValue(s string) bool {
	return s != "" && strings.Trim(s, " ") == s && !strings.HasPrefix(s, "- ") && s != "-" &&
		!strings.HasSuffix(s, ":") && !strings.Contains(s, ": ") &&
		!strings.ContainsFunc(s, func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("+-.:_ ~<", r)
		})
}

// misread are the words that some reader of YAML takes for something other than text.
var misread = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true,
	"true": true, "false": true, "null": true, "nan": true, "inf": true}

// canBePlain reports whether a string can stand without quotes and no reader misreads it.
func canBePlain(s string) bool {
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || r == '_' || r == '/':
		case i == 0 || !strings.ContainsRune("0123456789-_./+@ ", r):
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, " ") && !misread[strings.ToLower(s)]
}

// unseen reports whether a character must be written as an escape: it cannot be
// seen, or ends a line. The joiners of emoji and some scripts may stay.
func unseen(r rune) bool {
	return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) && r != '\u200c' && r != '\u200d'
}

// quoted gives a string in double quotes.
func quoted(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unseen(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02X`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
