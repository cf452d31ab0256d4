package prompt

import (
	"cmp"
	"strings"

	"hallmark/internal/model"
	"hallmark/internal/suite"
	"hallmark/internal/text/retrieve"
)

// RenderOptions change how a variant is laid out. They are for models that cannot take a case's own layout.
type RenderOptions struct {
	Form suite.Form // in place of the case's
	// Generate asks for an answer in text where the case asks for scores of its options: they are shown with letters.
	Generate bool
	// Contract asks for a last line with the answer, but not of a text to continue or of options that are scored.
	Contract bool
	// Retrieved is a passage that was found for the question, nil for none, and RetrievedForm its layout.
	Retrieved     *retrieve.TitledPassage
	RetrievedForm RetrievedForm
}

// shows reports whether the options of a case are shown with their letters.
func (opt RenderOptions) shows(c *suite.Case) bool {
	return len(c.Options) > 0 && (c.ShowOptions || opt.Generate)
}

// Render returns the request of a variant. It sets no sampling parameters. The layout, in the order of the parts,
// and with an empty line between them:
//
//	passage that was found  see RetrievedForm
//	system prompt           the request's System; in a text to continue, its first paragraph
//	demonstrations          turns of user and assistant; in a text to continue, as the question with its answer
//	                        behind it
//	passages                "[L1] text", a line each, before the question
//	question                the variant's prompt as it is written; nothing is added to it
//	options, where shown    "A. text", a line each
//	contract, where asked   Contract
//
// A text to continue ends in "A:" (or "Label:", "Answer:"), without a space, and its answer begins with one.
// Options that are scored come in the order of the variant: the letters where options are shown, else their texts.
// With the form Continue see continued. A variant with a template is laid out by that: see Template.
func Render(c *suite.Case, v Variant, opt RenderOptions) model.Request {
	v.Prompt = v.Question(c)
	form := cmp.Or(opt.Form, c.Form)
	var req model.Request
	// a list of options is no text to be continued by one of them
	if v.Template == nil && form == suite.Continue && !opt.shows(c) {
		req = continued(c, v, opt.Generate)
	} else {
		req = cmp.Or(v.Template, &Template{}).render(c, v, opt)
	}
	if opt.Retrieved != nil {
		req = behind(opt.Retrieved, req, opt.RetrievedForm, form)
	}
	if opt.Contract && !req.Raw && len(req.Options) == 0 {
		req.Prompt += "\n\n" + Contract
		if len(c.Context) > 0 {
			req.Prompt += " " + ContractCites
		}
	}
	return req
}

// Contract asks for a last line by which an answer is read (GRADING 3), and ContractCites for one more where
// passages are shown. Another wording makes other requests.
const (
	Contract = "Write what you like, and end with one line that has your answer alone, after ANSWER: and nothing " +
		"behind it. If you cannot answer, end with CANNOT ANSWER: and the reason instead."
	ContractCites = "Below your answer add a line CITE: with the ids of the lines above that show it."
)

// passages are a case's, a line each, with an empty line behind them.
func passages(c *suite.Case) string {
	var text strings.Builder
	for _, p := range c.Context {
		text.WriteString("[" + p.ID + "] " + p.Text + "\n")
	}
	if text.Len() > 0 {
		text.WriteByte('\n')
	}
	return text.String()
}

// scored are the texts that a model is to score: letters of options that are shown, else the options; nil where an
// answer is generated.
func scored(options []string, shown, generate bool) (texts []string) {
	if generate {
		return nil
	}
	for i, o := range options {
		if shown {
			o = letter(i)
		}
		texts = append(texts, o)
	}
	return texts
}

// frames are the words before and behind the question in the forms that are texts to continue.
var frames = map[suite.Form]struct{ ask, reply string }{
	suite.QA:         {"Q: ", "\nA:"},
	suite.InputLabel: {"Input: ", "\nLabel:"},
	suite.Claim:      {"Claim: ", "\nLabel:"},
	suite.Answer:     {"", "\nAnswer:"},
	suite.Continue:   {},
}

// continued is a text that its options continue. Where the text ends in a space, the space is taken off it and each
// option begins with one; else they stand together as they are, so behind a line break too. Without options the text
// stands as it is. It is what FACTOR's authors do (eval_factuality.py of github.com/AI21Labs/factor). A phrasing ends
// in the same space as the prompt that it says in other words.
func continued(c *suite.Case, v Variant, generate bool) model.Request {
	const space = " \t\n"
	text := told(c, "", v.Demonstrations, func(input string) string { return input }) + passages(c) +
		strings.TrimRight(v.Prompt, space) + c.Prompt[len(strings.TrimRight(c.Prompt, space)):]
	req := model.Request{Raw: true, Prompt: text, Options: scored(OptionsOf(c, v), false, generate)}
	if len(req.Options) == 0 { // the answer is generated: the text stands as it is
		req.Stop = []string{"\n\n"}
		return req
	}
	var spaced bool
	req.Prompt, spaced = strings.CutSuffix(text, " ")
	for i, o := range req.Options {
		if o = strings.TrimLeft(o, " "); spaced {
			o = " " + o
		}
		req.Options[i] = o
	}
	return req
}

// told is what stands before the passages and the question of a text to continue: the system prompt, an introduction,
// and the demonstrations with their answers.
func told(c *suite.Case, intro string, demonstrations []suite.Demonstration, ask func(input string) string) string {
	var text strings.Builder
	if c.System != "" {
		text.WriteString(c.System + "\n\n")
	}
	text.WriteString(intro)
	for _, d := range demonstrations {
		text.WriteString(ask(d.Input) + " " + d.Label + "\n\n")
	}
	return text.String()
}

// Asked returns the question as a variant asks it, for readers: its words, and the layout around it where a
// template gives one, without passages, system prompt and demonstrations.
func Asked(c *suite.Case, v Variant, opt RenderOptions) string {
	if v.Template == nil {
		return v.Question(c)
	}
	bare := *c
	bare.Context, bare.System, v.Demonstrations, opt.Retrieved = nil, "", nil, nil
	return Render(&bare, v, opt).Prompt
}

func letter(i int) string { return string(rune('A' + i)) }

// OptionsOf returns the options of a case in the order of the variant.
func OptionsOf(c *suite.Case, v Variant) []string {
	if v.OptionOrder == nil {
		return c.Options
	}
	return permuted(c.Options, v.OptionOrder)
}

// OptionAt returns the index into Case.Options of the option at a position of the variant. Answers of variants are
// compared by it, or by the text it stands for, never by letter.
func OptionAt(v Variant, position int) int {
	if v.OptionOrder == nil {
		return position
	}
	return v.OptionOrder[position]
}
