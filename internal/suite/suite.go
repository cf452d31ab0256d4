// Package suite holds versioned sets of questions: suites, their cases and
// the reference answers. It reads and writes the suite format of docs/suites.md
// (YAML, JSON, or JSON Lines with the header first) and plain tables of questions
// (JSON Lines, JSON, CSV, TSV) by the column names people use, and names every
// fault by file and line. It knows nothing of models or grades.
package suite

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"

	"hallmark/internal/text/evidence"
)

// A Suite is a versioned set of cases. It is immutable once read.
type Suite struct {
	Name    string `json:"name" yaml:"name"`
	Version string `json:"version,omitempty" yaml:"version,omitempty"`
	World   string `json:"world,omitempty" yaml:"world,omitempty"`
	// AsOf is the suite's "today", a date as 2026-11-01; empty where no case needs one.
	AsOf string `json:"as_of,omitempty" yaml:"as_of,omitempty"`
	// Match says how golds of the suite match; empty is Everyday. A case's own goes before it: see ExactMatch.
	Match Match `json:"match,omitempty" yaml:"match,omitempty"`
	// Cluster names what groups cases that are no observations of their own, as in Clusters; empty: cases that ask the
	// same.
	Cluster string `json:"cluster,omitempty" yaml:"cluster,omitempty"`
	// The switches of the rubric, for the whole suite.
	Switches `yaml:",inline"`
	// ByClass and ByTag override the switches for one class or one tag; a tag beats a class.
	ByClass map[string]Switches `json:"by_class,omitempty" yaml:"by_class,omitempty"`
	ByTag   map[string]Switches `json:"by_tag,omitempty" yaml:"by_tag,omitempty"`

	// Designed says, for a suite whose truth was made, what the cases with a tag were made to show: one of Designs, or
	// "" where nothing is called for. A report sets it beside what was measured.
	Designed map[string]string `json:"designed,omitempty" yaml:"designed,omitempty"`

	Cases List `json:"-" yaml:"-"` // the last member of its JSON
	// Warnings says what the reader changed or doubted, such as weights that it renormalized.
	Warnings []string `json:"-" yaml:"-"`
}

// Switches are the three settings of the rubric that a suite, a class or a tag may set; nil is "not set here".
type Switches struct {
	FormatIsGating  *bool    `json:"format_is_gating,omitempty" yaml:"format_is_gating,omitempty"`
	StrictRetrieval *bool    `json:"strict_retrieval,omitempty" yaml:"strict_retrieval,omitempty"`
	Weights         *Weights `json:"weights,omitempty" yaml:"weights,omitempty"`
}

// Weights weigh the axes in the quality score S; they sum to 1.
type Weights struct {
	Truth        float64 `json:"truth" yaml:"truth"`
	Decidability float64 `json:"decidability" yaml:"decidability"`
	Reciprocity  float64 `json:"reciprocity" yaml:"reciprocity"`
}

// DefaultWeights are those of the source: .60 truth, .25 decidability, .15 reciprocity.
var DefaultWeights = Weights{.60, .25, .15}

// A Case is one question with its reference answer and the constraints on the answer.
type Case struct {
	ID         string   `json:"id" yaml:"id"`
	Class      string   `json:"class,omitempty" yaml:"class,omitempty"`
	Tags       []string `json:"tags,omitempty" yaml:"tags,omitempty"`
	Domain     string   `json:"domain,omitempty" yaml:"domain,omitempty"`
	Difficulty string   `json:"difficulty,omitempty" yaml:"difficulty,omitempty"`

	System string `json:"system,omitempty" yaml:"system,omitempty"`
	// Prompt is variant 0; Phrasings are the written variants 1 and up.
	Prompt    string   `json:"prompt" yaml:"prompt"`
	Phrasings []string `json:"phrasings,omitempty" yaml:"phrasings,omitempty"`
	// Demonstrations are the worked examples put before the question. Pool names a file to draw them from, Shots of
	// them at a time (0: as many as there are demonstrations, or 16); Rows are what the file holds, shared by its
	// cases.
	Demonstrations []Demonstration `json:"demonstrations,omitempty" yaml:"demonstrations,omitempty"`
	Pool           string          `json:"pool,omitempty" yaml:"pool,omitempty"`
	Shots          int             `json:"shots,omitempty" yaml:"shots,omitempty"`
	Rows           []Demonstration `json:"-" yaml:"-"`
	// Form is how demonstrations and question are laid out; empty is Chat.
	Form Form `json:"form,omitempty" yaml:"form,omitempty"`
	// Context holds the passages shown with the question.
	Context []evidence.Passage `json:"context,omitempty" yaml:"context,omitempty"`
	// Options are the choices of a multiple-choice case, in the order of the file. With ShowOptions they stand
	// in the prompt with letters and the letter is scored; else each option's text is scored as the continuation.
	Options     []string `json:"options,omitempty" yaml:"options,omitempty"`
	ShowOptions bool     `json:"show_options,omitempty" yaml:"show_options,omitempty"`

	Gold Gold `json:"gold,omitzero" yaml:"gold,omitempty"`
	// Aliases are other names of the gold, as right as the gold itself.
	Aliases []string `json:"aliases,omitempty" yaml:"aliases,omitempty"`
	// Match says how the gold matches, in place of the suite's; empty: as the suite says.
	Match      Match      `json:"match,omitempty" yaml:"match,omitempty"`
	Decline    bool       `json:"decline,omitempty" yaml:"decline,omitempty"` // the right act is to decline
	AnswerType AnswerType `json:"answer_type,omitempty" yaml:"answer_type,omitempty"`
	Requires   Requires   `json:"requires,omitzero" yaml:"requires,omitempty"`
	Format     Format     `json:"format,omitzero" yaml:"format,omitempty"`
	Oracle     *Oracle    `json:"oracle,omitempty" yaml:"oracle,omitempty"` // nil: made from the gold

	// Place is where the case was read, as FILE:LINE, for messages; not part of the suite's content.
	Place string `json:"-" yaml:"-"`
}

// NeedsToday reports whether the case is decided by which day is today, so that its suite or its run must say.
func (c *Case) NeedsToday() bool {
	for p := range c.Oracle.All() {
		if len(p.Holders) > 0 && p.At == "" { // it looks up who holds something today
			return true
		}
	}
	return slices.ContainsFunc(append([]string{c.Class}, c.Tags...), func(name string) bool {
		return name == "time-shift" || name == "time-shift-role" || name == "time-shift-policy"
	})
}

// All yields an oracle, its parts and theirs, each before its parts; nothing of nil.
func (o *Oracle) All() iter.Seq[*Oracle] {
	return func(yield func(*Oracle) bool) { o.each(yield) }
}

func (o *Oracle) each(yield func(*Oracle) bool) bool {
	if o == nil {
		return true
	}
	goOn := yield(o)
	for i := 0; goOn && i < len(o.Of); i++ {
		goOn = o.Of[i].each(yield)
	}
	return goOn
}

// Changed returns a copy of an oracle in which it and each of its parts was changed; the oracle itself stays as it is.
func (o Oracle) Changed(change func(*Oracle)) Oracle {
	change(&o)
	o.Of = slices.Clone(o.Of)
	for i := range o.Of {
		o.Of[i] = o.Of[i].Changed(change)
	}
	return o
}

// Has reports whether an oracle or a part of it is of a type.
func (o *Oracle) Has(kind string) bool {
	for p := range o.All() {
		if p.Type == kind {
			return true
		}
	}
	return false
}

// A Form is the layout of demonstrations and question.
type Form string

// The forms.
const (
	Chat       Form = "chat"        // each demonstration is a turn of the user and one of the assistant
	QA         Form = "qa"          // a plain text to continue: "Q: …\nA: …\n\nQ: …\nA:"
	InputLabel Form = "input-label" // a plain text to continue: "Input: …\nLabel: …\n\nInput: …\nLabel:"
	Claim      Form = "claim-label" // the same with "Claim:" and "Label:"
	Answer     Form = "answer"      // the same, the question bare: "…\nAnswer: …\n\n…\nAnswer:"
	// the prompt itself is the text to continue; nothing is put between it and an option
	Continue Form = "continue"
)

// Forms are the forms that a case may name.
var Forms = []Form{Chat, QA, InputLabel, Claim, Answer, Continue}

// A Demonstration is one worked example: an input and the label that answers it.
type Demonstration struct {
	Input string `json:"input" yaml:"input"`
	Label string `json:"label" yaml:"label"`
}

// Gold is a reference answer: one or several accepted texts, the index of an option, several texts each of which
// must be named, or numbers. The zero Gold is "no gold". It reads and writes as a string, a list of strings,
// {option: N}, {all: […]}, {value: V, tolerance: T}, {value: V, significant: N} or {range: [LOW, HIGH]}.
type Gold struct {
	Texts  []string // accepted answers; any of them is right
	Option *int     // index into Case.Options
	All    []string // each of them must be named; two or more
	// Tolerance is how far from the one text, a number, an answer may lie: a number, or a share of the gold as "1
	// %". Significant, in its place, is to how many significant digits the gold holds. Range are the lowest and the
	// highest number that is right. The numbers keep the text of the file; Interval reads them.
	Tolerance   string
	Significant int
	Range       []string
}

// IsZero reports whether there is no reference answer.
func (g Gold) IsZero() bool {
	return len(g.Texts) == 0 && g.Option == nil && len(g.All) == 0 && len(g.Range) == 0
}

// A Match says in which forms an answer may give the gold.
type Match string

// The ways to match.
const (
	// as people write it: shorter and fuller names, articles, abbreviations, numbers and dates in any form
	Everyday Match = "everyday"
	Exact    Match = "exact" // as it stands in the suite, or as one of its aliases
)

// Matches are the ways to match that a suite or a case may name, the default first.
var Matches = []Match{Everyday, Exact}

// Settings are the switches that hold for one case.
type Settings struct {
	FormatIsGating  bool
	StrictRetrieval bool
	Weights         Weights
}

// Settings returns the switches that hold for a case of the suite: a tag's, of the first that sets one, else its
// class's, else the suite's.
func (s *Suite) Settings(c *Case) Settings {
	set := Settings{Weights: DefaultWeights}
	switches := []Switches{s.Switches, s.ByClass[c.Class]} // a later one is stronger
	for _, t := range slices.Backward(c.Tags) {
		switches = append(switches, s.ByTag[t])
	}
	for _, w := range switches {
		set.FormatIsGating = *cmp.Or(w.FormatIsGating, &set.FormatIsGating)
		set.StrictRetrieval = *cmp.Or(w.StrictRetrieval, &set.StrictRetrieval)
		set.Weights = *cmp.Or(w.Weights, &set.Weights)
	}
	return set
}

// ExactMatch reports whether the gold of a case of the suite matches as it is written only: the case's own match,
// else the suite's.
func (s *Suite) ExactMatch(c *Case) bool {
	if c.Match != "" {
		return c.Match == Exact
	}
	return s.Match == Exact
}

// An AnswerType says what kind of text answers a case and so which equality holds between answers.
type AnswerType string

// The answer types, and the equality each sets by default.
const (
	Choice  AnswerType = "choice"  // one of the options: compared by content
	Numeric AnswerType = "numeric" // a number: compared by value
	Short   AnswerType = "short"   // a name or phrase: compared in normal form
	Prose   AnswerType = "prose"   // sentences: compared by a judged relation where there is one
)

// Requires says what an answer must bring besides being right.
type Requires struct {
	Evidence bool `json:"evidence,omitempty" yaml:"evidence,omitempty"` // a quote, line or identifier
	// precision of a date: year, month, day
	Date string `json:"date,omitempty" yaml:"date,omitempty"`
	// the context is the only admissible evidence
	ContextOnly bool `json:"context_only,omitempty" yaml:"context_only,omitempty"`
	Steps       int  `json:"steps,omitempty" yaml:"steps,omitempty"` // number of steps shown
	// Facts are counter-facts that an answer may not leave out, each as text that must appear.
	Facts []string `json:"facts,omitempty" yaml:"facts,omitempty"`
}

// IsZero reports whether nothing is required.
func (r Requires) IsZero() bool {
	return !r.Evidence && r.Date == "" && !r.ContextOnly && r.Steps == 0 && len(r.Facts) == 0
}

// Format is the structure asked of an answer. Zero fields are not asked.
type Format struct {
	// exactly this many bullet lines
	Bullets int `json:"bullets,omitempty" yaml:"bullets,omitempty"`
	// at most this many words
	MaxWords int `json:"max_words,omitempty" yaml:"max_words,omitempty"`
	// a verbatim quote of at least this many words
	QuoteMinWords int `json:"quote_min_words,omitempty" yaml:"quote_min_words,omitempty"`
	// labels that must appear, in any order
	Labels []string `json:"labels,omitempty" yaml:"labels,omitempty"`
}

// IsZero reports whether no structure is asked.
func (f Format) IsZero() bool {
	return f.Bullets == 0 && f.MaxWords == 0 && f.QuoteMinWords == 0 && len(f.Labels) == 0
}

// An Oracle says how an answer is decided. Type selects which of the other fields are read.
type Oracle struct {
	Type string `json:"type" yaml:"type"`
	// Accept and Reject list right answers (exact) and wrong ones that deserve a name, such as a stale office holder.
	Accept []string `json:"accept,omitempty" yaml:"accept,omitempty"`
	Reject []string `json:"reject,omitempty" yaml:"reject,omitempty"`
	// Value is the number that numeric and calc expect, as decimal or fraction; Tolerance is absolute; Unit as text.
	Value     string `json:"value,omitempty" yaml:"value,omitempty"`
	Tolerance string `json:"tolerance,omitempty" yaml:"tolerance,omitempty"`
	Unit      string `json:"unit,omitempty" yaml:"unit,omitempty"`
	// Expression is the arithmetic that calc evaluates to get Value; Steps are the intermediate values that must
	// not be wrong.
	Expression string   `json:"expression,omitempty" yaml:"expression,omitempty"`
	Steps      []string `json:"steps,omitempty" yaml:"steps,omitempty"`
	// Lines are the passage IDs that hold the evidence (retrieval); Distractors those that mislead.
	Lines       []string `json:"lines,omitempty" yaml:"lines,omitempty"`
	Distractors []string `json:"trap,omitempty" yaml:"trap,omitempty"`
	// Readings are the answers under each reading of an ambiguous question (clarification).
	Readings []string `json:"readings,omitempty" yaml:"readings,omitempty"`
	// Repair lists texts one of which a rejection of a false premise should offer (refusal).
	Repair []string `json:"repair,omitempty" yaml:"repair,omitempty"`
	// Kind is the kind of identifier that is asked for (identifier), one of IdentifierKinds; empty: any.
	Kind string `json:"kind,omitempty" yaml:"kind,omitempty"`
	// Holders say who held what is asked about, and when (temporal). At is the date that the question asks about,
	// empty for the as-of date of suite or run; ValidThrough is the last date for which Holders are known to be
	// complete, empty for no end.
	Holders      []Holder `json:"holders,omitempty" yaml:"holders,omitempty"`
	At           string   `json:"at,omitempty" yaml:"at,omitempty"`
	ValidThrough string   `json:"valid_through,omitempty" yaml:"valid_through,omitempty"`
	// Parts are what must appear (proof), each a list of wordings: texts, or regular expressions between slashes.
	// Steps is its short form with one wording each. Ordered says that they must come in this order.
	Parts   [][]string `json:"parts,omitempty" yaml:"parts,omitempty"`
	Ordered bool       `json:"ordered,omitempty" yaml:"ordered,omitempty"`
	// Module names a file of WebAssembly that decides (program), found beside the suite's file; Code is its content
	// in base64, which the reader fills in, so that the suite's hash and a stored run have it.
	Module string `json:"module,omitempty" yaml:"module,omitempty"`
	Code   string `json:"code,omitempty" yaml:"code,omitempty"`
	// Criteria is what a judge is told to decide by, beside the question and the reference answers (judge).
	Criteria string `json:"criteria,omitempty" yaml:"criteria,omitempty"`
	// Of are the parts of all and any.
	Of []Oracle `json:"of,omitempty" yaml:"of,omitempty"`
}

// A Holder held something from one date through another, both included, as 2020, 2020-05 or 2020-05-17; an empty
// From has no beginning, an empty Through no end that is known. Also are other names by which it goes.
type Holder struct {
	Value   string   `json:"value" yaml:"value"`
	Also    []string `json:"also,omitempty" yaml:"also,omitempty"`
	From    string   `json:"from,omitempty" yaml:"from,omitempty"`
	Through string   `json:"through,omitempty" yaml:"through,omitempty"`
}

// IdentifierKinds are the kinds of identifier that an oracle can ask for.
var IdentifierKinds = []string{"arxiv", "doi", "iban", "isbn", "issn", "orcid", "rfc", "url"}

// The classes of hallucination pressure, spelled as in suites.
var Classes = []string{
	"time-shift-role", "time-shift-policy", "nonexistent-citation", "conflict-rag", "entity-conflation",
	"multi-hop", "ambiguity", "false-premise", "format-guard", "negation", "id-precision", "brevity-stress",
	"instruction-conflict", "ood", "url-fabrication",
}

// Difficulties are the levels by which the classes are balanced.
var Difficulties = []string{"easy", "medium", "hard"}

// Domains are the six fields of knowledge a case may belong to.
var Domains = []string{"physical", "mathematical", "civic", "biomedical", "cultural", "software"}

// WriteJSON writes the suite as a line of JSON, case after case, as all of a large one takes as much memory again.
func (s *Suite) WriteJSON(w io.Writer) error {
	header, err := s.headerJSON()
	if err != nil {
		return err
	}
	out, cases := bufio.NewWriter(w), s.Cases
	if cases.Len() > 0 { // which are its last member
		header = bytes.TrimSuffix(header, []byte("]}"))
	}
	out.Write(header)
	for i, c := range cases.Pass() {
		if i > 0 {
			out.WriteByte(',')
		}
		b, err := json.Marshal(c)
		if err != nil {
			return err
		}
		out.Write(b)
	}
	if cases.Len() > 0 {
		out.WriteString("]}")
	}
	out.WriteByte('\n')
	return out.Flush()
}

// headerJSON is the JSON of the suite with an empty list in place of its cases; of null where they are nil.
func (s *Suite) headerJSON() ([]byte, error) {
	header := struct {
		*bare
		Cases []Case `json:"cases"`
	}{bare: (*bare)(s)}
	if s.Cases.Len() > 0 || s.Cases.loose != nil {
		header.Cases = []Case{}
	}
	return json.Marshal(&header)
}

// Designs are what cases can be designed to show: a category of consistency's taxonomy, or any but the first.
var Designs = []string{"prompt_agnostic_factual", "prompt_agnostic_error", "randomness", "not_factual"}

// Tags are the tags that carry a rule of the rubric; a case may have others beside them.
var Tags = []string{
	"time-shift", "retrieval", "nonexistent-citation", "id-precision", "conflict-rag", "rare-entity", "near-duplicate",
	"multi-hop", "calc", "ambiguity", "false-premise", "format-guard", "negation", "brevity-stress",
	"instruction-conflict", "ood",
}

// A Hash is the content hash of a suite, as "sha256:" and hexadecimal digits. It names content; it is not a key of
// calls.
type Hash string

// Hash returns the hash of the suite's content: header and cases in order and the rows of their pools, without
// places and warnings. The order of keys and the format of the file do not matter.
func (s *Suite) Hash() Hash {
	k := s.Cases.packs
	if k == nil {
		hash, _ := s.hashed()
		return hash
	}
	header, err := s.headerJSON()
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil || k.header != string(header) { // else it is of the same cases, which nobody changes
		k.header = string(header)
		k.hash, k.length = s.hashed()
	}
	return k.hash
}

// hashed returns the hash, and the length of the suite's JSON.
func (s *Suite) hashed() (Hash, int) {
	pools := map[string][]Demonstration{}
	for _, c := range s.Cases.Pass() {
		if c.Pool != "" {
			pools[c.Pool] = c.Rows
		}
	}
	h, length := sha256.New(), counter(0)
	// maps are sorted
	if err := errors.Join(s.WriteJSON(io.MultiWriter(h, &length)), json.NewEncoder(h).Encode(pools)); err != nil {
		panic("suite: " + err.Error()) // every field is a plain value, so this is misuse
	}
	return Hash("sha256:" + hex.EncodeToString(h.Sum(nil))), int(length)
}

// A counter counts the bytes that are written to it.
type counter int

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
