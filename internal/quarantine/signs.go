package quarantine

import (
	"cmp"
	"slices"
)

// sign is a weak sign of an order to the reading agent: harmless notes have one now and then,
// but not several in one passage.
type sign uint32

// The signs.
const (
	reader    sign = 1 << iota // speaks to whoever reads it as an agent
	bots                       // obliges agents
	itself                     // speaks of the note itself
	chief                      // speaks of whom the agent works for
	limits                     // speaks of the limits that the agent has
	devalues                   // says that something no longer holds
	master                     // claims authority over the agent
	secrecy                    // has something kept from people
	lie                        // has something false said, or traces covered
	unchecked                  // has nobody asked, nothing checked
	standing                   // holds always and everywhere
	heirloom                   // is to be carried on
	leak                       // has secrets written or sent
	away                       // sends something to an address
	unguard                    // takes protection away
	ruin                       // destroys or gives away
	pressure                   // threatens, rewards, hurries
	persona                    // gives another name or nature
	obey                       // has texts carried out
	heeds                      // has the note followed
	stealth                    // is done in secret
	copies                     // has the note copied
	shed                       // has the agent leave its role and its limits behind
	disown                     // sets the people aside that the agent works for
	waive                      // does away with approval for good
	relay                      // is told to the next agent
	resume                     // has the agent go on with its task only afterwards
	expose                     // makes the agent's instructions public
)

// hint gives a sign to words and phrases, which are written as in an entry.
type hint struct {
	sign  sign
	words string
}

// worth says how much each sign counts and what it is called.
var worth = []struct {
	sign   sign
	points int
	kind   string
	reason string
}{
	{persona, 5, Override, "gives the agent another nature"},
	{master, 6, Override, "claims authority over the agent"},
	{obey, 6, Override, "has texts obeyed"},
	{heirloom, 5, PassOn, "spreads itself"},
	{leak, 4, PassOn, "gives secrets away"},
	{secrecy, 5, PassOn, "hides from people"},
	{lie, 6, PassOn, "deceives people"},
	{unguard, 4, Command, "takes protection away"},
	{ruin, 4, Command, "destroys or gives away"},
	{disown, 6, Override, "sets people aside"},
	{shed, 7, Override, "has the agent leave its limits behind"},
	{waive, 7, Override, "does away with approval"},
	{relay, 6, PassOn, "spreads to the next agent"},
	{expose, 7, PassOn, "reveals the agent's instructions"},
	{reader, 4, Override, "speaks to the reading agent"},
	{away, 4, PassOn, "sends data away"},
	{devalues, 2, Override, "sets aside what holds"},
	{limits, 2, Override, "speaks of the agent's limits"},
	{chief, 4, Override, "speaks of whom the agent works for"},
	{unchecked, 2, Command, "has nobody asked, nothing checked"},
	{standing, 2, Command, "holds always"},
	{pressure, 3, Override, "puts the agent under pressure"},
	{stealth, 3, PassOn, "acts in secret"},
	{copies, 4, PassOn, "has itself copied"},
	{heeds, 2, Override, "has itself followed"},
	{resume, 3, PassOn, "goes before the agent's task"},
	{bots, 1, Override, "obliges agents"},
	{itself, 3, Override, "speaks of itself"},
}

// How many points a passage needs to be found.
const (
	enough  = 9
	certain = 14 // where it speaks of attacks as well
)

// evidence is what the signs of a passage come to.
type evidence struct {
	signs      sign
	begin, end int  // the first and last term of a sign
	report     bool // it speaks of texts such as this
}

// add enters the signs between two terms.
func (e *evidence) add(s sign, begin, end int) {
	if e.signs == 0 {
		e.begin = begin
	}
	e.signs |= s
	e.begin, e.end = min(e.begin, begin), max(e.end, end)
}

// verdict gives the points of the signs, and kind and reason of the one that counts most.
func (s sign) verdict() (points int, kind, reason string) {
	for _, w := range worth {
		if s&w.sign == 0 {
			continue
		}
		if points == 0 {
			kind, reason = w.kind, w.reason
		}
		points += w.points
	}
	return points, kind, reason
}

// weigh adds up the signs of each passage, and adds to what was found the passages
// that have enough of them and nothing found in them yet.
func (d *document) weigh(found []Finding) []Finding {
	found = join(found)
	var weighed []Finding
	var e evidence
	passage := int32(-1)
	flush := func() {
		if points, kind, reason := e.signs.verdict(); points >= enough && (!e.report || points >= certain) {
			f := d.finding(kind, reason, e.begin, e.end)
			at, _ := slices.BinarySearchFunc(found, f.Begin, func(g Finding, begin int) int { return cmp.Compare(g.End, begin+1) })
			if at == len(found) || found[at].Begin >= f.End {
				weighed = append(weighed, f)
			}
		}
		e = evidence{}
	}
	for i := range d.sentences {
		s := &d.sentences[i]
		if p := d.terms[s.begin].passage; p != passage {
			flush()
			passage = p
		}
		e.report = e.report || s.role&report != 0
		d.eachSign(s, e.add)
	}
	flush()
	return append(found, weighed...)
}

// eachSign gives the signs of a sentence, unless it speaks of texts such as this.
func (d *document) eachSign(s *sentence, add func(s sign, begin, end int)) {
	if s.role&report != 0 || s.asked && !d.politely(s) {
		return
	}
	for i := s.begin; i < s.end; i++ {
		if t := &d.terms[i]; t.sign != 0 && !d.denied(s, i) && !d.reported(i) {
			add(t.sign, i, i)
		}
	}
	for i := range hints {
		r := &hints[i].rule
		if !r.possible(s) {
			continue
		}
		if begin, end, ok := d.apply(r, s); ok {
			add(hints[i].sign, begin, end)
		}
	}
}

// hints are rules that are no more than a sign.
var hints = []struct {
	sign sign
	rule rule
}{
	{reader, rule{when: stated, needs: []set{agent | anyone, reads, thisNote}, within: 7}},
	{reader, rule{when: stated, needs: []set{claim}}},
	{bots, rule{when: stated, needs: []set{agent | fellow, owe}, within: 6}},
	{bots, rule{when: bidden, needs: []set{agent}}},
	{itself, rule{when: stated, needs: []set{thisNote}}},
	{devalues, rule{when: stated, needs: []set{void | outrank | topRank, rules | prompt | told | your | human | thisNote | boss}, within: 9}},
	{devalues, rule{when: ordered, needs: []set{drop, rules | prompt | told | your | human}}},
	{chief, rule{when: stated, needs: []set{your, human | boss}, within: 3}},
	{limits, rule{when: stated, needs: []set{prompt | told}}},
	{secrecy, rule{when: stated, needs: []set{hush | behind}}},
	{secrecy, rule{when: forbidden, needs: []set{reveal, matter | thisNote | human}, within: 5}},
	{secrecy, rule{when: ordered, needs: []set{hide, matter | thisNote | human | pages}, within: 6}},
	{stealth, rule{when: bidden, needs: []set{quiet}}},
	{unchecked, rule{when: stated, needs: []set{unasked}}},
	{standing, rule{when: stated, needs: []set{always | nowOn}}},
	{copies, rule{when: ordered, needs: []set{spread | send, thisNote}, within: 7}},
	{bots, rule{when: ordered, needs: []set{spread | send | reveal, fellow}, within: 7}},
	{leak, rule{when: ordered, needs: []set{send, secret | prompt}, within: 8}},
	{leak, rule{when: ordered, needs: []set{spread | reveal, secret | prompt, dest | answers | change}, within: 6}},
	{away, rule{when: ordered, needs: []set{send, dest}, within: 10}},
	{unguard, rule{when: ordered, needs: []set{disable, guard}, within: 5}},
	{unchecked, rule{when: ordered, needs: []set{disable, checks}, within: 5}},
	{ruin, rule{when: ordered, needs: []set{erase, data}, within: 5}},
	{ruin, rule{when: ordered, needs: []set{approve, change}, within: 6}},
	{ruin, rule{when: ordered, needs: []set{grant, rights}, within: 6}},
	{ruin, rule{when: stated, needs: []set{fetchRun | destroy | backdoor}}},
	{persona, rule{when: stated, needs: []set{become, agent | free | mode | boss}, within: 8}},
	{persona, rule{when: stated, needs: []set{free}}},
	{persona, rule{when: ordered, needs: []set{act, agent | free | boss}, within: 8}},
	{heeds, rule{when: ordered, needs: []set{follow, thisNote}, within: 6}},
	{obey, rule{when: stated, needs: []set{whatever}}},
	{obey, rule{when: ordered, needs: []set{run, told}, within: 8}},
}
