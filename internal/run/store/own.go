package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/mine"
	"hallmark/internal/run/store/sqlite"
)

// A folder that came from elsewhere may bring a store of its own, or a part of one, in the place where this program
// keeps one, with answers in it that no model gave. So the stores of this user are noted in the user's own
// configuration folder, each in a small file that is named by the hash of the store's path. It holds the mark of
// the store, which no other has, and whether it was left closed.

// A Foreign is an error: a store may not be this user's.
type Foreign struct{ Path, Why string }

func (f *Foreign) Error() string { return f.Path + ": " + f.Why }

func foreignf(path, format string, args ...any) error {
	return &Foreign{path, fmt.Sprintf(format, args...)}
}

// own returns a *Foreign unless the file of a store is the one that this user made, as far as can be told without
// the log of changes beside it.
func own(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() { // who opens it says more
		return nil
	}
	if !ofUser(info) {
		return foreignf(path, "it belongs to another user")
	}
	if links(info) > 1 {
		return foreignf(path, "it is a file that is elsewhere too, under another name")
	}
	if info.Size() == 0 {
		return nil
	}
	n, err := noteOn(path)
	if err != nil {
		return foreignf(path, "no note can be kept of which stores are yours (%v)", err)
	}
	left := func(what, by, ending string) error {
		return foreignf(path, "a %s lies beside it that %s: remove %s", what, by, filepath.Base(path)+ending)
	}
	have, err := n.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return foreignf(path, "it was not made by you in this place")
	case err != nil:
		return err
	case have.state == isClosed && filled(path+"-wal"):
		return left("log of changes", "you did not leave there", "-wal")
	case have.state == isOpen && filled(path+"-wal") && !have.log.leadsTo(logOf(path)):
		return left("log of changes", "no command of yours left there", "-wal")
	case (have.state == isClosed || have.mark != "") && filled(path+"-journal"): // a store has one only while it is made
		return left("journal", "you did not leave there", "-journal")
	case have.mark != "" && filled(path+"-wal"):
		// through the log, another file in the store's place could show the store's mark
		if mark, err := sqlite.FileMark(ctx, path); err != nil || mark != have.mark {
			return foreignf(path, "it is another store than the one that you made in this place, and the log of "+
				"changes beside it is not its own")
		}
	}
	return nil
}

// marked returns a *Foreign unless an open store is the one that this user made.
func marked(ctx context.Context, s *sqlite.Store, path string) error {
	n, err := noteOn(path)
	if err != nil {
		return nil // as own said
	}
	have, err := n.read()
	if err != nil || have.mark == "" && have.state == isOpen { // a run was killed before it knew the mark
		return nil
	}
	mark, err := s.Mark(ctx)
	if err == nil && mark != have.mark {
		err = foreignf(path, "it is another store than the one that you made in this place")
	}
	return err
}

// beside returns a *Foreign where a file that the database keeps beside its own is a link, or another name of a
// file that is elsewhere too.
func beside(path string) error {
	for _, ending := range []string{"-wal", "-shm", "-journal"} {
		if info, err := os.Lstat(path + ending); err == nil && (!info.Mode().IsRegular() || links(info) > 1) {
			return foreignf(path, "%s is no file of its own: remove it", path+ending)
		}
	}
	return nil
}

// filled reports whether there is a file and something in it, such as changes that are not yet in the database
// beside it.
func filled(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// prepare makes an empty file for a store where there is none, and notes one without content as the user's own,
// before anything is in it: so a kill leaves no store of the user's without a note. What hinders it shows when the
// store is opened.
func prepare(path string) {
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		noteState(path, "", isOpen, anyLog)
	}
}

// keep notes that an open store is the user's own, and how it is left once it is closed. Where no note can be kept
// there is none, and own says so.
func keep(ctx context.Context, s *sqlite.Store, path string) error {
	mark, err := s.Mark(ctx)
	if err != nil {
		return err
	}
	if alone, err := sqlite.FileMark(ctx, path); err != nil || alone != mark {
		mark = "" // another process is just making it, and has it in the log only
	}
	log := logOf(path)
	noteState(path, mark, isOpen, log)
	var noting sync.Mutex
	var unread error // why the mark could not be read in the end
	s.Hooks = sqlite.Hooks{Committing: func() {
		noting.Lock()
		defer noting.Unlock()
		if log == noLog { // from now on there may be one, with a number that is not known yet
			log = anyLog
			noteState(path, mark, isOpen, log)
		}
	}, Committed: func() {
		noting.Lock()
		defer noting.Unlock()
		if now := logOf(path); now != log && now != noLog {
			log = now
			noteState(path, mark, isOpen, log)
		}
	}, Closing: func() {
		var now string
		if now, unread = s.Mark(context.WithoutCancel(ctx)); unread == nil {
			mark = now // the store may have been brought to a version that has one
		}
	}, Closed: func() {
		if _, err := os.Lstat(path + "-wal"); err == nil || unread != nil {
			return // another process has it open, or it could not be closed well: what it is noted as stays
		}
		noteState(path, mark, isClosed, noLog)
		if _, err := os.Lstat(path + "-wal"); err == nil { // another process opened it meanwhile
			noteState(path, mark, isOpen, logOf(path))
		}
	}}
	return nil
}

// The states in which a store may be left. An open one may have a log of changes beside it.
const isOpen, isClosed = "open", "closed"

// A note is what is noted of a store.
type note struct {
	at    string // the file of the note
	path  string // of the store
	mark  string // what tells the store from others; "" while it is not known, and for a store of an earlier version
	state string
	log   logNumber // of the log of changes that an open store has
}

// A logNumber tells a log of changes from one that somebody made elsewhere: the first salt in its header, in
// hexadecimal. SQLite draws it at random where a log is begun, and adds one where it begins anew in the same file.
type logNumber string

// What else is noted of a log.
const (
	// there may be one: the store is written for the first time, or an earlier release left it
	anyLog logNumber = ""
	noLog  logNumber = "none" // there is none, or nothing is in it
)

// restarts bounds how often a log may have begun anew since its number was noted, which follows each change.
const restarts = 1 << 10

// logOf returns the number of the log beside a store.
func logOf(path string) logNumber {
	f, err := inputfile.Open(path + "-wal")
	if err != nil {
		return noLog
	}
	defer f.Close()
	var header [24]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return noLog
	}
	return logNumber(hex.EncodeToString(header[16:20]))
}

// leadsTo reports whether a log with a number may be the noted one, as it is now.
func (l logNumber) leadsTo(now logNumber) bool {
	if l == anyLog || l == now {
		return true
	}
	then, err := strconv.ParseUint(string(l), 16, 32)
	is, errNow := strconv.ParseUint(string(now), 16, 32)
	return err == nil && errNow == nil && uint32(is)-uint32(then) <= restarts
}

// noteOn returns the note on a store as it would be made now, without mark and state.
func noteOn(path string) (n note, err error) {
	at, real, err := mine.On("stores", path)
	return note{at: at, path: strconv.Quote(real)}, err
}

// read returns the note that there is.
func (n note) read() (note, error) {
	data, err := os.ReadFile(n.at)
	if err != nil {
		return note{}, err
	}
	lines := append(strings.Split(string(data), "\n"), "", "", "")
	return note{n.at, lines[0], lines[1], lines[2], logNumber(lines[3])}, nil
}

// noteState notes a store as the user's own.
func noteState(path, mark, state string, log logNumber) {
	n, err := noteOn(path)
	if err != nil {
		return
	}
	// where it cannot be written, own says that there is none
	_ = atomicfile.WriteBytes(n.at, fmt.Appendf(nil, "%s\n%s\n%s\n%s\n", n.path, mark, state, log))
}
