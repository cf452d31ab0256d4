package figure

// A Unit says how a figure is written.
type Unit int8

// The units.
const (
	Share  Unit = iota // 24.4 %
	Mean               // 0.842
	Count              // 1,234
	Nats               // 0.313 nats
	Points             // 24.41, of a share in percent
	Chance             // 0.00003
)

// An Entry of a catalogue is one figure of a result: where it stands, and how it is shown.
type Entry struct {
	Path  []string // from the result's root: names of members. At its end stands a number, or an estimate with its interval
	Label string
	Unit  Unit
	Tone  string // of its meaning: err, rnd, ok, or "" for none
}
