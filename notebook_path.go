package memory

import (
	"fmt"
	pathpkg "path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rawko/memory/internal/markdown"
	"golang.org/x/text/unicode/norm"
)

const (
	factsDir    = "facts/"
	episodesDir = "episodes/"
	maxNotePath = 255 // bytes
	// allowedPaths tells a model what to give.
	allowedPaths = "give a path such as facts/user.md or episodes/2026-02.md"
)

// notePath says whether a path may be a file of a notebook: a [ValidName] that ends
// in .md. Because a model gives it, whatever could be read as another path by somebody
// who decodes, expands or folds it is refused as well. The error is [ErrUnsafeName].
func notePath(path string) error {
	reason := pathFault(path)
	if reason == "" {
		reason = pathFault(norm.NFKC.String(path))
	}
	if reason == "" {
		return nil
	}
	meant := strings.TrimPrefix(pathpkg.Clean("/"+strings.TrimSpace(path)), "/")
	if !strings.Contains(path, "..") && pathFault(meant) == "" {
		return refuse(ErrUnsafeName, "path %.80q: %s; give %s", path, reason, meant)
	}
	return refuse(ErrUnsafeName, "path %.80q: %s; %s", path, reason, allowedPaths)
}

func pathFault(path string) string {
	switch {
	case path == "":
		return "it is empty"
	case len(path) > maxNotePath:
		return fmt.Sprintf("longer than %d bytes", maxNotePath)
	case strings.ContainsRune(path, utf8.RuneError): // which JSON has in place of wrong bytes
		return "it is not valid UTF-8"
	case strings.Contains(path, ".."):
		return "it has two dots in a row"
	case strings.ContainsAny(path, "%$&;`~"):
		return "it holds one of %$&;`~"
	case strings.ContainsFunc(path, likeASlash):
		return "it holds a character that looks like a slash or a dot"
	}
	if reason := nameFault(path); reason != "" {
		return reason
	}
	return notesFault(path)
}

// notesFault is what a notebook asks of a valid name.
func notesFault(path string) string {
	switch {
	case markdown.Visible(path) != path:
		return "it holds a character that cannot be seen"
	case strings.HasPrefix(path, " ") || strings.Contains(path, "/ "):
		return "a part starts with a space"
	case alias(path, factsDir), alias(path, episodesDir):
		return "facts/ and episodes/ are written in small letters"
	case !strings.HasSuffix(path, suffix):
		return "it does not end in .md"
	}
	return ""
}

// alias reports whether a path is in a folder by another form of its name, which some
// systems take for the same: its limits would not hold there.
func alias(path, folder string) bool {
	first, _, _ := strings.Cut(path, "/")
	return first+"/" != folder && strings.EqualFold(norm.NFKC.String(first)+"/", folder)
}

// likeASlash finds what Unicode draws like a slash, a backslash, a dot or a colon, or
// folds into one.
func likeASlash(r rune) bool {
	return r > unicode.MaxASCII && (strings.ContainsRune("⁄∕⧸⧵⧹╱╲⟋⟍⼃〳㇓᜵‧∙⋅。｡꞉∶ː⁚\u0337\u0338\u20E5\u20EB", r) ||
		unicode.Is(unicode.Co, r) || strings.ContainsAny(norm.NFKC.String(string(r)), `/\.:`))
}

func isFact(path string) bool { return strings.HasPrefix(path, factsDir) }

var month = regexp.MustCompile(`^episodes/([0-9]{4}-(?:0[1-9]|1[0-2]))\.md$`)

// isEpisode reports whether a path is the episode file of a month.
func isEpisode(path string) bool { return month.MatchString(path) }

// writable says whether a path may be written, which is less than may be read.
func (n *Notebook) writable(path string) error {
	if err := notePath(path); err != nil {
		return err
	}
	if strings.HasPrefix(path, episodesDir) && !isEpisode(path) {
		return refuse(ErrInvalid, "path %.80q: an episode file is named for its month, such as episodes/%s.md", path, n.opts.Now().Format("2006-01"))
	}
	if _, ok := n.purposes[path]; n.purposes == nil || ok || isEpisode(path) {
		return nil
	}
	return refuse(ErrInvalid, "path %.80q is not one of the files that can be written: %s and episodes/YYYY-MM.md", path, n.closedSet())
}

// closedSet gives the fact files of a closed set with what belongs in them, in the host's order.
func (n *Notebook) closedSet() string {
	var files []string
	for _, f := range n.opts.Facts {
		if f.Purpose == "" {
			files = append(files, f.Path)
			continue
		}
		files = append(files, fmt.Sprintf("%s (%s)", f.Path, markdown.Line(f.Purpose)))
	}
	return strings.Join(files, ", ")
}

// refusal is an error whose message is all that a model needs in order to mend its
// call; the sentinel behind it is for the host.
type refusal struct {
	msg string
	err error
}

func (r *refusal) Error() string { return r.msg }
func (r *refusal) Unwrap() error { return r.err }

func refuse(err error, format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), err}
}
