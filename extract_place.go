package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/resemble"
)

const (
	nearDuplicate = 0.6 // Jaccard index of the runs of words
	maxCompared   = 8   // memories that are read to see whether they say the same
	maxRecalled   = 20  // of the listed memories, those that the run recalls; the rest are those that it resembles
)

// errNothingNew: what is there says it already.
var errNothingNew = errors.New("nothing new")

// errMoved: the memory has become another's since it was looked for.
var errMoved = errors.New("moved")

// concerning gives the memories that a run recalls, was given, or resembles, at
// most 30.
func (b *Bank) concerning(ctx context.Context, r *Run, maxOutput int) ([]Match, error) {
	output, _ := headAndTail(r.Output, maxOutput)
	task, _ := headAndTail(r.Task, maxTask)
	fault, _ := headAndTail(r.Err, maxTask)
	text := strings.Join([]string{task, fault, output}, "\n\n")
	found, err := b.recall(ctx, &Query{Task: text, Agent: r.Agent, Max: maxListed})
	if err != nil {
		return nil, err
	}
	recalled := found.matches
	slices.SortFunc(recalled, func(a, b Match) int { // not by score: its points for recency change with time
		return cmp.Or(
			cmp.Compare(b.Strength, a.Strength),
			cmp.Compare(cmp.Or(b.Frontmatter.Importance, Medium), cmp.Or(a.Frontmatter.Importance, Medium)),
			b.Frontmatter.DiscoveredAt.Compare(a.Frontmatter.DiscoveredAt),
			strings.Compare(a.Name, b.Name),
		)
	})
	var listed []Match
	add := func(m Match) {
		if len(listed) < maxListed && !slices.ContainsFunc(listed, func(l Match) bool { return l.Name == m.Name }) {
			listed = append(listed, m)
		}
	}
	for _, m := range recalled[:min(len(recalled), maxRecalled)] {
		add(m)
	}
	err = b.ask(ctx, func(ix *index) {
		for _, m := range ix.titled(r.Injected) {
			add(Match{Name: m.name, Frontmatter: m.front})
		}
		for _, m := range append(ix.alike.saying(output), ix.alike.about(text)...) {
			if m.recallable() {
				add(Match{Name: m.name, Frontmatter: m.front})
			}
		}
	})
	for _, m := range recalled {
		add(m)
	}
	return listed, err
}

// titled gives the memories whose titles are headings of a block that was injected.
func (ix *index) titled(block string) []*indexed {
	var found []*indexed
	for line := range strings.Lines(block) {
		if title, ok := strings.CutPrefix(line, "### "); ok {
			if m := ix.entries[ix.titles[foldTitle(title)]]; m.recallable() {
				found = append(found, m)
			}
		}
	}
	return found
}

// learn places what was checked and appends it. A bank does so one after another:
// what is learned twice at once is found the second time.
func (b *Bank) learn(ctx context.Context, e *Extraction) error {
	select {
	case b.learning <- struct{}{}:
		defer func() { <-b.learning }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for range 3 { // a person may rename a file meanwhile
		home, err := b.home(ctx, e)
		if err != nil {
			return err
		}
		placed, action := e.placed(home)
		if placed == nil {
			e.nothingNew(home.Name)
			return nil
		}
		name, err := b.appendPlaced(ctx, e, home, placed)
		switch {
		case errors.Is(err, errTaken) || errors.Is(err, errMoved):
			continue
		case errors.Is(err, errNothingNew):
			e.nothingNew(home.Name)
			return nil
		case err != nil:
			return err
		}
		placed.Name = name
		e.Action, e.Name, e.Memory, e.draft = action, name, placed, nil
		return nil
	}
	return fmt.Errorf("its file is being renamed again and again, so nothing was appended: %w", errTaken)
}

// appendPlaced appends a memory as it was placed, and decides again under the
// store's lock.
func (b *Bank) appendPlaced(ctx context.Context, e *Extraction, home, placed *Memory) (name string, err error) {
	if home == nil {
		return b.appendNew(ctx, placed, func(*Memory) error { return errMoved })
	}
	return home.Name, b.appendTo(ctx, home.Name, placed, appending{accept: func(there *Memory) error {
		if !e.addsTo(there) {
			return errNothingNew
		}
		return nil
	}})
}

// place says what would become of what was checked. What is quarantined stays so.
func (b *Bank) place(ctx context.Context, e *Extraction) error {
	home, err := b.home(ctx, e)
	if err != nil {
		return err
	}
	placed, action := e.placed(home)
	if e.Name = ""; home != nil {
		e.Name = home.Name
	}
	switch {
	case placed == nil && e.Action != Quarantined:
		e.nothingNew(home.Name)
	case placed != nil && e.Action == Quarantined:
		e.Memory = placed
	case placed != nil:
		e.Memory, e.Action = placed, action
	}
	return nil
}

// placed gives what is to be appended to the memory where it belongs, or as one of
// its own where that is nil; nil where it would add nothing.
func (e *Extraction) placed(home *Memory) (*Memory, Action) {
	if home == nil {
		m := *e.draft
		m.Importance = cmp.Or(m.Importance, Medium)
		if short := shorten(m.Title, maxLearnedTitle); short != m.Title {
			e.warn("memoryTitle: it is longer than %d characters, and was cut", maxLearnedTitle)
			m.Title = short
		}
		if len(m.WhenToUse) == 0 {
			m.WhenToUse = []string{titleTrigger(&m)}
			e.warn("whenToUse: there is no usable trigger; the title's words are one: %q", m.WhenToUse[0])
		}
		if n := countWords(&m); n < fewestWords {
			e.warn("content: only %d of at least %d words", n, fewestWords)
		}
		return &m, Created
	}
	if !home.Retired.IsZero() {
		e.warn("%s is retired: what is added to it is kept, but not recalled", home.Name)
	}
	switch {
	case !e.addsTo(home):
		return nil, Skipped
	case e.corrects != "":
		return e.asUpdate(home), Corrected
	}
	return e.asUpdate(home), Updated
}

// home gives the memory to which a new one belongs; nil where there is none.
func (b *Bank) home(ctx context.Context, e *Extraction) (*Memory, error) {
	var names []string // the one that has the title first
	titled := e.corrects
	err := b.ask(ctx, func(ix *index) {
		if titled = cmp.Or(titled, ix.titles[foldTitle(e.draft.Title)]); titled != "" {
			names = append(names, titled)
		}
		for _, m := range ix.alike.saying(e.draft.Body) {
			names = append(names, m.name)
		}
	})
	if err != nil {
		return nil, err
	}
	body := resemble.Of(unheaded(e.draft.Body))
	for _, name := range names[:min(len(names), maxCompared)] {
		there, err := b.Get(ctx, name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == e.corrects:
			return b.moved(ctx, e)
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrInvalid) && name != titled:
			continue // it went a moment ago, or was spoiled
		case err != nil || name == e.corrects:
			return there, err
		case name == titled && foldTitle(there.Title) == foldTitle(e.draft.Title):
			return there, nil
		case name == titled: // another title by now, which the bank has not seen
			b.touched(name)
		}
		if says(there, body) && (there.Retired.IsZero() || !e.addsTo(there)) {
			return there, nil // a retired one is no place for what is new
		}
	}
	return nil, nil
}

// moved gives the memory that is to be corrected and whose file is gone: another
// one with its title, or else the home of a memory that corrects none.
func (b *Bank) moved(ctx context.Context, e *Extraction) (*Memory, error) {
	gone := e.corrects
	name, err := b.nameOf(ctx, e.correctsTitle)
	if err != nil {
		return nil, err
	}
	if name != "" && name != gone {
		e.corrects = name
		return b.home(ctx, e)
	}
	e.warn("contradicts: %s is gone; what was to correct it is taken as a memory of its own", gone)
	e.corrects = ""
	return b.home(ctx, e)
}

// says reports whether a memory, or an entry of it, is nearly the same text.
func says(m *Memory, body resemble.Shingles) bool {
	return slices.ContainsFunc(m.texts(), func(text string) bool { return resemble.Of(text).Jaccard(body) >= nearDuplicate })
}

// texts gives what a memory says for comparison: each entry, and all together,
// without the headings that entries begin with.
func (m *Memory) texts() []string {
	texts := []string{unheaded(m.Body)}
	for i := range m.Updates {
		texts = append(texts, unheaded(m.Updates[i].Body))
	}
	if len(texts) > 1 {
		texts = append(texts, strings.Join(texts, "\n\n"))
	}
	return texts
}

// unheaded gives a body without the heading that it begins with, unless that is all.
func unheaded(body string) string {
	body = strings.TrimSpace(body)
	if rest := strings.TrimSpace(openingHeading.ReplaceAllString(body, "")); rest != "" {
		return rest
	}
	return body
}

// addsTo reports whether the content says something that the memory does not. What
// stands before the last correction was taken back by it, so it does not count.
func (e *Extraction) addsTo(there *Memory) bool {
	known := []string{"# " + there.Title, there.Body}
	for i := range there.Updates {
		if isCorrection(&there.Updates[i]) {
			known = known[:1]
		}
		known = append(known, there.Updates[i].Body)
	}
	if e.corrects != "" && len(known) > 1 && known[1] == there.Body {
		known = append(known[:1], known[2:]...) // a correction may say the same words
	}
	heading, content := e.headed(there)
	if _, about, ok := strings.Cut(heading, ":"); ok && about != " "+e.draft.Title {
		content = about + "\n\n" + content // a heading can say something, too
	}
	return resemble.Adds(content, strings.Join(known, "\n\n"))
}

func (e *Extraction) nothingNew(name string) {
	e.skip("%s says it already", name)
	e.Name = name
}

// openingHeading is the heading with which a body begins.
var openingHeading = regexp.MustCompile(`^#{1,6}[ \t]+([^\n]*?)[ \t#]*(?:\n|$)`)

// updateHeading is how a model heads an update; the date is the host's to give.
var updateHeading = regexp.MustCompile(`(?i)^update\b[ :]*(?:\(?\d{4}-\d\d-\d\d\)?)?[ :]*`)

// headed gives the heading that the content gets as an entry behind another, and
// the content without what the heading says.
func (e *Extraction) headed(there *Memory) (heading, content string) {
	m := e.draft
	heading = "Update (" + formatDate(m.DiscoveredAt) + ")"
	if e.corrects != "" {
		heading = "Correction"
	}
	content = strings.TrimSpace(m.Body)
	if own := openingHeading.FindStringSubmatch(content); own != nil {
		rest := strings.TrimSpace(content[len(own[0]):])
		switch {
		case e.corrects != "" && correctionHeading.MatchString(own[1]):
			return own[1], rest
		case e.corrects == "" && updateHeading.MatchString(own[1]):
			content = rest
			if about := updateHeading.ReplaceAllString(own[1], ""); about != "" {
				return heading + ": " + about, rest
			}
		case foldTitle(own[1]) == foldTitle(m.Title) || foldTitle(own[1]) == foldTitle(there.Title):
			content = rest
		}
	}
	if foldTitle(m.Title) != foldTitle(there.Title) {
		heading += ": " + shorten(m.Title, maxLearnedTitle)
	}
	return heading, content
}

// asUpdate gives the memory as an entry behind another.
func (e *Extraction) asUpdate(there *Memory) *Memory {
	m := *e.draft
	heading, content := e.headed(there)
	m.Name, m.Title = there.Name, there.Title
	m.Body = strings.TrimSpace("## " + heading + "\n\n" + content)
	if !e.shown[there.Name] { // what the model has not seen it may add to, and not push
		if len(m.WhenToUse)+len(m.Tags) > 0 {
			e.warn("%s was not shown to the model, so only the content is added to it", there.Name)
		}
		m.WhenToUse, m.Tags, m.Source, m.Importance = nil, nil, "", 0
	}
	if m.Importance <= cmp.Or(there.Importance, Medium) {
		m.Importance = 0 // what was learned again is no less important for it
	}
	if err := checkTriggers(&there.Frontmatter, &m); err != nil {
		e.warn("whenToUse: the new lines were left out: %v", err)
		m.WhenToUse = nil
	}
	return &m
}
