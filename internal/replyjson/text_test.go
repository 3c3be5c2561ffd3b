package replyjson

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestString(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"no escapes", `a/b "c"`, `a/b "c"`},
		{"what JSON escapes", `\"\\\/\n\r\t\u00e4\u00C4`, "\"\\/\n\r\tä\u00c4"},
		{"a pair of surrogates", `\ud83d\ude00`, "😀"},
		{"half a pair", `\ud83d!\ude00`, "\uFFFD!\uFFFD"},
		{"half a pair before another escape", `\ud83d\n\ud83d\u0041`, "\uFFFD\n\uFFFDA"},
		{"no backspace and no form feed", `\bauth\f`, `\bauth\f`},
		{"no escape of JSON", `\s\d{2}\.\$\x41\0`, `\s\d{2}\.\$\x41\0`},
		{"doubled", `\\bauth\\s\\\\`, `\bauth\s\\`},
		{"a single quote", `it\'s`, `it's`},
		{"u without four digits", `C:\users \u12 \u00g0 \u+123 \u`, `C:\users \u12 \u00g0 \u+123 \u`},
		{"a backslash before a letter of two bytes", `\ä`, `\ä`},
		{"a backslash at the end", `a\`, `a\`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Text{raw: c.raw}.String()) })
	}
	for _, c := range []struct{ name, raw, want string }{
		{"a backslash", `a\`, "a"},
		{"u", `a\u`, "a"},
		{"some digits", `a\u00e`, "a"},
		{"all digits", `a\u00e4`, "aä"},
		{"another letter", `a\ux`, `a\ux`},
	} {
		t.Run("cut behind "+c.name, func(t *testing.T) { assert.Equal(t, c.want, Text{raw: c.raw, Cut: true}.String()) })
	}
}

func TestPattern(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"single backslashes", `\bauth\s+token`, `\bauth\s+token`},
		{"doubled backslashes", `\\bauth\\s+token`, `\bauth\s+token`},
		{"a tab is never meant", `src\test`, `src\test`},
		{"a return is never meant", `src\reply`, `src\reply`},
		{"lines", `one\ntwo\r\nthree`, "one\ntwo\nthree"},
		{"a line break among single backslashes", `\bone\ntwo\r\n`, `\bone\ntwo\r\n`},
		{"a line break among doubled backslashes", `\\bone\ntwo`, "\\bone\ntwo"},
		{"escaped slashes of a path", `\/static\/img`, `/static/img`},
		{"a slash in an expression", `/src\/auth/`, `/src\/auth/`},
		{"a character by its number", `caf\u00e9`, `café`},
		{"quotes", `say \"no\"`, `say "no"`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Text{raw: c.raw}.Pattern()) })
	}
}
