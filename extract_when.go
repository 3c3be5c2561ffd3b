package memory

import (
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/rawko/memory/internal/lexical"
)

// fewestTopics is how many different words of its own a run must have to be asked about.
const fewestTopics = 3

// acknowledgements say that something was done, and nothing of what or how.
var acknowledgements = wordSet(`ok okay done finished finish completed complete success successful successfully succeeded passed passing
	pass tests test task tasks change changes changed needed need required ready fixed yes no lgtm everything nothing works
	work fine good great thanks sure agreed acknowledged understood noted result results error errors warning warnings run runs
	fertig erledigt alles gut keine änderungen`)

// stockCJK are the same in scripts without spaces.
var stockCJK = strings.NewReplacer("已完成", "", "完成", "", "成功", "", "测试", "", "通过", "", "任务", "", "任務", "", "測試", "", "好的", "", "没有问题", "")

// Substantial reports whether a run says more than that it is done: the default
// of Extractor.When. It has an error, or three different words of its output are
// neither stop words nor acknowledgements such as "done" and "passed".
func Substantial(r Run) bool {
	if strings.TrimSpace(r.Err) != "" {
		return true
	}
	text := stockCJK.Replace(strings.ToLower(lexical.Normalize(r.Output)))
	topics := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if lexical.HasCJK(word) {
			for _, b := range lexical.Bigrams(word) {
				topics[b] = true
			}
		} else if !lexical.IsStopWord(word) && !acknowledgements[word] {
			topics[word] = true
		}
		if len(topics) >= fewestTopics {
			return true
		}
	}
	return false
}

// OnlyFailures reports whether a substantial run failed: its Outcome is Failure,
// or there is an Err and no outcome.
func OnlyFailures(r Run) bool {
	return (r.Outcome == Failure || r.Outcome == 0 && r.Err != "") && Substantial(r)
}

// EveryNth gives a policy for Extractor.When that lets every nth substantial run
// through, the nth first; every one where n is less than 2. It counts over all
// extractors that share it, and is safe for concurrent use.
func EveryNth(n int) func(Run) bool {
	var count atomic.Int64
	return func(r Run) bool {
		return Substantial(r) && (n < 2 || count.Add(1)%int64(n) == 0)
	}
}

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
