package rubric

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// What an answer cites is no part of its value: a gold that stands there alone makes no answer right, and what else
// stands there makes none another. Where a case is of sources it counts, and brackets that are no citations stay.
func TestCitationsAreNoValue(t *testing.T) {
	const cases = `suite: {name: s, version: "1"}
cases:
  - {id: city, prompt: "What is the capital of Australia?", gold: Canberra}
  - {id: number, prompt: "How many people live in Chad?", gold: 12 million}
  - {id: year, prompt: "In what year did the first man walk on the Moon?", gold: "1969"}
  - {id: c2019, prompt: "In what year was the treaty signed?", gold: "2019"}
  - {id: three, prompt: "How many moons does the planet have?", gold: "3"}
  - {id: paris, prompt: "What is the capital of France?", gold: Paris}
  - {id: smith, prompt: "Who discovered the comet?", gold: Smith}
  - {id: num, answer_type: numeric, prompt: "How many people live in Chad?", gold: "12"}
  - {id: polar, prompt: "Is the Moon a planet?", gold: "No"}
  - {id: date, prompt: "When was the treaty signed?", gold: "4 March 1983"}
  - {id: battle, prompt: "When was the battle of Waterloo?", gold: "1815"}
  - {id: symbol, prompt: "What is the chemical symbol of phosphorus?", gold: P}
  - {id: games, prompt: "At which Games did he win eight golds?", gold: Beijing 2008}
  - {id: paper, prompt: "Which paper introduced the transformer?", gold: "Vaswani et al., 2017"}
`
	s, r := grader(t, cases)
	by := map[string]*suite.Case{}
	for i := range s.Cases.Len() {
		by[s.Cases.At(i).ID] = s.Cases.At(i)
	}
	for _, x := range []struct {
		id    string
		want  grade.Outcome
		texts []string
	}{
		{"city", "correct", []string{
			"Canberra [1]", "Canberra (Smith 2019, p. 4)", "Canberra¹", "The capital is Canberra [1][2].",
			"Canberra (source: Encyclopaedia Britannica)", "Canberra https://en.wikipedia.org/wiki/Sydney",
			"Canberra ([Wikipedia](https://en.wikipedia.org/wiki/Canberra))",
			"Canberra [Source: Sydney Morning Herald]", "Canberra.\n\nSource: Sydney Morning Herald, 2019",
			"Canberra.\n\nReferences:\n[1] Sydney Morning Herald, 2019.\n[2] Smith (2004)",
			"Canberra [^1]\n\n[^1]: Sydney Morning Herald",
		}},
		{"city", "incorrect", []string{
			"Sydney (source: Canberra Times)", "Sydney [Canberra Times, 2019]",
			"Sydney https://example.org/canberra", "Sydney.\n\nSource: Canberra Times",
			"Sydney.\n\nReferences:\n[1] Canberra Times, 2019", "According to the Canberra Times, it is Sydney.",
		}},
		{"number", "correct", []string{
			"12 million [3]", "12 million (World Bank, 2019)", "12 million (Smith et al., 2018, pp. 14-18)",
			"12 million【3†source】", "12 million [World Bank, 2020; UN, 2021]",
		}},
		{"number", "incorrect", []string{
			"15 million (World Bank 12 million report, 2012)",
		}},
		{"num", "correct", []string{
			"12 [3]", "12 (Smith 2019, p. 4)", "12.[4]",
		}},
		{"num", "incorrect", []string{
			"13 [12]", "13 (Smith 2012, p. 12)",
		}},
		{"year", "correct", []string{
			"in 1969 (NASA, 2020)", "1969 [1]", "1969 (NASA 2020)", "1969 (Armstrong & Aldrin, 1971)",
			"It was in 1969, see Smith (2004).", "1969 https://nasa.gov/2019/07/20/apollo",
			"1969 (doi:10.1000/2019.33)",
		}},
		{"year", "incorrect", []string{
			"In 1968 (NASA, 1969)", "1968 (source: NASA, 1969)", "1968 https://nasa.gov/1969/07/20",
		}},
		{"c2019", "incorrect", []string{
			"2018 (Smith 2019)", "It was signed in 2018 (Smith, 2019, p. 4).", "2018.\n\nSource: Smith 2019",
			"2018 (Reuters, 3 May 2019)", "2018 (retrieved 2019)",
		}},
		{"c2019", "correct", []string{
			"2019 (Smith 2018)",
		}},
		{"c2019", "not_attempted", []string{
			"I do not know (Smith 2019).",
		}},
		{"three", "incorrect", []string{
			"4 [3]", "Four moons [3].", "Four (see p. 3)",
		}},
		{"three", "correct", []string{
			"3 [4]", "three (Smith 2019, p. 4)",
		}},
		{"paris", "correct", []string{
			"Paris (source: Encyclopaedia Britannica)", "Paris (France)",
		}},
		{"paris", "incorrect", []string{
			"Lyon (source: Paris Match)", "Lyon (Paris Match, 2019)",
		}},
		{"smith", "incorrect", []string{
			"Jones (Smith 2019)", "The comet was discovered by Jones (Smith et al., 2019).",
		}},
		{"smith", "correct", []string{
			"Smith (Jones 2019)",
		}},
		{"smith", "ungradable", []string{
			"Jones [Smith, 2019]",
		}},
		{"polar", "correct", []string{
			"No [1]", "No (source: Yes magazine)",
		}},
		{"polar", "incorrect", []string{
			"Yes (Smith 2019)",
		}},
		{"date", "correct", []string{
			"4 March 1983 [2]", "4 March 1983 (Times, 5 March 1983)",
			"4 March 1983 (UN Treaty Series, vol. 12, 1985)",
		}},
		{"date", "ungradable", []string{
			"5 March 1983 (Times, 4 March 1983)",
		}},
		{"battle", "correct", []string{"The battle of Waterloo (Belgium, 1815)"}},
		{"symbol", "correct", []string{"Phosphorus (P)", "P [2]"}},
		{"games", "ungradable", []string{"His 8 golds at one Games (Beijing 2008)"}},
		{"three", "correct", []string{"The answer is [3]", "[3]", "Answer: [3]"}},
		{"paper", "correct", []string{"It is (Vaswani et al., 2017)"}},
	} {
		for _, text := range x.texts {
			if g := r.Grade(by[x.id], grade.Answer{Text: &text}); g.Outcome() != x.want {
				t.Errorf("%s: %q is %s (%s: %s), want %s", x.id, text, g.Outcome(), g.Truth.Rule, g.Truth.Evidence, x.want)
			}
		}
	}
}

// Where a case asks who wrote, said or found something, who says so may be taken for the answer: one that is right only
// by that is left open, and one that is right without it stays right.
func TestWhoSaysSo(t *testing.T) {
	const cases = `suite: {name: s, version: "1"}
cases:
  - {id: wrote, prompt: "Who wrote Hamlet?", gold: William Shakespeare}
  - {id: author, prompt: "Who is the author of the book On Oxygen?", gold: Joseph Priestley}
  - {id: found, prompt: "Who discovered oxygen?", gold: Joseph Priestley}
  - {id: said, prompt: "Who said \"I think, therefore I am\"?", gold: René Descartes}
  - {id: paper, prompt: "Who wrote the paper? Give a reference.", gold: Joseph Priestley}
`
	s, r := grader(t, cases)
	for _, x := range []struct {
		id, right, wrong, named string // the answer, another, and who is named as a source of both
	}{
		{"wrote", "William Shakespeare", "Christopher Marlowe", "Harold Bloom"},
		{"author", "Joseph Priestley", "Antoine Lavoisier", "Thomas Kuhn"},
		{"found", "Joseph Priestley", "Antoine Lavoisier", "Thomas Kuhn"},
		{"said", "René Descartes", "Blaise Pascal", "Bertrand Russell"},
		{"paper", "Joseph Priestley", "Antoine Lavoisier", "Thomas Kuhn"},
	} {
		i := slices.IndexFunc(s.Cases.Loose(), func(c suite.Case) bool { return c.ID == x.id })
		outcome := func(form, who, source string) grade.Outcome {
			text := strings.NewReplacer("WHO", who, "SOURCE", source).Replace(form)
			return r.Grade(s.Cases.At(i), grade.Answer{Text: &text}).Outcome()
		}
		for _, form := range []string{
			"WHO, according to SOURCE.", "According to SOURCE, WHO.", "WHO; see SOURCE, Essays, 1998.",
			"WHO — SOURCE, Collected Essays, vol. 2, 1998.", "WHO. Source: SOURCE, *Essays*, 1998.",
			"Per SOURCE, WHO.", "WHO, quoted by SOURCE.",
			"WHO (SOURCE, Essays: A Selection, 1998).", "WHO [1]\n\n[1] SOURCE, Essays, Oxford 1998.",
		} {
			if o := outcome(form, x.right, x.named); o != grade.Correct {
				t.Errorf("%s: %q, right, is %s", x.id, form, o)
			}
			if o := outcome(form, x.wrong, x.right); o == grade.Correct && x.id != "paper" {
				t.Errorf("%s: %q, wrong, is %s where the source is the answer", x.id, form, o)
			}
			if o := outcome(form, x.wrong, x.named); o == grade.Correct {
				t.Errorf("%s: %q, wrong, is %s", x.id, form, o)
			}
		}
		if o := outcome("According to SOURCE.", "", x.right); o == grade.Incorrect {
			t.Errorf("%s: nothing but who says so is %s", x.id, o)
		}
	}
}

// grader reads a suite of YAML, and returns it with its grader.
func grader(t *testing.T, cases string) (*suite.Suite, *Rubric) {
	t.Helper()
	s, err := suite.Parse("s.yaml", []byte(cases))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, s.AsOf)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}
