package endpoint

import (
	"context"
	"fmt"
	"net"

	"hallmark/internal/exit"
)

// Listen opens the address. What is wrong with its form is the user's to mend; that it is taken is a failure.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return nil, exit.Usagef("--addr %q: want HOST:PORT, such as 127.0.0.1:8080", addr)
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return nil, exit.Usagef("--addr %q: %q is no port", addr, port)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("--addr %q: %w", addr, err)
	}
	return listener, nil
}
