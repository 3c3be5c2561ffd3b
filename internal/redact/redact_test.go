package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReplace(t *testing.T) {
	gh := "ghp_" + alnums(36)
	text := "a " + gh + "\nb: https://joe:hunter22@example.org\npassword = \"" + word + "\""
	clean, found := Replace(text)
	assert.Equal(t, "a [REDACTED:github-token]\nb: https://joe:[REDACTED:url-password]@example.org\npassword = \"[REDACTED:password]\"", clean)
	assert.Equal(t, []Secret{{"github-token", 2, 42}, {"url-password", 58, 66}, {"password", 91, 102}}, found)
	assert.Equal(t, found, Find(text))
	again, more := Replace(clean)
	assert.Equal(t, clean, again)
	assert.Empty(t, more)
}

func TestReplaceWithoutSecrets(t *testing.T) {
	text := strings.Repeat("Passwords are hashed with bcrypt; see `auth.go`: token = parse(x).\n", 50)
	var clean string
	var found []Secret
	allocs := testing.AllocsPerRun(10, func() { clean, found = Replace(text) })
	assert.Equal(t, text, clean)
	assert.Nil(t, found)
	assert.Zero(t, allocs)
	clean, found = Replace("")
	assert.Empty(t, clean)
	assert.Nil(t, found)
}

// Of two that overlap, the longer one gives the kind; the provider's where both are as long.
func TestOverlaps(t *testing.T) {
	gh := "ghp_" + alnums(36)
	for name, tt := range map[string]struct{ text, want string }{
		"a value that is a token":            {"GITHUB_TOKEN=" + gh, "GITHUB_TOKEN=[REDACTED:github-token]"},
		"a quoted value that is a token":     {`password: "` + gh + `"`, `password: "[REDACTED:github-token]"`},
		"a value that has a token in it":     {`password: "x1!` + "/" + gh + `"`, `password: "[REDACTED:password]"`},
		"a credential that is a token":       {"Authorization: Bearer " + jot, "Authorization: Bearer [REDACTED:jwt]"},
		"a header that is a value":           {"api_token: \"Bearer " + alnums(32) + "\"", "api_token: \"Bearer [REDACTED:authorization]\""},
		"a URL's password that is a token":   {"https://x:" + gh + "@github.com/a", "https://x:[REDACTED:github-token]@github.com/a"},
		"a URL that is a value":              {"DB_SECRET=postgres://app:hunter22@db/app", "DB_SECRET=postgres://app:[REDACTED:url-password]@db/app"},
		"a block that is a value":            {"private_key = \"" + block(private, 100) + "\"", "private_key = \"[REDACTED:private-key]\""},
		"tokens of two kinds of one maker":   {"sk-ant-api03-" + safe(93), "[REDACTED:anthropic-key]"},
		"two names of one value":             {"secret token: " + alnums(40), "secret token: [REDACTED:secret]"},
		"a key and what is no part of it":    {"AKIA" + caps(16) + "/20260101/eu-west-1", "[REDACTED:aws-key]/20260101/eu-west-1"},
		"two tokens side by side":            {gh + " " + "gho_" + alnums(36), "[REDACTED:github-token] [REDACTED:github-token]"},
		"two tokens with nothing but a sign": {gh + ":" + "gho_" + alnums(36), "[REDACTED:github-token]:[REDACTED:github-token]"},
	} {
		t.Run(name, func(t *testing.T) {
			clean, _ := Replace(tt.text)
			assert.Equal(t, tt.want, clean)
		})
	}
}

// What was found once is taken out wherever it stands, if it is long enough.
func TestRepeats(t *testing.T) {
	long := "Sommer2024!" + "x"
	for name, tt := range map[string]struct{ text, want string }{
		"later":              {"password: " + long + "\nJoe types " + long + " here", "password: [REDACTED:password]\nJoe types [REDACTED:password] here"},
		"earlier":            {"Joe types " + long + "; password: " + long, "Joe types [REDACTED:password]; password: [REDACTED:password]"},
		"in a word":          {"x" + long + "y password: " + long, "x[REDACTED:password]y password: [REDACTED:password]"},
		"as a found one":     {"password: " + long + ", pwd: " + long + ".", "password: [REDACTED:password], pwd: [REDACTED:password]."},
		"too short":          {"password: hunter2\nthe hunter2 of today", "password: [REDACTED:password]\nthe hunter2 of today"},
		"two, one the other": {"password: " + long + "\npwd: " + long + "yz\n" + long + "yz", "password: [REDACTED:password]\npwd: [REDACTED:password]\n[REDACTED:password]yz"},
		"close together":     {"password: " + long + "\n" + long + long, "password: [REDACTED:password]\n[REDACTED:password][REDACTED:password]"},
	} {
		t.Run(name, func(t *testing.T) {
			clean, found := Replace(tt.text)
			assert.Equal(t, tt.want, clean)
			assert.Equal(t, strings.Count(tt.want, markerStart), len(found))
		})
	}
}

// Characters that cannot be seen hide nothing, and stay where no secret is.
func TestInvisible(t *testing.T) {
	gh := "ghp_" + alnums(36)
	for _, c := range invisible {
		text := "a" + c + "b " + c + gh[:10] + c + gh[10:] + c + " c" + c
		clean, found := Replace(text)
		assert.Equal(t, "a"+c+"b "+c+"[REDACTED:github-token]"+c+" c"+c, clean)
		assert.Equal(t, text[found[0].Begin:found[0].End], gh[:10]+c+gh[10:])
	}
	clean, found := Replace("👩\u200d💻 writes\u200b")
	assert.Equal(t, "👩\u200d💻 writes\u200b", clean)
	assert.Empty(t, found)
}

// What stands in the place of a secret is not looked at, and no neighbour is
// found only because the secret is gone.
func TestMarkers(t *testing.T) {
	gh := "ghp_" + alnums(36)
	for _, text := range []string{
		"[REDACTED:password]: " + word, "[REDACTED:github-token]" + gh, gh + "[REDACTED:jwt]", "password=[REDACTED:x]" + word, "[REDACTED:x]_password=" + word, "[REDACTED:sk-]",
		"password [REDACTED:x] is " + word, "password=" + word + "[REDACTED:x]",
	} {
		assert.Empty(t, Find(text), text)
	}
	for _, text := range []string{"[REDACTED:", "[REDACTED:]", "[REDACTED:X]", "[x]", "[REDACTED:" + strings.Repeat("x", 100) + "]"} {
		assert.Len(t, Find(text+" "+gh), 1, text)
		assert.Len(t, Find(text+gh), 1, text)
	}
}

// A text of any sort takes no more than a moment. A finder that walked over the
// rest of the text at each place would show here by the time that it takes.
func TestLinear(t *testing.T) {
	for name, part := range hostile {
		text := strings.Repeat(part, (1<<16)/len(part))
		clean, found := Replace(text)
		if len(found) == 0 {
			assert.Equal(t, len(text), len(clean), name)
		}
	}
}
