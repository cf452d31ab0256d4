package endpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"hallmark/internal/base/exit"
)

// Serve answers connections of the listener until the context ends. Then it takes no more, lets the requests under
// way finish for as long as grace, and returns nil; what is left after that is cut off, and the error says so. It
// closes the listener and the server. On a loopback address it refuses what a web page may have sent.
func (s *Server) Serve(ctx context.Context, listener net.Listener, grace time.Duration) error {
	s.loopback = isLoopback(listener.Addr())
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		h.Close()
		s.Close()
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := h.Shutdown(last)
	if err != nil {
		h.Close() // ends the requests' contexts, and so their sequences
		err = errors.New("requests were still under way and have been cut off")
	}
	s.Close()
	return err
}

// Listen opens the address. What is wrong with its form is the user's to fix; that it is taken is a failure.
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
