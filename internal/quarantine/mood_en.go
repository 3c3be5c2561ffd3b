package quarantine

// englishMood walks back from a base form to what it depends on. A base form is
// an order unless a subject, a modal verb of others or a "to" of others is before it.
func (d *document) englishMood(s *sentence, i int) mood {
	done := order
	obliged, infinitive := false, false
	for j := i - 1; j >= s.begin; j-- {
		t := &d.terms[j]
		between := d.terms[j+1].gap
		switch {
		case between >= colon:
			return done
		case between == comma && t.role&(soft|opens) == 0 && !infinitive && !obliged:
			return d.carried(s, j, done)
		case t.role&report != 0 || t.role&cites != 0:
			return told0
		case t.role&not != 0:
			done = forbids
		case t.role&(modal|can) != 0:
			obliged = true
		case infinitive && t.role&(asks|is) != 0:
			infinitive = false
		case t.role&how != 0 && infinitive:
			return told0
		case t.what&you != 0:
			return done
		case t.what&anyone != 0 && obliged:
			return done
		case t.what&agent != 0 && infinitive && d.asked(s, j):
			return told0
		case t.what&agent != 0:
			if obliged || infinitive || between == comma || !d.plural(t) {
				return done
			}
			return told0
		case obliged && (t.what&reads != 0 || t.what&thisNote != 0):
			return d.carried(s, j, done)
		case t.role&soft != 0 || t.what&(nowOn|behind|unasked|quiet) != 0:
		case t.role&to != 0:
			infinitive = true
		case t.role&and != 0:
			return d.carried(s, j, done)
		case t.role&verb != 0 && !obliged && !infinitive && t.what&follow == 0:
			// "start to", "remember to", "go and"
		case obliged || t.role&(subj|we|how|det) != 0:
			return told0
		case infinitive:
			return d.infinitive(s, j, done)
		case j == i-1 && between == none && t.what&(secret|pages|token|data|image|code|change|guard|checks) != 0 && t.role == 0:
			return told0 // "memory leak": it is a noun
		case d.plural(t) && d.terms[s.begin].role&opens == 0:
			return told0
		default:
			return d.carried(s, j, done)
		}
	}
	if infinitive {
		return told0
	}
	return done
}

// infinitive tells what "… to ignore" is, where an unknown word is before the "to".
func (d *document) infinitive(s *sentence, j int, done mood) mood {
	for k := j; k >= max(s.begin, j-4) && d.terms[k+1].gap < colon; k-- {
		if d.terms[k].what&(you|your|thisNote) != 0 {
			return done
		}
	}
	return told0
}

// carried tells whether what goes before j in the sentence lets an order follow: it does not
// when it speaks of others.
func (d *document) carried(s *sentence, j int, done mood) mood {
	first := s.begin
	for k := j; k > s.begin; k-- {
		if d.terms[k].gap >= colon {
			first = k
			break
		}
	}
	for k := first; k <= j; k++ {
		if t := &d.terms[k]; t.what&(you|agent|anyone) != 0 || t.role&soft != 0 && t.role&modal == 0 && k == first {
			return done
		} else if t.role&report != 0 {
			return told0
		}
	}
	t := &d.terms[first]
	if t.role&(det|subj|we|how) != 0 && t.what&(thisNote|all) == 0 {
		return told0
	}
	if d.terms[j].role&and != 0 && !t.known && d.plural(t) {
		return told0
	}
	if d.terms[first].role&opens == 0 && first < j && !t.known && d.terms[first+1].role&(modal|can) != 0 {
		return told0
	}
	return done
}

// asked reports whether others ask the agent at i for what follows: "the user asks the assistant to".
func (d *document) asked(s *sentence, i int) bool {
	for i > s.begin && d.terms[i-1].role&det != 0 {
		i--
	}
	if i <= s.begin+1 || d.terms[i-2].what&(you|thisNote|boss) != 0 {
		return false
	}
	t := &d.terms[i-1]
	switch string(d.runes[t.begin:t.end]) {
	case "asks", "asked", "tells", "told", "tries", "tried", "gets", "begs", "persuades", "tricks", "convinces", "instructs", "lures", "urges":
		return true
	case "tell", "ask", "instruct", "order", "talk":
		return d.terms[i-2].role&not != 0 // "a note must not tell the agent to"
	}
	return false
}
