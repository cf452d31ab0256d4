package local

import (
	"fmt"
	"strings"

	"hallmark/internal/model"
)

// A part is a stretch of a rendered prompt. Text from outside is never read as special tokens: a question that
// contains "<|im_end|>" must not end the turn.
type part struct {
	text    string
	special bool // the text is the template's own, in which special tokens count
}

// A template lays a conversation out as the text that the model was trained on. Only known layouts are rendered: the
// templates of Hugging Face are programs, and a program misread gives figures of another model.
type template struct {
	name        string
	begin       string                // before all
	system      func(s string) []part // of the system line, "" where there is none
	user, reply [2]string             // before and after
	open        bool                  // the last turn has nothing after it: the model goes on with its text
	prompt      string                // before the answer
	lead        string                // what the answer begins with in training, left out of what is reported
	end         string                // the special token after an answer, if it is not in the configuration
}

// parseTemplate recognises the chat template of a tokenizer_config.json. An empty source is a base model's: plain
// text.
func parseTemplate(source, bos string) (template, error) {
	frame := func(before, after string) func(string) []part {
		return func(s string) []part {
			if s == "" {
				return nil
			}
			return []part{{before, true}, {s, false}, {after, true}}
		}
	}
	switch {
	case source == "":
		return template{name: "plain", begin: bos, system: frame("", "\n\n"), user: [2]string{"", "\n"}, reply: [2]string{"", "\n"}, open: true}, nil
	case strings.Contains(source, "'Q: ' + m['content'] + '\\nA:'"):
		return template{name: "qa", begin: bos, system: frame("", "\n"), user: [2]string{"Q: ", "\nA:"}, reply: [2]string{" ", "<|end|>\n"}, lead: " "}, nil
	case strings.Contains(source, "<|im_start|>"):
		t := template{name: "chatml", user: [2]string{"<|im_start|>user\n", "<|im_end|>\n"}, reply: [2]string{"<|im_start|>assistant\n", "<|im_end|>\n"},
			prompt: "<|im_start|>assistant\n", end: "<|im_end|>"}
		t.system = frame("<|im_start|>system\n", "<|im_end|>\n")
		if standard := "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."; strings.Contains(source, standard) {
			named := t.system
			t.system = func(s string) []part {
				if s == "" {
					s = standard
				}
				return named(s)
			}
		}
		if strings.Contains(source, "enable_thinking") { // Qwen3: an answer without a train of thought
			t.prompt += "<think>\n\n</think>\n\n"
		}
		return t, nil
	case strings.Contains(source, "<|start_header_id|>"):
		const open, close = "<|start_header_id|>", "<|end_header_id|>\n\n"
		t := template{name: "llama3", begin: bos, user: [2]string{open + "user" + close, "<|eot_id|>"}, reply: [2]string{open + "assistant" + close, "<|eot_id|>"},
			prompt: open + "assistant" + close, end: "<|eot_id|>"}
		t.system = frame(open+"system"+close, "<|eot_id|>")
		if strings.Contains(source, "Cutting Knowledge Date: December 2023") { // Llama 3.1 and 3.2, which put a date before every system text
			date := "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
			t.system = func(s string) []part {
				return []part{{open + "system" + close + date, true}, {s, false}, {"<|eot_id|>", true}}
			}
		}
		return t, nil
	}
	return template{}, fmt.Errorf("chat_template is of no known layout; known are those of Qwen2.5, Qwen3, Llama 3 and pocket; without a chat_template the model is asked in plain text")
}

// render lays out a request. Raw requests are their prompt and nothing else but the beginning of text.
func (t template) render(r model.Request, bos string) ([]part, error) {
	if r.Raw {
		return []part{{bos, true}, {r.Prompt, false}}, nil
	}
	parts := []part{{t.begin, true}}
	system := []string{}
	if r.System != "" {
		system = append(system, r.System)
	}
	messages := r.Messages
	for len(messages) > 0 && messages[0].Role == "system" {
		system, messages = append(system, messages[0].Text), messages[1:]
	}
	parts = append(parts, t.system(strings.Join(system, "\n"))...)
	for _, m := range messages {
		frame := t.user
		switch m.Role {
		case "user":
		case "assistant":
			frame = t.reply
		case "system":
			return nil, fmt.Errorf("a system message follows others; it must come first")
		default:
			return nil, fmt.Errorf("message role %q is unknown: system, user or assistant", m.Role)
		}
		parts = append(parts, part{frame[0], true}, part{m.Text, false}, part{frame[1], true})
	}
	parts = append(parts, part{t.user[0], true}, part{r.Prompt, false})
	if t.open {
		return parts, nil
	}
	return append(parts, part{t.user[1], true}, part{t.prompt, true}), nil
}
