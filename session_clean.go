package memory

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rawko/memory/internal/yamledit"
)

// cleanNode gives a value as it is written, see cleaned.
func cleanNode(value any) (*yaml.Node, error) {
	n, err := yamledit.Value(cleaned(value))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrInvalid)
	}
	return n, nil
}

// cleaned gives a copy of a value of this package's types in which all texts can be
// written, as what programs print often cannot: bytes that are not UTF-8 become U+FFFD, NULs
// are gone, and lines end in "\n". Times have milliseconds, as those of the convention.
func cleaned[T any](value T) T {
	clean(reflect.ValueOf(&value).Elem())
	return value
}

// clean cleans a copy, and copies what it points to.
func clean(v reflect.Value) {
	if at, ok := v.Interface().(time.Time); ok {
		v.Set(reflect.ValueOf(at.Truncate(time.Millisecond)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(lineEnds.Replace(strings.ReplaceAll(strings.ToValidUTF8(v.String(), "\uFFFD"), "\x00", "")))
	case reflect.Struct:
		for i := range v.NumField() {
			clean(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.AppendSlice(reflect.Zero(v.Type()), v))
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		is := reflect.New(v.Elem().Type()).Elem()
		is.Set(v.Elem())
		clean(is)
		if v.Kind() == reflect.Pointer {
			is = is.Addr()
		}
		v.Set(is)
	}
}
