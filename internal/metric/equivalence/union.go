package equivalence

import (
	"cmp"
	"slices"

	"hallmark/internal/text/answer"
)

// A Node is one distinct answer to a question, as text that stands for all answers of its normal form.
type Node struct {
	Form  answer.Form // equal ones are one node
	Text  string      // as shown to a model
	Count int         // answers of this form; 0 for a gold that nobody gave
	Gold  int         // its place among the golds, from 1; 0 if it is none
}

// Sort puts nodes into the order in which they are compared: the commonest first, then by form, and golds that
// nobody gave last, in their own order. The order of the answers has no part in it.
func Sort(nodes []Node) {
	slices.SortFunc(nodes, func(a, b Node) int {
		if c := cmp.Compare(b.Count, a.Count); c != 0 {
			return c
		}
		if a.Count == 0 {
			return cmp.Compare(a.Gold, b.Gold)
		}
		return cmp.Compare(a.Form.Text(), b.Form.Text())
	})
}

// A Pair is two nodes, the lower index first.
type Pair [2]int

// Pairs returns the pairs of sorted nodes that are to be compared, and the number of those that are left out. Of n
// given answers the most commonest are compared with each other and with all others, and each answer with the first
// most of the golds that nobody gave; such golds are not compared with each other. So there are at most
//
//	most (most - 1)/2 + most (n - most) + most n
//
// pairs: their number grows with n, and not with its square. It panics if most < 1.
func Pairs(nodes []Node, most int) (pairs []Pair, left int) {
	if most < 1 {
		panic("equality: nothing is to be compared")
	}
	given := 0
	for given < len(nodes) && nodes[given].Count > 0 {
		given++
	}
	for j := range nodes {
		for i := range min(j, given) {
			if i < most && j < given || j >= given && j-given < most {
				pairs = append(pairs, Pair{i, j})
			} else {
				left++
			}
		}
	}
	return pairs, left
}

// An Outcome is what is known of a pair.
type Outcome int8

// The outcomes.
const (
	Unknown   Outcome = iota // no verdict could be had
	Different                // at least one direction was denied
	Equal                    // both directions were affirmed
)

// Classes holds the class of each node: the index of its first node.
type Classes []int

// Union returns the classes of n nodes by the verdicts on pairs: the connected components over the pairs that hold
// as equal, which is the least equivalence that has them. The order of pairs has no part in it. With optimism
// unknown pairs count as equal, else as different.
func Union(n int, pairs []Pair, verdict []Outcome, optimism bool) Classes {
	of := make(Classes, n)
	for i := range of {
		of[i] = i
	}
	for k, p := range pairs {
		if verdict[k] == Equal || optimism && verdict[k] == Unknown {
			of.join(p[0], p[1])
		}
	}
	for i := range of {
		of[i] = of.root(i)
	}
	return of
}

func (c Classes) root(i int) int {
	for c[i] != i {
		c[i] = c[c[i]]
		i = c[i]
	}
	return i
}

// join makes one class of two; the lower index leads.
func (c Classes) join(i, j int) {
	i, j = c.root(i), c.root(j)
	c[max(i, j)] = min(i, j)
}

// Same reports whether two classifications agree on the nodes in: whether any two of these are in one class of both
// or of neither.
func Same(a, b Classes, in func(int) bool) bool {
	to, from := map[int]int{}, map[int]int{}
	for i := range a {
		if !in(i) {
			continue
		}
		x, seen := to[a[i]]
		y, back := from[b[i]]
		if seen && x != b[i] || back && y != a[i] {
			return false
		}
		to[a[i]], from[b[i]] = b[i], a[i]
	}
	return true
}

// Violations counts the pairs that stand in one class though their own verdict is that they differ: where the
// relation is not transitive, the union joins them by way of others.
func (c Classes) Violations(pairs []Pair, verdict []Outcome) (n int) {
	for k, p := range pairs {
		if verdict[k] == Different && c[p[0]] == c[p[1]] {
			n++
		}
	}
	return n
}

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
