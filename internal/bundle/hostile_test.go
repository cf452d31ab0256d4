package bundle

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// rich has a case for most of what a suite can hold.
const rich = `suite: {name: rich, version: "1", as_of: 2026-11-01, designed: {calc: randomness}}
cases:
  - {id: a, domain: civic, tags: [calc], difficulty: easy, system: S, prompt: p0, phrasings: [p1, p2], gold: [Paris, Lutetia]}
  - {id: b, class: multi-hop, prompt: q0, phrasings: [q1, q2], options: [Rome, Milan], show_options: true, gold: {option: 0}}
  - {id: c, class: conflict-rag, prompt: r0, context: [{id: L1, text: It is Oslo.}], requires: {evidence: true, context_only: true}, gold: Oslo}
  - {id: d, class: ambiguity, prompt: s0, oracle: {type: clarification, readings: [x, y]}}
  - {id: e, class: false-premise, prompt: t0, oracle: {type: refusal, repair: [no]}, format: {max_words: 20}}
  - {id: f, prompt: t1, demonstrations: [{input: i, label: l}, {input: j, label: m}], answer_type: numeric, gold: "12"}
  - {id: g, prompt: t2, oracle: {type: any, of: [{type: exact, accept: [Bern]}, {type: judge, criteria: It is Bern.}]}}
`

// replacements are what a value of a plan is replaced by.
var replacements = []any{
	nil, -1.0, 0.0, 1.0, 1e9, 1e300, -.5, "", "x", strings.Repeat("long ", 3000), "\x00\u202e", true, false, []any{},
	[]any{nil}, map[string]any{}, []any{"x", "x"}, map[string]any{"x": nil},
	"[[[[[", "(((((", "a{1,1000}{1,1000}", "1e999999999", "1/0", "2026-13-45",
}

// mutate replaces or drops one value somewhere in a document.
func mutate(r *rand.Rand, v any) any {
	switch x := v.(type) {
	case map[string]any:
		if len(x) > 0 && r.IntN(8) > 0 {
			var keys []string
			for k := range x {
				keys = append(keys, k)
			}
			// maps come in no order, so the key is chosen by the stream alone
			slices.Sort(keys)
			k := keys[r.IntN(len(keys))]
			if r.IntN(12) == 0 {
				delete(x, k)
			} else {
				x[k] = mutate(r, x[k])
			}
			return x
		}
	case []any:
		if len(x) > 0 && r.IntN(8) > 0 {
			i := r.IntN(len(x))
			if r.IntN(12) == 0 {
				return append(x, x[i])
			}
			x[i] = mutate(r, x[i])
			return x
		}
	}
	return replacements[r.IntN(len(replacements))]
}

// Plans and answers in which one value is another are refused, or verify as the run that they then are; none makes a
// method panic. HALLMARK_LONG=1 tries more; set HALLMARK_HOSTILE to a number to try as many.
func TestHostileContents(t *testing.T) {
	t.Parallel()
	tries := 9
	if archtest.Long() {
		tries = 150
	}
	if n, err := strconv.Atoi(os.Getenv("HALLMARK_HOSTILE")); err == nil {
		tries = n
	}
	p := planOf(t, rich)
	p.Sampled = 2
	b, err := makeFile(t.Context(), stored(t, p, 1), p, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(b.File); err != nil {
		t.Fatal(err)
	}
	members := unpacked(t, b.File)
	for i := range 2 * tries {
		r := seed.Stream(1, "hostile", strconv.Itoa(i))
		all := map[string][]byte{}
		for name, data := range members {
			all[name] = data
		}
		name, opt := planName, Options{Version: version}
		switch {
		case i >= tries: // and figures follow from verdicts
			name, opt = [...]string{verdictsName, goldsName, resultName, manifestName, planName}[i%5], elsewhere
		case i%3 == 2:
			name = recordsName
		}
		text := string(all[name])
		from, to := 0, len(text)-1
		if strings.HasSuffix(name, ".jsonl") { // one of the lines
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			k := r.IntN(len(lines))
			for range k {
				from += strings.IndexByte(text[from:], '\n') + 1
			}
			to = from + len(lines[k])
		}
		var doc any
		if err := json.Unmarshal([]byte(text[from:to]), &doc); err != nil {
			t.Fatal(err)
		}
		changed, err := json.Marshal(mutate(r, doc))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = []byte(text[:from] + string(changed) + text[to:])
		file := packed(all)
		if name != manifestName {
			file = sealed(t, all)
		}
		if _, err := Verify(t.Context(), file, opt); err != nil && strings.Contains(err.Error(), misused) {
			t.Errorf("%d: %v in %.300s", i, err, changed)
		}
	}
}
