package redact

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// around are what may stand directly before and behind a secret.
var around = [][2]string{
	{"", ""}, {"before ", " after"}, {"`", "`"}, {`"`, `"`}, {"'", "',"}, {"**", "**"}, {"*", "*"}, {"_", "_"}, {"__", "__"}, {"(", ")."}, {"[", "](x)"},
	{"<", ">"}, {"- ", "\n- "}, {"> ", "."}, {"=", ";"}, {"x=", "&y=1"}, {"密钥", "。"}, {"\n", "\n"}, {"\r\n", "\r\n"}, {`\n`, `\n`}, {"%3D", "%0A"}, {"%3d", "%0a"}, {"|", "|"}, {"/", "?"},
	{"„", "“"}, {"x: ", ", y: 1"}, {`{\"a\":\"`, `\"}`},
}

func TestFormats(t *testing.T) {
	for _, s := range samples {
		t.Run(s.kind, func(t *testing.T) {
			for _, secret := range s.found {
				for _, a := range around {
					text := a[0] + secret + a[1]
					assert.Equal(t, []Secret{{s.kind, len(a[0]), len(a[0]) + len(secret)}}, Find(text), text)
				}
			}
			for _, harmless := range s.not {
				assert.Empty(t, Find("before "+harmless+" after"), harmless)
			}
		})
	}
}

// Every row of the table has samples, and enough of them.
func TestSamplesOfAllFormats(t *testing.T) {
	kinds := make(map[string]bool)
	for _, s := range samples {
		assert.False(t, kinds[s.kind], "%s stands twice", s.kind)
		assert.GreaterOrEqual(t, len(s.found), 2, s.kind)
		assert.GreaterOrEqual(t, len(s.not), 2, s.kind)
		assert.Regexp(t, regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`), s.kind)
		kinds[s.kind] = true
	}
	for _, f := range formats {
		assert.True(t, kinds[f.kind], "%s has no sample", f.kind)
	}
}

// The table can be read, has one row for each kind, and is sorted.
func TestTable(t *testing.T) {
	for i, f := range formats {
		for s := range strings.FieldsSeq(f.all) {
			_, ok := parsePattern(f.kind, s)
			assert.True(t, ok, s)
		}
		assert.True(t, i == 0 || formats[i-1].kind < f.kind, "%s is in the wrong place", f.kind)
	}
	for _, wrong := range []string{"", "x<a3>", "abc", "abc<a>", "abc<?3>", "abc<a3", "abc<a0>", "abc<a3-x>", "abc<>"} {
		_, ok := parsePattern("x", wrong)
		assert.False(t, ok, wrong)
	}
}

// Each pattern refuses a body that is too short, is glued to a word or stands for something.
func TestPatterns(t *testing.T) {
	for _, f := range formats {
		for _, p := range f.patterns() {
			secret := made(p, func(r part) int { return r.least })
			found, ok := p.find(" "+secret+" ", 1)
			assert.True(t, ok, secret)
			assert.Equal(t, Secret{f.kind, 1, 1 + len(secret)}, found, secret)
			short := made(p, func(r part) int { return r.least - 1 })
			for text, at := range map[string]int{"x" + secret: 1, secret + "X" + strings.Repeat("9", 20000): 0, short: 0, secret + markerStart + "x]": 0, markerStart + "x]" + secret: 12} {
				_, ok := p.find(text, at)
				assert.False(t, ok, text)
			}
		}
	}
}

// made gives a text for a pattern with runs of n characters.
func made(p *pattern, n func(part) int) string {
	s := p.prefix
	for _, r := range p.parts {
		if r.most == 0 {
			s += r.text
			continue
		}
		var alphabet string
		for b := range byte(128) {
			if is(b, r.of&(alnum)) {
				alphabet += string(rune(b))
			}
		}
		s += chance(alphabet, n(r))
	}
	return s
}
