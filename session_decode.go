package memory

import (
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
	line     int
	path     string // attempts[2].planStep
	severity Severity
	msg      string
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
	d.faults = append(d.faults, nodeFault{n.Line, path, SeverityError, fmt.Sprintf(format, args...)})
}

// warn notes what is read, though it is not as this package writes it.
func (d *nodeDecoder) warn(bad bool, path string, n *yaml.Node, format string, args ...any) {
	if bad {
		d.faults = append(d.faults, nodeFault{n.Line, path, SeverityWarning, fmt.Sprintf(format, args...)})
	}
}

func (d *nodeDecoder) value(path string, n *yaml.Node, v reflect.Value) {
	scalar := n.Kind == yaml.ScalarNode
	if isNull(n) {
		d.missing(path, n, v)
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
			d.scalar(path, n, v.Field(0)) // the name
			return
		}
	case *Importance:
		if err := to.UnmarshalText([]byte(n.Value)); err != nil || !scalar {
			d.fault(path, n, "%q is none; want low, medium, high or critical", n.Value)
		} else {
			d.warn(n.Value != to.String(), path, n, "%q is read as %s", n.Value, to)
		}
		return
	case *AttemptResult:
		if *to = knownResult(n.Value); scalar {
			d.warn(string(*to) != n.Value, path, n, "%q is read as %s", n.Value, *to)
			return
		}
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
	text, tag := strings.TrimSpace(n.Value), n.ShortTag()
	switch v.Kind() {
	case reflect.String:
		d.warn(tag != "!!str", path, n, "want text; put %s in quotes", n.Value)
		v.SetString(n.Value)
	case reflect.Bool:
		yes, err := strconv.ParseBool(strings.ToLower(text))
		if err != nil {
			d.fault(path, n, "want true or false, not %q", n.Value)
		}
		d.warn(err == nil && tag != "!!bool", path, n, "want true or false, without quotes")
		v.SetBool(yes)
	case reflect.Int:
		number, err := strconv.Atoi(text)
		if err != nil {
			d.fault(path, n, "want a whole number, not %q", n.Value)
		}
		d.warn(err == nil && tag != "!!int", path, n, "want a number without quotes")
		d.warn(number < 0, path, n, "%d is less than 0", number)
		v.SetInt(int64(number))
	}
}

func (d *nodeDecoder) time(path string, n *yaml.Node) time.Time {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.ToUpper(strings.TrimSpace(n.Value))); err == nil && n.Kind == yaml.ScalarNode {
			_, err := time.Parse(time.RFC3339, n.Value)
			d.warn(err != nil && n.ShortTag() != "!!timestamp", path, n, "%q is read as %s", n.Value, t.UTC().Format(time.RFC3339))
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
	d.missing(path, n, v)
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

// missing looks for the keys of a struct that are always written. Entries are nothing without them.
func (d *nodeDecoder) missing(path string, n *yaml.Node, v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	var keys []string
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if options != "omitempty" && key != "" && !given(n, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return
	}
	fault := nodeFault{n.Line, path, SeverityWarning, strings.Join(keys, ", ") + ": missing"}
	switch v.Interface().(type) {
	case Discovery, Attempt, Decision:
		fault.severity = SeverityError
	case SessionMemory:
		fault.line = 0 // of the file
	}
	d.faults = append(d.faults, fault)
}

// list reads a list; a single text stands for a list of one.
func (d *nodeDecoder) list(path string, n *yaml.Node, v reflect.Value) {
	items := n.Content
	switch {
	case n.Kind == yaml.ScalarNode && v.Type().Elem().Kind() == reflect.String:
		d.warn(true, path, n, "want a list, not a single text")
		items = []*yaml.Node{n}
	case n.Kind != yaml.SequenceNode:
		d.fault(path, n, "want a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		d.warn(isNull(item) && v.Type().Elem().Kind() != reflect.Struct, path, item, "an item without a value")
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
		d.warn(isNull(n.Content[i+1]), path, n.Content[i], "%s: missing", n.Content[i].Value)
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

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }
