package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rawko/memory/internal/lexical"
	"github.com/rawko/memory/internal/redact"
)

// The length that a memory should have, in words (the convention's "Length").
const (
	fewestWords = 50
	mostWords   = 2000
)

// probes are tasks that have nothing in common: a trigger that fires on nearly
// all of them fires on nearly everything.
var probes = []string{
	"Rename a variable in the parser",
	"book a table for two tonight",
	"Why is the sky blue?",
	"Translate this letter into French",
	"upgrade postgres from 15 to 16",
	"修复支付页面的错误",
	"Kubernetes pods restart in a loop",
	"write a poem on autumn leaves",
	"Bericht für das dritte Quartal",
	"compress images before upload",
}

// Check gives everything in the bank that a person should look at, in the order
// of names and lines: files and entries that cannot be read, and what works
// less well than it could. It reads every file anew.
func (b *Bank) Check(ctx context.Context) ([]Problem, error) {
	if err := b.usable(ctx); err != nil {
		return nil, err
	}
	infos, err := b.list(ctx)
	if err != nil {
		return nil, err
	}
	c := checker{names: make(map[string]bool), titles: make(map[string]string)}
	for _, info := range infos {
		c.names[info.Name] = true
	}
	if err := b.strays(ctx, &c); err != nil {
		return nil, err
	}
	for f := range b.read(ctx, infos) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.file(f)
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Line, b.Line))
	})
	return c.problems, nil
}

// checker collects problems.
type checker struct {
	problems []Problem
	names    map[string]bool
	titles   map[string]string // folded title to the first file that has it
}

func (c *checker) add(name string, line int, severity Severity, format string, args ...any) {
	c.problems = append(c.problems, Problem{name, line, severity, fmt.Sprintf(format, args...)})
}

// strays reports what looks like a memory file and is none.
func (b *Bank) strays(ctx context.Context, c *checker) error {
	for info, err := range b.store.List(ctx, ".") {
		if err != nil {
			return fmt.Errorf("list memories: %w", err)
		}
		name, ok := strings.CutSuffix(info.Name, suffix)
		switch {
		case ok && info.IsDir:
			c.add(name, 0, SeverityWarning, "is a directory, where a memory of that title would go; rename it")
		case ok && strings.HasSuffix(name, suffix):
			c.add(name, 0, SeverityError, "is not read, because its name without .md is another file's; rename it")
		}
	}
	return nil
}

func (c *checker) file(f file) {
	if f.err != nil {
		c.unreadable(f.name, f.err)
		return
	}
	m, problems, err := parseMemory(f.name, f.data)
	c.problems = append(c.problems, problems...)
	if err != nil {
		c.unreadable(f.name, err)
		return
	}
	find := finder(string(f.data))
	c.triggers(m, find)
	for _, related := range m.RelatedMemories {
		if !c.names[strings.TrimSuffix(related, suffix)] {
			c.add(m.Name, find("relatedMemories", related), SeverityWarning, "relatedMemories: there is no memory %q", related)
		}
	}
	if n := countWords(m); n < fewestWords {
		c.add(m.Name, 0, SeverityWarning, "only %d of at least %d words; say something specific", n, fewestWords)
	} else if n > mostWords {
		c.add(m.Name, 0, SeverityWarning, "%d of at most %d words; split it", n, mostWords)
	}
	if first := c.titles[foldTitle(m.Title)]; first != "" {
		c.add(m.Name, find("title", m.Title), SeverityWarning, "has the title of %s.md, which gets the updates; join the two, or rename one", first)
	} else {
		c.titles[foldTitle(m.Title)] = m.Name
	}
	for _, s := range redact.Find(string(f.data)) {
		c.add(m.Name, 1+strings.Count(string(f.data[:s.Begin]), "\n"), SeverityWarning, "looks like a secret (%s): take it out, and revoke it where it was real", s.Kind)
	}
}

func (c *checker) unreadable(name string, err error) {
	var p *ParseError
	if errors.As(err, &p) {
		c.add(name, p.Line, SeverityError, "%s", p.Msg)
		return
	}
	c.add(name, 0, SeverityError, "%v", err)
}

// triggers looks at each line of whenToUse.
func (c *checker) triggers(m *Memory, find func(key, value string) int) {
	patterns, faults := readPatterns(m.WhenToUse)
	for _, fault := range faults {
		c.add(m.Name, find("whenToUse", fault.line), SeverityError, "whenToUse %q: %v", fault.line, fault.err)
	}
	for _, p := range patterns {
		source := p.source
		for _, warning := range p.trigger.Warnings() {
			c.add(m.Name, find("whenToUse", source), SeverityWarning, "whenToUse %q: %s", source, warning)
		}
		if firesOnEverything(p) {
			c.add(m.Name, find("whenToUse", source), SeverityWarning, "whenToUse %q: fires on nearly everything", source)
		}
	}
}

// firesOnEverything reports whether triggers, together, fire on nearly all probes,
// short or long, or on every agent's name.
func firesOnEverything(patterns ...*Pattern) bool {
	fires := func(texts []*lexical.Text) bool {
		fired := 0
		for _, text := range texts {
			if slices.ContainsFunc(patterns, func(p *Pattern) bool { return p.in(text) > None }) {
				fired++
			}
		}
		return 10*fired >= 8*len(texts)
	}
	var short, long, names []*lexical.Text
	for _, probe := range probes {
		short = append(short, lexical.NewText(lexical.Normalize(probe)))
	}
	for half := range slices.Chunk(probes, len(probes)/2) {
		long = append(long, lexical.NewText(lexical.Normalize(strings.Join(half, ".\n"))))
	}
	for agent := range specSpecialties() {
		names = append(names, lexical.NewText("", agent))
	}
	return fires(short) || fires(long) || fires(names)
}

// finder gives a function that tells the line on which a value of a key stands:
// the first from the key on that has it, else the key's; 0 for none.
func finder(text string) func(key, value string) int {
	lines := strings.Split(text[:min(len(text), 2*maxFrontmatter)], "\n") // the frontmatter is what is searched
	return func(key, value string) int {
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, key+":") })
		if at < 0 {
			return 0
		}
		behind := slices.IndexFunc(lines[at:], func(line string) bool {
			return strings.Contains(strings.TrimPrefix(line, key+":"), value)
		})
		return 1 + at + max(behind, 0)
	}
}

// countWords counts the words of all entries; two characters count as one where
// words have no spaces between them.
func countWords(m *Memory) int {
	words, cjk := 0, 0
	count := func(body string) {
		for _, r := range body {
			if lexical.IsCJK(r) {
				cjk++
			}
		}
		words += len(strings.Fields(strings.Map(func(r rune) rune {
			if lexical.IsCJK(r) {
				return ' '
			}
			return r
		}, body)))
	}
	count(m.Body)
	for i := range m.Updates {
		count(m.Updates[i].Body)
	}
	return words + cjk/2
}
