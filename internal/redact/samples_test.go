package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// chance gives n characters of an alphabet as chance makes them, the same every time.
func chance(alphabet string, n int) string {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	nums   = "0123456789"
)

// Samples are put together from parts, so that no scanner of this repository takes them for real.
func hexa(n int) string     { return chance(nums+"abcdef", n) }
func alnums(n int) string   { return chance(lowers+uppers+nums, n) }
func caps(n int) string     { return chance(uppers+"234567", n) }
func small(n int) string    { return chance(lowers+nums, n) }
func safe(n int) string     { return chance(lowers+uppers+nums+lowers+uppers+nums+"-_", n-1) + "k" }
func std(n int) string      { return chance(lowers+uppers+nums+"+/", n) }
func basic(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func uuid() string {
	return hexa(8) + "-" + hexa(4) + "-4" + hexa(3) + "-a" + hexa(3) + "-" + hexa(12)
}

// sample has texts that are a secret of a kind as a whole, and others that look like one.
type sample struct {
	kind  string
	found []string
	not   []string
}

func texts(s ...string) []string { return s }

var jot = "eyJ" + alnums(17) + ".eyJ" + alnums(60) + "." + safe(43)

// samples are of the formats that can be told by their looks alone.
var samples = []sample{
	{"adobe-secret", texts("p8e-"+alnums(32), "p8e-"+small(32)), texts("p8e-"+alnums(30), "step8e-"+alnums(32))},
	{"age-key", texts("AGE-SECRET-KEY-1"+caps(58), "AGE-SECRET-KEY-PQ-1"+caps(200)), texts("age1"+small(58), "AGE-SECRET-KEY-1…")},
	{"airtable-token", texts("pat"+alnums(14)+"."+hexa(64), "pat"+small(14)+"."+hexa(64)), texts("pattern.matches", "pat"+alnums(14)+"."+hexa(40))},
	{"alibaba-key", texts("LTAI"+alnums(20), "LTAI5t"+alnums(18)), texts("LTAI", "VOLTAIRE"+caps(20))},
	{"anthropic-key", texts("sk-ant-api03-"+safe(93)+"AA", "sk-ant-admin01-"+safe(93)+"AA", "sk-ant-oat01-"+safe(86)),
		texts("sk-ant-your-api-key-goes-right-here-please", "sk-ant-api03-"+strings.Repeat("x", 95), "sk-ant-"+alnums(20))},
	{"artifactory-token", texts("AKCp"+alnums(69), "cmVmd"+"GtuOjAxOj"+alnums(50)), texts("AKCp"+alnums(20), "cmVmd"+alnums(20))},
	{"atlassian-token", texts("ATATT3"+"xFfGF0"+safe(180), "ATSTT3"+"xFfGN0"+safe(160)+"=1A2B3C4D"), texts("ATATT3xFfGF0", "ATATT3"+safe(40))},
	{"aws-bedrock-key", texts("ABSK"+std(120), "bedrock-api-key-"+std(400)), texts("ABSK"+std(40), "bedrock-api-key-id-for-the-build")},
	{"aws-key", texts("AKIA"+caps(16), "ASIA"+caps(16)), texts("AKIA"+"IOSFODNN7"+"EXAMPLE", "AKIA"+caps(10), "AKIA"+strings.Repeat("X", 16), "AKIA"+caps(30))},
	{"azure-service-key", texts(alnums(52)+"JQQJ99"+alnums(26), small(52)+"JQQJ99"+small(26)), texts("JQQJ99", alnums(20)+"JQQJ99"+alnums(26))},
	{"azure-client-secret", texts("a1B8"+"Q~"+alnums(34), "~x_4Q~"+alnums(31)), texts("FAQ~"+alnums(31), "abc8Q~short")},
	{"bitbucket-token", texts("ATBB"+alnums(32), "ATCTT3"+"xFfGN0"+safe(180)), texts("ATBB"+alnums(20), "ATCTT3xFfGN0")},
	{"brevo-key", texts("xkeysib-"+hexa(64)+"-"+alnums(16), "xsmtpsib-"+hexa(64)+"-"+alnums(16)), texts("xkeysib-"+hexa(64), "xkeysib-your-key")},
	{"buildkite-token", texts("bkua_"+hexa(40), "bkat_"+alnums(50)), texts("bkua_"+hexa(20), "bkua_token")},
	{"cerebras-key", texts("csk-"+small(48), "csk-"+chance(nums+lowers, 48)), texts("csk-"+small(20), "csk-task-name")},
	{"circleci-token", texts("CCIPAT_"+alnums(22)+"_"+hexa(40), "CCIPRJ_"+alnums(22)+"_"+hexa(40)), texts("CCIPAT_"+hexa(40), "CCIPAT_TOKEN")},
	{"clojars-token", texts("CLOJARS_"+hexa(60), "CLOJARS_a"+hexa(59)), texts("CLOJARS_USERNAME", "CLOJARS_"+hexa(40))},
	{"cloudflare-key", texts("cfut_"+alnums(40)+hexa(8), "v1.0-"+hexa(24)+"-"+hexa(146)), texts("v1.0-"+hexa(24), "cfk_"+alnums(20))},
	{"contentful-token", texts("CFPAT-"+safe(43), "CFPAT-"+alnums(43)), texts("CFPAT-your-personal-access-token", "CFPAT-"+alnums(20))},
	{"crates-token", texts("cio"+alnums(32), "cio"+alnums(31)+"7"), texts("cio"+alnums(40), "precio"+alnums(32), "cioffi")},
	{"databricks-token", texts("dapi"+hexa(32), "dapi"+hexa(32)+"-2"), texts("dapi"+hexa(40), "dapiclient")},
	{"digitalocean-token", texts("dop_v1_"+hexa(64), "doo_v1_"+hexa(64), "dor_v1_"+hexa(64)), texts("dop_v1_"+hexa(40), "dop_v1_"+strings.Repeat("0", 64))},
	{"discord-token", texts(strings.TrimRight(basic("112233445566778899"), "=")+"."+"Gx1y2Z."+safe(38), strings.TrimRight(basic("987654321012345678"), "=")+".X-hvzA."+safe(27)),
		texts("MTIz.abc.def", "NTLM.authenticate.request-with-a-long-name-of-many-words", "MTEyMjMzNDQ1NTY2Nzc4abc1.Gx1y2Z."+safe(38))},
	{"docker-token", texts("dckr_pat_"+safe(27), "dckr_oat_"+safe(32)), texts("dckr_pat_"+safe(20), "dckr_pat_<token>")},
	{"doppler-token", texts("dp.pt."+alnums(43), "dp.st.dev_main."+alnums(43), "dp.scim."+alnums(43)), texts("dp.pt.x", "dp.st.dev."+alnums(20))},
	{"dropbox-token", texts("sl."+safe(140), "sl.u."+safe(200)), texts("sl.exe", "sl."+safe(40))},
	{"duffel-token", texts("duffel_test_"+safe(43), "duffel_live_"+safe(43)), texts("duffel_test_mode", "duffel_live_"+safe(20))},
	{"dynatrace-token", texts("dt0c01."+caps(24)+"."+caps(64), "dt0s01."+caps(24)+"."+caps(64)), texts("dt0c01."+caps(24), "dt0c01.<public>.<secret>")},
	{"easypost-key", texts("EZAK"+alnums(54), "EZTK"+alnums(54)), texts("EZAK"+alnums(20), "EZAK")},
	{"elevenlabs-key", texts("sk_"+hexa(48), "sk_a"+hexa(47)), texts("sk_"+hexa(32), "task_"+hexa(48))},
	{"figma-token", texts("figd_"+safe(40), "figd_"+alnums(44)), texts("figd_token", "figd_"+safe(20))},
	{"flyio-token", texts("fo1_"+safe(43), "fm2_"+std(400)), texts("fo1_"+safe(20), "fm2_lock")},
	{"github-token", texts("ghp_"+alnums(36), "gho_"+alnums(36), "ghs_"+alnums(36), "github_pat_"+alnums(22)+"_"+alnums(59), "ghs_123456_"+jot),
		texts("ghp_short", `C:\aghp_`+alnums(36), "%zzghp_"+alnums(36), "%3xghp_"+alnums(36), "ghp_"+strings.Repeat("x", 36), "ghp_1234567890abcdefghijklmnopqrstuvwxyz", "github_pat_permissions_and_the_like_for_repositories_and_organizations_v2")},
	{"gitlab-token", texts("glpat-"+safe(20), "gldt-"+safe(20), "glrt-t1_"+safe(27)+".01.0w0nzy6lk", "GR1348941"+safe(20)), texts("glpat-your-access-token-here", "glpat-"+safe(10), "glpat-"+strings.Repeat("X", 20))},
	{"google-key", texts("AIza"+safe(35), "AIzaSy"+alnums(33)), texts("AIza"+safe(30), "AIza"+safe(60), "AIzaSy_your_google_maps_api_key_12345678")},
	{"google-oauth-secret", texts("GOCSPX-"+safe(28), "GOCSPX-"+alnums(28)), texts("GOCSPX-"+safe(10), "GOCSPX-your-client-secret-is-here")},
	{"google-oauth-token", texts("ya29.a0"+safe(120), "1//0"+safe(60)), texts("ya29.short", "1//0")},
	{"grafana-token", texts("glsa_"+alnums(32)+"_"+hexa(8), "glc_"+std(120)+"==", "eyJrIjoi"+alnums(80)), texts("glsa_"+alnums(32), "glc_context_make_current")},
	{"groq-key", texts("gsk_"+alnums(52), "gsk_"+alnums(20)+"WGdyb3FY"+alnums(24)), texts("gsk_"+alnums(20), "gsk_"+strings.Repeat("x", 52))},
	{"heroku-key", texts("HRKU-AA"+safe(58), "HRKU-"+uuid()), texts("HRKU-AA"+safe(20), uuid())},
	{"huggingface-token", texts("hf_"+chance(lowers+uppers, 34), "hf_"+alnums(37), "api_org_"+chance(lowers+uppers, 34)), texts("hf_hub_download", "hf_"+chance(lowers+uppers, 20), "hf_"+strings.Repeat("x", 34))},
	{"intercom-token", texts("ico-"+alnums(32), "ico-"+small(32)), texts("ico-arrow", "mexico-"+alnums(32))},
	{"jwt", texts(jot, "eyJ"+alnums(40)+".."+safe(16)+"."+safe(80)+"."+safe(22), "eyJ"+alnums(40)+"."+safe(300)+"."+safe(16)+"."+safe(80)+"."+safe(22)),
		texts("eyJ.eyJ.x", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "data:application/json;base64,eyJ"+alnums(200))},
	{"langfuse-key", texts("sk-lf-"+uuid(), "sk-lf-"+hexa(8)+uuid()[8:]), texts("pk-lf-"+uuid(), "sk-lf-key")},
	{"langsmith-key", texts("lsv2_pt_"+hexa(32)+"_"+hexa(10), "lsv2_sk_"+hexa(32)+"_"+hexa(10)), texts("lsv2_pt_"+hexa(32), "lsv2_pt_key")},
	{"linear-key", texts("lin_api_"+alnums(40), "lin_oauth_"+hexa(64)), texts("lin_api_"+alnums(10), "lin_api_key_for_this_workspace")},
	{"mailchimp-key", texts(hexa(32)+"-us12", hexa(32)+"-us6"), texts(hexa(40)+"-us12", hexa(32)+"-use", "contact-us1")},
	{"mailgun-key", texts("key-"+hexa(32), "key-a"+hexa(31)), texts("primary-key-"+hexa(32), "key-value", "key-"+hexa(40))},
	{"mapbox-token", texts("sk.eyJ"+alnums(70)+"."+safe(22), "sk.eyJ1Ijoi"+alnums(60)+"."+safe(22)), texts("pk.eyJ"+alnums(70)+"."+safe(22), "sk.eyJ")},
	{"model-provider-key", texts("sk-"+hexa(32), "sk-"+alnums(48)), texts("sk-learn", "task-"+alnums(48), "disk-"+hexa(32), "sk-"+strings.Repeat("x", 48), "sk-"+alnums(20))},
	{"netlify-token", texts("nfp_"+alnums(36), "nfp_"+alnums(40)), texts("nfp_"+alnums(20), "nfp_token")},
	{"newrelic-key", texts("NRAK-"+caps(27), hexa(36)+"NRAL", "eu01xx"+hexa(30)+"NRAL"), texts("NRAK-"+caps(10), "GENERAL", hexa(40)+"NRAL")},
	{"notion-token", texts("ntn_"+chance(nums, 11)+alnums(35), "secret_"+alnums(43)), texts("ntn_database", "secret_"+alnums(20), "client_secret_"+alnums(43))},
	{"npm-token", texts("npm_"+alnums(36), "npm_a"+alnums(35)), texts("npm_config_registry", "npm_"+strings.Repeat("x", 36), "npm_package_dependencies_something_v12")},
	{"nuget-key", texts("oy2"+small(43), "oy2a"+small(42)), texts("oy2"+small(20), "toy2"+small(43))},
	{"nvidia-key", texts("nvapi-"+safe(64), "nvapi-"+alnums(64)), texts("nvapi-"+safe(30), "nvapi-client")},
	{"onepassword-token", texts("ops_eyJ"+alnums(300), "A3-"+caps(6)+"-"+caps(6)+"-"+caps(5)+"-"+caps(5)+"-"+caps(5)+"-"+caps(5)), texts("ops_eyJ"+alnums(40), "A3-PAPER")},
	{"openai-key", texts("sk-proj-"+safe(156), "sk-svcacct-"+safe(80), "sk-admin-"+safe(120), "sk-"+alnums(20)+"T3Blbk"+"FJ"+alnums(20)), texts("sk-proj-your-key", "sk-proj-"+strings.Repeat("x", 48), "sk-project-name-with-many-words-in-it-as-one-writes-them")},
	{"openrouter-key", texts("sk-or-v1-"+hexa(64), "sk-or-v1-a"+hexa(63)), texts("sk-or-something", "sk-or-v1-"+strings.Repeat("0", 64))},
	{"openshift-token", texts("sha256~"+safe(43), "sha256~"+alnums(43)), texts("sha256:"+hexa(64), "sha256~"+safe(20))},
	{"perplexity-key", texts("pplx-"+alnums(48), "pplx-"+small(56)), texts("pplx-70b-online", "pplx-"+alnums(20))},
	{"pinecone-key", texts("pcsk_"+alnums(6)+"_"+alnums(63), "pcsk_"+alnums(5)+"_"+alnums(63)), texts("pcsk_"+alnums(6), "pcsk_index")},
	{"planetscale-token", texts("pscale_tkn_"+safe(43), "pscale_pw_"+safe(43)), texts("pscale_tkn_x", "pscale_password")},
	{"postman-key", texts("PMAK-"+hexa(24)+"-"+hexa(34), "PMAK-a"+hexa(23)+"-"+hexa(34)), texts("PMAK-"+hexa(24), "PMAK-key")},
	{"pulumi-token", texts("pul-"+hexa(40), "pul-a"+hexa(39)), texts("pul-"+hexa(20), "stimpul-"+hexa(40))},
	{"pypi-token", texts("pypi-AgEIcHlwaS5vcmc"+safe(150), "pypi-AgENdGVzdC5weXBpLm9yZw"+safe(120)), texts("pypi-publish", "pypi-AgEIcHlwaS5vcmc")},
	{"replicate-token", texts("r8_"+alnums(37), "r8_"+safe(37)), texts("r8_"+alnums(20), "for8_"+alnums(37))},
	{"resend-key", texts("re_"+alnums(8)+"_"+alnums(24), "re_"+small(8)+"_"+alnums(24)), texts("re_compiled_expression_for_matching", "core_"+alnums(8)+"_"+alnums(24))},
	{"rubygems-key", texts("rubygems_"+hexa(48), "rubygems_a"+hexa(47)), texts("rubygems_api", "rubygems_"+hexa(20))},
	{"sendgrid-key", texts("SG."+safe(22)+"."+safe(43), "SG."+alnums(22)+"."+alnums(43)), texts("SG.short.one", "MSG."+safe(22)+"."+safe(43))},
	{"sentry-token", texts("sntryu_"+hexa(64), "sntrys_eyJ"+alnums(80)+"=_"+std(43)), texts("sntryu_"+hexa(20), "https://"+hexa(32)+"@o1.ingest.sentry.io/2")},
	{"shippo-token", texts("shippo_live_"+hexa(40), "shippo_test_"+hexa(40)), texts("shippo_live_mode", "shippo_live_"+hexa(20))},
	{"shopify-token", texts("shpat_"+hexa(32), "shpss_"+hexa(32)), texts("shpat_"+hexa(20), "shpat_"+strings.Repeat("x", 32))},
	{"slack-token", texts("xoxb-"+chance(nums, 12)+"-"+chance(nums, 13)+"-"+alnums(24), "xapp-1-A0"+caps(9)+"-"+chance(nums, 13)+"-"+hexa(64), "xoxe.xoxp-1-"+alnums(160)),
		texts("xoxb-your-bot-token-goes-here", "xoxb-"+chance(nums, 8), "xoxb-"+strings.Repeat("x", 50))},
	{"sonar-token", texts("squ_"+hexa(40), "sqp_"+hexa(40)), texts("squ_"+hexa(20), "sqp_"+alnums(40)+"zz")},
	{"sourcegraph-token", texts("sgp_"+hexa(40), "sgp_"+hexa(16)+"_"+hexa(40)), texts("sgp_"+hexa(20), "sgp_local")},
	{"square-token", texts("EAAA"+safe(60), "sq0csp-"+safe(43)), texts("EAAA"+safe(30), "sq0idp-"+safe(22))},
	{"stripe-key", texts("sk_live_"+alnums(24), "rk_live_"+alnums(99), "whsec_"+alnums(32)), texts("pk_live_"+alnums(24), "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx", "sk_live_your_key")},
	{"stripe-test-key", texts("sk_test_"+alnums(24), "rk_test_"+alnums(99)), texts("pk_test_"+alnums(24), "sk_test_mode_enabled")},
	{"supabase-key", texts("sbp_"+hexa(40), "sb_secret_"+safe(31)), texts("sb_publishable_"+safe(31), "sbp_"+hexa(20))},
	{"tailscale-key", texts("tskey-auth-"+alnums(12)+"CNTRL-"+alnums(32), "tskey-api-"+alnums(17)+"-"+alnums(32)), texts("tskey-auth-key", "tskey-client")},
	{"tavily-key", texts("tvly-"+alnums(32), "tvly-dev-"+alnums(32)), texts("tvly-"+alnums(10), "tvly-your-api-key-goes-here-instead-of-this")},
	{"telegram-token", texts("12349876:AA"+safe(33), "1234987650:AA"+safe(33), "7012345678:AAH"+safe(32)), texts("1234987:AA"+safe(33), "12349876501:AA"+safe(33), "x12349876:AA"+safe(33), "1234567890:"+hexa(35), "std::AA"+safe(33))},
	{"tencent-key", texts("AKID"+alnums(32), "AKIDz8"+alnums(30)), texts("AKID", "AKID"+alnums(20))},
	{"terraform-token", texts(alnums(14)+".atlasv1."+safe(67), small(14)+".atlasv1."+alnums(64)), texts("x.atlasv1.y", alnums(14)+".atlasv1."+safe(40), alnums(13)+".atlasv1."+safe(67), alnums(15)+".atlasv1."+safe(67))},
	{"together-key", texts("tgp_v1_"+safe(43), "tgp_v1_"+alnums(43)), texts("tgp_v1_"+safe(20), "tgp_v1_key")},
	{"twilio-key", texts("SK"+hexa(32), "SKa"+hexa(31)), texts("AC"+hexa(32), "SK"+hexa(40), "DESK"+hexa(32), "SK"+strings.ToUpper(hexa(32)))},
	{"typeform-token", texts("tfp_"+safe(59), "tfp_"+alnums(40)+"_"+alnums(18)), texts("tfp_form", "tfp_"+safe(20))},
	{"vault-token", texts("hvs."+safe(95), "hvb."+safe(140), "hvs."+alnums(24)), texts("hvs.token", "hvs."+safe(10))},
	{"vercel-token", texts("vcp_"+alnums(56), "vck_"+alnums(56)), texts("vcp_"+alnums(10), "vci_status_of_the_continuous_integration")},
	{"xai-key", texts("xai-"+alnums(80), "xai-"+alnums(84)), texts("xai-org", "xai-"+alnums(20))},
}
