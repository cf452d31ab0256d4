// Package dotenv reads the variables of a .env file.
package dotenv

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/joho/godotenv"
)

// Parse returns the variables of a .env file. Its errors, which quote no value, begin with .env:LINE.
func Parse(data []byte) (map[string]string, error) {
	const remedy = "save it as UTF-8, with one NAME=value a line"
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, fmt.Errorf(".env:1: it is in UTF-16; %s", remedy)
	}
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, fmt.Errorf(".env:%d: a byte of it is 0, as where a file is in UTF-16; %s",
			1+bytes.Count(data[:i], []byte("\n")), remedy)
	}
	vars, err := godotenv.UnmarshalBytes(data)
	if err == nil && !slices.ContainsFunc(slices.Collect(maps.Keys(vars)), odd) {
		return vars, nil
	}
	// Statements are lines, but for values in quotes. Whose fault it is shows where they are read one by one.
	var statement []byte
	line, next := 1, 1
	for l := range bytes.Lines(data) {
		statement = append(statement, l...)
		next++
		vars, err := godotenv.UnmarshalBytes(statement)
		switch {
		case err == nil && slices.ContainsFunc(slices.Collect(maps.Keys(vars)), odd),
			err != nil && !strings.HasPrefix(err.Error(), "unterminated"):
			return nil, fmt.Errorf(".env:%d: it is no assignment to a variable; write one NAME=value a line", line)
		case err == nil:
			statement, line = statement[:0], next
		}
	}
	return nil, fmt.Errorf(".env:%d: a quote has no end; close it, or write one NAME=value a line", line)
}

// odd reports whether a name is none that a variable has.
func odd(name string) bool {
	return name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '=' || r >= 0x7f })
}
