// Package redact finds what looks like a secret: keys, tokens and passwords
// that people and models leave in text.
package redact

import "regexp"

// Secret is one find.
type Secret struct {
	Kind       string // "aws-key", "private-key", …
	Begin, End int    // in bytes
}

// formats are of providers whose secrets are told apart by their looks alone.
var formats = []struct {
	kind string
	re   *regexp.Regexp
}{
	{"private-key", regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----`)},
	{"aws-key", regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"github-token", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})`)},
	{"gitlab-token", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"model-provider-key", regexp.MustCompile(`\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}`)},
	{"google-key", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}\b`)},
	{"slack-token", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"stripe-key", regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{16,}`)},
	{"jwt", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"url-password", regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s:/@]+:[^\s/@$<{]{3,}@[A-Za-z0-9]`)},
	{"authorization", regexp.MustCompile(`(?i)\bauthorization:\s*(?:bearer|basic)\s+[A-Za-z0-9._~+/-]{16,}=*`)},
}

// Find gives the secrets in text, kind by kind.
func Find(text string) []Secret {
	var found []Secret
	for _, f := range formats {
		for _, at := range f.re.FindAllStringIndex(text, -1) {
			found = append(found, Secret{f.kind, at[0], at[1]})
		}
	}
	return found
}
