package redact

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// hostile texts, repeated, lead to many places that have to be looked at.
var hostile = map[string]string{
	"sk":            "sk-",
	"sk, long":      "sk-ant-" + strings.Repeat("a", 60) + "-",
	"eyJ":           "eyJ",
	"eyJ, parts":    "eyJ-",
	"eyJ, dots":     "eyJhbGciOiJ.",
	"eyJ, one body": "-eyJhbGciOiJ" + ".eyJ" + strings.Repeat("a", 30),
	"url":           "://",
	"url, users":    "x://a:b",
	"url, no end":   "://a:" + strings.Repeat("b", 100),
	"password":      "password=",
	"password, :":   "password:",
	"password is":   "password is ",
	"password, \"":  `password="`,
	"password, gap": "password a b c d e f ",
	"secrets":       `password="Sommer2024!x"`,
	"key":           "api key ",
	"pem":           "-----BEGIN PRIVATE KEY-----",
	"pem, lines":    "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("A", 64) + "\n",
	"pem, short":    "-----BEGIN PRIVATE KEY-----\nA\n",
	"pem, base64":   "LS0tLS1CRUdJTi",
	"curl":          "curl -u ",
	"curl, no end":  "curl ",
	"basic":         "authorization: basic YTpi",
	"header":        "authorization=",
	"header, value": "authorization: bearer-",
	"registry":      `"auth":`,
	"login":         "login: a / b",
	"element":       "<password>a1",
	"bearer":        "bearer " + strings.Repeat("a1", 20),
	"marker":        "[REDACTED:",
	"markers":       "[REDACTED:x]",
	"glpat":         "glpat-",
	"pypi":          "pypi-AgE",
	"invisible":     "s\u200bk\u200b-",
	"quotes":        "token \"",
	"telegram":      "123456789:AA",
	"hex":           strings.Repeat("0123456789abcdef", 2) + "-us",
	"slack":         "hooks.slack.com/a/",
	"teams":         ".webhook.office.com/",
	"xml":           "<password ",
	"CJK":           "密码",
	"verbs":         "密码是",
}

func BenchmarkReplace(b *testing.B) {
	fill := func(part string) string { return strings.Repeat(part, 4096/len(part)+1)[:4096] }
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		all.WriteString(hostile[name])
	}
	for _, bb := range []struct{ name, text string }{
		{"plain", fill(plainText)},
		{"secrets", fill(plainText)[:4096-len(secretText)] + secretText},
		{"hostile", fill(all.String())},
		{"hostile/sk", fill(hostile["sk"])},
		{"hostile/eyJ", fill(hostile["eyJ"])},
		{"hostile/url", fill(hostile["url"])},
		{"hostile/password", fill(hostile["password"])},
		{"hostile/CJK", fill(hostile["CJK"])},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				Replace(bb.text)
			}
		})
	}
}

// plainText is of the sort that agents keep: Markdown with some code, about
// passwords and tokens, and without any.
const plainText = "# Password Reset Links\n\nReset links are signed by `src/auth/reset.ts` and valid for one hour; older ones answer 410. The token is a JWT (HS256)\n" +
	"whose secret comes from `process.env.RESET_SECRET`, never from the repository. See https://example.org/docs/auth#reset for the flow.\n\n" +
	"```ts\nexport function sign(userId: string, secret: string): string {\n  const token = jwt.sign({ sub: userId, exp: now() + 3600 }, secret);\n  return `${baseUrl}/reset?token=${token}`;\n}\n```\n\n" +
	"- **Tests**: `npm test -- reset` runs 14 cases in 2 s; the key ones are in `tests/reset.spec.ts` (commit 3f2b8c1e9a7d).\n" +
	"- Passwords are hashed with bcrypt, 12 rounds: `hash(password, 12)`. Never log `req.body.password`.\n" +
	"- The staging database is `postgres://localhost:5432/shop`; its user is created by `make db`, which asks for a password.\n\n" +
	"| setting | default | meaning |\n|---|---|---|\n| `RESET_TTL` | 3600 | seconds until a link expires |\n| `API_KEY` | none | set in the vault |\n\n"

var secretText = "\nGITHUB_TOKEN=ghp_" + alnums(36) + "\nAWS: AKIA" + caps(16) + " / " + std(40) + "\nDB: postgres://shop:" + word + "@db/shop\n" +
	"curl -H \"Authorization: Bearer " + jot + "\" https://example.org\n" + block(private, 300) + "\nThe admin password is `" + word + "`. OpenAI: sk-proj-" + safe(156) + "\n"
