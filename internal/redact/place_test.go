package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// places have a credential where it stands, in angle quotes: ‹…›.
var places = []struct{ name, kind, text string }{
	{"a database", "url-password", "postgres://shop:‹hunter2›@db:5432/shop?sslmode=disable"},
	{"a short host", "url-password", "postgres://shop:‹hunter2›@d"},
	{"a short password", "url-password", "smb://joe:‹Xy7›@nas/share"},
	{"no user", "url-password", "redis://:‹" + alnums(20) + "›@cache:6379/0"},
	{"several hosts", "url-password", "mongodb+srv://app:‹" + word + "›@a.example.org,b.example.org/x"},
	{"a message broker", "url-password", "amqps://app:‹" + word + "›@mq"},
	{"HTTP", "url-password", "https://joe:‹" + word + "›@example.org/x.git"},
	{"escapes", "url-password", "mysql://app:‹x%21y%40z7›@db/app"},
	{"an @ in it", "url-password", "mysql://app:‹p4s@w0rt›@db/app"},
	{"a # in it", "url-password", "mysql://app:‹z#ezFjd9›@db/app"},
	{"a slash in it", "url-password", "mysql://app:‹z/ezFjd9›@db/app"},
	{"JDBC", "url-password", "jdbc:postgresql://app:‹" + word + "›@db/app"},
	{"a variable for the host", "url-password", "postgres://app:‹" + word + "›@${HOST}/app"},
	{"an assignment", "url-password", "DATABASE_URL=\"postgres://app:‹" + word + "›@db/app\""},
	{"Markdown", "url-password", "see <ftp://app:‹" + word + "›@host/> and"},
	{"a token as the user", "url-password", "https://‹" + hexa(40) + "›:x-oauth-basic@example.org/x.git"},
	{"a token and no password", "url-password", "https://‹" + hexa(40) + "›:@example.org/x.git"},
	{"bearer", "authorization", "Authorization: Bearer ‹" + alnums(24) + "›"},
	{"lower case", "authorization", "authorization: bearer ‹" + alnums(24) + "›\r\nAccept: */*"},
	{"token", "authorization", "Authorization: token ‹" + hexa(40) + "›"},
	{"a long one", "authorization", "Authorization: Negotiate ‹" + std(3000) + "›"},
	{"basic", "authorization", "Authorization: Basic ‹" + basic("joe:hunter2") + "›"},
	{"no scheme", "authorization", "Authorization: ‹" + alnums(40) + "›"},
	{"proxy", "authorization", "Proxy-Authorization: Basic ‹" + basic("joe:hunter22") + "›"},
	{"curl's header", "authorization", "curl -H 'Authorization: Bearer ‹" + alnums(32) + "›' https://example.org"},
	{"curl's header in double quotes", "authorization", `curl -H "Authorization: Bearer ‹` + alnums(32) + `›"`},
	{"JSON", "authorization", `{"Authorization": "Bearer ‹` + alnums(32) + `›"}`},
	{"JSON in a string", "authorization", `{\"Authorization\": \"Bearer ‹` + alnums(32) + `›\"}`},
	{"YAML", "authorization", "  Authorization: Bearer ‹" + alnums(32) + "›\n"},
	{"Go", "authorization", `req.Header.Set("Authorization", "Bearer ‹` + alnums(32) + `›")`},
	{"Python", "authorization", `headers["Authorization"] = "Bearer ‹` + alnums(32) + `›"`},
	{"bearer alone", "authorization", "send Bearer ‹" + alnums(32) + "›."},
	{"Docker", "authorization", `{"auths": {"registry": {"auth": "‹` + basic("joe:hunter22") + `›"}}}`},
	{"npm", "authorization", "_auth = ‹" + basic("joe:hunter22") + "›\n"},
	{"curl", "command-password", "curl -u joe:‹hunter2› https://example.org"},
	{"curl, quoted", "command-password", "curl -s -u 'joe:‹" + word + "›' https://example.org"},
	{"curl, glued", "command-password", "curl -ujoe:‹hunter2› https://example.org"},
	{"curl, long", "command-password", "curl --user \"joe:‹" + word + "›\" https://example.org"},
	{"curl, long with =", "command-password", "curl --user=joe:‹hunter2› https://example.org"},
	{"curl, behind", "command-password", "`curl https://example.org -u joe:‹hunter2›`"},
	{"curl, in lines", "command-password", "curl \\\n  -X POST \\\n  -u joe:‹hunter2› \\\n  https://example.org"},
	{"curl, proxy", "command-password", "curl -x proxy:3128 -U joe:‹hunter2› https://example.org"},
	{"sshpass", "command-password", "sshpass -p '‹" + word + "›' ssh root@host"},
	{"mysql", "command-password", "mysqldump -u root -p‹hunter2› shop"},
	{"redis", "command-password", "redis-cli -h cache -a ‹hunter2›"},
	{"docker", "command-password", "docker login -u joe -p ‹hunter2› registry.example.org"},
	{"a Slack webhook", "slack-webhook", "https://hooks.slack.com/services/‹T0" + caps(8) + "/B0" + caps(8) + "/" + alnums(24) + "›"},
	{"a Slack workflow", "slack-webhook", "<https://hooks.slack.com/workflows/‹T0" + caps(8) + "/A0" + caps(8) + "/" + chance(nums, 18) + "/" + alnums(24) + "›>"},
	{"a Discord webhook", "discord-webhook", "https://discord.com/api/webhooks/112233445566778899/‹" + safe(68) + "›"},
	{"an old Discord webhook", "discord-webhook", "https://discordapp.com/api/webhooks/112233445566778899/‹" + alnums(68) + "›."},
	{"a Teams webhook", "teams-webhook", "https://x.webhook.office.com/‹webhookb2/" + uuid() + "@" + uuid() + "/IncomingWebhook/" + hexa(32) + "/" + uuid() + "›"},
	{"another Teams webhook", "teams-webhook", "(https://outlook-2.webhook.office.com/‹webhookb2/" + uuid() + "@" + uuid() + "/IncomingWebhook/" + hexa(32) + "/" + uuid() + "›)"},
	{"Azure storage", "azure-storage-key", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=‹" + std(86) + "==›;EndpointSuffix=core.windows.net"},
	{"Azure storage at the end", "azure-storage-key", "'AccountName=x;AccountKey=‹" + std(86) + "==›'"},
	{"Azure service bus", "azure-access-key", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=‹" + std(43) + "=›"},
	{"Azure event hub", "azure-access-key", "SharedAccessKeyName=x;SharedAccessKey=‹" + std(43) + "=›;EntityPath=y"},
	{"an Azure signature", "azure-sas", "https://x.blob.core.windows.net/y?sv=2024-11-04&sr=b&sig=‹" + strings.NewReplacer("+", "%2B", "/", "%2F").Replace(std(43)) + "%3D›&se=2027"},
	{"an Azure signature at the end", "azure-sas", "?sv=2024-11-04&sig=‹" + alnums(43) + "=›"},
}

func TestPlaces(t *testing.T) {
	for _, tt := range places {
		t.Run(tt.name, func(t *testing.T) {
			before, rest, _ := strings.Cut(tt.text, "‹")
			value, after, _ := strings.Cut(rest, "›")
			for _, around := range []string{"", "\n", "`"} {
				text := around + before + value + after + around
				clean, found := Replace(text)
				assert.Equal(t, around+before+"[REDACTED:"+tt.kind+"]"+after+around, clean)
				assert.Equal(t, []Secret{{tt.kind, len(around + before), len(around + before + value)}}, found)
			}
		})
	}
}

// The secret half of a pair is found where it follows the other.
func TestAWSPair(t *testing.T) {
	id, secret := "AKIA"+caps(16), std(40)
	for _, sign := range []string{",", ":", " ", " / ", "\t", "\n", "\",\"", " | "} {
		clean, _ := Replace("Key ID,Secret\n" + id + sign + secret + "\n")
		assert.Equal(t, "Key ID,Secret\n[REDACTED:aws-key]"+sign+"[REDACTED:aws-secret-key]\n", clean)
	}
	for _, other := range []string{secret[1:], secret + "x", strings.Repeat("ab", 20), "of the account in region eu-west-1 for the build"} {
		assert.Len(t, Find(id+" "+other), 1, other)
	}
}

func TestNoPlaces(t *testing.T) {
	for name, list := range map[string][]string{
		"url-password": {
			"postgres://localhost:5432/shop", "postgres://user:$PASSWORD@db", "postgres://user:${PASSWORD}@db", "postgres://user:<password>@db", "postgres://user:{password}@db",
			"postgres://user:password@db", "postgres://postgres:postgres@localhost:5432/app", "https://user:pass@example.org", "amqp://guest:guest@localhost", "https://user:%s@host",
			"redis://:***@cache", "redis://:xxxx@cache", "postgres://app:YOUR_PASSWORD@db", "postgres://app:changeme1@db", "postgres://u:[REDACTED:url-password]@db",
			"https://example.org:8080/a@b", "https://example.org:8080?x=a@b", "https://joe@example.org/x", "ssh://git@example.org:22/x.git", "git@example.org:a/b.git",
			"https://medium.example.org/@joe:x", "see http://example.org: write to joe@example.org", "://a:b@", "https://" + hexa(32) + "@o1.ingest.sentry.io/2",
			"http://[::1]:8080/x@y", "https://x:y@z", "time 10:20://a",
		},
		"authorization": {
			"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Bearer ${TOKEN1}", "Authorization: Bearer YOUR_API_TOKEN_2024_HERE", "Authorization: Bearer ...",
			"Authorization: Basic", "Authorization: Basic " + basic("user:password"), "Authorization: Basic realm1", "Authorization is checked by the gateway2.", "Authorization: Required for all of v2",
			"bearer token", "Bearer authentication (RFC6750)", "Authorization: Bearer [REDACTED:authorization]", "Authorization: Bearer your-access-token-1", "\"Authorization\": `Bearer ${token}`",
			"Authorization: Bearer \" + token1", "AuthorizationPolicy2: x", `"auth": "none"`, `"auth": "` + basic("user:password") + `"`, "_auth = ${NPM_AUTH1}", "authorization: see docs/auth2/token.md",
			"Authorization: Basic " + basic("binary\x00\x01:secret12"), "forbearers of 2024 and before",
		},
		"command-password": {
			"curl -u user:password https://example.org", "curl -u \"$USER:$PASS\" https://example.org", "curl -u joe https://example.org", "curl -u <user>:<key> https://example.org",
			"docker run -u 1000:1000 x", "curl https://example.org\ndocker run -u 1000:abc2 x", "curl --user-agent Mozilla:5.0 x", "curl --upload-file a:b1 x", "curl -u ${USER}:${KEY} x", "curly -u joe:hunter2",
			"curl -u 'joe:[REDACTED:command-password]' x", "curl", "curl -u", "mkdir -p a/b2", "docker run -p 8080:80 x", "mysql -u root -p shop2", "mysql -u root -p$PASS1", "redis-cli -a $PASS1", "ssh -p 2222 x",
			"grep -a hunter2 x", "sshpass -p <password>", "curl x [REDACTED:jwt] -u joe:hunter2", "curl -ujoe",
		},
		"webhooks": {
			"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "https://hooks.slack.com/services/T…/B…/…", "https://hooks.slack.com/services/",
			"https://discord.com/api/webhooks/{id}/{token}", "https://discord.com/api/webhooks/112233445566778899", "https://discord.com/api/webhooks/112233445566778899/x",
			"https://x.webhook.office.com/webhookb2/", "https://x.webhook.office.com/webhookb2/example" + hexa(200),
		},
		"Azure": {
			"AccountKey=<key>;", "AccountKey=" + strings.Repeat("x", 86) + "==", "SharedAccessKey=...", "&sig=abc", "design=" + alnums(43) + "=", "sig=" + alnums(30), "sig=<signature>", "UseDevelopmentStorage=true;AccountKey=",
		},
		"AWS": {"AKIA" + caps(16)[:10] + "," + std(40), std(40), "[REDACTED:aws-key] [REDACTED:aws-secret-key]"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range list {
				assert.Empty(t, Find(s), s)
				assert.Empty(t, Find("before "+s+"\nafter"), s)
			}
		})
	}
}
