package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLearn is everything but the model: the list of memories, the prompt,
// the reply, the checks, the search for duplicates, and the update.
func BenchmarkLearn(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			memories := make([]*Memory, n)
			for i := range memories {
				memories[i] = lesson(fmt.Sprintf("Rule %d of Subject %d", i, i%97), High, i%300, strings.Repeat(fmt.Sprintf("word%d other%d ", i, i%13), 100))
				memories[i].WhenToUse = []string{fmt.Sprintf("subject%d", i)}
			}
			bank := keep(b, NewMapStore(), Options{}, memories...)
			run := oauthRun()
			run.Output = strings.Repeat(run.Output+"\n", 40)
			i := 0
			x := &Extractor{Bank: bank, LLM: LLMFunc(func(context.Context, string) (string, error) {
				i++
				return replyOf("OAuth2 Integration Was Too Broad", fmt.Sprintf("Finding number%d.", i), nil), nil
			})}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Extract(context.Background(), run); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
