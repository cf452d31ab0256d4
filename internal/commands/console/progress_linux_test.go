package console

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hallmark/internal/run"
	"hallmark/internal/text/secret"
)

// pty returns both ends of a terminal of so many columns.
func pty(t *testing.T, columns uint16) (screen, stream *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err == nil {
		stream, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { stream.Close() })
	return screen, stream
}

// read returns what was written to a screen, up to an end.
func read(t *testing.T, screen *os.File, end string) string {
	t.Helper()
	var got strings.Builder
	for piece := make([]byte, 1024); !strings.HasSuffix(got.String(), end); {
		n, err := screen.Read(piece)
		if err != nil {
			t.Fatalf("%v behind %q", err, got.String())
		}
		got.Write(piece[:n])
	}
	return got.String()
}

// TestProgressOnTerminal: below a sieve the line is drawn over on a terminal, no wider than it, with secrets blotted
// out, and is gone in the end.
func TestProgressOnTerminal(t *testing.T) {
	t.Setenv("CI", "")
	screen, stream := pty(t, 50)
	const secretly = "123456h12m34s" // as a key may be
	left, err := time.ParseDuration(secretly)
	if err != nil {
		t.Fatal(err)
	}
	p := NewProgress(NewSieve(stream, secret.New(secretly)), false)
	p.Update(run.Progress{ETA: left, Counts: run.Counts{Planned: 10, Asked: 3, PromptTokens: 1_234_567, Retries: 1000}})
	p.Update(run.Progress{Counts: run.Counts{Planned: 10, Asked: 10}})
	p.Close()
	fmt.Fprint(stream, "end")
	got := read(t, screen, "end")
	drawn := strings.Split(got, "\r")
	if len(drawn) != 5 || strings.Contains(got, "\n") {
		t.Fatalf("%d lines in %q", len(drawn), got)
	}
	// as much as 49 columns hold, and then the secret blotted out
	if first := "3 of 10 answers · ETA " + secret.Mark + " · 1000 retrie"; drawn[1] != first {
		t.Errorf("first %q", drawn[1])
	}
	if drawn[2] != "10 of 10 answers"+strings.Repeat(" ", 33) {
		t.Errorf("then %q", drawn[2])
	}
	if strings.TrimSpace(drawn[3]) != "" || drawn[4] != "end" {
		t.Errorf("the line stays: %q", got)
	}
}

// TestProgressInFile: what is no terminal gets the last line and a line end.
func TestProgressInFile(t *testing.T) {
	var out strings.Builder
	p := NewProgress(NewSieve(&out, secret.New()), false)
	p.Update(run.Progress{Counts: run.Counts{Planned: 10, Asked: 3}})
	p.Update(run.Progress{Counts: run.Counts{Planned: 10, Asked: 10}})
	p.Close()
	if got := out.String(); got != "10 of 10 answers\n" {
		t.Errorf("wrote %q", got)
	}
}
