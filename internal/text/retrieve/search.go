package retrieve

import (
	"cmp"
	"slices"
)

// A term is a word of a query.
type term struct {
	word   uint32
	weight float64 // idf × how often the query holds it
}

// terms returns the words of a query that the index holds, each once, in the order of the query.
func (x *Index) terms(query string) []term {
	var out []term
	for _, w := range Words(query) {
		n := x.words.find([]byte(w))
		if n < 0 {
			continue
		}
		idf := IDF(int(x.df[n]), x.Len())
		if i := slices.IndexFunc(out, func(t term) bool { return t.word == uint32(n) }); i >= 0 {
			out[i].weight += idf
		} else {
			out = append(out, term{uint32(n), idf})
		}
	}
	return out
}

// A scorer is the memory of one search.
type scorer struct {
	sums    []float32 // of each passage of a part
	touched []uint16  // those with a sum
	lists   []list
	rest    []float32
	top     []Hit
}

// A list is the postings of one term in one part.
type list struct {
	from, to uint32
	weight   float32
	most     float32 // that it adds to a passage
}

// slack is how far single-precision sums may be off, in parts: far more than they are, and little enough that few
// passages are scored twice.
const slack = 1e-4

// Search returns the k best passages for a query, best first; of equal scores the one that stands first in the
// files. The score is
//
//	Σ_w n_w idf(w) tf/(tf + k1 (1 - b + b length/mean))
//
// over the different words w of the query, n_w times there. Passages that hold no word of the query are not found,
// so there may be fewer than k, and none. k is bounded by MaxHits. Scores are exact sums in double precision, in
// the order of the query's words; a first pass in single precision leaves out only what cannot be among the k
// (Turtle and Flood 1995, MaxScore), so the result is that of scoring every passage.
func (x *Index) Search(query string, k int) []Hit {
	terms := x.terms(query)
	if k = min(k, MaxHits, x.Len()); k < 1 || len(terms) == 0 {
		return nil
	}
	s, _ := x.pool.Get().(*scorer)
	if s == nil {
		s = &scorer{sums: make([]float32, partPassages)}
	}
	defer x.pool.Put(s)
	s.top = s.top[:0]
	for _, p := range x.parts {
		x.searchPart(s, p, terms, k)
	}
	return slices.Clone(s.top)
}

func (x *Index) searchPart(s *scorer, p *part, terms []term, k int) {
	s.lists = s.lists[:0]
	for _, t := range terms {
		if from, to, own, ok := p.postings(t.word); ok {
			s.lists = append(s.lists, list{from, to, float32(t.weight), float32(t.weight) * p.most[own]})
		}
	}
	if len(s.lists) == 0 {
		return
	}
	slices.SortStableFunc(s.lists, func(a, b list) int { return cmp.Compare(b.most, a.most) })
	s.rest = append(s.rest[:0], make([]float32, len(s.lists)+1)...)
	for i := len(s.lists) - 1; i >= 0; i-- {
		s.rest[i] = s.rest[i+1] + s.lists[i].most
	}
	// A passage that holds none of the first lists cannot reach the top.
	threshold, first := s.threshold(k), 0
	for first < len(s.lists) && s.rest[first] > threshold {
		first++
	}
	norm := x.norm[p.first:]
	for _, l := range s.lists[:first] {
		s.accumulate(p, l, norm)
	}
	for i := first; i < len(s.lists) && len(s.touched) > 0; i++ {
		s.prune(threshold - s.rest[i])
		s.extend(p, s.lists[i], norm)
	}
	for _, doc := range s.touched {
		sum := s.sums[doc]
		s.sums[doc] = 0
		if sum <= threshold {
			continue
		}
		if passage := p.first + int(doc); x.forbid == nil || !x.forbid[passage] {
			s.offer(Hit{passage, x.score(p, doc, terms)}, k)
			threshold = s.threshold(k)
		}
	}
	s.touched = s.touched[:0]
}

// prune forgets the passages whose sums are no more than a bound.
func (s *scorer) prune(bound float32) {
	left := s.touched[:0]
	for _, doc := range s.touched {
		if s.sums[doc] > bound {
			left = append(left, doc)
		} else {
			s.sums[doc] = 0
		}
	}
	s.touched = left
}

// searches is how many postings are read in the time of one search among them.
const searches = 12

// extend adds what a term adds to the passages that have a sum.
func (s *scorer) extend(p *part, l list, norm []float32) {
	docs, tfs := p.docs[l.from:l.to], p.tfs[l.from:l.to]
	add := func(i int, doc uint16) {
		tf := float32(tfs[i])
		if tfs[i] == 255 {
			tf = float32(p.tf(l.from + uint32(i)))
		}
		s.sums[doc] += l.weight * tf / (tf + norm[doc])
	}
	if len(docs) > searches*len(s.touched) {
		for _, doc := range s.touched {
			if i, ok := slices.BinarySearch(docs, doc); ok {
				add(i, doc)
			}
		}
		return
	}
	for i, doc := range docs {
		if s.sums[doc] != 0 {
			add(i, doc)
		}
	}
}

// accumulate adds what a term adds to the passages of its list.
func (s *scorer) accumulate(p *part, l list, norm []float32) {
	docs, tfs := p.docs[l.from:l.to], p.tfs[l.from:l.to]
	for i, doc := range docs {
		tf := float32(tfs[i])
		if tfs[i] == 255 {
			tf = float32(p.tf(l.from + uint32(i)))
		}
		sum := s.sums[doc]
		if sum == 0 {
			s.touched = append(s.touched, doc)
		}
		s.sums[doc] = sum + l.weight*tf/(tf+norm[doc])
	}
}

// threshold is what a sum must be above for its passage to be among the k best.
func (s *scorer) threshold(k int) float32 {
	if len(s.top) < k {
		return 0
	}
	return float32(s.top[k-1].Score * (1 - slack))
}

// score returns the exact score of a passage.
func (x *Index) score(p *part, doc uint16, terms []term) (score float64) {
	length := int(x.length[p.first+int(doc)])
	for _, t := range terms {
		from, to, _, ok := p.postings(t.word)
		if !ok {
			continue
		}
		if at, ok := p.find(doc, from, to); ok {
			score += float64(t.weight * Saturation(p.tf(at), length, x.mean))
		}
	}
	return score
}

// offer puts a hit in its place among the k best, if it has one.
func (s *scorer) offer(h Hit, k int) {
	at, _ := slices.BinarySearchFunc(s.top, h, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Passage, b.Passage))
	})
	if at == k {
		return
	}
	if len(s.top) == k {
		s.top = s.top[:k-1]
	}
	s.top = slices.Insert(s.top, at, h)
}
