package quarantine

import (
	"strings"
	"sync"
)

// hosts are endings of hosts. Those that are endings of files as well (sh, md, rs, py) are not among them.
var hosts = sync.OnceValue(func() map[string]bool {
	return words("com net org io dev xyz info co ru cn app cc top site online ai biz us uk eu de onion example test invalid me tech pw tk to cloud live ws zip evil")
})

func words(s string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// nameKind tells what a run of characters without spaces is.
func nameKind(s string) kind {
	for _, scheme := range []string{"http://", "https://", "hxxp://", "hxxps://", "ftp://", "ws://", "wss://", "sftp://", "http[:]", "https[:]", "s3://", "gs://"} {
		if strings.HasPrefix(s, scheme) {
			return urlKind
		}
	}
	local, host, mail := strings.Cut(s, "@")
	if mail && local != "" && isHost(host) {
		return mailKind
	}
	host, _, slash := strings.Cut(s, "/")
	switch {
	case isHost(host):
		return urlKind
	case slash && (host == "" || host == "~" || host == "." || host == ".." || host == "$home" || strings.Contains(s, ".") || strings.Count(s, "/") > 1):
		return pathKind
	case !slash && isFile(s):
		return pathKind
	}
	return plainKind
}

// isHost knows a host by its ending, or four numbers; a port may follow.
func isHost(s string) bool {
	if strings.ContainsRune(s, '[') {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "[.]", "."), "[:]", ":")
	}
	s, _, _ = strings.Cut(s, ":")
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || s[0] == '.' {
		return false
	}
	if hosts()[s[dot+1:]] {
		return !strings.ContainsAny(s, "_*{}<>")
	}
	return strings.Count(s, ".") == 3 && strings.Trim(s, "0123456789.") == ""
}

// isFile knows a file by a dot before it or a short ending.
func isFile(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot == 0 {
		return len(s) > 2
	}
	if strings.Count(s, ".")*2+1 >= len(s) {
		return false // letters with dots between
	}
	ending := len(s) - dot - 1
	return dot > 1 && 1 <= ending && ending <= 5 && strings.Trim(s[dot+1:], "abcdefghijklmnopqrstuvwxyz0123456789") == "" &&
		!strings.ContainsAny(s[:dot], "$@{}<>")
}

// secretNames are parts of the names of files that hold secrets.
var secretNames = []string{
	".env", ".ssh", "id_rsa", "id_ed25519", ".aws", ".netrc", ".npmrc", ".pypirc", ".kube", ".git-credentials", "/etc/passwd", "/etc/shadow",
	".pgpass", ".docker/config", "credentials", "secrets.", ".pem", ".p12", ".gnupg", "known_hosts", "/proc/self/environ", "bash_history", ".azure",
}

// pathWord gives a name of a file with secrets the meaning of one.
func (s *scanner) pathWord(begin, end int) word {
	name := string(s.runes[begin:end])
	if strings.HasPrefix(name, "http") {
		return word{}
	}
	for _, part := range secretNames {
		if strings.Contains(name, part) && !strings.Contains(name, ".example") && !strings.Contains(name, "process.env") {
			return vocabulary().words["credentials"]
		}
	}
	return word{}
}
