package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// property is an argument of a tool.
type property struct {
	name, schema string // its schema as JSON
	optional     bool
}

// newTool gives a tool whose arguments are read into an A, which has a field for each.
func newTool[A any](name, description string, properties []property, run func(ctx context.Context, args A) (string, error)) Tool {
	return Tool{name, description, objectSchema(properties), func(ctx context.Context, raw json.RawMessage) (string, error) {
		var args A
		err := decodeArgs(raw, &args, properties)
		result := ""
		if err == nil {
			result, err = run(ctx, args)
		}
		var plain *refusal
		if errors.As(err, &plain) {
			return "", refuse(err, "%s: %s", name, plain.msg)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return result, nil
	}}
}

// objectSchema gives the JSON Schema of an object with these properties and no others.
func objectSchema(properties []property) json.RawMessage {
	var all, required []string
	for _, p := range properties {
		all = append(all, fmt.Sprintf("%q: %s", p.name, p.schema))
		if !p.optional {
			required = append(required, fmt.Sprintf("%q", p.name))
		}
	}
	return json.RawMessage(`{"type": "object", "properties": {` + strings.Join(all, ", ") + `}, "required": [` +
		strings.Join(required, ", ") + `], "additionalProperties": false}`)
}

// decodeArgs reads the arguments of a tool. The error tells a model what to give. Where
// there are no properties, whatever is given is let through.
func decodeArgs(raw json.RawMessage, into any, properties []property) error {
	if len(properties) == 0 {
		return nil
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	var given map[string]*json.RawMessage
	err := json.Unmarshal(raw, &given)
	if err == nil {
		err = decodeStrict(raw, into)
	}
	if err != nil {
		return refuse(ErrInvalid, "arguments cannot be read: %s; %s", plainly(err), wanted(properties))
	}
	for _, p := range properties {
		if !p.optional && given[p.name] == nil {
			return refuse(ErrInvalid, "%s is missing; %s", p.name, wanted(properties))
		}
	}
	return nil
}

// wanted says what to give: "give a JSON object with path and content".
func wanted(properties []property) string {
	var names []string
	for _, p := range properties {
		if !p.optional {
			names = append(names, p.name)
		}
	}
	return "give a JSON object with " + strings.Join(names, " and ")
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

// patchList reads patches also where a model gives one without a list, or the list
// as a text that holds JSON.
type patchList []Patch

const patchesForm = `want [{"oldText": "…", "newText": "…"}]`

// UnmarshalJSON reads a list, one patch, or a string of either.
func (p *patchList) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if raw = []byte(text); !json.Valid(raw) {
			return errors.New("patches is a text and not a list: " + patchesForm)
		}
	}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '{' {
		raw = append(append([]byte{'['}, raw...), ']')
	}
	var list []struct {
		OldText *string `json:"oldText"`
		NewText *string `json:"newText"`
	}
	if err := decodeStrict(raw, &list); err != nil {
		return fmt.Errorf("patches: %s: %s", plainly(err), patchesForm)
	}
	for i, patch := range list {
		switch {
		case patch.OldText == nil:
			return fmt.Errorf("patches: patch %d has no oldText: %s", i+1, patchesForm)
		case patch.NewText == nil:
			return fmt.Errorf(`patches: patch %d has no newText; give "" to take the text out`, i+1)
		}
		*p = append(*p, Patch{*patch.OldText, *patch.NewText})
	}
	return nil
}

// jsonText gives a value that came from JSON, or is made of strings and numbers, as JSON
// that a model reads without escapes for <, > and &.
func jsonText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // such a value cannot fail
	return strings.TrimSpace(b.String())
}
