package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSameTitleBecomesAnUpdate(t *testing.T) {
	bank := keep(t, NewMapStore(), Options{}, lesson("OAuth2: integration was too broad", Critical, 1, "It was."))
	e := learn(t, bank, oauthRun(), replyOf("OAuth2 Integration Was Too Broad", oauthBody, nil))
	assert.Equal(t, Updated, e.Action)
	m, err := bank.Get(context.Background(), e.Name)
	require.NoError(t, err)
	require.Len(t, m.Updates, 1)
	assert.True(t, strings.HasPrefix(m.Updates[0].Body, "## Update (2026-02-12)\n\nOAuth2 social login exceeds"), m.Updates[0].Body)
	assert.Equal(t, Critical, m.Importance, "what is learned again is no less important for it")
	assert.Equal(t, "OAuth2: integration was too broad", m.Updates[0].Title)
}

func TestNearDuplicateBecomesAnUpdate(t *testing.T) {
	ctx := context.Background()
	words := make([]string, 100)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", i)
	}
	body := strings.Join(words, " ")
	changed := func(n int) string { // n words of 100, far from each other: 2n of 99 runs differ
		w := append([]string(nil), words...)
		for i := range n {
			w[i*100/n+1] = "other"
		}
		return strings.Join(w, " ")
	}
	for n, want := range map[int]Action{12: Updated, 13: Created} { // 75 of 123 runs, and 73 of 125
		bank := keep(t, NewMapStore(), Options{}, lesson("First Title", High, 1, body))
		e := learn(t, bank, oauthRun(), replyOf("Second Title", changed(n), nil))
		assert.Equal(t, want, e.Action, n)
		if want == Updated {
			assert.Equal(t, "first-title", e.Name)
			m, err := bank.Get(ctx, e.Name)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(m.Updates[0].Body, "## Update (2026-02-12): Second Title\n\nword0 other"), "the title is not lost")
		}
	}
}

func TestWhatAddsNothingIsSkipped(t *testing.T) {
	bank := keep(t, NewMapStore(), Options{}, lesson("OAuth2 Integration Was Too Broad", High, 1, oauthBody))
	part := "# OAuth2 Integration Was Too Broad\n\nThe task requires JWT only. Read the requirements for the token format before choosing a protocol."
	e := learn(t, bank, oauthRun(), replyOf("OAuth2 Integration Was Too Broad", part, nil))
	assert.Equal(t, Skipped, e.Action)
	assert.Equal(t, "oauth2-integration-was-too-broad says it already", e.Reason)
	assert.Nil(t, e.Memory)
	assert.Equal(t, "oauth2-integration-was-too-broad", e.Name)

	e = learn(t, bank, oauthRun(), replyOf("OAuth2 Integration Was Too Broad", part+" Ask for it in the kickoff.", nil))
	assert.Equal(t, Updated, e.Action)
	e = learn(t, bank, oauthRun(), replyOf("OAuth2 Integration Was Too Broad", "Ask for it in the kickoff!", nil))
	assert.Equal(t, Skipped, e.Action, "updates count as well")
}

func TestCorrections(t *testing.T) {
	ctx := context.Background()
	bank := keep(t, NewMapStore(), Options{}, lesson("Deploy Port", High, 1, "The service listens on port 80."))
	unlisted := lesson("Unlisted", Low, 1, "Body.")
	unlisted.WhenToUse = []string{"elsewhere"}
	_, err := bank.Append(ctx, unlisted)
	require.NoError(t, err)
	run := Run{Agent: "tester", Task: "deploy the service", Output: "The service listens on port 8080 since the new proxy."}
	reply := func(title, content, contradicts string) string {
		return replyOf(title, content, map[string]any{"contradicts": contradicts})
	}

	e := learn(t, bank, run, reply("Port Is 8080", "The service listens on port 8080.", "deploy-port"))
	assert.Equal(t, Corrected, e.Action)
	assert.Equal(t, "## Correction: Port Is 8080\n\nThe service listens on port 8080.", e.Memory.Body)

	e = learn(t, bank, run, reply("Port Is 8080", "The service listens on port 8080.", "Deploy Port"))
	assert.Equal(t, Skipped, e.Action, "the same correction again")

	e = learn(t, bank, run, reply("Deploy Port", "## Correction (back again)\n\nThe service listens on port 80.", "deploy-port"))
	assert.Equal(t, Corrected, e.Action, "what the first entry says was taken back, so it is new")
	m, err := bank.Get(ctx, "deploy-port")
	require.NoError(t, err)
	assert.Equal(t, "## Correction (back again)\n\nThe service listens on port 80.", m.Updates[1].Body)

	for _, unknown := range []string{"unlisted", "no-such-memory"} {
		e = learn(t, bank, run, reply("New Finding on "+unknown, "The proxy keeps "+unknown+" idle connections open.", unknown))
		assert.Equal(t, Created, e.Action)
		assert.Contains(t, strings.Join(e.Warnings, "\n"), "none of the listed memories")
	}
}

func TestRetiredMemoriesAreNotLearnedAgain(t *testing.T) {
	old := lesson("OAuth2 Integration Was Too Broad", High, 1, oauthBody)
	old.Retired = noon
	bank := keep(t, NewMapStore(), Options{}, old)
	e := learn(t, bank, oauthRun(), replyOf("Another Title", oauthBody, nil))
	assert.Equal(t, Skipped, e.Action)
	e = learn(t, bank, oauthRun(), replyOf("OAuth2 Integration Was Too Broad", "It is back in the plan for autumn.", nil))
	assert.Equal(t, Updated, e.Action)
	assert.Contains(t, e.Warnings, "oauth2-integration-was-too-broad is retired: what is added to it is kept, but not recalled")
}

func TestUpdateWithoutTriggersLeavesThemAlone(t *testing.T) {
	bank := keep(t, NewMapStore(), Options{}, lesson("Deploy Port", High, 1, "The service listens on port 80."))
	e := learn(t, bank, oauthRun(), replyOf("Deploy Port", "It moves in May 2026.", map[string]any{"frontmatter": fm{"whenToUse": "*"}}))
	assert.Equal(t, Updated, e.Action)
	m, err := bank.Get(context.Background(), e.Name)
	require.NoError(t, err)
	assert.Equal(t, []string{"deploy"}, m.WhenToUse)
}

func TestUpdateWhoseTriggersDoNotFit(t *testing.T) {
	full := lesson("Deploy Port", High, 1, "The service listens on port 80.")
	for i := range 500 {
		full.WhenToUse = append(full.WhenToUse, fmt.Sprintf("subject%d", i))
	}
	bank := keep(t, NewMapStore(), Options{}, full)
	lines := make([]string, 16)
	for i := range lines {
		lines[i] = fmt.Sprintf("/a{1,40}b{1,40}%d/", i)
	}
	run := oauthRun()
	run.Injected = "### Deploy Port\n"
	e := learn(t, bank, run, replyOf("Deploy Port", "It moves in May 2026.", map[string]any{"frontmatter": fm{"whenToUse": lines}}))
	assert.Equal(t, Updated, e.Action)
	assert.Contains(t, strings.Join(e.Warnings, "\n"), "whenToUse: the new lines were left out")
}

func TestLearnAsksOnceMore(t *testing.T) {
	ctx := context.Background()
	bank := keep(t, NewMapStore(), Options{})
	model := &script{replies: []string{"I'd rather not.", oauthAnswer()}}
	e, err := (&Extractor{Bank: bank, LLM: model}).Learn(ctx, oauthRun())
	require.NoError(t, err)
	assert.Equal(t, Created, e.Action)
	require.Len(t, model.prompts, 2)
	again, ok := strings.CutPrefix(model.prompts[1], model.prompts[0])
	assert.True(t, ok, "the prompt begins as before, for the prompt cache")
	assert.Contains(t, again, "could not be used: ")
	assert.Equal(t, estimateTokens(model.prompts[0])+estimateTokens(model.prompts[1]), e.PromptTokens)
	assert.Equal(t, estimateTokens("I'd rather not.")+estimateTokens(oauthAnswer()), e.ReplyTokens)

	model = &script{replies: []string{"No.", "Never.", oauthAnswer()}}
	e, err = (&Extractor{Bank: bank, LLM: model}).Learn(ctx, oauthRun())
	var fault *ReplyError
	require.ErrorAs(t, err, &fault)
	assert.ErrorIs(t, err, ErrInvalid)
	assert.Equal(t, "Never.", fault.Reply)
	assert.Len(t, model.prompts, 2)
	assert.Positive(t, e.ReplyTokens)

	model = &script{replies: []string{"No.", oauthAnswer()}}
	_, err = (&Extractor{Bank: bank, LLM: model}).Extract(ctx, oauthRun())
	require.ErrorAs(t, err, &fault, "Extract asks once")
	assert.Len(t, model.prompts, 1)
}

func TestLearnErrors(t *testing.T) {
	ctx := context.Background()
	down := errors.New("model is down")
	bank := keep(t, NewMapStore(), Options{})
	_, err := (&Extractor{Bank: bank, LLM: LLMFunc(func(context.Context, string) (string, error) { return "", down })}).Learn(ctx, oauthRun())
	assert.ErrorIs(t, err, down)
	_, err = (&Extractor{LLM: &script{}}).Learn(ctx, oauthRun())
	assert.ErrorIs(t, err, ErrInvalid)
	_, err = (&Extractor{Bank: bank}).Extract(ctx, oauthRun())
	assert.ErrorIs(t, err, ErrInvalid)

	cancelled, cancel := context.WithCancel(ctx)
	x := &Extractor{Bank: bank, LLM: LLMFunc(func(context.Context, string) (string, error) { cancel(); return oauthAnswer(), nil })}
	_, err = x.Learn(cancelled, oauthRun())
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, names(t, bank))

	require.NoError(t, bank.Close())
	_, err = (&Extractor{Bank: bank, LLM: &script{replies: []string{oauthAnswer()}}}).Learn(ctx, oauthRun())
	assert.ErrorIs(t, err, ErrClosed)
}

func TestTheGateIsAskedFirst(t *testing.T) {
	bank := keep(t, NewMapStore(), Options{})
	model := &script{replies: []string{oauthAnswer()}}
	e, err := (&Extractor{Bank: bank, LLM: model}).Learn(context.Background(), Run{Agent: "a", Output: "done"})
	require.NoError(t, err)
	assert.Equal(t, Skipped, e.Action)
	assert.Contains(t, e.Reason, "the model was not asked")
	never := func(Run) bool { return false }
	e, err = (&Extractor{Bank: bank, LLM: model, When: never}).Learn(context.Background(), oauthRun())
	require.NoError(t, err)
	assert.Equal(t, Skipped, e.Action)
	assert.Contains(t, e.Reason, "Extractor.When")
	assert.Empty(t, model.prompts)
}

func TestNoLockIsHeldWhileTheModelThinks(t *testing.T) {
	ctx := context.Background()
	bank := keep(t, NewMapStore(), Options{})
	think := func(context.Context, string) (string, error) {
		inner := learn(t, bank, oauthRun(), replyOf("Learned Meanwhile", "While one model thinks, another run is learned from, and its memory is kept.", nil))
		assert.Equal(t, Created, inner.Action)
		_, err := bank.Recall(ctx, Query{Task: "deploy"})
		return oauthAnswer(), err
	}
	e, err := (&Extractor{Bank: bank, LLM: LLMFunc(think)}).Learn(ctx, oauthRun())
	require.NoError(t, err)
	assert.Equal(t, Created, e.Action)
	assert.Len(t, names(t, bank), 2)
}

// Each of two extractions has its answer before either writes.
func TestTwoThatLearnTheSameAtOnce(t *testing.T) {
	other := strings.Replace(oauthBody, "JWT is enough here.", "JWT is enough.", 1)
	tests := map[string]struct {
		replies [2]string
		updates int
	}{
		"the same":                        {[2]string{oauthAnswer(), oauthAnswer()}, 0},
		"under another title":             {[2]string{oauthAnswer(), replyOf("Social Login Is Out of Scope", oauthBody, nil)}, 0},
		"in other words":                  {[2]string{oauthAnswer(), replyOf("OAuth2 integration was too broad", other+" Ask first.", nil)}, 1},
		"in other words, with a new name": {[2]string{oauthAnswer(), replyOf("Social Login Is Out of Scope", other+" Ask first.", nil)}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bank := keep(t, NewMapStore(), Options{})
			learnAtOnce(t, tt.replies, bank, bank)
			all := names(t, bank)
			require.Len(t, all, 1)
			m, err := bank.Get(context.Background(), all[0])
			require.NoError(t, err)
			assert.LessOrEqual(t, len(m.Updates), tt.updates+1) // which comes first is open
			if tt.updates == 0 {
				assert.Empty(t, m.Updates)
			}
		})
	}
}

// Two banks are what two processes are: they share nothing but the directory.
func TestTwoBanksThatLearnTheSameAtOnce(t *testing.T) {
	dir := t.TempDir()
	a, err := Open(dir, nil)
	require.NoError(t, err)
	defer a.Close()
	b, err := Open(dir, nil)
	require.NoError(t, err)
	defer b.Close()
	learnAtOnce(t, [2]string{oauthAnswer(), oauthAnswer()}, a, b)
	all := names(t, a)
	require.Len(t, all, 1)
	m, err := a.Get(context.Background(), all[0])
	require.NoError(t, err)
	assert.Empty(t, m.Updates)
}

func learnAtOnce(t *testing.T, replies [2]string, banks ...*Bank) {
	t.Helper()
	var both, done sync.WaitGroup
	both.Add(2)
	for i, reply := range replies {
		x := &Extractor{Bank: banks[i], LLM: LLMFunc(func(context.Context, string) (string, error) {
			both.Done()
			both.Wait()
			return reply, nil
		})}
		done.Go(func() {
			_, err := x.Learn(context.Background(), oauthRun())
			assert.NoError(t, err)
		})
	}
	done.Wait()
}

func TestLearnSurvivesARename(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	bank := keep(t, store, Options{MaxAge: time.Hour}, lesson("OAuth2 Integration Was Too Broad", High, 1, "It was."))
	// A person gives the file another title, which the bank has not seen yet.
	require.NoError(t, store.Update(ctx, "oauth2-integration-was-too-broad.md", func(old []byte) ([]byte, error) {
		return []byte(strings.Replace(string(old), "OAuth2 Integration Was Too Broad", "Something Else", 1)), nil
	}))
	e := learn(t, bank, oauthRun(), oauthAnswer())
	assert.Equal(t, Created, e.Action)
	assert.Equal(t, "oauth2-integration-was-too-broad-2", e.Name)
	m, err := bank.Get(ctx, "oauth2-integration-was-too-broad")
	require.NoError(t, err)
	assert.Empty(t, m.Updates)
}

// before is a store that does something before each update of a document.
type before struct {
	Store
	update func(name string)
}

func (s before) Update(ctx context.Context, name string, edit func([]byte) ([]byte, error)) error {
	s.update(name)
	return s.Store.Update(ctx, name, edit)
}

// Another process learns between the look and the write: it is decided again under the lock.
func TestLearnDecidesAgainUnderTheLock(t *testing.T) {
	ctx := context.Background()
	for name, tt := range map[string]struct {
		other  *Memory // that another process writes at that moment
		action Action
		files  []string
	}{
		"the same":            {lesson("OAuth2 Integration Was Too Broad", High, 1, oauthBody), Skipped, []string{"oauth2-integration-was-too-broad"}},
		"the same title":      {lesson("OAuth2 Integration Was Too Broad", High, 1, "It was."), Updated, []string{"oauth2-integration-was-too-broad"}},
		"another of its slug": {lesson("OAuth2 Integration Was Too Broad++", High, 1, "It was."), Created, []string{"oauth2-integration-was-too-broad", "oauth2-integration-was-too-broad-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			shared := NewMapStore()
			once := sync.OnceFunc(func() { keep(t, shared, Options{}, tt.other) })
			bank := keep(t, before{shared, func(string) { once() }}, Options{})
			e := learn(t, bank, oauthRun(), oauthAnswer())
			assert.Equal(t, tt.action, e.Action)
			assert.ElementsMatch(t, tt.files, names(t, bank))
			m, err := bank.Get(ctx, tt.files[0])
			require.NoError(t, err)
			assert.Len(t, m.Updates, map[Action]int{Updated: 1}[tt.action])
		})
	}
	t.Run("an update", func(t *testing.T) {
		shared := NewMapStore()
		keep(t, shared, Options{}, lesson("OAuth2 Integration Was Too Broad", High, 1, "It was."))
		once := sync.OnceFunc(func() {
			keep(t, shared, Options{}, lesson("OAuth2 Integration Was Too Broad", High, 2, oauthBody))
		})
		bank := keep(t, before{shared, func(string) { once() }}, Options{})
		e := learn(t, bank, oauthRun(), oauthAnswer())
		assert.Equal(t, Skipped, e.Action, "the other's update says it")
		m, err := bank.Get(ctx, "oauth2-integration-was-too-broad")
		require.NoError(t, err)
		assert.Len(t, m.Updates, 1)
	})
}

func TestAFailingStoreLeavesNothingHalf(t *testing.T) {
	bank, err := New(failingUpdate{NewMapStore()}, nil)
	require.NoError(t, err)
	x := &Extractor{Bank: bank, LLM: &script{replies: []string{oauthAnswer()}}}
	e, err := x.Learn(context.Background(), oauthRun())
	assert.ErrorIs(t, err, errFull)
	assert.Equal(t, Skipped, e.Action, "nothing was written")
	assert.Empty(t, e.Name)
}

var errFull = errors.New("disk is full")

type failingUpdate struct{ Store }

func (failingUpdate) Update(context.Context, string, func([]byte) ([]byte, error)) error {
	return errFull
}

func TestACorrectionIsNeverTakenForKnown(t *testing.T) {
	run := Run{Agent: "tester", Task: "deploy", Output: "Sessions are elsewhere, as it turned out today."}
	correct := func(content string) string {
		return replyOf("Where Sessions Are", content, map[string]any{"contradicts": "sessions"})
	}
	for name, replies := range map[string][]string{
		"a value that changes back":   {correct("Sessions are in Postgres instead of Redis."), correct("Sessions are in Redis.")},
		"the order turned round":      {correct("Sessions are not in Redis but in Postgres."), correct("Sessions are in Redis, not in Postgres.")},
		"told by the heading":         {correct("## Correction: sessions are in Postgres, not in Redis")},
		"taken back, then said again": {correct("Sessions are in Postgres."), replyOf("Sessions", "Sessions are in Redis.", nil)},
	} {
		t.Run(name, func(t *testing.T) {
			bank := keep(t, NewMapStore(), Options{}, func() *Memory {
				m := lesson("Sessions", High, 1, "Sessions are in Redis.")
				m.WhenToUse = []string{"deploy"}
				return m
			}())
			for _, reply := range replies {
				e := learn(t, bank, run, reply)
				assert.Contains(t, []Action{Corrected, Updated}, e.Action, reply)
			}
			m, err := bank.Get(context.Background(), "sessions")
			require.NoError(t, err)
			assert.Len(t, m.Updates, len(replies))
			assert.True(t, isCorrection(&m.Updates[0]), m.Updates[0].Body)
		})
	}
}

func TestHeadingsOfUpdates(t *testing.T) {
	for content, want := range map[string]string{
		"It moved.":                              "## Update (2026-02-12): New Title\n\nIt moved.",
		"## Update (2031-01-01)\n\nIt moved.":    "## Update (2026-02-12): New Title\n\nIt moved.",
		"# Update: the port\n\nIt moved.":        "## Update (2026-02-12): the port\n\nIt moved.",
		"# New Title\n\nIt moved.":               "## Update (2026-02-12): New Title\n\nIt moved.",
		"# Updates come on Mondays\n\nIt moved.": "## Update (2026-02-12): New Title\n\n# Updates come on Mondays\n\nIt moved.",
	} {
		e := &Extraction{draft: &Memory{Frontmatter: Frontmatter{Title: "New Title", DiscoveredAt: noon}, Body: content}}
		assert.Equal(t, want, e.asUpdate(lesson("Old Title", High, 1, "Body.")).Body)
		e.corrects = "old-title"
		assert.True(t, isCorrection(&Update{Body: e.asUpdate(lesson("Old Title", High, 1, "Body.")).Body}))
	}
}

func TestWhatWasNotShownIsNotPushed(t *testing.T) {
	there := lesson("Signed Releases", Low, 1, "Releases are signed.")
	there.WhenToUse = []string{"release"}
	bank := keep(t, NewMapStore(), Options{}, there)
	e := learn(t, bank, oauthRun(), replyOf("Signed Releases", "They are signed with minisign.", map[string]any{"frontmatter": fm{
		"whenToUse": "oauth", "tags": []string{"testing"}, "importance": "critical", "source": "File: x"}}))
	assert.Equal(t, Updated, e.Action)
	m, err := bank.Get(context.Background(), "signed-releases")
	require.NoError(t, err)
	assert.Equal(t, []string{"release"}, m.WhenToUse)
	assert.Equal(t, Low, m.Importance)
	assert.Empty(t, m.Tags)
	assert.Empty(t, m.Source)
}

func TestImportance(t *testing.T) {
	for name, tt := range map[string]struct {
		there Importance
		given string
		want  Importance
	}{
		"a new one without":     {0, "", Medium},
		"a new one":             {0, "critical", Critical},
		"raised":                {Low, "high", High},
		"not lowered":           {High, "low", High},
		"not given, not raised": {Low, "", Low},
	} {
		t.Run(name, func(t *testing.T) {
			bank := keep(t, NewMapStore(), Options{})
			run := oauthRun()
			if tt.there != 0 {
				_, err := bank.Append(t.Context(), lesson("OAuth", tt.there, 1, "It is out."))
				require.NoError(t, err)
				run.Injected = "### OAuth\n"
			}
			e := learn(t, bank, run, replyOf("OAuth", oauthBody, map[string]any{"frontmatter": fm{"whenToUse": "oauth", "importance": tt.given}}))
			m, err := bank.Get(t.Context(), e.Name)
			require.NoError(t, err)
			assert.Equal(t, tt.want, m.Importance)
		})
	}
}

func TestACorrectedMemoryThatMovedIsFound(t *testing.T) {
	ctx := context.Background()
	for name, tt := range map[string]struct {
		move   func(Store)
		action Action
		name   string
	}{
		"renamed": {func(s Store) {
			data, _ := s.Read(ctx, "deploy-port.md")
			_ = s.Update(ctx, "ports.md", func([]byte) ([]byte, error) { return data, nil })
			_ = Remove(ctx, s, "deploy-port.md")
		}, Corrected, "ports"},
		"gone": {func(s Store) { _ = Remove(ctx, s, "deploy-port.md") }, Created, "port-is-8080"},
	} {
		t.Run(name, func(t *testing.T) {
			store := NewMapStore()
			bank := keep(t, store, Options{MaxAge: -1}, lesson("Deploy Port", High, 1, "The service listens on port 80."))
			x := &Extractor{Bank: bank, LLM: LLMFunc(func(context.Context, string) (string, error) {
				tt.move(store)
				return replyOf("Port Is 8080", "It is 8080.", map[string]any{"contradicts": "deploy-port"}), nil
			})}
			e, err := x.Learn(ctx, Run{Agent: "tester", Task: "deploy", Output: "The service listens on port 8080."})
			require.NoError(t, err)
			assert.Equal(t, tt.action, e.Action)
			assert.Equal(t, tt.name, e.Name)
		})
	}
}

func TestAnotherSubjectsFileIsNotTaken(t *testing.T) {
	ctx := context.Background()
	store := NewMapStore()
	bank := keep(t, store, Options{MaxAge: time.Hour}, lesson("Bravo", High, 1, "About bravo."))
	x := &Extractor{Bank: bank, LLM: LLMFunc(func(context.Context, string) (string, error) {
		return replyOf("Bravo", "News of bravo.", nil), store.Update(ctx, "bravo.md", func(old []byte) ([]byte, error) {
			return []byte(strings.ReplaceAll(string(old), "Bravo", "Holiday Calendar")), nil
		})
	})}
	e, err := x.Learn(ctx, oauthRun())
	require.NoError(t, err)
	assert.Equal(t, Created, e.Action)
	assert.Equal(t, "bravo-2", e.Name)
}
