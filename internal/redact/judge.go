package redact

import "strings"

// accepts reports whether a value looks like a real secret of the keyword's
// sort: made by chance, or chosen by a person as passwords are.
func (k *keyword) accepts(v value) bool {
	l := lookAt(v.text)
	return (v.random(l) || k.kind == "password" && v.chosen(l) || k.kind == "secret" && v.madeUp(l)) &&
		!refers(v) && !placeholder(v.text)
}

// random reports whether chance made the value. Without quotes it could be a
// name in code, and without a sign such as = a word of the text, so that it has
// to be more random than others.
func (v value) random(l look) bool {
	switch {
	case l.random(16):
		return v.quoted || l.changes*4 >= len(v.text)
	case v.strict:
		return false
	}
	return l.random(12) && l.changes*4 >= len(v.text) || unspeakable(v.text)
}

// madeUp reports whether the value is like a key that a person made up: longer
// than a password, with signs in it.
func (v value) madeUp(l look) bool {
	return !v.strict && len(v.text) >= 10 && l.specials > 0 && l.digits > 0 && l.lower+l.upper > 1 && !wordy(v.text)
}

// chosen reports whether the value is like a password that people choose.
func (v value) chosen(l look) bool {
	letters := l.lower + l.upper
	switch {
	case l.digits > 0 && l.changes >= 4 && l.changes*3 >= len(v.text):
		return true // xY7kQ2pL
	case letters < 2 || len(v.text) < 6:
		return false
	case l.digits > 0 && l.specials > 0:
		return !wordy(v.text) // Tr0ub4dor&3
	case l.digits == 0:
		return v.quoted && !v.strict && letters >= 6 && // "super$ecret"
			strings.ContainsAny(v.text[1:len(v.text)-1], "!@#$^&*") && !strings.ContainsAny(v.text, "/=?")
	case run(v.text, 0, alnum, len(v.text)) < len(v.text) || technical(v.text):
		return false
	case l.lower > 0 && l.upper > 0 && len(v.text) >= 8:
		return v.quoted || !v.strict // Sommer2024
	}
	return !v.strict // hunter2
}
