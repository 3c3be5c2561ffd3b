package memory

import (
	"maps"
	"reflect"
	"slices"
)

// take brings an update into a memory's frontmatter (docs/decisions.md, "What an
// update needs and does"). Taking the same updates again changes nothing, so that a
// merged memory can be written and read back.
func (f *Frontmatter) take(u *Frontmatter) {
	f.WhenToUse = joinNew(f.WhenToUse, u.WhenToUse)
	f.Tags = joinNew(f.Tags, u.Tags)
	f.RelatedMemories = joinNew(f.RelatedMemories, u.RelatedMemories)
	if u.Importance != 0 {
		f.Importance = u.Importance
	}
	if u.Source != "" {
		f.Source = u.Source
	}
	if !u.Retired.IsZero() {
		f.Retired = u.Retired
	}
	if u.DiscoveredAt.After(f.DiscoveredAt) {
		f.DiscoveredAt = u.DiscoveredAt
	}
	if len(u.Extra) > 0 {
		// A copy: the map may be the caller's, or another entry's.
		extra := make(map[string]any, len(f.Extra)+len(u.Extra))
		maps.Copy(extra, f.Extra)
		maps.Copy(extra, u.Extra)
		f.Extra = extra
	}
}

// first gives what the first entry is: of each field what Original has, unless the
// field was changed since, so that the updates no longer make it of that.
func (m *Memory) first() *Frontmatter {
	if m.Original == nil {
		return &m.Frontmatter
	}
	merged := *m.Original
	for i := range m.Updates {
		merged.take(&m.Updates[i].Frontmatter)
	}
	first := m.Frontmatter
	to, was, is := reflect.ValueOf(&first).Elem(), reflect.ValueOf(&merged).Elem(), reflect.ValueOf(m.Original).Elem()
	for i := range to.NumField() {
		if reflect.DeepEqual(to.Field(i).Interface(), was.Field(i).Interface()) {
			to.Field(i).Set(is.Field(i))
		}
	}
	return &first
}

// maxJoined is how many triggers, tags or related memories updates can bring a memory to.
const maxJoined = 512

// joinNew appends what is new in more, up to maxJoined, and never writes into the
// array of old.
func joinNew(old, more []string) []string {
	old = slices.Clip(old)
	for _, s := range more {
		if len(old) >= maxJoined {
			break
		}
		if !slices.Contains(old, s) {
			old = append(old, s)
		}
	}
	return old
}
