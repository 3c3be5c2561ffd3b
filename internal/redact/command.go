package redact

import (
	"slices"
	"strings"
)

// option is an option of a command that takes a password, or a user and a
// password with a colon between them.
type option struct {
	name     string
	commands []string
	user     bool
	glued    bool // the password must follow without a blank
}

var mysql = []string{"mysql ", "mysqldump ", "mysqladmin ", "mariadb "}

var options = []option{
	{name: "-u", commands: []string{"curl "}, user: true},
	{name: "-U", commands: []string{"curl "}, user: true},
	{name: "--user", commands: []string{"curl "}, user: true},
	{name: "--proxy-user", commands: []string{"curl "}, user: true},
	{name: "-p", commands: []string{"sshpass ", "docker login ", "podman login ", "helm registry login "}},
	{name: "-p", commands: mysql, glued: true},
	{name: "-a", commands: []string{"redis-cli "}},
}

// maxCommand is how far behind a command its options are looked for, in bytes.
const maxCommand = 400

// find gives the password that the option at index at is given.
func (o *option) find(text string, at int) (Secret, bool) {
	if at == 0 || !is(text[at-1], blank) || !o.belongs(text, at) {
		return Secret{}, false
	}
	end := at + len(o.name)
	begin := skip(text, end, " =\\", 3)
	if len(o.name) > 2 && begin == end || o.glued && begin > end {
		return Secret{}, false // such as --user-agent
	}
	return o.password(text, begin)
}

// belongs reports whether one of the commands stands before index at in the same line.
func (o *option) belongs(text string, at int) bool {
	from := max(0, at-maxCommand)
	return slices.ContainsFunc(o.commands, func(command string) bool {
		begin := strings.LastIndex(text[from:at], command)
		if begin < 0 || is(before(text, from+begin), urlSafe) {
			return false
		}
		line := strings.ReplaceAll(strings.ReplaceAll(text[from+begin:at], "\\\n", ""), "\\\r\n", "")
		// What was taken out may have brought the option near, and was looked at before that.
		return !strings.Contains(line, "\n") && !strings.Contains(line, markerStart)
	})
}

// password reads what begins at index at, which may be quoted.
func (o *option) password(text string, at int) (Secret, bool) {
	ends := " \t\r\n\"'`|<>\\"
	if at < len(text) && strings.IndexByte("\"'`", text[at]) >= 0 {
		ends = text[at:at+1] + "\n"
		at++
	}
	rest := text[min(at, len(text)):min(len(text), at+maxCommand)]
	if n := strings.IndexAny(rest, ends); n >= 0 {
		rest = rest[:n]
	}
	user, password := "", strings.TrimSuffix(rest, `\`)
	if o.user {
		var ok bool
		if user, password, ok = strings.Cut(password, ":"); !ok {
			return Secret{}, false
		}
		at += len(user) + 1
	}
	return Secret{"command-password", at, at + len(password)}, realPassword(user, password)
}
