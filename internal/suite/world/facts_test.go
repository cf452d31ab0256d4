package world

import "slices"

// subjectsOf returns the subjects of a relation in its order, each once.
func subjectsOf(r *Relation) []string {
	var subjects []string
	seen := map[string]bool{}
	for _, f := range r.Facts {
		if !seen[f.Subject] {
			seen[f.Subject] = true
			subjects = append(subjects, f.Subject)
		}
	}
	return subjects
}

// values returns what a relation says of a subject, in the order of time.
func values(r *Relation, subject string) []*Fact {
	var all []*Fact
	for i := range r.Facts {
		if f := &r.Facts[i]; f.Subject == subject {
			all = append(all, f)
		}
	}
	return all
}

// with returns the subjects that have a value, or another name of it, in any way it is written.
func with(r *Relation, value string) []string {
	var subjects []string
	for _, f := range r.Facts {
		if slices.ContainsFunc(append(f.Also[:len(f.Also):len(f.Also)], f.Value), func(name string) bool {
			return foldName(name) == foldName(value)
		}) {
			subjects = append(subjects, f.Subject)
		}
	}
	return subjects
}

// worksOf returns how many works of a kind there are.
func worksOf(w *World, kind string) int {
	return count(w.Works, func(k *Work) bool { return k.Kind == kind })
}
