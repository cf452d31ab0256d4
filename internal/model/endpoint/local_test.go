package endpoint

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// listening serves on an address and returns where.
func listening(t *testing.T, s *Server, addr string) string {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skipf("this machine has no %s: %v", addr, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, listener, time.Minute) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// sent returns the status and the body of an answer to a request with a Host and, unless it is "", an Origin.
func sent(t *testing.T, at, host, origin string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// TestWebPagesAreRefused: on a loopback address a server, a proxy too, answers who asks for it by a loopback name, and
// no page of another origin.
func TestWebPagesAreRefused(t *testing.T) {
	o := Options{ID: "tiny", Addr: "my-box:80"}
	proxy := NewProxy(tiny(), "guard", o)
	for name, at := range map[string]string{
		"server": listening(t, New(tiny(), o), "127.0.0.1:0"), "proxy": listening(t, proxy, "127.0.0.1:0"),
		"IPv6": listening(t, New(tiny(), o), "[::1]:0"),
	} {
		for _, c := range []struct {
			host, origin string
			refused      string // the header; "" for none
		}{
			{at, "", ""},
			{"localhost", "", ""},
			{"LOCALHOST.:1234", "", ""},
			{"127.0.0.1", "", ""},
			{"127.9.8.7:80", "", ""},
			{"[::1]:8080", "", ""},
			{"[::1]", "", ""},
			{"my-box:99", "", ""},
			{"localhost", "http://localhost:3000", ""},
			{"localhost", "https://127.0.0.1", ""},
			{"localhost", "http://[::1]:3000", ""},
			{"localhost", "http://my-box", ""},
			{"evil.example", "", "Host"},
			{"evil.example:" + at[strings.LastIndexByte(at, ':')+1:], "http://evil.example", "Host"},
			{"localhost.evil.example", "", "Host"},
			{"127.0.0.1.evil.example", "", "Host"},
			{"10.0.0.1", "", "Host"},
			{"0.0.0.0", "", "Host"},
			{"localhost", "https://evil.example", "Origin"},
			{"localhost", "null", "Origin"},
			{"localhost", "localhost", "Origin"},
			{"localhost", "http://localhost.evil.example", "Origin"},
			{"localhost", "http://localhost@evil.example", "Origin"},
			{"localhost", "http://a b", "Origin"},
			{"localhost", "file://", "Origin"},
		} {
			status, body := sent(t, at, c.host, c.origin)
			want := http.StatusOK
			if c.refused != "" {
				want = http.StatusForbidden
			}
			if status != want || c.refused != "" && (!strings.Contains(body, "The header '"+c.refused+": ") ||
				strings.Count(body, "\n") != 1) {
				t.Errorf("%s, Host %q, Origin %q: %d %s, want %d %s", name, c.host, c.origin, status, body, want, c.refused)
			}
		}
	}
}

// TestOtherAddresses: a server on another address has names that it cannot know.
func TestOtherAddresses(t *testing.T) {
	at := listening(t, New(tiny(), Options{ID: "tiny"}), "0.0.0.0:0")
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := sent(t, "127.0.0.1:"+port, "models.example", "https://chat.example"); status != http.StatusOK {
		t.Errorf("%d %s, want 200", status, body)
	}
}
