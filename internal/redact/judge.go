package redact

import "strings"

// accepts reports whether a value looks like a real secret of the keyword's
// sort: made by chance, or chosen by a person as passwords are.
func (k *keyword) accepts(v value) bool {
	l := lookAt(v.text)
	password := k.kind == "password"
	switch {
	case k.constant && (v.strict || !v.random(l)):
		return false
	case v.random(l), l.mixed() && (password || !v.strict):
		return !refers(v) && !placeholder(v.text)
	case password && v.strong(l):
		return !refers(v) && !standsIn(v.text)
	}
	return (password && v.chosen(l) || k.kind == "secret" && v.madeUp(l)) && !refers(v) && !placeholder(v.text)
}

// random reports whether chance made the value. Without quotes it could be a
// name in code, and without a sign such as = a word of the text, so that it has
// to be more random than others.
func (v value) random(l look) bool {
	switch {
	case l.random(16):
		return v.quoted || l.changes*4 >= l.length
	case v.strict:
		return false
	}
	return l.random(12) && l.changes*4 >= l.length || unspeakable(v.text)
}

// strong reports whether the value is a password as people are told to choose
// them, such as Tr0ub4dor&3.
func (v value) strong(l look) bool {
	return l.length >= 6 && l.signed() && !wordy(v.text)
}

// madeUp reports whether the value is like a key that a person made up: longer
// than a password, with signs in it.
func (v value) madeUp(l look) bool {
	return !v.strict && l.length >= 10 && l.signed() && !wordy(v.text)
}

// maxChosen is the length of the longest password that a person chooses.
const maxChosen = 64

// chosen reports whether the value is a weaker password that people choose. In
// prose most of them could be anything.
func (v value) chosen(l look) bool {
	plain := run(v.text, 0, alnum, l.length) == l.length
	cases := l.lower > 0 && l.upper > 0
	switch {
	case l.length < 6 || l.length > maxChosen || l.letters() < 2 || technical(v.text):
		return false
	case plain && cases && l.digits > 0 && l.length >= 8: // Sommer2024
		return !v.strict || v.quoted && !v.adjacent
	case v.strict:
		return false
	case plain: // hunter2
		return l.digits > 0
	case cases && l.digits > 0 && l.length >= 10: // blue-Horse-42
		return run(v.text, 0, alnum|dash, l.length) == l.length
	}
	// super$ecret
	return v.quoted && l.digits == 0 && l.letters() >= 6 &&
		strings.ContainsAny(v.text[1:l.length-1], "!#$^&*") && !strings.ContainsAny(v.text, "/=?@")
}
