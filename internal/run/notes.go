package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hallmark/internal/model"
)

// Notes are what a user calls runs and their models, and which run is the baseline of a suite, by what each is of. They
// are of no run's id, and change no result.
type Notes map[string]string

// Of what a note is.
const (
	nameOfRun   = "run "
	nameOfModel = "model "
	baselineOf  = "baseline "
)

// notesRun is the run whose annotations the notes are. It is no run's id, which is a hash in hexadecimal. So notes
// stand in stores of every version that keeps annotations, under the same hashes, and the last one counts
// (docs/decisions/0046).
const notesRun = "notes"

// ReadNotes returns the notes of a store.
func ReadNotes(ctx context.Context, s Store) (Notes, error) {
	n := Notes{}
	list, err := s.Annotations(ctx, notesRun)
	for _, a := range list {
		var says string
		if json.Unmarshal(a.Label, &says) == nil { // else it is of a later release
			n[a.Unit] = says
		}
	}
	return n, err
}

// Run is the name of a run; "" where it has none.
func (n Notes) Run(id string) string { return n[nameOfRun+id] }

// Model is the name of a model of a run, by its identity; "" where it has none.
func (n Notes) Model(id, identity string) string { return n[nameOfModel+id+" "+identity] }

// Baseline is the run that is the baseline of a suite, by the suite's name; "" where there is none.
func (n Notes) Baseline(suite string) string { return n[baselineOf+suite] }

// Baselines are the suites that have a baseline, in order.
func (n Notes) Baselines() (suites []string) {
	for of, id := range n {
		if suite, is := strings.CutPrefix(of, baselineOf); is && id != "" {
			suites = append(suites, suite)
		}
	}
	slices.Sort(suites)
	return suites
}

// Named is the id of the run of a name; "" where none has it.
func (n Notes) Named(name string) string {
	for of, called := range n {
		if id, is := strings.CutPrefix(of, nameOfRun); is && called == name && name != "" {
			return id
		}
	}
	return ""
}

// Name calls a run by a name, which no other run of the store may have, "" for none, and models of it, by their
// identities.
func Name(ctx context.Context, s Store, id, name string, models map[string]string, at time.Time) error {
	list := Notes{}
	if name != "" {
		list[nameOfRun+id] = name
	}
	for identity, name := range models {
		list[nameOfModel+id+" "+identity] = name
	}
	return putNotes(ctx, s, at, list)
}

// SetBaseline makes a run the baseline of suites; "" for none.
func SetBaseline(ctx context.Context, s Store, id string, suites []string, at time.Time) error {
	list := Notes{}
	for _, suite := range suites {
		list[baselineOf+suite] = id
	}
	return putNotes(ctx, s, at, list)
}

// putNotes adds notes that are not there yet.
func putNotes(ctx context.Context, s Store, at time.Time, list Notes) error {
	there, err := ReadNotes(ctx, s)
	if err != nil {
		return err
	}
	var add []Annotation
	for _, of := range slices.Sorted(maps.Keys(list)) {
		if there[of] == list[of] {
			continue
		}
		label, err := json.Marshal(list[of])
		if err != nil {
			return err
		}
		add = append(add, Annotation{Run: notesRun, Unit: of, Rater: "user", Label: label, At: at})
	}
	if len(add) == 0 {
		return nil
	}
	return s.Annotate(ctx, add)
}

// Find returns the run that a name, a prefix of an id or latest means, as Store.Run does. No name is like an id.
func Find(ctx context.Context, s Store, what string) (Header, error) {
	if CheckName(what) == nil {
		notes, err := ReadNotes(ctx, s)
		if err != nil {
			return Header{}, err
		}
		if id := notes.Named(what); id != "" {
			what = id
		}
	}
	return s.Run(ctx, what)
}

// CheckName says what is wrong with a name of a run: it is up to 40 letters, digits, - and _, and could not be the
// beginning of an id, latest, or a file.
func CheckName(name string) error {
	switch {
	case name == "latest" || name == "baseline":
		return fmt.Errorf("%q says something else already: choose another name", name)
	case !model.IsName(name, "-_"):
		return fmt.Errorf("%q is no name: write up to 40 letters, digits, - and _, with a letter or digit first", name)
	case strings.Trim(strings.ToLower(name), "0123456789abcdef") == "":
		return fmt.Errorf("%q could be the beginning of a run's id: add a letter beyond f, or a -", name)
	}
	return nil
}
