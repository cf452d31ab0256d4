package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
)

func unpacked(t testing.TB, file []byte) map[string][]byte {
	t.Helper()
	members, err := unpack(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, m := range members {
		all[m.name] = bytes.Clone(m.data)
	}
	return all
}

func packed(all map[string][]byte) []byte {
	var members []member
	for name, data := range all {
		members = append(members, member{name: name, data: data})
	}
	return pack(members)
}

// sealed packs members under a manifest that has their hashes: what a forger would do.
func sealed(t testing.TB, all map[string][]byte) []byte {
	t.Helper()
	var m Manifest
	if err := json.Unmarshal(all[manifestName], &m); err != nil {
		t.Fatal(err)
	}
	for i, x := range m.Members {
		m.Members[i].Bytes, m.Members[i].SHA256 = len(all[x.Name]), hashOf(all[x.Name])
	}
	b, err := json.MarshalIndent(&m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	all[manifestName] = append(b, '\n')
	return packed(all)
}

// Whatever byte is changed, the bundle does not verify: every byte of every header and table, and bytes of every
// member, at first with all else left as it is, then under a container that fits, then under a manifest that fits too.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	_, _, b := made(t)
	if err := verify(b.File); err != nil {
		t.Fatal(err)
	}
	members, err := unpack(b.File)
	if err != nil {
		t.Fatal(err)
	}
	structural := map[int]bool{}
	at := 0
	for _, m := range members {
		for i := range localBytes + len(m.name) {
			structural[at+i] = true
		}
		at += localBytes + len(m.name) + len(m.data)
	}
	for i := at; i < len(b.File); i++ {
		structural[i] = true
	}
	file, step := bytes.Clone(b.File), archtest.Draws(4093, 131, 131)
	part := archtest.Draws(4, 1, 1) // of so many changes one is made
	flipped := 0
	for i := range file {
		if !structural[i] && i%step != 0 || structural[i] && i%part != 0 {
			continue
		}
		file[i] ^= 1 << (i % 8)
		if verify(file) == nil {
			t.Fatalf("byte %d is changed, and the bundle verifies", i)
		}
		file[i] ^= 1 << (i % 8)
		flipped++
	}
	for _, m := range members {
		step := max(1, len(m.data)*part/20)
		for i := 0; i < len(m.data); i += step {
			all := unpacked(t, b.File)
			all[m.name][i] ^= 1
			if verify(packed(all)) == nil {
				t.Fatalf("%s: byte %d is changed, and the bundle verifies", m.name, i)
			}
			flipped++
		}
	}
	for _, m := range members {
		if m.name == recordsName || m.name == manifestName {
			continue
		}
		step := max(1, len(m.data)*part/4)
		for i := 0; i < len(m.data); i += step {
			all := unpacked(t, b.File)
			all[m.name][i] ^= 1
			if verify(sealed(t, all)) == nil {
				t.Fatalf("%s: byte %d is changed and all hashes fit, and the bundle verifies", m.name, i)
			}
			flipped++
		}
	}
	t.Logf("%d changes of %d bytes, none verifies", flipped, len(file))
}

// An answer that was changed no longer gives the figures, though every hash fits.
func TestChangedAnswers(t *testing.T) {
	_, _, b := made(t)
	for _, c := range []struct{ from, to, member string }{
		{`"text":"Milan"`, `"text":"Rome"`, verdictsName},
		{`"text":"It is Paris."`, `"text":"It is Pariz."`, verdictsName},
		{`"prompt_tokens":3`, `"prompt_tokens":4`, resultName},
		{`"prompt":"p0"`, `"prompt":"p9"`, recordsName}, // the key is not that of the call
		{`"failure":"no such`, `"failure":"No such`, verdictsName},
		{`"call":{`, `"call": {`, recordsName}, // not as a bundle writes it
		{`{"key"`, `{"at":1,"key"`, recordsName},
	} {
		all := unpacked(t, b.File)
		changed := bytes.Replace(all[recordsName], []byte(c.from), []byte(c.to), 1)
		if bytes.Equal(changed, all[recordsName]) {
			t.Fatalf("no record has %s", c.from)
		}
		all[recordsName] = changed
		refused(t, c.from+" to "+c.to, sealed(t, all), c.member, "line ")
	}
	all := unpacked(t, b.File)
	line, rest, _ := bytes.Cut(all[recordsName], []byte("\n"))
	all[recordsName] = rest
	refused(t, "an answer less", sealed(t, all), verdictsName, "")
	all[recordsName] = bytes.Join([][]byte{line, line, rest}, []byte("\n"))
	refused(t, "an answer twice", sealed(t, all), recordsName, "there twice")
	all[recordsName] = append(bytes.Clone(rest[:len(rest)-1]), line...)
	refused(t, "no end of line", sealed(t, all), recordsName, "line 24 does not end")
}

// Other zip files, and bundles that were damaged, are named as what they are.
func TestHostileFiles(t *testing.T) {
	_, _, b := made(t)
	all := func() map[string][]byte { return unpacked(t, b.File) }
	refused(t, "empty", nil, "", "no evidence bundle")
	refused(t, "text", []byte("hello, this is no zip file at all"), "", "no evidence bundle")
	for _, n := range []int{30, 40, 2000, len(b.File) / 2, len(b.File) - 1, len(b.File) - 30} {
		refused(t, "truncated", b.File[:n], "", "cut off")
	}
	refused(t, "more", append(bytes.Clone(b.File), "more"...), "", "goes on for 4 bytes")
	for _, name := range []string{"../../etc/passwd", "/etc/passwd", "Other.txt", ".txt", ""} {
		x := all()
		x[name] = []byte("x")
		refused(t, name, packed(x), "", "no bundle has a member named")
	}
	members, _ := unpack(b.File)
	refused(t, "a member twice", pack(append(members, members[2])), "", "there twice or out of order")
	x := all()
	delete(x, resultName)
	refused(t, "a member less", packed(x), resultName, "is missing")
	x[manifestName] = bytes.Replace(x[manifestName], []byte("evidence/2"), []byte("evidence/9"), 1)
	refused(t, "another format", packed(x), manifestName, "verify it with the release that made it")
	for text, want := range map[string]string{`[]`: "it is a JSON array; want an object",
		`"x"`: "it is a JSON string; want an object", `{"format":["x"]}`: `field "format" is an array; want string`} {
		x[manifestName] = []byte(text)
		refused(t, text, packed(x), manifestName, "does not read: "+want)
	}
	delete(x, manifestName)
	refused(t, "no manifest", packed(x), manifestName, "is missing")
	x = all()
	x[memoryName] = []byte("x")
	refused(t, "a member more", packed(x), memoryName, "was added")
	x[manifestName] = bytes.Replace(x[manifestName], []byte(`"members": [`),
		[]byte(`"members": [{"name":"guard-memory"},`), 1)
	refused(t, "a member more that is listed", sealed(t, x), memoryName, "does not belong here")

	// A plan that would keep the machine busy for ever is refused before anything is planned.
	for _, c := range []struct{ from, to, text string }{
		{`"sampled":0`, `"sampled":2000000000`, "sampled is 2000000000"},
		{`"repeats":3`, `"repeats":2000000000`, "repeats is 2000000000"},
		{`"sampled":0`, `"sampled":10000`, "answers, which is too much for a bundle of"},
		{`"repeats":3`, `"repeats":-3`, "repeats is -3"},
		{`"floor_cases":20`, `"floor_cases":-1`, "floor_cases is -1"},
		{`"variants":null`, `"variants":[{"Kind":"options","N":100000}]`, "100000 variants"},
		{`"variants":null`, `"variants":[{"Kind":"fancy","N":1}]`, "unknown"},
		{`"option_score":"perplexity"`, `"option_score":"x"`, "option_score is"},
		{`"sc":"without-replacement"`, `"sc":"x"`, "sc is"},
		{`"suites":[`, `"suites":[null,`, "suite 1 is null"},
		{`"texts":`, `"texts_":`, ""},
		{`"id":"right"`, `"id":"wrong"`, "is taken"},
	} {
		x := all()
		changed := bytes.Replace(x[planName], []byte(c.from), []byte(c.to), 1)
		if bytes.Equal(changed, x[planName]) {
			if c.text != "" {
				t.Errorf("the plan has no %s: %s", c.from, x[planName])
			}
			continue
		}
		x[planName] = changed
		refused(t, c.to, sealed(t, x), planName, c.text)
	}
}

// Any zip program reads a bundle; a file that was zipped again is none.
func TestIsZip(t *testing.T) {
	_, _, b := made(t)
	z, err := zip.NewReader(bytes.NewReader(b.File), int64(len(b.File)))
	if err != nil {
		t.Fatal(err)
	}
	want := unpacked(t, b.File)
	var again bytes.Buffer
	w := zip.NewWriter(&again)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r) // checks the checksum
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, want[f.Name]) {
			t.Errorf("%s differs", f.Name)
		}
		out, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if len(z.File) != len(want) {
		t.Errorf("%d files for %d members", len(z.File), len(want))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, "zipped again", again.Bytes(), readmeName, "is packed")
}

// What the container's reader takes is, packed again, the same bytes.
func FuzzUnpack(f *testing.F) {
	small := pack([]member{{name: "a.json", data: []byte("{}\n")}, {name: "b.jsonl", data: nil}})
	f.Add(small)
	f.Add(small[:len(small)/2])
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, file []byte) {
		members, err := unpack(file)
		if err == nil && !bytes.Equal(pack(members), file) {
			t.Fatalf("%d members of %d bytes are packed otherwise", len(members), len(file))
		}
	})
}

// No manifest makes reading crash, and one that reads lists every other member with its hash.
func FuzzManifest(f *testing.F) {
	plan := member{name: planName, data: []byte("{}\n")}
	valid := fmt.Sprintf(`{"format": %q, "hallmark": "1.2.3", "run": "0", "suites": null, "models": null, "records": 0, "members": [{"name": %q, "bytes": 3, "sha256": %q}]}`,
		Format, planName, hashOf(plan.data))
	if _, err := read(pack([]member{plan, {name: manifestName, data: []byte(valid)}}), ""); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(valid))
	f.Add([]byte(strings.Replace(valid, Format, FormatOne, 1)))
	f.Add([]byte(`{"format": null}`))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		c, err := read(pack([]member{plan, {name: manifestName, data: manifest}}), "")
		if err == nil && (len(c.manifest.Members) == 0 || c.manifest.Members[0].Name != planName ||
			c.manifest.Members[0].SHA256 != hashOf(plan.data)) {
			t.Errorf("%q is taken for the manifest of a plan that it does not list", manifest)
		}
	})
}

// No plan and no records under hashes that fit make verifying crash, or panic in a method. The bundle is of one case,
// so that a try is short; the container by itself is FuzzUnpack's.
func FuzzVerify(f *testing.F) {
	p := planOf(f, "suite: {name: s, version: \"1\"}\ncases: [{id: a, prompt: p0, phrasings: [p1], gold: Paris}]\n")
	p.Repeats = 1
	b, err := makeFile(context.Background(), stored(f, p, 1), p, Options{Version: version})
	if err != nil {
		f.Fatal(err)
	}
	members := unpacked(f, b.File)
	f.Add(false, uint16(20), uint16(1), []byte("9"))
	f.Add(true, uint16(60), uint16(3), []byte{})
	f.Add(true, uint16(len(members[recordsName])), uint16(0), members[recordsName])
	f.Fuzz(func(t *testing.T, records bool, at, cut uint16, insert []byte) {
		name := planName
		if records {
			name = recordsName
		}
		all := maps.Clone(members)
		i := int(at) % (len(all[name]) + 1)
		j := min(len(all[name]), i+int(cut))
		all[name] = slices.Concat(all[name][:i], insert, all[name][j:])
		if err := verify(sealed(t, all)); err != nil && strings.Contains(err.Error(), misused) {
			t.Errorf("%s %d to %d: %q: %v", name, i, j, insert, err) // let Check refuse it
		}
	})
}
