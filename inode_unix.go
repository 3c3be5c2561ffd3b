//go:build unix

package memory

import (
	"io/fs"
	"syscall"
)

// inode gives the number of the file, which changes when the file is replaced; 0: unknown.
func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}
