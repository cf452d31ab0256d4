package main

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// serverKey is under what a script keeps the model server it started.
type serverKey struct{}

// A modelServer is a `hallmark model serve` under way.
type modelServer struct {
	process *exec.Cmd
	said    strings.Builder // on stderr
}

// modelServes starts `hallmark model serve ARGS… --addr 127.0.0.1:0 --json`, writes its one line to address.json and
// puts its address into $SERVED: modelserves ARGS….
func modelServes(ts *testscript.TestScript, _ bool, args []string) {
	startServer(ts, args, "model", "serve")
}

// guardServes does the same with `hallmark guard`: guardserves ARGS….
func guardServes(ts *testscript.TestScript, _ bool, args []string) {
	startServer(ts, args, "guard")
}

// startServer starts the command on a free port, unless the arguments name one.
func startServer(ts *testscript.TestScript, args []string, command ...string) {
	s := &modelServer{process: exec.Command("hallmark", append(append(command, "--addr", "127.0.0.1:0", "--json"),
		args...)...)}
	s.process.Dir, s.process.Stderr = ts.MkAbs("."), &s.said
	s.process.Env = append(os.Environ(), "SERVE_KEY="+ts.Getenv("SERVE_KEY"))
	out, err := s.process.StdoutPipe()
	ts.Check(err)
	ts.Check(s.process.Start())
	ts.Defer(func() { s.process.Process.Kill() })
	*ts.Value(serverKey{}).(**modelServer) = s
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		ts.Fatalf("no address: %v, %v: %s", err, s.process.Wait(), s.said.String())
	}
	ts.Check(os.WriteFile(ts.MkAbs("address.json"), []byte(line), 0o644))
	var at struct {
		URL string `json:"base_url"`
	}
	ts.Check(json.Unmarshal([]byte(line), &at))
	ts.Setenv("SERVED", at.URL)
}

// interrupts sends the server an interrupt, or SIGTERM, and checks that it ends with 0; what it said on stderr goes to
// the file server.log: interrupts [term].
func interrupts(ts *testscript.TestScript, _ bool, args []string) {
	s := *ts.Value(serverKey{}).(**modelServer)
	var sig os.Signal = os.Interrupt
	if len(args) > 0 {
		sig = syscall.SIGTERM
	}
	ts.Check(s.process.Process.Signal(sig))
	ts.Check(s.process.Wait()) // a server that did not end would run into the limit of go test
	ts.Check(os.WriteFile(ts.MkAbs("server.log"), []byte(s.said.String()), 0o644))
}

// taken opens a port and puts its address into $TAKEN.
func taken(ts *testscript.TestScript, _ bool, _ []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { listener.Close() })
	ts.Setenv("TAKEN", listener.Addr().String())
}
