package secret

import "hash/maphash"

// spread reports whether a secret lies over several strings of a JSON document that a reader may join: those at one
// place of its shape, such as the texts of tokens, or at one place with one rank in a list, such as the first
// alternatives of each token. It reads what is no JSON as far as it goes. Of a document that is nested deeper or
// has more places than any that means well, it reports that one does, as it could not be ruled out at a fair price.
func (p *patterns) spread(b []byte) bool {
	groups := map[uint64]*group{}
	stack := []container{{}}
	for i := 0; i < len(b); i++ {
		top := &stack[len(stack)-1]
		switch b[i] {
		case '{', '[':
			inner := container{object: b[i] == '{', path: top.place, rank: top.rank}
			if !top.object {
				inner.rank = uint64(top.count)
			}
			inner.place = inner.path
			if stack = append(stack, inner); len(stack) > deepest {
				return true
			}
		case '}', ']':
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case ',':
			top.count++
			top.value = false
		case ':':
			top.value = true
		case '"':
			begin := i + 1
			for i = begin; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if len(groups) > mostPlaces {
				return true
			}
			s := b[begin:min(i, len(b))]
			// a name: what it names lies below, and names of one rank, or of one object, may spell something
			if top.object && !top.value {
				top.place = join(top.path, maphash.Bytes(seed, s))
				add(groups, join(join(top.path, names), uint64(top.count)), s)
				add(groups, join(top.path, members), s)
				continue
			}
			if len(s) > 2*edge {
				add(groups, throughout, s[:edge])
				add(groups, throughout, s[len(s)-edge:])
			} else {
				add(groups, throughout, s)
			}
			add(groups, top.place, s)
			add(groups, join(join(top.place, ranks), top.rank), s)
			if !top.object {
				add(groups, join(join(top.place, columns), uint64(top.count)), s)
			}
		}
	}
	for _, g := range groups {
		if g.crosses(p) {
			return true
		}
	}
	return false
}

// What a document may have that is looked through: Go reads none that is nested deeper, and an answer of 100,000
// tokens has fewer places.
const deepest, mostPlaces = 10_000, 1 << 18

// A container is an object or a list that is being read.
type container struct {
	object bool
	value  bool   // of an object: the name has been read
	path   uint64 // of the container
	place  uint64 // of what is read in it next
	count  int    // of what has been read in it
	rank   uint64 // of the innermost list element around it
}

var seed = maphash.MakeSeed() // of numbers that tell places apart, and decide nothing else

const (
	names, ranks, members = 1, 2, 3
	columns               = 5 // strings that have one rank in the innermost of lists of lists
	throughout            = 4 // the strings of a document one behind the other, long ones by their edges
)

// edge is how many bytes of either end of a string are looked at for parts of a secret that goes on in a string
// elsewhere.
const edge = 64

func join(path, part uint64) uint64 { return (path^part)*0x9E3779B97F4A7C15 + 1 }

// A group is the strings of one place, joined.
type group struct {
	first []byte
	text  []byte // once there are two
	ends  []int  // of each string but the last
}

func add(groups map[uint64]*group, place uint64, s []byte) {
	g := groups[place]
	if g == nil {
		groups[place] = &group{first: s}
		return
	}
	if g.text == nil {
		g.text = append(g.text, g.first...)
	}
	g.ends = append(g.ends, len(g.text))
	g.text = append(g.text, s...)
}

// crosses reports whether a secret lies over more than one of the strings.
func (g *group) crosses(p *patterns) bool {
	if len(g.ends) == 0 || len(g.text) < p.window {
		return false
	}
	spans := p.search(g.text)
	for _, end := range g.ends {
		for _, s := range spans {
			if s.lo < end && end < s.hi {
				return true
			}
		}
	}
	return false
}
