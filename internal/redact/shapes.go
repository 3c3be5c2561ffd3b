package redact

import (
	"encoding/base64"
	"strings"
)

// generic are the kinds that do not name a provider.
var generic = []string{"api-key", "authorization", "command-password", "model-provider-key", "password", "secret", "token", "url-password"}

// shapes gives the literals of what a pattern cannot say: text before the
// literal counts, or only a part of what is read is secret.
func shapes() []literal {
	list := []literal{
		{text: "BEGIN ", find: pemBlock},
		{text: "Private-Lines:", find: puttyBlock},
		{text: encodedBegin, find: encodedBlock},
		{text: "://", find: urlPassword},
		{text: "authorization", fold: true, find: authorization},
		{text: "bearer", fold: true, find: bearer},
		{text: `"auth`, find: registryAuth},
		{text: "_auth", find: registryAuth},
		{text: "hooks.slack.com/", find: slackWebhook},
		{text: "/api/webhooks/", find: discordWebhook},
		{text: ".webhook.office.com/", find: teamsWebhook},
		{text: ":AA", find: telegramToken},
		{text: "-us", find: mailchimpKey},
		{text: ".atlasv1.", find: terraformToken},
		{text: "NRAL", find: newRelicLicense},
		{text: "Q~", find: azureClientSecret},
		{text: "JQQJ99", find: azureServiceKey},
		{text: "AccountKey=", find: azureAccountKey},
		{text: "SharedAccessKey=", find: azureAccountKey},
		{text: "sig=", find: azureSignature},
		{text: "AKIA", find: awsSecretBehindKey},
	}
	for _, start := range []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"} {
		list = append(list, literal{text: start, find: discordToken})
	}
	for i := range options {
		list = append(list, literal{text: options[i].name, find: options[i].find})
	}
	for _, word := range []string{"login", "creds", "credentials", "account", "zugangsdaten"} {
		list = append(list, literal{text: word, fold: true, find: pair(word)})
	}
	for i := range keywords {
		list = append(list, literal{text: keywords[i].word, fold: true, find: keywords[i].find})
	}
	return list
}

// between gives text[begin:end] as a find where nothing goes on behind it; see ends.
func between(kind, text string, begin, end int, last class) (Secret, bool) {
	if end <= begin {
		return Secret{}, false
	}
	end, ok := ends(text, begin, end, last)
	return Secret{kind, begin, end}, ok
}

// slackWebhook finds what follows the host: services/T…/B…/… and the like.
func slackWebhook(text string, at int) (Secret, bool) {
	begin := at + len("hooks.slack.com/")
	end := run(text, begin, urlSafe|plusSlash, 200)
	path := text[begin:end]
	if strings.Count(path, "/") < 3 || len(path) < 40 || placeholder(path) || lookAt(path).digits < 3 {
		return Secret{}, false
	}
	return between("slack-webhook", text, begin+strings.IndexByte(path, '/')+1, end, urlSafe)
}

// discordWebhook finds the token behind the number.
func discordWebhook(text string, at int) (Secret, bool) {
	id := at + len("/api/webhooks/")
	begin := run(text, id, digit, 20)
	if begin-id < 17 || begin == len(text) || text[begin] != '/' {
		return Secret{}, false
	}
	begin++
	end := run(text, begin, urlSafe, 100)
	if end-begin < 60 || fake(text[begin:end], alnum) {
		return Secret{}, false
	}
	return between("discord-webhook", text, begin, end, urlSafe)
}

// teamsWebhook finds the path, which is made of UUIDs and a key.
func teamsWebhook(text string, at int) (Secret, bool) {
	begin := at + len(".webhook.office.com/")
	end := begin
	for end < len(text) && end < begin+400 && (is(text[end], urlSafe|plusSlash) || text[end] == '@') {
		end++
	}
	if end-begin < 100 || placeholder(text[begin:end]) {
		return Secret{}, false
	}
	return between("teams-webhook", text, begin, end, urlSafe)
}

// telegramToken finds 8 to 10 digits, a colon and 35 characters, of which the first are AA.
func telegramToken(text string, at int) (Secret, bool) {
	begin := runBack(text, at, digit, 11)
	end := run(text, at+1, urlSafe, 35)
	if at-begin < 8 || at-begin > 10 || end-at-1 < 35 || fake(text[at+1:end], alnum) ||
		!opens(text, begin) && !strings.HasSuffix(text[:begin], "bot") { // as in the URL of its API
		return Secret{}, false
	}
	return between("telegram-token", text, begin, end, urlSafe)
}

// discordToken finds the number of a bot in base64, a time and a signature.
func discordToken(text string, at int) (Secret, bool) {
	if !alone(text, at) {
		return Secret{}, false
	}
	dot1 := run(text, at, alnum, 29)
	if dot1-at < 22 || dot1-at > 28 || dot1 >= len(text) || text[dot1] != '.' {
		return Secret{}, false
	}
	dot2 := run(text, dot1+1, urlSafe, 8)
	if dot2-dot1 < 6 || dot2 >= len(text) || text[dot2] != '.' {
		return Secret{}, false
	}
	end := run(text, dot2+1, urlSafe, 45)
	id, err := base64.RawStdEncoding.DecodeString(text[at:dot1])
	if err != nil || strings.Trim(string(id), "0123456789") != "" || end-dot2 < 27 || placeholder(text[dot1:end]) {
		return Secret{}, false
	}
	return between("discord-token", text, at, end, urlSafe)
}

// mailchimpKey finds 32 hexadecimal digits and the data center behind them.
func mailchimpKey(text string, at int) (Secret, bool) {
	begin, ok := preceded(text, at, digit|lowerHex, 32)
	end := run(text, at+len("-us"), digit, 2)
	if !ok || end == at+len("-us") || placeholder(text[begin:at]) {
		return Secret{}, false
	}
	return between("mailchimp-key", text, begin, end, urlSafe)
}

// terraformToken finds 14 characters before .atlasv1. and 60 or more behind it.
func terraformToken(text string, at int) (Secret, bool) {
	body := at + len(".atlasv1.")
	begin, ok := preceded(text, at, alnum, 14)
	end := run(text, body, urlSafe, 80)
	if !ok || end-body < 60 || fake(text[body:end], alnum) {
		return Secret{}, false
	}
	return between("terraform-token", text, begin, end, urlSafe)
}

// newRelicLicense finds the 36 characters before NRAL.
func newRelicLicense(text string, at int) (Secret, bool) {
	begin, ok := preceded(text, at, digit|lower, 36)
	if !ok || fake(text[begin:at], alnum) {
		return Secret{}, false
	}
	return between("newrelic-key", text, begin, at+len("NRAL"), alnum)
}

// azureClientSecret finds three characters and a digit before Q~ and 31 or more behind it.
func azureClientSecret(text string, at int) (Secret, bool) {
	const chars = urlSafe | dot | tilde
	begin, ok := preceded(text, at, chars, 4)
	end := run(text, at+len("Q~"), chars, 37)
	s, ended := between("azure-client-secret", text, begin, end, chars)
	n := s.End - at - len("Q~")
	return s, ok && ended && is(text[at-1], digit) && n >= 31 && n <= 34 && !placeholder(text[begin:end])
}

// azureServiceKey finds the 84 letters and digits of a key for Azure's AI
// services, which has this mark in its midst.
func azureServiceKey(text string, at int) (Secret, bool) {
	begin, ok := preceded(text, at, alnum, 52)
	end := run(text, at, alnum, 32)
	if !ok || end-at != 32 {
		return Secret{}, false
	}
	return between("azure-service-key", text, begin, end, alnum)
}

// azureAccountKey finds the key in a connection string.
func azureAccountKey(text string, at int) (Secret, bool) {
	begin := at + strings.IndexByte(text[at:], '=') + 1
	end := run(text, run(text, begin, base64Chars, 90), equals, 2)
	if end-begin < 40 || fake(text[begin:end], alnum) {
		return Secret{}, false
	}
	kind := "azure-access-key"
	if text[at] == 'A' {
		kind = "azure-storage-key"
	}
	return between(kind, text, begin, end, base64Chars|equals)
}

// azureSignature finds the signature of a shared access signature: 32 bytes in
// base64, most often with %2B, %2F and %3D.
func azureSignature(text string, at int) (Secret, bool) {
	begin := at + len("sig=")
	end := run(text, begin, base64Chars|percent|equals, 100)
	plain := strings.NewReplacer("%2B", "+", "%2b", "+", "%2F", "/", "%2f", "/", "%3D", "=", "%3d", "=").Replace(text[begin:end])
	if is(before(text, at), alnum|under) || len(plain) != 44 || plain[43] != '=' || run(plain, 0, base64Chars, 44) != 43 || fake(plain, alnum) {
		return Secret{}, false
	}
	return between("azure-sas", text, begin, end, urlSafe)
}

// awsSecretBehindKey finds the secret half that follows an access key, as in
// files of comma-separated values.
func awsSecretBehindKey(text string, at int) (Secret, bool) {
	id := run(text, at, digit|upper, 20)
	if id-at != 20 || !opens(text, at) || placeholder(text[at:id]) {
		return Secret{}, false
	}
	begin := id
	for begin < len(text) && begin < id+6 && strings.IndexByte(" \t\r\n\"'`,:;|/", text[begin]) >= 0 {
		begin++
	}
	end := run(text, begin, base64Chars, 41)
	if begin == id || end-begin != 40 || !lookAt(text[begin:end]).random(16) || placeholder(text[begin:end]) {
		return Secret{}, false
	}
	return between("aws-secret-key", text, begin, end, base64Chars|equals)
}
