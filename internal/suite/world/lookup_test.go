package world

import "slices"

// Relation returns the relation of a name, or nil.
func (w *World) Relation(name string) *Relation {
	i := slices.IndexFunc(w.Relations, func(r Relation) bool { return r.Name == name && r.Facts != nil })
	if i < 0 {
		return nil
	}
	return &w.Relations[i]
}

// At returns the fact of a relation about a subject that holds on a day.
func (r *Relation) At(subject, day string) (*Fact, bool) {
	for i := range r.Facts {
		if f := &r.Facts[i]; f.Subject == subject && f.On(day) {
			return f, true
		}
	}
	return nil, false
}
