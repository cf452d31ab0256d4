package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"hallmark/internal/archtest"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/seed"
	"hallmark/internal/model/endpoint"
	"hallmark/internal/model/hosted"
	"hallmark/internal/text/secret"
	"hallmark/internal/text/secret/secrettest"
)

// An echo is a way in which a server quotes the key that it was sent.
type echo struct {
	name  string
	serve func(w http.ResponseWriter, key string)
}

// body answers with a status and a body in which KEY stands for the key.
func body(name string, status int, kind, text string) echo {
	return echo{name, func(w http.ResponseWriter, key string) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "KEY", key))
	}}
}

// wire answers with bytes that net/http would not send.
func wire(name, text string) echo {
	return echo{name, func(w http.ResponseWriter, key string) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\r\n"), "KEY", key))
		_ = conn.Close()
	}}
}

// chat is the body of an answer, with more members of the choice.
func chat(content, more string) string {
	return `{"id":"c-1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":` + content +
		`},"finish_reason":"stop"` + more +
		`}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`
}

const okText = "HTTP/1.1 200 OK\nContent-Type: application/json\n"

// storedEchoes are the echoes that a run goes on after, each the answer to one case.
func storedEchoes() []echo {
	var all []echo
	for _, f := range secrettest.Forms {
		all = append(all, echo{"answer: " + f.Name, func(w http.ResponseWriter, key string) {
			b, err := json.Marshal("The key is " + f.Write(key) + " indeed.")
			if err != nil {
				panic(err)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, chat(string(b), ""))
		}})
		all = append(all, echo{"refusal: " + f.Name, func(w http.ResponseWriter, key string) {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "bad request with " +
				f.Write("Bearer "+key)}})
		}})
	}
	const asJSON, asText = "application/json", "text/plain"
	escaped := func(key string) string {
		var b strings.Builder
		for _, r := range key {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		return b.String()
	}
	split := func(name, before, between, after string) echo { // the key in parts of five
		return echo{name, func(w http.ResponseWriter, key string) {
			var parts []string
			for i := 0; i < len(key); i += 5 {
				parts = append(parts, key[i:min(i+5, len(key))])
			}
			w.Header().Set("Content-Type", asJSON)
			_, _ = io.WriteString(w, chat(`"no key here"`, before+strings.Join(parts, between)+after))
		}}
	}
	return append(all,
		echo{"answer: escaped in the body", func(w http.ResponseWriter, key string) {
			w.Header().Set("Content-Type", asJSON)
			_, _ = io.WriteString(w, chat(`"It is `+escaped(key)+` so"`, ""))
		}},
		echo{"answer: 12 bytes of it", func(w http.ResponseWriter, key string) {
			_, _ = io.WriteString(w, chat(`"It has `+key[7:19]+` in it"`, ""))
		}},
		body("content in parts", 200, asJSON, chat(`[{"type":"text","text":"It is "},{"type":"text","text":"KEY"}]`, "")),
		body("finish reason", 200, asJSON, strings.Replace(chat(`"Paris"`, ""), `"stop"`, `"KEY"`, 1)),
		body("id", 200, asJSON, strings.Replace(chat(`"Paris"`, ""), "c-1", "KEY", 1)),
		body("model", 200, asJSON, strings.Replace(chat(`"Paris"`, ""), `"model":"m"`, `"model":"KEY"`, 1)),
		body("name of a member", 200, asJSON, chat(`"Paris"`, `,"KEY":1`)),
		body("tool call", 200, asJSON, chat(`null`,
			`,"tool_calls":[{"id":"t","function":{"name":"get","arguments":"{\"key\":\"KEY\"}"}}]`)),
		body("refused in words", 200, asJSON, chat(`null,"refusal":"not with KEY"`, "")),
		body("reasoning", 200, asJSON, chat(`"Paris","reasoning_content":"my key is KEY"`, "")),
		split("tokens", `,"logprobs":{"content":[{"token":"`, `","logprob":-1},{"token":"`, `","logprob":-1}]}`),
		split("alternatives", `,"logprobs":{"content":[{"token":"a","logprob":-1,"top_logprobs":[{"token":"`,
			`","logprob":-1},{"token":"x","logprob":-2}]},{"token":"a","logprob":-1,"top_logprobs":[{"token":"`,
			`","logprob":-1}]}]}`),
		split("parts of a list", `,"stop":["`, `","`, `"]`),
		echo{"bytes of a token", func(w http.ResponseWriter, key string) {
			_, _ = io.WriteString(w, chat(`"Paris"`, `,"bytes":`+strings.ReplaceAll(fmt.Sprint([]byte(key)), " ", ",")))
		}},
		body("error of FastAPI", 422, asJSON, `{"detail":[{"msg":"no such key","input":"KEY"}]}`),
		body("error with the key as its code", 400, asJSON, `{"error":{"message":"no","code":"KEY","param":"KEY"}}`),
		body("error as text", 400, asText, "Bad request: Authorization: Bearer KEY"),
		body("error as a page", 500, "text/html", "<p>KEY</p>"),
		body("error in a 200", 200, asJSON, `{"error":{"message":"upstream refused KEY","code":502}}`),
		body("page in a 200", 200, "text/html", "<html>KEY</html>"),
		body("broken JSON", 200, asJSON, `{"choices":[{"message":{"content":"KEY`),
		body("a list", 200, asJSON, `["KEY"]`),
		body("log-probability", 200, asJSON, chat(`"a"`, `,"logprobs":{"content":[{"token":"a","logprob":"KEY"}]}`)),
		echo{"Retry-After", func(w http.ResponseWriter, key string) {
			w.Header().Set("Retry-After", key)
			w.WriteHeader(http.StatusServiceUnavailable)
		}},
		wire("malformed header", okText+"X-Key KEY\n\n{}"),
		wire("malformed header, continued", okText+" Bearer KEY\n\n{}"),
		wire("malformed status", "HTTP/1.1 KEY\n\n"),
		wire("malformed version", "KEY 200 OK\n\n"),
		wire("malformed length", okText+"Content-Length: KEY\n\n{}"),
		wire("malformed transfer encoding", okText+"Transfer-Encoding: KEY\n\n{}"),
		wire("malformed chunk", okText+"Transfer-Encoding: chunked\n\nKEY\n{}"),
		wire("malformed trailer", okText+"Transfer-Encoding: chunked\nTrailer: X\n\n2\n{}\n0\nX KEY\n\n"),
		wire("cut", okText+"Content-Length: 1000\n\n{\"key\":\"KEY"),
		wire("answer nobody asked for", okText+"Content-Length: "+strconv.Itoa(len(chat(`"Paris"`, "")))+"\n\n"+
			chat(`"Paris"`, "")+"HTTP/1.1 408 KEY\n\n"),
	)
}

// stopping are the echoes that end a run.
func stopping() []echo {
	return []echo{
		{"redirect", func(w http.ResponseWriter, key string) {
			w.Header().Set("Location", "https://elsewhere.example/v1?key="+key)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}},
		{"redirect, in base64", func(w http.ResponseWriter, key string) {
			w.Header().Set("Location", "https://elsewhere.example/"+base64.URLEncoding.EncodeToString([]byte("u:"+key)))
			w.WriteHeader(http.StatusPermanentRedirect)
		}},
		body("401", 401, "application/json", `{"error":{"message":"Incorrect API key provided: KEY"}}`),
		body("402", 402, "application/json", `{"error":"no credit for KEY"}`),
		body("403", 403, "text/plain", "KEY may not"),
		body("404", 404, "application/json", `{"error":{"message":"no model for KEY","code":"model_not_found"}}`),
	}
}

// A leak looks for a key in all that a command leaves behind.
type leak struct {
	key   string
	forms []string // of the key, as others write them
	known *secret.Redactor
}

func newLeak(key string) *leak {
	l := &leak{key: key, known: secret.New(key)}
	for _, f := range secrettest.Forms {
		l.forms = append(l.forms, f.Write(key))
	}
	return l
}

func (l *leak) check(t *testing.T, name string, data []byte) {
	t.Helper()
	for _, f := range l.forms {
		if bytes.Contains(data, []byte(f)) {
			t.Errorf("%s holds the key, as %q", name, f)
		}
	}
	folded, key := bytes.ToLower(data), strings.ToLower(l.key)
	for i := range len(key) - 11 {
		if at := bytes.Index(folded, []byte(key[i:i+12])); at >= 0 {
			t.Errorf("%s holds a part of the key: %q", name, data[max(at-60, 0):min(at+60, len(data))])
			return
		}
	}
	if l.known.Holds(string(data)) {
		t.Errorf("%s holds the key in some form", name)
	}
}

// files checks every file below the working folder, and those in bundles. It returns the bytes of the store.
func (l *leak) files(t *testing.T) (store []byte) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		l.check(t, path, data)
		if strings.Contains(path, "hallmark.db") {
			store = append(store, data...)
		}
		if filepath.Ext(path) != ".zip" {
			return nil
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return err
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				return err
			}
			inner, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			l.check(t, path+"/"+f.Name, inner)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// run runs the command and checks what it prints.
func (l *leak) run(t *testing.T, want int, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	got := hallmark(args, strings.NewReader(""), &stdout, &stderr)
	if got != want {
		t.Fatalf("hallmark %q: exit %d, want %d: %s", args, got, want, stderr.String())
	}
	l.check(t, fmt.Sprintf("stdout of %q", args), stdout.Bytes())
	l.check(t, fmt.Sprintf("stderr of %q", args), stderr.Bytes())
}

var numbered = regexp.MustCompile(`Form (\d+)`)

// keyServer answers the case of a number with the echo of that number, and all else with Paris.
func keyServer(t *testing.T, key string, echoes []echo) (address string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("request without the key: %v", err)
		}
		if m := numbered.FindSubmatch(asked); m != nil {
			n, _ := strconv.Atoi(string(m[1])) // a number
			echoes[n].serve(w, key)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, chat(`"Paris"`, ""))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1#m"
}

// suiteOf writes a suite with a case for each of n echoes.
func suiteOf(t *testing.T, n int) {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"id", "question", "gold"}}
	for i := range n {
		rows = append(rows, []string{"e" + strconv.Itoa(i), fmt.Sprintf("Form %d: what is the capital of France?", i),
			"Paris"})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("forms.csv", b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A key that a server quotes, in whatever form and place, is in no file, on no stream and in no log.
func TestNoKeyLeaks(t *testing.T) {
	t.Chdir(t.TempDir())
	d := seed.Stream(1, "leaks", "key")
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./+"
	key := "sk-"
	for range 40 {
		key += string(alphabet[d.IntN(len(alphabet))])
	}
	t.Setenv("LEAK_KEY", key)
	l, echoes := newLeak(key), storedEchoes()
	if len(echoes) < 40 {
		t.Fatalf("%d echoes", len(echoes))
	}
	suiteOf(t, len(echoes))
	model := keyServer(t, key, echoes)
	l.run(t, exit.Done, "run", "--suite", "forms.csv", "--model", model, "--key-env", "LEAK_KEY", "--method", "rubric",
		"--repeats", "1", "--max-retries", "0", "--log-level", "debug", "--allow-unscored", "1000", "-j", "4")
	for _, format := range []string{"html", "md", "json", "junit", "csv", "evidence"} {
		l.run(t, exit.Done, "report", "latest", "--format", format, "-o",
			"report-"+format+map[bool]string{true: ".zip"}[format == "evidence"])
	}
	l.run(t, exit.Done, "show", "latest")
	for i := range echoes {
		if i%archtest.Draws(21, 7, 7) == 0 {
			l.run(t, exit.Done, "show", "latest", "e"+strconv.Itoa(i), "--json")
		}
	}
	l.run(t, exit.Done, "verify", "report-evidence.zip")
	if marks := bytes.Count(l.files(t), []byte(secret.Mark)); marks < 2*len(secrettest.Forms) {
		t.Errorf("the store holds %d marks: the answers did not come", marks)
	}
}

func TestNoKeyLeaksWhereARunStops(t *testing.T) {
	for _, e := range stopping() {
		t.Run(e.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			const key = "sk-proj-Ab3dE5gH7iJ9kL1mN3"
			t.Setenv("LEAK_KEY", key)
			l := newLeak(key)
			suiteOf(t, 1)
			l.run(t, exit.Failed, "run", "--suite", "forms.csv", "--model", keyServer(t, key, []echo{e}), "--key-env",
				"LEAK_KEY", "--method", "rubric",
				"--repeats", "1", "--max-retries", "0", "--log-level", "debug")
			l.files(t)
		})
	}
}

// Nor does the proxy tell its clients, or its log, what the server behind it quotes.
func TestNoKeyLeaksThroughTheProxy(t *testing.T) {
	const key = "sk-proj-Ab3dE5gH7iJ9kL1mN3"
	l, echoes := newLeak(key), append(storedEchoes(), stopping()...)
	address, name, _ := strings.Cut(keyServer(t, key, echoes), "#")
	m, err := hosted.New(hosted.Options{BaseURL: address, Name: name, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	proxy := endpoint.NewProxy(m, "guard", endpoint.Options{ID: "m", Requests: 1, Log: logger, Now: time.Now})
	answered := 0
	for i, e := range echoes {
		asked := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"Form %d"}]}`, i)
		r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(asked))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		proxy.ServeHTTP(w, r)
		l.check(t, e.name, w.Body.Bytes())
		if strings.Contains(w.Body.String(), secret.Mark) {
			answered++
		}
	}
	if answered < len(secrettest.Forms) {
		t.Errorf("%d answers of %d hold a mark: the echoes did not come", answered, len(echoes))
	}
	l.check(t, "the log", log.Bytes())
}
