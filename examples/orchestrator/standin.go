package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // for the script
	"encoding/json"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory"
)

//go:embed script.yaml
var scriptData string

// standIn takes the place of a real model. It sees nothing but the prompt: what is
// in the injected block decides how an agent's run ends, and what is in the fenced
// output decides what is worth keeping.
type standIn struct {
	Tasks []struct {
		Task   string
		Agents map[string][]struct{ Given, Answer string } // by the agent's name
	}
	Lessons []lesson
}

// lesson is something that runs find out.
type lesson struct {
	Evidence                           string // stands in the output of a run that found it out
	Title, Importance, Source, Content string
	WhenToUse                          []string `yaml:"whenToUse"`
	Tags                               []string
	Contradicts                        string // name of a memory; only where it is listed
	Reasoning                          string
	Adds                               bool // to the memory of its title
	Chatty                             bool // the JSON stands in a fence with talk around it
}

func newStandIn() (*standIn, error) {
	var s standIn
	err := yaml.Unmarshal([]byte(strings.ReplaceAll(scriptData, "{+}", "")), &s)
	return &s, err
}

// tasks gives what there is a script for.
func (s *standIn) tasks() []string {
	var tasks []string
	for _, t := range s.Tasks {
		tasks = append(tasks, t.Task)
	}
	return tasks
}

// Complete answers a prompt.
func (s *standIn) Complete(_ context.Context, prompt string) (string, error) {
	if strings.Contains(prompt, `"shouldCreateMemory"`) {
		return s.extract(prompt)
	}
	return s.work(prompt), nil
}

// role is how a definition tells an agent who it is.
var role = regexp.MustCompile(`(?m)^You are the (\w+)`)

// work answers as an agent.
func (s *standIn) work(prompt string) string {
	instructions, work, _ := strings.Cut(prompt, "\n## Task\n\n")
	_, block, _ := strings.Cut(instructions, "\n## Background Knowledge from Previous Runs\n")
	task, _, _ := strings.Cut(work, "\n")
	agent := role.FindStringSubmatch(instructions)
	for _, t := range s.Tasks {
		if t.Task != task || agent == nil {
			continue
		}
		for _, a := range t.Agents[agent[1]] {
			if strings.Contains(block, a.Given) {
				return a.Answer
			}
		}
	}
	return "There is no script for this.\nRESULT: failure: no script"
}

// fenced is the part of an extraction prompt that holds a run's output.
var fenced = regexp.MustCompile("(?s)\nOutput[^\n]*:\n\n(`{3,})text\n(.*?)\n`{3,}\n\n## What to look for")

// extract answers a prompt for extraction: with the first lesson whose evidence is in the output.
func (s *standIn) extract(prompt string) (string, error) {
	_, listed, _ := strings.Cut(prompt, "\n## Existing memories\n")
	listed, _, _ = strings.Cut(listed, "\n## The run\n")
	output := ""
	if found := fenced.FindStringSubmatch(prompt); found != nil {
		output = strings.Join(strings.Fields(found[2]), " ")
	}
	for _, l := range s.Lessons {
		if !strings.Contains(output, l.Evidence) {
			continue
		}
		if strings.Contains(listed, ": "+l.Title+" (") && !l.Adds {
			return answer(map[string]any{"shouldCreateMemory": false,
				"reasoning": l.Title + " is listed already."})
		}
		reply, err := l.reply(listed)
		if l.Chatty && !strings.Contains(prompt, "\nYou answered this before") {
			reply = "One thing in this run will be needed again:\n\n```json\n" + reply + "\n```\n\nThe plan itself is not worth keeping."
		}
		return reply, err
	}
	return answer(map[string]any{"shouldCreateMemory": false, "reasoning": "Nothing in it will be needed in another run."})
}

// reply gives a lesson as the answer to a prompt that lists memories.
func (l *lesson) reply(listed string) (string, error) {
	contradicts := l.Contradicts
	if !strings.Contains(listed, "- "+contradicts+": ") {
		contradicts = ""
	}
	return answer(map[string]any{
		"shouldCreateMemory": true,
		"memoryTitle":        l.Title,
		"frontmatter": map[string]any{
			"whenToUse": l.WhenToUse, "tags": l.Tags, "importance": cmp.Or(l.Importance, "medium"), "source": l.Source,
		},
		"content": l.Content, "evidence": l.Evidence, "contradicts": contradicts, "reasoning": l.Reasoning,
	})
}

func answer(object map[string]any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(object)
	return strings.TrimSpace(b.String()), err
}

var _ memory.LLM = (*standIn)(nil)
