package prompt

// A condition is a way to ask that leaves the question as it is and changes what stands around it.
type condition struct {
	name, before, after string
	fenced, oneLine     bool
}

// conditions are those of prompt fragility: manners, roles and noise. The last ones ask for another way of answering, and may rightly change an
// answer: "cautious" invites to decline.
var conditions = []condition{
	{name: "polite", before: "Could you please help me with this? ", after: " Thank you very much."},
	{name: "concise", after: " Keep it as short as you can."},
	{name: "expert", before: "You know this field better than most people. "},
	{name: "distractor sentence", before: "The kettle in the kitchen has just been filled. "},
	{name: "direct", before: "Answer at once, without any preamble. "},
	{name: "single line", oneLine: true},
	{name: "distractor paragraph", before: "The morning was grey, and a light rain fell on the roofs. A bus went by, almost empty, and somebody on the corner " +
		"opened an umbrella. Nothing of this has to do with what follows.\n\n"},
	{name: "code block", fenced: true},
	{name: "urgent", before: "This is urgent. ", after: " I need it now!"},
	{name: "casual", before: "hey, quick one for you: "},
	{name: "formal", before: "I should be obliged if you would answer the following. "},
	{name: "trailing space", after: "  "},
	{name: "misconceptions", after: " Mind that a common belief about this may be wrong."},
	{name: "reasoned", after: " Think it through for yourself, and then give only the answer."},
	{name: "cautious", after: " If you do not know for certain, say so."},
}

// template lays a condition around the layout that a form has anyway.
func (n condition) template() Template {
	t := Template{Name: n.name, Family: Condition, Around: n.before + questionMark + n.after, OneLine: n.oneLine}
	if n.fenced {
		t.Around = "```\n" + questionMark + "\n```"
	}
	return t
}
