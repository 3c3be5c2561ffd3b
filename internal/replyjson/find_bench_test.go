package replyjson

import (
	"strings"
	"testing"
)

// hostile are the beginnings of texts that make a careless reader slow or deep.
var hostile = map[string]string{
	"braces": "{", "brackets": "[", "brace, bracket": "{[", "brace, quote": `{"`, "brace, key": `{"a":`, "known key": `{"content":`,
	"list": `{"content":[`, "open string": `{"content":"`, "no backslash": `{"content":"x" `, "escaped quotes": `{\"`, "backslashes": `\`,
	"quotes": `"`, "single quotes": `{'`, "triple quotes": `{content:"""`, "backticks": "{content:`", "comments": `{"content"//`,
	"comments in lines": "{\"content\":\"//\"\n", "block comments": `{/**/`, "open comments": `{/*`, "tags": "<think>", "closed tags": "<think></think>",
	"open tags": "</", "spaces": `{"content":"x"            `, "commas": `{"content":1,`, "numbers": `{"content":1 `, "curly quotes": `{“`,
	"small objects": `{"content":x}`, "bare braces": `{content `, "fences": "{\"a\":\n```", "marks": "{content:\uE0001\uE001 ", "minus": `{"content":"a"+`,
}

// begun are what the rest of a text is made of, behind one beginning.
var begun = map[string][2]string{
	"numbers in a list":  {`{"content":[1,`, "1,"},
	"missing commas":     {`{"content":[`, `"a" `},
	"bare words":         {`{"content":[`, "a "},
	"quotes in a text":   {`{"content":"`, `"x`},
	"ends in a text":     {`{"content":"a"b`, `{"}`},
	"comments in a text": {`{"content":"a`, `"//`},
	"members":            {`{content:1,`, `a:1,`},
	"long key":           {`{"content":"x","`, "a"},
	"escapes":            {`{"content":"`, `\u00e`},
	"deep and long":      {`{"content":[`, `[[[[[[[[[],`},
}

// BenchmarkFindHostile reads 1 MiB of each; any that takes much longer than the
// others is a fault.
func BenchmarkFindHostile(b *testing.B) {
	const size = 1 << 20
	texts := make(map[string]string)
	for name, s := range hostile {
		texts[name] = strings.Repeat(s, size/len(s))
	}
	for name, s := range begun {
		texts["begun: "+name] = s[0] + strings.Repeat(s[1], (size-len(s[0]))/len(s[1]))
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Find(text, Schema{[]string{"content", "title"}, "content", func(o *Object) bool { return false }})
			}
		})
	}
}
