package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// A cut is what a proxy does once to the next commit that a client sends.
type cut int

const (
	none   cut = iota
	before     // the connection is lost before the server has the commit
	after      // once the server has committed, and before the client knows
	during     // while it commits
	held       // the commit waits until the proxy is released
)

// A proxy stands between a store and its server.
type proxy struct {
	t        testing.TB
	network  string
	upstream string
	listener net.Listener

	mu      sync.Mutex
	next    cut
	down    bool // no connection is let through
	stays   bool // it is down once a commit was cut
	conns   []net.Conn
	waiting chan struct{} // closed when a commit is held
	release chan struct{}
	cuts    int
}

// through returns a proxy, and the reference to a store through it.
func through(t testing.TB, ref string) (*proxy, string) {
	t.Helper()
	c, err := pgx.ParseConfig(ref)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, network: "tcp", upstream: net.JoinHostPort(c.Host, fmt.Sprint(c.Port)),
		waiting: make(chan struct{}), release: make(chan struct{})}
	if filepath.IsAbs(c.Host) {
		p.network, p.upstream = "unix", filepath.Join(c.Host, fmt.Sprintf(".s.PGSQL.%d", c.Port))
	}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.listener.Close(); p.set(none, true) })
	go p.serve()
	u, err := url.Parse(ref)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Del("host")
	q.Del("port")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = p.listener.Addr().String(), q.Encode()
	return p, u.String()
}

// set says what is done to the next commit, and whether the server is down, which ends what is open.
func (p *proxy) set(next cut, down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.down = next, down
	if down {
		for _, c := range p.conns {
			c.Close()
		}
		p.conns = nil
	}
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.upstream)
		p.mu.Lock()
		if err != nil || p.down {
			client.Close()
			if err == nil {
				server.Close()
			}
		} else {
			p.conns = append(p.conns, client, server)
			go p.toServer(client, server)
			go p.toClient(client, server)
		}
		p.mu.Unlock()
	}
}

// drops are the clients that are told nothing more.
var drops sync.Map

func (p *proxy) toClient(client, server net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if _, drop := drops.LoadAndDelete(client); drop || err != nil {
			break
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			break
		}
	}
	client.Close()
	server.Close()
}

func (p *proxy) toServer(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		does := none
		if bytes.Contains(buffer[:n], []byte("commit\x00")) {
			p.mu.Lock()
			if does, p.next = p.next, none; does != none {
				p.cuts++
				p.down = p.stays
			}
			p.mu.Unlock()
		}
		switch does {
		case before:
			return
		case after:
			drops.Store(client, true)
		case held:
			close(p.waiting)
			<-p.release
		}
		if _, err := server.Write(buffer[:n]); err != nil || does == during {
			return
		}
	}
}

func answer(prompt, text string) run.Record {
	return run.Record{Call: run.Call{Model: "m", Request: model.Request{Prompt: prompt}},
		Response: &model.Response{Text: &text}, Attempts: 1, At: time.Unix(7, 0).UTC()}
}

func failure(prompt string) run.Record {
	r := answer(prompt, "")
	r.Response, r.Failure = nil, "why"
	return r
}

// number returns what a query counts.
func number(t testing.TB, s *Store, query string) (n int) {
	t.Helper()
	if err := s.db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Wherever in a commit the connection is lost, what was to be stored is, once, and the caller learns of nothing.
func TestLostInCommit(t *testing.T) {
	ref := place(t)
	p, proxied := through(t, ref)
	direct, s := opened(t, ref), opened(t, proxied)
	defer direct.Close()
	defer s.Close()
	ctx := context.Background()
	if err := s.Add(ctx, []run.Record{answer("first", "x")}); err != nil { // its model is known from here on
		t.Fatal(err)
	}
	hold := run.Hold{Run: "r"}
	n := 0
	for range 3 {
		for _, how := range []cut{before, after, during} {
			n++
			a, b := fmt.Sprint("a", n), fmt.Sprint("b", n)
			for name, store := range map[string]func() error{
				"records": func() error { return s.Add(ctx, []run.Record{failure(a), answer(a, "x"), failure(b)}) },
				"usage":   func() error { return s.AddUsage(ctx, []run.Usage{{Run: "r", Tries: 1}}) },
				"run":     func() error { return s.PutRun(ctx, run.Header{ID: a, Plan: json.RawMessage("[]")}) },
				"annotation": func() error {
					return s.Annotate(ctx, []run.Annotation{{Run: "r", Unit: a, Rater: "x", Label: json.RawMessage("1")}})
				},
				"hold": func() error {
					hold.Total.Calls++
					left, err := s.AddHeld(ctx, &hold, []run.Record{answer("held "+a, "x"), answer("first", "y")}, nil)
					if err == nil && (len(left) != 1 || left[0] != 1) {
						err = fmt.Errorf("left out %v, want the second", left)
					}
					return err
				},
			} {
				p.set(how, false)
				if err := store(); err != nil {
					t.Errorf("%s, cut %d: %v", name, how, err)
				}
			}
		}
	}
	if p.cuts != 5*n {
		t.Errorf("%d of %d commits were cut", p.cuts, 5*n)
	}
	for query, want := range map[string]int{
		"SELECT count(*) FROM record": 1 + 4*n, "SELECT count(*) FROM usage": n, "SELECT count(*) FROM run": n,
		"SELECT count(*) FROM annotation": n, "SELECT count(*) FROM hold": 1, "SELECT sum(calls) FROM hold": n,
	} {
		if got := number(t, direct, query); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	if c, err := direct.Check(ctx); err != nil || len(c.Damages) != 0 {
		t.Errorf("%v, %v", c.Damages, err)
	}
}

// A server that crashed gives the number of a transaction that was lost to another. So what is committed by number is
// believed within one life of the server only: beyond it records are added once more, and other changes end in an
// error.
func TestNumberOfAnother(t *testing.T) {
	ref := place(t)
	p, proxied := through(t, ref)
	direct, s := opened(t, ref), opened(t, proxied)
	defer direct.Close()
	defer s.Close()
	ctx := context.Background()
	if err := s.Add(ctx, []run.Record{answer("first", "x")}); err != nil {
		t.Fatal(err)
	}
	other, err := direct.try(ctx, func(tx *sql.Tx) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	life := s.life
	lost := fmt.Errorf("lost")
	if err := s.outcome(ctx, other, life, lost); err != nil {
		t.Error("in the same life:", err)
	}
	if err := s.outcome(ctx, other, "an earlier one", lost); !errors.As(err, new(*doubt)) {
		t.Error("in a later life:", err)
	}
	for _, how := range []cut{before, after} {
		name := fmt.Sprint("a", how)
		s.life = "an earlier one"
		p.set(how, false)
		if err := s.Add(ctx, []run.Record{answer(name, "x")}); err != nil {
			t.Error(err)
		}
		if s.life != life {
			t.Error("the life of the server is not noted")
		}
	}
	s.life = "an earlier one"
	p.set(after, false)
	says(t, s.AddUsage(ctx, []run.Usage{{Run: "r", Tries: 1}}), proxied, "does not say whether the last change was stored")
	if n := number(t, direct, "SELECT count(*) FROM record"); n != 3 {
		t.Errorf("%d records, want 3", n)
	}
}

// Where the server stays away the error says so in one line; the batch is whole or absent, and the same call again
// does no harm. Reading is tried again, too.
func TestServerGone(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = 300 * time.Millisecond
	ref := place(t)
	p, proxied := through(t, ref)
	p.stays = true
	direct, s := opened(t, ref), opened(t, proxied)
	defer direct.Close()
	defer s.Close()
	ctx := context.Background()
	if err := s.Add(ctx, []run.Record{answer("first", "x")}); err != nil { // its model is known from here on
		t.Fatal(err)
	}
	for i, how := range []cut{before, after, during} {
		a, b := answer(fmt.Sprint("a", i), "x"), answer(fmt.Sprint("b", i), "x")
		p.set(how, false)
		err := s.Add(ctx, []run.Record{a, b})
		if err != nil && (!strings.Contains(err.Error(), "the connection was lost (") ||
			!strings.Contains(err.Error(), "run the same command again") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("cut %d: %v", how, err)
		}
		p.set(none, true)
		if _, err := s.Lookup(ctx, []run.Key{a.Call.Key()}); err == nil || !strings.Contains(err.Error(),
			"what was stored before is safe") {
			t.Errorf("reading while the server is away: %v", err)
		}
		found, err := direct.Lookup(ctx, []run.Key{a.Call.Key(), b.Call.Key()})
		if err != nil || len(found) == 1 || how == after && len(found) != 2 || how == before && len(found) != 0 {
			t.Errorf("cut %d: %d of 2 are stored, %v", how, len(found), err)
		}
		time.AfterFunc(50*time.Millisecond, func() { p.set(none, false) })
		if err := s.Add(ctx, []run.Record{a, b}); err != nil {
			t.Errorf("once it is back: %v", err)
		}
		if n := number(t, direct, "SELECT count(*) FROM record"); n != 3+2*i {
			t.Errorf("%d records, want %d", n, 3+2*i)
		}
	}
}

// Rows are numbered before they are committed: one with a lower number may come later. No reader misses it, and
// where two answer one call the one that is committed counts.
func TestCommitOrder(t *testing.T) {
	for _, lost := range []bool{false, true} {
		ref := place(t)
		p, proxied := through(t, ref)
		reader, b, a := opened(t, ref), opened(t, ref), opened(t, proxied)
		defer reader.Close()
		defer b.Close()
		defer a.Close()
		ctx := context.Background()
		if err := a.Add(ctx, []run.Record{answer("first", "x")}); err != nil {
			t.Fatal(err)
		}
		early, late, both := answer("early number", "a"), answer("late number", "b"), answer("both", "a")
		p.set(held, false)
		done := make(chan error, 2)
		go func() { done <- a.Add(ctx, []run.Record{early, both}) }()
		<-p.waiting
		if err := b.Add(ctx, []run.Record{late}); err != nil { // it waits for nobody
			t.Fatal(err)
		}
		keys := []run.Key{early.Call.Key(), late.Call.Key(), both.Call.Key()}
		found, err := reader.Lookup(ctx, keys)
		c, checked := reader.Check(ctx)
		if _, ok := found[keys[1]]; err != nil || checked != nil || !ok || len(found) != 1 || c.Rows["record"] != 2 {
			t.Errorf("before the commit: %v, %v, %v, %v", found, c.Rows, err, checked)
		}
		second := both
		second.Response = answer("both", "b").Response
		go func() { done <- b.Add(ctx, []run.Record{second}) }()
		select {
		case err := <-done:
			t.Errorf("an answer to a call whose answer is being committed did not wait: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
		winner := "a"
		if lost { // the first is not committed: then the second counts, and the first comes again
			winner = "b"
			p.set(none, true)
			p.set(none, false)
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		close(p.release)
		for range map[bool]int{false: 2, true: 1}[lost] {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		found, err = reader.Lookup(ctx, keys)
		if err != nil || len(found) != 3 || *found[keys[2]].Response.Text != winner {
			t.Errorf("after: %d of 3, %v, the answer to both %+v, want %s", len(found), err, found[keys[2]].Response, winner)
		}
		if c, err = reader.Check(ctx); err != nil || c.Rows["record"] != 4 || len(c.Damages) != 0 {
			t.Errorf("after: %v, %v, %v", c.Rows, c.Damages, err)
		}
		order := "SELECT (SELECT id FROM record WHERE request LIKE '%early%') - " +
			"(SELECT id FROM record WHERE request LIKE '%late%')"
		if n := number(t, reader, order); !lost && n >= 0 {
			t.Errorf("the row that was committed later is %d behind: the test tests nothing", n)
		}
	}
}

// What is listed in the order in which it was added is numbered in the order of commits.
func TestListsInOrder(t *testing.T) {
	ref := place(t)
	p, proxied := through(t, ref)
	a, b := opened(t, proxied), opened(t, ref)
	defer a.Close()
	defer b.Close()
	ctx := context.Background()
	p.set(held, false)
	done := make(chan error, 2)
	go func() { done <- a.AddUsage(ctx, []run.Usage{{Run: "r", Tries: 1}}) }()
	<-p.waiting
	go func() { done <- b.AddUsage(ctx, []run.Usage{{Run: "r", Tries: 2}}) }()
	select {
	case <-done:
		t.Error("the second did not wait")
	case <-time.After(100 * time.Millisecond):
	}
	if list, err := b.Usage(ctx, "r"); err != nil || len(list) != 0 {
		t.Errorf("before the commit %v, %v", list, err)
	}
	close(p.release)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if list, err := b.Usage(ctx, "r"); err != nil || len(list) != 2 || list[0].Tries != 1 || list[1].Tries != 2 {
		t.Errorf("%v, %v", list, err)
	}
}
