package evidence

import "testing"

func TestOwn(t *testing.T) {
	for _, c := range []struct{ in, want, told string }{
		{"22.0 million. Q: What is the capital of Peru?\nA: Lima", "22.0 million.", ""},
		{"22.0 million … Q: What is it?", "22.0 million …", ""},
		{"22.0 million\nQ: What is it?\nA: 3", "22.0 million", ""},
		{"Lima\n\nQuestion 2: And of Chile?", "Lima", ""},
		{"Lima\n**Question:** And of Chile?", "Lima", ""},
		{"Lima\nUser: thanks", "Lima", ""},
		{"Lima.\nHuman: thanks", "Lima.", ""},
		{"Lima\n\n### Instruction:\nName", "Lima", ""},
		{"Lima\n### Input\nName", "Lima", ""},
		{"Lima<|im_end|>\n<|im_start|>user", "Lima", ""},
		{"Lima</s>[INST] Next", "Lima", ""},
		{"red\n\nInput: b\nLabel: blue", "red", ""},
		{"Question: What is it?\nAnswer: Lima\nQuestion: More?", "Question: What is it?\nAnswer: Lima", ""},
		{"Palin. Student: And which letter is it? Teacher: K.", "Palin.", ""},
		{"From Italy.\nCustomer: Thank you. Where is it?\nAgent: In Rome.", "From Italy.", ""},
		{"Palin plays him. 2. Who played Basil? Cleese 3. Who was Manuel?", "Palin plays him.", ""},
		{"14 Q2. How many months are there? A2. 12", "14", ""},
		{"14\nQ2. How many months are there?\nA2. 12", "14", ""},
		// What is the answer's own stays.
		{"Lima. Wait: is it Quito? Final answer: Quito", "Lima. Wait: is it Quito? Final answer: Quito", ""},
		{"Lima. Note: it is old. Source: a map", "Lima. Note: it is old. Source: a map", ""},
		{"Some allow 8, others 12 or 20. Which card do you have?", "Some allow 8, others 12 or 20. Which card do you have?",
			""},
		{"Lima. Hint: ever been there?", "Lima. Hint: ever been there?", ""},
		{"Two steps: 1. Ask who? 2. Ask what? 3. Go", "Two steps: 1. Ask who? 2. Ask what? 3. Go", ""},
		{"Question: What is it?\nAnswer: Lima", "Question: What is it?\nAnswer: Lima", ""},
		{"Q: stands for question", "Q: stands for question", ""},
		{"It opens a question.\nQ: is its sign", "It opens a question.\nQ: is its sign", "what does \"q:\" open"},
		{"The question: it is Lima", "The question: it is Lima", ""},
		{"- Question: can it be\n- Method: yes", "- Question: can it be\n- Method: yes", ""},
		{"An outline\n- Question: can it be", "An outline\n- Question: can it be", ""},
		{"The user: root", "The user: root", ""},
		{"Lima, in the Q. U: no", "Lima, in the Q. U: no", ""},
		{"<think>One.\nQuestion: what?</think>Lima", "<think>One.\nQuestion: what?</think>Lima", ""},
		{"<think>One.\nQuestion: what?", "<think>One.\nQuestion: what?", ""},
		{"", "", ""},
	} {
		own, ran := Own(c.in, []string{"input"}, c.told)
		if own != c.want || ran != (c.in != c.want) {
			t.Errorf("%q gives %q, %v; want %q", c.in, own, ran, c.want)
		}
	}
	if own, ran := Own("red\nInput: b", nil, ""); ran {
		t.Errorf("%q without the label", own)
	}
}

func FuzzOwn(f *testing.F) {
	f.Add("22.0 million. Q: What\nUser: x", "q:")
	f.Add("22.0 n. J:User: x", "")
	f.Fuzz(func(t *testing.T, s, told string) {
		if own, ran := Own(s, []string{"input"}, told); len(own) > len(s) || ran && own == s {
			t.Errorf("%q gives %q, %v", s, own, ran)
		}
	})
}
