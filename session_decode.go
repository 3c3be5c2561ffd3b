package memory

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/safeyaml"
)

// memory gives what the document says.
func (d *sessionDoc) memory() *SessionMemory {
	m := &SessionMemory{}
	decodeNode(d.Root(), m)
	return m
}

// nodeFault is a value that is not what its field wants.
type nodeFault struct {
	line int
	path string // attempts[2].planStep
	msg  string
}

// decodeNode fills a struct from a node, leniently: what does not fit a field
// leaves it zero and is a fault, and unknown keys are passed over.
func decodeNode(n *yaml.Node, to any) []nodeFault {
	d := &nodeDecoder{}
	if n != nil {
		d.value("", n, reflect.ValueOf(to).Elem())
	}
	return d.faults
}

type nodeDecoder struct{ faults []nodeFault }

func (d *nodeDecoder) fault(path string, n *yaml.Node, format string, args ...any) {
	d.faults = append(d.faults, nodeFault{n.Line, path, fmt.Sprintf(format, args...)})
}

func (d *nodeDecoder) value(path string, n *yaml.Node, v reflect.Value) {
	scalar := n.Kind == yaml.ScalarNode
	if scalar && n.ShortTag() == "!!null" {
		return
	}
	switch to := v.Addr().Interface().(type) {
	case *time.Time:
		*to = d.time(path, n)
		return
	case *map[string]any:
		d.free(path, n, to)
		return
	case *Alternative:
		if scalar {
			to.Name = n.Value
			return
		}
	case encoding.TextUnmarshaler:
		if err := to.UnmarshalText([]byte(n.Value)); err != nil || !scalar {
			d.fault(path, n, "%q is none; want low, medium, high or critical", n.Value)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(path, n, v.Elem())
	case reflect.Struct:
		d.fields(path, n, v)
	case reflect.Map:
		d.numbers(path, n, v)
	case reflect.Slice:
		d.list(path, n, v)
	default:
		if !scalar {
			d.fault(path, n, "want a single value, not a list or a map")
			return
		}
		d.scalar(path, n, v)
	}
}

func (d *nodeDecoder) scalar(path string, n *yaml.Node, v reflect.Value) {
	text := strings.TrimSpace(n.Value)
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
	case reflect.Bool:
		yes, err := strconv.ParseBool(strings.ToLower(text))
		if err != nil {
			d.fault(path, n, "want true or false, not %q", n.Value)
		}
		v.SetBool(yes)
	case reflect.Int:
		number, err := strconv.Atoi(text)
		if err != nil {
			d.fault(path, n, "want a whole number, not %q", n.Value)
		}
		v.SetInt(int64(number))
	}
}

func (d *nodeDecoder) time(path string, n *yaml.Node) time.Time {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.ToUpper(strings.TrimSpace(n.Value))); err == nil && n.Kind == yaml.ScalarNode {
			return t.UTC()
		}
	}
	d.fault(path, n, "%q is no time; want one like 2026-01-23T10:31:05.000Z", n.Value)
	return time.Time{}
}

func (d *nodeDecoder) fields(path string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.fault(path, n, "want keys and values")
		return
	}
	byKey := make(map[string]int, v.NumField())
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		byKey[key] = i
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if field, ok := byKey[n.Content[i].Value]; ok {
			d.value(strings.TrimPrefix(path+"."+n.Content[i].Value, "."), n.Content[i+1], v.Field(field))
		}
	}
}

// list reads a list; a single text stands for a list of one.
func (d *nodeDecoder) list(path string, n *yaml.Node, v reflect.Value) {
	items := n.Content
	switch {
	case n.Kind == yaml.ScalarNode && v.Type().Elem().Kind() == reflect.String:
		items = []*yaml.Node{n}
	case n.Kind != yaml.SequenceNode:
		d.fault(path, n, "want a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		d.value(fmt.Sprintf("%s[%d]", path, i), item, v.Index(i))
	}
}

// numbers reads a map of numbers.
func (d *nodeDecoder) numbers(path string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.fault(path, n, "want keys and values")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for i := 0; i+1 < len(n.Content); i += 2 {
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(path+"."+n.Content[i].Value, n.Content[i+1], item)
		v.SetMapIndex(reflect.ValueOf(n.Content[i].Value), item)
	}
}

// free reads a map of anything.
func (d *nodeDecoder) free(path string, n *yaml.Node, to *map[string]any) {
	value, err := safeyaml.Value(n, maxDepth)
	if m, ok := value.(map[string]any); ok && err == nil {
		*to = m
		return
	}
	d.fault(path, n, "want keys and values, not nested too deep")
}
