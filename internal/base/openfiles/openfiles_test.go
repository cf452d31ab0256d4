package openfiles

import (
	"strconv"
	"strings"
	"testing"
)

// The message, which is made before numbers can be written, names the number that is asked for. The script few_files
// of cmd/hallmark has the rest.
func TestMessage(t *testing.T) {
	if n := strings.Count(message, " "+strconv.Itoa(Least)); n != 2 {
		t.Errorf("%q does not name %d twice", message, Least)
	}
}
