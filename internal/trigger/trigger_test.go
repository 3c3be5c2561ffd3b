package trigger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory/internal/lexical"
)

func compileOne(line string) (*Trigger, []*Error) {
	triggers, errs := Compile(line)
	return triggers[0], errs[0]
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"", nil},
		{" | || ", nil},
		{"a", []string{"a"}},
		{" a | b ", []string{"a", "b"}},
		{`a\|b`, []string{"a", "b"}},
		{`a\\|b`, []string{`a\\`, "b"}}, // the backslash is escaped, the bar is not
		{"a｜b、c", []string{"a", "b", "c"}},
		{"(a|b) c|d", []string{"(a|b) c", "d"}},
		{"[a|b]|{c|d}", []string{"[a|b]", "{c|d}"}},
		{"(a|b", []string{"(a", "b"}},
		{"a)|(b", []string{"a)", "(b"}},
		{`\(a|b`, []string{`\(a`, "b"}},
		{`(a\)|b)`, []string{`(a\)|b)`}},
		{"/a|b/", []string{"/a|b/"}},
		{"/a|b/i", []string{"/a|b/i"}},
		{"/a|b/x", []string{"/a", "b/x"}},
		{"/foo/|/bar/", []string{"/foo/", "/bar/"}},
		{"/foo/ | /b|r/i、 baz", []string{"/foo/", "/b|r/i", "baz"}},
		{"x|/foo|bar/", []string{"x", "/foo|bar/"}},
		{"/foo/, /bar/", []string{"/foo/", "/bar/"}},
		{"/foo|bar/", []string{"/foo|bar/"}},
		{`/(a/|b)/`, []string{`/(a/|b)/`}},
		{`/a\/|b/`, []string{`/a\/|b/`}},
		{"/[(]/|/b/", []string{"/[(]/", "/b/"}},
		{"/b(a|r/", []string{"/b(a|r/"}},
		{"/src|/lib", []string{"/src", "/lib"}},
		{"/a/|", []string{"/a/"}},
		{"a|   ", []string{"a"}},
		{"/src/i", []string{"/src/i"}},
		{"/usr/lib/i", []string{"/usr/lib/i"}}, // see TestSlashed
		{"a, b c, d", []string{"a", "b c", "d"}},
		{"a, b c d, e", []string{"a, b c d, e"}},
		{"a, b|c, d e f", []string{"a", "b", "c, d e f"}},
		{"1,000", []string{"1,000"}},
		{"f(a, b)", []string{"f(a, b)"}},
		{"*.{ts,js}, *.go", []string{"*.{ts,js}", "*.go"}},
		{"登录，注册", []string{"登录", "注册"}},
		{"用户登录系统，注册", []string{"用户登录系统,注册"}},
		{"**a**|`b`|*c d*", []string{"a", "b", "c d"}},
		{"**a.*b** and **c**", []string{"a.*b and c"}},
		{"*a*", []string{"*a*"}},
		{"**/src/**|src/**", []string{"**/src/**", "src/**"}},
		{"** a **", []string{"** a **"}},
		{"a.|b;|c?|d!|e:|f。", []string{"a", "b", "c", "d", "e", "f"}},
		{`a\.|b\?|c\\`, []string{`a\.`, `b\?`, `c\\`}},
		{`a\。`, []string{`a\。`}},
		{"...", []string{"..."}},
		{"a.)", []string{"a.)"}},
	} {
		assert.Equal(t, c.want, split(c.line), "%q", c.line)
	}
}

func TestSlashed(t *testing.T) {
	for s, want := range map[string]string{
		"/a/": "a", "/a b/i": "a b", "/a b/gim": "", "/a/g": "", `/a\/b/i`: `a\/b`, "/static/img": "", "/etc/img": "", "/a/b/": "a/b", `/^\d+$/`: `^\d+$`,
		"//": "", "/": "", "/a": "", "a/": "", "/a/x": "", "/a/gimg": "", "/a/b/i": "", "a/b/": "", "": "",
	} {
		got, ok := slashed(s)
		assert.Equal(t, want, got, "%q", s)
		assert.Equal(t, want != "", ok, "%q", s)
	}
}

func TestLooksRegular(t *testing.T) {
	for s, want := range map[string]bool{
		"a.*": true, "a.+": true, "a.?b": true, "a.{3}": true, "a.{3,}": true, "a.b": false, "a. *": false, "a.{x}": false,
		"[a-z]": true, "[0-9]": true, "[^a]": true, "[ab]+": true, "[ab]{2}": true, "[_a-z]": true, "[a-zA-Z]": true, "[A-Fa-f0-9]": true,
		"[ab]": false, "[auto-save]": false, "[2024-2025]": false, "[Q1-Q2]": false, "[x": false, "[]": false, `[\]a-z]`: true, "[a-]": false,
		"(a|b)": true, "(a)|b": false, "a|b": false, "(?:a)": true, "(?i)a": true, "(?P<n>a)": true, "(?=a)": true, "(?what)": false, "(?": false,
		"(a)+": true, "(a)?b": true, "(a){2}": true, "(a)": false, "f()*": false, "f() + 1": false,
		"a{2,3}": true, "a{2,}": true, "a{2}": false, "{2,3}": false, "a{x,y}": false,
		`\d`: true, `\w+`: true, `a\s`: true, `\s b`: true, `\D`: true, `\bword`: true, `a \bword`: true, `a|\bui`: true, `\b`: true,
		`\dev`: false, `\server`: false, `\word`: false, `C:\build`: false, `src\bin`: false, `v2\bin`: false, `\`: false, `a\`: false, `\n`: false,
		`a\.b`: true, `\(a\)+`: false, `\[a-z]`: false,
		"^a$": false, "$HOME": false, "C++": false, "what? no": false, "a*": false, "": false,
	} {
		assert.Equal(t, want, looksRegular(s), "%q", s)
	}
}

func TestIsGlob(t *testing.T) {
	for s, want := range map[string]bool{
		"*.go": true, "a*": true, "*a": true, "*1": true, "*_": true, "*-": true, "/*": true, "é*": true, "*库": true, "src/**/*.ts": true,
		"": false, "a": false, "(*)": false, "*": false, "* a": false, "a* b": false, "http://a/*": false, "+*+": false,
	} {
		assert.Equal(t, want, isGlob(s), "%q", s)
	}
}

func TestGlobExpr(t *testing.T) {
	for s, want := range map[string]string{
		"*.go":        `[^\s/]*\.go`,
		"src/**/a.ts": `src/(?:\S*/)?a\.ts`,
		"src/**":      `src/\S*`,
		`src\*`:       `src/[^\s/]*`,
		"./a*":        `a[^\s/]*`,
		"a?*":         `a[^\s/][^\s/]*`,
		"*.{a,b}":     `[^\s/]*\.(?:a|b)`,
		"{a{b,c}d}*":  `(?:a(?:b|c)d)[^\s/]*`,
		"{a*":         `\{a[^\s/]*`,
		"{{a}*":       `(?:(?:a)[^\s/]*)`,
		"a}*,é":       `a\}[^\s/]*,é`,
	} {
		assert.Equal(t, want, globExpr(s), "%q", s)
	}
}

func TestHasOptional(t *testing.T) {
	for s, want := range map[string]bool{
		"colou?r": true, "(a)?b": true, "é?b": true, "How? no": true,
		"a?": false, "?a": false, "1?b": false, "a ?b": false, "": false,
	} {
		assert.Equal(t, want, hasOptional(s), "%q", s)
	}
}

func TestKinds(t *testing.T) {
	for source, want := range map[string]string{
		"/auth/": "regexp", "a.*b": "regexp", "[a-z]+.go": "regexp", "a.*": "regexp",
		"*.go": "glob", "*.*": "glob",
		"**/*.d.ts": "glob", "*.{ts,tsx}": "glob", "**/@x.*": "glob",
		"auth": "phrase", "C++": "phrase", "a * b": "phrase", "colou?r": "phrase", "//": "phrase", "**": "phrase", "***": "phrase",
	} {
		a, err := compile(source)
		require.Nil(t, err, "%q", source)
		got := ""
		switch a.(type) {
		case *regular:
			got = "regexp"
		case glob:
			got = "glob"
		case phrase:
			got = "phrase"
		}
		assert.Equal(t, want, got, "%q", source)
	}
}

func TestSteps(t *testing.T) {
	for source, want := range map[string]int{
		"auth": 1, "colo?r": 8, "colou?r": 9, "what? (no": 1, "a a1 b or c or d": 4, "数据库迁移工具和缓存系统": 2,
		"/auth/": 4, "a.*b": 5, "/a{10}/": 10, "/[a-c]/": 1, `/\pL/`: 2, "/a|b|cd/": 5, "/(a)/": 3, "/a|/": 3,
		"*.go": 9, "implement.*auth": 16,
	} {
		a, err := compile(source)
		require.Nil(t, err, "%q", source)
		assert.Equal(t, want, a.steps(), "%q", source)
	}
}

func TestALineHasOneBudgetOfSteps(t *testing.T) {
	half := "/a{128}/"
	_, errs := compileOne(".{126}x|.{126}y") // 127 each
	assert.Empty(t, errs)
	tr, errs := compileOne(".{130}x|.{130}y|.{10}z")
	require.Len(t, errs, 1)
	assert.True(t, errs[0].TooLarge)
	assert.Contains(t, errs[0].Error(), ".{130}y")
	assert.Len(t, tr.alternatives, 2, "what still fits is kept")
	_, errs = compileOne(half)
	assert.Empty(t, errs)
}

func TestTheLinesOfAMemoryShareABudget(t *testing.T) {
	triggers, errs := Compile(".{250}x", "auth|.{250}x", ".{20}x|auth|.{5}y", "*")
	assert.Empty(t, errs[0])
	assert.Empty(t, errs[1])
	require.Len(t, errs[2], 1)
	assert.True(t, errs[2][0].TooLarge)
	assert.Contains(t, errs[2][0].Error(), `".{20}x" brings the lines of the memory to 524 steps of matching (at most 512)`)
	assert.Empty(t, errs[3])
	require.Len(t, triggers, 4)
	assert.Len(t, triggers[1].alternatives, 2, "words cost little")
	assert.Len(t, triggers[2].alternatives, 2, "what still fits is kept")
}

func TestWhatIsMeantAsAnExpressionIsNoGlob(t *testing.T) {
	for _, source := range []string{"(?=.*auth)login", "(?<!un)auth.*", "(?!x).*y", "log(.*", "(a.*b", "social.*auth)", "log(.*in"} {
		_, errs := compileOne(source)
		if assert.Len(t, errs, 1, source) {
			assert.Contains(t, errs[0].Error(), "is not a regular expression that can be read", source)
		}
	}
}

func TestExpressionsSeeTaskAndNamesApart(t *testing.T) {
	for _, c := range []struct {
		line, task, name string
		want             lexical.Degree
	}{
		{"/page$/", "a page", "developer", lexical.Whole},
		{"/^dev/", "a page", "developer", lexical.Nothing}, // no whole word
		{"/^developer/", "a page", "developer", lexical.Whole},
		{"/evelop/", "a page", "developer", lexical.Nothing},
		{"/develop(er)?/", "a page", "developer", lexical.Whole},
		{"social.*auth", "social", "auth-agent", lexical.Nothing},
		{"social.*auth", "a page", "social-auth", lexical.Whole},
		{"/auth|x/", "a page", "auth-agent", lexical.Whole},
		{`/a\Qb/`, "x", "ab", lexical.Whole},
		{"/über/", "x", "Über", lexical.Whole},
		{"colou?r", "x", "color picker", lexical.Whole},
		{"colou?r", "x", "colors", lexical.Nothing},
		{"/a\nb/", "a", "b", lexical.Nothing},
	} {
		tr, errs := compileOne(c.line)
		require.Empty(t, errs, c.line)
		assert.Equal(t, c.want, tr.In(lexical.NewText(c.task, c.name)), "%q on %q by %q", c.line, c.task, c.name)
	}
}

func TestWarnings(t *testing.T) {
	for line, want := range map[string]string{
		"":               "is empty and can never fire",
		" | ":            "is empty and can never fire",
		"when the task":  `"when the task" has no word`,
		"auth|when":      `"when" has no word`,
		"->":             `"->" has no word`,
		"**":             `"**" has no word`,
		"当…时":            "", // the dots become part of the topic
		"/a$b/":          `"/a$b/" can never fire`,
		"/b^a/":          `can never fire`,
		"/(b^a)+/":       `can never fire`,
		`/[^\s\S]/`:      `can never fire`,
		"/(a+)^b/":       `can never fire`,
		"/a*^b/":         "",
		"/a$|b/":         "",
		"/^a$/":          "",
		"/(?:^|x)a/":     "",
		"auth|*.go|a.*b": "",
		"*":              "",
		"auth (a|login":  "has brackets that do not match",
		"/[(]/|b":        "",
	} {
		tr, errs := compileOne(line)
		assert.Empty(t, errs, "%q", line)
		if want == "" {
			assert.Empty(t, tr.Warnings(), "%q", line)
		} else if assert.Len(t, tr.Warnings(), 1, "%q", line) {
			assert.Contains(t, tr.Warnings()[0], want, "%q", line)
		}
	}
}

func TestInTakesTheBestAlternative(t *testing.T) {
	tr, errs := compileOne("big login page|*.go|a.+b|colou?r")
	require.Empty(t, errs)
	for text, want := range map[string]lexical.Degree{
		"page": lexical.Some, "main.go page": lexical.Whole, "a--b page": lexical.Whole, "page color": lexical.Whole, "hue": lexical.Nothing,
	} {
		assert.Equal(t, want, tr.In(lexical.NewText(text)), text)
	}
	tr, _ = compileOne("big login page|*")
	assert.Equal(t, lexical.Whole, tr.In(lexical.NewText("")))
}

func TestErrors(t *testing.T) {
	tr, errs := compileOne("(?!x)y|auth|/[/")
	require.Len(t, errs, 2)
	assert.NotContains(t, tr.Warnings(), "is empty and can never fire", "it is not empty, it is wrong")
	for _, err := range errs {
		assert.False(t, err.TooLarge)
	}
	assert.Equal(t, lexical.Whole, tr.In(lexical.NewText("auth")))

	tr, errs = compileOne(strings.Repeat("x", MaxLen+1))
	require.Len(t, errs, 1)
	assert.True(t, errs[0].TooLarge)
	assert.Equal(t, lexical.Nothing, tr.In(lexical.NewText("x")))
}

// What is too much is not compiled again and again to find that out.
func TestAHostileMemoryIsRefusedEarly(t *testing.T) {
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("/%s%d/", strings.Repeat(`\pL`, 10), i))
	}
	lines = append(lines, "plain words")
	triggers, errs := Compile(lines...)
	assert.Empty(t, errs[0])
	assert.Contains(t, errs[499][0].Msg, "too much for the memory")
	assert.Empty(t, errs[500], "words cost little")
	assert.Equal(t, lexical.Whole, triggers[500].In(lexical.NewText("plain words")))

	for _, line := range []string{"/" + strings.Repeat(`\pL`, 80) + "/", `/(\pL{31}){31}/`, `/(((a{30}){30}){1,1})/`, strings.Repeat(`[^\pL]`, 41)} {
		_, errs := Compile(line)
		require.Len(t, errs[0], 1, line)
		assert.True(t, errs[0][0].TooLarge, line)
	}
}
