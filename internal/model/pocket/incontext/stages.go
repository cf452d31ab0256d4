package incontext

// Stages is the curriculum of the built-in model: first mostly words that come twice, on which what finds an
// earlier place forms; then short documents of pairs, many of which name the topic, until what finds an input of
// the same topic has formed; then the tasks themselves.
var Stages = []Stage{
	{Until: .22, Min: 6, Max: 10, Assoc: 1, Named: .1, Before: .35, Behind: .25, Copy: .7, Label: 1, Input: .05,
		Name: .5},
	{Until: .5, Min: 6, Max: 10, Assoc: 1, Named: .1, Before: .35, Behind: .25, Copy: .1, Label: 1, Input: .05,
		Name: .5},
	{Until: 1, Min: 16, Max: 42, Assoc: .1, Topic8x2: .6, Topic4: .2, Topic2: .1, Label: 4, Input: .03},
}
