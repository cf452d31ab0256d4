package stored

import (
	"errors"
	"fmt"
	"strings"

	"hallmark/internal/base/exit"
	"hallmark/internal/run"
)

// Whole returns what a stored run has lost of the records that it was made of, in one line, or nothing. The lookups
// are of the records that were read for it. What else is to be known is warned of; all that changes its figures is
// added to notes, which may be nil.
func (r *Runs) Whole(records run.Store, h *run.Header, lookups *run.Lookups, notes *[]string) string {
	r.Unhashed(h.ID, lookups)
	r.Damaged(records)
	for _, d := range Damages(records) {
		if d.Table == "annotation" {
			r.Doubt(fmt.Sprintf("what people said of answers is not all there, and left out: %s", d), notes)
		}
	}
	gone, of := r.lostOf(Damages(records), h, lookups)
	if gone == 0 && h.Digest != nil && !h.Finished.IsZero() && h.Digest.SHA256 != lookups.Digest(r.Version).SHA256 {
		r.Doubt(fmt.Sprintf("run %s: some of its records are others than when it finished: failures that were "+
			"asked again, or damaged answers that were replaced", h.ID), nil)
	}
	if gone == 0 {
		return ""
	}
	why := fmt.Sprintf("run %s: %d%s stored answers that it was made of are lost or damaged, and left out of its "+
		"figures: `hallmark run` with the same flags asks for them again, `hallmark check` names what is damaged",
		h.ID, gone, of)
	if notes != nil {
		*notes = append(*notes, why)
	}
	return why
}

// lostOf returns how many stored answers a run has lost, and of how many where that is known.
func (r *Runs) lostOf(met []run.Damage, h *run.Header, lookups *run.Lookups) (gone int, of string) {
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
	now := lookups.Digest(r.Version)
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

// Damages lists what reading a store met, where it can tell.
func Damages(records run.Store) []run.Damage {
	if c, ok := records.(run.Checker); ok {
		return c.Damages()
	}
	return nil
}

// Damaged warns of runs that are not listed, and may be what `latest` meant.
func (r *Runs) Damaged(records run.Store) {
	for _, d := range Damages(records) {
		if d.Table == "run" || d.Table == "tally" {
			r.Doubt(fmt.Sprintf("the store %s is damaged: %s; `hallmark check` names all", r.Store, d), nil)
		}
	}
}

// Unhashed says once of a run that records of it were stored before records had hashes.
func (r *Runs) Unhashed(id string, lookups *run.Lookups) {
	if n := lookups.Unhashed(); n > 0 {
		r.Doubt(fmt.Sprintf("run %s: %d of its records carry no hash, as an earlier release stored them: each has "+
			"the key of its call, and what was answered cannot be checked", id, n), nil)
	}
}

// Doubt warns of something once, and adds it to notes where there are any.
func (r *Runs) Doubt(what string, notes *[]string) {
	if notes != nil {
		*notes = append(*notes, what)
	}
	if r.doubted[what] {
		return
	}
	if r.doubted == nil {
		r.doubted = map[string]bool{}
	}
	r.doubted[what] = true
	r.Log.Warn(what)
}

// End ends a command that showed runs which have lost records: with exit 3, or with its own error where it has one.
func (r *Runs) End(err error) error {
	if len(r.Lost) == 0 {
		return err
	}
	lost := strings.Join(r.Lost, "; ")
	if err == nil {
		return exit.With(exit.Unscored, errors.New(lost))
	}
	r.Log.Warn(lost)
	return err
}
