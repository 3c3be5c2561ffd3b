package lexical

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNormalize(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain": "plain", "ｆｕｌｌ": "full", "ﬁ": "fi", "e\u0301": "é", "①": "1", "㎏": "kg",
		"a\u200bb": "ab", "a\u00adb": "ab", "\ufeffa": "a", "a\u202eb": "ab", "a\u2060b": "ab",
		"a\xffb": "a b", "é\xe2\x82": "é ", "ｶﾞ": "ガ",
	} {
		assert.Equal(t, want, Normalize(s), "%q", s)
	}
}

// join writes parts with "+" where one hangs inside a word, "-" behind a hyphen or dot, "!" behind
// the end of a sentence, else a space.
func join(parts []part) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte("! -+"[p.glue])
		}
		b.WriteString(p.text)
	}
	return b.String()
}

func TestSplit(t *testing.T) {
	for s, want := range map[string]string{
		"":             "",
		" ,. ":         "",
		"one two":      "one two",
		"camelCase":    "camel+case",
		"OAuth":        "o+auth",
		"OAuth2":       "o+auth+2",
		"parseHTTP":    "parse+http",
		"HTTPServer":   "http+server",
		"APIs":         "api",
		"PRs":          "pr",
		"myAPIs":       "my+api",
		"PRS As xs":    "prs as xs",
		"ID":           "id",
		"userIDs":      "user+id",
		"v18":          "v+18",
		"2nd":          "2+nd",
		"user_id":      "user+id",
		"__init__":     "init",
		"_.00":         "00",
		"a _-b":        "a b",
		"e-mail":       "e-mail",
		"Node.js":      "node-js",
		"a--b":         "a b",
		"a. b":         "a!b",
		"a.” b? (c":    "a!b!c",
		"a! b; c: d":   "a!b!c d",
		"a。b\n \nc":    "a!b!c",
		"a\nb, c - d":  "a b c d",
		".env":         "env",
		"-v":           "v",
		"don't":        "dont",
		"user’s":       "user",
		"USER'S":       "user",
		"'quoted'":     "quoted",
		"rock'n":       "rockn",
		"C++":          "c++",
		"C++17":        "c++ 17",
		"C++x":         "c x",
		"g++, C#; F#":  "g++ c#!f#",
		"PR#12":        "pr 12",
		"abc++":        "abc",
		"React组件":      "react+组件",
		"データ":          "データ",
		"ÜberÄrger":    "über+ärger",
		"cafe\u0301":   "cafe\u0301",
		"foo(bar)":     "foo bar",
		"a/b\\c":       "a b c",
		"ΑΒΓδ":         "αβ+γδ",
		"x² + y":       "x y",
		"one\ntwo\tx ": "one two x",
	} {
		assert.Equal(t, want, join(split(s)), "%q", s)
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"deploying": "deploy", "migrations": "migrat", "migrate": "migrat", "über": "über", "c++": "c++", "": "", "18": "18",
	} {
		assert.Equal(t, want, Stem(word))
	}
}

func TestNumbers(t *testing.T) {
	for word, other := range map[string]string{
		"test": "tests", "tests": "test", "class": "classes", "classes": "class", "query": "queries", "queries": "query",
		"api": "apis", "box": "boxes", "boxes": "box", "match": "matches", "matches": "match",
	} {
		assert.Contains(t, numbers(word), other)
		assert.Equal(t, word, numbers(word)[0], "the word itself comes first")
	}
	assert.Equal(t, []string{"x"}, numbers("x"), "one letter has no plural")
	assert.Equal(t, []string{"caché"}, numbers("caché"), "English only")
	for word, other := range map[string]string{
		"is": "i", "ties": "ty", "go": "goes", "ios": "io", "css": "cs", "new": "news", "news": "new", "aws": "aw", "18": "18s",
	} {
		assert.NotContains(t, numbers(word), other)
	}
}

// functionWords are English words that only hold sentences together.
const functionWords = `
	a an the this that these those
	i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
	it its itself they them their theirs themselves who whom whose which what
	am is are was were be been being have has had having do does did doing will would shall should can could may might must
	and or but nor so yet if unless because although though while until since when where why how whether
	about above across after against along among around at before behind below between beyond by down during for from in into
	of off on onto out over through to toward towards under until up upon via with within without
	not no any some each every both either neither all most more much few other same such own
	again also just now once only then there here too very than
	im ive youre youve theyre theyve weve dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt couldnt shouldnt cant
`

func TestFunctionWordsAreNoTopic(t *testing.T) {
	for word := range strings.FieldsSeq(functionWords) {
		assert.True(t, IsStopWord(word), word)
		assert.False(t, isContent(word), word)
	}
}

func TestWhatTriggersAreAboutIsATopic(t *testing.T) {
	for word := range strings.FieldsSeq(`
		test tests testing plan plans planning build builds building deploy deploying design designing review reviewing debug debugging
		document documenting release configure migrate migrating refactor refactoring install installing query search login auth security
		error errors handling bug bugs fix performance cache caching page user users code file files project structure run running
		time date id ids go r c api ui ux new old start stop open close read write create update delete change make set get
	`) {
		assert.True(t, isContent(word), word)
	}
}

func TestWordTablesDoNotOverlap(t *testing.T) {
	for word := range triggerWords {
		assert.False(t, stopWords[word], "%q is in both tables", word)
	}
	for _, w := range slices.Concat(cjkTriggerWords, cjkOpeningCompounds, cjkAfterOpening, cjkEndingCompounds) {
		assert.True(t, HasCJK(w), w)
	}
	for i, w := range cjkTriggerWords {
		for _, before := range cjkTriggerWords[:i] {
			assert.NotContains(t, w, before, "the longer one must be cut first")
		}
	}
}

func TestIsCJK(t *testing.T) {
	for _, r := range "库データひ글ー々" {
		assert.True(t, IsCJK(r), "%c", r)
	}
	for _, r := range "aé1 。、!Ω" {
		assert.False(t, IsCJK(r), "%c", r)
	}
	assert.True(t, HasCJK("a库"))
	assert.False(t, HasCJK("aé"))
}

func TestBigrams(t *testing.T) {
	for s, want := range map[string][]string{
		"": nil, "库": nil, "ab": nil, "数据库": {"数据", "据库"}, "数据a库存": {"数据", "库存"}, "哈哈哈": {"哈哈"}, "数据，据数": {"数据", "据数"},
	} {
		assert.Equal(t, want, Bigrams(s), "%q", s)
	}
}

func TestSquash(t *testing.T) {
	for s, want := range map[string]string{
		" 用户 \n 登录 ": "用户登录", "React 组件": "react组件", "a  b": "a b", "a b 库 c": "a b库c",
	} {
		assert.Equal(t, want, squash(s), "%q", s)
	}
}

func TestKeywords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          nil,
		"Add OAuth to auth to Auth": {"auth", "oauth"},
		"with those which add":      nil,
		"user_name e-mail café":     {"café", "mail", "name", "user"},
		"修改 database 数据库":           {"修改", "数据", "据库", "database"},
		"it's someone's":            {"someone"},
	} {
		assert.Equal(t, want, Keywords(text), "%q", text)
	}
}

func TestPhraseIn(t *testing.T) {
	for _, c := range []struct {
		phrase, text string
		want         Degree
	}{
		{"", "", Nothing},
		{"", "x", Nothing},
		{"->", "a->b", Whole},
		{"->", "a b", Nothing},
		{"login page", "the login page", Whole},
		{"login page", "page for login", All},
		{"login page", "page", Half},
		{"big login page", "page", Some},
		{"login page", "x", Nothing},
		{"login page", "login", Half},
		{"to be or not to be", "to be or not to be", Whole},
		{"to be or not to be", "to be", Nothing},
		{"red or blue car", "blue car", Whole},
		{"login page", "login of the page", Whole}, // no other content word between
		{"login page", "login of", Half},
		{"login page", "login", Half},
		{"OAuth2 page", "o auth 2 page", Whole},
		{"OAuth2 page", "o auth", Nothing},
		{"authentication", "auth", All},
		{"authorize", "authentic", Nothing},
		{"$HOME", "$HOME/x", Whole},
		{"$HOME", "home", All},
		{"$HOME", "x", Nothing},
		{`"auth"`, "auth", Whole},
		{"- auth", "auth", Whole}, // a dash apart is no part of the word
		{"50%", "50 of them", All},
		{"50%", "50% of them", Whole},
		{"OAuth2", "auth with o and 2", All},
		{"OAuth2", "auth 2", Nothing},
		{"OAuth2 page", "auth 2", Nothing},
		{"oauth2", "OAuth2", Whole},
		{"o auth 2", "OAuth2", Whole},
		{"user_first_name_in_the_old_format", "user_first_name_in_the_old_format", Whole}, // more parts than are read together
		{"a1b2c3d4e5", "x a1b2c3d4e5 y", Whole},
		{"实现", "实现", Whole},
		{"Docker 部署", "部署 docker", All},
		{"Docker compose 部署", "部署 docker", Half},
		{"Docker 部署 文件", "docker 文", Half},
		{"Docker 部署", "部", Nothing},
		{"部署到生产环境", "生产", Some},
		{"Docker 部署 文件", "docker 部署页面 文", Half},
	} {
		assert.Equal(t, c.want, NewPhrase(c.phrase).In(NewText(c.text)), "%q in %q", c.phrase, c.text)
	}
}

// What is followed part by part from each place of a text must be short.
func TestAWordHasFewParts(t *testing.T) {
	for _, w := range phraseWords(strings.Repeat("a1", 100)) {
		assert.LessOrEqual(t, len(w.parts), maxGlued)
	}
}

func TestCost(t *testing.T) {
	for s, want := range map[string]int{
		"": 1, "->": 1, "login page": 1, "a a1 a": 3, "red or green or blue": 3, "数据": 1, "数据库迁移工具和缓存系统": 2,
	} {
		assert.Equal(t, want, NewPhrase(s).Cost(), "%q", s)
	}
}

func TestHasContent(t *testing.T) {
	for s, want := range map[string]bool{
		"auth": true, "when the task": false, "when the task mentions auth": true, "exploring": true, "when": false, "->": false, "": false,
		"登录": true, "实现": false, "当实现时": false,
	} {
		assert.Equal(t, want, NewPhrase(s).HasContent(), "%q", s)
	}
}

func TestOfNamesOnlyWholeWordsCount(t *testing.T) {
	text := NewText("add a page", "ui-builder", "", "Page Designer")
	assert.Equal(t, "add a page", text.String())
	assert.Equal(t, []string{"ui-builder", "Page Designer"}, text.Names())
	for phrase, want := range map[string]Degree{
		"builder": Whole, "ui builder": Whole, "ilder": Nothing, "desig": Nothing, "igner": Nothing, "age": Some, "page ui": All, "page designer": Whole,
	} {
		assert.Equal(t, want, NewPhrase(phrase).In(text), phrase)
	}
}

func TestTokens(t *testing.T) {
	for s, want := range map[string]string{
		"":                       "",
		"main.go":                "go\nmain\nmain.go",
		`see ("cmd\main.go"), x`: "cmd\ncmd/main.go\ngo\nmain\nmain.go\nsee\nx",
		"./a/b:12:3.":            "12\n3\na\na/b\nb",
		"OAuth's":                "OAuth\nauth\no",
		"`x`、":                   "x",
	} {
		assert.Equal(t, want, strings.TrimPrefix(NewText(s).Tokens(), "\n"), "%q", s)
	}
}
