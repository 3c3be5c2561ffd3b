package memory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
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
	var given map[string]*json.RawMessage
	err := json.Unmarshal(raw, &given)
	if err == nil {
		err = decodeStrict(raw, into)
	}
	if err != nil {
		return refuse(ErrInvalid, "%s: arguments cannot be read: %s; give a JSON object with %s", tool, plainly(err), namesOf(required))
	}
	for _, key := range required {
		if given[key] == nil {
			return refuse(ErrInvalid, "%s: %s is missing; give a JSON object with %s", tool, key, namesOf(required))
		}
	}
	return nil
}

// decodeStrict reads one JSON value, all of whose keys are known.
func decodeStrict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind it")
	}
	return nil
}

// plainly says what is wrong with JSON to somebody who does not know of Go's types.
func plainly(err error) string {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		field := mistyped.Field[strings.LastIndexByte(mistyped.Field, '.')+1:]
		want := "a string"
		switch mistyped.Type.Kind() {
		case reflect.Slice:
			want = "a list"
		case reflect.Map, reflect.Struct:
			want = "an object"
		}
		return fmt.Sprintf("%s is of type %s: want %s", cmp.Or(field, "a value"), mistyped.Value, want)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

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
	if err := decodeStrict(raw, &list); err != nil {
		return fmt.Errorf("patches: %s: want a list of {oldText, newText}", plainly(err))
	}
	for i, patch := range list {
		if patch.OldText == nil || patch.NewText == nil {
			return fmt.Errorf("patches: patch %d lacks oldText or newText", i+1)
		}
		*p = append(*p, Patch{*patch.OldText, *patch.NewText})
	}
	return nil
}
