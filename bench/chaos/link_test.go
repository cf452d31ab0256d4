package chaos

import (
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A link is the way of a worker to Postgres, which may be split.
type link struct {
	net.Listener
	to string

	mu      sync.Mutex
	stalled chan struct{} // closed once bytes go on; nil while they do
	refuses bool
	ends    map[net.Conn]bool
	all     sync.WaitGroup
}

// between returns a link to the server.
func (s *server) between(t *testing.T) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{Listener: listener, to: filepath.Join(s.dir, ".s.PGSQL.54399"), ends: map[net.Conn]bool{}}
	l.all.Go(l.accept)
	t.Cleanup(func() {
		_ = l.Close()
		l.cut(true)
		l.all.Wait()
	})
	return l
}

func (l *link) accept() {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("unix", l.to)
		if err != nil { // the server is away
			_ = from.Close()
			continue
		}
		l.mu.Lock()
		l.ends[from], l.ends[to] = true, true
		refuses := l.refuses
		l.mu.Unlock()
		for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
			l.all.Go(func() { l.pass(way[1], way[0]) })
		}
		if refuses {
			l.cut(true)
		}
	}
}

// pass has bytes go one way until either end is closed, which closes both.
func (l *link) pass(to, from net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		l.mu.Lock()
		stalled := l.stalled
		l.mu.Unlock()
		if stalled != nil {
			<-stalled
		}
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range []io.Closer{from, to} {
		_ = c.Close()
	}
	delete(l.ends, from)
	delete(l.ends, to)
}

// cut ends all connections, and refuses others or takes them again.
func (l *link) cut(refuse bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuses = refuse
	if l.stalled != nil {
		close(l.stalled)
		l.stalled = nil
	}
	for c := range l.ends {
		_ = c.Close()
	}
}

// How a link is split.
const (
	stall  = iota // bytes wait, and go on as if nothing had been
	lose          // bytes wait, and the connections end
	refuse        // the connections end, and none is made
	splits
)

// split splits the link for a time.
func (l *link) split(how int, away time.Duration) {
	switch how {
	case refuse:
		l.cut(true)
	default:
		l.mu.Lock()
		if l.stalled == nil {
			l.stalled = make(chan struct{})
		}
		l.mu.Unlock()
	}
	time.Sleep(away)
	switch how {
	case stall:
		l.mu.Lock()
		if l.stalled != nil {
			close(l.stalled)
			l.stalled = nil
		}
		l.mu.Unlock()
	default:
		l.cut(false)
	}
}
