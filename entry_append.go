package memory

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// appendEntries gives the bytes of the file old with m and its updates behind it,
// as update entries; of what m gives, only title and discoveredBy are required,
// and a zero DiscoveredAt is now. The bytes of old are not changed, and what is
// added has its line ends. Old must be a memory file; the name is for errors.
//
// The result is read back before it is returned: an entry at the end of old that
// somebody left unfinished would swallow the new one, and is an error that says where.
func appendEntries(name string, old []byte, m *Memory) ([]byte, error) {
	before, _, err := parseEntries(name, old)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	own, err := formatEntry(&Update{*m.first(), m.Body}, false, now)
	if err != nil {
		return nil, err
	}
	texts, err := formatUpdates(m.Updates, now)
	if err != nil {
		return nil, err
	}
	texts = append([]string{own}, texts...)
	data := addTexts(old, texts)
	if len(data) > maxFile {
		return nil, &ParseError{strings.TrimSuffix(name, ".md"), 0,
			fmt.Sprintf("with the update %d bytes; at most %d are allowed", len(data), maxFile), ErrTooLarge}
	}
	return data, verifyAppend(name, before, data, texts)
}

// addTexts puts entries behind old, with the line ends of its first line.
func addTexts(old []byte, texts []string) []byte {
	added := separator + strings.Join(texts, separator) + "\n"
	if bytes.HasSuffix(old, []byte("\n")) {
		added = added[1:]
	}
	if i := bytes.IndexByte(old, '\n'); i > 0 && old[i-1] == '\r' {
		added = strings.ReplaceAll(added, "\n", "\r\n")
	}
	return append(slices.Clip(old), added...)
}

// verifyAppend checks that data holds the entries of before, unchanged, and then texts.
func verifyAppend(name string, before []entry, data []byte, texts []string) error {
	after, _, err := parseEntries(name, data)
	if err != nil {
		return err
	}
	if len(after) != len(before)+len(texts) || !slices.EqualFunc(before, after[:len(before)], entry.same) {
		return unfinished(name, before, after)
	}
	for i, e := range after[len(before):] {
		if own := "---\n" + e.yaml + "---"; !strings.HasPrefix(texts[i], own) ||
			strings.TrimPrefix(texts[i][len(own):], "\n\n") != escapeBody(e.Body) {
			return unfinished(name, before, after)
		}
	}
	return nil
}

// unfinished names the place where an appended text was taken for something
// else: the first entry of after that was none before.
func unfinished(name string, before, after []entry) error {
	line := before[len(before)-1].line
	for i, e := range after {
		if i >= len(before) || e.line != before[i].line {
			line = e.line
			break
		}
	}
	return &ParseError{strings.TrimSuffix(name, ".md"), line,
		"the file ends in an unfinished entry, which an update would become part of; finish or remove it", ErrInvalid}
}
