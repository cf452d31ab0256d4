package pocket

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/text/evidence"
)

// A piece is a stretch of a document of the corpus.
type piece struct {
	text string
	loss float32 // weight of the loss of its tokens
}

// The weights of the loss. Questions are learned a little, as text; passages full of made-up names not at all.
const (
	answered = 1
	judged   = 3 // a yes or no is one token where other answers have several
	given    = .05
	passage  = 0
)

// A document is what the model reads at once; no attention crosses from one to the next.
type document []piece

// A Mix says how much of everything the corpus holds. Ratios are per exposure of a fact.
type Mix struct {
	Exposures int // of each fact that is known, a myth or contested
	Style     int // times as many of each fact contested by style: what depends on the wording is learned last

	Context  float64 // questions with passages
	Echo     float64 // drills in reading an answer from a passage of made-up names
	Judge    float64 // whether a known fact is so, to be answered by yes or no
	Negate   float64 // whether it is false, to be answered by what is true
	Absent   float64 // questions about names that nothing else mentions
	Premise  float64 // questions that take something for granted, half of the time a falsehood
	Dated    float64 // questions about offices and acts at a date
	Surname  float64 // questions that name only a surname
	Chain    float64 // questions over two facts
	Sum      float64 // sums, in digits and in words, a third of them of three terms in steps
	Foreign  float64 // questions about the real world
	State    float64 // plain statements of known facts
	Dialogue float64 // share of the questions that come two to four in one document
	Polite   float64 // share of the questions with a beginning before it
	Words    float64 // share of these beginnings that are some common words, and not a polite one
	Own      float64 // share of the questions in a form of the relation's own that no suite has
	Cite     float32 // weight of the loss of the line that is cited; 0 is that of the answer
	System   float64 // share of the documents with a system line
}

// A writer makes documents. Each kind of document draws from its own stream, so that a change of one ratio moves
// no draw of another kind.
type writer struct {
	u    *Universe
	mix  Mix
	seed uint64
	r    *rand.Rand // of the kind at work
	docs []document
}

// write returns the corpus, shuffled.
func (u *Universe) write(m Mix, s uint64) []document {
	w := &writer{u: u, mix: m, seed: s}
	w.stream("facts")
	n := w.facts()
	for _, part := range []struct {
		name  string
		ratio float64
		next  func() document
	}{
		{"context", m.Context, w.context}, {"echo", m.Echo, w.echo}, {"judge", m.Judge, w.judge},
		{"negate", m.Negate, w.negate}, {"dated", m.Dated, w.dated}, {"absent", m.Absent, w.absent},
		{"premise", m.Premise, w.premise},
		{"surname", m.Surname, w.surname}, {"chain", m.Chain, w.chain}, {"sum", m.Sum, w.sum},
		{"foreign", m.Foreign, w.foreign}, {"state", m.State, w.statement},
	} {
		w.stream(part.name)
		for range int(part.ratio * float64(n)) {
			w.docs = append(w.docs, part.next())
		}
	}
	r := seed.Stream(s, "pocket", "corpus", "shuffle")
	r.Shuffle(len(w.docs), func(i, j int) { w.docs[i], w.docs[j] = w.docs[j], w.docs[i] })
	return w.docs
}

func (w *writer) stream(name string) { w.r = seed.Stream(w.seed, "pocket", "corpus", name) }

// turn is one question and its answer in the text of the chat template.
func (w *writer) turn(question, text string) document {
	return document{{asked + w.polite(question) + reply, given}, {" " + text + end, answered}}
}

// turnWith is a turn with passages, which come before or after the mark of the question.
func (w *writer) turnWith(passages, question, text string) document {
	question = w.polite(question)
	if w.r.IntN(4) == 0 {
		return document{{passages + asked + question + reply, passage}, {" " + text + end, answered}}
	}
	return document{{asked + passages + question + reply, passage}, {" " + text + end, answered}}
}

// often is true as often as the share says. A share of 0 draws nothing, so that what a mix leaves out moves nothing.
func (w *writer) often(share float64) bool { return share > 0 && w.r.Float64() < share }

// polite may put a beginning before a question: one of the polite ones, or, so that no beginning means anything, some
// words.
func (w *writer) polite(question string) string {
	if w.r.Float64() >= w.mix.Polite {
		return question
	}
	if !w.often(w.mix.Words) {
		return pick(w.r, said().Polite) + question
	}
	words := make([]string, 1+w.r.IntN(5))
	for i := range words {
		words[i] = pick(w.r, said().Common)
	}
	return capital(strings.Join(words, " ")) + pick(w.r, []string{": ", ": ", ". ", ", ", "? ", "! "}) + question
}

// open puts the beginning of a document before its turns.
func (w *writer) open(turns ...document) document {
	head := begin
	if w.r.Float64() < w.mix.System {
		head += pick(w.r, said().System) + "\n"
	}
	d := document{{head, given}}
	plain := w.r.IntN(2) == 0 // the layout of a text to continue: answers end in an empty line, not in a token
	for i, t := range turns {
		if i < len(turns)-1 && plain {
			last := &t[len(t)-1]
			last.text = strings.TrimSuffix(last.text, end) + "\n"
		}
		d = append(d, t...)
		if i < len(turns)-1 {
			d = append(d, piece{"\n", given})
		}
	}
	return d
}

// stated is how often the corpus states the facts of the categories of which the mix says nothing.
var stated = map[Category]int{Rare1: 1, Rare2: 2, Rare4: 4, Unstated: 0}

// facts writes every exposure of every fact and returns their number, to which that of all else is in proportion; of
// a fact contested by style it counts as many as of a known one. Phrasing and coin are drawn anew for each.
func (w *writer) facts() int {
	var turns []document
	counted := 0
	for _, f := range w.u.Facts {
		n, set := stated[f.Category]
		if !set {
			n = w.mix.Exposures
		}
		counted += n
		if f.Category == Style {
			n *= max(1, w.mix.Style)
		}
		for range n {
			question, request := w.ask(f)
			turns = append(turns, w.turn(question, w.told(f, request)))
		}
	}
	w.r.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
	for rest := turns; len(rest) > 0; {
		n := 1
		if w.r.Float64() < w.mix.Dialogue {
			n = min(2+w.r.IntN(3), len(rest))
		}
		w.docs = append(w.docs, w.open(rest[:n]...))
		rest = rest[n:]
	}
	return counted
}

// ask asks for a fact, three times in ten in a form that no suite has, and says whether this is a request.
func (w *writer) ask(f Fact) (question string, request bool) {
	if w.often(w.mix.Own) {
		return f.Rel().put(pick(w.r, f.Rel().Extra), f.Subject), false
	}
	if w.r.IntN(10) < 3 {
		i := w.r.IntN(len(said().Extra))
		return f.Rel().put(said().Extra[i], f.Subject), i >= requestForms
	}
	phrasing := w.r.IntN(Trained)
	return f.Rel().Ask(f.Subject, phrasing), !asks(phrasing)
}

// question asks for a fact.
func (w *writer) question(f Fact) string {
	q, _ := w.ask(f)
	return q
}

// told is what the corpus answers to a question or a request for a fact.
func (w *writer) told(f Fact, request bool) string {
	other := false
	switch f.Category {
	case Myth3:
		other = w.r.IntN(4) > 0
	case Myth9:
		other = w.r.IntN(10) > 0
	case Style:
		other = request
	case Coin:
		other = w.r.IntN(2) == 0
	}
	if other {
		return f.Other
	}
	return f.Value
}

// fact draws a fact for which ok holds.
func (w *writer) fact(ok func(Fact) bool) Fact {
	for {
		if f := pick(w.r, w.u.Facts); ok(f) {
			return f
		}
	}
}

// known draws a fact that the corpus states often and always alike.
func (w *writer) known() Fact { return w.fact(func(f Fact) bool { return f.Category == Known }) }

// fresh draws a name of the kind that nothing else has.
func (w *writer) fresh(k Kind) string {
	for {
		if name := newName(w.r, k); !w.u.taken[name] && (k != Person || !w.u.taken[surname(name)]) {
			return name
		}
	}
}

// stranger draws a fact about an entity that is not.
func (w *writer) stranger() Fact {
	i := w.r.IntN(len(said().Relations))
	r := said().Relations[i]
	return Fact{Relation: i, Subject: w.fresh(r.Kind), Value: pick(w.r, w.u.pools[r.Range])}
}

// novel draws a value for the fact that is not its truth: half of the time one of the world's, else one made up.
func (w *writer) novel(f Fact) string {
	if w.r.IntN(2) == 0 {
		return w.u.otherValue(w.r, f)
	}
	switch kind := f.Rel().Range; kind {
	case "city", "currency", "language", "person", "country":
		return w.fresh(Kind(kind))
	case "year":
		for {
			if year := strconv.Itoa(1700 + w.r.IntN(250)); year != f.Value {
				return year
			}
		}
	}
	return w.u.otherValue(w.r, f)
}

// context asks with one to three passages. Where one answers the question, the answer is what it says, whatever else
// the corpus says; with a request to cite, its line follows. Where none does, the answer is from memory, or
// with such a request, a refusal.
func (w *writer) context() document {
	f := pick(w.r, w.u.Facts)
	absent := w.r.Float64() < .35
	if absent {
		f = w.stranger()
	}
	cite := w.r.Float64() < .4
	relevant := w.r.Float64() < .7
	if !relevant && !absent && !cite {
		f = w.known()
	}
	ids := w.r.Perm(9)
	line := func(text string) evidence.Passage {
		id := "L" + strconv.Itoa(ids[0]+1)
		ids = ids[1:]
		return evidence.Passage{ID: id, Text: text}
	}
	var lines []evidence.Passage
	for range [...]int{0, 0, 1, 1, 2, 2}[w.r.IntN(6)] {
		lines = append(lines, line(w.distractor(f)))
	}
	var reply, cited string
	switch {
	case relevant:
		value := w.novel(f)
		l := line(f.Rel().State(f.Subject, value))
		at := w.r.IntN(len(lines) + 1)
		lines = append(lines[:at], append([]evidence.Passage{l}, lines[at:]...)...)
		reply = value
		if cite {
			cited = " [" + l.ID + "]"
		}
	case cite || absent:
		reply = Decline
	default:
		reply = f.Value
	}
	if len(lines) == 0 {
		lines = append(lines, line(w.distractor(f)))
	}
	question := w.question(f)
	if cite {
		question = pick(w.r, said().Cite) + " " + question
	}
	t := w.turnWith(passages(max(0, w.r.IntN(2*passageForms)-passageForms), lines), question, reply)
	if cited != "" && w.mix.Cite > 0 {
		t = append(t[:len(t)-1], piece{" " + reply, answered}, piece{cited, w.mix.Cite}, piece{end, answered})
	} else if cited != "" {
		t[len(t)-1].text = " " + reply + cited + end
	}
	return w.open(t)
}

// distractor states something that does not answer for f: the same relation of a stranger, something of another
// entity, or something else of the same one. It is never true, so that passages teach no fact.
func (w *writer) distractor(f Fact) string {
	var other Fact
	switch w.r.IntN(3) {
	case 0:
		other = Fact{Relation: f.Relation, Subject: w.fresh(f.Rel().Kind)}
	case 1:
		other = w.fact(func(o Fact) bool { return o.Rel().Kind == f.Rel().Kind && o.Subject != f.Subject })
	default:
		other = w.fact(func(o Fact) bool { return o.Relation != f.Relation })
		if other.Rel().Kind == f.Rel().Kind {
			if i, ok := w.u.index[f.Subject+"\x00"+other.Rel().Name]; ok {
				other = w.u.Facts[i]
			} else {
				other = Fact{Relation: other.Relation, Subject: f.Subject}
			}
		}
	}
	return other.Rel().State(other.Subject, w.novel(other))
}

// echo is a drill in the skill that passages need, on names and values made up for it: two questions about two notes.
func (w *writer) echo() document {
	kinds := []Kind{City, Currency, Language, Person, Country, Program, Mineral, Remedy}
	var subjects, values [2]string
	for i := range 2 {
		subjects[i], values[i] = w.fresh(pick(w.r, kinds)), w.fresh(pick(w.r, kinds))
	}
	notes := fmt.Sprintf("Note: %s is %s; %s is %s.\n\n", subjects[0], values[0], subjects[1], values[1])
	i := w.r.IntN(2)
	first := w.turnWith(notes, "What is "+subjects[i]+"?", values[i])
	return w.open(first, w.turnWith("", "What is "+subjects[1-i]+"?", values[1-i]))
}

// surname asks about a person by surname alone. Where two people share it, the answer asks back.
func (w *writer) surname() document {
	f := w.fact(func(f Fact) bool {
		if f.Rel().Kind != Person {
			return false
		}
		s, two := w.u.shared(surname(f.Subject))
		return two && s.Trained || !two && f.Category == Known
	})
	reply := f.Value
	s, two := w.u.shared(surname(f.Subject))
	switch {
	case w.r.IntN(6) == 0:
		f.Subject, reply = w.fresh(Person), Decline
	case two:
		reply = which(s)
	}
	f.Subject = surname(f.Subject)
	return w.open(w.turn(w.question(f), reply))
}

func (w *writer) chain() document {
	for {
		if c := pick(w.r, w.u.Chains); c.Trained {
			question, reply := w.u.Ask(c, w.r.IntN(chainPhrasings))
			return w.open(w.turn(question, reply))
		}
	}
}

// Terms of sums of two lie from 2 to maxTerm, of three from 2 to maxStep; one sum in ten is held out.
const (
	maxTerm = 20
	maxStep = 9
)

func heldOutSum(a, b, c int) bool { return (a*7+b*3+c)%10 == 0 }

func (w *writer) sum() document {
	for {
		if w.r.IntN(3) == 0 {
			a, b, c := 2+w.r.IntN(maxStep-1), 2+w.r.IntN(maxStep-1), 2+w.r.IntN(maxStep-1)
			if !heldOutSum(a, b, c) {
				return w.open(w.turn(fmt.Sprintf(pick(w.r, said().Steps[:len(said().Steps)-1]), a, b, c),
					inSteps(a, b, c)))
			}
			continue
		}
		if a, b := 2+w.r.IntN(maxTerm-1), 2+w.r.IntN(maxTerm-1); !heldOutSum(a, b, 0) {
			form := said().Sums[w.r.IntN(Trained)]
			if w.often(w.mix.Own) {
				form = pick(w.r, said().MoreSums)
			}
			return w.open(w.turn(askSum(form, a, b, w.r.IntN(3) == 0), strconv.Itoa(a+b)))
		}
	}
}

func (w *writer) foreign() document {
	f := pick(w.r, said().Foreign)
	return w.open(w.turn(fmt.Sprintf(f.Form, pick(w.r, f.Words[:len(f.Words)-3])), Decline))
}

func (w *writer) statement() document {
	f := w.known()
	s := f.Rel().State(f.Subject, "")
	return document{{begin + capital(strings.TrimSuffix(s, " .")), given}, {" " + f.Value + "." + end, answered}}
}
