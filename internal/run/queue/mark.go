package queue

import (
	"encoding/binary"

	"hallmark/internal/run"
)

// A Mark is a place in the calls of a wave, up to which they are planned: who plans on after another was lost goes on
// from there. The zero Mark is before the first.
type Mark struct {
	Calls  int     // that come before it
	Reused int     // of these, that had a record
	Key    run.Key // of the last of them, by which other calls than those that were planned are told
}

// After is the place after one more call.
func (m Mark) After(k run.Key) Mark { return Mark{m.Calls + 1, m.Reused, k} }

// bytes are what the row of a planning shard keeps of a mark, where others have their calls.
func (m Mark) bytes() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(m.Calls))
	return append(binary.BigEndian.AppendUint64(b, uint64(m.Reused)), m.Key[:]...)
}

// markOf is the zero Mark where there is none.
func markOf(b []byte) (m Mark) {
	if len(b) == 16+len(m.Key) {
		m.Calls, m.Reused = int(binary.BigEndian.Uint64(b)), int(binary.BigEndian.Uint64(b[8:]))
		copy(m.Key[:], b[16:])
	}
	return m
}
