package generate

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"hallmark/internal/suite"
)

// codeCase asks what a short program prints: a number that statements, loops and conditions change, two to four of
// them by difficulty. Every value stays a whole number above zero, so that no rule of a language about rounding
// decides.
func codeCase(d *draw) (suite.Case, bool) {
	n := 2 + d.hardness()
	start := 5 * int64(d.between(4, 40))
	x, expression := start, strconv.FormatInt(start, 10)
	program := []string{"n = " + expression}
	c := suite.Case{AnswerType: suite.Numeric, Tags: []string{"multi-hop", "calc", "code"}}
	o := suite.Oracle{Type: "calc"}
	last := -1
	for part := 0; part < n; part++ {
		kind := d.r.IntN(len(statements))
		for kind == last || kind == branchAt && part == 0 { // a branch on the first value would be decided by reading
			kind = d.r.IntN(len(statements))
		}
		last = kind
		lines, y, grown := statements[kind](d, x, expression)
		if y <= 0 || y == x || y > 100_000 {
			return suite.Case{}, false
		}
		x, expression = y, grown
		program = append(program, lines...)
		o.Steps = append(o.Steps, strconv.FormatInt(x, 10))
	}
	program = append(program, "print(n)")
	o.Value, o.Expression = strconv.FormatInt(x, 10), expression
	c.Gold.Texts, c.Oracle, c.Requires.Steps = []string{o.Value}, &o, n
	putForms(d, &c, said("code"), "{code}", "\n\n    "+strings.Join(program, "\n    ")+"\n\n", "{n}", strconv.Itoa(n))
	return c, true
}

// branchAt is the place of branch among the statements.
const branchAt = 4

// statements change the number of a program. Each returns its lines, what becomes of x, and the same as an expression.
var statements = []func(d *draw, x int64, expression string) (lines []string, y int64, grown string){
	func(d *draw, x int64, e string) ([]string, int64, string) { // a sum or a difference
		v := 5 * int64(d.between(1, 30))
		if v < x && d.chance(.5) {
			return []string{fmt.Sprintf("n = n - %d", v)}, x - v, fmt.Sprintf("(%s - %d)", e, v)
		}
		return []string{fmt.Sprintf("n = n + %d", v)}, x + v, fmt.Sprintf("(%s + %d)", e, v)
	},
	func(d *draw, x int64, e string) ([]string, int64, string) { // a product, or a quotient that leaves nothing
		v := int64(d.between(2, 5))
		if x%v == 0 && d.chance(.5) {
			return []string{fmt.Sprintf("n = n // %d", v)}, x / v, fmt.Sprintf("(%s) / %d", e, v)
		}
		return []string{fmt.Sprintf("n = n * %d", v)}, x * v, fmt.Sprintf("(%s) * %d", e, v)
	},
	func(d *draw, x int64, e string) ([]string, int64, string) { // a loop of equal turns
		k, v := int64(d.between(3, 6)), int64(d.between(2, 12))
		return []string{fmt.Sprintf("for i in range(%d):", k), fmt.Sprintf("    n = n + %d", v)}, x + k*v,
			fmt.Sprintf("(%s + %d * %d)", e, k, v)
	},
	func(d *draw, x int64, e string) ([]string, int64, string) { // a loop that counts from 0
		k := int64(d.between(4, 9))
		sum := new(big.Int).Binomial(k, 2).Int64()
		return []string{fmt.Sprintf("for i in range(%d):", k), "    n = n + i"}, x + sum,
			fmt.Sprintf("(%s + %d)", e, sum)
	},
	branch,
}

func branch(d *draw, x int64, e string) ([]string, int64, string) {
	limit := x + int64(d.between(-12, 12))
	up, down := 5*int64(d.between(2, 15)), 5*int64(d.between(2, 15))
	lines := []string{fmt.Sprintf("if n > %d:", limit), fmt.Sprintf("    n = n - %d", down), "else:",
		fmt.Sprintf("    n = n + %d", up)}
	if x > limit {
		return lines, x - down, fmt.Sprintf("(%s - %d)", e, down)
	}
	return lines, x + up, fmt.Sprintf("(%s + %d)", e, up)
}
