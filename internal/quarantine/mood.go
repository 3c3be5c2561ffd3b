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
	if m == order && t.what&(follow|reveal) != 0 && d.deniedBehind(s, i) {
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

// deniedBehind looks for "none of", "nicht" or "keine" behind a verb: "follow none of these", "befolge sie nicht".
func (d *document) deniedBehind(s *sentence, i int) bool {
	for j := i + 1; j < min(s.end, i+9) && d.terms[j].gap < comma; j++ {
		t := &d.terms[j]
		if t.role&not != 0 && (t.lang&german != 0 || j == i+1 && (d.terms[i].what&reveal == 0 || t.what&human != 0)) {
			return true
		}
	}
	return false
}

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

// germanMood knows imperatives by their form; an infinitive needs an obligation
// of the reader, or nobody who has it.
func (d *document) germanMood(s *sentence, i int) mood {
	t := &d.terms[i]
	done := order
	if i+1 < s.end && d.terms[i+1].role&not != 0 && d.terms[i+1].gap == none && t.role&imp != 0 {
		done = forbids
	}
	switch {
	case t.role&imp != 0:
		if i > s.begin && d.terms[i-1].role&we != 0 && t.gap < comma {
			return told0
		}
		return done
	case t.role&third != 0:
		for j := i - 1; j >= s.begin; j-- {
			if d.terms[j+1].gap >= comma {
				return done
			}
			if d.terms[j].role&soft == 0 {
				return told0
			}
		}
		if i+1 < s.end && (d.terms[i+1].role&(subj|we) != 0) {
			return told0
		}
		return done
	}
	return d.germanInfinitive(s, i)
}

// germanInfinitive looks for who has to do what the infinitive at i says.
func (d *document) germanInfinitive(s *sentence, i int) mood {
	done, addressed, obliged, others := order, false, false, false
	if i+1 < s.end && d.terms[i+1].what&you != 0 { // "ignorieren Sie"
		if i+2 < s.end && d.terms[i+2].role&not != 0 {
			return forbids
		}
		return order
	}
	from := s.begin
	for j := i - 1; j >= s.begin; j-- {
		if d.terms[j+1].gap >= comma && j+1 < i {
			from = j + 1
			break
		}
	}
	bound := false // "… zu ignorieren"
	for j := i - 1; j >= from; j-- {
		t := &d.terms[j]
		switch {
		case t.role&report != 0 || t.role&(cites|how) != 0 && t.what&told == 0:
			return told0
		case t.what&you != 0:
			addressed = true
		case t.what&(agent|anyone) != 0:
			addressed = addressed || obliged || d.oblige(from, i)
		case t.role&(modal|can) != 0:
			obliged = true
		case t.role&not != 0:
			done = forbids
		case t.role&to != 0 && j == i-1:
			bound = true
		case t.role&is != 0 && bound:
			obliged, addressed = true, true
		case t.role&(subj|we) != 0:
			others = true
		case j == from && t.role&det == 0 && !t.known && t.gap >= comma && i-from > 1:
			others = others || !d.ends(s, i)
		}
	}
	switch {
	case addressed && (obliged || !bound):
		return done
	case others || obliged && from < i-1 && !d.leads(from) || bound:
		return told0
	case !d.ends(s, i) && !obliged:
		return told0
	}
	return done
}

// oblige reports whether a modal verb stands between two terms.
func (d *document) oblige(from, to int) bool {
	for j := from; j < to; j++ {
		if d.terms[j].role&modal != 0 {
			return true
		}
	}
	return false
}

// leads reports whether a clause begins as an order does, with the object or a particle.
func (d *document) leads(from int) bool {
	return d.terms[from].role&soft != 0 || d.terms[from].what&(prior|all|rules|prompt) != 0
}

// ends reports whether a clause ends behind i.
func (d *document) ends(s *sentence, i int) bool {
	return i+1 >= s.end || d.terms[i+1].gap >= comma || d.terms[i+1].role&and != 0
}

// chineseMood walks back from a verb over particles and objects. What is left
// is the subject, and an order has none but the reader.
func (d *document) chineseMood(s *sentence, i int) mood {
	done := order
	marked, able, others := d.objectMarked(s, i), false, false
walk:
	for j := i - 1; j >= s.begin; j-- {
		t := &d.terms[j]
		switch {
		case d.terms[j+1].gap >= colon:
			break walk
		case d.terms[j+1].gap == comma:
			if !others && !able {
				done = d.carriedChinese(s, j, done)
			}
			break walk
		case t.what&you != 0:
			return done
		case t.role&(report|cites) != 0 && t.what == 0:
			return told0
		case t.role&not != 0:
			done = forbids
		case t.role&mark != 0:
			marked = marked && d.objectMarked(s, j)
		case t.what&(agent|anyone) != 0 && j > s.begin && d.terms[j-1].role&mark != 0:
		case t.what&(agent|anyone) != 0:
			if able && j > s.begin && d.terms[j-1].what&all == 0 {
				return told0
			}
			return done
		case t.role&opens != 0:
			others, able = false, false
		case t.role&modal != 0:
			able = false
		case t.role&can != 0:
			able = true
		case t.role&(soft|and|verb) != 0:
		case t.role&(subj|we) != 0:
			others = others || !marked
		case t.what&objects != 0 || marked:
		default:
			others = true
		}
	}
	if able || others && d.terms[s.begin].what&(told|above) == 0 {
		return told0
	}
	return done
}

// objects are what an order may be about; before the verb they are no subject.
const objects = prior | above | all | told | rules | prompt | thisNote | your | secret | data | guard | checks | only | always | answers |
	human | fellow | change | rights | token | code | quiet | dest | pages | matter | behind | unasked | nowOn | always

// objectMarked reports whether a particle such as 把 before the verb says that
// what stands between is its object.
func (d *document) objectMarked(s *sentence, i int) bool {
	for j := i - 1; j >= s.begin && d.terms[j+1].gap < comma; j-- {
		if d.terms[j].role&mark != 0 {
			return true
		}
	}
	return false
}

// carriedChinese looks at the clauses before the one with the verb: their subject is its subject, too.
func (d *document) carriedChinese(s *sentence, j int, done mood) mood {
	if d.terms[s.begin].role&(subj|we) != 0 {
		return told0
	}
	for k := s.begin; k <= j; k++ {
		t := &d.terms[k]
		if t.what&(you|agent|anyone) != 0 || t.role&modal != 0 || t.role&(soft|opens|imp) != 0 {
			return done
		}
	}
	for k := s.begin; k <= j; k++ {
		if t := &d.terms[k]; t.role&report != 0 || t.role&(subj|we|can) != 0 {
			return told0
		}
	}
	return done
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
