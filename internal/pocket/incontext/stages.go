package incontext

// Stages is the curriculum of the built-in model.
var Stages = []Stage{
	{Until: .3, Min: 6, Max: 10, Assoc: 1, Named: .15, Before: .25, Behind: .3, Label: 1, Input: .2, Name: .5},
	{Until: 1, Min: 12, Max: 38, Assoc: .1, Topic8x2: .6, Topic4: .2, Topic2: .1, Label: 1, Input: .05},
}
