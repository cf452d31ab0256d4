package logs

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/suite/imported"
)

// inspectVersion is the version of logs that is read.
const inspectVersion = 2

// An inspectHeader is what a log says of its run.
type inspectHeader struct {
	Version int    `json:"version"`
	Status  string `json:"status"`
	Eval    struct {
		Task     string            `json:"task"`
		Model    string            `json:"model"`
		Packages map[string]string `json:"packages"`
	} `json:"eval"`
	Results *struct {
		Completed int `json:"completed_samples"`
		Scores    []struct {
			Name    string  `json:"name"`
			Scorer  string  `json:"scorer"` // another where the score is a part of what it gives
			Reducer *string `json:"reducer"`
			Metrics map[string]struct {
				Value json.RawMessage `json:"value"`
			} `json:"metrics"`
		} `json:"scores"`
	} `json:"results"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// check says why a log is not read.
func (h *inspectHeader) check(f *file) error {
	switch {
	case h.Version != inspectVersion:
		how := "convert it with `inspect log convert`"
		if h.Version > inspectVersion {
			how = "see whether a later release of hallmark reads it"
		}
		return f.errorf(0, "is an Inspect log of version %d, and this release reads version %d; %s", h.Version,
			inspectVersion, how)
	case h.Status != "success":
		why := ""
		if h.Error != nil {
			why = " (" + firstLine(h.Error.Message) + ")"
		}
		return f.errorf(0, "the run did not end: its status is %q%s; finish it with `inspect eval-retry`", h.Status,
			why)
	}
	f.source.Task, f.source.Model, f.source.Version = h.Eval.Task, h.Eval.Model, h.Eval.Packages["inspect_ai"]
	f.lacks("no log-probabilities, and what tools replied is not shown with the question")
	if h.Results == nil {
		return nil
	}
	printed := map[string]float64{}
	for _, s := range h.Results.Scores {
		if s.Reducer != nil && *s.Reducer != "mean" {
			continue // the mean of samples is another figure
		}
		name := s.Name
		if s.Scorer != "" && s.Scorer != name {
			name = s.Scorer + "/" + name
		}
		for _, metric := range []string{"mean", "accuracy"} { // of a scorer's metrics those that are means
			if x, ok := number(s.Metrics[metric].Value); ok {
				printed[name] = x
			}
		}
	}
	f.source.Printed = printed
	return nil
}

// firstLine is the beginning of what an error says.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return jsonl.Excerpt([]byte(line))
}

// whole reports a log that has fewer samples than were completed.
func (h *inspectHeader) whole(f *file, n int) error {
	if h.Results == nil || n == 0 || n >= h.Results.Completed {
		return nil
	}
	return f.errorf(0, "holds %d of the %d samples that were completed; copy it again, or finish the run with "+
		"`inspect eval-retry`", n, h.Results.Completed)
}

// An inspectSample is one sample in one epoch.
type inspectSample struct {
	ID       json.RawMessage `json:"id"`
	Epoch    int             `json:"epoch"`
	Input    json.RawMessage `json:"input"`
	Choices  []string        `json:"choices"`
	Target   flexible        `json:"target"`
	Messages []message       `json:"messages"`
	Output   struct {
		Completion string `json:"completion"`
		Choices    []struct {
			Message message `json:"message"`
			Stopped string  `json:"stop_reason"`
		} `json:"choices"`
	} `json:"output"`
	Scores map[string]struct {
		Value json.RawMessage `json:"value"`
	} `json:"scores"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
	Attachments map[string]string `json:"attachments"`
}

// attached is a text that the log keeps apart.
func (x *inspectSample) attached(text string) string {
	if key, ok := strings.CutPrefix(text, "attachment://"); ok {
		if whole, ok := x.Attachments[key]; ok {
			return whole
		}
	}
	return text
}

// take takes a sample.
func (x *inspectSample) take(f *file, at int) error {
	r := Row{Task: f.source.Task, Model: f.source.Model, Repeat: max(x.Epoch-1, 0)}
	r.ID = textOf(x.ID)
	var chat []message
	switch err := json.Unmarshal(x.Input, &r.Prompt); {
	case err == nil:
		r.Prompt = x.attached(r.Prompt)
	case json.Unmarshal(x.Input, &chat) == nil:
		for i := range chat {
			chat[i].Content = contents(x.attached(string(chat[i].Content)))
		}
		f.ask(&r, chat)
	default:
		return f.errorf(at, "the input of sample %q is neither a text nor messages", jsonl.Excerpt([]byte(r.ID)))
	}
	r.Gold = x.Target.texts
	if len(x.Choices) > 0 {
		x.chosen(&r)
	}
	switch text := x.attached(x.Output.Completion); {
	case x.Error != nil:
		r.Failure = "the sample failed: " + firstLine(x.Error.Message)
	case text != "" || len(x.Output.Choices) > 0:
		if r.Text = &text; len(x.Output.Choices) > 0 {
			r.Finish = imported.FinishOf(x.Output.Choices[len(x.Output.Choices)-1].Stopped)
		}
	default:
		r.Failure = noOutput
	}
	for name, s := range x.Scores {
		r.scores(name, s.Value)
	}
	return f.take(at, &r)
}

// scores enters a score, or each part of one that has parts.
func (r *Row) scores(name string, raw json.RawMessage) {
	var parts map[string]json.RawMessage
	if !r.score(name, raw) && json.Unmarshal(raw, &parts) == nil {
		for part, raw := range parts {
			r.score(name+"/"+part, raw)
		}
	}
}

// chosen turns targets that are letters into the options that they name.
func (x *inspectSample) chosen(r *Row) {
	r.Options = x.Choices
	var right []string
	for _, t := range r.Gold {
		for _, letter := range strings.FieldsFunc(t, func(c rune) bool { return c == ',' || c == ' ' }) {
			if i := int(letter[0]) - 'A'; len(letter) == 1 && i >= 0 && i < len(x.Choices) {
				right = append(right, x.Choices[i])
			}
		}
	}
	if len(right) > 0 {
		r.Gold = right
	}
}

// readInspectJSON reads a log in JSON, whose samples may stand before or after what it says of its run.
func readInspectJSON(f *file) error {
	var h inspectHeader
	checked, taken := false, 0
	d := newDocument(f)
	into := map[string]any{"version": &h.Version, "status": &h.Status, "eval": &h.Eval, "results": &h.Results,
		"error": &h.Error}
	err := d.object("the log", func(key string) error {
		if to, ok := into[key]; ok {
			return d.value(to)
		}
		if key != "samples" {
			return d.skip()
		}
		if err := h.check(f); err != nil {
			return err
		}
		checked = true
		return list(d, "samples", func(at int, x *inspectSample) error {
			taken++
			return x.take(f, at)
		})
	})
	switch {
	case err != nil:
		return err
	case checked:
		if err := h.whole(f, taken); err != nil {
			return err
		}
	default:
		if err := h.check(f); err != nil {
			return err
		}
		return f.errorf(0, "has no samples; write it with --log-samples")
	}
	return d.end()
}

// Bounds of a zip: a log of a million samples of 10 kB is within them.
const (
	mostMembers  = 2_000_000
	mostInflated = 64 << 30 // of all members
	mostRatio    = 1000     // of what a member holds by what it takes, beyond the first MiB
	mostWindow   = 32 << 20 // bytes that an unpacker remembers
)

// readInspectZip reads a log in its packed form: header.json and a member a sample.
func readInspectZip(f *file) error {
	if f.at == nil {
		return f.errorf(0, "is a zip, which cannot be read from a stream; name the file")
	}
	z, err := zip.NewReader(f.at, f.size)
	if err != nil {
		return f.errorf(0, "is no whole zip (%w): it is cut off, or the run that wrote it did not end; copy it "+
			"again, or finish the run with `inspect eval-retry`", err)
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor( // which recent logs are packed with
		zstd.WithDecoderMaxMemory(mostValue), zstd.WithDecoderMaxWindow(mostWindow)))
	members, err := f.members(z)
	if err != nil {
		return err
	}
	if members["header.json"] == nil {
		if members["_journal/start.json"] != nil {
			return f.errorf(0, "the run did not end: the log has no header; finish it with `inspect eval-retry`")
		}
		return f.errorf(0, "is a zip without a header.json, so no log of Inspect; unpack it and name the files in it")
	}
	var h inspectHeader
	if err := f.member(members["header.json"], &h); err != nil {
		return err
	}
	if err := h.check(f); err != nil {
		return err
	}
	names := slices.DeleteFunc(slices.Collect(maps.Keys(members)), func(name string) bool {
		return path.Dir(name) != "samples" || path.Ext(name) != ".json"
	})
	slices.SortFunc(names, natural)
	if err := h.whole(f, len(names)); err != nil {
		return err
	}
	for i, name := range names {
		var x inspectSample
		if err := f.member(members[name], &x); err != nil {
			return err
		}
		if err := x.take(f, i+1); err != nil {
			return err
		}
	}
	return nil
}

// members are the files in a zip by name, which must be names within it, and each there once.
func (f *file) members(z *zip.Reader) (map[string]*zip.File, error) {
	if len(z.File) > mostMembers {
		return nil, f.errorf(0, "is a zip of %d files, at most %d are read", len(z.File), mostMembers)
	}
	members := make(map[string]*zip.File, len(z.File))
	var whole uint64
	for _, m := range z.File {
		shown := jsonl.Excerpt([]byte(m.Name))
		whole += m.UncompressedSize64
		switch clean := path.Clean(m.Name); {
		case clean != strings.TrimSuffix(m.Name, "/") || path.IsAbs(clean) || clean == ".." ||
			strings.HasPrefix(clean, "../") || strings.ContainsAny(m.Name, "\\\x00"):
			return nil, f.errorf(0, "holds a file whose name %q leads elsewhere; no log of Inspect does", shown)
		case members[m.Name] != nil:
			return nil, f.errorf(0, "holds %q twice; no log of Inspect does", shown)
		case m.UncompressedSize64 > mostValue:
			return nil, f.errorf(0, "%s in it is %d MiB long, at most %d are read; log less with each sample", shown,
				m.UncompressedSize64>>20, mostValue>>20)
		case whole > mostInflated:
			return nil, f.errorf(0, "holds more than %d GiB; split it", mostInflated>>30)
		case m.UncompressedSize64 > 1<<20 && m.UncompressedSize64/mostRatio > m.CompressedSize64:
			return nil, f.errorf(0, "%s in it would grow to %d times its size, at most %d is believed: no log does",
				shown, m.UncompressedSize64/max(m.CompressedSize64, 1), mostRatio)
		}
		members[m.Name] = m
	}
	return members, nil
}

// member decodes a file in a zip. What it says of its size binds it: the reader of the zip gives out no more and no
// less.
func (f *file) member(m *zip.File, into any) error {
	shown := jsonl.Excerpt([]byte(m.Name))
	r, err := m.Open()
	if err != nil {
		return f.errorf(0, "%s in it cannot be read: %w", shown, err)
	}
	defer r.Close() // only read
	b, err := io.ReadAll(newFilter(r))
	if err != nil {
		return f.errorf(0, "%s in it is damaged: %w; copy the file again", shown, err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %s in it is no valid JSON: %w", f.name, shown, jsonl.Plain(err))
	}
	return nil
}
