package markdown

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCode(t *testing.T) {
	for _, c := range []struct{ name, text, code, open string }{
		{"none", "a\n``b``\n~~c~~", "---", ""},
		{"backticks", "a\n```go\nb\n```\nc", "-xxx-", ""},
		{"tildes", "~~~ `go`\nb\n~~~\nc", "xxx-", ""},
		{"left open", "a\n~~~~\nb", "-xx", "~~~~"},
		{"empty and open", "```", "x", "```"},
		{"not closed by the other", "```\n~~~\n```\na", "xxx-", ""},
		{"not closed by a shorter one", "````\n```\n````\na", "xxx-", ""},
		{"closed by a longer one", "```\n`````\na", "xx-", ""},
		{"not closed by one with words", "```\n``` go\n```\na", "xxx-", ""},
		{"indented, and closed so", "   ```\n  b\n      ```\na", "xxx-", ""},
		{"in a list", "- 1. ```\nb\n  ```\na", "xxx-", ""},
		{"code in a line", "```a``` b\nc", "--", ""},
		{"in a quotation", "> ```\nb", "--", ""},
		{"behind words", "a ```\nb", "--", ""},
		{"twice", "```\n```\na\n~~~\n~~~", "xx-xx", ""},
	} {
		code, open := Code(strings.Split(c.text, "\n"))
		got := ""
		for _, is := range code {
			got += map[bool]string{true: "x", false: "-"}[is]
		}
		assert.Equal(t, c.code, got, c.name)
		assert.Equal(t, c.open, open, c.name)
	}
}
