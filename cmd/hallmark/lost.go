package main

import (
	"errors"
	"fmt"
	"strings"

	"hallmark/internal/run"
)

// whole returns what a stored run has lost of the records that it was made of, in one line, or nothing. The ledger is of the records that were
// read for it. What else is to be known is warned of; all that changes its figures is added to notes, which may be nil.
func (a *app) whole(records run.Store, h *run.Header, ledger *run.Ledger, notes *[]string) string {
	a.sayUnhashed(h.ID, ledger)
	a.damagedRuns(records)
	damaged := 0
	for _, d := range damages(records) {
		switch d.Table {
		case "record":
			if ledger.Misses(d.Key) {
				damaged++
			}
		case "annotation":
			a.doubt(fmt.Sprintf("what people said of answers is not all there, and left out: %s", d), notes)
		}
	}
	now := ledger.Digest(version)
	gone, of := damaged, ""
	switch then := h.Digest; {
	case then == nil, then.SHA256 == now.SHA256:
	case then.Lost(now) > 0:
		gone, of = max(gone, then.Lost(now)), fmt.Sprintf(" of %d", then.Records)
		if then.Version != now.Version {
			of += fmt.Sprintf(" (as hallmark %s counted; this is %s)", then.Version, now.Version)
		}
	case !h.Finished.IsZero():
		a.doubt(fmt.Sprintf("run %s: some of its records are others than when it finished: failures that were asked again, or damaged answers that were replaced", h.ID), nil)
	}
	if gone == 0 {
		return ""
	}
	why := fmt.Sprintf("run %s: %d%s stored answers that it was made of are lost or damaged, and left out of its figures: `hallmark run` with the same flags asks for them again, `hallmark check` names what is damaged", h.ID, gone, of)
	if notes != nil {
		*notes = append(*notes, why)
	}
	return why
}

// damages lists what reading a store met, where it can tell.
func damages(records run.Store) []run.Damage {
	if c, ok := records.(run.Checker); ok {
		return c.Damages()
	}
	return nil
}

// damagedRuns warns of runs that are not listed, and may be what `latest` meant.
func (a *app) damagedRuns(records run.Store) {
	for _, d := range damages(records) {
		if d.Table == "run" || d.Table == "tally" {
			a.doubt(fmt.Sprintf("the store %s is damaged: %s; `hallmark check` names all", a.store, d), nil)
		}
	}
}

// sayUnhashed says once of a run that records of it were stored before records had hashes.
func (a *app) sayUnhashed(id string, ledger *run.Ledger) {
	if n := ledger.Unhashed(); n > 0 {
		a.doubt(fmt.Sprintf("run %s: %d of its records carry no hash, as an earlier release stored them: each has the key of its call, and what was answered cannot be checked", id, n), nil)
	}
}

// doubt warns of something once, and adds it to notes where there are any.
func (a *app) doubt(what string, notes *[]string) {
	if notes != nil {
		*notes = append(*notes, what)
	}
	if a.doubted[what] {
		return
	}
	if a.doubted == nil {
		a.doubted = map[string]bool{}
	}
	a.doubted[what] = true
	a.log.Warn(what)
}

// sayLost ends a command that showed runs which have lost records: with exit 3, or with its own error where it has one.
func (a *app) sayLost(err error) error {
	if len(a.lost) == 0 {
		return err
	}
	lost := strings.Join(a.lost, "; ")
	if err == nil {
		return &exit{exitUnscored, errors.New(lost)}
	}
	a.log.Warn(lost)
	return err
}
