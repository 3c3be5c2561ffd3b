package quarantine

// mood is what a sentence does with a verb.
type mood uint8

const (
	told0   mood = iota // tells what others do, did or might do
	order               // orders it
	forbids             // orders not to do it
)

// mood tells what the sentence does with the verb at i.
func (d *document) mood(s *sentence, i int) mood {
	t := &d.terms[i]
	if s.asked && !d.politely(s) {
		return told0
	}
	m := order
	switch {
	case t.lang&english != 0:
		m = d.englishMood(s, i)
	case t.lang&german != 0:
		m = d.germanMood(s, i)
	case t.lang&chinese != 0:
		m = d.chineseMood(s, i)
	default:
		m = d.otherMood(s, i)
	}
	if m == order && t.what&(follow|reveal) != 0 && d.deniedBehind(s, i, 8) {
		return forbids
	}
	if m == order && t.lang&german != 0 && t.what&(spread|send) != 0 && d.deniedBehind(s, i, 3) {
		return forbids
	}
	return m
}

// politely reports whether a question asks the reader to do something.
func (d *document) politely(s *sentence) bool {
	for i := s.begin; i < min(s.end, s.begin+4); i++ {
		if d.terms[i].what&you != 0 && i > s.begin && d.terms[i-1].role&(can|modal) != 0 {
			return true
		}
	}
	return false
}

// deniedBehind looks some terms far for "none of", "nicht" or "keine" behind a verb: "follow none of these", "befolge sie nicht".
func (d *document) deniedBehind(s *sentence, i, reach int) bool {
	for j := i + 1; j <= min(s.end-1, i+reach) && d.terms[j].gap < comma; j++ {
		t := &d.terms[j]
		if t.role&not != 0 && (t.lang&german != 0 || j == i+1 && (d.terms[i].what&reveal == 0 || t.what&human != 0)) {
			return true
		}
	}
	return false
}

// otherMood knows negation only; the tables of other languages have forms that order.
func (d *document) otherMood(s *sentence, i int) mood {
	if i > s.begin && d.terms[i-1].role&not != 0 {
		return forbids
	}
	return order
}

// commands tells whether a sentence as a whole is an order: what it does with whatever verb it begins with.
func (d *document) commands(s *sentence) mood {
	if s.asked {
		return told0
	}
	at := s.begin
	const openers = behind | unasked | quiet | always | nowOn
	for at < s.end && (d.terms[at].role&soft != 0 && d.terms[at].role&not == 0 || d.terms[at].what&openers != 0 || at > s.begin && d.terms[at].role&and != 0) {
		at++
	}
	for k := s.begin; k < s.end; k++ {
		if t := &d.terms[k]; t.role&report != 0 {
			return told0
		} else if t.what&(you|agent) != 0 && k+1 < s.end && d.terms[k+1].role&modal != 0 {
			if k+2 < s.end && d.terms[k+2].role&not != 0 {
				return forbids
			}
			return order
		}
	}
	if at == s.end {
		return order
	}
	t := &d.terms[at]
	switch {
	case t.role&not != 0:
		return forbids
	case t.role&(verb|imp) != 0 && t.role&det == 0, t.role&inf != 0 && t.lang&german != 0:
		return order
	case t.role&(det|subj|we|how|is) != 0, t.known && t.lang == english && t.role&opens == 0 && t.what != 0 && t.role&soft == 0:
		return told0
	case t.lang&chinese != 0 && t.known:
		return order
	case t.role&opens != 0 && at > s.begin && d.terms[at-1].what&(unasked|behind) != 0:
		return order
	case t.role&opens != 0:
		for k := at; k < s.end; k++ {
			if d.terms[k].gap >= comma && k > at {
				return d.rest(s, k)
			}
		}
		return told0
	case at > s.begin:
		return order
	case at+1 < s.end && d.terms[at+1].gap < comma && (d.terms[at+1].role&det != 0 || d.terms[at+1].what&(all|your|prior|thisNote|secret) != 0) && !d.plural(t):
		return order
	}
	return told0
}

// rest is commands for what follows an opening clause.
func (d *document) rest(s *sentence, from int) mood {
	tail := *s
	tail.begin = from
	if d.terms[from].role&opens != 0 {
		return told0
	}
	return d.commands(&tail)
}
