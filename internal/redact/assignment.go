package redact

import (
	"slices"
	"strings"
)

// keyword is the end of a name that holds a secret, as in DB_PASSWORD.
type keyword struct {
	word string
	kind string
	// before are what the name must have before the word; empty: anything.
	before []string
	// whole: the word must not be the end of another one, as in "bypass".
	whole bool
	// constant: the name must be in capitals, as those of the environment.
	constant bool
}

// keywords lead to values. Letters count in either case.
var keywords = []keyword{
	{word: "password", kind: "password"},
	{word: "passwd", kind: "password"},
	{word: "passwort", kind: "password"},
	{word: "kennwort", kind: "password"},
	{word: "passphrase", kind: "password"},
	{word: "passcode", kind: "password"},
	{word: "pass", kind: "password", whole: true},
	{word: "pwd", kind: "password", whole: true},
	{word: "pw", kind: "password", whole: true},
	{word: "identified by", kind: "password"},
	{word: "contraseña", kind: "password"},
	{word: "密码", kind: "password"},
	{word: "密碼", kind: "password"},
	{word: "口令", kind: "password"},
	{word: "パスワード", kind: "password"},
	{word: "비밀번호", kind: "password"},
	{word: "пароль", kind: "password"},
	{word: "secret", kind: "secret"},
	{word: "geheimnis", kind: "secret"},
	{word: "schlüssel", kind: "secret"},
	{word: "credential", kind: "secret"},
	{word: "credentials", kind: "secret"},
	{word: "密钥", kind: "secret"},
	{word: "密鑰", kind: "secret"},
	{word: "私钥", kind: "secret"},
	{word: "token", kind: "token"},
	{word: "令牌", kind: "token"},
	{word: "key", kind: "api-key", before: []string{"api", "app", "subscription", "functions"}},
	{word: "key", kind: "secret", before: []string{"access", "secret", "private", "preshared", "shared", "signing", "signature", "encryption",
		"encrypt", "crypt", "cipher", "master", "auth", "account", "storage", "service", "admin", "license", "session", "jwt", "hmac", "aes", "webhook",
		"deploy", "root", "cookie", "logged_in", "nonce"}},
	{word: "key", kind: "api-key", constant: true},
}

// notSecret are in names whose values are no secrets: in all, in those of tokens,
// and in those of constants.
var (
	notSecret   = []string{"public", "hash", "digest", "checksum", "fingerprint", "x-amz", "idempoten"}
	notToken    = []string{"next", "page", "cursor", "continuation", "starting", "change", "update", "purchase", "sync", "resume"}
	notConstant = []string{"primary", "foreign", "sort", "cache"}
)

// suffixes may follow the word in a name.
var suffixes = []string{"base", "value", "prod", "production", "staging", "stage", "dev", "test", "live", "old", "new", "main", "root", "admin", "str"}

// find gives the value of the name that ends with the keyword at index at.
func (k *keyword) find(text string, at int) (Secret, bool) {
	begin := runBack(text, at, urlSafe, 40)
	end := at + len(k.word)
	if !k.names(text, begin, at) {
		return Secret{}, false
	}
	rest := end
	end = run(text, end, urlSafe, 24)
	if !k.goesOn(strings.Trim(text[rest:end], "-_0123456789")) {
		return Secret{}, false
	}
	if strings.Trim(text[rest:end], "_") == "" {
		end = rest // emphasis
	}
	if after(text, end) == '@' {
		return Secret{}, false // of a URL
	}
	v, ok := valueOf(text, begin, end, k.accepts)
	if !ok || k.isPublic(text[begin:at]) {
		return Secret{}, false
	}
	kind := k.kind
	if isAWS(text[begin:end], v.text) {
		kind = "aws-secret-key"
	}
	return Secret{kind, v.at, v.at + len(v.text)}, true
}

// names reports whether text[begin:at] is what a name may have before the keyword.
func (k *keyword) names(text string, begin, at int) bool {
	if begin > 0 && before(text, begin) != text[begin-1] || strings.HasSuffix(text[:begin], "::") {
		return false // the name goes on in what was taken out, or is a type's
	}
	name := text[begin:at]
	switch {
	case k.whole:
		return name == "" || !is(text[at-1], letter) || is(text[at], upper) && is(text[at-1], lower)
	case k.constant:
		return strings.HasSuffix(name, "_") && run(name, 0, upper|digit|under, len(name)) == len(name) && is(text[at], upper)
	case k.before == nil:
		return true
	case name == "" && at > 0 && text[at-1] == ' ': // "API key"
		name = text[runBack(text, at-1, letter, 20) : at-1]
	}
	name = strings.TrimRight(name, "-_")
	return slices.ContainsFunc(k.before, func(s string) bool {
		return len(name) >= len(s) && strings.EqualFold(name[len(name)-len(s):], s)
	})
}

// goesOn reports whether rest may follow the word in a name.
func (k *keyword) goesOn(rest string) bool {
	return rest == "" || k.word == "secret" && strings.EqualFold(rest, "id") ||
		slices.ContainsFunc(suffixes, func(s string) bool { return strings.EqualFold(s, rest) })
}

// isPublic reports whether the beginning of a name says that its value is no secret.
func (k *keyword) isPublic(name string) bool {
	name = strings.ToLower(name)
	return containsAny(name, notSecret) || k.kind == "token" && containsAny(name, notToken) || k.constant && containsAny(name, notConstant)
}

// isAWS tells the secret half of AWS's key pairs by its name and length.
func isAWS(name, v string) bool {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	return len(v) == 40 && run(v, 0, base64Chars, 40) == 40 && (strings.Contains(name, "secretaccesskey") || strings.Contains(name, "aws"))
}
