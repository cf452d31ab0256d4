// Package judge is how a model is asked what an answer did, and how its reply is read. It asks none: it writes the
// question, and reads what is stored of the reply. Source: GRADING 3.
package judge

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"hallmark/internal/base/pattern"
	"hallmark/internal/grade"
	"hallmark/internal/text/evidence"
)

// Version names the wording of the question, question1.txt. Another wording is another version: its replies are
// other records.
const Version = "1"

//go:embed question1.txt
var wording string

var question = template.Must(template.New("question").Parse(wording))

//go:embed verdict.txt
var verdict string

// An Asked is all that a judge is shown of a case and an answer. What is empty is left out.
type Asked struct {
	System     string   // the system prompt of the one who answered
	Passages   []string // that came with the question
	Question   string
	References []string // answers that are right
	Rejected   []string // answers that are wrong
	Readings   []string // of an ambiguous question, each with its answer
	Repair     []string // what puts a wrong premise right
	Criteria   string
	RightAct   string // what is right where no answer is; "" where one is
	Answer     string

	Nonce string // what else the marks depend on
}

// maxShown bounds what a judge is shown of an answer, in bytes from either end, and what is read of a reply.
const maxShown = 8 << 10

// Turned returns the same with the references and the wrong answers in the opposite order.
func (a Asked) Turned() Asked {
	a.References, a.Rejected = slices.Clone(a.References), slices.Clone(a.Rejected)
	slices.Reverse(a.References)
	slices.Reverse(a.Rejected)
	return a
}

// shown is what a judge is shown of a long answer: its beginning and its end.
func shown(answer string) string {
	if len(answer) > 2*maxShown {
		return strings.ToValidUTF8(answer[:maxShown]+"\n[…]\n"+answer[len(answer)-maxShown:], "")
	}
	return answer
}

// sections are the parts of a question.
type sections []struct{ Head, Text string }

// add adds texts as the items of a section, unless they are empty.
func (s *sections) add(head, item string, texts ...string) {
	if strings.Join(texts, "") != "" {
		*s = append(*s, struct{ Head, Text string }{head, item + strings.Join(texts, "\n"+item)})
	}
}

// Text returns the question as a model is asked it. Each quoted part stands between marks that depend on all of
// them, so that none can close them. It is the same for the same Asked.
func (a Asked) Text() string {
	var s sections
	s.add("Instructions to the one who answered", "", a.System)
	s.add("Passages given with the question", "", a.Passages...)
	s.add("Question", "", a.Question)
	s.add("References, each of them right", "- ", a.References...)
	s.add("Wrong answers", "- ", a.Rejected...)
	s.add("Readings of the question, each with its answer", "- ", a.Readings...)
	s.add("What puts a wrong premise right", "- ", a.Repair...)
	s = append(s, struct{ Head, Text string }{"The answer to judge", shown(a.Answer)})
	sum := sha256.New()
	sum.Write([]byte(a.Nonce))
	for _, part := range s {
		fmt.Fprintf(sum, "%d %s", len(part.Text), part.Text)
	}
	var b strings.Builder
	err := question.Execute(&b, struct {
		Asked
		Mark     string
		Sections sections
	}{a, fmt.Sprintf("quoted-%x", sum.Sum(nil)[:6]), s})
	if err != nil { // the template and its data are our own
		panic("judge: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ForVerdict returns the question of the oracle judge, whose reply is a verdict in JSON. The mark around the answer
// depends on it, so that an answer cannot close it.
func (a Asked) ForVerdict() string {
	var s sections
	s.add("Question", "", a.Question)
	s.add("Context given with it", "", a.Passages...)
	s.add("Right answers", "- ", a.References...)
	s.add("Wrong answers", "- ", a.Rejected...)
	s.add("Readings of the question, each with its answer", "- ", a.Readings...)
	s.add("What puts a wrong premise right", "- ", a.Repair...)
	s.add("Criteria", "", a.Criteria)
	var quoted strings.Builder
	for _, part := range s {
		quoted.WriteString("\n" + part.Head + ":\n" + part.Text + "\n")
	}
	answer := shown(a.Answer)
	sum := sha256.Sum256([]byte(answer))
	text := fmt.Sprintf(verdict, quoted.String(), fmt.Sprintf("answer-%x", sum[:6]), answer)
	return strings.TrimSuffix(text, "\n")
}

// said finds the words of a verdict in a reply.
var said = pattern.New(`\b(IN)?CORRECT\b|\bNOT[_ ]ATTEMPTED\b`)

var outcomes = map[string]grade.Outcome{
	"CORRECT": grade.Correct, "INCORRECT": grade.Incorrect, "NOT_ATTEMPTED": grade.NotAttempted,
	"NOT ATTEMPTED": grade.NotAttempted,
}

// around are what may stand beside a word that is alone on its line.
const around = " \t\r.:;,!*_`\"'#-()[]"

// Read returns the outcome that a reply gives to an answer, and the reason: what else the reply says. The outcome
// is a word alone on the first line of the reply, else on its last, else the only one in it that is not on a line
// of the answer, which a judge may have repeated. A reply that gives none, or more than one, is an error that says
// so.
func Read(reply, answer string) (o grade.Outcome, reason string, err error) {
	if len(reply) > maxShown {
		return "", "", errors.New("a reply of more than 8 KiB")
	}
	lines := slices.DeleteFunc(strings.Split(reply, "\n"), func(line string) bool {
		return strings.Trim(line, around) == ""
	})
	if len(lines) == 0 {
		return "", "", errors.New("the reply is empty")
	}
	for _, at := range []int{0, len(lines) - 1} {
		if o, ok := outcomes[strings.Trim(lines[at], around)]; ok {
			return o, reasonOf(slices.Delete(lines, at, at+1)), nil
		}
	}
	quoted := strings.Join(strings.Fields(answer), " ")
	for _, line := range lines {
		for _, word := range said.FindAllString(line, -1) {
			switch next := outcomes[word]; {
			case strings.Contains(quoted, strings.Join(strings.Fields(line), " ")):
			case o == "":
				o = next
			case o != next:
				return "", "", errors.New("the reply says both " + Words(o) + " and " + Words(next))
			}
		}
	}
	if o == "" {
		return "", "", errors.New("the reply is none of CORRECT, INCORRECT and NOT_ATTEMPTED")
	}
	return o, reasonOf(lines), nil
}

// ReadVerdict reads the reply to ForVerdict: one JSON object of verdict and reason and nothing else, but for a fence of
// markdown around it.
func ReadVerdict(reply string) (right bool, reason string, err error) {
	if len(reply) > maxShown {
		return false, "", errors.New("a reply of more than 8 KiB")
	}
	var v map[string]string
	err = json.Unmarshal([]byte(strings.Trim(strings.TrimPrefix(strings.TrimSpace(reply), "```json"), "` \n")), &v)
	reason = v["reason"]
	if delete(v, "reason"); err != nil || len(v) != 1 {
		return false, "", errors.New("the reply is no JSON object of verdict and reason, and nothing else")
	}
	switch v["verdict"] {
	case "pass", "fail":
		return v["verdict"] == "pass", reason, nil
	}
	return false, "", fmt.Errorf("the verdict is %q, neither pass nor fail", evidence.Excerpt(v["verdict"], 20))
}

func reasonOf(lines []string) string { return strings.TrimSpace(strings.Join(lines, " ")) }

// Words returns an outcome as a judge says it.
func Words(o grade.Outcome) string { return strings.ToUpper(string(o)) }

// Majority returns the outcome that more than half of the judges of a panel gave, of all that were asked.
func Majority(given []grade.Outcome) (o grade.Outcome, ok bool) {
	votes := map[grade.Outcome]int{}
	for _, o := range given {
		if votes[o]++; o != "" && 2*votes[o] > len(given) {
			return o, true
		}
	}
	return "", false
}
