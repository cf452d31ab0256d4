package report

import (
	"slices"
	"strconv"
)

// A branch is a part of a section of the document: its figures have their paths from the section's root, by which a
// reader finds them.
type branch struct {
	tree
	section tree
}

// branch returns the part of a section under the keys.
func (t tree) branch(keys ...string) branch { return branch{t.sub(keys...), t} }

// branches are the parts of the list under the keys.
func (t tree) branches(keys ...string) []branch { return branch{t, t}.branches(keys...) }

func (b branch) branch(keys ...string) branch { return branch{b.sub(keys...), b.section} }

func (b branch) branches(keys ...string) []branch {
	list := b.branch(keys...)
	out := make([]branch, list.Len())
	for i := range out {
		out[i] = list.branch(strconv.Itoa(i))
	}
	return out
}

// at is the path from the section's root.
func (b branch) at(keys ...string) []string {
	return slices.Concat(b.At()[len(b.section.At()):], keys)
}

// fig is the figure under the keys.
func (b branch) fig(u unit, keys ...string) fig { return b.section.fig(u, b.at(keys...)...) }
