package exec

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/text/secret"
)

// Key runs a command that prints a key, such as that of a password manager, in the environment of this process, and
// returns the first line of its output. Its standard input is empty, but it may ask the person at the terminal. Its
// error is one line, with the end of the standard error, and shows no key.
func Key(ctx context.Context, command string) (string, error) {
	shell := shell(command)
	// in this process group, that the terminal may be read
	cmd := exec.CommandContext(ctx, shell.Path, shell.Args[1:]...)
	out, messages := &head{}, &tail{}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, messages, time.Second
	err := cmd.Run()
	key, _, _ := strings.Cut(string(out.buf), "\n")
	key = strings.TrimSpace(key)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err == nil && key == "" {
		err = errors.New("it printed nothing")
	}
	if err != nil {
		text := secret.New(key).Text(secret.Shown(messages.text())) // the key of one that fails all the same
		if text = model.Excerpt(text); text != "" {
			text = "; its standard error ends: " + text
		}
		return "", fmt.Errorf("the command gave no key (%w)%s", err, text)
	}
	return key, nil
}

// head keeps the first 64 KiB written to it.
type head struct{ buf []byte }

func (h *head) Write(b []byte) (int, error) {
	const size = 64 << 10
	h.buf = append(h.buf, b[:min(len(b), size-len(h.buf))]...)
	return len(b), nil
}
