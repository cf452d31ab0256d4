package suite

// Nearest returns the known name that a misspelt word most likely stands for, and false where none is near.
func Nearest(word string, known []string) (string, bool) { return nearest(word, known) }
