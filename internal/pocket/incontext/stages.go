package incontext

// Stages is the curriculum of the built-in model: short documents, many of which name the topic, until what finds an
// input of the same topic has formed; then the tasks themselves.
var Stages = []Stage{
	{Until: .75, Min: 6, Max: 10, Assoc: 1, Named: .1, Before: .35, Behind: .25, Label: 1, Input: .2, Name: .5},
	{Until: 1, Min: 12, Max: 38, Assoc: .1, Topic8x2: .6, Topic4: .2, Topic2: .1, Label: 2, Input: .02},
}
