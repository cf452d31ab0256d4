package paraphrase

import "strings"

// set makes a set of the words of a text.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// The words that deny: as good as "not", and those that deny in their own way, beside which a "not" is no change.
var (
	denies     = set("not no never none nobody nothing nowhere neither nor no-one cannot")
	halfDenies = set(`without unable impossible fail fails failed failing lack lacks lacked lacking hardly barely scarcely rarely seldom absent absence
		refuse refuses refused deny denies denied decline declined declines except unless prevent prevents prevented avoid avoids avoided unlikely untrue`)
)

// multiples are words for numbers, as numerator and denominator.
var multiples = map[string][2]int64{
	"twice": {2, 1}, "double": {2, 1}, "doubled": {2, 1}, "doubles": {2, 1}, "thrice": {3, 1}, "triple": {3, 1},
	"tripled": {3, 1}, "triples": {3, 1}, "quadruple": {4, 1},
	"half": {1, 2}, "halves": {1, 2}, "quarter": {1, 4}, "quarters": {1, 4}, "dozen": {12, 1}, "dozens": {12, 1},
}

// prefixes turn a word into its opposite.
var prefixes = []string{"un", "in", "im", "il", "ir", "dis", "non", "mis", "anti"}

// months by their short forms, and days of the week: parts of dates, which are kept like names.
var calendar = func() map[string]string {
	m := map[string]string{}
	for _, w := range strings.Fields(
		"january february march april may june july august september october november december") {
		m[w], m[w[:3]] = w, w
	}
	m["sept"] = "september"
	for _, w := range strings.Fields("monday tuesday wednesday thursday friday saturday sunday") {
		m[w] = w
	}
	return m
}()

// opens are words that a sentence may begin with and that are no names.
var opens = set(`the a an this that these those it he she they we i you there here who what which when where why how whose whom is are was were do does did has have had
	can could will would shall should may might must in on at of for from by with as if while although though because since before after during until about under over
	between among into through and or but so yet not no every all each both some any many most few several one two three four five six seven eight nine ten please
	name tell give state say list find write explain describe compute calculate determine consider suppose let imagine according answer question its his her their our my your
	mr mrs ms dr prof sir lady lord god ok ceo tv dvd phd us first last another other such only even also then thus hence however moreover instead today yesterday tomorrow`)
