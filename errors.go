package memory

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels that callers compare with [errors.Is]. A missing document is
// [io/fs.ErrNotExist], and an ability that a store lacks is [errors.ErrUnsupported].
var (
	// ErrInvalid: what was given breaks the format or the rules of a call; the message names the field.
	ErrInvalid = errors.New("invalid")
	// ErrTooLarge: something is past one of the caps of the format.
	ErrTooLarge = errors.New("too large")
	// ErrUnsafeName: a document's name could leave the store, or means something else on another system.
	ErrUnsafeName = errors.New("unsafe name")
	// ErrVersion: a file is of a later version of its format than this library reads.
	ErrVersion = errors.New("unknown version")
	// ErrClosed: the bank was closed.
	ErrClosed = errors.New("bank is closed")
)

// ParseError tells where a memory file cannot be read and why.
// It is [ErrInvalid], or [ErrTooLarge] where a cap was the reason.
type ParseError struct {
	Name string // the memory, without .md; empty when the caller gave none
	Line int    // from 1; 0: the file as a whole
	Msg  string // what is wrong and what to do about it
	Err  error  // ErrInvalid or ErrTooLarge
}

// Error gives "name.md:line: message".
func (e *ParseError) Error() string {
	where := "memory"
	if e.Name != "" {
		where = e.Name + ".md"
	}
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", where, e.Line, e.Msg)
	}
	return where + ": " + e.Msg
}

// Unwrap gives the sentinel that the error stands for.
func (e *ParseError) Unwrap() error { return e.Err }

// Severity of a [Problem].
type Severity int

const (
	SeverityWarning Severity = iota // the memory works, but not as well as it could
	SeverityError                   // the memory, or one entry of it, is not used
)

// String gives "warning" or "error".
func (s Severity) String() string {
	if s == SeverityError {
		return "error"
	}
	return "warning"
}

// Problem is something that a person should look at in a memory file or a session's file.
type Problem struct {
	Name     string // the memory, without .md; of a session's file the whole name, which ends in .yaml
	Line     int    // from 1; 0: the file as a whole
	Severity Severity
	Msg      string
}

// String gives "name.md:line: severity: message"; the line is left out when it is 0,
// and a session's file keeps its own ending.
func (p Problem) String() string {
	name := p.Name
	if !strings.HasSuffix(name, ".yaml") {
		name += suffix
	}
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", name, p.Severity, p.Msg)
	}
	return fmt.Sprintf("%s:%d: %s: %s", name, p.Line, p.Severity, p.Msg)
}

// ReplyError says that a model's reply could not be understood. It is [ErrInvalid].
type ReplyError struct {
	Reply string // the whole reply
	Msg   string // what is wrong with it, in words from which a model can mend it
}

// Error gives the message, and the beginning of the reply, without secrets.
func (e *ReplyError) Error() string {
	msg, _ := withoutSecrets(e.Msg)
	reply, _ := withoutSecrets(e.Reply[:min(len(e.Reply), 2<<10)])
	return fmt.Sprintf("reply cannot be used: %s; it begins %q", msg, shorten(reply, 80))
}

// Unwrap gives [ErrInvalid].
func (e *ReplyError) Unwrap() error { return ErrInvalid }
