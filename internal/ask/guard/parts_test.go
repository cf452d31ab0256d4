package guard

import (
	"bytes"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hallmark/internal/archtest"
	"hallmark/internal/model"
	"hallmark/internal/text/evidence"
)

func TestReadRequest(t *testing.T) {
	for _, tt := range []struct {
		prompt   string
		question string
		ids      string
		want     kind
		marks    string // c cites, o context only, s steps, i identifier
	}{
		{"What is the capital of Velmoria?", "What is the capital of Velmoria?", "", place, ""},
		{"[L1] a b\n[L2] c\n\nWhat is it?", "What is it?", "L1 L2", anything, ""},
		{"Context:\n[L1] a b\n\nWho is it?", "Who is it?", "L1", person, ""},
		{"L1: The tower is high.\nL2: It is old.\n\nQuestion: How high is it?", "How high is it?", "L1 L2", number, ""},
		{"[1] a\n[2] b\n\nAccording to the context, when was it? Cite the line.",
			"According to the context, when was it? Cite the line.", "1 2", date, "co"},
		{"[L1] a\n\nUse only the lines above and cite the line. Who wrote it?",
			"Use only the lines above and cite the line. Who wrote it?", "L1", person, "co"},
		{"Who is the author of The Silver Lantern?", "", "", person, ""},
		{"Name the author of The Silver Lantern.", "", "", person, ""},
		{"As of 2014, who directs the Kelman Institute?", "", "", person, ""},
		{"Is the Randel Act in force as of 2026?", "", "", yesNo, ""},
		{"Why is Born the capital of Velmoria?", "", "", anything, ""},
		{"What is the catalogue number of The Silver Lantern?", "", "", anything, "i"},
		{"Provide the DOI of the paper.", "", "", anything, "i"},
		{"What is the link between tea and sleep?", "", "", anything, ""},
		{"Name the capital and the currency of Velmoria.", "", "", anything, ""},
		{"What is 3 plus 4? Show 2 steps.", "", "", number, "s"},
		{"How many people live in Velmoria?", "", "", number, ""},
		{"Dr. Selwil wrote much. Where was she born?", "", "", place, ""},
		{"", "", "", anything, ""},
	} {
		x := &Inventory{}
		x.prepare()
		q := readRequest(model.Request{Prompt: tt.prompt}, x)
		var ids []string
		for _, p := range q.raw {
			ids = append(ids, p.ID)
		}
		marks := ""
		for _, m := range []struct {
			on   bool
			mark string
		}{{q.cites, "c"}, {q.contextOnly, "o"}, {q.steps, "s"}, {q.identifier, "i"}} {
			if m.on {
				marks += m.mark
			}
		}
		question := tt.question
		if question == "" {
			question = tt.prompt
		}
		if q.question != question || strings.Join(ids, " ") != tt.ids || q.want != tt.want || marks != tt.marks {
			t.Errorf("%q: question %q, passages %v, wants %s, marks %q", tt.prompt, q.question, ids, kindNames[q.want], marks)
		}
		if got := q.prompt(q.question); strings.TrimSpace(got) != strings.TrimSpace(tt.prompt) {
			t.Errorf("%q is put together again as %q", tt.prompt, got)
		}
	}
}

// "Which number" asks for an identifier where the index has numbers that are some, and for a figure elsewhere.
func TestWhichNumber(t *testing.T) {
	req := model.Request{Prompt: "Which number is by definition the imperial gallon, in litres?"}
	if q := readRequest(req, town()); !q.identifier {
		t.Error("no identifier where the index has catalogue numbers")
	}
	if q := readRequest(req, &Inventory{Identifiers: []Identifier{{ID: "10.1000/182", Kind: "doi"}}}); q.identifier {
		t.Error("an identifier where the index has no numbers")
	}
}

func TestReadSum(t *testing.T) {
	for question, want := range map[string]string{
		"What is 3 plus 13?":                        "3 + 13 = 16",
		"3 + 13 = ?":                                "3 + 13 = 16",
		"What is thirteen plus three?":              "13 + 3 = 16",
		"Add 3, 4 and 5.":                           "3 + 4 = 7, 7 + 5 = 12",
		"What do you get if you add 8 and 18?":      "8 + 18 = 26",
		"For 8 and 18, what is the sum?":            "8 + 18 = 26",
		"Please answer: What is twenty-one times 2": "21 * 2 = 42",
		"What is 2 + 3 * 4?":                        "2 + 3 * 4 = 14",
		"What is 1 / 3?":                            "1 / 3 = 1/3",
		"What is 1 / 4?":                            "1 / 4 = 0.25",
		"What is 10 minus 4 minus 1?":               "10 - 4 = 6, 6 - 1 = 5",
		"If I add 1,200 to 34, what comes out?":     "1,200 + 34 = 1234",
		// not the guard's to read
		"Add 3 eggs and 2 cups of milk.":      "",
		"How many are 3 and 4?":               "",
		"What is 3?":                          "",
		"What is 1 / 0?":                      "",
		"What happened in 1914 and 1939?":     "",
		"Subtract 5 from 12.":                 "",
		"Is 7 plus 3 more than 9?":            "",
		"What is " + strings.Repeat("9+", 99): "",
	} {
		if got := readSum(question); got.shown != want {
			t.Errorf("%q: %q, want %q", question, got.shown, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SliceOfN(rapid.IntRange(0, 10_000), 2, 8).Draw(t, "terms")
		sum, text := new(big.Rat), ""
		for i, k := range n {
			sum.Add(sum, new(big.Rat).SetInt64(int64(k)))
			if text += fmt.Sprint(k); i < len(n)-1 {
				text += " plus "
			}
		}
		if got := readSum("What is " + text + "?"); got.value == nil || got.value.Cmp(sum) != 0 {
			t.Fatalf("%s: %v, want %v", text, got.value, sum)
		}
	})
}

func TestReadClaim(t *testing.T) {
	for question, want := range map[string]claim{
		"Is it true that the capital of Velmoria is Arn?": {of: "the capital of Velmoria",
			value: "Arn"},
		"Is Arn the capital of Velmoria?": {of: "the capital of Velmoria",
			value: "Arn"},
		"The capital of Velmoria is Arn. Is that right?": {of: "the capital of Velmoria",
			value: "Arn"},
		"Is it false that the capital of Velmoria is Arn?": {of: "the capital of Velmoria",
			value: "Arn", negated: true},
		"The capital of Velmoria is Arn. Is that wrong?": {of: "the capital of Velmoria",
			value: "Arn", negated: true},
		"Why is the Kelman Institute the owner of the fields of Arn?": {of: "the owner of the fields of Arn",
			value: "the Kelman Institute", premise: true},
		"Since when is Arn the capital of Velmoria?": {of: "the capital of Velmoria",
			value: "Arn", premise: true},
		"Explain why Arn is the capital of Velmoria.": {of: "the capital of Velmoria",
			value: "Arn", premise: true},
		"How did Arn become the capital of Velmoria?": {of: "the capital of Velmoria",
			value: "Arn", premise: true},
		"Quick question: Is it right that the seat of the Arn Trust is Velwick?": {of: "the seat of the Arn Trust",
			value: "Velwick"},
		"What is the capital of Velmoria?": {},
		"Why is the sky blue?":             {},
		"Is it true?":                      {},
		"Is it true that " + strings.Repeat("the capital of ", 200) + " is Arn?": {},
	} {
		got := readClaim(question)
		got.text = ""
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(claim{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

func TestVariants(t *testing.T) {
	for question, want := range map[string][]string{
		"What is the capital of Velmoria?": {"Name the capital of Velmoria.",
			"Please answer: What is the capital of Velmoria?"},
		"Name the author of The Silver Lantern.": {"Who is the author of The Silver Lantern?",
			"Please answer: Name the author of The Silver Lantern."},
		"Cite the line. What is the capital of Arn?": {"Cite the line. Name the capital of Arn.",
			"Please answer: Cite the line. What is the capital of Arn?"},
		"What is 3 plus 4?": {"How much is 3 plus 4?", "Please answer: What is 3 plus 4?"},
		"Why?":              {"Please answer: Why?", "Question: Why?"},
	} {
		if diff := cmp.Diff(want, Variants(question, 2)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		question := rapid.String().Draw(t, "question")
		all := Variants(question, MaxPhrasings)
		if len(all) != MaxPhrasings {
			t.Fatalf("%d wordings", len(all))
		}
		seen := map[string]bool{question: true}
		for i, w := range all {
			if seen[w] {
				t.Fatalf("%q stands twice", w)
			}
			seen[w] = true
			if fewer := Variants(question, i+1); fewer[i] != w {
				t.Fatalf("wording %d depends on how many are asked for", i)
			}
		}
	})
}

func TestParseChain(t *testing.T) {
	for text, want := range map[string]*Chain{
		"CLAIM: a\nEVIDENCE: b\nCONCLUSION: c": {Steps: []Step{{"a", "b"}},
			Conclusion: "c"},
		"Here is the chain.\n\n**Claim 1:** a\n- Evidence: [L1]\n2. claim: d\nconclusion: c\n": {Steps: []Step{{"a", "[L1]"},
			{"d", ""}}, Conclusion: "c"},
		"CONCLUSION: c":                                    nil,
		"CLAIM: a":                                         nil,
		"EVIDENCE: b\nCLAIM: a\nCONCLUSION: c":             nil,
		"CLAIM: a\nCONCLUSION: c\nCLAIM: d":                nil,
		"CLAIM: a\nCONCLUSION: c\nand so on":               nil,
		"CLAIM:\nCONCLUSION: c":                            nil,
		"Zantelwick":                                       nil,
		strings.Repeat("CLAIM: a\n", 40) + "CONCLUSION: c": nil,
	} {
		got, ok := ParseChain(text)
		if ok != (want != nil) {
			t.Errorf("%q: %+v, %v", text, got, ok)
		} else if ok {
			if diff := cmp.Diff(*want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
		}
	}
}

func TestIndexFile(t *testing.T) {
	x := town()
	x.Complete = true
	var b bytes.Buffer
	if err := x.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := ReadInventory("town.yaml", bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if back.Hash() != x.Hash() || x.Hash() == (&Inventory{}).Hash() {
		t.Errorf("hash %s came back as %s", x.Hash(), back.Hash())
	}
	for _, tt := range []struct{ file, want string }{
		{"", "x.yaml:1: the file is empty"},
		{"entities:\n  - {name: A}\n  - {kind: city}\n", "x.yaml:3: entity 2 has no name"},
		{"identifiers: [{id: ' '}]", "x.yaml:1: identifier 1 is empty"},
		{"passages:\n - {id: P1, text: a}\n - {id: P1, text: b}\n", `x.yaml:3: passage "P1" stands twice`},
		{"passages: [{id: P1}]", "x.yaml:1: passage 1 lacks its id or its text"},
		{"name: a\nentitys: []\n", "x.yaml:2: "},
		{"entities: [\n", "x.yaml:2: "},
		{"- a\n", "x.yaml:1: "},
	} {
		if _, err := ReadInventory("x.yaml", strings.NewReader(tt.file)); err == nil ||
			!strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80q: %v, want %s", tt.file, err, tt.want)
		}
	}
}

// Parts of one seed are nested, hold about their share, and drop what belongs to what they lack.
func TestCover(t *testing.T) {
	x := &Inventory{Name: "large"}
	for i := range 2000 {
		name := fmt.Sprintf("Entity%04d", i)
		x.Entities = append(x.Entities, Entity{Name: name, Kind: "thing"})
		x.Identifiers = append(x.Identifiers, Identifier{ID: fmt.Sprintf("N-%04d", i), Of: name})
		x.Passages = append(x.Passages, evidence.Passage{ID: fmt.Sprintf("P%d", i),
			Text: "The use of " + name + " is unclear."})
	}
	before := map[string]bool{}
	for _, percent := range []float64{0, 50, 80, 100} {
		part := x.Cover(percent, 1)
		if n := float64(len(part.Entities)) / 20; n < percent-4 || n > percent+4 {
			t.Errorf("%g %%: %g %% of the entities", percent, n)
		}
		names := map[string]bool{}
		for _, e := range part.Entities {
			names[e.Name] = true
		}
		for name := range before {
			if !names[name] {
				t.Errorf("%g %%: %s was in a smaller part", percent, name)
			}
		}
		if len(part.Identifiers) != len(part.Entities) || len(part.Passages) != len(part.Entities) {
			t.Errorf("%g %%: %d entities, %d identifiers, %d passages", percent, len(part.Entities), len(part.Identifiers),
				len(part.Passages))
		}
		for _, id := range part.Identifiers {
			if !names[id.Of] {
				t.Errorf("%s is in, %s is not", id.ID, id.Of)
			}
		}
		before = names
	}
	if a, b := x.Cover(50, 1).Hash(), x.Cover(50, 2).Hash(); a == b {
		t.Error("two seeds draw the same part")
	}
}

// A complete index makes a name that nothing holds a reason to abstain; another says nothing of it.
func TestCompleteIndex(t *testing.T) {
	for _, tt := range []struct {
		prompt   string
		complete bool
		act      Act
	}{
		{"What is the colour of Kormilia?", false, Passed},
		{"What is the colour of Kormilia?", true, Abstained},
		{"What is the colour of Velmoria?", true, Passed},
		{"[L1] Kormilia is red.\n\nWhat is the colour of Kormilia?", true, Passed},
	} {
		c := Defaults()
		c.Inventory = town()
		c.Inventory.Complete = tt.complete
		resp, err := mustNew(t, &script{otherwise: "red"}, c).Generate(t.Context(), model.Request{Prompt: tt.prompt})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(resp.Raw), fmt.Sprintf(`"act":%q`, tt.act)) {
			t.Errorf("%q, complete %v: %s, want %s", tt.prompt, tt.complete, resp.Raw, tt.act)
		}
	}
}

// Whatever a model says and whatever is asked, the guard answers, with a bounded trace.
func FuzzGuard(f *testing.F) {
	for _, tt := range rows {
		f.Add(tt.prompt, tt.says)
	}
	f.Add("[L1] x\n\n", strings.Repeat("1=1, ", 400)+"\x00\xff\u202e")
	f.Add(strings.Repeat("[L1] a\n", 300)+"\nCite the line. Who?", strings.Repeat("[L1] \"a b c\" ", 200))
	f.Add("What is "+strings.Repeat("(", 400)+"1 plus 1?", "1e999999999 = 1")
	f.Fuzz(func(t *testing.T, prompt, says string) {
		c := Defaults()
		c.Inventory = town()
		resp, err := mustNew(t, &script{otherwise: says}, c).Generate(t.Context(), model.Request{Prompt: prompt})
		if err != nil || resp.Text == nil || len(resp.Raw) > 64<<10 {
			t.Fatalf("%v, %d bytes of trace", err, len(resp.Raw))
		}
	})
}

// Large hostile answers and prompts leave a bounded trace. They have a megabyte: what took quadratic time would run
// into the limit of go test.
func TestHostile(t *testing.T) {
	archtest.OneGoroutine(t)
	for name, part := range map[string]string{
		"digits": "9", "brackets": "[L1](", "quotes": `"a b c" `, "equalities": "1+1=3 ", "names": "Ada Ralel ",
		"claims": "the capital of Arn is Born ",
		"chain":  "CLAIM: a\n", "or": "Arn or ", "escapes": "\x1b[31m\u202e\xff",
	} {
		text := strings.Repeat(part, archtest.Draws(1<<18, 1<<20, 1<<20)/len(part))
		c := Defaults()
		c.Inventory = town()
		for _, prompt := range []string{"What is the capital of Velmoria?", cited + "Cite the line. " + text} {
			resp, err := mustNew(t, &script{otherwise: text}, c).Generate(t.Context(), model.Request{Prompt: prompt})
			if err != nil {
				t.Fatal(name, err)
			}
			if len(resp.Raw) > 64<<10 {
				t.Errorf("%s: %d bytes of trace", name, len(resp.Raw))
			}
		}
	}
}
