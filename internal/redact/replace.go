package redact

// Replace gives text with each secret replaced by [REDACTED:kind], and the secrets.
func Replace(text string) (string, []Secret) {
	found := Find(text)
	for i := len(found) - 1; i >= 0; i-- {
		text = text[:found[i].Begin] + "[REDACTED:" + found[i].Kind + "]" + text[found[i].End:]
	}
	return text, found
}
