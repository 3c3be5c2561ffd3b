package quarantine

import (
	"strings"
	"sync"
)

// structure recognises commands by the words that follow a program's name.
func (d *document) structure(t *term, units []unit) {
	if t.kind != plainKind || t.end-t.begin > 24 {
		return
	}
	switch string(d.runes[units[0].begin:units[0].end]) {
	case "curl", "wget", "iwr", "fetch", "irm":
		if d.piped(units) {
			t.what |= fetchRun
			t.known = true
		}
	case "bash", "sh", "zsh", "eval", "source", "iex", "python", "python3", "node", "perl", "ruby", "sudo":
		if d.substituted(units) {
			t.what |= fetchRun
			t.known = true
		}
	case "rm", "mkfs", "dd", "chmod", "truncate", "shred", "del", "format", "rmdir", "git", "terraform", "kubectl", "dropdb", "aws", "docker", "find":
		if destructive(d.line(units, 80)) {
			t.what |= destroy
			t.known = true
		}
	}
}

// line gives what stands from the first unit on its line, at most n characters.
func (d *document) line(units []unit, n int) string {
	begin := int(units[0].begin)
	end := begin
	for end < len(d.runes) && end-begin < n && d.runes[end] != '\n' && d.runes[end] != '`' {
		end++
	}
	return string(d.runes[begin:end])
}

// shells are the programs that run what they are given.
var shells = sync.OnceValue(func() map[string]bool {
	return words("sh bash zsh ksh dash fish python python3 python2 node perl ruby php iex powershell pwsh eval source")
})

// piped reports whether what is fetched goes to a shell: curl … | sh.
func (d *document) piped(units []unit) bool {
	const longest = 300
	begin := int(units[0].begin)
	if begin < d.looked {
		return false // the same line once more
	}
	d.looked = begin + longest/2
	return runsPiped(d.line(units, longest))
}

// substituted reports whether a shell is given what is fetched: bash <(curl …), eval "$(curl …)".
func (d *document) substituted(units []unit) bool {
	_, rest, _ := strings.Cut(d.line(units, 120), " ")
	for _, opening := range []string{"<(", "$(", "-c", "(", "`"} {
		if at := strings.Index(rest, opening); at >= 0 && at < 12 {
			inner := strings.TrimLeft(rest[at+len(opening):], " \"'$(`")
			for _, p := range []string{"curl", "wget", "iwr", "irm", "invoke-webrequest"} {
				if strings.HasPrefix(inner, p) {
					return true
				}
			}
		}
	}
	return false
}

// runsPiped looks for a shell behind a pipe, or for a file that is fetched and run: curl -o x && sh x.
func runsPiped(s string) bool {
	for {
		cut := strings.IndexAny(s, "|&;")
		if cut < 0 {
			return false
		}
		s = strings.TrimLeft(s[cut+1:], "|& ")
		fields := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" `\"'.,;)", r) })
		for len(fields) > 0 && (fields[0] == "sudo" || fields[0] == "env" || fields[0] == "exec" || fields[0] == "-e") {
			fields = fields[1:]
		}
		if len(fields) == 0 {
			continue
		}
		name := fields[0]
		if slash := strings.LastIndexByte(name, '/'); slash >= 0 {
			name = name[slash+1:]
		}
		if shells()[name] || name == "chmod" {
			return true
		}
	}
}

// destructive reports whether a command, in lower case, destroys much.
func destructive(s string) bool {
	f := strings.Fields(strings.Trim(s, "`\"'"))
	if len(f) < 2 {
		return strings.HasPrefix(s, "mkfs")
	}
	rest := strings.Join(f[1:], " ")
	switch f[0] {
	case "rm":
		return removesMuch(f[1:])
	case "dd":
		return strings.Contains(rest, "of=/dev/")
	case "chmod":
		return strings.Contains(rest, "777") && (strings.Contains(rest, "-r ") || strings.Contains(rest, " /"))
	case "git":
		return strings.Contains(rest, "push") && (strings.Contains(rest, "--force") && !strings.Contains(rest, "with-lease") || strings.Contains(rest, "--mirror")) &&
			(strings.Contains(rest, "main") || strings.Contains(rest, "master"))
	case "terraform":
		return f[1] == "destroy" && strings.Contains(rest, "-auto-approve")
	case "kubectl":
		return f[1] == "delete" && (strings.Contains(rest, "--all") || strings.Contains(rest, " namespace"))
	case "aws":
		return strings.Contains(rest, " rm ") && strings.Contains(rest, "--recursive")
	case "find":
		return strings.HasPrefix(rest, "/ ") && strings.Contains(rest, "-delete")
	case "del", "format", "rmdir":
		return strings.Contains(rest, "c:") || strings.Contains(rest, "/s")
	case "truncate", "docker":
		return false
	}
	return strings.HasPrefix(s, "mkfs") || f[0] == "shred" && strings.Contains(rest, "/dev/")
}

// removesMuch looks at the arguments of rm: recursive, and of the root, a home, or everything here.
func removesMuch(args []string) bool {
	recursive := false
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			recursive = recursive || strings.Contains(a, "r")
			continue
		}
		if !recursive {
			return false
		}
		switch strings.Trim(a, "\"'`.,;。，)") {
		case "/", "/*", "~", "~/", "~/*", "$home", "${home}", "*", "/home", "/etc", "/usr", "/var", ".git", "/var/lib", "/srv", "/data", "/backups", "/boot":
			return true
		case "":
			if strings.HasPrefix(a, ".") {
				return true
			}
		}
		if strings.Contains(a, "backup") || strings.HasPrefix(a, "~/.ssh") {
			return true
		}
	}
	return false
}
