package memory

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/rawko/memory/internal/lexical"
)

func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{
		"auth|login", "oauth|social.*auth", "When implementing security", "*", "*.go", "src/**/*.{ts,tsx}", "colou?r",
		"React (v18)", "C++", `C:\dev`, "$HOME", "/^add/i", "(?!x)y", "auth, login, security", "mobile or web app",
		"数据库迁移", "当实现登录时", "Docker 部署", "e-mail", "user_id", "[2024-2025] report", ".{100}x|.{100}y|.{100}z", "it's not now",
	} {
		f.Add(pattern, "Add OAuth2 login to src/main.go, 修改数据库")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := CompilePattern(pattern)
		if err != nil {
			require.Nil(t, p)
			require.True(t, errors.Is(err, ErrInvalid) || errors.Is(err, ErrTooLarge), err)
			return
		}
		require.LessOrEqual(t, len(pattern), 256)
		strength := p.Match(text)
		require.True(t, None <= strength && strength <= Exact)

		again, err := CompilePattern(pattern)
		require.NoError(t, err)
		require.Equal(t, strength, again.Match(text), "equal input, equal output")
		require.Equal(t, strength, p.in(readyText(text)), "a pattern keeps nothing of a text")

		star, err := CompilePattern("*")
		require.NoError(t, err)
		require.Equal(t, Exact, star.Match(text))

		if !isPlain(pattern) || len(pattern) > 200 {
			return
		}
		for _, more := range []string{pattern + "|login page", "login page|" + pattern} {
			longer, err := CompilePattern(more)
			require.NoError(t, err)
			require.GreaterOrEqual(t, longer.Match(text), strength, "one more alternative weakens nothing")
		}
		if isASCII(text) {
			require.Equal(t, p.Match(strings.ToLower(text)), p.Match(strings.ToUpper(text)), "case never matters")
		}
		if word := strings.ToLower(pattern); isASCII(word) && !strings.Contains(word, " ") && word != "" {
			require.Equal(t, Exact, p.Match(word+" "+text), "a word matches itself")
		}
	})
}

// isPlain reports whether a pattern is letters and spaces only, without case humps.
func isPlain(s string) bool {
	return s == strings.ToLower(lexical.Normalize(s)) &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) })
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

func readyText(s string) *lexical.Text {
	text, _ := normalize(s)
	return lexical.NewText(text)
}
