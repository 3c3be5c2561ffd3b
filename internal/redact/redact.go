// Package redact finds what looks like a secret – keys, tokens and passwords
// that people and models leave in text – and takes it out.
//
// What it finds is of three sorts:
//
//   - A provider's format, told by its looks alone. The table in formats.go has
//     most kinds, such as "github-token"; the others are aws-secret-key,
//     azure-access-key, azure-client-secret, azure-sas, azure-service-key,
//     azure-storage-key, discord-token, discord-webhook, mailchimp-key,
//     private-key, putty-key, slack-webhook, teams-webhook, telegram-token and
//     terraform-token.
//   - A place where a credential stands: url-password, command-password (such as
//     curl -u user:password) and authorization (the HTTP header, what follows
//     the word Bearer, and what registries call auth).
//   - A name that says so, in configuration, code and prose of several languages,
//     with a value that looks random or like a password: password, secret, token
//     and api-key.
//
// These are the kinds, and they are stable. A find is what has to go and no more:
// the password of a URL, the value of an assignment, the credential of a header,
// but a whole block of a private key, up to its END or the last of its lines.
//
// Where two finds overlap, they become one that covers both, so that nothing of
// either remains; it has the kind of the longer one, and of a provider's format
// where both are as long. A secret of 12 bytes or more is also found wherever
// else in the text it stands.
//
// Characters that cannot be seen, such as zero-width spaces, do not hide a
// secret. Other tricks do: letters of another script that look the same,
// encodings, a line break in the midst of a token. Callers that fear them
// normalize the text first.
//
// Not found is what reads as a placeholder (your-api-key, xxxx, <token>, ${VAR},
// 1234567, AWS's own AKIA…EXAMPLE); a default password that is a plain word, or
// one that is several; a secret that has neither a format nor a name. Keys for
// tests are found as those for production are.
package redact

import (
	"slices"
	"strings"
)

// Secret is one find: text[Begin:End], of a kind such as "aws-key".
type Secret struct {
	Kind       string
	Begin, End int // in bytes
}

// Find gives the secrets in text in their order; none overlap. It takes time
// linear in the length of the text, whatever the text is.
func Find(text string) []Secret {
	plain, cuts := stripInvisible(text)
	found := join(scan(plain))
	if len(found) == 0 {
		return nil
	}
	found = join(append(found, repeats(plain, found)...))
	for i := range found {
		found[i].Begin, found[i].End = cuts.original(found[i].Begin), cuts.original(found[i].End-1)+1
	}
	return found
}

// Replace gives text with [REDACTED:kind] in place of each secret, and the
// secrets as [Find] gives them for text. A text without any comes back as it
// is. Replacing in what Replace gave changes nothing.
func Replace(text string) (clean string, found []Secret) {
	found = Find(text)
	if len(found) == 0 {
		return text, nil
	}
	var b strings.Builder
	at := 0
	for _, s := range found {
		b.WriteString(text[at:s.Begin])
		b.WriteString(markerStart + s.Kind + "]")
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String(), found
}

// join sorts finds and makes those that overlap one.
func join(found []Secret) []Secret {
	slices.SortStableFunc(found, func(a, b Secret) int { return a.Begin - b.Begin })
	joined := found[:0]
	for _, s := range found {
		last := len(joined) - 1
		if last < 0 || joined[last].End <= s.Begin {
			joined = append(joined, s)
			continue
		}
		joined[last].Kind = stronger(joined[last], s)
		joined[last].End = max(joined[last].End, s.End)
	}
	return joined
}

// stronger gives the kind of the longer of two finds; of two that are as long,
// the one that names a provider, because it says what to revoke.
func stronger(a, b Secret) string {
	longer := (b.End - b.Begin) - (a.End - a.Begin)
	if longer > 0 || longer == 0 && slices.Contains(generic, a.Kind) && !slices.Contains(generic, b.Kind) {
		return b.Kind
	}
	return a.Kind
}
