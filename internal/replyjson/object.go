package replyjson

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// Object is a JSON object with its members in the order of the reply.
type Object struct{ Members []Member }

// Member is a key and its value: a [Text], [json.Number], bool, nil, []any or *[Object].
type Member struct {
	Key    string
	Folded string // as [Fold] gives it
	Value  any
}

// Get gives the value of the last member with a key, as [Fold] gives it; nil where there is none.
func (o *Object) Get(folded string) any {
	if o == nil {
		return nil
	}
	for i := len(o.Members) - 1; i >= 0; i-- {
		if o.Members[i].Folded == folded {
			return o.Members[i].Value
		}
	}
	return nil
}

// Fold makes when_to_use, "When to use" and WhenToUse the same.
func Fold(key string) string { return strings.ToLower(separators.Replace(key)) }

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

// repair mends a skeleton. The library was not seen to panic on one, but it is
// written for whole documents and walks over them by index: what a stranger's
// text does to it must not end the host's program.
func repair(skeleton string) (string, bool) { return guarded(skeleton, jsonrepair.Repair) }

func guarded(skeleton string, mend func(string) (string, error)) (mended string, ok bool) {
	defer func() {
		if recover() != nil {
			mended, ok = "", false
		}
	}()
	mended, err := mend(skeleton)
	return mended, err == nil
}

// decode reads a skeleton and puts the texts back; nil where it is no object in JSON.
func decode(skeleton string, texts []Text) *Object {
	d := decoder{json.NewDecoder(strings.NewReader(skeleton)), texts}
	d.UseNumber()
	v, err := d.value(0)
	if err != nil {
		return nil
	}
	if _, err := d.Token(); err != io.EOF {
		return nil
	}
	o, _ := v.(*Object)
	return o
}

type decoder struct {
	*json.Decoder
	texts []Text
}

func (d decoder) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("deeper than %d", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return d.object(depth)
	case json.Delim('['):
		return d.list(depth)
	}
	if s, ok := token.(string); ok {
		return d.text(s), nil
	}
	return token, nil
}

func (d decoder) object(depth int) (*Object, error) {
	o := &Object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name := d.text(key.(string)).String()
		o.Members = append(o.Members, Member{name, Fold(name), value})
	}
	_, err := d.Token()
	return o, err
}

func (d decoder) list(depth int) ([]any, error) {
	items := []any{}
	for d.More() {
		item, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err := d.Token()
	return items, err
}

// text puts the texts in place of their numbers. What stands beside them had no quotes.
func (d decoder) text(s string) Text {
	var t Text
	for rest := s; rest != ""; {
		before, behind, _ := strings.Cut(rest, string(openMark))
		number, after, marked := strings.Cut(behind, string(closeMark))
		t.raw += strings.ReplaceAll(before, `\`, `\\`)
		rest = after
		if n, err := strconv.Atoi(number); marked && err == nil && n < len(d.texts) {
			t.raw += d.texts[n].raw
			t.Cut = t.Cut || d.texts[n].Cut
		}
	}
	return t
}

// Texts gives the texts of a value: of a text itself, of a list those of its
// items and of lists in it, numbers and booleans as they are written. ok is
// false where an object was left out.
func Texts(v any) (texts []Text, ok bool) {
	ok = true
	switch v := v.(type) {
	case Text:
		return []Text{v}, true
	case json.Number:
		return []Text{{raw: v.String()}}, true
	case bool:
		return []Text{{raw: strconv.FormatBool(v)}}, true
	case *Object:
		return nil, false
	case []any:
		for _, item := range v {
			more, fine := Texts(item)
			texts, ok = append(texts, more...), ok && fine
		}
	}
	return texts, ok
}
