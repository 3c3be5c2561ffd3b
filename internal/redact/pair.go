package redact

// pair gives a finder of the password in "login: joe / password", where the word
// stands at index at.
func pair(word string) func(text string, at int) (Secret, bool) {
	return func(text string, at int) (Secret, bool) {
		end := at + len(word)
		if is(before(text, at), urlSafe) || end < len(text) && is(text[end], urlSafe) {
			return Secret{}, false
		}
		user, how := separator(text, at, end)
		if how == nothing {
			user, how = gap(text, end)
		}
		if how != plain && how != prose {
			return Secret{}, false
		}
		user = skip(text, user, " \t*`\"'", 6)
		end = run(text, user, urlSafe|dot|special, 60)
		sign := skip(text, end, " \t`\"'", 3)
		if end == user || sign == len(text) || text[sign] != '/' && text[sign] != ':' && text[sign] != '|' {
			return Secret{}, false
		}
		v, ok := readValue(text, sign+1, prose)
		return Secret{"password", v.at, v.at + len(v.text)}, ok && v.inPair()
	}
}

// inPair reports whether a value behind a user's name is a password: there is no
// word for it, so that only its looks can tell.
func (v value) inPair() bool {
	l := lookAt(v.text)
	return l.length <= 32 && (l.mixed() || v.strong(l)) && !refers(v) && !standsIn(v.text)
}
