package resemble

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestJaccard(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       float64
	}{
		{"equal", "Uses bcrypt with 12 rounds", "Uses bcrypt with 12 rounds", 1},
		{"case, punctuation and layout do not count", "Uses `bcrypt`,\nwith **12** rounds.", "uses bcrypt with 12 rounds", 1},
		{"one word of five differs: two of six runs", "uses bcrypt with 12 rounds", "uses scrypt with 12 rounds", 2.0 / 6},
		{"nothing in common", "uses bcrypt", "the moon rises", 0},
		{"one word", "bcrypt", "bcrypt!", 1},
		{"no words", "", "…", 0},
		{"characters without spaces", "使用缓存", "使用缓存", 1},
		{"half of them", "使用缓存", "使用缓冲", 0.5},
		{"full width", "ＯＡｕｔｈ login", "oauth login", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.InDelta(t, tt.want, Of(tt.a).Jaccard(Of(tt.b)), 1e-9)
			assert.InDelta(t, tt.want, Of(tt.b).Jaccard(Of(tt.a)), 1e-9)
		})
	}
}

// Texts that are alike share a run of their sketches; the draw is fixed but for the hashes' seed.
func TestSketchesOfTextsAlikeMeet(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	met, alike := 0, 0
	for range 300 {
		words := make([]string, 120)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", draw.IntN(4000))
		}
		text := strings.Join(words, " ")
		a, sketch := Of(text), Sketch(text)
		for range 12 {
			words[draw.IntN(len(words))] = "changed"
		}
		text = strings.Join(words, " ")
		b, other := Of(text), Sketch(text)
		if a.Jaccard(b) < 0.6 {
			continue
		}
		alike++
		if slices.ContainsFunc(sketch, func(h uint64) bool { return slices.Contains(other, h) }) {
			met++
		}
	}
	assert.Greater(t, alike, 100)
	assert.Equal(t, alike, met)
}

func TestSketchIsShort(t *testing.T) {
	assert.Len(t, Sketch(strings.Repeat("a b c d e f g ", 50)), 7)
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "w%d ", i)
	}
	assert.Equal(t, []uint64(Of(b.String())[:sketchSize]), Sketch(b.String()))
}

func TestWithout(t *testing.T) {
	const known = "### Password Hashing\n\nPasswords are hashed with bcrypt and twelve salt rounds in src/auth/password.ts.\nUses JWT."
	tests := []struct {
		name, text, want string
		n                int
	}{
		{"nothing repeated", "The tests run in CI.", "The tests run in CI.", 0},
		{"a sentence inside a line", "I read that passwords are hashed with bcrypt and twelve salt rounds in `src/auth/password.ts`, and went on.",
			"I read that […]`, and went on.", 14},
		{"wrapped and quoted", "> Passwords are hashed with\n> bcrypt and twelve salt\n> rounds in src/auth/password.ts\nNew: argon2.", "> […]\nNew: argon2.", 14},
		{"a short line as a line", "found\n- uses jwt\nnew", "found\n- […]\nnew", 2},
		{"a short line inside another", "It uses JWT here.", "It uses JWT here.", 0},
		{"seven words are no quotation", "passwords are hashed with bcrypt and twelve other rounds", "passwords are hashed with bcrypt and twelve other rounds", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rest, n := Without(tt.text, known)
			assert.Equal(t, tt.want, rest)
			assert.Equal(t, tt.n, n)
		})
	}
	rest, n := Without("anything", "")
	assert.Equal(t, "anything", rest)
	assert.Zero(t, n)
}

func TestAdds(t *testing.T) {
	const known = "# Password Hashing\n\nThe service uses bcrypt with 12 salt rounds. Do not change the cost without a migration.\n" +
		"Run make gen before the tests.\n\n```go\nif !valid(token) { return err }\n```\n密码使用 bcrypt 加密。\n\n" +
		"v 3.21.12, node 18.20.4, returns -1\n\nUse C#\n\npasses with Go 1.26 and fails with 1.25\n\nDo not use Redis, use Postgres."
	tests := []struct {
		name, text string
		want       bool
	}{
		{"the same", known, false},
		{"a sentence of it", "Run make gen before the tests", false},
		{"fewer words with a gap", "Uses bcrypt with salt rounds.", true},
		{"fewer words in a row", "Uses bcrypt with 12 salt.", true},
		{"a question", "Run make gen before the tests?", true},
		{"another sign at the end", "✅ v 3.21.12, node 18.20.4, returns -1", true},
		{"other endings", "The services use bcrypt with 12 salt rounds", false},
		{"sentences in another order", "Run make gen before the tests. The service uses bcrypt with 12 salt rounds.", false},
		{"wrapped otherwise", "Do not change\nthe cost without\na migration.", false},
		{"another mark between", "uses bcrypt with 12 salt rounds; run make gen before the tests", true},
		{"a list is not one sentence", "- Run make gen\n- before the tests: nothing", true},
		{"another version", "v 3.12", true},
		{"another patch", "node 18.4", true},
		{"another sign", "returns 1", true},
		{"another language", "Use C", true},
		{"words from two halves", "passes with Go 1.25", true},
		{"what is denied of another", "Do not use Postgres.", true},
		{"another number", "The service uses bcrypt with 10 salt rounds.", true},
		{"a word more", "The service uses bcrypt with 12 salt rounds since 2024.", true},
		{"words of two sentences", "Run make gen with 12 rounds.", true},
		{"another order of words", "Run the tests before make gen.", true},
		{"another preposition", "Run make gen after the tests.", true},
		{"denied", "The service does not use bcrypt with 12 salt rounds.", true},
		{"no longer denied", "Change the cost without a migration.", true},
		{"denied with an apostrophe", "Don't change the cost without a migration.", true},
		{"code that is turned round", "if valid(token) { return err }", true},
		{"another script", "密码使用bcrypt加密", false},
		{"another script, new", "密码使用 argon2 加密", true},
		{"nothing", " \n --- \n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Adds(tt.text, known)) })
	}
}

func TestParagraphs(t *testing.T) {
	assert.Equal(t, []string{"# Title", "a b", "- c d", "1. e", "f()", "g()", "h"}, paragraphs("# Title\na\n  b\n\n- c\n  d\n1. e\n```go\nf()\ng()\n```\nh"))
}

func FuzzWithout(f *testing.F) {
	f.Add("Passwords are hashed with bcrypt and twelve salt rounds in src.", "hashed with bcrypt and twelve salt rounds in src")
	f.Fuzz(func(t *testing.T, text, known string) {
		text = strings.ToValidUTF8(text, "") // or what is left of two characters can make a third
		rest, n := Without(text, known)
		assert.Equal(t, n == 0, rest == text)
		if len(cut(text)) > 1 && !strings.Contains(text, "\n") {
			all, _ := Without(text, text)
			assert.Empty(t, cut(all))
		}
		Adds(text, known)
		assert.False(t, len(text) < 1000 && Adds(text, text), "a text says nothing new beside itself")
	})
}

func TestTopics(t *testing.T) {
	assert.Equal(t, []string{"oauth2", "integr", "broad"}, Topics("OAuth2 Integration Was Too Broad: the integrations"))
	assert.Equal(t, []string{"redi", "缓存"}, Topics("缓存 of Redis"))
	assert.Empty(t, Topics("the and …"))
}

func BenchmarkSketch(b *testing.B) {
	text := strings.Repeat("The service uses bcrypt with 12 salt rounds, in `src/auth`.\n", 70)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Sketch(text)
	}
}

func BenchmarkOf(b *testing.B) {
	text := strings.Repeat("The service uses bcrypt with 12 salt rounds, in `src/auth`.\n", 70)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Of(text)
	}
}

func TestQuotes(t *testing.T) {
	const text = "The tests failed:\n> `OAuth` is too broad, the task asks for JWT only.\n任务只要求 JWT。"
	for quotation, want := range map[string]bool{
		"OAuth is too broad":                  true,
		"the task asks\nfor **JWT** only":     true,
		"The tests failed … JWT only":         true,
		"tests failed... too broad":           true,
		"OAuth is too narrow":                 false,
		"The tests failed … on Windows":       false,
		"OAut":                                false,
		"OAuth":                               false, // one word
		"JWT only … The tests failed":         false, // in another order
		"任务只要求":                               true,
		"":                                    false,
		"…":                                   false,
		"the task asks for jwt only; nothing": false,
	} {
		assert.Equal(t, want, Quotes(text, quotation), quotation)
	}
}
