package oracle

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/program"
	"hallmark/internal/quantity"
	"hallmark/internal/suite"
)

// programmed has a program of the suite decide.
type programmed struct {
	*env
	expression *program.Expression // or
	module     *program.Module
	accept     []string
	context    []string
}

func (e *env) program(s *suite.Oracle) (Oracle, error) {
	o := &programmed{env: e, accept: e.given(s.Accept)}
	if s.Expression != "" {
		x, err := program.Compile(s.Expression)
		if err != nil {
			return nil, fmt.Errorf("expression: %w", err)
		}
		o.expression = x
		return o, nil
	}
	if s.Code == "" {
		return nil, errors.New("a program oracle needs an expression or a module")
	}
	code, err := base64.StdEncoding.DecodeString(s.Code)
	if err != nil {
		return nil, fmt.Errorf("code is no base64: %w", err)
	}
	if o.module, err = program.Load(code); err != nil {
		return nil, fmt.Errorf("module %q: %w", s.Module, err)
	}
	o.context = []string{} // [] and not null in the module's input
	for _, p := range e.c.Context {
		o.context = append(o.context, p.Text)
	}
	return o, nil
}

// acceptedByProgram stands for the answers that a program accepts where the case lists none.
const acceptedByProgram = "accepted by the program"

func (o *programmed) Golds() []string {
	if len(o.accept) > 0 {
		return o.accept
	}
	return []string{acceptedByProgram}
}

func (o *programmed) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	ok, reason, text, err := o.run(r.Text)
	switch {
	case err != nil:
		return unscored("program: could not decide", err.Error())
	case ok:
		return answered(pass("program: accepted", reason), o.Golds()[0])
	}
	if f, ok := o.withheld(r.Text); ok {
		return f
	}
	if text == "" {
		text = o.extract(r.Text)
	}
	return answered(fail("program: rejected", reason), evidence.Excerpt(text, 80))
}

// run runs the program on an answer. Text is the answer as a module reads it, "" where it does not say.
func (o *programmed) run(t *evidence.Text) (ok bool, reason, text string, err error) {
	if o.module != nil {
		reply, err := o.module.Run(program.Request{Answer: t.Plain, Prompt: o.c.Prompt, Context: o.context})
		if reason = quoted(t.Plain); reply.Reason != "" {
			reason = quoted(reply.Reason) + " of " + reason
		}
		return reply.Verdict == "pass", reason, reply.Answer, err
	}
	ok, err = o.expression.Eval(func(name string) (any, bool) {
		switch name {
		case "answer":
			return t.Plain, true
		case "prompt":
			return o.c.Prompt, true
		case "words":
			words := make([]string, len(t.Words))
			for i, w := range t.Words {
				words[i] = w.Fold
			}
			return words, true
		case "lines":
			lines := []string{}
			for line := range strings.Lines(t.Plain) {
				if line = strings.TrimSpace(line); line != "" {
					lines = append(lines, line)
				}
			}
			return lines, true
		case "numbers":
			numbers := []float64{}
			for _, n := range quantity.Scan(t.Plain) {
				if n.Value != nil {
					numbers = append(numbers, floatOf(n.Value))
				}
			}
			return numbers, true
		}
		return nil, false
	})
	return ok, quoted(t.Plain), "", err
}

func floatOf(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}
