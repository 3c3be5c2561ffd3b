package quarantine

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// leastEncoded is how long a run of Base64 is at least that is looked into.
const leastEncoded = 24

// encoded decodes runs of Base64 and hexadecimal digits and looks into them, once.
func encoded(text string) []Finding {
	var found []Finding
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && base64Byte(text[end]) {
			end++
		}
		if end-i >= leastEncoded {
			if inner := decode(text[i:end]); inner != "" {
				for _, f := range find(fold(inner)) {
					found = append(found, Finding{f.Kind, i, end, "encoded: " + f.Reason})
					break
				}
			}
		}
		i = end + 1
	}
	return found
}

// base64Byte reports whether a byte may stand in base64, in either alphabet.
func base64Byte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '+' || b == '/' || b == '-' || b == '_' || b == '='
}

// decode gives the text that a run of letters and digits encodes, "" for none.
func decode(run string) string {
	if strings.Trim(run, "0123456789abcdefABCDEF") == "" {
		if data, err := hex.DecodeString(run); err == nil && readable(data) {
			return string(data)
		}
	}
	run = strings.ReplaceAll(strings.ReplaceAll(strings.TrimRight(run, "="), "-", "+"), "_", "/")
	if strings.ContainsRune(run, '=') {
		return ""
	}
	for cut := range 2 {
		data, err := base64.RawStdEncoding.DecodeString(run[:max(0, len(run)-cut)])
		if err == nil && readable(data) {
			return string(data)
		}
	}
	return ""
}

// readable reports whether data are text.
func readable(data []byte) bool {
	if len(data) < 8 || !utf8.Valid(data) {
		return false
	}
	seen, odd := 0, 0
	for _, r := range string(data) {
		seen++
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			odd++
		}
	}
	return 20*odd <= seen
}
