package quarantine

import (
	"bytes"
	"unicode/utf8"
)

// unmask looks for a word that hides behind letters of other scripts, or
// behind digits and marks.
func unmask(w []byte) word {
	if w2, ok := latin(w); ok {
		if found := vocabulary().look(w2); found.id != 0 {
			return found
		}
		w = w2
	}
	if !bytes.ContainsAny(w, "0123456789@$!") || len(w) < 3 {
		return word{}
	}
	for _, one := range "il" {
		if found, ok := vocabulary().words[string(bytes.Map(func(r rune) rune { return undigit(r, one) }, w))]; ok {
			return found
		}
	}
	return word{}
}

// latin replaces look-alikes, where a word has Latin letters as well or nothing but look-alikes.
func latin(w []byte) ([]byte, bool) {
	var out []byte
	foreign, roman := 0, 0
	for _, r := range string(w) {
		switch l, ok := lookalikes()[r]; {
		case ok:
			foreign++
			r = l
		case r < utf8.RuneSelf:
			roman++
		default:
			return nil, false
		}
		out = utf8.AppendRune(out, r)
	}
	return out, foreign > 0 && (roman > 0 || foreign > 3)
}

// undigit gives the letter that a digit or mark stands for.
func undigit(r, one rune) rune {
	switch r {
	case '1', '!':
		return one
	case '0':
		return 'o'
	case '3':
		return 'e'
	case '4', '@':
		return 'a'
	case '5', '$':
		return 's'
	case '7':
		return 't'
	case '8':
		return 'b'
	case '9':
		return 'g'
	}
	return r
}

// uncover takes off what hides words between units: letters spaced out, words
// cut by hyphens and words run together.
func uncover(f *folded, units []unit) []unit {
	var out []unit
	for i := 0; i < len(units); i++ {
		n := spaced(f, units[i:])
		if n >= 5 {
			if words := segment(f, units[i:i+n]); words != nil {
				out = appendFrom(out, units[:i], words)
				i += n - 1
				continue
			}
		}
		if u, n := rejoin(f, units[i:]); n > 0 {
			out = appendFrom(out, units[:i], []unit{u})
			i += n - 1
			continue
		}
		if u := units[i]; u.word.id == 0 && u.kind == plainKind && u.end-u.begin >= 12 {
			if words := segment(f, units[i:i+1]); len(words) > 1 {
				out = appendFrom(out, units[:i], words)
				continue
			}
		}
		if out != nil {
			out = append(out, units[i])
		}
	}
	if out == nil {
		return units
	}
	return out
}

// appendFrom copies what went before, the first time something is uncovered.
func appendFrom(out, before, words []unit) []unit {
	if out == nil {
		out = append(make([]unit, 0, len(before)+len(words)+16), before...)
	}
	return append(out, words...)
}

// spaced counts the units at the front that are single letters at even distances.
func spaced(f *folded, units []unit) int {
	n := 0
	for n < len(units) && n < 256 {
		u := units[n]
		if u.end-u.begin != 1 || u.kind != plainKind || dense(f.runes[u.begin]) {
			break
		}
		if n > 0 && u.begin-units[n-1].end > 6 {
			break
		}
		n++
	}
	return n
}

// rejoin joins the halves of a word that a hyphen or an end of line cuts.
func rejoin(f *folded, units []unit) (unit, int) {
	if len(units) < 2 || units[0].kind != plainKind || units[1].kind != plainKind {
		return unit{}, 0
	}
	a, b := units[0], units[1]
	between := f.runes[a.end:b.begin]
	if len(between) == 0 || len(between) > 4 || between[0] != '-' && between[0] != '_' && between[0] != '.' || a.word.id != 0 && b.word.id != 0 {
		return unit{}, 0
	}
	joined := []byte(string(f.runes[a.begin:a.end]) + string(f.runes[b.begin:b.end]))
	w, ok := vocabulary().words[string(joined)]
	if !ok || len(joined) < 5 {
		return unit{}, 0
	}
	a.word, a.end = w, b.end
	return a, 2
}

// segment cuts the letters of units into words of the vocabulary; nil when they do not consist of such.
func segment(f *folded, units []unit) []unit {
	var letters []byte
	var from []int32
	for _, u := range units {
		for i := u.begin; i < u.end; i++ {
			r := f.runes[i]
			if l, ok := lookalikes()[r]; ok {
				r = l
			}
			if r = undigit(r, 'i'); r >= utf8.RuneSelf {
				return nil
			}
			letters = append(letters, byte(r))
			from = append(from, i)
		}
	}
	cuts := bestCuts(letters)
	if cuts == nil {
		return nil
	}
	var words []unit
	for begin := 0; begin < len(letters); {
		end := cuts[begin]
		u := units[0]
		u.begin, u.end, u.word = from[begin], from[end-1]+1, vocabulary().words[string(letters[begin:end])]
		if begin > 0 {
			u.gap = none
		}
		words = append(words, u)
		begin = end
	}
	return words
}

// bestCuts gives for each letter where the word that begins there ends, so that
// there are as few words as possible; nil when some letters are in no word.
func bestCuts(letters []byte) []int {
	const never = 1 << 20
	cost := make([]int, len(letters)+1)
	cuts := make([]int, len(letters)+1)
	for i := len(letters) - 1; i >= 0; i-- {
		cost[i] = never
		for j := i + 2; j <= len(letters) && j-i <= vocabulary().length; j++ {
			if cost[j] >= never || cost[j]+1 >= cost[i] {
				continue
			}
			if _, ok := vocabulary().words[string(letters[i:j])]; ok {
				cost[i], cuts[i] = cost[j]+1, j
			}
		}
	}
	if cost[0] >= never {
		return nil
	}
	return cuts
}
