package memory

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/rawko/memory/internal/replyjson"
)

// maxReply is the longest reply that is read, in bytes.
const maxReply = 1 << 20

// answerKeys are the keys that an answer may have, at the top or in its
// frontmatter, as [replyjson.Fold] gives them. All others are left out: where a
// memory comes from is the host's to say.
var answerKeys = [...]string{"shouldcreatememory", "memorytitle", "frontmatter", "content", "evidence", "contradicts", "reasoning",
	"title", "whentouse", "tags", "importance", "source", "relatedmemories"}

// ParseExtraction reads what a model answered to an extraction prompt:
//
//	{
//	  "shouldCreateMemory": true,
//	  "memoryTitle": "OAuth2 Integration Was Too Broad",
//	  "frontmatter": {"whenToUse": ["oauth|login"], "tags": ["failures"], "importance": "high",
//	                  "source": "File: docs/scope.md", "relatedMemories": []},
//	  "content": "Markdown",
//	  "evidence": "the words of the output that show it",
//	  "contradicts": "name of an existing memory that this corrects, or empty",
//	  "reasoning": "why"
//	}
//
// Of a reply it reads the last
// JSON object in the reply that says shouldCreateMemory, or has a title and
// content. Reading is lenient: text, fences and thinking around the object, JSON
// that is broken in the usual ways, keys in another case or place, and an end
// that is missing are understood, and what a person should look at is in Warnings.
//
// Action is Skipped (Memory is nil), Created, or Corrected, with Name the
// memory that the answer contradicts, unchecked. Memory has Title, WhenToUse,
// Tags, Importance, Source, RelatedMemories and Body as far as the reply gave
// them, in valid UTF-8 and without control characters; triggers are not
// compiled. Provenance and unknown keys are left out and named in Removed.
//
// The error is a [*ReplyError]: the reply is past 1 MiB, has no such object, or
// wants a memory without giving its title or content, or has one of the keys
// twice, as quotes without a backslash make it. An object that another one quotes
// is no answer.
func ParseExtraction(reply string) (*Extraction, error) {
	if len(reply) > maxReply {
		return nil, &ReplyError{reply, fmt.Sprintf("the reply has %d bytes; at most %d can be read", len(reply), maxReply)}
	}
	text := cleanText(reply)
	var unfit *replyjson.Object // the last one that would have been an answer
	inner := false              // one was, and is not believed where it stands
	budget := maxYAML
	found, broken := replyjson.Find(text, replyjson.Schema{Keys: answerKeys[:], Decision: answerKeys[0], Fits: func(o *replyjson.Object) bool {
		fits := isAnswer(o, &budget)
		inner = inner || fits
		if !fits && isGiven(o.Get("shouldcreatememory")) {
			unfit = o
		}
		return fits
	}})
	if len(found) == 0 {
		return nil, &ReplyError{reply, noAnswer(text, unfit, inner, broken)}
	}
	budget = maxYAML
	a := newAnswer(&found[len(found)-1], &budget)
	if fault := a.inDoubt(); fault != "" {
		return nil, &ReplyError{reply, fault}
	}
	if a.found.Draft {
		a.warn("the answer stood in a block of thinking, with none behind it")
	}
	if len(found) > 1 {
		a.warn("the reply has %d answers; the last one counts", len(found))
	}
	if a.found.Behind {
		a.warn("what begins like another answer stands behind it and cannot be read")
	}
	x, fault := a.extraction()
	if fault != "" {
		return nil, &ReplyError{reply, fault}
	}
	return x, nil
}

// cleanText brings line breaks into one form, and takes out what no text of a
// memory may have. Invisible characters stay: they are a sign of a hostile text,
// which is looked for later.
func cleanText(s string) string {
	s = lineEnds.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u0085':
			return '\n'
		case unicode.IsControl(r) && r != '\n' && r != '\t':
			return -1
		}
		return r
	}, s)
}

// noAnswer says what a reply without an answer lacks.
func noAnswer(text string, unfit *replyjson.Object, inner, broken bool) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "the reply is empty"
	case unfit != nil:
		if _, ok := readBool(unfit.Get("shouldcreatememory")); ok {
			return "content says nothing although shouldCreateMemory is true"
		}
		return "shouldCreateMemory is neither true nor false"
	case inner:
		return "shouldCreateMemory stands only inside of another object; the answer has to be the outermost one"
	case broken:
		return "the JSON object cannot be read; put each key and text in double quotes, and a backslash before each quote in a text"
	}
	return "the reply has no JSON object with shouldCreateMemory"
}

// isAnswer reports whether an object is one. A template is none, which only
// describes shouldCreateMemory, or has "..." for content or reasoning.
func isAnswer(o *replyjson.Object, budget *int) bool {
	none := 0
	if !o.Has(answerKeys[0]) {
		none = min(*budget, 1) // the title may be in YAML
		*budget -= none
	}
	a := newAnswer(&replyjson.Found{Object: o}, &none)
	content := a.value("content")
	texts, _ := replyjson.Texts(content)
	filled := isCut(texts) || len(texts) == 0 || hasWord(joined(texts))
	should := a.should()
	if isGiven(should) {
		create, ok := readBool(should)
		reasoning := a.prose("reasoning")
		return ok && (create && filled || !create && (reasoning == "" || hasWord(reasoning)))
	}
	return filled && isGiven(content) && a.hasTitle()
}

// inDoubt says why an answer is not believed: its parts may be of what it quotes.
func (a *answer) inDoubt() string {
	switch {
	case a.found.Twice != "":
		return keyName(a.found.Twice) + " stands twice; put a backslash before each quote within a text"
	case a.found.Torn:
		return "it is not clear where the JSON object ends; put a backslash before each quote within a text"
	}
	return ""
}

// should is the decision, which only the top of the answer can hold.
func (a *answer) should() any { return a.found.Object.Get(answerKeys[0]) }

// extraction makes the result. fault says why there is none.
func (a *answer) extraction() (x *Extraction, fault string) {
	x = &Extraction{Action: Created, Reasoning: a.prose("reasoning"), Evidence: a.prose("evidence")}
	should, given := readBool(a.should())
	if given && !should {
		a.skip(x)
	} else if fault = a.create(x); fault != "" {
		return nil, fault
	}
	if !given {
		a.warn("shouldCreateMemory is missing; taken as true, since title and content are given")
	}
	if x.Reasoning == "" {
		a.warn("reasoning is missing")
	}
	a.warnOfEnd()
	x.Warnings = a.warnings
	return x, ""
}

func (a *answer) skip(x *Extraction) {
	x.Action, x.Reason = Skipped, "the model found nothing worth keeping"
	if isGiven(a.value("content")) && a.hasTitle() {
		a.warn("shouldCreateMemory is false, but title and content are given; skipped")
	}
}

func (a *answer) create(x *Extraction) (fault string) {
	if x.Memory, fault = a.memory(); fault != "" {
		return fault
	}
	if x.Name = a.contradicts(); x.Name != "" {
		x.Action = Corrected
	}
	a.unknownKeys()
	x.Removed = a.removed
	return ""
}

// memory reads all that is kept.
func (a *answer) memory() (*Memory, string) {
	m := &Memory{}
	var fault string
	if m.Body, fault = a.body(); fault != "" {
		return nil, fault
	}
	m.Title = a.title(m.Body)
	if m.Title == "" {
		return nil, "memoryTitle is missing although shouldCreateMemory is true"
	}
	m.WhenToUse = a.triggers()
	m.Tags = a.list("tags")
	m.Source = a.line("source")
	m.RelatedMemories = a.list("relatedMemories")
	m.Importance = a.importance()
	a.fill(&m.Frontmatter)
	if len(m.WhenToUse) == 0 {
		a.warn("whenToUse is missing; nothing would recall the memory")
	}
	switch {
	case m.Importance != 0:
	case a.line("importance") != "":
		a.warn("importance is none of low, medium, high and critical; medium will be used")
	default:
		a.warn("importance is missing; medium will be used")
	}
	return m, ""
}

func (a *answer) hasTitle() bool {
	return hasWord(a.line("memoryTitle")) || hasWord(a.line("title")) || a.yamlTitle() != ""
}

// title reads the title. "" where even the body has none.
func (a *answer) title(body string) string {
	front := a.line("title")
	if !hasWord(front) {
		front = a.yamlTitle()
	}
	title := a.line("memoryTitle")
	switch {
	case !hasWord(title) && hasWord(front):
		return front
	case !hasWord(title):
		if title = firstHeading(body); title != "" {
			a.warn("memoryTitle is missing; the first heading of content is taken")
		}
		return title
	case hasWord(front) && foldTitle(front) != foldTitle(title):
		a.warn("frontmatter.title is another than memoryTitle, which counts")
	}
	return title
}

// hasWord tells a text from a "..." that stands in its place.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// contradicts gives the name of the memory that is corrected; "" for none.
func (a *answer) contradicts() string {
	names := a.texts("contradicts", oneLined)
	if len(names) == 0 {
		return ""
	}
	name := names[0]
	for before := ""; name != before; {
		before = name
		name = strings.TrimSpace(strings.TrimSuffix(strings.Trim(name, "`\"'"), suffix))
	}
	switch strings.ToLower(name) {
	case "null", "none", "n/a", "na", "no", "false", "nothing", "undefined":
		return ""
	}
	if len(names) > 1 {
		a.warn("contradicts names %d memories; the first one counts", len(names))
	}
	if hasWord(name) {
		return name
	}
	return ""
}

// warnOfEnd says what is missing of an answer that is cut.
func (a *answer) warnOfEnd() {
	texts, _ := replyjson.Texts(a.value("content"))
	switch {
	case !a.found.Cut:
	case isCut(texts):
		a.warn("the reply ends in the middle of content; what is there is used")
	case a.found.Lost != "":
		a.warn("the reply ends in the middle of %s", keyName(a.found.Lost))
	default:
		a.warn("the JSON object is not closed; its end may be missing")
	}
}
