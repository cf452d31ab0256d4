package reading

import (
	_ "embed"
	"strings"
)

//go:embed scales.txt
var scalesText string

// A Scale is what things are compared by, such as length or time: the number of its line in scales.txt, from 1 on.
type Scale int

// scaled holds where each word of scales.txt stands: its scale, negative for the end of small numbers and early times.
var scaled = readScales()

// Time is the scale of late and early.
var Time = scaled["later"][0]

func readScales() map[string][]Scale {
	of, n := map[string][]Scale{}, Scale(0)
	for line := range strings.Lines(scalesText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		above, below, _ := strings.Cut(line, " : ")
		for w := range strings.FieldsSeq(above) {
			of[w] = append(of[w], n)
		}
		for w := range strings.FieldsSeq(below) {
			of[w] = append(of[w], -n)
		}
	}
	return of
}

// Ends are the ends of scales that something is compared by: 1 for that of large numbers and late times, -1 for the
// other one.
type Ends map[Scale]int

// EndsOf returns the ends that words name; of a scale whose two ends are named, none.
func EndsOf(words []string) Ends {
	ends := Ends{}
	for _, w := range words {
		for _, s := range scaled[w] {
			end := 1
			if s < 0 {
				s, end = -s, -1
			}
			if was, ok := ends[s]; ok && was != end {
				end = 0
			}
			ends[s] = end
		}
	}
	return ends
}

// Toward returns 1 where a word names one of the ends, -1 where it names the other end of its scale, else 0.
func (e Ends) Toward(word string) int {
	for _, s := range scaled[word] {
		switch {
		case s > 0 && e[s] != 0:
			return e[s]
		case s < 0 && e[-s] != 0:
			return -e[-s]
		}
	}
	return 0
}

// Same reports whether both name the same end of some scale.
func (e Ends) Same(other Ends) bool {
	for s, end := range e {
		if end != 0 && other[s] == end {
			return true
		}
	}
	return false
}
