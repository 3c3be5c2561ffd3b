package memory

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rawko/memory/internal/lexical"
)

// matchCase is one line of whenToUse, a text, and how strongly they match.
type matchCase struct {
	pattern, text string
	want          Strength
}

// Every rule by its name. docs/decisions.md, 1.2 to 1.4, has them in prose.
func TestMatch(t *testing.T) {
	for _, rule := range []struct {
		name  string
		cases []matchCase
	}{
		{"the table of SPEC-0009", []matchCase{
			{`auth\|login\|security`, "add login page", Exact},
			{`auth\|login\|security`, "add user page", None},
			{"auth|login|security", "add login page", Exact},
			{"auth|login|security", "add user page", None},
			{"implement.*auth", "implement authentication", Exact},
			{"implement.*auth", "auth module", None},
			{"When implementing security", "security features task", Exact},
			{"When implementing security", "database task", None},
		}},
		{"the patterns of SPEC-0007", []matchCase{
			{"auth", "add auth to the page", Exact},
			{"implement.{0,5}auth", "implement an auth module", Exact},
			{"implement.{0,5}auth", "implement another auth module", None},
			{"When implementing authentication", "add authentication", Exact},
			{"When implementing authentication", "add email notifications", None},
		}},
		{"the triggers in the examples of the specs", []matchCase{
			{"When task mentions authentication", "fix authentication", Exact},
			{"exploring|navigate|find.*file", "find the config file", Exact},
			{"exploring|navigate|find.*file", "exploring the code", Exact},
			{"exploring|navigate|find.*file", "the file was found", None},
			{"When understanding project structure", "what is the project structure", Exact},
			{"considering auth approaches", "two auth approaches", Exact},
			{"writing Express handlers", "add an Express handler", Exact},
			{"writing Express handlers", "the handlers of Express", Close},
			{"middleware|interceptor", "an interceptor", Exact},
		}},

		// How a line is read.
		{"NFKC", []matchCase{
			{"ａｕｔｈ", "auth", Exact},
			{"auth", "ａｕｔｈ", Exact},
			{"ﬁle", "file", Exact},
			{"cafe\u0301", "caf\u00e9", Exact},
		}},
		{"what cannot be seen does not count", []matchCase{
			{"au\u200bth", "auth", Exact},
			{"auth", "au\u00adth", Exact},
		}},
		{"Markdown emphasis is taken off", []matchCase{
			{"**auth**", "auth", Exact},
			{"**auth**", "oauth", Slight},
			{"*auth flow*", "the auth flow", Exact},
			{"_auth_", "auth", Exact},
			{"__auth flow__", "auth flow", Exact},
			{"**implement.*auth**", "implement auth", Exact},
			{"**auth|login**", "login", Exact},
		}},
		{"backticks are taken off", []matchCase{
			{"`*.go`", "main.go", Exact},
			{"`implement.*auth`", "implement auth", Exact},
			{"the `$HOME` folder", "the $HOME folder", Exact},
		}},
		{"end punctuation is taken off", []matchCase{
			{"*.go.", "main.go", Exact},
			{"*.go,", "main.go", Exact},
			{"*.go;", "main.go", Exact},
			{"*.go:", "main.go", Exact},
			{"*.go!", "main.go", Exact},
			{"*.go。", "main.go", Exact},
			{"用户登录。", "用户登录失败", Exact},
		}},
		{"an escaped end is no punctuation", []matchCase{
			{`why.*\?`, "why does it fail?", Exact},
			{`why.*\?`, "why it fails", None},
			{`why.*\.`, "that is why.", Exact},
			{`why.*\.`, "that is why", None},
		}},
		{"slashes hold a regular expression", []matchCase{
			{"/^add/", "Add a page", Exact},
			{"/^add/", "please add a page", None},
			{"/login/", "blogins", Exact},
			{"/ui$/", "a build", None},
			{"/ui$/", "the ui", Exact},
			{"/go+d/i", "GOOOD", Exact},
		}},
		{"slashes hold nothing else", []matchCase{
			{"/log|sign/", "resign", Exact}, // its bar is no separator, but the expression's
			{"/a, b/", "b", None},
			{"/a, b/", "a, b", Exact},
		}},
		{"bars separate alternatives", []matchCase{
			{"auth|login", "login", Exact},
			{"auth|login", "auth", Exact},
			{"auth | login page", "the login page", Exact},
			{"auth | login page", "page of the login", Close},
			{"auth|login", "page", None},
		}},
		{"bars separate expressions between slashes", []matchCase{
			{"/foo/|/bar/", "foo", Exact},
			{"/foo/|/bar/", "bar", Exact},
			{"/fo+/i|login", "login", Exact},
			{"/foo|bar/", "bar", Exact},
		}},
		{"a path is no expression with flags", []matchCase{
			{"/static/img", "very static", Moderate},
			{"/static/img", "look in /static/img", Exact},
			{"/etc/img", "etc", None},
		}},
		{"a bar with a backslash separates", []matchCase{{`auth\|login`, "login", Exact}, {`auth\|login`, "auth", Exact}}},
		{"a full-width bar separates", []matchCase{{"auth｜login", "login", Exact}, {"auth｜login", "auth", Exact}}},
		{"an enumeration comma separates", []matchCase{
			{"数据库、缓存", "缓存", Exact},
			{"数据库、缓存", "数据库", Exact},
			{"auth、login page", "auth", Exact},
		}},
		{"commas separate items of one or two words", []matchCase{
			{"auth, login, security", "add login page", Exact},
			{"auth, login page, security", "security", Exact},
			{"auth, login page, security", "login", Moderate},
			{"登录，注册", "注册", Exact},
		}},
		{"commas do not separate longer items", []matchCase{
			{"auth, the big login page", "auth", Slight},
			{"auth, the big login page", "auth and login", Moderate},
			{"用户登录系统，注册", "注册", Slight},
		}},
		{"the comma of a number does not separate", []matchCase{
			{"1,000 users", "1 page", Slight},
			{"1,000 users", "1,000 users", Exact},
		}},
		{"bars in brackets do not separate", []matchCase{
			{"(add|fix) login", "fix login", Exact},
			{"(add|fix) login", "fix it", None},
			{"log[a|b]in.*page", "login page", None},
		}},
		{"bars in brackets that do not match separate", []matchCase{
			{"auth (basic|login", "login", Exact},
			{"auth)|(login", "login", Exact},
			{":-)|login", "login", Exact},
		}},
		{"each alternative is read on its own", []matchCase{
			{"oauth|social.*auth", "social login via auth0", Exact},
			{"oauth|social.*auth", "OAuth", Exact},
			{"oauth|social.*auth", "auth for social", None},
			{"*.go|C++|mid.+ware", "port to C++", Exact},
			{"*.go|C++|mid.+ware", "main.go", Exact},
			{"*.go|C++|mid.+ware", "middleware", Exact},
			{"build|user interface", "the user", Moderate},
		}},
		{"the strongest alternative counts", []matchCase{
			{"user interface|users", "users", Exact},
			{"users|user interface", "users", Exact},
		}},
		{"empty alternatives are dropped", []matchCase{
			{"auth||login", "page", None},
			{"|auth|", "page", None},
			{"|auth|", "auth", Exact},
			{" | | ", "| |", None},
			{"", "", None},
			{"", "x", None},
			{"auth,,login", "page", None},
		}},
		{"a star alone is always exact", []matchCase{
			{"*", "", Exact},
			{"*", "anything", Exact},
			{" * ", "anything", Exact},
			{"auth|*", "anything", Exact},
			{"`*`", "anything", Exact},
			{"**", "anything", None},
			{"***", "anything", None},
			{"auth|**", "a page", None},
		}},

		// Regular expression, glob or phrase.
		{"a quantified dot is a regular expression", []matchCase{
			{"log.*in", "log the user in", Exact},
			{"log.+in", "log me in", Exact},
			{"log.+in", "login", None},
			{"log.?in page", "log-in page", Exact},
			{"log.{2}in", "log--in", Exact},
			{"log.{1,3}in", "log---in", Exact},
		}},
		{"a class with a range is a regular expression", []matchCase{
			{"v[0-9] api", "the v2 api", Exact},
			{"v[a-zA-Z] api", "the vQ api", Exact},
			{"v[x_0-9] api", "the v7 api", Exact},
		}},
		{"a negated class is a regular expression", []matchCase{{"lo[^x]in", "login", Exact}, {"lo[^g]in", "login", None}}},
		{"a quantifier behind a class makes a regular expression", []matchCase{
			{"lo[gk]+in", "loggin", Exact},
			{"lo[gk]*in", "loin", Exact},
			{"lo[gk]{2}in", "lokkin", Exact},
			{"lo[gk]{2}in", "lokin", None},
		}},
		{"a bar in parentheses makes a regular expression", []matchCase{{"re(do|run) it", "please rerun it", Exact}, {"re(do|run) it", "do it", None}}},
		{"a group that is not captured makes a regular expression", []matchCase{{"re(?:do) it", "redo it", Exact}, {"re(?i)DO", "redo", Exact}}},
		{"a quantifier behind a group makes a regular expression", []matchCase{
			{"(re)+do it", "rerredo it, rererere, rerero rerere-redo it", Exact},
			{"(re)?do it", "undo it", Exact},
			{"(re)*do it", "rerere redo it", Exact},
			{"(re){2}do it", "rere redo it", None},
			{"(re){2}do it", "reredo it", Exact},
		}},
		{"a counted repetition makes a regular expression", []matchCase{
			{"lo{2,3}p", "loop", Exact},
			{"lo{2,}p", "looooop", Exact},
			{"lo{2,3}p", "lop", None},
		}},
		{"a class escape makes a regular expression", []matchCase{
			{`\d\d users`, "12 users", Exact},
			{`\d\d users`, "1 users", None},
			{`log\s+in`, "log   in", Exact},
			{`log\w`, "logx", Exact},
			{`ui\b`, "the ui", Exact},
			{`ui\b`, "uid", None},
			{`\bui`, "uid", Exact},
			{`\bui`, "build", None},
			{`a|\bui`, "uid", Exact},
		}},
		{"an escaped dot makes a regular expression", []matchCase{{`node\.js`, "xnode.jsx", Exact}, {`node\.js`, "node js", None}}},
		{"anchors alone make no regular expression", []matchCase{
			{"^auth$", "the auth module", Close},
			{"$HOME", "set $HOME", Exact},
			{"$HOME", "go home", Close},
		}},
		{"what reads like text is a phrase", []matchCase{
			{"foo(bar)", "call foo(bar) now", Exact},
			{"foo(bar)", "call foo", Moderate},
			{"React (v18)", "upgrade React (v18)", Exact},
			{"React (v18)", "upgrade to React v18", Exact},
			{"React (v18)", "upgrade React", Moderate},
			{"$HOME", "cd $HOME", Exact},
			{"[WIP] x", "[WIP] x", Exact},
			{"[WIP] x", "wip", Moderate},
			{"[WIP] x", "Wx", None},
			{"pages/[id].tsx", "edit pages/[id].tsx", Exact},
			{"pages/[id].tsx", "pages/i.tsx", Moderate},
			{"C++", "port it to C++", Exact},
			{"C++", "C++17 modules", Exact},
			{"C++", "plain C code", None},
			{"C", "plain C code", Exact},
			{"C", "port it to C++", None},
			{".env", "read .env", Exact},
			{".env", "the env", Close},
			{`C:\dev`, `cd C:\dev`, Exact},
			{`C:\dev`, `cd D:\dev`, Moderate},
			{`src\bin`, `in src\bin`, Exact},
			{"How does login work?", "how does login work", Exact},
			{"How does login work?", "How does login work?", Exact},
			{"How does login work?", "how does logout work", None},
			{"[auto-save] drafts", "auto save drafts", Exact},
			{"[2024-2025] report", "the report [2024-2025]", Close},
			{"[Q1-Q2] plan", "the [Q1-Q2] plan", Exact},
			{"{name} template", "the name template", Exact},
			{"main() is slow", "why main() is slow", Exact},
			{"f()? yes", "f yes", Exact},
			{"(auth)", "auth", Exact},
		}},
		{"a star beside a letter, digit or mark of a path makes a glob", []matchCase{
			{"auth*", "authentication", Exact},
			{"auth*", "preauth", None},
			{"*auth", "preauth", Exact},
			{"*2", "v2", Exact},
			{"é*", "école", Exact},
			{"*.go", "main.go", Exact},
			{"*-test", "unit-test", Exact},
			{"*_test", "unit_test", Exact},
			{"cmd/*", "cmd/main", Exact},
			{"(*)", "x", None},
		}},
		{"a glob is one word", []matchCase{
			{"auth* module", "authentication of a module", Close},
			{"auth* module", "unauthorized", None},
		}},
		{"an address is no glob", []matchCase{
			{"http://x.io/*.js", "js from http://x.io/", Close},
		}},
		{"a glob is compared with whole words", []matchCase{
			{"auth*", "OAuthConfig", Exact},
			{"a*n", "authentication", Exact},
			{"a*n", "authentications", None},
			{"*.go", "main.gox", None},
			{"*.go", "see (main.go), please", Exact},
			{"*.go", "see main.go:12:3", Exact},
		}},
		{"a glob without a slash is compared with the last part of a path", []matchCase{
			{"*.go", "edit cmd/tool/main.go", Exact},
			{"*.go", `edit cmd\tool\main.go`, Exact},
			{"cmd*", "edit cmd/main.go", Exact}, // the word "cmd"
			{"m*e.go", "edit cmd/mine.go", Exact},
		}},
		{"a glob with a slash is compared with the whole path", []matchCase{
			{"cmd/*.go", "edit cmd/main.go", Exact},
			{"cmd/*.go", "edit ./cmd/main.go", Exact},
			{"./cmd/*.go", "edit cmd/main.go", Exact},
			{"cmd/*.go", "edit tool/cmd/main.go", None},
			{`cmd\*.go`, "edit cmd/main.go", Exact},
		}},
		{"a star stops at white space and slashes", []matchCase{
			{"cmd/*.go", "edit cmd/tool/main.go", None},
			{"cmd*.go", "cmd main.go", None},
		}},
		{"two stars cross folders", []matchCase{
			{"src/**/*.ts", "edit src/a/b/c.ts", Exact},
			{"src/**/*.ts", "edit src/c.ts", Exact},
			{"src/**/*.ts", "edit lib/c.ts", None},
			{"src/**/*.ts", "edit src/c.go", None},
			{"**/test/*.go", "a/b/test/x.go", Exact},
			{"src/**", "src/a/b.ts", Exact},
		}},
		{"braces of a glob hold alternatives", []matchCase{
			{"*.{ts,tsx}", "a.tsx", Exact},
			{"*.{ts,tsx}", "a.ts", Exact},
			{"*.{ts,tsx}", "a.t", None},
			{"file?.*", "file1.go", Exact},
			{"a}*", "a}b", Exact},
			{"{a*", "{ab", None}, // what opens a token is taken for punctuation
		}},
		{"a phrase with a question mark inside is tried as a regular expression too", []matchCase{
			{"colou?r", "the color", Exact},
			{"colou?r", "the colour", Exact},
			{"colou?r", "the hue", None},
			{"favourite colou?r", "my favourite color", Exact},
			{"favourite colou?r", "my favourite", Slight}, // the stronger wins: favourite, colou, r
			{"log(in)? page", "the log page", Exact},
			{"really? (no", "really no", Exact},
		}},
		{"case never matters", []matchCase{
			{"AUTH", "auth", Exact},
			{"auth", "AUTH", Exact},
			{"LOGIN Page", "login pAGE", Exact},
			{"Implement.*AUTH", "implement auth", Exact},
			{"implement.*auth", "IMPLEMENT AUTH", Exact},
			{"/ADD/", "add", Exact},
			{"/add/", "ADD", Exact},
			{"*.GO", "main.go", Exact},
			{"*.go", "MAIN.GO", Exact},
			{"$Home", "$HOME", Exact},
			{"COLOU?R", "color", Exact},
			{"ÜBER", "über", Exact},
			{"React组件", "react组件", Exact},
			{"NOT NOW", "not now", Exact},
		}},
		{"a regular expression sees lines as one text", []matchCase{{"social.*auth", "social\nauth", Exact}}},

		// Phrases.
		{"words end at case humps", []matchCase{
			{"auth", "OAuth", Exact},
			{"http", "parseHTTP", Exact},
			{"parse", "parseHTTP", Exact},
			{"server", "HTTPServer", Exact},
			{"http", "HTTPServer", Exact},
			{"APIs", "all apis", Exact},
			{"api", "all APIs", Exact},
			{"parseHTTP", "parse_http", Exact},
			{"parse http", "parseHTTP", Exact},
			{"parsehttp", "parseHTTP", Exact},
		}},
		{"words end at digits", []matchCase{
			{"auth", "auth0", Exact},
			{"OAuth", "OAuth2", Exact},
			{"OAuth2", "oauth 2", Close},
			{"OAuth2", "oauth", Close},
			{"18", "v18", Exact},
		}},
		{"words end at underscores", []matchCase{
			{"user", "user_id", Exact},
			{"user_id", "user id", Exact},
			{"user_id", "the id of a user", Close},
			{"user_id", "userId", Exact},
		}},
		{"the whole phrase is exact", []matchCase{
			{"sign in with the key", "please sign in with the key", Exact},
			{"sign in with the key", "the key of the sign", Close},
			{"to be or not to be", "to be or not to be?", Exact},
		}},
		{"all content words in a row are exact", []matchCase{
			{"When working on the database migration", "a database migration", Exact},
			{"database migration", "migrate the database", Close},
			{"database migration", "database and migration", Exact}, // stop words stand in no row
			{"database migration", "database page migration", Close},
		}},
		{"nothing stands in a row across sentences", []matchCase{
			{"user page", "user login. page", Close},
			{"user page", "new user. Page two", Close},
			{"user page", "new user? Of the page", Close},
			{"user page", "user\n\npage", Close},
			{"user page", "user。page", Close},
			{"user page", "user\npage", Exact},
			{"user page", "user, page", Exact},
			{"OAuth2", "o auth. 2", Close},
			{"Is it slow? Look at the cache", "Is it slow? Look at the cache", Exact},
			{"Note: user page", "note user page", Exact},
		}},
		{"all content words are close", []matchCase{
			{"slow database query", "the query makes the database slow", Close},
		}},
		{"half of the content words are moderate", []matchCase{
			{"slow database", "database", Moderate},
			{"slow database query cache", "query the database", Moderate},
			{"slow database query", "query of a database", Moderate},
		}},
		{"fewer than half are slight", []matchCase{
			{"slow database query", "query", Slight},
			{"slow database query cache index", "the database query", Slight},
		}},
		{"no content word is none", []matchCase{{"slow database query", "the page", None}}},
		{"stop words are dropped", []matchCase{
			{"for the database of our users", "the page for the page of our page", None},
			{"for the database of our users", "users of a database", Close},
			{"whatever is in the cache", "cache", Exact},
		}},
		{"trigger words are dropped", []matchCase{
			{"When the task mentions auth", "the task mentions pages", None},
			{"When the task mentions auth", "auth", Exact},
			{"implementing auth", "auth", Exact},
			{"working on auth", "auth", Exact},
			{"considering auth", "auth", Exact},
			{"writing auth", "auth", Exact},
			{"understanding auth", "auth", Exact},
			{"needing auth", "auth", Exact},
			{"exploring auth", "auth", Exact},
			{"if the user wants auth", "auth", Moderate}, // the user may be the topic
			{"当实现登录时", "登录", Exact},
			{"处理登录", "登录", Exact},
		}},
		{"what triggers are about is no trigger word", []matchCase{
			{"testing auth", "auth", Moderate},
			{"planning auth", "auth", Moderate},
			{"build auth", "auth", Moderate},
			{"error handling", "error", Moderate},
			{"deployment plan", "plan", Moderate},
		}},
		{"a trigger word alone is a topic", []matchCase{{"exploring", "exploring the sea", Exact}, {"working", "we work", Close}}},
		{"words are stemmed", []matchCase{
			{"caching", "it caches", Close},
			{"try parsing", "parse the file and tried it", Close},
			{"run", "running", Close},
		}},
		{"either word of A or B satisfies", []matchCase{
			{"mobile or web app", "a web app", Exact},
			{"mobile or web app", "a mobile app", Exact},
			{"mobile or web app", "an app", Moderate},
			{"mobile or web app", "app for the web", Close},
			{"mobile or web app", "mobile web", Moderate},
			{"red, green or blue", "blue", Moderate},
			{"caching or the queue", "queue", Exact},
			{"or cache", "cache", Exact},
		}},
		{"four letters that begin a word stand for it", []matchCase{
			{"auth", "authentication", Close},
			{"auth module", "the module for authentication", Close},
			{"dat module", "the module for databases", Moderate},
		}},
		{"a word of four letters that begins the trigger's stands for it", []matchCase{
			{"authentication", "auth", Close},
			{"authentication module", "module of auth", Close},
			{"aut", "authentication", Slight},
			{"database", "dat", None},
		}},
		{"words without a topic begin nothing", []matchCase{
			{"withdraw", "with it", None},
			{"withdraw", "work with the task", None},
			{"overflow", "it is over", None},
			{"thematic", "them", None},
			{"workshop", "work", None},
			{"taskbar", "task", None},
			{"ever green", "everything", None},
		}},
		{"stop words of the text have no stem", []matchCase{{"thing", "things", None}, {"does", "doing", None}}},
		{"a phrase without content matches literally only", []matchCase{
			{"not now", "do it, not now", Exact},
			{"not now", "now it is not", None},
			{"When the task mentions", "the task mentions it", None},
			{"When the task mentions", "when the task mentions it", Exact},
			{"it", "it works", Exact},
			{"it", "its works", None},
			{"to", "a tomato", None},
			{"->", "a -> b", Exact},
			{"->", "a > b", None},
			{"🔥", "a 🔥 b", Exact},
			{"🔥", "a b", None},
		}},

		// A single word.
		{"a whole word is exact", []matchCase{{"login", "the login", Exact}}},
		{"a plural is exact", []matchCase{
			{"test", "tests", Exact},
			{"tests", "test", Exact},
			{"class", "classes", Exact},
			{"classes", "class", Exact},
			{"query", "queries", Exact},
			{"queries", "query", Exact},
			{"user's", "users", Exact},
			{"api", "the APIs", Exact},
			{"APIs", "the api", Exact},
			{"box", "boxes", Exact},
			{"match", "matches", Exact},
			{"matches", "match", Exact},
			{"PR", "two PRs", Exact},
			{"PRs", "the PR", Exact},
			{"PRs", "the prs", Exact},
			{"prs", "the PRs", Exact},
			{"user ids", "all userIDs", Exact},
		}},
		{"another word is no plural", []matchCase{
			{"go", "as it goes", Slight},
			{"iOS", "file IO", Close}, // by its stem
			{"CSS", "CS course", None},
			{"new", "the news", Slight},
			{"news", "the new", None},
			{"AWS", "aw", Close}, // by its stem
		}},
		{"a stem is close", []matchCase{{"deploying", "deployed", Close}}},
		{"the beginning of a word is close", []matchCase{{"depl", "deployment", Close}}},
		{"elsewhere inside a word is slight", []matchCase{
			{"ui", "build", Slight},
			{"go", "good", Slight},
			{"form", "platform", Slight},
			{"auth", "oauth", Slight},
			{"ui page", "build", None},
		}},
		{"one letter counts as a whole word only", []matchCase{
			{"x", "x axis", Exact},
			{"x", "xy", None},
			{"x", "fix", None},
			{"x", "xs", None},
			{"R", "for R users", Exact},
		}},
		{"a hyphen neither joins nor parts", []matchCase{
			{"e-mail", "email", Exact},
			{"email", "e-mail", Exact},
			{"e-mail", "e-mails", Exact},
			{"real-time", "real time", Exact},
			{"realtime", "real-time", Exact},
			{"Node.js", "nodejs", Moderate},
			{"nodejs", "Node.js", Exact},
		}},
		{"an apostrophe is no end", []matchCase{
			{"user's page", "the user page", Exact},
			{"don't", "dont", Exact},
			{"user’s page", "users page", Exact},
		}},
		{"C# and its kind are words", []matchCase{
			{"C#", "in C# code", Exact},
			{"C#", "in C code", None},
			{"g++", "with g++", Exact},
			{"PR", "see PR#12", Exact},
		}},

		// Chinese, Japanese, Korean.
		{"a substring of a script without spaces is exact", []matchCase{
			{"数据库", "修改数据库迁移", Exact},
			{"認証", "ユーザー認証の設定", Exact},
			{"데이터베이스", "새 데이터베이스를", Exact},
			{"用户登录", "用户\n登录", Exact},
			{"React 组件", "一个React组件", Exact},
		}},
		{"half of the bigrams are close", []matchCase{
			{"数据库迁移", "数据库备份", Close},   // 2 of 4
			{"認証機能", "認証を機能する", Close},  // 2 of 3
			{"로그인페이지", "로그인", Moderate}, // 2 of 5
			{"로그인페이지", "로그인 지페이지", Close},
		}},
		{"a quarter of the bigrams is moderate", []matchCase{
			{"用户登录", "登录", Moderate},     // 1 of 3
			{"数据库迁移", "迁移", Moderate},    // 1 of 4
			{"データ移行手順", "データ", Moderate}, // 2 of 6
		}},
		{"fewer bigrams are slight", []matchCase{
			{"数据库迁移工具", "迁移", Slight}, // 1 of 6
			{"数据库迁移", "数值", None},
		}},
		{"trigger words of Chinese, Japanese and Korean are dropped", []matchCase{
			{"当任务提到支付的时候", "支付", Exact},
			{"当用户登录时", "用户登录", Exact},
			{"実装する認証", "実装するな", None},
			{"認証について", "認証", Exact},
			{"로그인 구현", "로그인", Exact},
			{"로그인 구현", "구현", None},
			{"实时数据", "数据", Moderate}, // 时 inside a word stays
			{"实现", "实现它", Exact},     // nothing else is there
			{"实现", "现实", None},
		}},
		{"当…时, 在…时 and 在…中 are dropped", []matchCase{
			{"当实现登录时", "登录", Exact},
			{"当登录失败的时候", "登录失败", Exact},
			{"在登录失败时", "登录失败", Exact},
			{"在生产环境中", "生产环境", Exact},
			{"用户登录时", "用户登录", Exact},
			{"用户登录时的处理", "用户登录", Exact},
			{"当支付失败", "支付失败", Exact},
			{"当日志写入时", "日志写入", Exact},
			{"当前端出错时", "前端出错", Exact},
			{"当连接超时", "连接超时", Exact},
			{"当前用户登录时", "当前用户登录", Exact},
			{"在线程池中", "线程池", Exact},
			{"ログイン時", "ログイン", Exact},
		}},
		{"what is part of another word stays", []matchCase{
			{"超时", "超级用户管理", None},
			{"实时", "实现登录", None},
			{"在线", "线程池", None},
			{"临时", "光临", None},
			{"集中", "集合", None},
			{"同时", "同步", None},
			{"请求超时", "请求超级", Close},
			{"当前用户", "之前用户", Close}, // 前用 and 用户 of three
			{"在线支付时", "线支付", Close},
			{"日志集中", "日志集", Close},
			{"库时", "数据库", None}, // one character is not left alone
			{"当时", "时间", None},
			{"处理器", "服务器", None},
		}},
		{"words of other scripts count beside", []matchCase{
			{"Docker 部署", "部署到 docker", Close},
			{"Docker 部署", "docker", Moderate},
			{"Docker 部署", "部署", Moderate},
			{"Docker 容器部署", "docker 容器", Moderate}, // 1 of 3 bigrams
			{"Docker 库", "docker", Close},
			{"Docker 部署", "page", None},
		}},
		{"one character is found as it stands", []matchCase{{"库", "数据库", Exact}, {"库", "数据", None}}},
	} {
		t.Run(rule.name, func(t *testing.T) {
			for _, c := range rule.cases {
				patterns, faults := readPatterns([]string{c.pattern})
				assert.Empty(t, faults, "%q", c.pattern)
				assert.Equal(t, c.want, patterns[0].Match(c.text), "%q on %q", c.pattern, c.text)
			}
		})
	}
}

func TestCompilePatternRefuses(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		want          error
		says          string
	}{
		{"look-ahead", "(?!x)y", ErrInvalid, "(?!x)y"},
		{"look-behind", "(?<=x)y", ErrInvalid, "(?<=x)y"},
		{"what is between slashes and is no expression", "/lo(g/", ErrInvalid, "lo(g"},
		{"an expression that is not closed", "log(.*in page", ErrInvalid, "log(.*in page"},
		{"a glob between slashes", "/*.go/", ErrInvalid, "*.go"},
		{"a range the wrong way round", "v[z-a]", ErrInvalid, "v[z-a]"},
		{"one bad alternative", "auth|(?!x)y|login", ErrInvalid, "(?!x)y"},
		{"more than 256 bytes", strings.Repeat("a", 257), ErrTooLarge, "257"},
		{"more than 256 bytes in few characters", strings.Repeat("库", 86), ErrTooLarge, "258"},
		{"many optional letters", strings.Repeat("a?", 85) + strings.Repeat("a", 85), ErrTooLarge, "425"},
		{"a long counted repetition", ".{300}x", ErrTooLarge, "301"},
		{"long counted repetitions of several alternatives", ".{100}x|.{100}y|.{100}z", ErrTooLarge, "303"},
		{"a long repetition of a class of many ranges", `[\pL\d]{150}x`, ErrTooLarge, "256"},
		{"globs of many stars", strings.Repeat("*a", 90), ErrTooLarge, "at most 256"},
		{"a repetition that Go refuses", "/a{1001}/", ErrInvalid, "repeat"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := CompilePattern(c.pattern)
			assert.Nil(t, p)
			require.ErrorIs(t, err, c.want)
			assert.Contains(t, err.Error(), c.says)
		})
	}
}

func TestCompilePatternAcceptsUpToItsCaps(t *testing.T) {
	for name, pattern := range map[string]string{
		"256 bytes":                       strings.Repeat("a", 256),
		"a line of expressions":           strings.TrimSuffix(strings.Repeat("implement.*auth|", 16), "|"),
		"a counted repetition":            ".{250}x",
		"a star among what costs nothing": "*|" + strings.Repeat("word|", 50),
	} {
		_, err := CompilePattern(pattern)
		assert.NoError(t, err, name)
	}
}

func TestWhatCanBeReadOfABadLineStillFires(t *testing.T) {
	patterns, errs := readPatterns([]string{"auth|(?!x)y|.{300}x|log.*in"})
	p := patterns[0]
	require.Len(t, errs, 2)
	assert.False(t, errs[0].err.TooLarge)
	assert.True(t, errs[1].err.TooLarge)
	assert.Equal(t, Exact, p.Match("auth"))
	assert.Equal(t, Exact, p.Match("log me in"))
	assert.Equal(t, None, p.Match("y"))
}

func TestOnlyTheFirst64KiBAreMatched(t *testing.T) {
	fill := func(n int) string { return strings.Repeat(" ", n) }
	for _, c := range []struct {
		name, text string
		want       Strength
	}{
		{"the last word within", fill(maxMatchText-6) + " login", Exact},
		{"a word behind", fill(maxMatchText) + " login", None},
		{"a word behind what becomes shorter", strings.Repeat("e\u0301", maxMatchText/3) + " login", None},
		{"a word that is cut", fill(maxMatchText-2) + "login", None},
		{"a cut in a character", fill(maxMatchText-7) + "login 库", Exact},
		{"a cut in a character, one byte on", fill(maxMatchText-8) + "login 库", Exact},
		{"what is no UTF-8", "login " + strings.Repeat("\x80", maxMatchText), Exact},
		{"a cut in a character that became longer, one byte on", "login xx" + strings.Repeat("\ufdfa", maxMatchText/3), Exact},
		{"a cut in a character that became longer", "login x" + strings.Repeat("\ufdfa", maxMatchText/3), Exact},
		{"characters that become longer", "login " + strings.Repeat("\ufdfa", maxMatchText/3), Exact},
		{"a word behind characters that become longer", strings.Repeat("\ufdfa", maxMatchText/4) + " login", None},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, pattern := range []string{"login", "/login/", "login*"} {
				p, err := CompilePattern(pattern)
				require.NoError(t, err)
				assert.Equal(t, c.want, p.Match(c.text), pattern)
			}
			text, _ := normalize(c.text)
			assert.LessOrEqual(t, len(text), maxMatchText)
			assert.True(t, utf8.ValidString(text))
		})
	}
}

func TestNewQueryTextTellsWhatWasCut(t *testing.T) {
	long, grows := strings.Repeat("x", maxMatchText+1), strings.Repeat("\ufdfa", maxMatchText/4)
	assert.Empty(t, newQueryText(&Query{Task: long[1:], Agent: "a", Plan: "p"}).cut)
	assert.Equal(t, []string{"task", "agent", "displayName", "plan", "history"},
		newQueryText(&Query{Task: long, Agent: long, DisplayName: long, Plan: long, History: long}).cut)
	assert.Equal(t, []string{"task", "history"}, newQueryText(&Query{Task: grows, History: grows}).cut, "NFKC makes it longer")
}

func TestTriggersEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	patterns, _ := readPatterns([]string{"*"})
	var memories []*indexed
	for i := range 3 {
		memories = append(memories, &indexed{name: fmt.Sprint(i), front: &Frontmatter{}, patterns: patterns})
	}
	triggers := newTriggers(memories)
	found, err := triggers.on(ctx, newQueryText(&Query{Task: "x"}), 0)
	require.NoError(t, err)
	assert.Len(t, found, 3)
	counted := &countedContext{Context: ctx, cancel: cancel, left: 1}
	_, err = triggers.on(counted, newQueryText(&Query{Task: "x"}), 0)
	assert.ErrorIs(t, err, context.Canceled, "it is asked for each memory")
}

// countedContext ends when it was asked a number of times.
type countedContext struct {
	context.Context
	cancel context.CancelFunc
	left   int
}

func (c *countedContext) Err() error {
	if c.left--; c.left < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

func TestReadPatternsSharesABudgetAmongLines(t *testing.T) {
	lines := make([]string, 12)
	for i := range lines {
		lines[i] = fmt.Sprintf(".{250}x|word%d", i)
	}
	patterns, faults := readPatterns(lines)
	require.Len(t, patterns, 12)
	require.Len(t, faults, 10+2, "two have room for the expression, ten for the word")
	assert.Equal(t, lines[2], faults[0].line)
	assert.True(t, faults[0].err.TooLarge)
	assert.Equal(t, Exact, patterns[9].Match("word9"))
	assert.Equal(t, None, patterns[10].Match("word10"))
}

func TestTheMoreImportantTheWeakerAMatchSuffices(t *testing.T) {
	assert.Equal(t, Slight, needed(Critical))
	assert.Equal(t, Moderate, needed(High))
	assert.Equal(t, Close, needed(Medium))
	assert.Equal(t, Exact, needed(Low))
}

func TestTaskAndNamesAreMatched(t *testing.T) {
	text := newQueryText(&Query{Task: "add a page", Agent: "ui-builder", DisplayName: "Page Designer"})
	for pattern, want := range map[string]Strength{
		"page": Exact, "builder": Exact, "designer": Exact, "ui": Exact,
		"ilder":               None, // inside a name
		"page designer":       Exact,
		"page ui":             Close, // task and name are not one row
		"/ui-builder/":        Exact,
		"/page$/":             Exact,
		"/uild/":              None,
		"add.*builder":        None,
		"builder page":        Close,
		"designers":           Exact,    // the plural
		"design":              None,     // the beginning of a name
		"designer of a build": Moderate, // likewise
	} {
		p, err := CompilePattern(pattern)
		require.NoError(t, err)
		assert.Equal(t, want, p.in(text.task), pattern)
	}
}

func TestStrengthString(t *testing.T) {
	for s, want := range map[Strength]string{
		None: "none", Slight: "slight", Moderate: "moderate", Close: "close", Exact: "exact",
		-1: "Strength(-1)", 5: "Strength(5)",
	} {
		assert.Equal(t, want, s.String())
	}
}

func TestPatternString(t *testing.T) {
	p, err := CompilePattern(" **auth**| login. ")
	require.NoError(t, err)
	assert.Equal(t, " **auth**| login. ", p.String(), "as it was written")
}

func TestErrorsQuoteOnlyTheBeginningOfALine(t *testing.T) {
	_, err := CompilePattern(strings.Repeat("é", 200))
	require.ErrorIs(t, err, ErrTooLarge)
	assert.Contains(t, err.Error(), strings.Repeat("é", 60)+"…")
	assert.NotContains(t, err.Error(), strings.Repeat("é", 61))
}

func TestOnePatternServesManyGoroutines(t *testing.T) {
	p, err := CompilePattern("oauth|social.*auth|*.go|colou?r|when implementing security|数据库迁移|$HOME")
	require.NoError(t, err)
	texts := map[string]Strength{
		"social login via auth0": Exact, "edit main.go": Exact, "color": Exact,
		"secure it": Close, "数据库备份": Close, "go home": Close, "nothing": None,
	}
	shared := lexical.NewText("edit main.go")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				for text, want := range texts {
					assert.Equal(t, want, p.Match(text), text)
				}
				assert.Equal(t, Exact, p.in(shared))
			}
		})
	}
	wg.Wait()
}

func ExampleCompilePattern() {
	for _, line := range []string{"auth|login", "implement.*auth", "/(?!x)y/"} {
		_, err := CompilePattern(line)
		fmt.Println(line, err)
	}
	// Output:
	// auth|login <nil>
	// implement.*auth <nil>
	// /(?!x)y/ whenToUse "/(?!x)y/": "(?!x)y" is not a regular expression that can be read (invalid or unsupported Perl syntax); mend it, or say it in words: invalid
}

func ExamplePattern_Match() {
	p, err := CompilePattern("When implementing database migrations")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Match("Write a database migration"))
	fmt.Println(p.Match("Migrate the old database"))
	fmt.Println(p.Match("Back up the database"))
	fmt.Println(p.Match("Add a login page"))
	// Output:
	// exact
	// close
	// moderate
	// none
}
