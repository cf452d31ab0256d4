package oracle

import "hallmark/internal/evidence"

// saysNo reports whether one of the first two statements opens with "no" and a comma, a dash or a stop: "Higher? No, lower."
func saysNo(t *evidence.Text) bool {
	stated := 0
	for _, s := range t.Sentences {
		if s.Question {
			continue
		}
		first := t.Words[s.Words.Start]
		if first.Fold == "no" && (s.Words.End-s.Words.Start == 1 || t.Words[s.Words.Start+1].Clause != first.Clause) {
			return true
		}
		if stated++; stated == 2 {
			break
		}
	}
	return false
}

// goesAhead reports whether a text that says its sources do not tell, or that it does not know, answers all the same behind a "but" or a
// "however": "they don't say so, but since the mayor opened it, the town paid for it". It does so in a clause that nothing denies and nobody is said to
// report, in the question's words and others of content that neither question nor context holds.
func (o *refusal) goesAhead(t *evidence.Text, c evidence.Cue) bool {
	if o.premise && len(o.repair) > 0 || c.Sense != evidence.Insufficient && c.Sense != evidence.Unknown {
		return false
	}
	sentence := t.Words[c.Words.Start].Sentence
	if o.guesses(t, int(sentence)) || o.guesses(t, int(sentence)+1) {
		return true
	}
	denied, turns := deniedWords(t), 0
	for _, turn := range t.Cues {
		s := t.Words[turn.Words.Start].Sentence
		if turn.Sense != evidence.Turns || turn.Words.Start < c.Words.End || s > sentence+1 || s == sentence+1 && turn.Words.Start != t.Sentences[s].Words.Start {
			continue
		}
		if turns++; turns > mostTurns {
			break
		}
		for i := turn.Words.End; i < t.Sentences[s].Words.End; {
			end, asked, strange, told := i, false, false, false
			for ; end < t.Sentences[s].Words.End && t.Words[end].Clause == t.Words[i].Clause; end++ {
				w := t.Words[end].Fold
				_, held := o.asked(w)
				asked = asked || held
				told = told || denied[end] || reporting[w] || aside[w]
				strange = strange || !held && !evidence.Stop[w] && len(w) > 2 && !o.told[w]
			}
			if asked && strange && !told {
				return true
			}
			i = end
		}
	}
	return false
}

// mostTurns bounds the words such as "but" behind which an answer is looked for.
const mostTurns = 8

// guesses reports whether a sentence says what the text's guess is, in a name, a number or another word that neither question nor context holds.
func (o *refusal) guesses(t *evidence.Text, sentence int) bool {
	if sentence >= len(t.Sentences) || t.Sentences[sentence].Question {
		return false
	}
	s := t.Sentences[sentence].Words
	c, ok := t.Cue(s, evidence.Guesses)
	if !ok || t.Words[c.Words.End-1].Fold != "guess" {
		return false
	}
	denied := deniedWords(t)
	for i := c.Words.End; i < s.End; i++ {
		if denied[i] {
			return false
		}
	}
	for i := c.Words.End; i < s.End; i++ {
		if w := t.Words[i].Fold; !evidence.Stop[w] && !o.question[w] && len(w) > 2 && !o.told[w] {
			return true
		}
	}
	return false
}

// aside are words by which a clause says what is told, or what could be done, instead of what is asked.
var aside = set("often usually typically generally sometimes only just mention tell describe describes deal deals cover covers contain contains know known find found look ask check would could can might may if whether what who when where which how")

// guessed reports whether the cue only says how sure the text is of a name or number that it has given before in the sentence: "it was in 1807,
// but I'm not completely sure".
func (o *refusal) guessed(t *evidence.Text, c evidence.Cue) bool {
	if c.Sense != evidence.Unknown {
		return false
	}
	switch t.Words[c.Words.End-1].Fold {
	case "sure", "certain", "unsure", "uncertain":
	default:
		return false
	}
	s := t.Sentences[t.Words[c.Words.Start].Sentence].Words
	for i := s.Start + 1; i < c.Words.Start; i++ {
		if o.names(t, i) && t.Words[i].Fold != "i" && t.Words[i].Clause != t.Words[c.Words.Start].Clause {
			return true
		}
	}
	return false
}
