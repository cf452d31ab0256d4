package exec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// A process is one running copy of the program.
type process struct {
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	stdout   *os.File
	requests chan []byte // at most one waits; see write
	lines    chan line   // closed at the end of the output
	stderr   *tail
	ended    chan struct{} // closed when the process is gone
	err      error         // of Wait; set before ended is closed
	once     sync.Once
}

// A line is one line of output without its end, or the reason why there is none.
type line struct {
	text []byte
	err  error
}

var errTooLong = errors.New("line too long")

func start(command string, o Options) (*process, error) {
	cmd := shell(command)
	cmd.Dir, cmd.Env = o.Dir, o.environ()
	p := &process{cmd: cmd, stderr: &tail{}, requests: make(chan []byte, 1), lines: make(chan line, 1),
		ended: make(chan struct{})}
	// Wait copies stderr; a grandchild that keeps it open may not hold up the end.
	cmd.Stderr, cmd.WaitDelay = p.stderr, time.Second
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe, which Wait closes while the last line may still be unread.
	cmd.Stdout, p.stdout = w, r
	if p.stdin, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	_ = w.Close() // the child has its own
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	go func() {
		p.err = cmd.Wait()
		close(p.ended)
	}()
	go p.read(o.MaxLine)
	go p.write()
	return p, nil
}

// write sends the requests, one after the other, until the process ends. It is a goroutine of its own so that a program
// that does not read cannot hold up a timeout. A failure to write shows as the end of the output.
func (p *process) write() {
	for {
		select {
		case b := <-p.requests:
			_, _ = p.stdin.Write(b)
		case <-p.ended:
			return
		}
	}
}

// read sends the lines of the output until its end or a line longer than limit.
func (p *process) read(limit int) {
	defer close(p.lines)
	r := bufio.NewReaderSize(p.stdout, 64<<10)
	var text []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > limit {
			p.lines <- line{err: errTooLong}
			return
		}
		text = append(text, part...)
		switch {
		case err == nil:
			p.lines <- line{text: text[:len(text)-1]}
			text = nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return // a last line without an end was cut off with its process
		}
	}
}

// wait returns how the process ended, once it has; it kills one that has closed its output but lives on.
func (p *process) wait() string {
	select {
	case <-p.ended:
	case <-time.After(time.Second):
		p.kill()
		<-p.ended
		return "closed its standard output"
	}
	if p.err == nil {
		return "exit status 0"
	}
	return fmt.Sprint(p.err)
}

// kill ends the process and its process group, also where the process itself has ended.
func (p *process) kill() {
	p.once.Do(func() {
		_ = p.stdin.Close()
		killGroup(p.cmd)
		<-p.ended
		_ = p.stdout.Close()
		for range p.lines { // lets read end
		}
	})
}

// tail keeps the last 4 KiB written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b[max(0, len(b)-tailSize):]...)
	t.buf = t.buf[max(0, len(t.buf)-tailSize):]
	return len(b), nil
}

// text returns what is kept.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
