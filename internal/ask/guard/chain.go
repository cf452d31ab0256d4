package guard

import (
	"math/big"
	"slices"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/arithmetic"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/quotation"
)

// chainRequest is what is put behind a question to have it answered as a chain.
const chainRequest = "\n\nAnswer as a chain, a line for each part and nothing else. " +
	"Use no step that the conclusion does not need.\n" +
	"CLAIM: what is the case\nEVIDENCE: the line, the identifier or the calculation that the claim rests " +
	"on\nCONCLUSION: the answer to the question"

const maxSteps = 32

var chainLine = pattern.New(`(?i)^[\s>*#-]*(?:[0-9]+[.)]\s*)?(?:\*\*)?(claim|evidence|` +
	`conclusion)(?:\s*[0-9]+)?(?:\*\*)?\s*:\s*(?:\*\*)?\s*(.*)$`)

// ParseChain reads an answer in the form that the guard asks for: lines that open with CLAIM:, EVIDENCE: and
// CONCLUSION:, in any number of claims, each with its evidence behind it, and one conclusion at the end. It is
// false for anything else.
func ParseChain(text string) (Chain, bool) {
	var c Chain
	for _, line := range strings.Split(last(text, evidence.Limit), "\n") {
		m := chainLine.FindStringSubmatch(line)
		if m == nil {
			if strings.TrimSpace(line) != "" && c.Conclusion != "" {
				return Chain{}, false
			}
			continue
		}
		part := strings.TrimSpace(m[2])
		switch label := strings.ToLower(m[1]); {
		case part == "", c.Conclusion != "":
			return Chain{}, false
		case label == "claim":
			c.Steps = append(c.Steps, Step{Claim: part})
		case label == "conclusion":
			c.Conclusion = part
		case len(c.Steps) == 0 || c.Steps[len(c.Steps)-1].Evidence != "":
			return Chain{}, false // evidence of nothing
		default:
			c.Steps[len(c.Steps)-1].Evidence = part
		}
		if len(c.Steps) > maxSteps {
			return Chain{}, false
		}
	}
	return c, c.Conclusion != "" && len(c.Steps) > 0
}

// chained holds an answer against the chain that the model gave of its own answer, and against the chain that the
// answer itself is.
func (j *judging) chained(r *reading) *Objection {
	if r.abstains() {
		return nil
	}
	if f := j.q.implied(r); f != nil {
		return f
	}
	if j.chain == nil {
		return nil
	}
	c := j.chain
	wrong := func(format string, args ...any) *Objection { return fails(ChainLayer, noChain, format, args...) }
	end := j.q.read("chain", c.Conclusion)
	if !same(end, r) {
		return wrong("as a chain the conclusion is “%s”, not “%s”", c.Conclusion, r.core())
	}
	later := contentOf(c.Conclusion)
	for i := len(c.Steps) - 1; i >= 0; i-- {
		s := c.Steps[i]
		if why := j.q.unfounded(s); why != "" {
			return wrong("%s", why)
		}
		own := append(contentOf(s.Claim), contentOf(s.Evidence)...)
		if !slices.ContainsFunc(own, func(w string) bool { return slices.Contains(later, w) }) {
			return wrong("the step “%s” bears nothing", s.Claim)
		}
		later = append(later, own...)
	}
	return nil
}

// contentOf are the words of content of a text.
func contentOf(s string) []string {
	var all []string
	for _, w := range evidence.Read(s).Words {
		if !evidence.IsStop(w.Fold) && len(all) < maxContent {
			all = append(all, w.Fold)
		}
	}
	return all
}

// unfounded says why the evidence of a step is none: a line or a quotation that is not there, or arithmetic that
// does not hold. Where lines or sources are asked for, a step without evidence is unfounded too.
func (q *query) unfounded(s Step) string {
	if s.Evidence == "" {
		if q.cites || q.contextOnly {
			return "the claim “" + s.Claim + "” rests on nothing"
		}
		return ""
	}
	t := evidence.Read(s.Evidence)
	for _, e := range arithmetic.Equalities(t.Plain) {
		if !e.Holds {
			return "“" + e.Text + "” does not hold"
		}
	}
	for _, c := range quotation.Citations(t, q.passages) {
		if !c.Known {
			return "there is no line " + c.ID
		}
	}
	for _, quote := range quotation.Quotes(t) {
		if len(quote.Words) >= 3 && len(q.passages) > 0 && !q.located(quote) {
			return "the quotation “" + quote.Text + "” is not there"
		}
	}
	return ""
}

// implied holds an answer against the chain that it is by itself: a line it names is evidence, an equality is a
// step, and the last of them gives the conclusion. A step that nothing after it uses is unused.
func (q *query) implied(r *reading) *Objection {
	for _, c := range r.cites {
		for i, p := range q.raw {
			if p.ID == c.ID && len(r.claims) > 0 && !slices.ContainsFunc(r.claims, func(w string) bool {
				return len(q.reading[i].Find([]string{w})) > 0
			}) {
				return fails(ChainLayer, noChain, "line %s bears nothing of “%s”", c.ID, r.core()).
					fixed(q.recite(r, c, q.holders(r)))
			}
		}
	}
	if steps := arithmetic.Equalities(r.t.Plain); len(steps) > 1 {
		return q.unused(r, steps)
	}
	return nil
}

// unused: each step of a calculation uses the result of one before it, and the answer is the result of one.
func (q *query) unused(r *reading, steps []arithmetic.Equality) *Objection {
	for i, s := range steps {
		_, right, ok := strings.Cut(s.Text, "=")
		result, isNumber := quantity.Number(right)
		at := strings.Index(r.t.Plain, s.Text)
		if !ok || !isNumber || at < 0 {
			return nil // what was cut from a long line
		}
		after := quantity.Each(quantity.Scan(r.t.Plain[at+len(s.Text):]))
		if i < len(steps)-1 {
			if !slices.ContainsFunc(after, func(n quantity.Quantity) bool {
				return n.Value != nil && n.Value.Cmp(result) == 0
			}) {
				return fails(ChainLayer, noChain, "nothing uses the step “%s”", s.Text).fixed(q.sum.shown)
			}
		} else if end, ok := quantity.Number(last(r.text, evidence.Limit)); ok && len(after) > 0 && !among(steps, end) {
			return fails(ChainLayer, noChain, "the answer is %s, and no step gives that", end.RatString()).
				fixed(q.sum.shown)
		}
	}
	return nil
}

// among reports whether a number is a result of one of the steps.
func among(steps []arithmetic.Equality, v *big.Rat) bool {
	return slices.ContainsFunc(steps, func(s arithmetic.Equality) bool {
		_, right, _ := strings.Cut(s.Text, "=")
		r, ok := quantity.Number(right)
		return ok && r.Cmp(v) == 0
	})
}
