//go:build !unix

package atomicfile

// nonblock is for named pipes, which cannot be opened by a file's name here.
const nonblock = 0
