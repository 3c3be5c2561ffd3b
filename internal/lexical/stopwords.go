package lexical

import "strings"

// stopWords carry no topic of their own. They are never what a trigger is about.
var stopWords = table(`
	a about above across after again against all along also although am among an and any anything are arent around as at
	be because been before behind being below between beyond both but by
	can cannot cant could couldnt
	did didnt do does doesnt doing dont down during
	each either else etc every everything
	few for from further
	had hadnt has hasnt have havent having he her here hers herself him himself his how
	i if im in into is isnt it its itself ive
	just let lets like
	may me might more most much must my myself
	neither no nor not now
	of off on once only onto or other our ours ourselves out over own
	please
	same shall she should shouldnt since so some something such
	than that thats the their theirs them themselves then there these they theyre theyve thing things this those though through to too toward towards
	under unless until up upon us
	very via
	was wasnt we were werent weve what whatever whats when whenever where whether which while who whom whose why will with within without wont would wouldnt
	yet you your youre yours yourself yourselves youve
`)

// triggerWords are those with which people write triggers: "when the task
// mentions …", "when working on …". They say nothing about the topic either.
var triggerWords = table(`
	task tasks mention mentions mentioned mentioning
	implement implements implementing work works working
	consider considers considering understand understands understanding
	need needs needed needing explore explores exploring use uses using
	relate related relates relating relevant regarding concerning involve involves involving
	ask asks asked asking want wants wanted wanting
	adding beginning changing choosing creating dealing deciding fixing
	looking making modifying starting touching trying updating writing
`)

// cjkTriggerWords are their Chinese, Japanese and Korean sisters, cut out of a
// phrase wherever they stand. Longer ones come before those that they contain.
var cjkTriggerWords = strings.Fields(`
	的时候 时候 任务 提到 涉及 关于 实现 处理 正在 需要 考虑 编写 了解 理解 进行 添加 修改 使用 相关 如果
	するとき 場合 タスク 実装 処理 について 関する 作業 検討 する して
	구현할 구현 처리 작업 때
`)

// cjkEdgeWords are cut only where they open or end a phrase: inside one they
// are parts of other words, as 时 is in 实时.
var (
	cjkOpening = []string{"当", "在", "若"}
	cjkEnding  = []string{"时", "時", "とき", "中", "的"}
)

// IsStopWord reports whether a lower-case word carries no topic.
func IsStopWord(word string) bool { return stopWords[word] }

func isContent(word string) bool { return !stopWords[word] && !triggerWords[word] }

func table(words string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}
