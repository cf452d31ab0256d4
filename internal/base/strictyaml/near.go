package strictyaml

import (
	"fmt"
	"strings"
)

// Nearest returns the known word that a misspelt one most likely means, and false where none is near.
func Nearest(word string, known []string) (string, bool) {
	best, bestAt := "", len(word)/3+2
	for _, k := range known {
		if d := Distance(strings.ToLower(word), k); d < bestAt {
			best, bestAt = k, d
		}
	}
	return best, best != ""
}

// Distance is the number of letters to insert, delete or replace to get from a to b (Levenshtein); above 64 letters
// it is not counted.
func Distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0]++
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(last+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Typos is the distance, with two neighbouring letters exchanged counted as one.
func Typos(a, b string) int {
	d := Distance(a, b)
	for i := 0; i+1 < len(a) && len(a) <= 64; i++ {
		if a[i] != a[i+1] {
			swapped := a[:i] + a[i+1:i+2] + a[i:i+1] + a[i+2:]
			d = min(d, 1+Distance(swapped, b))
		}
	}
	return d
}

// Suggest ends a message about an unknown word: with the near one, or with all.
func Suggest(word string, known []string) string {
	if k, ok := Nearest(word, known); ok {
		return fmt.Sprintf("did you mean %q?", k)
	}
	return "known are " + strings.Join(known, ", ")
}
