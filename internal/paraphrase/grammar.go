package paraphrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// capitalized writes the first letter large.
func capitalized(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowered writes the first letter small.
func lowered(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

var articles = set("the a an this that these those it he she they we there his her its their our my your some many " +
	"most several one two three four five six seven eight nine ten")

// lowerArticle writes the first word small where it is no name.
func lowerArticle(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if articles[strings.ToLower(first)] && len(first) > 1 || first == "A" {
		return lowered(s)
	}
	return s
}

var pronouns = set("i you he she it we they me him us them himself herself itself themselves")

func hasPronoun(s string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		if pronouns[w] {
			return true
		}
	}
	return false
}

// determined reports whether a word begins something that is named: an article or the like, or a name.
func determined(word string) bool {
	return articles[strings.ToLower(word)] || startsUpper(word) || isDigit(word[0])
}

// clauses are words behind which a clause or a participle may follow that belongs to the verb before.
var clauses = set("that who which whom whose when where while because if than and or but as is are was were be " +
	"been has have had do does did can could will would should may might must to not")

// nominal reports whether words are one thing that is named, without a clause in it.
func nominal(s string) bool {
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > 14 || !determined(words[0]) {
		return false
	}
	for i, w := range words {
		if clauses[strings.ToLower(w)] || i > 0 && participle(w) && i < len(words)-1 && !startsUpper(words[i+1]) ||
			strings.ContainsAny(w, "()[]") {
			return false
		}
	}
	last := words[len(words)-1]
	return len(words) == 1 || !participle(last) && !prepositions[strings.ToLower(last)]
}

var prepositions = set("of in on at to for from by with about into over under between through during after before against")

// inverted reports whether a verb that helps stands near the front, so that the subject is behind it.
func inverted(words []string) bool {
	if len(words) < 2 || auxiliaries[strings.ToLower(words[0])] {
		return true
	}
	for i, w := range words[:min(6, len(words))] {
		switch w {
		case "do", "does", "did", "can", "could", "will", "would", "should", "shall", "may", "might", "must", "has",
			"have", "had":
			return true
		case "is", "are", "was", "were":
			// "which city is the …": what comes before is the subject; "what time is it" turns it round.
			return i+1 < len(words) && (pronouns[words[i+1]] || words[i+1] == "there" || words[i+1] == "this" ||
				words[i+1] == "that")
		}
	}
	return false
}

// participle reports whether a word is a past participle as far as its form shows.
func participle(w string) bool {
	return len(w) > 3 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && !notParticiples[w] &&
		!startsUpper(w) || participles[w]
}

var (
	notParticiples = set("bed red hundred sacred naked shed sled biped wicked rugged")
	participles    = set(`born built written made known given taken seen held won found founded called sung drawn spoken begun broken chosen driven eaten fallen flown grown hidden
		sold bought brought taught caught told thought led met sent spent lost paid said laid shot struck torn thrown worn woven drunk fought kept left hung set put cut`)
)

// verbs by their base form: past, and the form behind he or she.
var verbs = func() map[string][2]string {
	m := map[string][2]string{}
	for v := range strings.SplitSeq(`live lived lives,die died dies,work worked works,play played plays,start started starts,end ended ends,open opened opens,close closed closes,
begin began begins,become became becomes,come came comes,go went goes,take took takes,make made makes,mean meant means,happen happened happens,occur occurred occurs,
stand stood stands,win won wins,lose lost loses,write wrote writes,sing sang sings,say said says,eat ate eats,grow grew grows,belong belonged belongs,
borrow borrowed borrows,cost cost costs,weigh weighed weighs,produce produced produces,invent invented invents,discover discovered discovers,found founded founds,
build built builds,move moved moves,travel travelled travels,study studied studies,teach taught teaches,serve served serves,rule ruled rules,reign reigned reigns,
marry married marries,join joined joins,leave left leaves,arrive arrived arrives,return returned returns,fall fell falls,rise rose rises,flow flowed flows,
contain contained contains,consist consisted consists,cause caused causes,lead led leads,use used uses,need needed needs,want wanted wants,like liked likes,
think thought thinks,believe believed believes,know knew knows,speak spoke speaks,call called calls,get got gets,give gave gives,receive received receives,
earn earned earns,buy bought buys,sell sold sells,pay paid pays,spend spent spends,save saved saves,own owned owns,eat ate eats,drink drank drinks,
sleep slept sleeps,run ran runs,walk walked walks,drive drove drives,fly flew flies,swim swam swims,read read reads,draw drew draws,paint painted paints,
compose composed composes,direct directed directs,star starred stars,appear appeared appears,remain remained remains,stay stayed stays,last lasted lasts,
represent represented represents,border bordered borders,celebrate celebrated celebrates,originate originated originates,form formed forms,create created creates,develop developed develops,
represent represented represents,measure measured measures,equal equalled equals,turn turned turns,land landed lands,sign signed signs,attend attended attends,graduate graduated graduates,
meet met meets,see saw sees,hear heard hears,find found finds,keep kept keeps,hold held holds,send sent sends,bring brought brings,sit sat sits,fight fought fights,
freeze froze freezes,boil boiled boils,melt melted melts,orbit orbited orbits,erupt erupted erupts,collapse collapsed collapses,surrender surrendered surrenders,resign resigned resigns`, ",") {
		w := strings.Fields(v)
		m[w[0]] = [2]string{w[1], w[2]}
	}
	return m
}()

// makers are participles whose past cannot be mistaken for a noun; makersInOrder has them as pairs.
var makers, makersInOrder = func() (map[string]string, [][2]string) {
	m := map[string]string{}
	var order [][2]string
	for v := range strings.SplitSeq(`written wrote,directed directed,composed composed,invented invented,discovered discovered,founded founded,painted painted,designed designed,
produced produced,developed developed,created created,published published,recorded recorded,built built,sung sang,drawn drew,acquired acquired,established established`, ",") {
		w := strings.Fields(v)
		m[w[0]] = w[1]
		order = append(order, [2]string{w[0], w[1]})
	}
	return m, order
}()
