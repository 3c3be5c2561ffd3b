package memory

import (
	"fmt"
	"io/fs"
	"syscall"
)

// inode gives the number of the file, which changes when the file is replaced, and the
// time of its last change, which no program can set back.
func inode(info fs.FileInfo) string {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%x-%x-%x", stat.Ino, stat.Ctim.Sec, stat.Ctim.Nsec)
	}
	return ""
}
