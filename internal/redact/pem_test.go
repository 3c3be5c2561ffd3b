package redact

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// block gives a block with a body of n characters in lines of 64.
func block(label string, n int) string {
	return "-----BEGIN " + label + "-----\n" + lines(n, 64) + "-----END " + label + "-----"
}

func lines(n, width int) string {
	var b strings.Builder
	for body := std(n-2) + "=="; body != ""; {
		line := body[:min(width, len(body))]
		body = body[len(line):]
		b.WriteString(line + "\n")
	}
	return b.String()
}

const private = "PRIVATE " + "KEY"

var putty = "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 2\n" + lines(90, 64) + "Private-Lines: 2\n"

// blocks are private keys with what stands around them, in angle quotes: ‹…›.
var blocks = []struct{ name, kind, text string }{
	{"PKCS 8", "private-key", "x\n‹" + block(private, 1600) + "›\ny"},
	{"RSA", "private-key", "‹" + block("RSA "+private, 1590) + "›"},
	{"EC", "private-key", "‹" + block("EC "+private, 164) + "›\n"},
	{"Ed25519", "private-key", "‹" + block(private, 64) + "›"},
	{"OpenSSH", "private-key", "```\n‹" + strings.ReplaceAll(block("OPENSSH "+private, 390), "\n"+std(64), "\n"+std(70)) + "›\n```"},
	{"encrypted", "private-key", "‹" + block("ENCRYPTED "+private, 1700) + "›"},
	{"encrypted, with headers", "private-key", "‹-----BEGIN RSA " + private + "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC," + strings.ToUpper(hexa(32)) + "\n\n" + lines(900, 64) + "-----END RSA " + private + "-----›"},
	{"PGP", "private-key", "‹-----BEGIN PGP " + private + " BLOCK-----\nVersion: GnuPG v2\n\n" + lines(900, 64) + "=aB3d\n-----END PGP " + private + " BLOCK-----›\n"},
	{"SSH2", "private-key", "‹---- BEGIN SSH2 ENCRYPTED " + private + " ----\nComment: \"x\"\n" + lines(600, 70) + "---- END SSH2 ENCRYPTED " + private + " ----›\n"},
	{"OpenVPN", "private-key", "‹-----BEGIN OpenVPN Static key V1-----\n" + strings.Repeat(hexa(32)+"\n", 16) + "-----END OpenVPN Static key V1-----›\n"},
	{"CRLF", "private-key", "‹" + strings.ReplaceAll(block(private, 1600), "\n", "\r\n") + "›\r\nx"},
	{"indented", "private-key", "key: |\n  ‹" + strings.ReplaceAll(block(private, 1600), "\n", "\n  ") + "›\n"},
	{"quoted in Markdown", "private-key", "> ‹" + strings.ReplaceAll(block(private, 1600), "\n", "\n> ") + "›\n> x"},
	{"a service account", "private-key", `{"type": "service_account", "private_key": "‹` + strings.ReplaceAll(block(private, 1600), "\n", `\n`) + `›\n", "client_id": "1"}`},
	{"an environment variable", "private-key", "KEY='‹" + strings.ReplaceAll(block(private, 1600), "\n", `\n`) + "›'"},
	{"in one line", "private-key", "‹" + strings.ReplaceAll(block(private, 1600), "\n", " ") + "› x"},
	{"strings in Go", "private-key", `"‹` + strings.ReplaceAll(block(private, 300), "\n", "\\n\" +\n\t\"") + `›"`},
	{"strings in JavaScript", "private-key", `['‹` + strings.ReplaceAll(block(private, 300), "\n", "',\n  '") + `›'].join()`},
	{"a comment", "private-key", " * ‹" + strings.ReplaceAll(block(private, 300), "\n", "\n * ") + "›\n */"},
	{"no END", "private-key", "‹-----BEGIN " + private + "-----\n" + strings.TrimSuffix(lines(200, 64), "\n") + "›\n\nThe rest is text, and 4 more."},
	{"no END, cut in a line", "private-key", "‹-----BEGIN " + private + "-----\n" + std(64) + "\n" + std(40) + "›\nThe rest is text."},
	{"no END, the end of the text", "private-key", "‹-----BEGIN " + private + "-----\n" + std(64) + "›"},
	{"an END that is cut", "private-key", "‹-----BEGIN " + private + "-----\n" + lines(200, 64) + "-----END› "},
	{"in base64", "private-key", "client-key-data: ‹" + base64.StdEncoding.EncodeToString([]byte(block("RSA "+private, 1590))) + "›\n"},
	{"in base64, in lines", "private-key", "‹" + strings.TrimSuffix(wrapped(base64.StdEncoding.EncodeToString([]byte(block(private, 300)))), "\n") + "›\n"},
	{"PuTTY", "putty-key", putty + "‹" + lines(100, 64) + "Private-MAC: " + hexa(40) + "›\n"},
	{"PuTTY, cut", "putty-key", putty + "‹" + strings.TrimSuffix(lines(100, 64), "\n") + "›\nThe rest"},
}

func wrapped(s string) string {
	var b strings.Builder
	for len(s) > 76 {
		b.WriteString(s[:76] + "\n")
		s = s[76:]
	}
	return b.String() + s + "\n"
}

func TestBlocks(t *testing.T) {
	for _, tt := range blocks {
		t.Run(tt.name, func(t *testing.T) {
			before, rest, _ := strings.Cut(tt.text, "‹")
			secret, after, _ := strings.Cut(rest, "›")
			clean, found := Replace(before + secret + after)
			assert.Equal(t, before+"[REDACTED:"+tt.kind+"]"+after, clean)
			assert.Equal(t, []Secret{{tt.kind, len(before), len(before + secret)}}, found)
		})
	}
}

func TestNoBlocks(t *testing.T) {
	for name, text := range map[string]string{
		"a public key":             block("PUBLIC KEY", 400),
		"a certificate":            block("CERTIFICATE", 1600),
		"a request":                block("CERTIFICATE REQUEST", 1600),
		"a signature":              block("PGP SIGNATURE", 400),
		"a certificate in base64":  base64.StdEncoding.EncodeToString([]byte(block("CERTIFICATE", 900))),
		"a header alone":           "-----BEGIN RSA " + private + "-----",
		"a sentence":               "A key is between `-----BEGIN " + private + "-----` and `-----END " + private + "-----`, in base64.",
		"code":                     "if strings.HasPrefix(s, \"-----BEGIN " + private + "-----\") { return parsePrivateKeyBlockOfTheGivenKind(s) }",
		"a placeholder":            "-----BEGIN " + private + "-----\n...\n-----END " + private + "-----",
		"a short placeholder":      "-----BEGIN " + private + "-----\nMIIEvQIBADANBgkqh...\n-----END " + private + "-----",
		"no dashes":                "BEGIN " + private + "\n" + lines(100, 64),
		"a label in one line":      "-----BEGIN OpenVPN Static key V1 " + std(200),
		"a label that has no end":  "-----BEGIN " + private + "\n" + lines(100, 64),
		"what was taken out":       "-----BEGIN " + private + "-----\n[REDACTED:private-key]\n-----END " + private + "-----",
		"PuTTY's public lines":     putty,
		"PuTTY's name":             "Private-Lines: 14",
		"base64 that says nothing": "LS0tLS1CRUdJTi",
	} {
		t.Run(name, func(t *testing.T) { assert.Empty(t, Find(text)) })
	}
}
