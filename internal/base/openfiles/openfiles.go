// Package openfiles ends a process that may open too few files at once, in one line and before it touches anything, as
// it would end in the middle of its work, in the words of Go's runtime. It does so where it is imported: other
// packages open files before main begins, and this one, which imports nothing but syscall, is made ready before any
// that can.
package openfiles

// Least is how many files a command may have to open at once: the database, its log and index, a report, those of the
// runtime.
const Least = 32

// message is what is said on standard error.
const message = "hallmark: this process may open too few files at once: it needs 32; raise the limit (ulimit -n 32)\n"
