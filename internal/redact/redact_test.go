package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Samples are put together, so that no scanner of this repository takes them for real.
func TestFind(t *testing.T) {
	long := strings.Repeat("aB3", 14)
	tests := []struct{ kind, secret string }{
		{"private-key", "-----BEGIN RSA " + "PRIVATE KEY-----"},
		{"aws-key", "AKIA" + strings.Repeat("Q", 16)},
		{"github-token", "ghp_" + long[:36]},
		{"github-token", "github_pat_" + long + long},
		{"gitlab-token", "glpat-" + long[:20]},
		{"model-provider-key", "sk-ant-" + long},
		{"google-key", "AIza" + long[:35]},
		{"slack-token", "xoxb-" + long[:20]},
		{"stripe-key", "sk_live_" + long[:24]},
		{"jwt", "eyJ" + long[:12] + ".eyJ" + long[:12] + "." + long[:12]},
		{"url-password", "postgres://shop:hunter2@d"},
		{"authorization", "Authorization: Bearer " + long[:24]},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			found := Find("before " + tt.secret + " after")
			assert.Equal(t, tt.kind, found[0].Kind)
			assert.Equal(t, len("before "), found[0].Begin)
			assert.Equal(t, len("before "+tt.secret), min(found[0].End, len("before "+tt.secret)))
		})
	}
	for _, harmless := range []string{
		"sk-learn", "AKIA", "ghp_short", "postgres://localhost:5432/shop", "postgres://user:$PASSWORD@db",
		"-----BEGIN PUBLIC KEY-----", "Authorization: Bearer <token>", "eyJ.eyJ.x", "password hashing with bcrypt",
	} {
		assert.Empty(t, Find(harmless), harmless)
	}
}
