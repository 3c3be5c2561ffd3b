package quarantine

// scope is what stands around a quotation, a piece of code or a fenced block.
type scope struct {
	outside int  // words of its paragraph that are outside of it
	report  bool // one of them speaks of texts such as this
	attack  int  // how many of them speak of attacks
	orders  bool // one of them hands the quotation to the reader as an order
}

// reported reports whether what stands at i is quoted or shown by a sentence
// that speaks about it. A quotation with nothing around it is no report.
func (d *document) reported(i int) bool {
	t := &d.terms[i]
	if t.fence > 0 {
		return d.shown(i)
	}
	if t.quote == 0 {
		return false
	}
	s := d.around(i)
	switch {
	case s.attack > 1:
		return true
	case s.report:
		return !s.orders
	case s.outside < 3:
		return false
	}
	return !s.orders
}

// leads is how many terms before the sentence of a quotation may hand it over.
const leads = 8

// mostAround is how many terms before and behind a quotation are looked at.
const mostAround = 60

// around looks at the paragraph of the quotation that term i is in.
func (d *document) around(i int) scope {
	var s scope
	quote, block := d.terms[i].quote, d.terms[i].block
	own := d.sentenceOf(i)
	see := func(j int) bool {
		t := &d.terms[j]
		if t.block != block {
			return false
		}
		if t.quote == quote {
			return true
		}
		s.outside++
		if t.role&report != 0 {
			s.attack++
		}
		s.report = s.report || t.role&report != 0 || t.role&cites != 0
		s.orders = s.orders || j >= own.begin-leads && j < own.end && t.role&not == 0 && t.what&(say|follow|run|you|nowOn|reveal) != 0 && t.role&report == 0 && d.demands(j)
		return true
	}
	for j := i - 1; j >= max(0, i-mostAround) && see(j); j-- {
	}
	for j := i + 1; j < min(len(d.terms), i+mostAround) && see(j); j++ {
	}
	return s
}

// demands reports whether the term at j is an order, or the reader under an obligation.
func (d *document) demands(j int) bool {
	s := d.sentenceOf(j)
	if d.terms[j].what&you != 0 {
		return j+1 < s.end && d.terms[j+1].role&modal != 0
	}
	if d.terms[j].what&nowOn != 0 {
		return true
	}
	return d.mood(s, j) == order
}

// sentenceOf gives the sentence of a term.
func (d *document) sentenceOf(i int) *sentence {
	lo, hi := 0, len(d.sentences)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if d.sentences[mid].end <= i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return &d.sentences[lo]
}

// shown reports whether the fenced block of term i is shown by the text before
// it: there are words outside, and the last of them do not order to use it.
func (d *document) shown(i int) bool {
	fence := d.terms[i].fence
	j := i
	for j >= 0 && d.terms[j].fence == fence {
		j--
	}
	if j < 0 {
		return false
	}
	if n := d.sentenceOf(j); n.role&(report|cites) != 0 {
		return true
	} else if n.what&(follow|run|say|always) != 0 && d.commandsOrRuns(n) {
		return false
	}
	return j >= 3
}

// commandsOrRuns reports whether a sentence orders to use what follows it.
func (d *document) commandsOrRuns(s *sentence) bool {
	for k := s.begin; k < s.end; k++ {
		if d.terms[k].what&(follow|run|say) != 0 && d.mood(s, k) == order {
			return true
		}
	}
	return false
}
