package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const pathSchema = `{"type": "string", "description": "path of the file, e.g. facts/user.md"}`

// objectSchema gives the JSON Schema of an object with these properties; one that begins
// with a question mark may be left out.
func objectSchema(properties ...string) json.RawMessage {
	required := []string{}
	for i, p := range properties {
		var optional bool
		if properties[i], optional = strings.CutPrefix(p, "?"); !optional {
			required = append(required, p[:strings.IndexByte(p, ':')])
		}
	}
	return json.RawMessage(`{"type": "object", "properties": {` + strings.Join(properties, ", ") + `}, "required": [` +
		strings.Join(required, ", ") + `], "additionalProperties": false}`)
}

// decodeArgs reads the arguments of a tool. The error tells a model what to give.
func decodeArgs(tool string, raw json.RawMessage, into any, required ...string) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more behind the object")
		}
	}
	if err != nil {
		return refuse(ErrInvalid, "%s: arguments cannot be read: %s; give a JSON object with %s", tool, withoutPrefix(err), namesOf(required))
	}
	var given map[string]any
	if err := json.Unmarshal(raw, &given); err != nil {
		return refuse(ErrInvalid, "%s: arguments cannot be read: %s", tool, withoutPrefix(err))
	}
	for _, key := range required {
		if given[key] == nil {
			return refuse(ErrInvalid, "%s: %s is missing; give a JSON object with %s", tool, key, namesOf(required))
		}
	}
	return nil
}

func withoutPrefix(err error) string { return strings.TrimPrefix(err.Error(), "json: ") }

func namesOf(keys []string) string {
	if len(keys) == 0 {
		return "no keys"
	}
	return strings.Join(keys, " and ")
}

// patchList reads patches also where a model gives one without a list, or the list
// as a text that holds JSON.
type patchList []Patch

// UnmarshalJSON reads a list, one patch, or a string of either.
func (p *patchList) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '{' {
		raw = append(append([]byte{'['}, raw...), ']')
	}
	var list []struct {
		OldText *string `json:"oldText"`
		NewText *string `json:"newText"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return fmt.Errorf("patches: %s: want a list of {oldText, newText}", withoutPrefix(err))
	}
	for i, patch := range list {
		if patch.OldText == nil || patch.NewText == nil {
			return fmt.Errorf("patches: patch %d lacks oldText or newText", i+1)
		}
		*p = append(*p, Patch{*patch.OldText, *patch.NewText})
	}
	return nil
}
