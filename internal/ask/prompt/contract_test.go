package prompt

import "testing"

func TestContracted(t *testing.T) {
	for _, tt := range []struct {
		text, says string
		ok         bool
	}{
		{"Many say Sydney.\nANSWER: Canberra", "Canberra", true},
		{"**ANSWER: Canberra**\n", "Canberra", true},
		{"**Answer:** `Canberra`", "Canberra", true},
		{"ANSWER: five days\nCITE: L3, L4", "five days [L3] [L4]", true},
		{"ANSWER: five days\n\nCITE: [L3]\n", "five days [L3]", true},
		{"ANSWER: Sydney\nOn second thought:\nANSWER: Canberra", "Canberra", true},
		{"CANNOT ANSWER: no such town is known.", "I cannot answer that. no such town is known.", true},
		{"CANNOT ANSWER:", "I cannot answer that.", true},
		{"ANSWER:", "", false},
		{"CITE: L3", "", false},
		{"ANSWER: Canberra\nI hope that helps!", "", false},
		{"The answer is Canberra", "", false},
		{"", "", false},
	} {
		if says, ok := Contracted(tt.text); says != tt.says || ok != tt.ok {
			t.Errorf("%q: %q, %v; want %q, %v", tt.text, says, ok, tt.says, tt.ok)
		}
	}
}
