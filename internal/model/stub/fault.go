package stub

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"
)

// A Fault is a way to fail.
type Fault string

// The faults, named as the flags of bench/stub name them.
const (
	None         Fault = ""
	HTML         Fault = "html"          // status 200 with a page of a proxy
	Truncated    Fault = "truncated"     // JSON that ends half-way, with a length that fits
	Cut          Fault = "cut"           // the connection closes before the announced length
	NullContent  Fault = "null"          // no text
	EmptyChoices Fault = "empty"         // no choices
	Filter       Fault = "filter"        // withheld by the provider
	Refusal      Fault = "refusal"       // a refusal in place of text
	WrongLength  Fault = "wrong-length"  // fewer log-probabilities than tokens
	NaN          Fault = "nan"           // NaN for a log-probability
	Infinity     Fault = "infinity"      // -Infinity for a log-probability
	StringProb   Fault = "string-prob"   // a text for a log-probability
	PositiveProb Fault = "positive-prob" // a log-probability above 0
	Limited      Fault = "429"           // rate limit, no Retry-After
	LimitedAfter Fault = "429-after"     // rate limit, Retry-After: 2
	LimitedDate  Fault = "429-date"      // rate limit, Retry-After as a date 3 s ahead
	Quota        Fault = "quota"         // 429 that no wait cures
	ServerError  Fault = "500"           // an internal error
	Unavailable  Fault = "503-after"     // 503 with Retry-After: 1
	Timeout      Fault = "408"           // the server's own timeout
	Overloaded   Fault = "529"           // Anthropic's overload
	Reset        Fault = "reset"         // the connection is reset
	Hang         Fault = "hang"          // nothing comes back until the client leaves
	EchoKey      Fault = "echo-key"      // 400 that quotes the key
	Forbidden    Fault = "403"           // the key may not
	TooLong      Fault = "400-context"   // 400 for a prompt over the context length
	Redirect     Fault = "redirect"      // 307 to another host
	ErrorIn200   Fault = "error-in-200"  // status 200 with an error object
	Huge         Fault = "huge"          // a body without end
	Switch       Fault = "101"           // another protocol, which nobody asked for
)

// Faults are all faults, in a fixed order.
var Faults = []Fault{HTML, Truncated, Cut, NullContent, EmptyChoices, Filter, Refusal, WrongLength, NaN, Infinity,
	StringProb, PositiveProb, Limited, LimitedAfter, LimitedDate, Quota, ServerError, Unavailable, Timeout, Overloaded,
	Reset, Hang, EchoKey, Forbidden, TooLong, Redirect, ErrorIn200, Huge, Switch}

// Page is the body of the HTML fault.
const Page = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"

// sentinel marks the log-probability that after replaces by something that JSON or arithmetic does not allow.
const sentinel = -98765.4321

// refusals are the faults that are an error of the API.
var refusals = map[Fault]struct {
	status               int
	code, param, message string
	after                string // the header Retry-After
}{
	Limited:      {429, "rate_limit_exceeded", "", "Rate limit reached", ""},
	LimitedAfter: {429, "rate_limit_exceeded", "", "Rate limit reached", "2"},
	LimitedDate:  {429, "rate_limit_exceeded", "", "Rate limit reached", "a date"},
	Quota:        {429, "insufficient_quota", "", "You exceeded your current quota", ""},
	ServerError:  {500, "", "", "internal error", ""},
	Unavailable:  {503, "", "", "loading model", "1"},
	Timeout:      {408, "", "", "timeout", ""},
	Overloaded:   {529, "overloaded_error", "", "Overloaded", ""},
	EchoKey:      {400, "", "", "bad request with key ", ""},
	Forbidden:    {403, "", "", "this key may not use this model", ""},
	TooLong:      {400, "context_length_exceeded", "messages", "maximum context length is 128 tokens", ""},
}

// before fails where no answer is needed for it, and reports whether it did.
func (f Fault) before(w http.ResponseWriter, r *http.Request, key string) bool {
	if e, ok := refusals[f]; ok {
		switch f {
		case LimitedDate:
			// A second is the grain of the header, so the wait that the client computes is between 2 and 3 s.
			e.after = time.Now().Add(3 * time.Second).UTC().Format(http.TimeFormat)
		case EchoKey:
			e.message += key
		}
		if e.after != "" {
			w.Header().Set("Retry-After", e.after)
		}
		refuse(w, e.status, e.code, e.param, e.message)
		return true
	}
	switch f {
	case HTML:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, Page)
	case Redirect:
		http.Redirect(w, r, "http://elsewhere.example/v1", http.StatusTemporaryRedirect)
	case ErrorIn200:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"error":{"message":"upstream failed","code":502}}`)
	case Hang:
		<-r.Context().Done()
	case Huge:
		w.Header().Set("Content-Type", "application/json")
		chunk := strings.Repeat(" ", 1<<16)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, chunk); err != nil {
				return true
			}
		}
	case Reset, Cut, Switch:
		f.breakOff(w)
	default:
		return false
	}
	return true
}

// breakOff ends the connection below HTTP.
func (f Fault) breakOff(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok { // HTTP/2, or a recorder: the nearest there is
		panic(http.ErrAbortHandler)
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	switch tcp, ok := conn.(interface{ SetLinger(int) error }); {
	case f == Switch:
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn) // until the client leaves
	case f == Cut:
		_, _ = io.WriteString(conn,
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"choices\":")
	case ok:
		_ = tcp.SetLinger(0) // close with a reset
	}
	_ = conn.Close()
}

// logProbs spoils the log-probabilities.
func (f Fault) logProbs(lps []float64) []float64 {
	if len(lps) == 0 {
		return lps
	}
	last := len(lps) - 1
	switch f {
	case WrongLength:
		return lps[:last]
	case NaN, Infinity, StringProb, PositiveProb:
		lps[last] = sentinel
	}
	return lps
}

// after writes the body, spoiled.
func (f Fault) after(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	switch f {
	case Truncated:
		body = body[:len(body)/2]
	case NaN, Infinity, StringProb, PositiveProb:
		with := map[Fault]string{NaN: "NaN", Infinity: "-Infinity", StringProb: `"-0.5"`, PositiveProb: "0.75"}[f]
		body = bytes.ReplaceAll(body, []byte("-98765.4321"), []byte(with))
	}
	_, _ = w.Write(body) // the client may be gone
}
