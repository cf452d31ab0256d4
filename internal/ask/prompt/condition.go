package prompt

// conditions are ways to ask that leave the question as it is and change what stands around it, those of prompt
// fragility: manners, roles and noise. The last ones ask for another way of answering, and may rightly change an
// answer: "cautious" invites to decline.
var conditions = []Template{
	around("polite", "Could you please help me with this? ", " Thank you very much."),
	around("concise", "", " Keep it as short as you can."),
	around("expert", "You know this field better than most people. ", ""),
	around("distractor sentence", "The kettle in the kitchen has just been filled. ", ""),
	around("direct", "Answer at once, without any preamble. ", ""),
	{Name: "single line", Family: Condition, Around: questionMark, OneLine: true},
	around("distractor paragraph", "The morning was grey, and a light rain fell on the roofs. A bus went by, "+
		"almost empty, and somebody on the corner "+
		"opened an umbrella. Nothing of this has to do with what follows.\n\n", ""),
	around("code block", "```\n", "\n```"),
	around("urgent", "This is urgent. ", " I need it now!"),
	around("casual", "hey, quick one for you: ", ""),
	around("formal", "I should be obliged if you would answer the following. ", ""),
	around("trailing space", "", "  "),
	around("misconceptions", "", " Mind that a common belief about this may be wrong."),
	around("reasoned", "", " Think it through for yourself, and then give only the answer."),
	around("cautious", "", " If you do not know for certain, say so."),
}

// around is a condition that says something before and after the layout that a form has anyway.
func around(name, before, after string) Template {
	return Template{Name: name, Family: Condition, Around: before + questionMark + after}
}
