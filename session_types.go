package memory

import (
	"time"

	"gopkg.in/yaml.v3"
)

// SessionMemory is what one agent found, tried and decided in one session: the
// file agent-memory.yaml of the session convention ("Agent Memory Schema").
// Fields that are zero were not given.
type SessionMemory struct {
	Version     string           `yaml:"version"` // "1"
	Schema      string           `yaml:"schema"`  // "agent-memory"
	SessionID   string           `yaml:"sessionId"`
	Agent       string           `yaml:"agent"`
	CreatedAt   time.Time        `yaml:"createdAt"`
	Discoveries []Discovery      `yaml:"discoveries,omitempty"`
	Attempts    []Attempt        `yaml:"attempts,omitempty"`
	Decisions   []Decision       `yaml:"decisions,omitempty"`
	Context     *SessionContext  `yaml:"context,omitempty"`
	History     []SessionHistory `yaml:"history,omitempty"`
}

// Discovery is something that the agent learned about the codebase or the task.
type Discovery struct {
	ID           string        `yaml:"id"`        // "": the next discovery-001
	Timestamp    time.Time     `yaml:"timestamp"` // zero: now
	Type         DiscoveryType `yaml:"type"`
	Importance   Importance    `yaml:"importance,omitempty"`
	Content      string        `yaml:"content"` // its first line is what prompts show
	RelatedFiles []string      `yaml:"relatedFiles,omitempty"`
	ActionItems  []string      `yaml:"actionItems,omitempty"`
}

// DiscoveryType says what a discovery is about.
type DiscoveryType string

// The discovery types of the convention.
const (
	CodebaseStructure    DiscoveryType = "codebase_structure"    // layout and organization
	DependencyCheck      DiscoveryType = "dependency_check"      // available libraries and versions
	CodePattern          DiscoveryType = "code_pattern"          // recurring patterns and conventions
	APISurface           DiscoveryType = "api_surface"           // available functions, classes, interfaces
	DataModel            DiscoveryType = "data_model"            // schema, types, interfaces
	ComplexityAssessment DiscoveryType = "complexity_assessment" // difficulty and risks of the task
	FailureCause         DiscoveryType = "failure_cause"         // why an attempt failed
	SolutionVerified     DiscoveryType = "solution_verified"     // an approach that was tested and works
)

// Attempt is something that the agent tried.
type Attempt struct {
	ID                 string        `yaml:"id"`        // "": the next attempt-001
	Timestamp          time.Time     `yaml:"timestamp"` // when it began; zero: now
	PlanStep           int           `yaml:"planStep,omitempty"`
	Description        string        `yaml:"description"`
	Approach           string        `yaml:"approach,omitempty"`
	PreviousApproaches []string      `yaml:"previousApproaches,omitempty"` // the oldest first, see [Session.ChangeApproach]
	Commands           []string      `yaml:"commands,omitempty"`
	Result             AttemptResult `yaml:"result"`
	Status             string        `yaml:"status,omitempty"`   // of a running attempt, such as "working"
	Progress           string        `yaml:"progress,omitempty"` // such as "60%"
	SubTasks           []SubTask     `yaml:"subTasks,omitempty"`
	Output             string        `yaml:"output,omitempty"` // what happened
	Error              string        `yaml:"error,omitempty"`
	Lessons            string        `yaml:"lessons,omitempty"`
	NextAttempt        string        `yaml:"nextAttempt,omitempty"`
	Artifacts          []Artifact    `yaml:"artifacts,omitempty"`
	DurationMS         int           `yaml:"duration_ms,omitempty"` // milliseconds
	Iterations         int           `yaml:"iterations,omitempty"`
	TokensUsed         *TokensUsed   `yaml:"tokensUsed,omitempty"`
	CurrentIssue       string        `yaml:"currentIssue,omitempty"`
	NextStep           string        `yaml:"nextStep,omitempty"`
}

// AttemptResult says how an attempt ended, or that it has not.
type AttemptResult string

// The results of the convention.
const (
	AttemptSuccess    AttemptResult = "success"
	AttemptFailure    AttemptResult = "failure"
	AttemptPartial    AttemptResult = "partial"
	AttemptInProgress AttemptResult = "in_progress"
)

// SubTask is a part of an attempt.
type SubTask struct {
	Description string `yaml:"description"`
	Status      string `yaml:"status"` // pending, in_progress or complete
}

// Artifact is a file that an attempt made or changed.
type Artifact struct {
	Path    string `yaml:"path"`
	Action  string `yaml:"action,omitempty"` // such as "create"
	Status  string `yaml:"status,omitempty"` // such as "success"
	Content string `yaml:"content,omitempty"`
}

// TokensUsed is what an attempt cost.
type TokensUsed struct {
	Input  int `yaml:"input"`
	Output int `yaml:"output"`
}

// Decision is a choice that the agent made, and why.
type Decision struct {
	ID                 string        `yaml:"id"`        // "": the next decision-001
	Timestamp          time.Time     `yaml:"timestamp"` // zero: now
	Type               DecisionType  `yaml:"type"`
	Description        string        `yaml:"description"`
	Reasoning          string        `yaml:"reasoning,omitempty"`
	Alternatives       []Alternative `yaml:"alternatives,omitempty"`
	Impact             Importance    `yaml:"impact,omitempty"`
	Reversible         *bool         `yaml:"reversible,omitempty"` // nil: not given
	RelatedDiscoveries []string      `yaml:"relatedDiscoveries,omitempty"`
}

// DecisionType says what kind of choice a decision is.
type DecisionType string

// The decision types of the convention.
const (
	Architectural  DecisionType = "architectural"  // a high-level design choice
	Implementation DecisionType = "implementation" // a technical approach
	Skip           DecisionType = "skip"           // something left out on purpose
	Workaround     DecisionType = "workaround"     // round a limitation
	Compromise     DecisionType = "compromise"     // a trade-off
)

// Alternative is what was not chosen. In a file it is a text, or a map of name and reason.
type Alternative struct {
	Name   string `yaml:"name"`
	Reason string `yaml:"reason,omitempty"`
}

// MarshalYAML writes an alternative without a reason as a text.
func (a Alternative) MarshalYAML() (any, error) {
	if a.Reason == "" {
		return a.Name, nil
	}
	type plain Alternative
	return plain(a), nil
}

// UnmarshalYAML reads an alternative that is a text, or a map.
func (a *Alternative) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&a.Name)
	}
	type plain Alternative
	return n.Decode((*plain)(a))
}

// SessionContext is what the agent knows and plans at the moment.
type SessionContext struct {
	CurrentPlanStep       int                    `yaml:"currentPlanStep,omitempty"`
	PlanStepStatus        string                 `yaml:"planStepStatus,omitempty"`
	FilesInScope          []FileInScope          `yaml:"filesInScope,omitempty"`
	CodebaseUnderstanding *CodebaseUnderstanding `yaml:"codebaseUnderstanding,omitempty"`
	TaskContext           map[string]any         `yaml:"taskContext,omitempty"` // free: authType: "JWT"
	Constraints           []string               `yaml:"constraints,omitempty"`
	OpenQuestions         []string               `yaml:"openQuestions,omitempty"`
	NextSteps             []string               `yaml:"nextSteps,omitempty"`
	Blockers              []string               `yaml:"blockers,omitempty"`
	Assumptions           []string               `yaml:"assumptions,omitempty"`
}

// FileInScope is a file that the agent works with.
type FileInScope struct {
	Path    string `yaml:"path"`
	Status  string `yaml:"status,omitempty"` // pending, in_progress or complete
	Purpose string `yaml:"purpose,omitempty"`
}

// CodebaseUnderstanding is what the agent makes of the codebase.
type CodebaseUnderstanding struct {
	MainLanguage     string   `yaml:"mainLanguage,omitempty"`
	Runtime          string   `yaml:"runtime,omitempty"`
	Framework        string   `yaml:"framework,omitempty"`
	ExistingPatterns []string `yaml:"existingPatterns,omitempty"`
}

// SessionHistory sums up entries that were moved to the archive.
type SessionHistory struct {
	ArchivedAt  time.Time      `yaml:"archivedAt"`
	From        time.Time      `yaml:"from"` // of the oldest entry
	To          time.Time      `yaml:"to"`   // of the newest
	Discoveries int            `yaml:"discoveries,omitempty"`
	Attempts    int            `yaml:"attempts,omitempty"`
	Decisions   int            `yaml:"decisions,omitempty"`
	Summary     string         `yaml:"summary"`           // a line for each of the newest entries
	LastIDs     map[string]int `yaml:"lastIds,omitempty"` // the highest number given so far, by kind
}
