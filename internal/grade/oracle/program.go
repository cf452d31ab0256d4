package oracle

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/program"
	"hallmark/internal/text/quantity"
)

// programmed has a program of the suite decide.
type programmed struct {
	*env
	expression *program.Expression // or
	module     *program.Module
	accept     []string
}

func (e *env) program(s *suite.Oracle) (Oracle, error) {
	o := &programmed{env: e, accept: e.given(s.Accept)}
	if len(o.accept) == 0 {
		o.accept = []string{"accepted by the program"} // stands for whatever it accepts
	}
	code, err := base64.StdEncoding.DecodeString(s.Code)
	if s.Expression != "" {
		if o.expression, err = program.Compile(s.Expression); err != nil {
			return nil, fmt.Errorf("expression: %w", err)
		}
		return o, nil
	}
	if err == nil {
		o.module, err = program.Load(code)
	}
	if err != nil {
		return nil, fmt.Errorf("module %q: %w", s.Module, err)
	}
	o.module = o.module.Within(e.steps)
	return o, nil
}

func (o *programmed) Golds() []string { return o.accept }

func (o *programmed) Judge(r Reading) Ruling {
	if r.Cut {
		return unread("the answer is too long to be read whole", r.Text)
	}
	reply, err := o.run(r.Text)
	ev := quoted(r.Plain)
	if reply.Reason != "" {
		ev = quoted(reply.Reason) + " of " + ev
	}
	switch {
	case err != nil:
		return unscored("program: could not decide", err.Error())
	case reply.Verdict == "pass":
		return answered(pass("program: accepted", ev), o.Golds()[0])
	}
	if f, ok := o.withheld(r.Text); ok {
		return f
	}
	return answered(fail("program: rejected", ev), evidence.Excerpt(cmp.Or(reply.Answer, o.extract(r.Text)), 80))
}

// run runs the program on an answer.
func (o *programmed) run(t *evidence.Text) (reply program.Reply, err error) {
	lines, numbers := []string{}, []float64{} // [] and not null
	context := append([]string{}, lists.Map(o.c.Context, func(p evidence.Passage) string { return p.Text })...)
	if o.module != nil {
		return o.module.Run(program.Request{Answer: t.Plain, Prompt: o.c.Prompt, Context: context})
	}
	words := append([]string{}, lists.Map(t.Words, func(w evidence.Word) string { return w.Fold })...)
	for line := range strings.Lines(t.Plain) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	for _, n := range quantity.Scan(t.Plain) {
		if n.Value != nil {
			v, _ := n.Value.Float64()
			numbers = append(numbers, v)
		}
	}
	ok, err := o.expression.Eval(map[string]any{"answer": t.Plain, "prompt": o.c.Prompt, "words": words, "lines": lines,
		"numbers": numbers})
	if ok {
		reply.Verdict = "pass"
	}
	return reply, err
}
