package equality

import (
	"cmp"
	"slices"
)

// LeftOut is the class of a node that Settle gives none.
const LeftOut = -1

// Settle returns the classes of n nodes of which counts says how many answers each has, by a symmetric verdict on
// any two: a class holds nodes of which every pair is equal, and any two classes hold nodes of which every pair
// differs. To be the same is not transitive and may be unknown, so some nodes are LeftOut. What stands in the way
// of classes are pairs without a verdict, and three nodes of which one equals two that differ. Of each of these the
// rarest node is left out; of three the one in the middle where it is among the rarest, else both ends that are; of
// equally rare ones all. The commonest nodes are settled first, and what was left out is no obstacle to others.
//
// So the order of the nodes has no part in the result but for the names of the classes, the index of the first node
// of each. It takes time that grows with n² times the largest number of nodes that one equals.
func Settle(counts []int, verdict func(i, j int) Outcome) Classes {
	s := newSettling(counts, verdict)
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(counts[j], counts[i]) })
	for len(order) > 0 {
		n := 1
		for n < len(order) && counts[order[n]] == counts[order[0]] {
			n++
		}
		s.settle(order[:n])
		order = order[n:]
	}
	return s.classes()
}

// A settling holds the nodes that are settled so far: those of one class all equal each other, and no others.
type settling struct {
	of    [][]Outcome
	equal [][]int // the nodes that each one equals
	in    []bool  // kept, or of the level at hand
	now   []bool  // of the level at hand
}

func newSettling(counts []int, verdict func(i, j int) Outcome) *settling {
	n := len(counts)
	s := &settling{make([][]Outcome, n), make([][]int, n), make([]bool, n), make([]bool, n)}
	for i := range n {
		s.of[i] = make([]Outcome, n)
		for j := range i {
			o := verdict(i, j)
			s.of[i][j], s.of[j][i] = o, o
			if o == Equal {
				s.equal[i], s.equal[j] = append(s.equal[i], j), append(s.equal[j], i)
			}
		}
	}
	return s
}

// settle settles the nodes of one count beside those that are commoner.
func (s *settling) settle(nodes []int) {
	for _, x := range nodes {
		s.in[x], s.now[x] = true, true
	}
	s.drop(nodes, s.open)
	s.drop(nodes, s.between)
	for _, x := range nodes {
		s.now[x] = false
	}
}

// drop leaves out the nodes of which out says so, all by what it says before any is gone.
func (s *settling) drop(nodes []int, out func(x int) bool) {
	var gone []int
	for _, x := range nodes {
		if s.in[x] && out(x) {
			gone = append(gone, x)
		}
	}
	for _, x := range gone {
		s.in[x] = false
	}
}

// open reports whether it is unknown if x is the same as another.
func (s *settling) open(x int) bool {
	for y, in := range s.in {
		if in && y != x && s.of[x][y] == Unknown {
			return true
		}
	}
	return false
}

// between reports whether x equals two that differ, or equals a commoner node that equals another than x.
func (s *settling) between(x int) bool {
	for k, a := range s.equal[x] {
		if !s.in[a] {
			continue
		}
		for _, b := range s.equal[x][:k] {
			if s.in[b] && s.of[a][b] == Different {
				return true
			}
		}
		if s.now[a] {
			continue // where one in the middle is as rare, it goes alone
		}
		for _, b := range s.equal[a] {
			if s.in[b] && b != x && s.of[x][b] == Different {
				return true
			}
		}
	}
	return false
}

func (s *settling) classes() Classes {
	of := make(Classes, len(s.in))
	for x := range of {
		of[x] = LeftOut
		if !s.in[x] {
			continue
		}
		of[x] = x
		for _, y := range s.equal[x] {
			if s.in[y] {
				of[x] = min(of[x], y)
			}
		}
	}
	return of
}
