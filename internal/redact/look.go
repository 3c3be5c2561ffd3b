package redact

import (
	"slices"
	"strings"
)

// look counts what a value is made of.
type look struct {
	length, lower, upper, digits, specials int
	changes                                int // between letter and digit, and from lower to upper case
}

func lookAt(v string) look {
	l := look{length: len(v)}
	var last class
	for i := range len(v) {
		c := classes[v[i]]
		switch {
		case c&lower != 0:
			l.lower++
		case c&upper != 0:
			l.upper++
		case c&digit != 0:
			l.digits++
		case c&special != 0:
			l.specials++
		}
		if c&digit != 0 && last&letter != 0 || c&letter != 0 && last&digit != 0 || c&upper != 0 && last&lower != 0 {
			l.changes++
		}
		last = c
	}
	return l
}

func (l look) letters() int { return l.lower + l.upper }

// random reports whether a value of n letters and digits or more changes between
// them as often as chance makes it: nearly every second time, where names and
// words do so at most every fifth.
func (l look) random(n int) bool {
	all := l.letters() + l.digits
	return all >= n && l.digits > 0 && l.changes >= 4 && l.changes*5 >= all
}

// mixed reports whether a value changes every third time or more, as in
// xY7kQ2pL, so that less of it says as much.
func (l look) mixed() bool {
	return l.digits > 0 && l.changes >= 4 && l.changes*3 >= l.length
}

// signed reports whether a value has letters, digits and signs such as ! and &.
func (l look) signed() bool { return l.letters() >= 2 && l.digits > 0 && l.specials > 0 }

// unspeakable reports whether a value of 20 characters or more is one word with
// many consonants in a row, as chance makes them and no language does.
func unspeakable(v string) bool {
	if len(v) < 20 || run(v, 0, alnum, len(v)) < len(v) {
		return false
	}
	row, all := 0, 0
	for i := range len(v) {
		if !is(v[i], letter) || strings.IndexByte("aeiouy", toLower(v[i])) >= 0 {
			row = 0
			continue
		}
		if row++; row == 5 {
			all += 5
		} else if row > 5 {
			all++
		}
	}
	return all*4 >= len(v)
}

// fake reports whether the body of a token is a placeholder, or a name: that has
// few digits and hardly mixes the cases.
func fake(body string, of class) bool {
	l := lookAt(body[:min(len(body), maxBare)])
	noise := l.digits + min(l.lower, l.upper)
	return of&lower != 0 && noise*8 < l.letters()+l.digits || placeholder(body)
}

// standIns are words that stand in for a secret, or say that it is none. They
// have five letters or more, so that chance does not make them.
var standIns = []string{
	"example", "sample", "dummy", "placeholder", "changeme", "change-me", "change_me", "redacted", "removed", "replace", "insert",
	"foobar", "abcdef", "xxxx", "000000", "****", "...", "…", "beispiel",
}

// standInNames say what the secret would be. A password that a person chose may
// begin with one, as in Password123!.
var standInNames = []string{"password", "passwd", "passwort", "secret", "token", "apikey", "api_key", "api-key", "geheim"}

// standInStarts are shorter ones, which count at the beginning.
var standInStarts = []string{"your", "fake", "test", "demo", "todo", "my-", "my_", "<", "${", "{{"}

// placeholder reports whether a value says that it stands for a secret.
func placeholder(v string) bool {
	return standsIn(v) || containsAny(strings.ToLower(v), standInNames)
}

// standsIn is placeholder for a value that may have a word such as "secret" in it.
func standsIn(v string) bool {
	v = strings.ToLower(v)
	return containsAny(v, standIns) || counted(v) ||
		slices.ContainsFunc(standInStarts, func(s string) bool { return strings.HasPrefix(v, s) })
}

func containsAny(s string, list []string) bool {
	return slices.ContainsFunc(list, func(part string) bool { return strings.Contains(s, part) })
}

// counted reports whether seven characters of v or more count up, as in 1234567.
func counted(v string) bool {
	n := 1
	for i := 1; i < len(v); i++ {
		if v[i] == v[i-1]+1 || v[i] == '0' && v[i-1] == '9' {
			if n++; n == 7 {
				return true
			}
			continue
		}
		n = 1
	}
	return false
}
