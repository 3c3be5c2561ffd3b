package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// tightBody is the limit of a body that does not fit the budget at its own, in characters.
const tightBody = 200

// errRetired is why a memory that matched is not injected after all.
var errRetired = errors.New("it was retired since it matched")

// Injection is a prompt with the memories that matter to its task.
type Injection struct {
	Prompt   string     // the prompt with Block appended; unchanged when nothing matched, or on error
	Block    string     // "" when there is nothing in it
	Memories []*Memory  // what is in the block, in order
	Matches  []Match    // the same, with reasons
	Omitted  []Omission // what matched and is not in the block, in order
	Cut      []string   // names of the memories of which a part was cut
	Tokens   int        // of Block
	TooLong  []string   // fields of the query ("task", "agent", "displayName", "plan", "history") of which only the first 64 KiB were matched
}

// Omission is a memory that matched and is not in the block.
type Omission struct {
	Match
	Reason OmissionReason
	Err    error // of an unreadable one
}

// OmissionReason says why a memory that matched is not in the block.
type OmissionReason string

// The reasons.
const (
	OverLimit  OmissionReason = "limit"      // Query.Max were better
	OverBudget OmissionReason = "budget"     // it does not fit Query.MaxTokens, even when cut
	Unreadable OmissionReason = "unreadable" // it was changed or removed since it matched, see Err
)

// Inject recalls the memories for a query and appends them to the prompt, after
// a blank line. The result is never nil: with an error its Prompt is the given one.
func (b *Bank) Inject(ctx context.Context, prompt string, q Query) (*Injection, error) {
	found, err := b.recall(ctx, &q)
	if err != nil {
		return &Injection{Prompt: prompt}, fmt.Errorf("inject memories: %w", err)
	}
	in := &Injection{Prompt: prompt, TooLong: found.tooLong}
	readable, err := b.readMatches(ctx, found.matches, q.limit(), in)
	if err != nil {
		return &Injection{Prompt: prompt}, fmt.Errorf("inject memories: %w", err)
	}
	if err := b.fit(ctx, readable, q.MaxTokens, in); err != nil {
		return &Injection{Prompt: prompt}, fmt.Errorf("inject memories: %w", err)
	}
	if in.Block == "" {
		return in, nil
	}
	in.Tokens = b.countTokens(in.Block)
	for prompt != "" && !strings.HasSuffix(in.Prompt, "\n\n") {
		in.Prompt += "\n"
	}
	in.Prompt += in.Block
	return in, nil
}

// candidate is a match with its memory.
type candidate struct {
	match  Match
	memory *Memory
}

// readMatches reads the best matches up to the limit; where one cannot be read,
// the next takes its place. The others go to in.Omitted.
func (b *Bank) readMatches(ctx context.Context, matches []Match, limit int, in *Injection) ([]candidate, error) {
	var readable []candidate
	for len(matches) > 0 && len(readable) < limit {
		n := min(limit-len(readable), len(matches))
		infos := make([]Info, n)
		for i, m := range matches[:n] {
			infos[i].Name = m.Name
		}
		i := 0
		for f := range b.read(ctx, infos) {
			m, err := (*Memory)(nil), f.err
			if err == nil {
				m, err = Parse(f.name, f.data)
			}
			if err == nil && !m.Retired.IsZero() {
				err = errRetired
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				in.Omitted = append(in.Omitted, Omission{matches[i], Unreadable, err})
			} else {
				readable = append(readable, candidate{matches[i], m})
			}
			i++
		}
		matches = matches[n:]
	}
	for _, m := range matches {
		in.Omitted = append(in.Omitted, Omission{Match: m, Reason: OverLimit})
	}
	return readable, nil
}

// fit takes memories in their order, each at its limit, else at tightBody
// characters, else not at all, and makes the block of them.
func (b *Bank) fit(ctx context.Context, candidates []candidate, maxTokens int, in *Injection) error {
	limit := b.opts.Format.maxBody()
	limits := []int{limit}
	if maxTokens > 0 && (limit < 0 || limit > tightBody) {
		limits = append(limits, tightBody)
	}
	var sections []string
next:
	for _, c := range candidates {
		limits := limits
		if c.match.Strength == None && len(sections) == 0 {
			limits = nil // it fills a place beside what fired, and nothing is there
		}
		for _, limit := range limits {
			if err := ctx.Err(); err != nil {
				return err
			}
			section, cut := formatSection(c.memory, limit)
			more := append(sections, section)
			if maxTokens > 0 && b.countTokens(formatBlock(b.opts.Format, more)) > maxTokens {
				continue
			}
			sections = more
			in.Memories = append(in.Memories, c.memory)
			in.Matches = append(in.Matches, c.match)
			if cut {
				in.Cut = append(in.Cut, c.memory.Name)
			}
			continue next
		}
		in.Omitted = append(in.Omitted, Omission{Match: c.match, Reason: OverBudget})
	}
	if len(sections) > 0 {
		in.Block = formatBlock(b.opts.Format, sections)
	}
	slices.SortStableFunc(in.Omitted, func(a, b Omission) int { return CompareMatches(a.Match, b.Match) })
	return nil
}

func (b *Bank) countTokens(s string) int {
	if b.opts.CountTokens != nil {
		return b.opts.CountTokens(s)
	}
	return estimateTokens(s)
}

// estimateTokens counts a token for four ASCII characters and for each other one.
func estimateTokens(s string) int {
	ascii, others := 0, 0
	for _, r := range s {
		if r < 0x80 {
			ascii++
		} else {
			others++
		}
	}
	return (ascii+3)/4 + others
}
