package guard

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"

	"hallmark/internal/ask/guard/memory"
	"hallmark/internal/base/pattern"
	"hallmark/internal/text/arithmetic"
	"hallmark/internal/text/quantity"
)

// A sum is arithmetic that a question asks for.
type sum struct {
	value *big.Rat // nil if it asks for none
	shown string   // worked out: "3 + 13 = 16", or with a step for each operation
}

var (
	numbers = func() map[string]int64 {
		m := map[string]int64{}
		for i, w := range strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen
			fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
			ninety`) {
			m[w] = int64(max(i, 10*(i-18)))
		}
		return m
	}()

	operators = map[string]string{"plus": "+", "minus": "-", "times": "*", "+": "+", "-": "-", "−": "-", "*": "*",
		"×": "*", "·": "*", "/": "/", "÷": "/"}
	// adding are words that call for a sum of the numbers that stand beside them.
	adding = memory.Words("add sum total together added")
	// around are words that may stand around arithmetic and change nothing of it.
	around = memory.Words(`what is are how much many does do make makes give gives get gets you if i we can could
		would please answer tell me name calculate compute
		work out complete the of for and with to a an question quick be exact exactly up comes it say know like next
		one here's here now let s`)

	sumToken = pattern.New(`[0-9]+(?:[.,][0-9]+)*|[a-z]+(?:-[a-z]+)?|[+*/×·÷−=?.,:!-]`)
)

const maxTerms = 16

// readSum reads a question that asks for nothing but arithmetic on the numbers that it states. Any other word of
// content, such as a unit or a thing that is counted, makes it another question, whose reading is not the guard's.
func readSum(question string) sum {
	if len(question) > 1000 {
		return sum{}
	}
	terms, shown, ops := readTerms(question)
	if len(terms) < 2 {
		return sum{}
	}
	expression := shown[0]
	plain := true // one kind of step after another, from the left
	for i, op := range ops {
		expression += " " + op + " " + shown[i+1]
		plain = plain && (op == "+" || op == "-")
	}
	value, err := arithmetic.Eval(expression)
	if err != nil {
		return sum{}
	}
	s := sum{value: value, shown: expression + " = " + decimal(value)}
	if plain && len(terms) > 2 {
		s.shown = stepwise(terms, shown, ops)
	}
	return s
}

// readTerms returns the numbers that a question for arithmetic states, as values and as shown, and the operators
// between them; none where it asks for something else.
func readTerms(question string) (terms []*big.Rat, shown, ops []string) {
	add, lastTerm := false, false
	pending := ""
	for _, tok := range sumToken.FindAllString(strings.ToLower(question), 64) {
		v, text, isNumber := numeral(tok)
		op, isOp := operators[tok]
		switch {
		case isNumber && len(terms) == maxTerms, isOp && lastTerm && pending != "" && pending != op:
			return nil, nil, nil
		case isNumber:
			if len(terms) > 0 {
				ops = append(ops, pending)
			}
			terms, shown, pending, lastTerm = append(terms, v), append(shown, text), "", true
		case isOp && lastTerm:
			pending, lastTerm = op, false
		case adding[tok]:
			add = true
		case !strings.Contains("=?.,:!", tok) && !around[tok]:
			return nil, nil, nil
		}
	}
	for i, op := range ops {
		if op == "" && !add {
			return nil, nil, nil
		}
		ops[i] = cmp.Or(op, "+")
	}
	return terms, shown, ops
}

// stepwise works out sums and differences from the left, a step for each.
func stepwise(terms []*big.Rat, shown, ops []string) string {
	var steps []string
	at, left := terms[0], shown[0]
	for i, op := range ops {
		if op == "+" {
			at = new(big.Rat).Add(at, terms[i+1])
		} else {
			at = new(big.Rat).Sub(at, terms[i+1])
		}
		steps = append(steps, left+" "+op+" "+shown[i+1]+" = "+decimal(at))
		left = decimal(at)
	}
	return strings.Join(steps, ", ")
}

// numeral reads one number, in digits or in words below a hundred.
func numeral(tok string) (*big.Rat, string, bool) {
	if tok[0] >= '0' && tok[0] <= '9' {
		r, ok := quantity.Number(tok)
		return r, tok, ok
	}
	n, ok := numbers[tok]
	if first, second, two := strings.Cut(tok, "-"); two {
		a, b := numbers[first], numbers[second]
		n, ok = a+b, a >= 20 && b > 0 && b < 10
	}
	return new(big.Rat).SetInt64(n), strconv.FormatInt(n, 10), ok
}

// decimal writes a number: whole, with at most six places where it ends there, else as a fraction.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	s := strings.TrimRight(r.FloatString(6), "0")
	if back, ok := new(big.Rat).SetString(s); ok && back.Cmp(r) == 0 {
		return s
	}
	return r.String()
}
