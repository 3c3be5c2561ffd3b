package memory

import (
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
// that used tools, failed, or took several messages is never trivial; nor is a question
// that speaks of the user or asks to remember.
func ShouldReflect(t TaskRecord) bool {
	if strings.TrimSpace(t.Err) != "" || t.Outcome == Failure {
		return true
	}
	var asked, answered []string
	for _, m := range t.Messages {
		switch {
		case m.Role == RoleTool || len(m.ToolCalls) > 0:
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

// tells are words by which a question tells something of the one who asks.
var tells = wordSet(`i i'm my me mine we our us remember prefer always never ich mein meine wir unser merke`)

// plainQuestion reports whether a text is one short question that tells nothing.
func plainQuestion(text string) bool {
	text = strings.ToLower(lexical.Normalize(strings.TrimSpace(text)))
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
	if !strings.HasSuffix(text, "?") || len(words) > shortQuestion || strings.ContainsAny(text, "我记\n") || lexical.HasCJK(text) && len([]rune(text)) > shortQuestion*2 {
		return false
	}
	for _, w := range words {
		if tells[w] {
			return false
		}
	}
	return true
}
