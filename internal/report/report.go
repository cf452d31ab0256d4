// Package report renders a stored run in every output format: HTML, terminal, Markdown, JUnit, CSV and JSON. All
// are functions of the result document and the table behind it and nothing else, so the same run gives the same
// bytes; time, paths and counts of this very invocation are in none but JSON. Text that came from a model or a
// suite is taken for hostile in each.
//
// HTML, terminal and Markdown are three writers of one description in blocks (block.go), which the files named for what
// was measured make from the document, naming each figure by its path alone (tree.of). The words for what results name,
// how chapters begin, the columns of tables in CSV with where each stands, and how each kind of page is to be read are
// in words.json.
package report
