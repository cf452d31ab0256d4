package oracle

import (
	"strings"

	"hallmark/internal/evidence"
)

// What a disclaimer is made of, where its phrase is none of the lexicon's: a denial, a word of knowing, finding or existing, and a subject that
// is the speaker, nobody or nothing in particular.
var (
	denying = set("not no never nothing none nobody neither nor cannot unable without hardly nowhere lack lacks")
	knowing = []string{
		"know", "knew", "known", "aware", "exist", "find", "found", "trace", "record", "locat", "identif", "verif", "confirm", "recogn", "match", "sourc", "evidenc", "inform", "data",
		"recall", "remember", "tell", "told", "say", "said", "answer", "invent", "fabricat", "guess", "sure", "certain", "possibl", "mention", "stat", "specif", "appear", "list", "heard",
		"document", "surviv", "detail", "access", "determin", "deduc", "infer", "knowledg", "reveal", "indicat", "discuss", "cover", "includ", "provid", "real", "genuin", "familiar", "seem", "encounter", "across", "wrote", "written", "noted", "kept", "preserv",
	}
	unspecific = set("i we my me us nobody no none nothing neither one it that this there they such context passage passages text line lines source sources document documents")
)

// restricting are words beside a verb of telling by which a text says that no more is told.
var (
	restricting = set("only merely solely just")
	telling     = set("give gives gave mention mentions mentioned state states stated tell tells told cover covers covered say says said describe describes described provide provides contain contains")
)

// disclaims returns the sentence in which a text says that it does not know, or that nothing is known or found, in words that the lexicon does
// not have. A text that gives a name or a number which the question does not hold disclaims nothing.
func (e *env) disclaims(t *evidence.Text) (evidence.Span, bool) {
	for i := range t.Words {
		first := t.Words[i].Start == t.Words[t.Sentences[t.Words[i].Sentence].Words.Start].Start
		digit := t.Plain[t.Words[i].Start] >= '0' && t.Plain[t.Words[i].Start] <= '9'
		if (!first || digit) && t.Words[i].Fold != "i" && !e.told[t.Words[i].Fold] && e.names(t, i) {
			return evidence.Span{}, false
		}
	}
	for k, s := range t.Sentences {
		if len(e.c.Context) > 0 && !s.Question && butNot(t, s.Words) {
			return s.Words, true
		}
		if s.Question || k > 1 && k+1 < len(t.Sentences) {
			continue
		}
		var denies, knows, subject bool
		for i := s.Words.Start; i < s.Words.End; i++ {
			w := t.Words[i].Fold
			if restricting[w] && (i > s.Words.Start && telling[t.Words[i-1].Fold] || i+1 < s.Words.End && telling[t.Words[i+1].Fold]) { // "the text only gives the year"
				knows, denies = true, true
			}
			knows = knows || knowingWord(w)
			subject = subject || unspecific[w]
			// "no" denies only what follows it: no reliable record.
			denies = denies || denying[w] && (w != "no" || i+1 < s.Words.End && knowingWord(t.Words[i+1].Fold) || i+2 < s.Words.End && knowingWord(t.Words[i+2].Fold))
		}
		if denies && knows && subject {
			return s.Words, true
		}
	}
	return evidence.Span{}, false
}

// butNot reports whether a sentence says what is told and ends in what is not: "it names the founder, but not the conductor".
func butNot(t *evidence.Text, s evidence.Span) bool {
	const most = 8 // words of what is not told
	for i := s.End - 2; i > s.Start && i > s.End-most; i-- {
		if w := t.Words[i].Fold; w == "but" || w == "yet" {
			next := t.Words[i+1].Fold
			return next == "no" || next == "not" || next == "nothing"
		}
	}
	return false
}

func knowingWord(w string) bool {
	for _, stem := range knowing {
		if strings.HasPrefix(w, stem) {
			return true
		}
	}
	return false
}
