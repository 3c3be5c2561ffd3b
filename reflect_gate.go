package memory

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rawko/memory/internal/lexical"
)

// courtesies are words of a conversation in which nothing was said.
var courtesies = wordSet(`hi hello hey thanks thank you ok okay yes no please bye goodbye good morning evening night great nice cool fine
	sure perfect welcome how are is it going there test ping pong hallo danke bitte ja nein tschüss`)

var courtesiesCJK = strings.NewReplacer("你好", "", "您好", "", "谢谢", "", "好的", "", "再见", "", "早上好", "", "晚上好", "", "嗯", "", "在吗", "")

const (
	shortQuestion = 12  // words
	shortAnswer   = 400 // characters
)

// ShouldReflect reports whether a task may have left something to record: the default
// of Reflector.ShouldReflect. It leaves out the trivial: a task in which the user said
// nothing but courtesies, or asked one short question and got a short answer. A task
// that used tools, other than to read memory, failed, or took several messages is never trivial; nor is a question
// that speaks of the user or asks to remember.
func ShouldReflect(t TaskRecord) bool {
	if strings.TrimSpace(t.Err) != "" || t.Outcome == Failure {
		return true
	}
	var asked, answered []string
	memory := make(map[string]bool) // ids of calls that read the notebook
	for _, m := range t.Messages {
		for _, c := range m.ToolCalls {
			if memory[c.ID] = readsMemory(c.Name); !memory[c.ID] {
				return true
			}
		}
		switch {
		case m.Role == RoleTool && !memory[m.ToolCallID]:
			return true
		case m.Role == RoleUser:
			if text := strings.TrimSpace(withoutIndex(m.Content)); text != "" {
				asked = append(asked, text)
			}
		case m.Role == RoleAssistant:
			answered = append(answered, m.Content)
		}
	}
	if len(asked) == 0 {
		asked = []string{t.Task}
	}
	if !saysSomething(strings.Join(asked, "\n")) {
		return false
	}
	return len(asked) > 1 || len(strings.Join(answered, "")) > shortAnswer || !plainQuestion(asked[0])
}

// saysSomething reports whether a text has a word that is no courtesy.
func saysSomething(text string) bool {
	text = courtesiesCJK.Replace(strings.ToLower(lexical.Normalize(text)))
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
		if !courtesies[word] {
			return true
		}
	}
	return false
}

// asks are words with which a question begins that only asks; "can you …?" may be a wish.
var asks = wordSet(`what what's who who's whose when where which why how is are was does did was wer wann wo welche welcher welches warum wieso wie wieviel`)

var asksCJK = []string{"什么", "谁", "哪", "怎么", "为什么", "几", "多少", "吗"}

// tells are words by which a question tells something, or wishes it.
var tells = wordSet(`i i'm i'd my me mine we our ours us you know remember call name prefer rather instead now always never ich mein meine wir unser merke künftig ab`)

const tellsCJK = "我记叫用以改换\n"

// plainQuestion reports whether a text is one short question that tells nothing.
func plainQuestion(text string) bool {
	text = strings.ToLower(lexical.Normalize(strings.TrimSpace(text)))
	if !strings.HasSuffix(text, "?") || strings.ContainsAny(text, tellsCJK) {
		return false
	}
	if lexical.HasCJK(text) {
		return len([]rune(text)) <= 2*shortQuestion && slices.ContainsFunc(asksCJK, func(w string) bool { return strings.Contains(text, w) })
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
	return len(words) > 0 && len(words) <= shortQuestion && asks[words[0]] && !slices.ContainsFunc(words, func(w string) bool { return tells[w] })
}
