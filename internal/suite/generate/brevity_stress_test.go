package generate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

func brevityExamples(w *world.World, c *suite.Case) []example {
	var right string
	var swapped []example
	if f := definitionIn(w, c.Prompt); f != nil {
		right = f.Short
	} else {
		var values []string
		for _, p := range c.Oracle.Parts {
			values = append(values, p[0])
		}
		right = strings.Join(values, "; ") + "."
		slices.Reverse(values)
		swapped = append(swapped, example{strings.Join(values, "; ") + ".", "T"})
	}
	all := append(swapped, []example{
		{right, ""},
		{right + strings.Repeat(" and so on", c.Format.MaxWords/3+1), "F"},
		{"A kind of furniture.", "T"},
		{"I don't know.", "TD"},
	}...)
	if strings.Contains(c.Prompt, "formula") && !strings.Contains(right, "=") {
		return all
	} else if cut, _, ok := strings.Cut(right, ": "); ok && strings.Contains(c.Prompt, "formula") {
		all = append(all, example{cut + ".", "T"}) // the words without the formula
	}
	return all
}

func TestBrevityStress(t *testing.T) {
	for _, w := range worlds(brevityStress) {
		facts := 0
		for _, c := range holds(t, w, brevityStress, brevityExamples) {
			if f := definitionIn(w, c.Prompt); f != nil {
				want := proofParts(f.Parts, f.Short)
				if isEquation(f.Formula) {
					want = append(want, formulaPhrasings(f.Formula))
				}
				if !slices.EqualFunc(c.Oracle.Parts, want, slices.Equal) {
					t.Errorf("%s asks %v, the world has %v", c.ID, c.Oracle.Parts, want)
				}
				continue
			}
			facts++
			// Each part is a value that the world has of the subject in the prompt.
			for _, part := range c.Oracle.Parts {
				if !slices.ContainsFunc(owners(w, part[0]), func(of string) bool { return names(c.Prompt, of) }) {
					t.Errorf("%s: %q is of none that %q names", c.ID, part[0], c.Prompt)
				}
			}
		}
		if facts == 0 {
			t.Errorf("%s: no facts in few words", w.Name)
		}
	}
	c := workedOf(t, library(), brevityStress)
	if !strings.Contains(c.Prompt, "Bayes") || !strings.Contains(c.Prompt, "25") || c.Format.MaxWords != 25 {
		t.Errorf("%+v", c)
	}
}

// TestBrevityLimit holds that the world's definitions can be said in the words allowed.
func TestBrevityLimit(t *testing.T) {
	w := world.Earth()
	for k := range 60 {
		c, ok := briefDefinition(drawAt(w, suite.Domains[k%6], suite.Difficulties[k/6%3], k))
		if !ok {
			t.Errorf("no definition in %s, %s", suite.Domains[k%6], suite.Difficulties[k/6%3])
			continue
		}
		f := definitionIn(w, c.Prompt)
		if n := evidence.WordCount(f.Short); n > c.Format.MaxWords ||
			!strings.Contains(c.Prompt, strconv.Itoa(c.Format.MaxWords)) {
			t.Errorf("%q: %d words of %d: %q", f.Term, n, c.Format.MaxWords, c.Prompt)
		}
	}
}

func TestFormulaPattern(t *testing.T) {
	for _, c := range []struct {
		formula, text string
		want          bool
	}{
		{"P(A|B) = P(B|A)P(A)/P(B)", "P(A|B) = P(B|A) · P(A) / P(B)", true},
		{"P(A|B) = P(B|A)P(A)/P(B)", "P(B|A)P(A)/P(B) = P(A|B)", true},
		{"P(A|B) = P(B|A)P(A)/P(B)", "P(A|B) = P(A|B)P(A)/P(B)", false},
		{"a² + b² = c²", "a^2 + b^2 = c^2", true},
		{"a² + b² = c²", "a + b = c", false},
		{"V = IR", "V = I*R", true},
		{"V = IR", "V = I/R", false},
		{"n₁ sin θ₁ = n₂ sin θ₂", "n1 sin(theta1) = n2 sin(theta2)", true},
		{"L = T − V", "L = T - V", true},
		{"L = T − V", "L = T + V", false},
	} {
		got := slices.ContainsFunc(formulaPhrasings(c.formula), func(p string) bool {
			return regexp.MustCompile("(?i)" + strings.Trim(p[1:len(p)-1], " ")).MatchString(c.text)
		})
		if got != c.want {
			t.Errorf("%q in %q: %v, want %v", c.formula, c.text, got, c.want)
		}
	}
	if got := strings.Join(letters("n₁ sin θ₁ = n₂ sin θ₂"), " "); got != "n₁ θ₁ n₂ θ₂" {
		t.Error(got)
	}
	if got := strings.Join(letters("S = k ln W, v = dx/dt, V = IR"), " "); got != "S k W v dx dt V I R" {
		t.Error(got)
	}
}
