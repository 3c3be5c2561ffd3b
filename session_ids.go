package memory

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
)

// archiveIndex is what has to be known of an archive to give ids.
type archiveIndex struct {
	version string // see [Info]
	size    int
	hash    uint64
	ids     map[string]bool // see entryKey
}

var archiveSeed = maphash.MakeSeed()

// archived looks what ids the archive has, and remembers its numbers. The map is
// shared, and nil where there is no archive. One that is as it was is not read again.
func (s *Session) archived(ctx context.Context) (map[string]bool, error) {
	version := s.versionOf(ctx, s.archive)
	s.mu.Lock()
	known := s.index
	s.mu.Unlock()
	if known != nil && version != "" && known.version == version {
		return known.ids, nil
	}
	data, err := s.store.Read(ctx, s.archive)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.archive, err)
	}
	index := &archiveIndex{version: version, size: len(data), hash: maphash.Bytes(archiveSeed, data)}
	var last map[string]int
	if known != nil && known.size == index.size && known.hash == index.hash {
		index.ids = known.ids
	} else if index.ids, last, err = archivedIDs(data); err != nil {
		return nil, fmt.Errorf("%s: %w", s.archive, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.see(last)
	s.index = index
	return index.ids, nil
}

// versionOf gives the mark of a document's content, "" where the store has none. It is
// asked before the document is read, so that the content is at least that new.
func (s *Session) versionOf(ctx context.Context, name string) string {
	for info, err := range s.store.List(ctx, ".") {
		if err == nil && info.Name == name {
			return info.Version
		}
	}
	return ""
}

// archivedIDs gives the ids of an archive and its highest numbers.
func archivedIDs(data []byte) (ids map[string]bool, last map[string]int, err error) {
	d, err := readSession(data)
	if err != nil {
		return nil, nil, err
	}
	ids = make(map[string]bool)
	for _, kind := range sessionKinds {
		list, _ := d.list(kind.key) // it was read
		for _, entry := range list {
			ids[entryKey(kind.key, entryID(entry))] = true
		}
	}
	return ids, d.last, nil
}
