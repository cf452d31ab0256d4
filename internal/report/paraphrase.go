package report

import (
	"fmt"
	"strconv"
	"strings"

	"hallmark/internal/paraphrase"
)

// newParaphrases reads how paraphrases were come by from a document that has it, nil else.
func newParaphrases(t tree) *plainView {
	if !t.Has("paraphrases") {
		return nil
	}
	at := func(label string, u unit, keys ...string) fig {
		return t.fig(label, u, "", append([]string{"paraphrases"}, keys...)...)
	}
	by := "rules"
	switch by = t.Text("paraphrases", "by"); by {
	case "model", "file":
		by = clip(oneLine(t.Text("paraphrases", "source")), 200)
	default:
		by = "rules"
	}
	held := "names, numbers, units, negations and quantifiers were held against the prompt’s"
	if t.Text("paraphrases", "filter") == "none" {
		held = "nothing was held against the prompt but its words"
	}
	if judge := oneLine(t.Text("paraphrases", "judge")); judge != "" {
		held += ", and " + clip(judge, 200) + " was asked whether each follows from the other"
	}
	v := &plainView{
		ID: "paraphrases", Name: "Paraphrases", Title: "Paraphrases", Over: "of the prompt, by " + by,
		Lede: fmt.Sprintf("%s of each of %s; %s. What was rejected is in no other figure. What was admitted need not mean the same.",
			count(t.Whole("paraphrases", "asked"), "paraphrase"), count(t.Whole("paraphrases", "cases"), "case"), held),
		Figs: []fig{
			at("admitted, mean over cases", share, "acceptance"),
			at("candidates", tally, "candidates"), at("admitted", tally, "admitted").child(), at("used as variants", tally, "used").child(),
			at("cases with as many as asked for", tally, "full"), at("cases with none", tally, "none"),
		},
		Warnings: t.texts("paraphrases", "warnings"),
	}
	if t.Whole("paraphrases", "failed") > 0 {
		v.Figs = append(v.Figs, at("cases without a reply that was needed", tally, "failed"))
	}
	if t.Whole("paraphrases", "tokens", "prompt") > 0 {
		v.Figs = append(v.Figs, at("prompt tokens that they took", tally, "tokens", "prompt"), at("completion tokens that they took", tally, "tokens", "completion"))
	}
	for _, r := range paraphrase.Reasons {
		if t.Whole("paraphrases", "rejected", string(r)) > 0 {
			v.Figs = append(v.Figs, at("rejected: "+rejected[r], tally, "rejected", string(r)))
		}
	}
	for i := 0; t.Has("paraphrases", "examples", strconv.Itoa(i)); i++ {
		e := t.sub("paraphrases", "examples", strconv.Itoa(i))
		says := rejected[paraphrase.Reason(e.Text("reason"))]
		if detail := e.Text("detail"); detail != "" {
			says += " (" + oneLine(detail) + ")"
		}
		v.Examples = append(v.Examples, exampleView{Case: e.Text("case_id"), Says: strings.TrimSpace(says), Text: oneLine(e.Text("text"))})
	}
	return v
}

// rejected says the reasons in words.
var rejected = map[paraphrase.Reason]string{
	paraphrase.Empty: "empty", paraphrase.Long: "too long", paraphrase.Same: "the prompt again", paraphrase.Twice: "there already", paraphrase.Number: "another number",
	paraphrase.Unit: "another unit", paraphrase.Name: "another name or date", paraphrase.Negation: "a negation more or less", paraphrase.Quantifier: "another quantifier",
	paraphrase.Opposite: "an opposite", paraphrase.Question: "another question", paraphrase.Swapped: "names that changed places", paraphrase.Content: "other words",
	paraphrase.Judge: "by the judge", paraphrase.Unread: "no verdict of the judge",
}
