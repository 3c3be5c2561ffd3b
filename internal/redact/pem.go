package redact

import (
	"encoding/base64"
	"strings"
)

const (
	maxBlock = 64 << 10 // bytes of a private key in text; an RSA key of 16384 bits has 13 KiB
	maxLabel = 60       // bytes between the dashes of BEGIN and END
	maxBlank = 200      // bytes of indentation and the like between two lines
	keyLine  = 32       // characters that a line of a key has at least, its last one aside
	leastKey = 40       // characters of the shortest key
)

// pemBlock finds a private key in a PEM or PGP block, be it in lines, in one
// line or in a string with \n in it: from BEGIN to END, or to the end of what
// looks like its lines. A BEGIN without a key behind it is no find, as in a
// sentence about the format.
func pemBlock(text string, at int) (Secret, bool) {
	if !dashed(text[:at]) {
		return Secret{}, false
	}
	label, body := blockLabel(text, at+len("BEGIN "))
	if !strings.Contains(label, "PRIVATE KEY") && !strings.HasPrefix(label, "OpenVPN Static key") {
		return Secret{}, false
	}
	end, size := keyLines(text[:min(len(text), body+maxBlock)], body)
	if size < leastKey {
		return Secret{}, false
	}
	return Secret{"private-key", at - len("-----"), blockEnd(text, end)}, true
}

// dashed reports whether text ends as what stands before BEGIN and END: five
// dashes, or four and a space.
func dashed(text string) bool {
	return strings.HasSuffix(text, "-----") || strings.HasSuffix(text, "---- ")
}

// blockLabel gives the label that begins at at, and where the dashes behind it end.
func blockLabel(text string, at int) (label string, end int) {
	label, _, ok := strings.Cut(text[at:min(len(text), at+maxLabel)], "----")
	if !ok || strings.ContainsAny(label, "\n\\") {
		return "", at
	}
	return label, run(text, at+len(label), dash, 5)
}

// blockEnd gives the end of the END that follows at; at itself where there is none.
func blockEnd(text string, at int) int {
	p := skipBetween(text, at)
	dashes := run(text, p, dash, 5)
	p = run(text, dashes, blank, 1)
	if !dashed(text[:p]) || !strings.HasPrefix(text[p:], "END ") {
		return at
	}
	if label, end := blockLabel(text, p+len("END ")); label != "" {
		return end
	}
	return p + len("END")
}

// keyLines gives the end of the lines of a key that begin at at, and how many
// characters of the key they have.
func keyLines(text string, at int) (end, size int) {
	end = at
	for {
		p := skipBetween(text, end)
		if n := headerLine(text[p:]); n > 0 && size == 0 {
			end = p + n
			continue
		}
		q := run(text, run(text, p, base64Chars, maxBlock), equals, 2)
		if q-p < keyLine {
			return lastLine(text, end, p, q, size)
		}
		size += q - p
		end = q
	}
}

// lastLine takes text[p:q], which is too short for a line within a key, where it
// can be its last one, and the checksum of PGP behind it.
func lastLine(text string, end, p, q, size int) (int, int) {
	if l := lookAt(text[p:q]); size > 0 && (l.digits > 0 || q > p && text[q-1] == '=' || blockEnd(text, q) > q) {
		end, size = q, size+q-p
	}
	if p = skipBetween(text, end); size > 0 && p < len(text) && text[p] == '=' && run(text, p+1, base64Chars, 5)-p == 5 {
		end = p + 5
	}
	return end, size
}

// headerLine gives the length of a header such as "Proc-Type: 4,ENCRYPTED"; 0: there is none.
func headerLine(text string) int {
	name := run(text, 0, letter|dash, 30)
	if name == 0 || !strings.HasPrefix(text[name:], ": ") {
		return 0
	}
	line := text[:min(len(text), 120)]
	for _, newline := range []string{"\n", `\n`, `\r`} {
		line, _, _ = strings.Cut(line, newline)
	}
	return len(line)
}

// skipBetween walks over what stands between two lines of a key: line ends,
// escaped ones too, indentation, marks of quotes and comments, and what joins
// strings in code.
func skipBetween(text string, at int) int {
	end := min(len(text), at+maxBlank)
	for at < end {
		switch b := text[at]; {
		case b == '\\' && at+1 < end && strings.IndexByte("nrt\n\r", text[at+1]) >= 0:
			at += 2
		case b == '+' && at+1 < end && strings.IndexByte(" \r\n\"'", text[at+1]) >= 0, strings.IndexByte(" \t\r\n\"'`,;>|#*\\", b) >= 0:
			at++
		default:
			return at
		}
	}
	return at
}

// encodedBegin is "-----BEGIN " in base64, up to where the label makes a difference.
const encodedBegin = "LS0tLS1CRUdJTi"

// encodedBlock finds a block of a private key that is in base64 once more, as in
// the configuration of Kubernetes.
func encodedBlock(text string, at int) (Secret, bool) {
	head := text[at:run(text, at, base64Chars, maxLabel)]
	data, err := base64.StdEncoding.DecodeString(head[:len(head)&^3])
	if err != nil || !strings.Contains(string(data), "PRIVATE KEY") || !opens(text, at) {
		return Secret{}, false
	}
	end, size := keyLines(text[:min(len(text), at+2*maxBlock)], at)
	return Secret{"private-key", at, end}, size >= 2*leastKey
}

// puttyBlock finds the private lines of a PuTTY key and the code behind them.
func puttyBlock(text string, at int) (Secret, bool) {
	begin := run(text, at+len("Private-Lines:"), blank|digit, 6)
	end, size := keyLines(text[:min(len(text), begin+maxBlock)], begin)
	if size < leastKey {
		return Secret{}, false
	}
	mac := skipBetween(text, end)
	if strings.HasPrefix(text[mac:], "Private-MAC: ") {
		end = run(text, mac+len("Private-MAC: "), digit|lowerHex, 64)
	}
	return Secret{"putty-key", skipBetween(text, begin), end}, true
}
