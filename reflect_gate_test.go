package memory

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShouldReflect(t *testing.T) {
	user := fromUser
	assistant := func(text string) ChatMessage { return ChatMessage{Role: RoleAssistant, Content: text} }
	task := func(messages ...ChatMessage) TaskRecord { return TaskRecord{Messages: messages} }
	long := strings.Repeat("long ", 100)
	index := indexHead + "- facts/user.md (10B): name\n" + indexTail
	for name, tt := range map[string]struct {
		task TaskRecord
		want bool
	}{
		"nothing":                       {task(), false},
		"a greeting":                    {task(user("hi"), assistant("Hello, what can I do?")), false},
		"thanks":                        {task(user("thanks!")), false},
		"thanks, in Chinese":            {task(user("谢谢！")), false},
		"a greeting, in Chinese":        {task(user("你好，在吗？")), false},
		"a greeting, in German":         {task(user("Hallo, danke!")), false},
		"several courtesies":            {task(user("Good morning!"), assistant(long), user("OK, bye")), false},
		"nothing but signs":             {task(user("👍 !!!")), false},
		"a sum":                         {task(user("what is 2+2?"), assistant("4")), false},
		"a question, in Chinese":        {task(user("今天天气怎么样？"), assistant("很好")), false},
		"a question in wide letters":    {task(user("ｗｈａｔ ｉｓ ｔｈｉｓ？")), false},
		"a greeting behind the index":   {task(user(index), user("hi")), false},
		"a greeting with the index":     {task(user(index + "\nhi")), false},
		"a name":                        {task(user("I'm Zhang San")), true},
		"a name, in Chinese":            {task(user("我是张三")), true},
		"a name with the index":         {task(user(index + "\nI'm Zhang San")), true},
		"a preference":                  {task(user("Always use tabs.")), true},
		"a question of the user":        {task(user("Can you remember that I'm left-handed?")), true},
		"a question of the user, de":    {task(user("Kennst du meine Sprache?")), true},
		"a question of the user, zh":    {task(user("你能记住吗？")), true},
		"a long question":               {task(user("what is the reason that the build of the parser fails on each second Tuesday?")), true},
		"a long question, in Chinese":   {task(user("为什么这个解析器的构建在每个第二个星期二都会失败而其他日子都没有问题？")), true},
		"a question of two lines":       {task(user("the log says x\nwhy?")), true},
		"a long answer":                 {task(user("what is a monad?"), assistant(long)), true},
		"two questions":                 {task(user("what is 2+2?"), assistant("4"), user("what is 2+3?"), assistant("5")), true},
		"a tool was used":               {task(user("hi"), ChatMessage{Role: RoleAssistant, ToolCalls: []ToolCall{{Name: "x"}}}), true},
		"a result is there":             {task(user("hi"), ChatMessage{Role: RoleTool, Content: "x"}), true},
		"it failed":                     {TaskRecord{Messages: []ChatMessage{user("hi")}, Outcome: Failure}, true},
		"it has an error":               {TaskRecord{Messages: []ChatMessage{user("hi")}, Err: "timeout"}, true},
		"an empty error":                {TaskRecord{Messages: []ChatMessage{user("hi")}, Err: " \n"}, false},
		"a success":                     {TaskRecord{Messages: []ChatMessage{user("hi")}, Outcome: Success}, false},
		"only a task":                   {TaskRecord{Task: "Fix the logger"}, true},
		"only a greeting for a task":    {TaskRecord{Task: "hello"}, false},
		"a task behind empty messages":  {TaskRecord{Task: "Fix the logger", Messages: []ChatMessage{user(" "), user(index)}}, true},
		"the host's words do not count": {task(ChatMessage{Role: RoleSystem, Content: "You are a helper."}, user("hi")), false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, ShouldReflect(tt.task)) })
	}
}
