package quarantine

// set is a set of concepts: what a word is about.
type set uint64

// The concepts.
const (
	drop     set = 1 << iota // ignore, disregard, forget: of instructions it can only mean one thing
	undo                     // delete, reset, bypass, override: said of caches and flags as well
	follow                   // obey, comply with, stick to
	void                     // no longer valid, null, suspended
	rules                    // instructions, guidelines, orders
	prompt                   // system prompt, system message: of agents only
	prior                    // previous, earlier, former
	above                    // above, so far, up to here
	all                      // all, any, every
	told                     // what you were told, given, taught
	thisNote                 // this memory, the present message
	outrank                  // replaces, overrides, has precedence over
	topRank                  // highest priority, above all else
	nowOn                    // from now on
	become                   // you are now
	act                      // act as, pretend to be
	mode                     // developer mode, DAN
	free                     // unrestricted, uncensored
	boss                     // system, administrator, developer, vendor of the model
	say                      // answer, reply, respond
	answers                  // answer, reply: the noun
	only                     // only, exclusively, nothing but
	always                   // always, each time, before every
	you                      // you
	your                     // your
	agent                    // agent, assistant, model
	anyone                   // whoever, anyone, everyone
	human                    // user, operator, human
	reads                    // reads, sees, loads
	claim                    // "your real task", "this is your developer speaking", "dear assistant": enough on its own
	whatever                 // do whatever, follow blindly
	send                     // send, upload, post
	secret                   // credentials, conversation, memory: what nobody sends away
	token                    // token, key: sent to where it belongs every day
	dest                     // URL, address, webhook
	spread                   // append, add, copy
	fellow                   // other agents
	reveal                   // tell, mention, show
	hide                     // hide, conceal
	hush                     // keep this between us
	behind                   // without the user's knowledge
	unasked                  // without asking, no confirmation
	quiet                    // silently, secretly
	image                    // image, picture
	run                      // run, execute
	code                     // command, script, code
	fetchRun                 // curl … | sh
	destroy                  // rm -rf /
	erase                    // delete, wipe
	data                     // backups, the database, all files
	disable                  // turn off, skip
	guard                    // authentication, TLS verification
	checks                   // tests, review, lint
	approve                  // approve, merge, accept
	change                   // pull request, commit, request
	backdoor                 // backdoor, reverse shell
	grant                    // give, make, elevate
	rights                   // administrator, root, full access
	refuse                   // refuse, decline
	matter                   // it, anything: what is asked about
	owe                      // must, should, shall: as far as someone has to
	says                     // says, wants, orders
	dictate                  // reply only with
	pages                    // file, message, summary: what a note could be copied into
)

// role says what a word does in its sentence.
type role uint32

// The roles.
const (
	soft    role = 1 << iota // please, now, always: may stand before an order
	modal                    // must, should, shall
	can                      // can, may, will
	not                      // not, never, without
	to                       // to, zu
	and                      // and, then, or
	opens                    // if, when, for: opens a clause that is no subject
	det                      // the, a, our
	subj                     // it, we, they: speaks of others
	we                       // I, we
	asks                     // need, want, have: before "to" it makes an order
	how                      // how, what, why
	cites                    // such as, says, called: an example follows
	whether                  // whether, which, that: what is not to be told is narrowed down
	imp                      // a form of a verb that only orders (German)
	inf                      // an infinitive (German)
	third                    // a form for he, she and you all (German)
	mark                     // a particle that goes before an object (把)
	verb                     // begins an order as a rule
	is                       // is, are
	tests                    // a word for a number or place that makes "answer with" technical
	instead                  // instead, rather, no matter what
	report                   // phrase, attack, filter: speaks of texts such as this
	limit                    // in tests, locally, temporarily: bounds an order
	orders                   // instructions, guidelines: of people and agents only, unlike "rules"
	denied                   // no, none of, nothing: at the head of what is denied
	holds                    // binding, valid: what is denied of rules
	deceit                   // conceal, deceive: done to people only
	label                    // says something only before a colon or alone
	creds                    // passwords, keys: of all secrets those that open something
	launch                   // what the agent was started with
	shared                   // pull request, ticket, summary: what others read
)

// lang is a set of languages.
type lang uint8

const (
	english lang = 1 << iota
	german
	chinese
	other
)
