// Package archtest holds the rules of the tree that a machine can check (see its test; docs/architecture.md says why
// they are what they are), and the few helpers that the tests of many packages share. It is for tests alone.
package archtest
