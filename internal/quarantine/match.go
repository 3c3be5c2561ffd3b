package quarantine

// when says what a rule's head must be.
type when uint8

const (
	ordered   when = iota // the head is an order
	forbidden             // the head is an order not to do it
	either                // the head is an order, or one not to
	stated                // it is enough that the sentence says it
	bidden                // the sentence as a whole is an order
	labelled              // the head stands before a colon, or alone
)

// rule is an intent: concepts that stand close together.
type rule struct {
	kind   string
	reason string
	when   when
	needs  []set // the first is the head; each by a term of its own
	row    bool  // in this order
	but    role  // none of these in the sentence
	with   role  // all of these in the sentence
	within int   // terms around the head; 0: near
}

// near is how many terms on either side of a rule's head belong to it.
const near = 14

// match gives what the rules find, at most one finding for a sentence and a kind.
func (d *document) match() []Finding {
	var found []Finding
	for i := range d.sentences {
		s := &d.sentences[i]
		if s.what == 0 {
			continue
		}
		found = append(found, d.sentence(s)...)
	}
	return found
}

// sentence applies all rules to a sentence.
func (d *document) sentence(s *sentence) []Finding {
	var found []Finding
	for i := range intents {
		r := &intents[i]
		if !r.possible(s) {
			continue
		}
		if begin, end, ok := d.apply(r, s); ok {
			found = append(found, d.finding(r.kind, r.reason, begin, end))
		}
	}
	return found
}

// finding is what stands between two terms.
func (d *document) finding(kind, reason string, begin, end int) Finding {
	return Finding{kind, int(d.at[d.terms[begin].begin]), int(d.folded.end[d.terms[end].end-1]), reason}
}

// possible reports whether a sentence has all that a rule needs.
func (r *rule) possible(s *sentence) bool {
	if s.role&r.but != 0 || s.role&r.with != r.with {
		return false
	}
	for _, need := range r.needs {
		if s.what&need == 0 {
			return false
		}
	}
	return true
}

// apply looks for a rule in a sentence and gives the first and last term.
func (d *document) apply(r *rule, s *sentence) (begin, end int, ok bool) {
	if r.when == bidden && d.commands(s) != order {
		return 0, 0, false
	}
	for i := s.begin; i < s.end; i++ {
		if d.terms[i].what&r.needs[0] == 0 {
			continue
		}
		begin, end, ok := d.gather(r, s, i)
		if ok && d.holds(r, s, i) && !d.reported(i) {
			return begin, end, true
		}
	}
	return 0, 0, false
}

// holds reports whether the head has the mood that the rule asks for.
func (d *document) holds(r *rule, s *sentence, i int) bool {
	switch r.when {
	case labelled:
		return d.labels(s, i)
	case stated, bidden:
		return !s.asked && !d.denied(s, i) && (d.terms[i].role&label == 0 || d.labels(s, i))
	case ordered:
		return d.mood(s, i) == order
	case forbidden:
		return d.mood(s, i) == forbids
	}
	return d.mood(s, i) != told0
}

// denied reports whether a negation stands right before the term at i.
func (d *document) denied(s *sentence, i int) bool {
	if d.terms[i].what&rules != 0 {
		return false // "no rule is binding"
	}
	for i > s.begin+1 && d.terms[i-1].role&is != 0 && d.terms[i-1].gap < comma { // "cannot be"
		i--
	}
	return i > s.begin && d.terms[i].gap < comma && d.terms[i-1].role&not != 0 && d.terms[i-1].what == 0
}

// gather finds the terms that a rule needs around its head.
func (d *document) gather(r *rule, s *sentence, head int) (begin, end int, ok bool) {
	reach := near
	if r.within > 0 {
		reach = r.within
	}
	lo, hi := max(s.begin, head-reach), min(s.end, head+reach+1)
	begin, end = head, head
	from := head + 1
	for _, need := range r.needs[1:] {
		at := d.nearest(need, head, lo, hi, from, r.row)
		if at < 0 {
			return 0, 0, false
		}
		from = at
		begin, end = min(begin, at), max(end, at)
	}
	return begin, end, true
}

// nearest gives the term with a concept that is nearest to the head, or in a
// row the first from there; -1 for none.
func (d *document) nearest(need set, head, lo, hi, from int, row bool) int {
	free := func(i int) bool { return i != head && d.terms[i].what&need != 0 }
	if row {
		for i := from; i < hi; i++ {
			if free(i) {
				return i
			}
		}
		return -1
	}
	for off := 1; off < hi-lo; off++ {
		if i := head + off; i < hi && free(i) {
			return i
		}
		if i := head - off; i >= lo && free(i) {
			return i
		}
	}
	return -1
}

// labels reports whether the term at i begins its sentence or clause and stands alone or before a colon.
func (d *document) labels(s *sentence, i int) bool {
	before := i == s.begin || d.terms[i].gap >= colon
	return before && (i+1 == s.end || d.terms[i+1].gap >= comma)
}
