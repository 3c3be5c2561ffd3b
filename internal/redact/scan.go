package redact

import (
	"slices"
	"sync"
)

// literal is text that may be part of a secret or stand before one.
type literal struct {
	text string
	fold bool // letters in either case; text is in lower case then
	find func(text string, at int) (Secret, bool)
}

// at reports whether the literal is what text begins with.
func (l *literal) at(text string) bool {
	if len(text) < len(l.text) {
		return false
	}
	if !l.fold {
		return text[:len(l.text)] == l.text
	}
	for i := range len(l.text) {
		if toLower(text[i]) != l.text[i] {
			return false
		}
	}
	return true
}

func toLower(b byte) byte {
	if is(b, upper) {
		return b + 'a' - 'A'
	}
	return b
}

// pairs is a set of two bytes each.
type pairs [1 << 10]uint64

func (p *pairs) add(a, b byte)      { p[uint(a)<<2|uint(b)>>6] |= 1 << (b & 63) }
func (p *pairs) has(a, b byte) bool { return p[uint(a)<<2|uint(b)>>6]&(1<<(b&63)) != 0 }

// index finds literals in one pass over a text: where the first two bytes of one
// stand, which is rare, it compares those that begin with them.
type index struct {
	starts pairs
	groups [256][]group // by the first byte
}

// group are the literals that have the same first two bytes.
type group struct {
	second byte
	list   []literal
}

func (x *index) add(l literal) {
	for _, a := range cases(l.text[0], l.fold) {
		for _, b := range cases(l.text[1], l.fold) {
			x.starts.add(a, b)
			n := slices.IndexFunc(x.groups[a], func(g group) bool { return g.second == b })
			if n < 0 {
				n = len(x.groups[a])
				x.groups[a] = append(x.groups[a], group{second: b})
			}
			x.groups[a][n].list = append(x.groups[a][n].list, l)
		}
	}
}

// find appends what the literals at index i lead to.
func (x *index) find(found []Secret, text string, i int) []Secret {
	for _, g := range x.groups[text[i]] {
		if g.second != text[i+1] {
			continue
		}
		for _, l := range g.list {
			if l.find == nil || !l.at(text[i:]) {
				continue
			}
			if s, ok := l.find(text, i); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

// cases gives a letter in both cases, and everything else as it is.
func cases(b byte, fold bool) []byte {
	if fold && is(b, lower) {
		return []byte{b, b - ('a' - 'A')}
	}
	return []byte{b}
}

// literals is built when a text is first looked at, not when the program starts.
var literals = sync.OnceValue(func() *index {
	x := new(index)
	for _, l := range shapes() {
		x.add(l)
	}
	for _, f := range formats {
		for _, p := range f.patterns() {
			x.add(literal{text: p.prefix, find: p.find})
		}
	}
	x.add(literal{text: markerStart})
	return x
})

// longest is the length in bytes from which a find is not looked into again.
// Nothing in it is worth a name of its own, and a text with many beginnings and
// one end would take long.
const longest = 2048

// scan gives what the literals lead to, in no order; finds may overlap.
func scan(text string) []Secret {
	var found []Secret
	var long Secret
	x := literals()
	for i := 0; i+1 < len(text); i++ {
		if !x.starts.has(text[i], text[i+1]) {
			continue
		}
		if long.Begin <= i && i < long.End {
			i = long.End - 1
			continue
		}
		if n := marker(text[i:]); n > 0 {
			i += n - 1
			continue
		}
		known := len(found)
		found = x.find(found, text, i)
		for _, s := range found[known:] {
			if s.End-s.Begin > longest && s.End > long.End {
				long = s
			}
		}
	}
	return found
}
