package yamledit

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Value gives a Go value as a node in the house style: text in double quotes, text of
// several lines as a literal block where YAML can hold it there, times as
// text in UTC with milliseconds or what they have beyond, durations as text (1m30s), lists and maps in
// block style, the keys of maps sorted, the fields of structs in their order by the
// rules of yaml.v3's tags (name, omitempty, inline, -). A *yaml.Node is taken as it is.
// An error is text that is not UTF-8, more than 100 levels, a key that is neither text nor a number
// or comes twice, and a kind that YAML has no place for.
func Value(v any) (*yaml.Node, error) {
	n, err := toNode(reflect.ValueOf(v), maxDepth)
	if err != nil {
		return nil, err
	}
	_, err = check(n, maxDepth)
	return n, err
}

var (
	nodeType     = reflect.TypeFor[yaml.Node]()
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	yamlWriter   = reflect.TypeFor[yaml.Marshaler]()
	textWriter   = reflect.TypeFor[encoding.TextMarshaler]()
	errTooDeep   = errors.New("nested too deep")
	errNoUTF8    = errors.New("not UTF-8")
	errYearLong  = errors.New("a year that cannot be written")
)

func plain(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

func text(s string) (*yaml.Node, error) {
	if !utf8.ValidString(s) {
		return nil, errNoUTF8
	}
	n := plain("!!str", s)
	n.Style = yaml.DoubleQuotedStyle
	if strings.Contains(s, "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n, nil
}

func toNode(v reflect.Value, depth int) (*yaml.Node, error) {
	switch {
	case !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil():
		return plain("!!null", "null"), nil
	case depth < 0:
		return nil, errTooDeep
	case v.Type() == nodeType:
		n := v.Interface().(yaml.Node)
		return known(&n)
	case v.Type() == reflect.PointerTo(nodeType):
		return known(v.Interface().(*yaml.Node))
	case v.Type() == durationType:
		return text(v.Interface().(time.Duration).String())
	case v.Type() == timeType:
		return moment(v.Interface().(time.Time))
	case v.Type().Implements(yamlWriter):
		other, err := v.Interface().(yaml.Marshaler).MarshalYAML()
		if err != nil {
			return nil, err
		}
		return toNode(reflect.ValueOf(other), depth-1)
	case v.Type().Implements(textWriter):
		b, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return nil, err
		}
		return text(string(b))
	}
	return kindToNode(v, depth)
}

func kindToNode(v reflect.Value, depth int) (*yaml.Node, error) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return toNode(v.Elem(), depth-1)
	case reflect.String:
		return text(v.String())
	case reflect.Bool:
		return plain("!!bool", strconv.FormatBool(v.Bool())), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return plain("!!int", strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return plain("!!int", strconv.FormatUint(v.Uint(), 10)), nil
	case reflect.Float32, reflect.Float64:
		return plain("!!float", Float(v.Float(), v.Type().Bits())), nil
	case reflect.Slice, reflect.Array:
		return list(v, depth)
	case reflect.Map:
		return sorted(v, depth)
	case reflect.Struct:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		return n, fields(n, v, depth)
	}
	return nil, fmt.Errorf("a %s cannot be written", v.Type())
}

// known takes a node that the caller has made or read.
func known(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
		n = n.Content[0]
	}
	if n.IsZero() {
		return plain("!!null", "null"), nil
	}
	return n, nil
}

// moment gives a time as the text that it is in the convention.
func moment(t time.Time) (*yaml.Node, error) {
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return nil, errYearLong
	}
	layout := "2006-01-02T15:04:05.000Z07:00"
	if t.Nanosecond()%1e6 != 0 {
		layout = time.RFC3339Nano
	}
	return text(t.Format(layout))
}

// Float gives a number that every reader takes for a float: with a point.
func Float(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	}
	s := strconv.FormatFloat(f, 'g', -1, bits)
	mantissa, exponent, hasExponent := strings.Cut(s, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	if hasExponent {
		return mantissa + "e" + exponent
	}
	return mantissa
}

func list(v reflect.Value, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range v.Len() {
		item, err := toNode(v.Index(i), depth-1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	return n, nil
}

// sorted gives a map with its keys in order: numbers by what they are, text by its bytes.
func sorted(v reflect.Value, depth int) (*yaml.Node, error) {
	type pair struct {
		key   *yaml.Node
		value reflect.Value
	}
	var pairs []pair
	for each := v.MapRange(); each.Next(); {
		key, err := keyNode(each.Key())
		if err != nil {
			return nil, fmt.Errorf("a %s cannot be written: %w", v.Type(), err)
		}
		pairs = append(pairs, pair{key, each.Value()})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return compareKeys(a.key, b.key) })
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, p := range pairs {
		if err := addField(n, p.key, p.value, depth); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// keyNode gives a key of a map: text, a number or a truth value.
func keyNode(v reflect.Value) (*yaml.Node, error) {
	key, err := toNode(v, 1)
	switch {
	case err != nil:
		return nil, err
	case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!null":
		return nil, errors.New("a key that is neither text nor a number")
	}
	return plain(key.ShortTag(), key.Value), nil
}

func compareKeys(a, b *yaml.Node) int {
	if a.ShortTag() == "!!int" && b.ShortTag() == "!!int" {
		isMinus := strings.HasPrefix(a.Value, "-")
		if isMinus != strings.HasPrefix(b.Value, "-") {
			return strings.Compare(a.Value, b.Value) // the sign comes before the digits
		}
		order := cmp.Or(cmp.Compare(len(a.Value), len(b.Value)), strings.Compare(a.Value, b.Value))
		if isMinus {
			return -order
		}
		return order
	}
	return strings.Compare(a.Value, b.Value)
}

func addField(n, key *yaml.Node, v reflect.Value, depth int) error {
	if err := checkKey(key.Value); err != nil {
		return err
	}
	value, err := toNode(v, depth-1)
	if err != nil {
		return fmt.Errorf("%s: %w", shorten(key.Value), err)
	}
	n.Content = append(n.Content, key, value)
	return nil
}

// Field is how a field of a struct is written.
type Field struct {
	Key       string
	Inline    bool // its fields or keys stand among those of the struct
	omitEmpty bool
}

// FieldOf reads the tag of a field by the rules of yaml.v3. It is not ok for a field that
// is not written: one that is not exported, unless its fields are inline, and one with the tag "-".
func FieldOf(field reflect.StructField) (f Field, ok bool) {
	tag := field.Tag.Get("yaml")
	if tag == "" && !strings.Contains(string(field.Tag), ":") {
		tag = string(field.Tag)
	}
	name, options, _ := strings.Cut(tag, ",")
	for option := range strings.SplitSeq(options, ",") {
		f.Inline = f.Inline || option == "inline"
		f.omitEmpty = f.omitEmpty || option == "omitempty"
	}
	if f.Key = name; name == "" {
		f.Key = strings.ToLower(field.Name)
	}
	isOpen := field.IsExported()
	if field.Anonymous && f.Inline { // its exported fields are within reach
		isOpen = isOpen || structOf(field.Type).Kind() == reflect.Struct
	}
	return f, tag != "-" && isOpen
}

// structOf gives the type behind pointers.
func structOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// fields adds the fields of a struct to a map.
func fields(n *yaml.Node, v reflect.Value, depth int) error {
	for i := range v.NumField() {
		f, ok := FieldOf(v.Type().Field(i))
		var err error
		switch {
		case !ok:
		case f.Inline:
			err = inline(n, v.Field(i), depth)
		case f.omitEmpty && isZero(v.Field(i)):
		default:
			err = addField(n, plain("!!str", f.Key), v.Field(i), depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inline adds the fields of a struct, or the keys of a map, to those of what it stands in.
func inline(n *yaml.Node, v reflect.Value, depth int) error {
	for ; v.Kind() == reflect.Pointer; v = v.Elem() {
		if v.IsNil() {
			return nil
		}
	}
	switch {
	case depth < 0:
		return errTooDeep
	case v.Kind() == reflect.Struct:
		return fields(n, v, depth-1)
	case v.Kind() != reflect.Map:
		return fmt.Errorf("a %s cannot be inline", v.Type())
	}
	inner, err := sorted(v, depth-1)
	if err == nil {
		n.Content = append(n.Content, inner.Content...)
	}
	return err
}

// isZero reports whether omitempty leaves a value out.
func isZero(v reflect.Value) bool {
	if z, ok := v.Interface().(yaml.IsZeroer); ok && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		return z.IsZero()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	}
	return v.IsZero()
}
