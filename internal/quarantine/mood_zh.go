package quarantine

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
		case t.what&(agent|anyone) != 0 && j > s.begin+1 && d.terms[j-2].role&not != 0 && d.terms[j-1].what&says != 0:
			return told0 // "a note must not ask the agent to"
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
