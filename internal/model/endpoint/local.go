package endpoint

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// A web page in a browser of this machine can send requests to a server that only this machine reaches: from its
// own origin, or, by a name that leads to this machine after the page was loaded (DNS rebinding), as if it were of
// the server's own. Programs on this machine send neither another Host nor such an Origin. A server on another
// address has names that it cannot know: there a key keeps strangers off.

// isLoopback reports whether an address to listen on is reached from this machine alone.
func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// checkSender refuses what a web page may have sent to a server on a loopback address.
func (s *Server) checkSender(r *http.Request) *problem {
	if !s.loopback {
		return nil
	}
	refused := func(header, value string) *problem {
		return refusal(http.StatusForbidden, "forbidden_"+strings.ToLower(header),
			"The header '%s: %s' may be of a web page: a server on a loopback address is asked as localhost or "+
				"127.0.0.1; to serve others, start it with --addr on another address and a key.", header,
			shortened(value, 100)) // of up to 32 KiB
	}
	if !s.names(r.Host) {
		return refused("Host", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !s.names(u.Host) {
			return refused("Origin", origin)
		}
	}
	return nil
}

// names reports whether a host, with a port or without, is this machine by a loopback name or address, or as it was
// named to listen on.
func (s *Server) names(host string) bool {
	host = hostOf(host)
	if host == "" {
		return false
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Unmap().IsLoopback() {
		return true
	}
	return host == "localhost" || host == hostOf(s.o.Addr)
}

// hostOf returns HOST of HOST:PORT or HOST, in small letters.
func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil { // no port
		host = strings.TrimSuffix(strings.TrimPrefix(addr, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// shortened is a text, or its beginning of so many bytes, of whole characters.
func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
