//go:build unix

package atomicfile_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hallmark/internal/base/atomicfile"
)

// A pipe that nothing reads, in the place of a report, is refused and not waited at.
func TestPipeWithoutReader(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if err := atomicfile.Write(pipe, puts("text")); err == nil ||
		!strings.Contains(err.Error(), "a pipe that nothing reads") {
		t.Error(err)
	}
}
