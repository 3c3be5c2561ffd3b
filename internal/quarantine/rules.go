package quarantine

// yours are the instructions of the reader: those of others are nobody's business.
const yours = prior | all | your | told

// rules_ are the intents that are looked for.
var rules_ = []rule{
	// Setting aside what the agent was told.
	{kind: Override, reason: "sets earlier instructions aside", when: ordered, needs: []set{drop, prior | told | your, rules | prompt | told}, but: report},
	{kind: Override, reason: "sets all instructions aside", when: ordered, needs: []set{drop, all, rules | prompt | told}, within: 6, but: report},
	{kind: Override, reason: "sets aside what the agent was told", when: ordered, needs: []set{drop, told}},
	{kind: Override, reason: "sets the system prompt aside", when: ordered, needs: []set{drop | undo, prompt}},
	{kind: Override, reason: "sets earlier instructions aside", when: ordered, needs: []set{undo, prior | told | your, rules | prompt | told}, within: 7, but: report | limit},
	{kind: Override, reason: "sets aside what comes before", when: ordered, needs: []set{drop, above}, within: 5},
	{kind: Override, reason: "forbids to follow instructions", when: forbidden, needs: []set{follow, prior | all | your | told | human, rules | prompt | told}},
	{kind: Override, reason: "forbids to follow what the agent was told", when: forbidden, needs: []set{follow, told | prompt}},
	{kind: Override, reason: "sets aside what people say", when: ordered, needs: []set{drop | refuse, human | boss, rules | told | answers | change | says}, within: 6, but: report},
	{kind: Override, reason: "declares instructions void", when: stated, needs: []set{void, prompt | told}},
	{kind: Override, reason: "declares instructions void", when: stated, needs: []set{void, rules, you | your | above, prior | all | you | your}, within: 9, but: report},
	{kind: Override, reason: "declares instructions void", when: stated, needs: []set{void, rules, all, prior}, within: 9, but: report},
	{kind: Override, reason: "claims to outrank other instructions", when: stated, needs: []set{outrank, thisNote, prompt | told}},
	{kind: Override, reason: "claims to outrank other instructions", when: stated, needs: []set{outrank, thisNote, rules, all | your | boss | you | above}},
	{kind: Override, reason: "claims the highest authority", when: stated, needs: []set{topRank, thisNote}},
	{kind: Override, reason: "speaks to the agent as its master", when: stated, needs: []set{claim}, but: report},
	{kind: Override, reason: "speaks as the system", when: labelled, needs: []set{boss, you | agent | drop | undo | mode | free | follow | rules}, within: 8, but: report},
	{kind: Override, reason: "gives the agent other rules", when: stated, needs: []set{nowOn, become | mode | free | whatever}},
	{kind: Override, reason: "gives the agent other rules", when: stated, needs: []set{nowOn, you, act | prompt | thisNote | agent}, within: 6},
	{kind: Override, reason: "gives the agent another role", when: stated, needs: []set{become, agent | free | mode | boss | rights}, within: 8},
	{kind: Override, reason: "gives the agent another role", when: ordered, needs: []set{act, free | boss | agent | rights | mode | void}, within: 8, but: report},
	{kind: Override, reason: "lifts the agent's restrictions", when: stated, needs: []set{free, you, rules | agent | mode | free}, within: 8},
	{kind: Override, reason: "lifts the agent's restrictions", when: ordered, needs: []set{say, free}, within: 6},
	{kind: Override, reason: "switches the agent's mode", when: stated, needs: []set{mode, you | act | become}, within: 6, but: report},
	{kind: Override, reason: "gives orders to whoever reads it", when: stated, needs: []set{agent | anyone | you, reads, thisNote | matter, owe}, row: true, within: 9, but: report},
	{kind: Override, reason: "gives orders to whoever reads it", when: stated, needs: []set{agent | anyone, thisNote | matter, reads, owe}, row: true, within: 9, but: report},
	{kind: Override, reason: "gives orders to whoever reads it", when: stated, needs: []set{reads, thisNote, agent | anyone | you, owe}, row: true, within: 9, but: report},
	{kind: Override, reason: "asks to obey without judging", when: stated, needs: []set{whatever, told | rules | thisNote | dest | says | boss | prompt}, within: 8, but: report},
	{kind: Override, reason: "asks to obey this note alone", when: ordered, needs: []set{follow, thisNote, only | always | topRank | outrank}, within: 8},
	{kind: Override, reason: "has itself taken for instructions", when: ordered, needs: []set{follow, thisNote, prompt}, within: 8},
	{kind: Override, reason: "declares instructions void", when: ordered, needs: []set{follow, void, rules | prompt | told}, within: 8},
	{kind: Override, reason: "dictates what the agent answers", when: ordered, needs: []set{dictate}, but: tests},
	{kind: Override, reason: "has the agent refuse its work", when: ordered, needs: []set{refuse, all, change | rules | human}, within: 6},

	// Carrying out.
	{kind: PassOn, reason: "sends secrets away", when: ordered, needs: []set{send, secret, dest}},
	{kind: PassOn, reason: "sends data away unasked", when: ordered, needs: []set{send, token, dest, always | behind | unasked | quiet | all}},
	{kind: PassOn, reason: "puts secrets into answers", when: ordered, needs: []set{spread | say | reveal, secret, answers}, within: 8},
	{kind: PassOn, reason: "reveals the agent's instructions", when: ordered, needs: []set{say | reveal | spread | send, prompt}, within: 6},
	{kind: PassOn, reason: "shows an image that carries data out", when: ordered, needs: []set{spread | say | reveal, image, dest, secret | token}},

	// Spreading.
	{kind: PassOn, reason: "spreads itself", when: ordered, needs: []set{spread | send | say, thisNote, all | always, answers | pages | fellow}, within: 10},
	{kind: PassOn, reason: "has something put into every answer", when: ordered, needs: []set{spread | say, all | always | your, answers}, within: 6},
	{kind: PassOn, reason: "has something put into every answer", when: stated, needs: []set{all, answers, owe, spread}, row: true, within: 6},
	{kind: PassOn, reason: "spreads to other agents", when: ordered, needs: []set{spread | send | reveal, fellow}, within: 8},

	// Hiding.
	{kind: PassOn, reason: "hides from people", when: forbidden, needs: []set{reveal, human, matter | thisNote}, within: 6},
	{kind: PassOn, reason: "hides itself", when: forbidden, needs: []set{reveal, thisNote | prompt}, within: 5},
	{kind: PassOn, reason: "hides from people", when: ordered, needs: []set{hide, human | thisNote | matter}, within: 6},
	{kind: PassOn, reason: "asks for secrecy", when: stated, needs: []set{hush}},
	{kind: PassOn, reason: "goes behind people's backs", when: bidden, needs: []set{behind}},
	{kind: PassOn, reason: "acts in secret", when: bidden, needs: []set{quiet, send | run | erase | disable | approve | spread | grant, secret | dest | guard | data | change | code | rights | backdoor | checks}},
	{kind: PassOn, reason: "acts without asking", when: bidden, needs: []set{unasked, run | erase | approve | send | disable | grant | follow | spread, all | always | code | data | change | dest | secret | guard | rights | thisNote}},

	// Commands.
	{kind: Command, reason: "runs what it fetches", when: bidden, needs: []set{fetchRun, always}},
	{kind: Command, reason: "runs what it fetches", when: ordered, needs: []set{run, fetchRun}, within: 4, but: limit},
	{kind: Command, reason: "runs whatever it is given", when: ordered, needs: []set{run, all, code, told | human | dest | anyone | says}, within: 8},
	{kind: Command, reason: "destroys data", when: ordered, needs: []set{destroy}, but: report},
	{kind: Command, reason: "destroys data", when: ordered, needs: []set{erase, data}, within: 5, but: limit},
	{kind: Command, reason: "takes protection away", when: ordered, needs: []set{disable, guard}, within: 6, but: limit},
	{kind: Command, reason: "takes checks away", when: ordered, needs: []set{disable, checks, always | all | quiet | behind | unasked}, within: 8, but: limit},
	{kind: Command, reason: "approves everything", when: ordered, needs: []set{approve, change, all | always | unasked}, within: 8},
	{kind: Command, reason: "builds in a backdoor", when: ordered, needs: []set{spread | grant, backdoor}, within: 7},
	{kind: Command, reason: "gives rights away", when: ordered, needs: []set{grant, rights, anyone | all}, within: 7},
}
