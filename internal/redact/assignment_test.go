package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Values that chance could have made, and one that a person could have.
var (
	key  = alnums(32)
	word = "Tr0ub4dor" + "&3"
)

// assignments have the value of a name in angle quotes: ‹…›.
var assignments = []struct{ name, kind, text string }{
	{"environment", "password", "DB_PASSWORD=‹" + word + "›"},
	{"export", "api-key", "export API_KEY=‹" + key + "›"},
	{"quoted", "password", `password = "‹` + word + `›"`},
	{"single quotes", "secret", "client_secret = '‹" + key + "›'"},
	{"YAML", "password", "  password: ‹" + word + "›\n  user: x"},
	{"JSON", "secret", `{"clientSecret": "‹` + key + `›", "x": 1}`},
	{"JSON in a string", "secret", `{\"clientSecret\": \"‹` + key + `›\"}`},
	{"Go", "token", "token := \"‹" + key + "›\""},
	{"Go, typed", "token", "const token string = \"‹" + key + "›\""},
	{"TypeScript, typed", "password", "password: string = '‹" + word + "›';"},
	{"Ruby and PHP", "password", "'password' => '‹" + word + "›',"},
	{"a map", "token", `config["token"] = "‹` + key + `›"`},
	{"comparison", "password", `if password == "‹` + word + `›" {`},
	{"default in code", "secret", `os.environ.get("SECRET_KEY", "‹` + key + `›")`},
	{"alternative in code", "secret", "process.env.JWT_SECRET || '‹" + key + "›'"},
	{"default in a shell", "password", "${DB_PASSWORD:-‹" + word + "›}"},
	{"call", "password", `db.setPassword("‹` + word + `›")`},
	{"flag", "password", "mysql --password ‹" + word + "› -h db"},
	{"flag with =", "password", "mysql --password=‹" + word + "› -h db"},
	{"XML", "password", "<password>‹" + word + "›</password>"},
	{"XML with attributes", "password", `<Pass encoding="plain">‹` + word + `›</Pass>`},
	{"connection string", "password", "Server=db;User Id=sa;Password=‹" + word + "›;Encrypt=true"},
	{"query", "token", "https://example.org/x?access_token=‹" + key + "›&x=1"},
	{"header", "api-key", "X-API-Key: ‹" + key + "›"},
	{"table", "password", "| password | ‹" + word + "› |"},
	{"emphasis", "password", "**Password:** ‹" + word + "›"},
	{"emphasis without the colon", "password", "**Password**: `‹" + word + "›`"},
	{"emphasis of underscores", "password", "__Password__: ‹" + word + "›"},
	{"list", "password", "- Password: ‹" + word + "›\n- User: joe"},
	{"prose", "password", "The password is ‹" + word + "›."},
	{"prose with words between", "password", "The password for the staging database is `‹" + word + "›`, says Joe."},
	{"prose with a remark", "password", "Password (staging): ‹" + word + "›"},
	{"prose in quotes", "password", "the password \"‹" + word + "›\" works"},
	{"prose without a sign", "token", "Use token ‹" + hexa(40) + "› for it."},
	{"two words", "api-key", "API key: ‹" + key + "›"},
	{"another two words", "secret", "Secret access key: ‹" + key + "›"},
	{"German", "password", "Das Passwort lautet ‹" + word + "›."},
	{"German, for something", "password", "Passwort für Staging: ‹" + word + "›"},
	{"Chinese", "password", "密码：‹" + word + "›。"},
	{"Chinese, prose", "password", "管理员的密码是‹" + word + "›，不要泄露"},
	{"Chinese key", "secret", "密钥: ‹" + key + "›"},
	{"Japanese", "password", "パスワード: ‹" + word + "›"},
	{"Korean", "password", "비밀번호: ‹" + word + "›"},
	{"Russian", "password", "пароль: ‹" + word + "›"},
	{"Spanish", "password", "Contraseña: ‹" + word + "›"},
	{"a simple password", "password", "password: ‹hunter2›"},
	{"a word and a year", "password", "password: ‹Sommer2024›"},
	{"a mark at the end", "password", "DB_PASSWORD=‹Sommer2024!›\nDB_USER=x"},
	{"letters and a sign", "password", `"password": "‹super$ecret›"`},
	{"a short word", "password", "pwd=‹" + word + "›"},
	{"a part of a name", "password", "SMTP_PASS=‹" + word + "›"},
	{"a case hump", "password", "smtpPass: '‹" + word + "›'"},
	{"a name that goes on", "secret", "SECRET_KEY_BASE=‹" + hexa(128) + "›"},
	{"a name with a place", "token", "API_TOKEN_PROD=‹" + key + "›"},
	{"a UUID", "api-key", "HEROKU_API_KEY=‹" + uuid() + "›"},
	{"base64", "secret", "signing_key: ‹" + std(43) + "=›"},
	{"WireGuard", "secret", "PrivateKey = ‹" + std(43) + "=›"},
	{"Django", "secret", "SECRET_KEY = 'z‹h!=!gq(w^_t[sBR29954x)HI+$ehwss*xYNQeu([xcWMhdzzr›'"},
	{"WordPress", "secret", "define('AUTH_KEY', '‹W1pxMctoyA(>M%0Vl 2(#o0|2$cB+K|.G$hB~4`Juw@]:(5;oVUl<<W3^e_R-fg›');"},
	{"base32 with few digits", "token", `personalAccessToken = "‹zpczok4kqgnw5prpfy3ehiylbqvgbjfkdiqkejsxqamy7qbkep7q›"`},
	{"npm", "token", "//registry.example.org/:_authToken=‹" + uuid() + "›"},
	{"Laravel", "api-key", "APP_KEY=‹base64:" + std(43) + "=›"},
	{"netrc", "password", "machine x login joe password ‹" + hexa(40) + "›"},
	{"AWS", "aws-secret-key", "aws_secret_access_key = ‹" + std(40) + "›"},
	{"AWS in JSON", "aws-secret-key", `"SecretAccessKey": "‹` + std(40) + `›"`},
	{"a constant", "api-key", "AZURE_OPENAI_KEY=‹" + hexa(32) + "›"},
	{"a quoted constant", "api-key", "OPENWEATHER_KEY: \"‹" + hexa(32) + "›\""},
	{"SQL", "password", "ALTER USER joe WITH PASSWORD '‹" + word + "›';"},
	{"MySQL", "password", "CREATE USER joe IDENTIFIED BY '‹" + word + "›';"},
	{"a Dockerfile", "password", "ENV DB_PASSWORD ‹xY7kQ2pL›"},
	{"a word before it", "password", "user joe, pass ‹" + word + "› for x"},
	{"Chinese, without a sign", "password", "账号 admin 密码 ‹xY7kQ2pL›"},
	{"a dash", "password", "Password – ‹" + word + "›"},
	{"an arrow", "password", "Password → ‹" + word + "›"},
	{"a change", "password", "We set the admin password to ‹" + word + "›."},
	{"still", "password", "the root password is still ‹" + word + "›"},
	{"brackets", "password", "the root password (\"‹" + word + "›\") is old"},
	{"words with dashes", "password", "Wi-Fi password: ‹blue-Horse-42›"},
	{"a word that says so", "password", "password: ‹Password123!›"},
	{"a value in the line below", "api-key", "API key:\n\n‹" + alnums(40) + "›\n"},
	{"a value in a block of code", "token", "The token:\n```\n‹" + alnums(40) + "›\n```"},
	{"a sign before it", "password", `password: "‹#Sommer!24›"`},
	{"a change of it", "password", `changePassword("‹` + word + `›")`},
	{"a long word behind a dot", "token", "token=‹ab." + alnums(24) + "›"},
	{"a long value", "secret", "CREDENTIALS=‹" + std(3000) + "›\nX=1"},
	{"a user with it", "password", "Login: admin / ‹S3cret!2024›"},
	{"a user with it, quoted", "password", "credentials are `joe:‹" + word + "›`, as ever"},
	{"a user with it, in German", "password", "Zugangsdaten: joe@example.org / ‹xY7kQ2pL›"},
	{"bytes", "secret", `secret_key = b"‹` + key + `›"`},
}

func TestAssignments(t *testing.T) {
	for _, tt := range assignments {
		t.Run(tt.name, func(t *testing.T) {
			before, rest, _ := strings.Cut(tt.text, "‹")
			if tt.name == "Django" {
				before, rest = before[:len(before)-1], "z"+rest
			}
			value, after, _ := strings.Cut(rest, "›")
			clean, found := Replace(before + value + after)
			assert.Equal(t, before+"[REDACTED:"+tt.kind+"]"+after, clean)
			assert.Equal(t, []Secret{{tt.kind, len(before), len(before + value)}}, found)
		})
	}
}

func TestNoAssignments(t *testing.T) {
	for name, text := range map[string][]string{
		"placeholders": {
			"password: <password>", "password=${DB_PASSWORD}", "password: $DB_PASSWORD", "password={{ .Values.db.password1 }}", "PASSWORD=%DB_PASS1%",
			"token: xxxxxxxxxxxxxxxxxxxxxxxx", "api_key: YOUR_API_KEY_1234567890", "api_key = 'your-api-key-42'", "secret: changeme123", "password: ********",
			"token: ...", "token = 'abc...xyz123'", "password = 'example123'", "api_key=sample_key_0123456789ab", "secret: [hidden]", "token: 1234567890abcdef",
			"secret=fake-secret-12ab34cd56ef", "password: TODO", "token: null", "password: Example!123", "password: \"%s!x1y\"", "password: \"Ab1!{{x}}\"", "password: \"\"", "password: %s", "SECRET_KEY=<generate with openssl rand -hex 32>",
			"password=[REDACTED:password]", "password = \"[REDACTED:password]\"", "api_key: test-api-key-12ab34cd56ef78",
		},
		"descriptions": {"password: `^[A-Za-z0-9!@#]{8,}$`", "\"password\": \"^(?=.*\\\\d)x.{8,}$\"", "password: `8!-64?`", "token: 15m", "secret: 3600s", "Pass@1: 45.2x!y", "token: 2026-01-23T14:20:00Z", "tokenizer: cl100k_base",
			"access key: Alt+Shift+K2", "password: v2.1.0-beta.3", "password = \"@Microsoft.KeyVault(SecretUri=x1)\"", "password: ENC(a1B2c3D4e5F6)", "password: \"{cipher}a1B2c3D4e5F6!\""},
		"the environment": {
			"password = os.Getenv(\"DB_PASSWORD2\")", "token: process.env.API_TOKEN2", "secret = os.environ['SECRET2']", "password = config.db2.password", "apiKey: import.meta.env.VITE_API_KEY1",
			"token=$(cat token1.txt)", "password: ENV['DB_PASS1']", "token = \"${{ secrets.GITHUB_TOKEN1 }}\"", "password: !vault db1/pass2", "password = var.db_password_1",
		},
		"references": {
			"secret: kubernetes.io/service-account-token", "secretName: my-tls-cert-2024", "password: op://vault1/item2/field3", "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-Ab12Cd",
			"password_file: /run/secrets/db_password1", "PASSWORD_FILE=/run/secrets/db1", "secret: projects/123/secrets/db-pw/versions/4", "tokenUrl: https://auth2.example.org/token",
			"api_key: vault:secret/data/prod1#key2", "token: ./token1.json", "secret: ~/.config/key1.json",
		},
		"code": {
			"token: string", "token: string;", "password: String? = null", "func login(user, password string) (token2 string, err error)", "password = user.password2", "token := p.next(tok2)",
			"if token == TOKEN_IDENT2 {", "Token token1 = lexer.nextToken2();", "`json:\"password1\" yaml:\"token2\"`", "password: hash_v2(password)", "tokens = 4096", "max_tokens: 128000",
			"const PasswordField1 = 'password1'", "password: PasswordInputV2", "secret = Secret::new(key2)", "pass: 12", "bypass: true2", "token_type: bearer2", "self.token = token2", "primaryKey: userId2",
			"key: value1", "public_key: " + hexa(64), "PublicKeyToken=b77a5c561934e089", "foreign key: user_id_2", "sshPublicKey = 'AAAAB3NzaC1yc2EAAAADAQABAAABAQ'", "passwordHash: 'a1b2c3d4e5f6a7b8c9d0'",
			"nextPageToken: 'CAUQAA12x9y8z7'", "NextToken=eyJOZXh0VG9rZW4iOiBudWxsfQ", "token = 0x803100A8", "keyboard_key=F12", "cache-key: npm-" + hexa(64), "#define TOKEN_V2_PARSER_3",
			"PKCS7PrivateKeyTypes1", "private_key: PKCS7PrivateKeyTypes,", "password_validator = UserAttributeSimilarityValidator2",
		},
		"prose": {
			"password hashing with bcrypt", "Passwords are hashed with bcrypt, 10 salt rounds.", "The password must have 8 characters, 1 digit and 1 sign.", "The token is HS256-signed.", "the token is base64url-encoded",
			"The API key is required since v2.3.", "password: at least 8 characters", "The secret is stored in `AWS/Prod1/DbPass`.", "The password is Base64.", "The password is `Argon2id`-hashed.",
			"Token: JWT (RS256), 15 minutes", "Das Passwort ist mindestens 12 Zeichen lang.", "密码必须至少8个字符", "The token is `sub1`.", "password: scram-sha-256", "Passwords: see 1Password, vault Prod2",
			"A secret is a Kubernetes object of v1.", "the password \"reset\" link", "key facts: 3 of 4", "The key is 32 bytes long: AES-256-GCM.", "secret santa: 24.12.2024", "Set password to the value of X2.",
			"The password is Sommer2024 for now", "Pass `asn1Spec` to it", "the password; its looks are x1!y2", "the password, which is Tr0ub4dor&3", "the password. It is Tr0ub4dor&3", "the password\nis Tr0ub4dor&3",
			"the password that every user of the system has to choose is Tr0ub4dor&3", "https://user:pass@sub.firma.de:8080/p/a?query=string#hash1", "pass: parse(x1, y+2)",
			"The password for step 2: press OK.", "token counts: gpt-4o 128k, o200k_base", "Password resets: RFC6238/TOTP2", "Pass 2: optimize", "user: joe, password: see the wiki page Ops2",
		},
		"hashes and ids": {
			"commit " + hexa(40), "sha256:" + hexa(64), uuid(), "integrity=sha512-" + std(86) + "==", "golang.org/x/text v0.43.0 h1:" + std(43) + "=", "id: " + uuid(), "token: sha256:" + hexa(64),
			"data:image/png;base64," + std(200), "ssh-rsa AAAAB3NzaC1yc2E" + std(300) + " joe@example.org", "etag: \"" + hexa(32) + "\"", "trace-id: " + hexa(32), "chunk-" + small(8) + ".js", "a" + small(20) + ".css",
		},
		"a user": {
			"Login: admin / admin", "login: https://example.org/auth2!", "Logins: a / b1!cdef", "account: 10:30!x2", "Login: see docs/auth2/login.md", "credentials are checked at 10:45", "aws_account_id>:task/" + uuid(),
			"login: admin / <password1!>", "Login: admin / example1!", "login(user, \"a/b1!cdef\")", "account", "login: x",
		},
		"the line below": {"API key:\n\nSee the wiki2024/Ops page.", "secret:\n  name: db-credentials-v2\n  key: password1", "token:\n  - a1\n  - b2", "password:\n\nxY7", "password:\n"},
		"constants":      {"FIRST_KEY: \"-----BEGIN PUBLIC KEY-----\\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1uJOB4lQ+x+y\"", "OPENAI_KEY=", "CACHE_KEY=" + hexa(32), "PRIMARY_KEY=user_id_2", "SORT_KEY = created_at_2", "const X_KEY = \"user-settings-v2\"", "the OPENAI_KEY " + hexa(8), "the OPENAI_KEY " + hexa(32), "openai_KEY=" + hexa(32), "KEY=" + hexa(32), "X_key=" + hexa(32)},
		"mail":           {"password: joe1@firma.de", "password: Joe.2@mail.firma.de", "password: \"joe1@firma.de\""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range text {
				assert.Empty(t, Find(s), s)
				assert.Empty(t, Find("before "+s+"\nafter"), s)
			}
		})
	}
}
