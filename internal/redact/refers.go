package redact

import (
	"slices"
	"strings"
)

// refers reports whether a value is no secret itself but says where one is, is
// code, or is something else that looks random: a hash, a version, a path.
func refers(v value) bool {
	s := v.text
	return strings.IndexByte("<{[(/\\", s[0]) >= 0 || strings.IndexByte("$%&.,:#~-", s[0]) >= 0 && lookAt(s).specials < 2 ||
		containsAny(s, references) || strings.HasPrefix(s, "0x") && len(s) < 34 || isMail(s) || isCall(s) || !v.quoted && isPath(s)
}

// isCall knows code such as parse(x).
func isCall(s string) bool {
	open := strings.IndexByte(s, '(')
	return open > 0 && is(s[open-1], alnum|under) && s[len(s)-1] == ')'
}

// references are in values that refer to something, or describe it.
var references = []string{"://", "::", "->", "()", "${", "{{", "}}", "%s", "%d", "%v", "%(", "#{", "arn:", "sha1-", "sha1:", "sha256-", "sha256:",
	"sha384-", "sha512-", "sha512:", "md5:", "data:", `\x`, `\u`, `\U`, "----", "a-z", "A-Z", "0-9", `\d`, `\w`, "(?", "vault:", "env:", "file:", "ENC("}

func isMail(s string) bool {
	name, host, ok := strings.Cut(s, "@")
	return ok && name != "" && strings.Contains(host, ".") && run(host, 0, alnum|dot|dash, len(host)) == len(host)
}

// isPath knows expressions such as cfg.Auth.Token2: names with dots between them.
func isPath(s string) bool {
	if !strings.Contains(s, ".") {
		return false
	}
	for name := range strings.SplitSeq(s, ".") {
		if name == "" || len(name) >= 20 || is(name[0], digit) || run(name, 0, alnum|under, len(name)) < len(name) {
			return false
		}
	}
	return true
}

// wordy reports whether a value is words and numbers between punctuation, as in
// user-id_2, so that its punctuation is no sign of a password.
func wordy(s string) bool {
	return run(s, 0, alnum|dash|under|dot|plusSlash, len(s)) == len(s)
}

// terms are names of the field that have digits in them, or before them.
var terms = []string{"sha1", "sha2", "sha3", "sha5", "md5", "base64", "base32", "utf8", "utf16", "oauth1", "oauth2", "pbkdf2", "argon2", "bcrypt", "scrypt",
	"x509", "http2", "ipv4", "ipv6", "pkcs", "ed25519", "aes128", "aes256", "hs256", "rs256", "es256", "k8s", "int32", "int64", "float64", "win32"}

// names are ordinary names that have a number behind them: step2, arg1.
var names = []string{"level", "version", "step", "type", "arg", "param", "pass", "user", "admin", "root", "value", "val", "field", "input", "string",
	"str", "text", "test", "item", "option", "opt", "key", "data", "line", "col", "part", "word", "var", "foo", "bar", "buf", "tmp", "temp", "name", "num",
	"node", "host", "server", "client", "table", "page", "form", "label", "group", "class", "index", "id", "obj", "func", "section", "chapter", "figure",
	"python", "rfc", "aes", "rsa", "sha", "tls", "ssl"}

// technical reports whether a value is a term of the field, or an ordinary name
// or a single letter with a number.
func technical(s string) bool {
	s = strings.ToLower(s)
	head := strings.TrimRight(s, "0123456789")
	return len(head) < 2 || slices.Contains(names, head) || containsAny(s, terms)
}
