package synthetic

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
)

// CSV is the study as a table with a row a query.
func (s *Study) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }
	head := []string{"set", "function", "n", "x", "mi", "entropy", "divergence", "gap"}
	for _, name := range []string{"thr", "phr", "exact_thr", "exact_phr"} {
		for _, eps := range s.Setup.Eps {
			head = append(head, name+"_"+strconv.FormatFloat(eps, 'g', -1, 64))
		}
	}
	w.Write(head) // a buffer takes all
	for _, set := range []struct {
		name string
		rows []Row
	}{{"test", s.Rows}, {"foreign", s.Foreign}} {
		for _, r := range set.rows {
			row := []string{set.name, strconv.Itoa(r.Function), strconv.Itoa(r.N), number(r.X), number(r.MI), number(r.Entropy), number(r.Divergence), number(r.Gap)}
			for _, x := range slices.Concat(r.THR, r.PHR, r.ExactTHR, r.ExactPHR) {
				row = append(row, number(x))
			}
			w.Write(row)
		}
	}
	w.Flush()
	return b.Bytes()
}
