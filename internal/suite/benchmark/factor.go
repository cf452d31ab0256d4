package benchmark

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/suite"
)

// prefixColumn is the column that FACTOR's authors score, as it is spelled in the files.
const prefixColumn = "turncated_prefixes"

// readFactor reads wiki_factor.csv, news_factor.csv or expert_factor.csv: a text, the sentence that goes on with
// it, and three that contradict it. Each is scored as the continuation (suite.Continue), in the order of the file,
// the true one first. With whole prefixes the prompt is the column that the authors score (eval_factuality.py of
// github.com/AI21Labs/factor), to the byte. Else it is the short context that the study of prompts uses
// (arXiv:2602.00723, A.1): the column context, where the file has one; else the last two sentences of the prefix,
// which is this project's reading, with a warning. A context ends in the space or line break that ends its prefix.
// The files' names give the suite its name.
func readFactor(whole bool) func(*file) error {
	return func(f *file) error {
		f.suite.Name = "factor"
		for _, kind := range []string{"wiki", "news", "expert"} {
			if strings.Contains(strings.ToLower(baseName(f.path)), kind) {
				f.suite.Name = kind + "-factor"
			}
		}
		if whole {
			f.suite.Name += "-prefix"
		}
		derived := 0
		need := []string{"full_prefix", "completion", "contradiction_0", "contradiction_1", "contradiction_2"}
		if whole {
			need = append(need, prefixColumn)
		}
		err := f.cells(need, func(line int, get func(string) string) error {
			c := suite.Case{Form: suite.Continue, AnswerType: suite.Choice, Gold: suite.Gold{Option: new(int)}}
			for _, name := range need[1:5] {
				o := strings.TrimSpace(get(name))
				switch {
				case o == "":
					return f.leave(line, "a completion is empty")
				case slices.Contains(c.Options, o):
					return f.leave(line, "two completions are the same")
				}
				c.Options = append(c.Options, o)
			}
			prefix := get("full_prefix")
			if c.Prompt = prefix; whole {
				c.Prompt = get(prefixColumn)
			} else {
				context := strings.TrimSpace(get("context"))
				if context == "" {
					context = lastSentences(prefix, 2)
					derived++
				}
				if c.Prompt = context; context != "" {
					c.Prompt += joint(prefix)
				}
			}
			if strings.TrimSpace(c.Prompt) == "" {
				return f.leave(line, "there is no text to go on with")
			}
			id := questionID("factor", prefix+"\x00"+c.Options[0])
			mix(&c, id)
			return f.addAs(id, line, c)
		})
		if derived > 0 {
			f.warnf("%d rows have no short context: the last two sentences of their prefix stand for it", derived)
		}
		return err
	}
}

// joint returns the space or line break that a text ends in, or nothing.
func joint(s string) string {
	if s == "" || !strings.ContainsAny(s[len(s)-1:], " \n") {
		return ""
	}
	return s[len(s)-1:]
}

// baseName is the last part of a path, of either kind of system.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// abbreviations end in a full stop that ends no sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "st": true, "jr": true, "sr": true, "prof": true, "gen": true,
	"sen": true, "rep": true, "gov": true,
	"inc": true, "corp": true, "co": true, "ltd": true, "vs": true, "etc": true,
}

// lastSentences returns the last n sentences of a text as they stand in it, without the space around them. A
// sentence ends at a line break, or at a full stop, question or exclamation mark, with the quotes and brackets that
// close behind it, before a space and no small letter; not behind a single letter or a common abbreviation.
func lastSentences(text string, n int) string {
	text = strings.TrimSpace(text)
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] != '\n' && text[i] != ' ' {
			continue
		}
		next := i + len(text[i:]) - len(strings.TrimLeft(text[i:], " \n"))
		if strings.Contains(text[i:next], "\n") || endsSentence(text[:i]) && !startsSmall(text[next:]) {
			starts = append(starts, next)
		}
		i = next - 1
	}
	return text[starts[max(0, len(starts)-n)]:]
}

func endsSentence(s string) bool {
	s = strings.TrimRight(s, `"'”’)]`)
	if !strings.HasSuffix(s, ".") {
		return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!")
	}
	word := s[strings.LastIndexAny(s, " \n(\"“")+1 : len(s)-1]
	word = word[strings.LastIndexByte(word, '.')+1:]
	return utf8.RuneCountInString(word) > 1 && !abbreviations[strings.ToLower(word)] || word == "" ||
		word[0] >= '0' && word[0] <= '9'
}

func startsSmall(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}
