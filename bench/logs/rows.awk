# N rows of JSON of some 500 bytes: a question and its right answer, an answer, and what a tool scored it.
BEGIN {
	srand(7)
	pad = sprintf("%300s", ""); gsub(/ /, "and so on; ", pad); pad = substr(pad, 1, 300)
	for (i = 0; i < n; i++) {
		right = rand() < .7
		printf "{\"id\": \"q%d\", \"question\": \"What is the number of the town %d in the register?\", \"gold\": \"%d\", ", i, i, 7 * i
		printf "\"output\": \"It is %d. The register says so, %s\", \"score\": %d}\n", right ? 7 * i : 7 * i + 1, pad, right
	}
}
