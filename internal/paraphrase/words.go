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

// Words of quantity by class. A class in one text asks for one of the words that satisfy it in the other.
type class struct {
	name           string
	marks, satisfy [][]string
}

func phrases(list string) [][]string {
	var out [][]string
	for p := range strings.SplitSeq(list, ",") {
		out = append(out, strings.Fields(p))
	}
	return out
}

// classes of quantifiers. Where marks stand in one text, the other needs one of marks or satisfy.
var classes = []class{
	{name: "all", marks: phrases("all,every,everyone,everybody,everything,always"),
		satisfy: phrases(
			"each,any,anyone,anything,whole,entire,entirely,total,altogether,both,per,daily,weekly,monthly,yearly,annually,a day,a week,a month,a year,an hour,everyday,throughout,completely,universally,invariably,overall,in total,the rest")},
	{name: "only", marks: phrases("only,solely,exclusively"),
		satisfy: phrases(
			"just,alone,sole,merely,nothing but,no one but,simply,single,exclusive,purely,unique,uniquely")},
	{name: "at least", marks: phrases("at least,no less than,no fewer than,not less than,not fewer than"),
		satisfy: phrases("minimum,or more,or above,or higher,or over,or older,and up,upwards")},
	{name: "at most", marks: phrases("at most,no more than,not more than,up to"),
		satisfy: phrases("maximum,or less,or fewer,or under,or below,or younger,limit,within,as many as,as much as")},
	{name: "exactly", marks: phrases("exactly,precisely"), satisfy: phrases("exact,precise,just,equal")},
	{name: "most", marks: phrases("most of,mostly,majority of,the majority"),
		satisfy: phrases(
			"majority,most,mainly,largely,primarily,generally,predominantly,more than half,usually,typically")},
	{name: "some", marks: phrases("sometimes,occasionally,some of,part of"),
		satisfy: phrases("some,partly,partially,often,can,may,might,at times,now and then,from time to " +
			"time,part,portion,certain,several")},
}

// idioms in which a quantifier counts nothing.
var idioms = phrases("at all,after all,all right,all over,above all,first of all,not only,if only,all but,all " +
	"about,all star,all stars,all time,most of all,part of speech,as part of,only child")

// opposites are pairs of words of which one may not stand for the other.
var opposites = func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(`
good bad better worse best worst | good poor | good evil
same different | similar different | alike different | identical different
true false | true fake | real fake | genuine fake | right wrong | correct incorrect | correct wrong
open closed | open shut | opens closes | opened closed
high low | higher lower | highest lowest | tall short | taller shorter | tallest shortest
big small | bigger smaller | biggest smallest | large small | larger smaller | largest smallest | great little | huge tiny
long short | longer shorter | longest shortest | wide narrow | thick thin | deep shallow
more less | more fewer | most least | many few | much little | greater less | greater fewer | maximum minimum | max min | over under
before after | earlier later | early late | first last | former latter | previous next | past future | ancestor descendant | predecessor successor
old new | older newer | oldest newest | old young | older younger | oldest youngest | ancient modern
increase decrease | increases decreases | increased decreased | rise fall | rises falls | rose fell | rising falling | up down | grow shrink | gain lose | gained lost | raise lower
live die | lives dies | lived died | alive dead | living dead | birth death | born died | survive die | survives dies
begin end | begins ends | began ended | start end | starts ends | started ended | start finish | start stop | starts stops | started stopped | beginning end | continue stop
win lose | wins loses | won lost | victory defeat | winner loser | attack defend | succeed fail
buy sell | buys sells | bought sold | import export | imports exports | lend borrow | send receive | teach learn
north south | northern southern | east west | eastern western | left right | above below | inside outside | inner outer | internal external | upper lower | top bottom | front back | enter leave | arrive leave
male female | man woman | men women | boy girl | boys girls | husband wife | father mother | son daughter | brother sister | king queen | uncle aunt
hot cold | warm cool | wet dry | hard soft | heavy light | dark bright | full empty | fast slow | faster slower | fastest slowest | quiet noisy | quiet loud | strong weak | stronger weaker | clean dirty | rich poor | cheap expensive | easy difficult | easy hard | simple complex | safe dangerous | fresh stale | sharp blunt
love hate | accept reject | accepts rejects | accepted rejected | agree disagree | allow forbid | allowed forbidden | allowed banned | allowed prohibited | permitted prohibited | permitted banned | include exclude | includes excludes | included excluded | join leave | build destroy | create destroy | remember forget | expand contract | absorb emit
public private | positive negative | major minor | active passive | guilty innocent | ally enemy | friend enemy | winter summer | day night | morning evening | war peace | married single | married divorced | permanent temporary | domestic foreign | urban rural | natural artificial | odd even | singular plural | vertical horizontal | clockwise counterclockwise
add subtract | plus minus | multiply divide | sum difference | product quotient | parent child | cause effect | reason result | together apart | together alone | always never | everyone nobody | all none | something nothing | with without
common rare | common unusual | necessary optional | required optional | essential unnecessary | visible hidden | ascending descending | forward backward | healthy sick | sweet bitter | solid liquid | married unmarried | compatible clashing`), "\n") {
		for pair := range strings.SplitSeq(line, "|") {
			words := strings.Fields(pair)
			for i := 0; i+1 < len(words); i += 2 {
				a, b := words[i], words[i+1]
				m[a], m[b] = append(m[a], b), append(m[b], a)
			}
		}
	}
	return m
}()

// prefixes turn a word into its opposite.
var prefixes = []string{"un", "in", "im", "il", "ir", "dis", "non", "mis", "anti"}

// peoples are pairs of a place and its adjective that no rule makes from the name, both ways.
var peoples = func() map[string]bool {
	m := map[string]bool{}
	for pair := range strings.SplitSeq(`france french,germany german,england english,wales welsh,scotland scottish,ireland irish,netherlands dutch,holland dutch,spain spanish,
denmark danish,greece greek,turkey turkish,poland polish,sweden swedish,finland finnish,switzerland swiss,thailand thai,portugal portuguese,philippines filipino,
norway norwegian,britain british,uk british,us american,usa american,america american,iceland icelandic,belgium belgian,brazil brazilian,canada canadian,
peru peruvian,ukraine ukrainian,wales welsh,mexico mexican,russia russian,china chinese,japan japanese,israel israeli,pakistan pakistani,egypt egyptian,cyprus cypriot,
hungary hungarian,italy italian,argentina argentine,argentina argentinian,madagascar malagasy,czechia czech,luxembourg luxembourgish,slovenia slovene,slovakia slovak,croatia croat,serbia serb,
europe european,africa african,asia asian,netherlands netherlands,afghanistan afghan,kuwait kuwaiti,norway norse,paris parisian,london londoner,vienna viennese,rome roman,milan milanese,moscow muscovite`, ",") {
		w := strings.Fields(pair)
		m[w[0]+" "+w[1]], m[w[1]+" "+w[0]] = true, true
	}
	return m
}()

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
