package main

import (
	"errors"
	"fmt"
	"strings"

	"hallmark/internal/exit"
	"hallmark/internal/run"
)

// whole returns what a stored run has lost of the records that it was made of, in one line, or nothing. The lookups are of the records that were
// read for it. What else is to be known is warned of; all that changes its figures is added to notes, which may be nil.
func (a *app) whole(records run.Store, h *run.Header, lookups *run.Lookups, notes *[]string) string {
	a.sayUnhashed(h.ID, lookups)
	a.damagedRuns(records)
	for _, d := range damages(records) {
		if d.Table == "annotation" {
			a.doubt(fmt.Sprintf("what people said of answers is not all there, and left out: %s", d), notes)
		}
	}
	gone, of := lostOf(damages(records), h, lookups)
	if gone == 0 && h.Digest != nil && !h.Finished.IsZero() && h.Digest.SHA256 != lookups.Digest(version).SHA256 {
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

// lostOf returns how many stored answers a run has lost, and of how many where that is known.
func lostOf(met []run.Damage, h *run.Header, lookups *run.Lookups) (gone int, of string) {
	keys := map[string]bool{} // rows of one key are one answer
	for _, d := range met {
		if asked, found := lookups.Read(d.Key); asked && !found && !keys[d.Key] {
			keys[d.Key] = true
			gone++
		}
	}
	if h.Digest == nil {
		return gone, ""
	}
	now := lookups.Digest(version)
	lost := h.Digest.Lost(now)
	if lost == 0 {
		return gone, ""
	}
	of = fmt.Sprintf(" of %d", h.Digest.Records)
	if h.Digest.Version != now.Version {
		of += fmt.Sprintf(" (as hallmark %s counted; this is %s)", h.Digest.Version, now.Version)
	}
	return max(gone, lost), of
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
func (a *app) sayUnhashed(id string, lookups *run.Lookups) {
	if n := lookups.Unhashed(); n > 0 {
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
		return exit.With(exit.Unscored, errors.New(lost))
	}
	a.log.Warn(lost)
	return err
}
