package replyjson

import "strings"

// Has reports whether an object has a key, as [Fold] gives it.
func (o *Object) Has(folded string) bool {
	for _, m := range o.Members {
		if m.Folded == folded {
			return true
		}
	}
	return false
}

// twice gives a known key that stands twice in o or in an object in it; "" for none.
func (f *finder) twice(o *Object) string {
	seen := make(map[string]bool)
	for _, m := range o.Members {
		if f.known[m.Folded] && seen[m.Folded] {
			return m.Key
		}
		seen[m.Folded] = true
	}
	for _, inner := range children(o) {
		if key := f.twice(inner); key != "" {
			return key
		}
	}
	return ""
}

// children gives the objects in o, those in lists included, without those in them.
func children(v any) (inner []*Object) {
	add := func(v any) {
		if o, ok := v.(*Object); ok {
			inner = append(inner, o)
		} else {
			inner = append(inner, children(v)...)
		}
	}
	switch v := v.(type) {
	case *Object:
		for _, m := range v.Members {
			add(m.Value)
		}
	case []any:
		for _, item := range v {
			add(item)
		}
	}
	return inner
}

// decides reports whether an object in o has the deciding key.
func (f *finder) decides(o *Object) bool {
	for _, inner := range children(o) {
		if inner.Has(f.schema.Decision) || f.decides(inner) {
			return true
		}
	}
	return false
}

// inside gives what would be an answer in o: objects that decide or fit, and
// none in them.
func (f *finder) inside(o *Object) (answers []*Object) {
	for _, inner := range children(o) {
		if f.schema.Fits(inner) && !f.decides(inner) || inner.Has(f.schema.Decision) {
			answers = append(answers, inner)
			continue
		}
		answers = append(answers, f.inside(inner)...)
	}
	return answers
}

// hasKnown reports whether o itself has a known key. Then what is in it is a
// part of it, or quoted by it. Wrappers of interfaces for chat have content.
func (f *finder) hasKnown(o *Object) bool {
	for _, m := range o.Members {
		if f.known[m.Folded] && m.Folded != "content" {
			return true
		}
	}
	return false
}

// wrapper looks for the one answer in an object that is none itself, and gives
// where to look further. Where there are several, or the object has keys of an
// answer, its inside is not believed: it may be a quotation.
func (f *finder) wrapper(o *Object, at int, s *scanner) int {
	inner := f.inside(o)
	switch {
	case f.hasKnown(o):
		f.doubt = f.doubt || len(inner) > 0 || s.quotes(f.schema.Decision)
		f.broken = f.broken || f.doubt
	case len(inner) > 1:
		f.doubt, f.broken = true, true
	case len(inner) == 1 && s.strict:
		if f.schema.Fits(inner[0]) {
			f.add(Found{Object: inner[0], Twice: f.twice(o)}, s)
		} else {
			f.doubt = true
		}
	case len(inner) == 1 || s.cut:
		return at + 1
	}
	return s.pos
}

// quotes reports whether a text in the object speaks of a key.
func (s *scanner) quotes(key string) bool {
	for _, t := range s.texts {
		if strings.Contains(Fold(t.raw), key) {
			return true
		}
	}
	return false
}

// add keeps an answer.
func (f *finder) add(found Found, s *scanner) {
	f.found = append(f.found, found)
	f.broken = false
	f.loose = f.loose || !s.strict
}

// gap looks at text outside of objects, behind an answer. A known key in quotes,
// or a brace that closes behind a quote, is the rest of an object whose end was
// taken for another.
func (f *finder) gap(text string) {
	if len(f.found) == 0 {
		return
	}
	brace := strings.LastIndexByte(text, '}')
	f.orphan = f.orphan || brace >= 0 && strings.Contains(text[:brace], `"`)
	for rest := text; !f.orphan; {
		at := strings.IndexByte(rest, ':')
		if at < 0 {
			return
		}
		f.orphan = f.endsInKey(rest[max(0, at-maxKey):at])
		rest = rest[at+1:]
	}
}

// endsInKey reports whether text ends in a known key in quotes.
func (f *finder) endsInKey(text string) bool {
	text = strings.TrimRight(text, " \t\n")
	key := strings.TrimRight(text, "\"'\\")
	return key != text && f.known[Fold(key[strings.LastIndexAny(key, "\"'")+1:])]
}
