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

// cjkEdges are cut only where they open and end a phrase: inside one they are
// parts of other words. They are tried in this order, one after the other.
var cjkEdges = []struct{ opening, ending string }{
	{"", "的"},
	{"当", "的时候"}, {"当", "时"}, {"當", "時"}, {"当", ""}, {"當", ""},
	{"在", "的时候"}, {"在", "时"}, {"在", "時"}, {"在", "中"},
	{"", "时"}, {"", "時"}, {"", "とき"},
}

// Words that begin or end as an edge does, and are not cut. Behind an opening may
// stand a word that only looks as if it made one with it: 当日 is a word, and 当日志 is none.
var (
	cjkOpeningCompounds = strings.Fields(`
		当前 当地 当天 当日 当时 当中 当作 当年 当事 当然 當前 當地 當天 當日 當時 當中 當作 當年 當事 當然 当社 当該
		在线 在線 在途 在读 在职 在建 在庫
	`)
	cjkAfterOpening = strings.Fields(`
		前端 前台 地址 日志 时间 时区 中断 中间 作业 年份 事件 事务 线程 线上 线路
		前臺 日誌 時間 時區 中斷 中間 作業 事務 線程
	`)
	cjkEndingCompounds = strings.Fields(`
		超时 实时 同时 临时 及时 小时 定时 按时 平时 延时 当时 随时 暂时 准时 计时 届时 那时 这时 何时 工时 耗时 即时 不时
		超時 實時 同時 臨時 及時 小時 定時 按時 平時 延時 當時 隨時 暫時 準時 計時 屆時 那時 這時 何時 工時 耗時 即時 日時 常時 一時
		集中 其中 命中 选中 目的 标的
	`)
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
