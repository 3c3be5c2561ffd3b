package memory

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkTranscript makes a long conversation ready for the model: 1,000 messages of
// 4 KB, of which the newest fit.
func BenchmarkTranscript(b *testing.B) {
	task := TaskRecord{At: reflectDay}
	for i := range 1000 {
		text := strings.Repeat(fmt.Sprintf("In step %d the test of the parser failed in src/parse.go:%d.\n", i, i), 64)
		task.Messages = append(task.Messages, ChatMessage{Role: RoleAssistant, Content: text})
	}
	for name, injected := range map[string]string{"plain": "", "injected": strings.Repeat(knownFacts, 200)} {
		b.Run(name, func(b *testing.B) {
			task.Injected = injected
			for b.Loop() {
				(&Reflector{}).transcript(&task, 0)
			}
		})
	}
}
