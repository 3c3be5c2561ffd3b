package redact

import "strings"

// format is a kind of secret that a provider made to be told by its looks, with
// its patterns, parted by spaces. How to read them: see pattern.
type format struct{ kind, all string }

func (f format) patterns() []*pattern {
	var list []*pattern
	for s := range strings.FieldsSeq(f.all) {
		if p, ok := parsePattern(f.kind, s); ok {
			list = append(list, &p)
		}
	}
	return list
}

// formats, by kind. Keys that are public by design (Stripe's pk_, Mapbox's pk.,
// Sentry's DSN) and mere identifiers (Twilio's AC…, AWS's AIDA…) are left out.
var formats = []format{
	{"adobe-secret", "^p8e-<a32>"},
	{"age-key", "AGE-SECRET-KEY-1<A58> AGE-SECRET-KEY-PQ-1<A58-4000>"},
	{"airtable-token", "^pat<a14>.<h64>"},
	{"alibaba-key", "^LTAI<a12-26>"},
	{"anthropic-key", "sk-ant-<u32-300>"},
	{"artifactory-token", "^AKCp<a60-80> ^cmVmd<a59>"},
	{"atlassian-token", "ATATT3<e100-400> ATSTT3<e100-400>"},
	{"aws-bedrock-key", "ABSK<b100-300> bedrock-api-key-<b40-2000>"},
	{"aws-key", "AKIA<A16> ASIA<A16> ABIA<A16> ACCA<A16>"},
	{"bitbucket-token", "ATBB<a32> ATCTT3<e100-400>"},
	{"brevo-key", "xkeysib-<h64>-<a16> xsmtpsib-<h64>-<a16>"},
	{"buildkite-token", "bkua_<h40> bkat_<a40-80>"},
	{"cerebras-key", "csk-<i48>"},
	{"circleci-token", "CCIPAT_<a10-40>_<h40> CCIPRJ_<a10-40>_<h40>"},
	{"clojars-token", "CLOJARS_<h60>"},
	{"cloudflare-key", "cfk_<a40><h8> cfut_<a40><h8> cfat_<a40><h8> v1.0-<h24>-<h146>"},
	{"contentful-token", "CFPAT-<u43>"},
	{"crates-token", "^cio<a32>"},
	{"databricks-token", "dapi<h32>-<n1> dapi<h32>"},
	{"digitalocean-token", "dop_v1_<h64> doo_v1_<h64> dor_v1_<h64>"},
	{"docker-token", "dckr_pat_<u27> dckr_oat_<u27-40>"},
	{"doppler-token", "^dp.pt.<a40-44> ^dp.ct.<a40-44> ^dp.sa.<a40-44> ^dp.scim.<a40-44> ^dp.audit.<a40-44> ^dp.st.<a40-44> ^dp.st.<u2-35>.<a40-44>"},
	{"dropbox-token", "^sl.<u130-1500> sl.u.<u130-1500>"},
	{"duffel-token", "duffel_test_<u43> duffel_live_<u43>"},
	{"dynatrace-token", "dt0c01.<A24>.<A64> dt0s01.<A24>.<A64> dt0s16.<A24>.<A64>"},
	{"easypost-key", "^EZAK<a54> ^EZTK<a54>"},
	{"elevenlabs-key", "^sk_<h48>"},
	{"figma-token", "figd_<u40-200>"},
	{"flyio-token", "fo1_<u43> fm2_<b100-4000> fm1r_<b100-4000> fm1a_<b100-4000>"},
	{"github-token", "ghp_<a36-255> gho_<a36-255> ghu_<a36-255> ghr_<a36-255> ghs_<a36-255> ghs_<n1-20>_eyJ<u10-1000>.<u10-8000>.<u10-1000> github_pat_<w60-255>"},
	{"gitlab-token", "glpat-<v20-320> gldt-<v20-320> glrt-<v20-320> glrtr-<v20-320> glcbt-<v20-320> glptt-<h40> glft-<v20-320> glimt-<u25> glagent-<u50-80> gloas-<h64> glsoat-<v20-320> glffct-<v20-320> glwt-<v20-320> GR1348941<u20>"},
	{"google-key", "AIza<u35>"},
	{"google-oauth-secret", "GOCSPX-<u28>"},
	{"google-oauth-token", "ya29.<u30-2000> ^1//0<u40-200>"},
	{"grafana-token", "glc_<b32-400> glsa_<a32>_<x8> ^eyJrIjoi<b60-400>"},
	{"groq-key", "gsk_<a52>"},
	{"heroku-key", "HRKU-AA<u58> HRKU-<h8>-<h4>-<h4>-<h4>-<h12>"},
	{"huggingface-token", "^hf_<a34-40> api_org_<a34-40>"},
	{"intercom-token", "^ico-<a32>"},
	{"jwt", "^!eyJ<u10-1000>.eyJ<u10-16000>.<u10-2000> ^!eyJ<u10-1000>.<u1-1000>.<u16>.<u16-16000>.<u22> ^!eyJ<u10-1000>..<u16>.<u16-16000>.<u22>"},
	{"langfuse-key", "sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>"},
	{"langsmith-key", "lsv2_pt_<h32>_<h10> lsv2_sk_<h32>_<h10>"},
	{"linear-key", "lin_api_<a32-64> lin_oauth_<h64>"},
	{"mailgun-key", "^key-<h32>"},
	{"mapbox-token", "^sk.eyJ<u40-200>.<u22>"},
	{"model-provider-key", "^sk-<a32-64>"},
	{"netlify-token", "nfp_<a36-40>"},
	{"newrelic-key", "NRAK-<A27> NRII-<u32>"},
	{"notion-token", "ntn_<a40-60> ^secret_<a43>"},
	{"npm-token", "npm_<a36>"},
	{"nuget-key", "^oy2<i43>"},
	{"nvidia-key", "nvapi-<u60-70>"},
	{"onepassword-token", "ops_eyJ<b250-2000> ^A3-<A6>-<A6>-<A5>-<A5>-<A5>-<A5>"},
	{"openai-key", "sk-proj-<u40-200> sk-svcacct-<u40-200> sk-admin-<u40-200> sk-None-<u40-200> ^sk-<a20>T3BlbkFJ<a20>"},
	{"openrouter-key", "sk-or-<u40-100>"},
	{"openshift-token", "sha256~<u43>"},
	{"perplexity-key", "pplx-<a40-64>"},
	{"pinecone-key", "pcsk_<a5-8>_<a40-70>"},
	{"planetscale-token", "pscale_tkn_<v32-64> pscale_oauth_<v32-64> pscale_pw_<v32-64>"},
	{"postman-key", "PMAK-<h24>-<h34>"},
	{"pulumi-token", "^pul-<h40>"},
	{"pypi-token", "pypi-AgE<u50-1000>"},
	{"replicate-token", "^r8_<u37>"},
	{"resend-key", "^re_<a8>_<a24>"},
	{"rubygems-key", "rubygems_<h48>"},
	{"sendgrid-key", "^SG.<u20-24>.<u39-50>"},
	{"sentry-token", "sntrys_eyJ<b40-400>_<b43> sntryu_<h64> sntrya_<h64>"},
	{"shippo-token", "shippo_live_<x40> shippo_test_<x40>"},
	{"shopify-token", "shpat_<x32> shpca_<x32> shppa_<x32> shpss_<x32> shptka_<x32>"},
	{"slack-token", "^xoxb-<u20-255> ^xoxp-<u20-255> xoxa-<u20-255> xoxr-<u20-255> xoxs-<u20-255> xoxo-<u20-255> xoxc-<u20-255> xoxd-<q20-400> xoxe-<u20-400> xoxe.xoxp-<u20-400> xoxe.xoxb-<u20-400> xapp-<u40-255>"},
	{"sonar-token", "^squ_<h40> ^sqp_<h40> ^sqa_<h40>"},
	{"sourcegraph-token", "sgp_<x40> sgp_<x16>_<x40> sgp_local_<x40>"},
	{"square-token", "^EAAA<u60> sq0atp-<u22> sq0csp-<u43>"},
	{"stripe-key", "sk_live_<a16-255> rk_live_<a16-255> ^whsec_<b32-80>"},
	{"stripe-test-key", "sk_test_<a16-255> rk_test_<a16-255>"},
	{"supabase-key", "sbp_<h40> sb_secret_<u31>"},
	{"tailscale-key", "tskey-api-<a8-40>-<a16-60> tskey-auth-<a8-40>-<a16-60> tskey-client-<a8-40>-<a16-60> tskey-scim-<a8-40>-<a16-60> tskey-webhook-<a8-40>-<a16-60> tskey-<a20-80>"},
	{"tavily-key", "tvly-<u32-64>"},
	{"tencent-key", "^AKID<a32>"},
	{"together-key", "tgp_v1_<u43>"},
	{"twilio-key", "^SK<h32>"},
	{"typeform-token", "tfp_<v40-70>"},
	{"vault-token", "hvs.<u24-300> hvb.<u100-400> hvr.<u24-300>"},
	{"vercel-token", "^vcp_<a20-60> ^vci_<a20-60> ^vca_<a20-60> ^vcr_<a20-60> ^vck_<a20-60>"},
	{"xai-key", "xai-<w70-90>"},
}
