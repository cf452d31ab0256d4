package generate

// generators are those of all classes, in the order of suite.Classes. Each stands in a file of its name.
var generators = []generator{
	timeShiftRole, timeShiftPolicy, conflictRAG, entityConflation, multiHop, ambiguity, falsePremise, negation,
}
