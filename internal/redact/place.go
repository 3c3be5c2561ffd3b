package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// urlPassword finds the password in scheme://user:password@host.
func urlPassword(text string, at int) (Secret, bool) {
	begin := at + len("://")
	if !is(before(text, at), alnum) {
		return Secret{}, false
	}
	info := userInfo(text[begin:min(len(text), begin+maxUserInfo)])
	user, password, ok := strings.Cut(info, ":")
	switch {
	case !ok:
		return Secret{}, false
	case (password == "" || password == "x-oauth-basic") && lookAt(user).random(20) && !placeholder(user):
		return Secret{"url-password", begin, begin + len(user)}, true
	case !realPassword(user, password):
		return Secret{}, false
	}
	return Secret{"url-password", begin + len(user) + 1, begin + len(info)}, true
}

const maxUserInfo = 512 // bytes of user:password in a URL

// userInfo gives what stands before the @ of a URL's host; "" where there is
// none. A password may have / ? and # in it, which ought to be escaped, but what
// follows a port is a path.
func userInfo(rest string) string {
	end := 0
	for end < len(rest) && rest[end] > ' ' && strings.IndexByte("\"'`<>\\|", rest[end]) < 0 {
		end++
	}
	rest = rest[:end]
	if n := strings.IndexAny(rest, "/?#"); n >= 0 {
		if _, port, ok := strings.Cut(rest[:n], ":"); ok && !strings.Contains(rest[:n], "@") && run(port, 0, digit, 5) < len(port) {
			return rest[:max(strings.IndexByte(rest, '@'), 0)]
		}
		rest = rest[:n]
	}
	return rest[:max(strings.LastIndexByte(rest, '@'), 0)]
}

// plainPasswords are what examples and development use for a password.
var plainPasswords = []string{"password", "passwd", "passwort", "pass", "pwd", "pw", "secret", "token", "key", "user", "username", "name", "login",
	"admin", "root", "guest", "test", "testing", "demo", "dev", "foo", "bar", "baz", "x-oauth-basic", "null", "none", "postgres", "mysql", "mongo",
	"rabbitmq", "redis", "minio", "elastic", "default", "xxx", "yyy", "zzz", "abc", "123", "1234", "12345", "123456", "apikey", "mypassword", "mypass",
	"userpass", "pass123", "test123", "admin123", "some-pass", "somepassword", "p4ssw0rd", "passw0rd", "letmein", "pasword", "credentials", "hidden", "...", "***"}

// realPassword reports whether what stands for a password in a URL or a
// credential is one, as far as one can see.
func realPassword(user, password string) bool {
	folded := strings.ToLower(password)
	return len(password) >= 3 && utf8.ValidString(password) && folded != strings.ToLower(user) &&
		!strings.ContainsAny(password, "${}<>[]()\"'`") && !strings.HasPrefix(password, "%s") && !strings.HasPrefix(password, "%v") &&
		!slices.Contains(plainPasswords, folded) && !placeholder(strings.ReplaceAll(folded, "secret", "")) &&
		strings.Trim(folded, "x*.-_") != ""
}

// authorization finds the credential of the HTTP header, in a request, in
// curl's -H, in JSON, YAML or code.
func authorization(text string, at int) (Secret, bool) {
	if !opens(text, at) {
		return Secret{}, false
	}
	at = skip(text, at+len("authorization"), "\"'`*])\\ \t", 6)
	sign := at
	at = skip(text, at, ":=>,", 2)
	if at == sign {
		return Secret{}, false
	}
	at = skip(text, at, " \t\"'`*\\(", 6)
	first := run(text, at, credential, 20)
	second := run(text, first, blank, 2)
	if first > second || second == first || run(text, at, letter|dash|digit, 20) != first {
		return credentialAt(text, at, "")
	}
	return credentialAt(text, second, strings.ToLower(text[at:first]))
}

// credential are the characters of a token in a header.
const credential = urlSafe | dot | tilde | plusSlash | equals

// bearer finds the token behind the word Bearer.
func bearer(text string, at int) (Secret, bool) {
	end := at + len("bearer")
	begin := run(text, end, blank, 2)
	if begin == end || !opens(text, at) {
		return Secret{}, false
	}
	return credentialAt(text, begin, "bearer")
}

// registryAuth finds user:password in base64 in the configuration of Docker and npm.
func registryAuth(text string, at int) (Secret, bool) {
	name := at + len("_auth")
	begin := skip(text, name, "\"'\\ :=", 10)
	end := run(text, run(text, begin, base64Chars, maxBare), equals, 2)
	if begin == name || !strings.ContainsAny(text[name:begin], ":=") {
		return Secret{}, false
	}
	user, password, ok := strings.Cut(decode(text[begin:end]), ":")
	if !ok || !realPassword(user, password) {
		return Secret{}, false
	}
	return between("authorization", text, begin, end, urlSafe)
}

// credentialAt finds the credential that begins at begin.
func credentialAt(text string, begin int, scheme string) (Secret, bool) {
	s := strings.TrimRight(text[begin:run(text, begin, credential, maxBare)], ".-~+/")
	switch {
	case scheme == "basic":
		if user, password, ok := strings.Cut(decode(s), ":"); !ok || !realPassword(user, password) {
			return Secret{}, false
		}
	case !lookAt(s).random(16) || refers(value{text: s}) || placeholder(s):
		return Secret{}, false
	}
	end := run(text, begin, credential, maxBlock)
	if is(after(text, end), credential) {
		return Secret{}, false
	}
	end = begin + len(strings.TrimRight(text[begin:end], ".-~+/"))
	return between("authorization", text, begin, end, credential&^dot)
}

// decode gives what s says in base64; "" where it says nothing that can be read.
func decode(s string) string {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil || strings.ContainsFunc(string(data), func(r rune) bool { return r < ' ' || r == utf8.RuneError }) {
		return ""
	}
	return string(data)
}

// skip walks over at most n bytes of those in chars.
func skip(text string, at int, chars string, n int) int {
	for ; n > 0 && at < len(text) && strings.IndexByte(chars, text[at]) >= 0; n-- {
		at++
	}
	return at
}
