package replyjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// schema of the tests: an object with "ok" fits.
var schema = Schema{[]string{"ok", "text", "list", "more"}, "ok", func(o *Object) bool { return o.Get("ok") != nil }}

var visible = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

// shown writes a value with keys in the order of the reply.
func shown(v any) string {
	switch v := v.(type) {
	case Text:
		return `"` + visible.Replace(v.String()) + `"`
	case *Object:
		parts := make([]string, len(v.Members))
		for i, m := range v.Members {
			parts[i] = m.Key + ":" + shown(m.Value)
		}
		return "{" + strings.Join(parts, " ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = shown(item)
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return fmt.Sprint(v)
}

// all finds objects, with marks for drafts and those that are cut.
func all(text string) string { return allOf(text, schema) }

func allOf(text string, schema Schema) string {
	found, broken := Find(text, schema)
	var parts []string
	for _, f := range found {
		part := shown(f.Object)
		if f.Draft {
			part += " draft"
		}
		if f.Cut {
			part += " cut" + strings.TrimSuffix(" in "+f.Lost, " in ")
		}
		if f.Behind {
			part += " more behind"
		}
		if f.Twice != "" {
			part += " twice " + f.Twice
		}
		if f.Torn {
			part += " torn"
		}
		parts = append(parts, part)
	}
	if broken {
		parts = append(parts, "broken")
	}
	return strings.Join(parts, ", ")
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"no object", "ok: 1", ""},
		{"one that does not fit", `{"a": 1}`, ""},
		{"all kinds of values", `{"ok": [1, -2.5e3, true, false, null, "a", {}, []]}`, `{ok:[1 -2.5e3 true false <nil> "a" {} []]}`},
		{"several", `{"ok": 1} {"a": 2} {"ok": 3}`, `{ok:1}, {ok:3}`},
		{"the outer one of two", `{"ok": {"ok": 1}}`, `{ok:{ok:1}}`},
		{"in one that does not fit", `[{"a": [{"ok": 1}]}]`, `{ok:1}`},
		{"behind an open brace", `{ {"a {"ok": 1}`, `{ok:1}`},
		{"in thinking", `<think>{"ok": 1}</think>`, `{ok:1} draft`},
		{"in thinking and behind", `<THINK>{"ok": 1}</Think>{"ok": 2}`, `{ok:2}`},
		{"before thinking", `{"ok": 1}<thought>{"ok": 2}</thought>`, `{ok:1}`},
		{"in thinking without an end", `<reasoning>{"ok": 1}`, `{ok:1} draft`},
		{"in thinking without a beginning", `{"ok": 1}</thinking>{"ok": 2}`, `{ok:2}`},
		{"in thinking without a beginning, alone", `{"ok": 1}</thinking>`, `{ok:1} draft`},
		{"tags in a text", `{"ok": "<think>"} {"ok": "</think>"}`, `{ok:"<think>"}, {ok:"</think>"}`},
		{"other tags", `<b>{"ok": 1}</b>`, `{ok:1}`},
		{"in a string", `{"arguments": "{\"ok\": \"a\\\"b\"}"}`, `{ok:"a\"b"}`},
		{"in a string that is cut", `{"arguments": "{\"ok\": \"a b`, `{ok:"a b"} cut in ok`},
		{"not deeper than the bound", strings.Repeat(`{"ok":`, maxDepth) + "1" + strings.Repeat("}", maxDepth),
			strings.Repeat(`{ok:`, maxDepth) + "1" + strings.Repeat("}", maxDepth)},
		{"deeper lists", `{"ok": ` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + "}", "broken"},
		{"a skeleton that is too long to repair", `{"ok": [` + strings.Repeat("1,", maxSkeleton) + "]}", "broken"},
		{"what cannot be repaired before one", `{"ok": 1 = 2} {"ok": 1}`, `{ok:1}`},
		{"what cannot be repaired behind one", `{"ok": 1} {"ok": 1 = 2}`, `{ok:1} more behind`},
		{"what was repaired behind one, and does not fit", `{"ok": 1} {text: 1,}`, `{ok:1}`},
		{"what cannot be repaired", `{"ok": 1 = 2}`, "broken"},
		{"marks of our own", "{ok: a\uE0000\uE001}", `{ok:"a0"}`},
		{"marks of our own in JSON", "{\"ok\": \"\uE0000\uE001\"}", "{ok:\"\uE0000\uE001\"}"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, all(c.text)) })
	}
	_, broken := Find(strings.Repeat(`{"a":[`, 20), schema)
	assert.False(t, broken, "what is broken and no answer says nothing")
}

// TestFindGivesUp: no more is repaired than is bounded.
func TestFindGivesUp(t *testing.T) {
	assert.Equal(t, "{ok:1}", all(strings.Repeat(`{text: 1,}`, maxRepairs-1)+`{ok: 1,}`))
	assert.Equal(t, "broken", all(strings.Repeat(`{text: 1,}`, maxRepairs)+`{ok: 1,}`))
	assert.Equal(t, "{ok:1}", all(strings.Repeat(`{text: 1,}`, maxRepairs)+`{"ok": 1}`), "what is valid needs no repair")
	assert.Equal(t, "broken", all(strings.Repeat(`{\"`, 60)+strings.Repeat(" ", 1<<19)+`{ok: 1}`), "the work is bounded, too")
	assert.Equal(t, "broken", all(`{"ok": 1}`+strings.Repeat(`{\"`, 60)+strings.Repeat(" ", 1<<19)+`{ok: 2}`), "which is the last is not known")
	far := strings.Repeat(`{"a`, 60) + strings.Repeat(" ", 1<<19)
	assert.Equal(t, "broken", all(far+`{"ok": 1}`), "that of guesses, too")
}

func TestFindRepairs(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"trailing commas", `{"ok": [1, 2,], }`, `{ok:[1 2]}`},
		{"missing commas", "{\"ok\": 1\n\"list\": [\"a\" \"b\"] \"more\": 2}", `{ok:1 list:["a" "b"] more:2}`},
		{"comments", "{// a\n\"ok\": 1, # b }\n/* \"c\" */ \"text\": \"// d\" // e\n}", `{ok:1 text:"// d"}`},
		{"a comment behind a bare word", "{ok: yes // or no\n, text: no # or yes\n}", `{ok:"yes" text:"no"}`},
		{"keys and words without quotes", `{ok: some words, when_used: True, list: [a, None]}`, `{ok:"some words" when_used:true list:["a" <nil>]}`},
		{"backslashes without quotes", `{ok: C:\new\src, text: a\}`, `{ok:"C:\\new\\src" text:"a\\"}`},
		{"a key with half its quotes", `{"ok": 1, text": 2}`, `{ok:1 text:2}`},
		{"single quotes", `{'ok': 'it's', 'text': 'a "b" c'}`, `{ok:"it's" text:"a \"b\" c"}`},
		{"curly quotes", `{“ok”: “a "b" c”, ‘text’: ‘d’, „more“: „e“}`, `{ok:"a \"b\" c" text:"d" more:"e"}`},
		{"quotes that do not match", `{“ok": “a", "text”: 1}`, `{ok:"a" text:1}`},
		{"triple quotes", `{"ok": """a "b", "c": d""", 'text': '''e''',}`, `{ok:"a \"b\", \"c\": d" text:"e"}`},
		{"an empty text is no triple quote", `{"ok": "", "text": '',}`, `{ok:"" text:""}`},
		{"backticks", "{ok: `a 'b'`,}", `{ok:"a 'b'"}`},
		{"line breaks in a text", "{\"ok\": \"a\n\tb\",}", `{ok:"a\n\tb"}`},
		{"texts joined", `{"ok": "a" + "b" + 'c',}`, `{ok:"abc"}`},
		{"a bracket for a brace", `{"ok": {"list": ["a", "b"}, "more": 1}`, `{ok:{list:["a" "b"]} more:1}`},
		{"a bracket too many", `{"ok": "a"], "more": 1,}`, `{ok:"a" more:1}`},
		{"dots for what is left out", `{"ok": ["a", ...], "text": "b", ...}`, `{ok:["a"] text:"b"}`},
		{"spaces of other kinds", "{\u00a0\"ok\":\u200b\u30001,\ufeff}", `{ok:1}`},
		{"nothing for a value", `{"ok": 1, "text":, }`, `{ok:1 text:<nil>}`},
		{"backslashes stay as they are", `{"ok": "C:\\users\\x /etc/x.ts \"q\"", "list": ["a, b,"],}`, `{ok:"C:\\users\\x /etc/x.ts \"q\"" list:["a, b,"]}`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, all(c.text)) })
	}
}

func TestFindQuotesWithoutBackslash(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"one word", `{"ok": "a "b" c", "text": 1}`, `{ok:"a \"b\" c" text:1}`},
		{"at either end", `{"ok": ""a" and "b"", "text": 1}`, `{ok:"\"a\" and \"b\"" text:1}`},
		{"before a comma", `{"ok": "a "b", then "c", d", "text": 1}`, `{ok:"a \"b\", then \"c\", d" text:1}`},
		{"last in the object", `{"ok": "a "b""}`, `{ok:"a \"b\""}`},
		{"an object in the text", `{"ok": "a {"b": "c", "d": "e"} f", "text": 1}`, `{ok:"a {\"b\": \"c\", \"d\": \"e\"} f" text:1}`},
		{"an object in the last text", `{"ok": "a {"b": "c"} f"}`, `{ok:"a {\"b\": \"c\"} f"}`},
		{"an open brace in the text", `{"ok": "if "a" { b", "text": 1}`, `{ok:"if \"a\" { b" text:1}`},
		{"an open brace in the last text", `{"ok": "if "a" { b"}`, `{ok:"if \"a\" { b"}`},
		{"before a key that is not known", `{"ok": "a "b" c", "else": 1}`, `{ok:"a \"b\" c" else:1}`},
		{"in a list", `{"ok": ["a "b" c", "d "e""], "text": 1}`, `{ok:["a \"b\" c" "d \"e\""] text:1}`},
		{"brackets in a list", `{"ok": ["a ["b"] c", "d"]}`, `{ok:["a [\"b\"] c" "d"]}`},
		{"prose behind", `{"ok": "a "b" c"} I hope that "this" helps.`, `{ok:"a \"b\" c"}`},
		{"another object behind", `{"ok": "a "b" c"} {"ok": 2}`, `{ok:"a \"b\" c"}, {ok:2}`},
		{"the end with a backslash", "{\"ok\": \"a\\\",\n\"text\": \"b\"}", `{ok:"a" text:"b"}`},
		{"an escaped quote before a comma", "{\"ok\": \"a \\\"b\\\", c\",}", `{ok:"a \"b\", c"}`},
		{"valid JSON is not guessed about", `{"ok": "a\", \"text\": \"b", "list": ["c\"]"]}`, `{ok:"a\", \"text\": \"b" list:["c\"]"]}`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, all(c.text)) })
	}
}

func TestFindCut(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"behind the brace", `{"ok": 1, "more": {`, `{ok:1 more:{}} cut`},
		{"in a key", `{"ok": 1, "te`, `{ok:1} cut`},
		{"in a key behind a text", `{"ok": "a", "te`, `{ok:"a"} cut`},
		{"behind a key", `{"ok": 1, "text"`, `{ok:1} cut`},
		{"behind the colon", `{"ok": 1, "text":`, `{ok:1 text:<nil>} cut`},
		{"in a text", `{"ok": 1, "text": "a b`, `{ok:1 text:"a b"} cut in text`},
		{"in a text inside", `{"ok": 1, "more": {"list": ["a", "b`, `{ok:1 more:{list:["a" "b"]}} cut in more`},
		{"in a text with quotes", `{"ok": "a "b", th`, `{ok:"a \"b\", th"} cut in ok`},
		{"in an escape", `{"ok": "a\u00`, `{ok:"a"} cut in ok`},
		{"behind a text", `{"ok": "a"`, `{ok:"a"} cut`},
		{"behind a comma", `{"ok": ["a",`, `{ok:["a"]} cut`},
		{"by the end of the fence", "{\"ok\": \"a\"\n```\nText {.", `{ok:"a"} cut`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, all(c.text)) })
	}
}

func TestFindMarksTheTextThatIsCut(t *testing.T) {
	found, _ := Find(`{"ok": ["a", "b`, schema)
	require.Len(t, found, 1)
	texts, ok := Texts(found[0].Object.Get("ok"))
	require.True(t, ok)
	assert.Equal(t, []Text{{raw: "a"}, {raw: "b", Cut: true}}, texts)
}

func TestTexts(t *testing.T) {
	found, _ := Find(`{"ok": ["a\\b", 1.50, [true], null], "text": [{"x": 1}, "b"]}`, schema)
	require.Len(t, found, 1)
	texts, ok := Texts(found[0].Object.Get("ok"))
	assert.True(t, ok)
	assert.Equal(t, []Text{{raw: `a\\b`}, {raw: "1.50"}, {raw: "true"}}, texts)
	texts, ok = Texts(found[0].Object.Get("text"))
	assert.False(t, ok)
	assert.Equal(t, []Text{{raw: "b"}}, texts)
}

func TestGet(t *testing.T) {
	found, _ := Find(`{"ok": 1, "When_To-Use": 2, "when to use": 3}`, schema)
	require.Len(t, found, 1)
	assert.Equal(t, json.Number("3"), found[0].Object.Get("whentouse"), "the last one counts")
	assert.Nil(t, found[0].Object.Get("more"))
	assert.Nil(t, (*Object)(nil).Get("ok"))
}

func TestRepairNeverPanics(t *testing.T) {
	_, ok := guarded("{", func(string) (string, error) { panic("a fault of the library") })
	assert.False(t, ok)
}

// TestFindQuoted: what an object that decides holds or quotes is no answer.
func TestFindQuoted(t *testing.T) {
	quoting := Schema{[]string{"ok", "text", "more"}, "ok", func(o *Object) bool { return o.Get("ok") == true || o.Get("ok") == nil && o.Get("text") != nil }}
	for _, c := range []struct{ name, text, want string }{
		{"in one that decides otherwise", `{"ok": 1, "a": {"ok": true}}`, "broken"},
		{"behind one that decides otherwise", `{"ok": 1} {"ok": true}`, `{ok:true}`},
		{"behind one that is broken and closed", `{"ok": 1 = 2} {"ok": true}`, `{ok:true}`},
		{"behind one that is broken without an end", `{"ok": 1 "a" b: {"ok": true}`, "broken"},
		{"in a text, of one that decides otherwise", `{"ok": 1, "a": "{\"ok\": true}"}`, "broken"},
		{"in thinking, before one that decides otherwise", `<think>{"ok": true}</think>{"ok": 1}`, "broken"},
		{"in a wrapper", `{"a": {"b": [{"ok": true}]}, "c": 1}`, `{ok:true}`},
		{"in a wrapper that needs repair", `{"a": {"ok": true},}`, `{ok:true}`},
		{"in a wrapper with another", `{"a": {"ok": true}, "b": {"text": 1}}`, "broken"},
		{"in a wrapper with one that decides otherwise", `{"a": {"ok": true}, "b": {"ok": 1}}`, "broken"},
		{"in a wrapper with a known key", `{"more": "x", "a": {"ok": true}}`, "broken"},
		{"in one that would fit", `{"text": "x", "a": {"ok": true}}`, "broken"},
		{"in a text", `{"a": "x {ok: true}"}`, ""},
		{"a key twice", `{"ok": true, "o_k": true}`, `{ok:true o_k:true} twice o_k`},
		{"a key twice inside", `{"ok": true, "a": [{"text": 1, "text": 2}]}`, `{ok:true a:[{text:1 text:2}]} twice text`},
		{"an unknown key twice", `{"ok": true, "a": 1, "a": 2}`, `{ok:true a:1 a:2}`},
		{"a key twice by quotes", `{"ok": true, "text": "a {"text": "b"} c"} {"ok": true}`, `{ok:true text:"a {" text:"b"} twice text`},
		{"its rest behind it", `{"more": "a {"text": "b"} c", "ok": 1}`, `{more:"a {" text:"b"} torn`},
		{"the end of a text behind it", `{"more": "a {"text": "b"} c"}`, `{more:"a {" text:"b"} torn`},
		{"the end of a text behind the last", `{"ok": true, "text": "a "}" {"ok": true} "}`, `{ok:true text:"a "}, {ok:true} torn`},
		{"its rest behind a draft", `{ok: true,} "ok": </think> {"ok": true}`, `{ok:true}`},
		{"a brace behind it", `{ok: true,} }`, `{ok:true}`},
		{"prose behind it", `{ok: true,} as "asked": {a}`, `{ok:true}`},
		{"its rest behind valid JSON", `{"ok": true} "ok": "}`, `{ok:true}`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, allOf(c.text, quoting)) })
	}
}
