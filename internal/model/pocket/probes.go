package pocket

// Probes part the cases of Suite into the kinds that a sweep over compressed models measures each by itself: tags
// by name, in order.
var Probes = []struct {
	Name string
	Tags []string
}{
	{"facts", []string{string(Known), string(Myth3), string(Myth9), string(Style), string(Coin), string(Rare1),
		string(Rare2), string(Rare4), string(Unstated)}},
	{"arithmetic", []string{Sum, NewSum, Steps, NewSteps}},
}
