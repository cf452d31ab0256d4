// Package world holds worlds: what is true somewhere, as data that suites are generated from. A world is tables of
// facts, dated facts, works with their identifiers, quantities, texts, names with several bearers, false premises
// and definitions. Every table names its source and the day through which it is complete, so that every case made
// from it is decidable and every gold answer can be computed again.
//
// Two worlds ship: Earth, and the built-in model's own (package pocket). Users add theirs as YAML, or CSV tables.
package world

import "sync"

// A World is what is true somewhere. It is immutable once read.
type World struct {
	Name string `yaml:"name"`
	// AsOf is the day the world is told on, as 2026-11-01.
	AsOf string `yaml:"as_of"`
	// Fictional says that the world is not ours, so that a question about ours finds nothing in it.
	Fictional bool `yaml:"fictional,omitempty"`

	Relations   []Relation   `yaml:"relations,omitempty"`
	Works       []Work       `yaml:"works,omitempty"`
	Homonyms    []Homonym    `yaml:"homonyms,omitempty"`
	Premises    []Premise    `yaml:"premises,omitempty"`
	Definitions []Definition `yaml:"definitions,omitempty"`
	Lists       []List       `yaml:"lists,omitempty"`
	Texts       []Text       `yaml:"texts,omitempty"`
	Units       []Unit       `yaml:"units,omitempty"`
	Pages       []Page       `yaml:"pages,omitempty"`
	// Names are patterns from which names of things that do not exist are built, by kind: "person", "title",
	// "place", "company", … A part in braces stands for a draw from the patterns of that kind: person: ["{first}
	// {last}"], first: [Ada, …].
	Names map[string][]string `yaml:"names,omitempty"`
	// Sources are where the tables come from, by the key that they name.
	Sources map[string]Source `yaml:"sources,omitempty"`

	lookup sync.Once
	taken  map[string]bool // by foldName; entered when the first name is looked up
}

// ShortWords is the most words that the short form of a definition has.
const ShortWords = 25

// A Source is where a table comes from.
type Source struct {
	Title string `yaml:"title"`
	// Through is the last day for which the source is known to hold, as 2026-01-31; empty for what does not change.
	Through string `yaml:"through,omitempty"`
}

// A Relation is one thing that can be asked of every subject of a kind, with its facts: a table.
type Relation struct {
	Name    string `yaml:"name"`    // as in "the capital of France"
	Subject string `yaml:"subject"` // the kind of the subjects, such as "country"
	Value   string `yaml:"value"`   // the kind of the values, such as "city", "person", "year", "number", "code"
	Domain  string `yaml:"domain"`  // one of suite.Domains
	Source  string `yaml:"source"`  // a key of World.Sources
	// Dated says that a value holds from one day to another, as a person holds an office.
	Dated bool `yaml:"dated,omitempty"`
	// Unique says that no two subjects have the same value, so that the value names its subject.
	Unique bool `yaml:"unique,omitempty"`
	// Ask are ways to ask, the plainest first; {subject} stands for the subject and, in a dated relation, {date}
	// for "as of …".
	Ask []string `yaml:"ask"`
	// State says a fact: "The capital of {subject} is {value}."
	State string `yaml:"state"`
	Facts []Fact `yaml:"facts"`
	// File is a CSV table that the facts are read from, and Column its column of values ("value" where it is not
	// named).
	File   string `yaml:"file,omitempty"`
	Column string `yaml:"column,omitempty"`
}

// A Fact is one row of a relation.
type Fact struct {
	Subject string `yaml:"subject" world:"name"`
	Value   string `yaml:"value" world:"name"`
	// Also are other names of the value that are as right.
	Also []string `yaml:"also,omitempty" world:"name"`
	// From and Through bound the time in which the fact holds, as 1990-05-20, both inclusive; empty is open. Facts
	// of a dated relation about one subject stand in the order of time and do not overlap.
	From    string `yaml:"from,omitempty"`
	Through string `yaml:"through,omitempty"`
	// Difficulty is easy, medium or hard by how widely the fact is known.
	Difficulty string `yaml:"difficulty,omitempty"`
}

// Placed is what every entry of a table says but a relation's facts: where it belongs and where it comes from.
type Placed struct {
	Domain string `yaml:"domain"` // one of suite.Domains
	Source string `yaml:"source"` // a key of World.Sources
	// Difficulty is easy, medium or hard by how widely the entry is known; empty where nobody says.
	Difficulty string `yaml:"difficulty,omitempty"`
}

// A Work is a book, a paper, a standard: what can be cited.
type Work struct {
	Placed  `yaml:",inline"`
	Title   string   `yaml:"title" world:"name"`
	Authors []string `yaml:"authors" world:"name"`
	Year    int      `yaml:"year"`
	Kind    string   `yaml:"kind"` // book, paper, rfc, statute, …
	// Identifiers are the work's, by kind: isbn, doi, rfc, url, arxiv. What has check digits has right ones.
	Identifiers map[string]string `yaml:"identifiers,omitempty"`
	// Twins are people that it is wrongly given to, or works that it is taken for: "Moral Tribes" by another
	// author. A twin that is a title of this world stands for that work; any other is a person.
	Twins []string `yaml:"twins,omitempty" world:"name"`
}

// A Homonym is a name with several bearers, of each of which the same thing can be asked.
type Homonym struct {
	Placed  `yaml:",inline"`
	Name    string   `yaml:"name" world:"name"` // "Georgia"
	Asked   string   `yaml:"asked"`             // "What is the capital of Georgia?"
	Bearers []Bearer `yaml:"bearers"`
}

// A Bearer is one of those that share a name.
type Bearer struct {
	Name  string   `yaml:"name" world:"name"`  // "the country of Georgia"
	Value string   `yaml:"value" world:"name"` // "Tbilisi"
	Also  []string `yaml:"also,omitempty" world:"name"`
	About string   `yaml:"about"` // a sentence that mentions the bearer and does not answer the question
}

// A Premise is something false that a question may take for granted, with what is true instead.
type Premise struct {
	Placed `yaml:",inline"`
	False  string `yaml:"false" world:"name"` // "Newton's fourth law": names the falsehood
	Asked  string `yaml:"asked"`              // a question that takes it for granted
	Truth  string `yaml:"truth"`              // a sentence that puts it right
	// Repair are texts one of which every correction holds.
	Repair []string `yaml:"repair"`
	// Follows are conclusions that only the false premise gives: whoever asserts one has swallowed it.
	Follows []string `yaml:"follows,omitempty"`
}

// A Definition is a term with the parts that a definition of it must have.
type Definition struct {
	Placed `yaml:",inline"`
	Term   string `yaml:"term" world:"name"`
	Text   string `yaml:"text"` // a definition, in our words
	// Short is a definition of at most ShortWords words, with the formula where there is one.
	Short   string `yaml:"short"`
	Formula string `yaml:"formula,omitempty"`
	// Parts are what a definition must have; of each, any one of the wordings, as regular expressions of package
	// regexp.
	Parts [][]string `yaml:"parts"`
	// Beside is a related term, and Distinct what sets this one apart from it, as Parts.
	Beside   string     `yaml:"beside,omitempty" world:"name"`
	Distinct [][]string `yaml:"distinct,omitempty"`
	// Apart says in a sentence what sets the term apart from Beside; it matches Distinct.
	Apart string `yaml:"apart,omitempty"`
}

// A List is a closed set of items in their canonical names, such as the axioms of probability.
type List struct {
	Placed `yaml:",inline"`
	Name   string `yaml:"name" world:"name"` // "the Kolmogorov axioms of probability"
	Items  []Item `yaml:"items"`
	// Almost are items that do not belong and are often taken for members.
	Almost  []string `yaml:"almost,omitempty" world:"name"`
	Ordered bool     `yaml:"ordered,omitempty"`
}

// An Item is a member of a list, with other names of it that are as right.
type Item struct {
	Name string   `yaml:"name" world:"name"`
	Also []string `yaml:"also,omitempty" world:"name"`
}

// A Text is a passage in the public domain or of our own writing, line by line, with what can be asked of it.
type Text struct {
	Placed `yaml:",inline"`
	Title  string   `yaml:"title" world:"name"`
	Author string   `yaml:"author,omitempty" world:"name"`
	Lines  []string `yaml:"lines"`
	// Kind says what the text is: statute, record, passage, …
	Kind  string     `yaml:"kind,omitempty"`
	Asked []Question `yaml:"asked,omitempty"`
}

// A Question is one that a text answers in one of its lines, or in none.
type Question struct {
	Question string   `yaml:"question"`
	Value    string   `yaml:"value,omitempty"`
	Also     []string `yaml:"also,omitempty"`
	// the line that answers, from 1; 0 where none does and to decline is right
	Line    int    `yaml:"line,omitempty"`
	Section string `yaml:"section,omitempty"`
}

// A Unit is a unit of measure as an exact multiple of its dimension's base unit, plus an offset for temperatures.
type Unit struct {
	Name      string   `yaml:"name" world:"name"`
	Plural    string   `yaml:"plural" world:"name"`
	Symbols   []string `yaml:"symbols"`
	Dimension string   `yaml:"dimension"`
	Factor    string   `yaml:"factor"` // a decimal or a fraction, exact
	Offset    string   `yaml:"offset,omitempty"`
	Source    string   `yaml:"source"`
}

// A Page is an address that is known to be the official page of something.
type Page struct {
	Placed `yaml:",inline"`
	Of     string `yaml:"of" world:"name"`
	URL    string `yaml:"url"`
}
