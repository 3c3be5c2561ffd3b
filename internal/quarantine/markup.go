package quarantine

import (
	"regexp"
	"sort"
	"strings"
	"sync"
)

// forgery is a mark that only the host of an agent should write.
type forgery struct {
	first  string
	kind   string
	reason string
	re     *regexp.Regexp
}

// forged are the marks of conversations and calls as they stand in folded text, by the
// characters that they begin with; behind a ^ at the beginning of a line only.
var forged = sync.OnceValue(func() []forgery {
	return []forgery{
		{"<", ToolCall, "token of a chat template", regexp.MustCompile(`^<\s*\|\s*/?[a-z_▁]{2,40}\s*\|\s*>|^<</?sys>>|^<(?:start|end)_of_turn>`)},
		{"[", ToolCall, "token of a chat template", regexp.MustCompile(`^\[/?inst\]|^\[/?system_prompt\]|^\[/?available_tools\]|^\[/?tool_(?:calls|results?)\]`)},
		{"<", ToolCall, "markup of a tool call", regexp.MustCompile(`^</?\s*(?:[a-z]{2,8}:)?(?:tool_calls?|function_calls?|function_results?|tool_use|tool_result|tool_response)\b[^>\n]{0,80}>|^<\s*(?:[a-z]{2,8}:)?(?:invoke|function|tool|parameter)\s+name\s*=|^<function=`)},
		{"<", ToolCall, "markup of a turn", regexp.MustCompile(`^</?\s*(?:system|assistant|system[-_ ]prompt|system[-_ ]message|system[-_ ]reminder|developer[-_ ]message|user_query|instructions?)\s*>`)},
		{"#", ToolCall, "heading of a turn", regexp.MustCompile(`^#{1,6}\s*\**(?:system|assistant|assistent|instructions?|human|user|benutzer|developer|用户|助手|系统)\s*(?:prompt|message)?\s*\**\s*[:：]`)},
		{"^ah", ToolCall, "forged turn", regexp.MustCompile(`^(?:assistant|human|ai)[*_]{0,2}\s*[:：][*_]{0,2}\s*(?:[^a\s]|a[^n]|an[^d])`)},
		{"^usbnm用使系", ToolCall, "forged turns", regexp.MustCompile(`^(?:user|system|benutzer|nutzer|mensch|用户|使用者|系统)\s*[:：][^\n]{1,180}\n+\W{0,4}(?:assistant|assistent|ki|助手|助理|智能体|user|benutzer|用户)[*_]{0,2}\s*[:：]`)},
		{"^f", ToolCall, "call of a tool", regexp.MustCompile(`^functions\.[a-z_]{2,40}\s*\(\s*\{\s*"`)},
		{"^at", ToolCall, "call of a tool", regexp.MustCompile(`^action[ _]input\s*[:：]|^to=functions\.|^tool[ _]call\s*[:：]\s*\{`)},
		{"^[【<(", ToolCall, "forged message of the system", regexp.MustCompile(`^[\[【<(]\s*(?:system|admin|developer|系统|system[- ]message|systemnachricht|系统消息|系统通知)\s*[\]】>)]\s*[:：]?`)},
		{"!", PassOn, "image that carries data out", regexp.MustCompile(`^!\[[^\]\n]*\]\(\s*<?(?:https?:)?//[^)\s]*[?=/&][^)\s]*(?:\{|<|\[|%7b|\$)`)},
		{"{", ToolCall, "forged message", regexp.MustCompile(`^\{\s*"role"\s*:\s*"(?:system|assistant|developer|tool)"\s*,\s*"content"\s*:`)},
		{"{", ToolCall, "call of a tool", regexp.MustCompile(`^\{[^{}]{0,80}"method"\s*:\s*"(?:tools/call|sampling/createmessage)"`)},
		{"{", ToolCall, "call of a tool", regexp.MustCompile(`^\{\s*"(?:tool_calls|function_call|tool_call|tool_use)"\s*:`)},
		{"{", ToolCall, "call of a tool", regexp.MustCompile(`^\{\s*(?:"(?:id|type)"\s*:\s*"[^"\n]{1,60}"\s*,\s*)*"(?:name|tool|function|tool_name|action|command)"\s*:\s*"[^"\n]{1,80}"\s*,\s*"(?:arguments|parameters|input|args|action_input|tool_input)"\s*:`)},
	}
})

// widest is how many characters of a mark are looked at.
const widest = 240

// markup finds forged turns and calls that are not shown in code by a sentence about them.
func (d *document) markup() []Finding {
	var found []Finding
	last := 0
	for i, r := range d.runes {
		atLine := i == 0 || d.runes[i-1] == '\n'
		if i < last || !atLine && r != '<' && r != '[' && r != '{' && r != '#' && r != '!' {
			continue
		}
		if end, mark := d.forgedAt(i, r, atLine); end > 0 {
			last = end
			found = append(found, Finding{forged()[mark].kind, int(d.at[i]), int(d.folded.end[end-1]), forged()[mark].reason})
		}
	}
	return found
}

// forgedAt looks for a mark that begins at i, and gives its end and number; 0 for none.
func (d *document) forgedAt(i int, r rune, atLine bool) (end, mark int) {
	if atLine {
		i, r = d.lineMark(i)
	}
	if !d.maybeMark(i, atLine) {
		return 0, 0
	}
	window := string(d.runes[i:min(i+widest, len(d.runes))])
	for mark, f := range forged() {
		first, lineOnly := strings.CutPrefix(f.first, "^")
		if lineOnly && !atLine || !strings.ContainsRune(first, r) {
			continue
		}
		m := f.re.FindStringIndex(window)
		if m == nil {
			continue
		}
		end = i + len([]rune(window[:m[1]]))
		if !d.talkedAbout(i, end) {
			return end, mark
		}
	}
	return 0, 0
}

// maybeMark looks at what follows, before time is spent on it.
func (d *document) maybeMark(i int, atLine bool) bool {
	if i+2 >= len(d.runes) {
		return false
	}
	next := d.runes[i+1]
	switch d.runes[i] {
	case '<':
		third := d.runes[i+2]
		return letter(next) || next == '|' && (letter(third) || third == ' ' || third == '/') || (next == '<' || next == '/' || next == ' ') && (letter(third) || third == '/' || third == '|')
	case '{':
		return next == '"' || next == ' ' || next == '\n'
	case '!':
		return next == '['
	case '【':
		return atLine
	case 'a', 'h', 'u', 's', 'b', 'n', 'm', 't', '用', '使', '系':
		return atLine && d.colonSoon(i)
	case 'f':
		return atLine && next == 'u'
	case '#':
		return next == '#' || next == ' '
	case '(':
		return atLine && letter(next)
	case '[':
		return letter(next) || next == '/'
	}
	return false
}

// colonSoon reports whether a colon or an equals sign follows within a word or two.
func (d *document) colonSoon(i int) bool {
	const soon = 16
	for _, r := range d.runes[i:min(i+soon, len(d.runes))] {
		switch r {
		case ':', '：', '=':
			return true
		case '\n', '.', ',':
			return false
		}
	}
	return false
}

// lineMark goes over what dresses the beginning of a line: quotation marks and emphasis.
func (d *document) lineMark(i int) (int, rune) {
	for begin := i; i < len(d.runes) && i < begin+20; i++ {
		if r := d.runes[i]; r != ' ' && r != '\t' && r != '>' && r != '*' && r != '_' {
			return i, r
		}
	}
	return i, 0
}

// talkedAbout reports whether what stands between two runes is code or a quotation in
// a sentence about it.
func (d *document) talkedAbout(begin, end int) bool {
	at := sort.Search(len(d.terms), func(i int) bool { return int(d.terms[i].end) > begin })
	if at == len(d.terms) || int(d.terms[at].begin) >= end {
		return false
	}
	t := &d.terms[at]
	if t.code && d.glimpse(at) {
		return true
	}
	if t.code || t.fence > 0 || t.quote > 0 && begin > 0 && strings.ContainsRune(`"'“„‘「『«`, d.runes[begin-1]) {
		return d.reported(at)
	}
	s := d.sentenceOf(at)
	onLine := begin > 0 && d.runes[begin-1] != '\n'
	return s.begin < at && (s.role&report != 0 || s.role&cites != 0 && onLine) || d.midLine(s, at)
}

// glimpse reports whether the code in a line that term i is in is a few words in a longer sentence.
func (d *document) glimpse(i int) bool {
	const few = 8
	s := d.sentenceOf(i)
	within := 0
	for k := s.begin; k < s.end; k++ {
		if d.terms[k].quote == d.terms[i].quote {
			within++
		}
	}
	return within <= few && s.end-s.begin-within >= 4
}

// midLine reports whether a mark stands within a sentence that tells something: words go before
// it on its line, and they are no order.
func (d *document) midLine(s *sentence, at int) bool {
	for i := at; i > at-3; i-- {
		if i <= s.begin || d.terms[i].gap >= line {
			return false
		}
	}
	return d.commands(s) == told0 && s.what&you == 0
}
