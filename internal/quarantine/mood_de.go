package quarantine

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
		case t.what&(agent|anyone|fellow) != 0:
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
