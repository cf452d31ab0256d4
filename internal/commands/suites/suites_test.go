package suites

import "testing"

// What names a suite again is what was typed, without a path that leads out of the folder.
func TestArgument(t *testing.T) {
	for ref, want := range map[string]string{
		"pocket": "", "core": "", "incontext:topic2?n=2": "", "questions.csv": "questions.csv", "./a/q.csv": "./a/q.csv",
		"/home/ann/q.csv": "q.csv", "../q.csv": "q.csv", "a/../../q.csv": "q.csv",
		"factor=/data/news.csv,for=wiki-factor": "factor=news.csv,for=wiki-factor",
		"fever=a/dev.jsonl,pool=../train.jsonl": "fever=a/dev.jsonl,pool=train.jsonl",
	} {
		if got := Argument(ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
}
