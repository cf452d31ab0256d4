package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hallmark/internal/model"
)

// Notes are what a user calls runs and their models, and which run is the baseline of a suite. They are of no run's id,
// and change no result.
type Notes struct {
	run, model, baseline map[string]string
}

// Of what a note is.
const (
	nameOfRun   = "run"
	nameOfModel = "model"
	baselineOf  = "baseline"
)

// notesRun is the run whose annotations the notes are. It is no run's id, which is a hash in hexadecimal. So notes
// stand in stores of every version that keeps annotations, under the same hashes, and the last one counts
// (docs/decisions/0046).
const notesRun = "notes"

// ReadNotes returns the notes of a store; none where it keeps no annotations.
func ReadNotes(ctx context.Context, s Store) (Notes, error) {
	n := Notes{run: map[string]string{}, model: map[string]string{}, baseline: map[string]string{}}
	kept, ok := s.(AnnotationStore)
	if !ok {
		return n, nil
	}
	list, err := kept.Annotations(ctx, notesRun)
	for _, a := range list {
		kind, of, _ := strings.Cut(a.Unit, " ")
		var says string
		if json.Unmarshal(a.Label, &says) != nil {
			continue // of a later release
		}
		if to := map[string]map[string]string{nameOfRun: n.run, nameOfModel: n.model,
			baselineOf: n.baseline}[kind]; to != nil {
			to[of] = says
		}
	}
	return n, err
}

// Run is the name of a run; "" where it has none.
func (n Notes) Run(id string) string { return n.run[id] }

// Model is the name of a model of a run, by its identity; "" where it has none.
func (n Notes) Model(id, identity string) string { return n.model[id+" "+identity] }

// Baseline is the run that is the baseline of a suite, by the suite's name; "" where there is none.
func (n Notes) Baseline(suite string) string { return n.baseline[suite] }

// Baselines are the suites that have a baseline, in order.
func (n Notes) Baselines() (suites []string) {
	for suite, id := range n.baseline {
		if id != "" {
			suites = append(suites, suite)
		}
	}
	slices.Sort(suites)
	return suites
}

// Named is the id of the run of a name; "" where none has it.
func (n Notes) Named(name string) string {
	for id, is := range n.run {
		if is == name && name != "" {
			return id
		}
	}
	return ""
}

// NameRun calls a run by a name, which no other run of the store may have.
func NameRun(ctx context.Context, s Store, id, name string, at time.Time) error {
	return putNotes(ctx, s, at, [][2]string{{nameOfRun + " " + id, name}})
}

// NameModels calls models of a run by names, by their identities.
func NameModels(ctx context.Context, s Store, id string, names map[string]string, at time.Time) error {
	var list [][2]string
	for identity, name := range names {
		list = append(list, [2]string{nameOfModel + " " + id + " " + identity, name})
	}
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return putNotes(ctx, s, at, list)
}

// SetBaseline makes a run the baseline of suites; "" for none.
func SetBaseline(ctx context.Context, s Store, id string, suites []string, at time.Time) error {
	var list [][2]string
	for _, suite := range suites {
		list = append(list, [2]string{baselineOf + " " + suite, id})
	}
	return putNotes(ctx, s, at, list)
}

// putNotes adds notes that are not there yet.
func putNotes(ctx context.Context, s Store, at time.Time, list [][2]string) error {
	kept, ok := s.(AnnotationStore)
	if !ok {
		return errors.New("this store keeps no names: name another one with --store")
	}
	there, err := ReadNotes(ctx, s)
	if err != nil {
		return err
	}
	var add []Annotation
	for _, x := range list {
		kind, of, _ := strings.Cut(x[0], " ")
		is := map[string]map[string]string{nameOfRun: there.run, nameOfModel: there.model,
			baselineOf: there.baseline}[kind]
		if is[of] == x[1] {
			continue
		}
		label, err := json.Marshal(x[1])
		if err != nil {
			return err
		}
		add = append(add, Annotation{Run: notesRun, Unit: x[0], Rater: "user", Label: label, At: at})
	}
	if len(add) == 0 {
		return nil
	}
	return kept.Annotate(ctx, add)
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
