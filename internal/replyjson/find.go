// Package replyjson finds the JSON objects in what a model replied, and reads
// them although they are broken in the ways of models.
//
// An object is read in three steps. Its strings are taken out and kept as they
// are written, escapes and all. What is left, the skeleton, is read by
// encoding/json, and only where that fails it is mended by a repair library.
// Then the strings are put back. So no guess about the structure can change a
// text, and the time that a repair takes depends on the skeleton alone.
package replyjson

import "strings"

// Bounds of the work on one reply, whatever it holds.
const (
	maxDepth    = 32       // of lists and objects in each other
	maxSkeleton = 32 << 10 // bytes that are given to the repair, whose time grows with their square
	maxRepairs  = 8        // calls of the repair
	maxWork     = 8 << 20  // bytes that are looked at, those of a second look included
)

// Schema says what is looked for.
type Schema struct {
	Keys     []string           // those that an answer can have, as [Fold] gives them
	Decision string             // the one of them that decides; an object that has it owns all that is in it
	Fits     func(*Object) bool // whether an object is an answer
}

// Found is an object that fits.
type Found struct {
	Object *Object
	Draft  bool   // it stood in a block of thinking
	Cut    bool   // it does not end
	Lost   string // the key, of the outermost object, in whose text it is cut; "": in none
	Behind bool   // what begins like another one stands behind it, and cannot be read
	Twice  string // a known key that stands twice in it; "" for none
	Torn   bool   // what stands behind it, or between it and others, reads like the rest of it
}

// Find gives the objects that fit, in the order of the text. One inside of
// another is looked for only where the outer one has no known key and no other
// in it: what an answer quotes is none. Blocks of thinking
// (<think>, <thinking>, <thought>, <reasoning>) count only where nothing outside
// of them fits. broken says that something began like an answer and could not be
// read. The text has to be valid UTF-8.
func Find(text string, schema Schema) (found []Found, broken bool) {
	f := &finder{text: text, schema: schema, known: make(map[string]bool, len(schema.Keys))}
	for _, key := range schema.Keys {
		f.known[key] = true
	}
	if found = f.answers(); len(found) > 0 {
		return found, false
	}
	if f.work >= maxWork || f.doubt {
		return nil, true
	}
	if inner, ok := encoded(text); ok { // an object in a string, as arguments of a tool are
		f.text, f.tags = inner, false
		if found = f.answers(); len(found) > 0 {
			return found, false
		}
	}
	return nil, f.broken || f.work >= maxWork
}

// answers gives the objects that fit outside of blocks of thinking, or else those
// inside. Where the work became too much it gives none, as the last is not known.
func (f *finder) answers() []Found {
	f.search(true)
	answers := f.found[f.drafts:]
	if len(answers) == 0 {
		if f.tags {
			f.found, f.drafts = nil, 0
			f.search(false)
		}
		answers = f.found
		if f.doubt {
			answers = nil
		}
		for i := range answers {
			answers[i].Draft = true
		}
	}
	if len(answers) == 0 || f.work >= maxWork {
		return nil
	}
	last := &answers[len(answers)-1]
	last.Behind = f.broken
	last.Torn = f.orphan && (f.loose || len(answers) > 1)
	return answers
}

// encoded gives the text of the first string that begins with a brace.
func encoded(text string) (string, bool) {
	at := strings.Index(text, `"{`)
	if at < 0 {
		return "", false
	}
	if end, ok := strictEnd(text, at); ok {
		return Text{raw: text[at+1 : end-1]}.String(), true
	}
	return Text{raw: text[at+1:], Cut: true}.String(), true
}

// finder walks over a reply.
type finder struct {
	text    string
	schema  Schema
	known   map[string]bool
	found   []Found
	drafts  int  // how many of found are of a block of thinking that had no beginning
	tags    bool // there are blocks of thinking
	broken  bool // behind the last one found
	doubt   bool // an object owns what is in it, and is no answer that can be read
	loose   bool // an answer was found by guesses
	orphan  bool // behind an answer and outside of all objects stood what is the rest of one
	work    int
	repairs int
}

// search looks at each brace outside of the objects found; with skip it passes
// over blocks of thinking. One that is not closed takes all that follows.
func (f *finder) search(skip bool) {
	for at := 0; at < len(f.text) && f.work < maxWork; {
		next := strings.IndexAny(f.text[at:], "{<")
		if next < 0 {
			f.gap(f.text[at:])
			return
		}
		f.gap(f.text[at : at+next])
		at += next
		if f.text[at] == '{' {
			at = f.object(at)
			continue
		}
		if tag := thinkTag(f.text[at:]); skip && tag != "" {
			f.tags = true
			at = f.passBlock(at, tag)
			continue
		}
		at++
	}
}

// passBlock gives the end of the block of thinking that a tag at at begins. A
// closing tag ends one whose beginning was in the prompt: all before it is thinking.
func (f *finder) passBlock(at int, tag string) int {
	if strings.HasPrefix(tag, "</") {
		f.drafts = len(f.found)
		f.doubt, f.loose, f.orphan = false, false, false
		return at + len(tag)
	}
	end := indexFold(f.text[at:], "</"+tag[1:])
	if end < 0 {
		return len(f.text)
	}
	return at + end + len(tag) + 1
}

// object reads the object at at, and gives where to look further.
func (f *finder) object(at int) int {
	next, owned := at+1, false
	for _, strict := range []bool{true, false} {
		s := &scanner{text: f.text, known: f.known, decision: f.schema.Decision, strict: strict, pos: at}
		ok := s.object()
		f.work += s.pos - at + 1
		if ok && strict {
			next = s.pos // of what is broken, too, if it does decide
		}
		owned = owned || s.decided
		if !ok {
			f.broken = f.broken || !strict && s.familiar
			continue
		}
		if o := f.build(s); o != nil {
			return f.judge(o, at, s)
		}
	}
	if !owned {
		return at + 1
	}
	f.doubt = true
	if next == at+1 { // nobody knows where it ends
		return len(f.text)
	}
	return next
}

// judge takes an object that was read for an answer, or looks into it.
func (f *finder) judge(o *Object, at int, s *scanner) int {
	owns := o.Has(f.schema.Decision)
	fits := (owns || !f.decides(o)) && f.schema.Fits(o)
	twice := f.twice(o)
	switch {
	case twice != "" && !s.strict && (owns || fits): // its end is a guess, too
		f.add(Found{Object: o, Twice: twice}, s)
		return len(f.text)
	case fits:
		f.add(Found{Object: o, Cut: s.cut, Lost: s.lost, Twice: twice}, s)
	case owns:
		f.doubt = true
	default:
		return f.wrapper(o, at, s)
	}
	return s.pos
}

// build makes an object of what was scanned; nil where it cannot be read.
func (f *finder) build(s *scanner) *Object {
	skeleton := s.out.String()
	if o := decode(skeleton, s.texts); o != nil {
		return o
	}
	if s.strict || !s.familiar {
		return nil
	}
	if o := f.mend(skeleton, s.texts); o != nil {
		return o
	}
	f.broken = true
	return nil
}

// mend has the skeleton repaired, as often as that is bounded.
func (f *finder) mend(skeleton string, texts []Text) *Object {
	if len(skeleton) > maxSkeleton || f.repairs >= maxRepairs {
		return nil
	}
	f.repairs++
	mended, ok := repair(skeleton)
	if !ok {
		return nil
	}
	return decode(mended, texts)
}

var thinkTags = [...]string{"<think>", "</think>", "<thinking>", "</thinking>",
	"<thought>", "</thought>", "<reasoning>", "</reasoning>"}

// thinkTag gives the tag with which text begins, in lower case.
func thinkTag(text string) string {
	for _, tag := range thinkTags {
		if len(text) >= len(tag) && strings.EqualFold(text[:len(tag)], tag) {
			return tag
		}
	}
	return ""
}

// indexFold is where a tag begins in text, in any case; -1 for nowhere.
func indexFold(text, tag string) int {
	for at := 0; ; at++ {
		next := strings.Index(text[at:], tag[:2])
		if next < 0 || at+next+len(tag) > len(text) {
			return -1
		}
		at += next
		if strings.EqualFold(text[at:at+len(tag)], tag) {
			return at
		}
	}
}
