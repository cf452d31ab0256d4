// Package mine notes, in the user's own configuration folder, which files this user's commands wrote and what was
// in them. A folder that came from elsewhere may bring files in the places where a command looks for its own, such
// as the state of a training that goes on: with a note they can be told apart.
package mine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/within"
)

// Folder returns the folder of notes of a kind, such as stores, which is made if need be. The error says why there
// can be none.
func Folder(kind string) (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		u, errUser := user.Current()
		if errUser != nil || u.HomeDir == "" {
			return "", err
		}
		dir = filepath.Join(u.HomeDir, ".config")
	}
	if !filepath.IsAbs(dir) { // it would be one in the working folder
		return "", fmt.Errorf("the configuration folder %s is not named from the root on", dir)
	}
	dir = filepath.Join(dir, "hallmark", kind)
	return dir, os.MkdirAll(dir, 0o700)
}

// On returns the path of the note of a kind on a file, and the absolute path of the file with its links followed.
func On(kind, path string) (note, real string, err error) {
	dir, err := Folder(kind)
	if err != nil {
		return "", "", err
	}
	if real, err = within.Real(path); err != nil {
		return "", "", err
	}
	return filepath.Join(dir, hash([]byte(real))), real, nil
}

// files is the kind of the notes on files.
const files = "files"

// Note notes that a file at path is about to be written with the content. What was noted of it last stays noted: a
// command that is killed leaves the one or the other. That no note can be kept is no error: Wrote then says no.
func Note(path string, content []byte) {
	at, real, err := On(files, path)
	if err != nil {
		return
	}
	hashes := append(noted(at, real), hash(content))
	last := strings.Join(hashes[max(0, len(hashes)-2):], "\n")
	_ = atomicfile.WriteBytes(at, fmt.Appendf(nil, "%q\n%s\n", real, last))
}

// Wrote reports whether a command of this user wrote the content to a file at path.
func Wrote(path string, content []byte) bool {
	at, real, err := On(files, path)
	return err == nil && slices.Contains(noted(at, real), hash(content))
}

// noted returns the hashes of a note on a file, the last of them last; none where there is no note.
func noted(at, real string) []string {
	data, err := inputfile.Read(at, 64<<10)
	if err != nil {
		return nil
	}
	lines := strings.Fields(strings.TrimPrefix(string(data), fmt.Sprintf("%q", real)))
	return slices.DeleteFunc(lines, func(l string) bool { return len(l) != 2*sha256.Size })
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
