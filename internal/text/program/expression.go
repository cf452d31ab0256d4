// Package program runs the programs by which a suite decides answers: expressions
// in CEL, modules of WebAssembly, and patterns. All are given an answer that is hostile and
// may be hostile themselves, so their steps, memory and output are bounded, none of it by a clock,
// and none sees a file, a clock, a variable of the environment or a network.
package program

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// Cost is the limit on what one evaluation of an expression may cost, in CEL's units: about one for a step, and
// more where a step reads a long text.
const Cost = 1_000_000

// maxExpression bounds an expression, in bytes.
const maxExpression = 16 << 10

// Variables are what an expression can name, with the types that they have.
var Variables = map[string]*cel.Type{
	"answer":  cel.StringType,
	"words":   cel.ListType(cel.StringType),
	"lines":   cel.ListType(cel.StringType),
	"numbers": cel.ListType(cel.DoubleType),
	"prompt":  cel.StringType,
}

// An Expression is a compiled expression in CEL that is true or false. It is safe for concurrent use.
type Expression struct{ program cel.Program }

// Compile compiles an expression over Variables. The error says what is wrong and where.
func Compile(source string) (*Expression, error) {
	if len(source) > maxExpression {
		return nil, fmt.Errorf("an expression of %d bytes is longer than %d", len(source), maxExpression)
	}
	// The standard library alone: of the extensions some, such as replace, make texts far larger than what they are
	// charged for.
	var options []cel.EnvOption
	for _, name := range slices.Sorted(maps.Keys(Variables)) {
		options = append(options, cel.Variable(name, Variables[name]))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}
	tree, issues := env.Compile(source)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	if !tree.OutputType().IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("the expression gives %s; it must give bool, true for a right answer", tree.OutputType())
	}
	p, err := env.Program(tree, cel.CostLimit(Cost), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, err
	}
	return &Expression{p}, nil
}

// Eval evaluates the expression with the values of Variables. The error, of an expression that fails or exceeds Cost,
// says nothing about the answer.
func (e *Expression) Eval(values map[string]any) (ok bool, err error) {
	defer func() { // an answer must not end the grading, whatever the library makes of it
		if p := recover(); p != nil {
			ok, err = false, fmt.Errorf("the expression failed: %v", p)
		}
	}()
	v, _, err := e.program.Eval(values)
	if err != nil {
		return false, err
	}
	b, isBool := v.(types.Bool)
	if !isBool {
		return false, errors.New("the expression gave no bool")
	}
	return bool(b), nil
}
