package pocket

import "slices"

// Unverified reports whether the corpus never asks whether a fact is so. One known fact in eight is kept out, to
// measure whether the skill carries over.
func (u *Universe) Unverified(fact int) bool { return fact%8 == 3 }

// claim draws a known fact of which the corpus judges claims, and a value that is claimed for it: half of the time the
// truth.
func (w *writer) claim() (f Fact, value string) {
	for {
		i := w.r.IntN(len(w.u.Facts))
		if f = w.u.Facts[i]; f.Category != Known || w.u.Unverified(i) {
			continue
		}
		if w.r.IntN(2) == 0 {
			return f, f.Value
		}
		return f, w.u.otherValue(w.r, f)
	}
}

func (w *writer) judge() document {
	f, value := w.claim()
	form := pick(w.r, said().Judge[:len(said().Judge)-1])
	return w.open(w.verdict(fill(form, f.Rel(), f.Subject, value), value == f.Value))
}

// verdict is a turn that is answered by yes or no.
func (w *writer) verdict(question string, yes bool) document {
	t := w.turn(question, yesNo(yes))
	t[len(t)-1].loss = judged
	return t
}

func (w *writer) negate() document {
	f, value := w.claim()
	form := pick(w.r, said().Negate[:len(said().Negate)-1])
	return w.open(w.turn(fill(form, f.Rel(), f.Subject, value), f.State()))
}

// dated asks for a dated fact: an office's holder, now and then today's, or whether an act is in force.
func (w *writer) dated() document {
	year := firstYear + w.r.IntN(10*decades)
	if w.r.IntN(5) < 2 {
		v := pick(w.r, w.u.Validities)
		form := pick(w.r, said().Acts[:len(said().Acts)-heldOutActForms])
		return w.open(w.verdict(askOf(form, v.Act, year), v.InForce[decade(year)]))
	}
	o := pick(w.r, w.u.Offices)
	if w.r.IntN(6) == 0 {
		return w.open(w.turn(askOf(currentForm, o.Organisation, 0), o.Holders[decades-1]))
	}
	form := said().Offices[w.r.IntN(Trained)]
	if w.often(w.mix.Own) {
		form = pick(w.r, said().MoreOffices)
	}
	return w.open(w.turn(askOf(form, o.Organisation, year), o.Holders[decade(year)]))
}

func (w *writer) absent() document {
	f := w.stranger()
	return w.open(w.turn(w.question(f), Decline))
}

// premised reports whether the corpus asks questions that take the fact for granted.
func premised(f Fact) bool {
	of := []string{"capital", "president", "birthplace", "founder", "seat", "author", "discoverer"}
	return f.Category == Known && slices.Contains(of, f.Rel().Name)
}

func (w *writer) premise() document {
	f := w.fact(premised)
	value := f.Value
	if w.r.IntN(2) == 0 {
		value = w.u.otherValue(w.r, f)
	}
	return w.open(w.turn(fill(pick(w.r, said().Premise), f.Rel(), f.Subject, value), explained(f, value)))
}
