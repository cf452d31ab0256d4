package evidence

const (
	// may stand between a verb and what belongs to it
	fillers    = adverb | particle | infinitive
	auxiliary  = modal | copula | do | have                                        // stand before a verb
	predicates = know | find | exist | tell | say | answers | right | wrong | fake // what a denial is about
	persons    = me | person | source | relative | there                           // who or what a clause is about
	triggers   = negation | none | fake | unsure | unsaid | lack | doubt | decline | look | clarify | mean | wrong |
		causes | need
	phraseSpan = 8 // words and phrases that a noun phrase and its verb may have
)

// composer reads cues from the clauses of a sentence.
type composer struct {
	t      *Text
	tokens []token
}

// findCues reads the cues of all sentences, in one pass that looks a bounded number of words to each side.
func (t *Text) findCues() {
	c := &composer{t: t}
	for _, s := range t.Sentences {
		c.read(s.Words)
		for k := 0; k < len(c.tokens); k++ {
			sense, start, end := c.compose(k, s.Question)
			if sense == Nothing {
				sense, start, end = c.tokens[k].shows, k, k+1
			}
			if sense == Nothing {
				continue
			}
			cue := Cue{sense, Span{c.tokens[start].Start, c.tokens[end-1].End}}
			n := len(t.Cues) // of the cues that it does not cover; only a reason may overlap what follows it
			for n > 0 && t.Cues[n-1].Words.End > cue.Words.Start &&
				(t.Cues[n-1].Sense != Because || t.Cues[n-1].Words.Start >= cue.Words.Start) {
				n--
			}
			t.Cues = append(t.Cues[:n], cue)
			if sense != Because { // "so I can't say" gives a reason and declines
				k = end - 1
			}
		}
	}
}

// is returns the senses of a token, none beyond the ends of the sentence.
func (c *composer) is(k int) lexeme {
	if k < 0 || k >= len(c.tokens) {
		return 0
	}
	return c.tokens[k].is
}

// same reports whether a token stands in the clause of the k-th.
func (c *composer) same(j, k int) bool {
	return j >= 0 && j < len(c.tokens) && c.tokens[j].clause == c.tokens[k].clause
}

// before returns the last of at most n tokens before the k-th, in the clause of the last of them, that has one of
// the senses.
func (c *composer) before(k, n int, senses lexeme) (int, bool) {
	for j := k - 1; j >= k-n && c.same(j, k-1); j-- {
		if c.is(j)&senses != 0 {
			return j, true
		}
	}
	return 0, false
}

// subject returns where the verb at k begins, with its auxiliaries and the speaker, and the senses of these and of
// the word before them: whether the verb is bare, whether the speaker does it, whether nothing stands before it.
func (c *composer) subject(k int) (start int, about lexeme) {
	start = k
	j := k - 1
	for ; c.same(j, k) && c.is(j)&(auxiliary|fillers|need) != 0; j-- {
		if c.is(j)&(auxiliary|need) != 0 {
			about |= c.is(j) & (auxiliary | need | past | would)
			start = j
		}
	}
	if !c.same(j, k) {
		return start, about | bare | speaker | first
	}
	before := c.is(j)
	if !c.same(j-1, k) && before&person == 0 {
		before &^= relative // "that is not known"
	}
	about |= before & persons
	if before&(me|there) != 0 {
		start = j
	}
	if before&joins != 0 {
		about |= bare
	}
	if before&(me|joins) != 0 {
		about |= speaker
	}
	if about&(there|bare|copula) != 0 || start == k && before&predicates == 0 {
		about |= first
	}
	return start, about
}

// compose returns what the clause around the k-th token shows, and its tokens; Nothing for nothing.
func (c *composer) compose(k int, question bool) (sense Sense, start, end int) {
	is := c.is(k)
	switch {
	case is&triggers == 0:
		return Nothing, k, k
	case is&none != 0:
		return c.absence(k)
	case is&negation != 0:
		return c.denial(k)
	case is&causes != 0 && c.is(k+1)&(me|opens) != 0:
		return Because, k, k + 2
	}
	if sense, start, end = c.request(k, question); sense != Nothing {
		return sense, start, end
	}
	start, about := c.subject(k)
	about |= c.is(k+1) & wh
	if !c.same(k+1, k) {
		about |= ends
	}
	if sense = pick(lacks, is, about); sense != Nothing {
		return sense, start, k + 1
	}
	if j, ok := c.before(k, 4, urge); ok && is&look != 0 {
		return Refers, j, k + 1
	}
	return Nothing, k, k
}

// A rule says what a word shows in a clause that has all of some senses and none of others. The first of a list counts.
type rule struct {
	word, all, none lexeme
	sense           Sense
}

const anything = ^lexeme(0)

// pick returns what a word shows in a clause.
func pick(rules []rule, word, about lexeme) Sense {
	for _, r := range rules {
		if has := about | word; (word&r.word != 0 || r.word == anything) && has&r.all == r.all && has&r.none == 0 {
			return r.sense
		}
	}
	return Nothing
}

// lacks say what words show that lack or deny something by themselves.
var lacks = []rule{
	{unsure, copula, person | relative | past, Unknown},
	{unsure, speaker, 0, Unknown},
	{doubt, me, 0, Unknown},
	{look, me | need, 0, Unknown},
	{unsaid, copula, person | relative | past, Insufficient},
	{unsaid, bare | ends, auxiliary, Insufficient},
	{lack, me, 0, Insufficient},
	{lack, wh, 0, Insufficient},
	{fake, copula, person | relative | past, NotFound},
	{decline, me, 0, Refuses},
	{decline, bare | ends, auxiliary, Refuses},
	{wrong, copula, person | relative | me, Rejects},
}

// denial reads what "not" and the like at k denies, and of whom.
func (c *composer) denial(k int) (Sense, int, int) {
	start, about := c.subject(k)
	through := c.is(k) & modal
	for p := k + 1; p <= k+6 && c.same(p, k); p++ {
		is := c.is(p)
		if is&predicates != 0 {
			return c.verdict(p, about|through), start, p + 1
		}
		if is&(auxiliary|fillers|me|need) == 0 {
			break
		}
		through |= is & (auxiliary | past | would | me)
	}
	if sense, end := c.behind(k, about); sense != Nothing {
		return sense, start, end
	}
	return c.verdict(k, about|through), start, k + 1
}

// verdicts say what it shows that somebody does not do what a verb says.
var verdicts = []rule{
	{exist, 0, relative, NotFound},
	{know, speaker, 0, Unknown},
	{find, speaker, 0, NotFound},
	{tell, speaker | modal, 0, Unknown},
	{anything, speaker | modal, would, Refuses},
	{have, speaker | me, predicates, Unknown},
	{answers, speaker | me, 0, Refuses},
	{say | tell, speaker | bare | current, me, Insufficient},
	{anything, relative, 0, Nothing},
	{right, passive, 0, Rejects},
	{know, passive | current, 0, Unknown},
	{find, passive, 0, NotFound},
	{say | tell, passive | current, 0, Insufficient},
	{anything, person, 0, Nothing},
	{find, current, modal, NotFound},
	{say, current, modal, Insufficient},
	{have, source, 0, Insufficient},
}

// verdict returns what it shows that the p-th token is denied in such a clause.
func (c *composer) verdict(p int, about lexeme) Sense {
	verb := c.is(p) & predicates
	if about&copula != 0 {
		about |= passive
	}
	if about&past == 0 {
		about |= current
	}
	return pick(verdicts, verb|about&have, about)
}

// absence reads what "no", "nothing", "nobody" and the like at k say is missing.
func (c *composer) absence(k int) (Sense, int, int) {
	v := k - 1 // the verb before: "gives no date", "came up with nothing"
	for c.same(v, k) && c.is(v)&fillers != 0 {
		v--
	}
	if start, of := c.subject(v); c.same(v, k) && c.is(k+1)&(modal|copula) == 0 {
		if sense := c.verdict(v, of|c.is(v)&have); sense != Nothing {
			return sense, start, k + 1
		}
	}
	start, about := c.subject(k)
	sense, end := c.behind(k, about)
	return sense, start, end
}

// absences say what words show that stand behind a denial which has no verb; remains, what all of them show.
var (
	absences = []rule{
		{such | exist, first, 0, NotFound},
		{such | exist, negation, 0, NotFound},
		{source, pronoun, nobody, Insufficient},
		{know | find, me, 0, NotFound},
		{know | say | tell, nobody, 0, Unknown},
		{find, first, there, NotFound},
		{say | tell, first, there, Insufficient},
	}
	remains = []rule{
		{record, there, 0, NotFound},
		{record, bare, pronoun, NotFound},
		{info, there, 0, Insufficient},
		{info, bare, pronoun, Insufficient},
		{anything, there, 0, Rejects},
	}
)

// behind reads what stands behind a denial at k that has no verb: "no record of it exists", "nobody knows", "there
// is no such paper", "not that I know of", "not in the text".
func (c *composer) behind(k int, about lexeme) (sense Sense, end int) {
	about = c.is(k)&(pronoun|negation|nobody) | about&(there|bare|first)
	var through lexeme
	for p := k + 1; p <= k+phraseSpan && c.same(p, k); p++ {
		through |= c.is(p)
		if sense := pick(absences, c.is(p), about|through&me); sense != Nothing {
			return sense, p + 1
		}
	}
	return pick(remains, through, about), k + 1
}

// request reads a question or plea for what the speaker needs to know.
func (c *composer) request(k int, question bool) (Sense, int, int) {
	is := c.is(k)
	if j, ok := c.before(k, 3, plea); ok && is&clarify != 0 {
		return Asks, j, k + 1
	}
	if _, about := c.subject(k); is&clarify != 0 && about&bare != 0 && c.is(k+1)&wh|is&bid != 0 { // "tell me which"
		return Asks, k, k + 1
	}
	if j, ok := c.before(k, 4, you); ok && is&mean != 0 {
		if _, asked := c.before(j, 4, wh); question || asked {
			return Asks, max(0, j-1), k + 1
		}
	}
	if j, ok := c.before(k, 3, me); ok && is&need != 0 && (c.is(k+1)|c.is(k+2))&(know|info) != 0 {
		return Asks, j, k + 2
	}
	return Nothing, k, k
}
