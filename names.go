package memory

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"
)

const (
	maxNamePart = 255  // bytes; what common file systems allow
	maxName     = 1024 // bytes; macOS allows no longer path
)

// ValidName says whether name can be a document's or directory's name in every [Store],
// on every operating system; implementers of a Store call it first. The error is
// [ErrUnsafeName] and says why not.
//
// A name is UTF-8 of at most 1,024 bytes: one or more parts of at most 255 bytes with a
// slash between them, as [io/fs.ValidPath] wants it, but not ".". No part starts with a dot
// or a dash, or ends in a dot or a space. None holds any of <>:"|?*\, a control or line
// separator character, or an invisible one (Unicode Cf), by which two names look
// alike. None is a device of Windows (con, prn, aux, nul, com0, lpt0, conin$, …), in any
// case and with any extension.
func ValidName(name string) error {
	reason := nameFault(name)
	if reason == "" {
		return nil
	}
	return fmt.Errorf("name %.80q: %s: %w", name, reason, ErrUnsafeName)
}

// validDir is ValidName for a directory to list.
func validDir(dir string) error {
	if dir == "." {
		return nil
	}
	return ValidName(dir)
}

func nameFault(name string) string {
	switch {
	case len(name) > maxName:
		return fmt.Sprintf("longer than %d bytes", maxName)
	case name == "." || !fs.ValidPath(name):
		return "not a relative path of parts with one slash between them"
	}
	for part := range strings.SplitSeq(name, "/") {
		if reason := partFault(part); reason != "" {
			return reason
		}
	}
	return ""
}

func partFault(part string) string {
	switch {
	case len(part) > maxNamePart:
		return fmt.Sprintf("a part is longer than %d bytes", maxNamePart)
	case part[0] == '.' || part[0] == '-':
		return "a part starts with a dot or a dash"
	case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
		return "a part ends in a dot or a space"
	case strings.ContainsAny(part, `<>:"|?*\`):
		return `a part holds one of <>:"|?*\`
	case strings.ContainsFunc(part, isHidden):
		return "a part holds a control or invisible character"
	case isDevice(part):
		return "a part is the name of a device on Windows"
	}
	return ""
}

func isHidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// isDevice follows the rules of Windows: the extension does not count, nor do
// spaces before it, and superscript digits are digits.
func isDevice(part string) bool {
	base, _, _ := strings.Cut(part, ".")
	base = strings.ToLower(strings.TrimRight(base, " "))
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	digit, ok := strings.CutPrefix(base, "com")
	if !ok {
		digit, ok = strings.CutPrefix(base, "lpt")
	}
	return ok && len(digit) > 0 && strings.Contains(" 0 1 2 3 4 5 6 7 8 9 ¹ ² ³ ", " "+digit+" ")
}
