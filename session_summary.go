package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SessionSummary gives the part of an arbiter's prompt that tells what each agent of a
// session did last (the convention, "Arbiter Usage"), in the order of the agents'
// names. It is empty when there is no memory. A file that cannot be read is told of in
// the error, which comes with the summary of the others.
func SessionSummary(ctx context.Context, store Store, id string) (string, error) {
	dir, err := sessionDir(store, id)
	if err != nil {
		return "", fmt.Errorf("summary of session %q: %w", id, err)
	}
	lines := make(map[string][]string) // by agent
	var faults []error
	for info, err := range dir.List(ctx, ".") {
		if err != nil {
			return "", fmt.Errorf("summary of session %q: %w", id, err)
		}
		if info.IsDir || !isSessionFile(info.Name) {
			continue
		}
		m, err := agentMemory(ctx, dir, info.Name)
		if err != nil {
			faults = append(faults, fmt.Errorf("summary of session %q: %s: %w", id, info.Name, err))
		} else if m != nil {
			m.Agent = cmp.Or(m.Agent, "unknown")
			lines[m.Agent] = append(lines[m.Agent], formatLastAttempt(m)+"\n")
		}
	}
	if len(lines) == 0 {
		return "", errors.Join(faults...)
	}
	text := ""
	agents := slices.Sorted(maps.Keys(lines))
	for _, agent := range agents[:min(len(agents), maxAgents)] {
		text += strings.Join(lines[agent], "")
	}
	if more := len(agents) - maxAgents; more > 0 {
		text += fmt.Sprintf("and %d more agents\n", more)
	}
	return "## Previous Agent Work This Session\n\n" + text +
		"\nUse this to make informed decisions about which agent should work next.\n", errors.Join(faults...)
}

func isSessionFile(name string) bool {
	return strings.HasPrefix(name, sessionFile+".") && strings.HasSuffix(name, ".yaml")
}

// agentMemory reads the memory of one agent; nil for a file that is no agent's, such as a schema.
func agentMemory(ctx context.Context, dir Store, name string) (*SessionMemory, error) {
	data, err := dir.Read(ctx, name)
	if err != nil {
		return nil, err
	}
	d, err := readSession(data)
	if err != nil {
		return nil, err
	}
	if m := d.memory(); !m.isEmpty() {
		return m, nil
	}
	return nil, nil
}

// isEmpty says whether nothing tells that this is an agent's memory.
func (m *SessionMemory) isEmpty() bool {
	return m.Agent == "" && m.Schema == "" && len(m.Discoveries)+len(m.Attempts)+len(m.Decisions) == 0
}

var noBrackets = strings.NewReplacer("(", "", ")", "", "*", "")

func formatLastAttempt(m *SessionMemory) string {
	agent := unmarked.Replace(cutLine(m.Agent, maxSessionWord)) // it stands between marks
	if len(m.Attempts) == 0 {
		archived := 0
		for _, h := range m.History {
			archived += max(h.Attempts, 0)
		}
		if archived > 0 {
			return fmt.Sprintf("**%s**: No recent attempts (%d archived)", agent, archived)
		}
		return fmt.Sprintf("**%s**: No attempts yet", agent)
	}
	last := m.Attempts[len(m.Attempts)-1]
	result := noBrackets.Replace(cutLine(string(cmp.Or(last.Result, AttemptInProgress)), maxSessionWord))
	line := fmt.Sprintf("**%s**: Last attempt (%s) - %s", agent, result, sessionLine(last.Description))
	before := ""
	if last.Result == AttemptFailure {
		line += why(last)
	} else {
		before = " before"
	}
	for _, f := range failures(m.Attempts) {
		switch {
		case foldTitle(f.Description) != foldTitle(last.Description):
		case f.count == 1 && before != "":
			line += " (failed once before)"
		default:
			line += strings.Replace(times(f.count), "times", "times"+before, 1)
		}
	}
	return line
}
