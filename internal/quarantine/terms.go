package quarantine

// term is a word or phrase with what it means.
type term struct {
	sense
	unit  // the first; end is the last one's
	known bool
}

// sentence is a row of terms that a stop ends.
type sentence struct {
	begin, end int // in terms
	what       set // of all of them
	role       role
	asked      bool
}

// document is a text cut into sentences of terms.
type document struct {
	*folded
	terms     []term
	sentences []sentence
	looked    int // runes up to which lines were searched for commands
}

// longestSentence is how many terms a sentence has at most.
const longestSentence = 300

// scan reads a folded text.
func scan(f *folded) *document {
	d := &document{folded: f}
	units, asked := cut(f)
	d.name(uncover(f, units))
	d.divide(asked)
	return d
}

// name gives the units their meaning: the longest phrase wins.
func (d *document) name(units []unit) {
	d.terms = make([]term, 0, len(units))
	for i := 0; i < len(units); {
		t, n := d.longest(units[i:])
		for j := i; j < i+n; j++ {
			if vocabulary().signalled(units[j].word) {
				t.sign |= signs(units[j:], 0, 0)
			}
		}
		d.structure(&t, units[i:])
		if i > 0 && t.gap <= comma && d.number(units[i-1]) {
			t.what &^= secret // "800 tokens"
		}
		d.terms = append(d.terms, t)
		i += n
	}
}

// number reports whether a unit is one.
func (d *document) number(u unit) bool {
	r := d.runes[u.end-1]
	return '0' <= r && r <= '9'
}

// longest gives the longest phrase at the front of units and its length, else the first unit alone.
func (d *document) longest(units []unit) (term, int) {
	t := term{unit: units[0]}
	n := d.walk(&t, units, 0, 0)
	if n == 0 {
		d.guess(&t)
		return t, 1
	}
	t.end = units[n-1].end
	t.known = true
	return t, n
}

// walk follows the phrases that units[i:] lead to from a node, and gives the
// length of the longest, 0 for none. A word may go on as itself or as what it begins with.
func (d *document) walk(t *term, units []unit, i int, node int32) int {
	if i == len(units) || i > 0 && units[i].gap > line {
		return 0
	}
	best := 0
	for _, id := range [2]int32{units[i].word.id, units[i].word.alt} {
		if id == 0 {
			break
		}
		next, ok := vocabulary().next[uint64(node)<<32|uint64(id)]
		if !ok {
			continue
		}
		n := d.walk(t, units, i+1, next)
		s := vocabulary().senses[next]
		switch {
		case n > best:
			best = n
		case n > 0 || s.lang == 0:
		case best <= i:
			t.sense, best = s, i+1
		case best == i+1:
			t.what, t.role, t.lang = t.what|s.what, t.role|s.role, t.lang|s.lang
		}
	}
	return best
}

// signs gives the signs of all phrases at the front of units.
func signs(units []unit, i int, node int32) sign {
	if i == len(units) || i > 0 && units[i].gap > line {
		return 0
	}
	var found sign
	for _, id := range [2]int32{units[i].word.id, units[i].word.alt} {
		if id == 0 {
			break
		}
		if next, ok := vocabulary().next[uint64(node)<<32|uint64(id)]; ok {
			found |= vocabulary().senses[next].sign | signs(units, i+1, next)
		}
	}
	return found
}

// guess gives an unknown word its role by its ending.
func (d *document) guess(t *term) {
	switch t.kind {
	case urlKind, mailKind:
		t.what = dest
		return
	case pathKind:
		return
	}
	r := d.runes[t.begin:t.end]
	if n := len(r); n > 4 && r[n-1] == 'y' && r[n-2] == 'l' {
		t.role = soft
	}
}

// plural reports whether an unknown word looks like the plural of a noun.
func (d *document) plural(t *term) bool {
	n := t.end - t.begin
	return n > 2 && d.runes[t.end-1] == 's' && d.runes[t.end-2] != 's' && d.runes[t.end-2] != 'u'
}

// divide finds the sentences; the last may be a question.
func (d *document) divide(asked bool) {
	begin := 0
	flush := func(end int) {
		if begin == end {
			return
		}
		s := sentence{begin: begin, end: end, asked: end < len(d.terms) && d.terms[end].asked || end == len(d.terms) && asked}
		for i := begin; i < end; i++ {
			s.what |= d.terms[i].what
			s.role |= d.terms[i].role
		}
		d.sentences = append(d.sentences, s)
		begin = end
	}
	for i := range d.terms {
		if i > begin && (d.terms[i].gap == stop || i-begin >= longestSentence) {
			flush(i)
		}
	}
	flush(len(d.terms))
}
