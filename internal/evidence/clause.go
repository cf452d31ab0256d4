package evidence

import "sync"

// composer reads cues from the clauses of a text.
type composer struct {
	t       *Text
	entries []*entry // of the words of one sentence
	tokens  []token  // of that sentence
}

const (
	fillers    = adverb | particle | infinitive                                           // may stand between a verb and what belongs to it
	auxiliary  = modal | copula | do | have                                               // stand before a verb
	predicates = know | find | exist | tell | say | answers | right | wrong | deed | fake // what a denial is about
	triggers   = negation | none | fake | unsure | unsaid | impossible | lack | doubt | decline | look | clarify | mean | premise | mistake | wrong | confuse | causes | namesake | need
	phraseSpan = 8 // tokens that a noun phrase and its verb may have
)

// composers keep their memory from text to text.
var composers = sync.Pool{New: func() any { return new(composer) }}

// findCues reads the cues of all sentences, in one pass that looks a bounded number of words to each side.
func (t *Text) findCues() {
	c := composers.Get().(*composer)
	c.t = t
	for _, s := range t.Sentences {
		c.read(s.Words)
		for k := 0; k < len(c.tokens); {
			next := k + 1
			if tk := &c.tokens[k]; tk.is&triggers != 0 {
				if sense, start, end := c.compose(k, s.Question); end > 0 && !(sense == Rejects && c.supposed(start)) {
					c.emit(sense, start, end)
					if k = max(end, next); sense == Because {
						k = next
					}
					continue
				}
			}
			if tk := &c.tokens[k]; tk.shows != 0 && !(tk.first() == Rejects && c.supposed(k)) {
				c.emit(tk.first(), k, next)
			}
			k = next
		}
	}
	c.t = nil
	composers.Put(c)
}

// emit adds a cue of tokens, in place of those that it covers; only a reason may overlap what follows it.
func (c *composer) emit(s Sense, start, end int) {
	cue := Cue{s, Span{c.tokens[start].start, c.tokens[end-1].end}}
	cues := c.t.Cues
	for n := len(cues); n > 0 && cues[n-1].Words.End > cue.Words.Start; n-- {
		if cues[n-1].Sense == Because {
			if cues[n-1].Words.Start < cue.Words.Start {
				break
			}
		}
		cues = cues[:n-1]
	}
	c.t.Cues = append(cues, cue)
}

// supposed reports whether one of the three words before a token makes a supposition of what follows: "suppose there were only ten".
func (c *composer) supposed(k int) bool {
	i := c.tokens[k].start
	for j := i - 1; j >= max(0, i-3) && c.t.Words[j].Clause == c.t.Words[i].Clause; j-- {
		if supposing[c.t.Words[j].Fold] {
			return true
		}
	}
	return false
}

var supposing = listed("suppose")

// is returns the senses of a token, none beyond the ends of the sentence.
func (c *composer) is(k int) lexeme {
	if k < 0 || k >= len(c.tokens) {
		return 0
	}
	return c.tokens[k].is
}

// near reports whether one of the tokens from k on, in steps and at most n of one clause, has one of the senses, and where.
func (c *composer) near(k, step, n int, senses lexeme) (int, bool) {
	for j := k; j >= 0 && j < len(c.tokens) && n > 0; j, n = j+step, n-1 {
		if c.tokens[j].clause != c.tokens[k].clause {
			break
		}
		if c.tokens[j].is&senses != 0 {
			return j, true
		}
	}
	return 0, false
}

// A subject is what stands before a verb: who does it, and its auxiliaries.
type subject struct {
	start   int    // the first token that belongs to the verb, or to a speaker
	aux     lexeme // senses of the auxiliaries
	who     lexeme // senses of the word before them
	speaker bool   // it is the speaker, or nobody in particular where only the speaker can be meant
	bare    bool   // nothing stands before the verb
	finite  bool   // it says something of a thing: no "to" and no "that" before it, no person
}

// subject returns what stands before the k-th token.
func (c *composer) subject(k int) subject {
	s := subject{start: k}
	to := k // the last "to" that was passed
	for j := k - 1; ; j-- {
		if j < 0 || c.tokens[j].clause != c.tokens[k].clause || c.is(j)&(auxiliary|fillers|need) == 0 {
			s.who = 0
			if j >= 0 && c.tokens[j].clause == c.tokens[k].clause {
				s.who = c.is(j)
				if s.who&relative != 0 && (j == 0 || c.tokens[j-1].clause != c.tokens[k].clause) && s.who&person == 0 {
					s.who &^= relative // "that is not known"
				}
				s.bare = s.who&joins != 0 || c.tokens[j].shows>>Turns&1 != 0
			} else {
				s.bare = true
			}
			if s.who&me != 0 {
				s.start = j
			}
			break
		}
		if c.is(j)&infinitive != 0 {
			to = j
		}
		if c.is(j)&(auxiliary|need) != 0 {
			s.aux |= c.is(j)
			s.start = j
		}
	}
	s.finite = to >= s.start && s.who&(person|relative) == 0
	s.speaker = s.who&me != 0 || s.bare && s.aux&(singular|copula) == 0
	return s
}

// predicate returns the first token behind the k-th that says what a denial is about, and the senses of the auxiliaries between; the k-th
// where there is none.
func (c *composer) predicate(k int, aux lexeme) (p int, through lexeme) {
	for j := k + 1; j <= k+6 && j < len(c.tokens); j++ {
		is := c.is(j)
		if c.tokens[j].clause != c.tokens[k].clause && is&adverb == 0 {
			break
		}
		if is&predicates != 0 {
			return j, through
		}
		if is&(auxiliary|fillers|me|need) == 0 {
			break
		}
		through |= is
		if is&have != 0 && aux&do != 0 { // "do not have"
			return j, through
		}
	}
	return k, through
}

// compose returns what the clause around the k-th token shows, and its tokens; end is 0 for nothing.
func (c *composer) compose(k int, question bool) (sense Sense, start, end int) {
	is := c.is(k)
	switch {
	case is&negation != 0 && is&none == 0:
		return c.denial(k)
	case is&none != 0:
		return c.absence(k)
	case is&causes != 0 && k+1 < len(c.tokens) && (c.is(k+1)&me != 0 || c.t.Words[c.tokens[k+1].start].Fold == "it"):
		return Because, k, k + 2
	}
	if question || is&(clarify|mean|need) != 0 {
		if sense, start, end = c.request(k, question); end > 0 {
			return sense, start, end
		}
	}
	s := c.subject(k)
	finite := s.aux&copula != 0 && s.finite
	switch {
	case is&unsure != 0 && (s.speaker || s.bare || finite && s.aux&past == 0):
		return Unknown, s.start, k + 1
	case is&unsaid != 0 && (finite && s.aux&(past|modal) == 0 || s.bare && c.alone(k)):
		if _, ok := c.near(k, -1, 3, need); !ok {
			return Insufficient, s.start, k + 1
		}
	case is&fake != 0 && finite && s.aux&past == 0:
		return NotFound, s.start, k + 1
	case is&impossible != 0:
		if p, _ := c.predicate(k, 0); c.is(p)&(know|tell|find|say|answers) != 0 && p > k {
			return Insufficient, k, p + 1
		}
	case is&doubt != 0 && s.speaker && s.who&me != 0:
		return Unknown, s.start, k + 1
	case is&lack != 0 && (s.who&(source|me) != 0 || c.is(k+1)&wh != 0):
		return Insufficient, s.start, k + 1
	case is&decline != 0 && (s.who&me != 0 || s.bare && c.alone(k)):
		return Refuses, s.start, k + 1
	case is&look != 0:
		if s.who&me != 0 && s.aux&need != 0 {
			return Unknown, s.start, k + 1
		}
		if j, ok := c.near(k-1, -1, 4, urge); ok {
			return Refers, j, k + 1
		}
	}
	return c.objection(k, s)
}

// alone reports whether the token is all that its clause holds, adverbs and fillers aside.
func (c *composer) alone(k int) bool {
	for j := k - 1; j >= 0 && c.tokens[j].clause == c.tokens[k].clause; j-- {
		if c.is(j)&fillers == 0 {
			return false
		}
	}
	return k+1 == len(c.tokens) || c.tokens[k+1].clause != c.tokens[k].clause
}

// denial reads what the negation at k denies, and of whom.
func (c *composer) denial(k int) (Sense, int, int) {
	s := c.subject(k)
	p, through := c.predicate(k, s.aux)
	aux := s.aux | through | c.is(k)&modal
	if through&me != 0 { // "nor do I know"
		s.speaker = true
	} else if s.who&me == 0 && aux&(copula|have) == copula && c.tokens[k].is&modal == 0 && s.aux|through != 0 { // "and could not be used"
		s.speaker = false
	}
	if p == k {
		// "isn't one that I can find": what is denied stands in a clause of its own.
		m, ok := c.near(k+1, 1, 4, me|source)
		if !ok {
			m, ok = c.near(k+1, 1, 4, you)
		}
		if ok && (aux&copula != 0 || s.bare && aux == 0) {
			if q, more := c.predicate(m, 0); q > m {
				if c.is(q)&(know|find) != 0 && c.is(m)&me != 0 {
					return NotFound, s.start, q + 1
				}
				s.speaker, s.who, p, aux = c.is(m)&(me|you) != 0, c.is(m), q, more
			} else if more&have != 0 {
				return Unknown, s.start, m + 2
			}
		}
	}
	is := c.is(p)
	if p == k {
		is = 0
	}
	if c.is(k+1)&opines != 0 && s.speaker { // "I don't think it exists"
		for q := k + 2; q < len(c.tokens) && q < k+2+phraseSpan; q++ {
			if c.is(q)&exist != 0 {
				return NotFound, s.start, q + 1
			}
			if c.is(q)&me != 0 && c.is(q+1)&modal != 0 {
				return Unknown, s.start, q + 2
			}
		}
		return 0, 0, 0
	}
	if s.who&there != 0 && aux&copula != 0 && s.aux&modal == 0 { // "there is not any"
		return c.missing(k, s.start)
	}
	if q, ok := c.near(k+1, 1, 7, namesake|such); ok && p == k {
		return NotFound, s.start, q + 1
	}
	if sense, ok := verdict(is, aux, s, c.tokens[k].clause, c, p); ok {
		return sense, s.start, p + 1
	}
	switch {
	case p == k && c.is(k+1)&wh != 0 && k > 0 && c.tokens[k-1].shows>>Turns&1 != 0: // "but not who paid"
		return Insufficient, k, k + 2
	case is&predicates == 0 && !s.speaker:
		if q, ok := c.near(k+1, 1, 4, source); ok && c.within(k+1) { // "not in the text"
			return Insufficient, s.start, q + 1
		}
	}
	return 0, 0, 0
}

// within reports whether the k-th token opens a phrase of place: "in the text", "part of the report".
func (c *composer) within(k int) bool {
	return k < len(c.tokens) && places[c.t.Words[c.tokens[k].start].Fold]
}

var places, indefinite = listed("place"), listed("indefinite")

// verdict returns what it shows that somebody does not do what a verb says.
func verdict(is, aux lexeme, s subject, _ int32, c *composer, p int) (Sense, bool) {
	passive := aux&copula != 0 && !s.speaker
	current := aux&past == 0 || s.who&source != 0
	switch {
	case is&exist != 0:
		return NotFound, s.who&relative == 0
	case s.speaker && is&know != 0 && (aux&modal == 0 || is&(tell|say|answers) == 0 || is&tell != 0):
		if c.is(p+1)&particle != 0 && p+2 < len(c.tokens) && indefinite[c.t.Words[c.tokens[p+2].start].Fold] { // "not aware of any"
			return NotFound, true
		}
		return Unknown, true
	case s.speaker && is&find != 0:
		return NotFound, true
	case s.speaker && aux&modal != 0 && is&tell != 0:
		return Unknown, true
	case s.speaker && aux&modal != 0:
		return Refuses, aux&would == 0 || is&(answers|say) != 0
	case s.speaker && s.who&me != 0 && aux&have != 0 && is&predicates == 0:
		return Unknown, true
	case s.speaker && s.who&me != 0 && is&answers != 0:
		return Refuses, true
	case s.bare && is&deed != 0 && aux&modal == 0:
		return Rejects, true
	case s.speaker && is&(say|tell) != 0 && s.who&me == 0:
		return Insufficient, current
	case s.speaker || s.who&relative != 0:
		return 0, false
	case passive && is&right != 0:
		return Rejects, true
	case passive && is&know != 0 && aux&past == 0 && is&say == 0:
		return Unknown, c.is(p+1)&particle == 0 || c.is(p+2)&me != 0
	case passive && is&find != 0:
		return NotFound, true
	case passive && is&(say|tell) != 0:
		return Insufficient, current
	case is&deed != 0 && (aux&(past|copula|have) != 0 || aux == 0):
		return Rejects, true
	case s.who&person != 0:
		return 0, false
	case is&find != 0:
		return NotFound, aux&past == 0 && aux&modal == 0 || s.who&source != 0
	case is&say != 0 && aux&modal == 0:
		return Insufficient, current
	case s.who&source != 0 && aux&have != 0:
		return Insufficient, true
	}
	return 0, false
}

// absence reads what "no", "nothing", "nobody" and the like at k say is missing.
func (c *composer) absence(k int) (Sense, int, int) {
	v := k - 1 // the verb before, "gives no", "came up with nothing"
	for v >= 0 && c.is(v)&fillers != 0 && c.is(v)&(auxiliary|predicates|relative) == 0 && c.tokens[v].clause == c.tokens[k].clause {
		v--
	}
	if v >= 0 && c.is(k+1)&(modal|copula) == 0 && c.tokens[v].clause == c.tokens[k].clause && c.t.Words[c.tokens[v].end-1].End+1 >= c.t.Words[c.tokens[v].end].Start {
		s, is := c.subject(v), c.is(v)
		switch {
		case is&copula != 0 && s.who&there != 0:
			return c.missing(k, max(0, s.start-1))
		case s.who&me != 0 && is&(have|lack) != 0 || s.who&me != 0 && s.aux&modal != 0 && is&answers != 0:
			return Unknown, s.start, k + 1
		case s.speaker && is&(know|find) != 0:
			return NotFound, s.start, k + 1
		case s.who&source != 0 && is&(have|find) != 0, is&say != 0 && is&have == 0 && s.who&(person|me|relative) == 0 && (is&past == 0 || s.who&source != 0) && s.aux&(modal|copula) == 0:
			return Insufficient, s.start, k + 1
		}
	}
	s := c.subject(k)
	subject := s.bare || s.start == k && s.who&(auxiliary|predicates) == 0 || s.aux&copula != 0 && c.is(k)&pronoun != 0
	var noun, through lexeme
	for p := k + 1; p < len(c.tokens) && p <= k+phraseSpan; p++ {
		is := c.is(p)
		switch {
		case is&(such|namesake) != 0 && subject:
			return NotFound, k, p + 1
		case p <= k+4 && is&source != 0 && c.is(k)&pronoun != 0 && c.is(k)&nobody == 0:
			return Insufficient, k, p + 1
		case is&exist != 0 && subject:
			return NotFound, k, p + 1
		case through&me != 0 && is&(know|find) != 0:
			return NotFound, k, p + 1
		case c.is(k)&nobody != 0 && is&(know|say|tell) != 0 && p <= k+4:
			return Unknown, k, p + 1
		case through&copula == 0 && c.is(k)&pronoun == 0 && noun&source == 0:
		case is&know != 0 && is&say == 0 && subject:
			return Unknown, k, p + 1
		case is&find != 0 && subject:
			return NotFound, k, p + 1
		case is&(say|tell) != 0 && subject:
			return Insufficient, k, p + 1
		}
		if c.tokens[p].clause != c.tokens[k].clause && c.is(k)&negation == 0 || is&(you|person) != 0 {
			break
		}
		if p <= k+4 {
			noun |= is & (info | record | source)
		}
		through |= is
	}
	if s.bare && c.is(k)&pronoun == 0 && c.is(k)&none != 0 {
		if noun&record != 0 {
			return NotFound, k, k + 2
		}
		if noun&info != 0 {
			return Insufficient, k, k + 2
		}
	}
	return 0, 0, 0
}

// missing reads "there is no …", the denial at k.
func (c *composer) missing(k, start int) (Sense, int, int) {
	sense, end := Rejects, k+1
	var through lexeme
	for p := k + 1; p < len(c.tokens) && p <= k+phraseSpan; p++ {
		is := c.is(p)
		switch {
		case is&(such|namesake) != 0, through&me != 0 && is&(know|find) != 0, c.t.Words[c.tokens[p].start].Fold == "my":
			return NotFound, start, p + 1
		case p <= k+3 && is&record != 0 && sense == Rejects:
			sense, end = NotFound, p+1
		case p <= k+3 && is&info != 0 && sense == Rejects:
			sense, end = Insufficient, p+1
		case p <= k+4 && is&source != 0 && c.is(k)&pronoun != 0, p == k+1 && c.is(k)&pronoun != 0 && c.within(p):
			return Insufficient, start, p + 1
		}
		if c.tokens[p].clause != c.tokens[k].clause {
			break
		}
		through |= is
	}
	return sense, start, end
}

// request reads a question or plea for what the speaker needs to know.
func (c *composer) request(k int, question bool) (Sense, int, int) {
	is := c.is(k)
	if is&clarify != 0 {
		if j, ok := c.near(k-1, -1, 3, plea); ok {
			return Asks, j, k + 1
		}
		s := c.subject(k)
		if s.bare && s.aux == 0 && (c.is(k+1)&wh != 0 || is&bid != 0 && c.is(k+1)&aside == 0) { // "tell me which"
			return Asks, k, k + 1
		}
		if is&bid != 0 && c.is(k-1)&you != 0 && c.is(k-2)&aside != 0 { // "if you tell me"
			return Asks, k - 2, k + 1
		}
	}
	if is&mean != 0 {
		if j, ok := c.near(k-1, -1, 4, you); ok {
			if i, ok := c.near(j-1, -1, 4, wh); question || ok && c.is(i-1)&aside == 0 {
				if _, ok := c.near(j-1, -1, 4, aside); !ok {
					return Asks, max(0, j-1), k + 1
				}
			}
		}
	}
	if is&need != 0 {
		if j, ok := c.near(k-1, -1, 3, me); ok && (c.is(k+1)&(know|info) != 0 || c.is(k+2)&(know|info) != 0) {
			return Asks, j, k + 2
		}
	}
	return 0, 0, 0
}

// objection reads what says that the question is mistaken: its premise is false, there seems to be a mix-up, the reader confuses two things.
func (c *composer) objection(k int, s subject) (Sense, int, int) {
	is := c.is(k)
	switch {
	case is&premise != 0:
		if j, ok := c.near(k+1, 1, 4, mistake|wrong); ok {
			return Rejects, k, j + 1
		}
	case is&wrong != 0 && s.aux&copula != 0 && s.who&(person|me|relative) == 0:
		return Rejects, s.start, k + 1
	case is&mistake != 0:
		if j, ok := c.near(k+1, 1, 2, premise); ok {
			return Rejects, k, j + 1
		}
		if j, ok := c.near(k-1, -1, 6, rest); ok {
			return Rejects, j, k + 1
		}
	case is&confuse != 0:
		// What is confused may be the answer, so the cue covers it and does not deny it.
		if j, ok := c.near(k-1, -1, 5, you|premise); ok && (is&mean == 0 || s.aux&modal != 0) {
			for k++; k < len(c.tokens) && c.tokens[k].clause == c.tokens[j].clause; k++ {
			}
			return Rejects, j, k
		}
	}
	return 0, 0, 0
}
