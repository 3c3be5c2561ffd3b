//go:build unix && !linux

package memory

import (
	"fmt"
	"io/fs"
	"syscall"
)

// inode gives the number of the file, which changes when the file is replaced.
func inode(info fs.FileInfo) string {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%x", stat.Ino)
	}
	return ""
}
