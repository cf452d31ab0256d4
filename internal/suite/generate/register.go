package generate

// generators are those of all classes, in the order of suite.Classes. Each stands in a file of its name.
var generators = []generator{
	timeShiftRole, timeShiftPolicy, nonexistentCitation, conflictRAG, entityConflation, multiHop, ambiguity,
	falsePremise, formatGuard, negation,
	idPrecision, brevityStress, instructionConflict, ood, urlFabrication,
}
