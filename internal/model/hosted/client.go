package hosted

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/text/secret"
)

// anthropicVersion is the version of the Messages API that anthropic.go is written for.
const anthropicVersion = "2023-06-01"

// A client sends JSON to one server.
type client struct {
	Options
	http   *http.Client
	base   string
	header http.Header
}

func newClient(o Options, base string) *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = o.Concurrency, o.Concurrency
	// Over HTTP/2 a server can have net/http send a request again (REFUSED_STREAM, GOAWAY), which no budget would
	// count.
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"hallmark"}}
	if o.API == Messages {
		header.Set("anthropic-version", anthropicVersion)
	}
	switch {
	case o.Key == "":
	case o.API == Messages:
		header.Set("x-api-key", o.Key)
	default:
		header.Set("Authorization", "Bearer "+o.Key)
	}
	// A redirect is an error with a remedy: following it could hand the key to another host, and turns most POSTs
	// into GETs.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{o, &http.Client{Transport: t, CheckRedirect: refuse}, base, header}
}

// maxObjects bounds the objects and lists of a response: each takes some hundred bytes, also where it is written in
// two. Twenty alternatives to each of 16,000 tokens are 350,000.
const maxObjects = 1 << 20

// containers returns how many objects and lists a JSON document has. Those that stand in its strings, such as an
// answer that is code, count only where all together are within maxObjects, which needs no second look.
func containers(body []byte) int {
	n := bytes.Count(body, []byte("{")) + bytes.Count(body, []byte("["))
	if n <= maxObjects {
		return n
	}
	n = 0
	for i, text := 0, false; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			text = !text
		case c == '\\' && text:
			i++
		case (c == '{' || c == '[') && !text:
			n++
		}
	}
	return n
}

// do sends in as JSON and returns the body of a response of status 200, also where it holds an error. It may show
// the key: Model.Generate blots it out of what is read from it. The error, which does not, is one of
// *model.Transient, an error wrapping model.ErrGone, *refused, the context's error, or another final one.
func (c *client) do(ctx context.Context, method, path string, in any) ([]byte, error) {
	var payload io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("request is no JSON: %w", err)
		}
		payload = bytes.NewReader(b)
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, method, c.base+path, payload)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", model.ErrGone, err)
	}
	req.Header = c.header.Clone()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.connection(ctx, err)
	}
	defer resp.Body.Close()                               // the error of closing a body that was read says nothing more
	if resp.StatusCode == http.StatusSwitchingProtocols { // its body is the connection, which no context ends
		return nil, fmt.Errorf("%s answered with status 101: it speaks another protocol, which it was not asked for",
			c.base)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.MaxBody+1))
	if resp.StatusCode != http.StatusOK {
		return nil, c.status(resp, body) // whatever part of the body came
	}
	if err != nil {
		return nil, c.connection(ctx, err)
	}
	if int64(len(body)) > c.MaxBody {
		return nil, fmt.Errorf("response of %s is longer than %d bytes", c.base, c.MaxBody)
	}
	if n := containers(body); n > maxObjects {
		return nil, fmt.Errorf("response of %s holds %d objects and lists, and at most %d are read", c.base, n,
			maxObjects)
	}
	if page := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"); page ||
		bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return nil, &model.Transient{Err: fmt.Errorf("%s answered with a page in place of JSON: %s", c.base,
			model.Excerpt(c.Secrets.Text(string(c.Secrets.Quotable(body)))))}
	}
	if !json.Valid(body) { // the error will quote it
		body = c.Secrets.Quotable(body)
	}
	// Gateways put errors in a response of status 200. A body that does not parse is left to decode, which knows
	// its shape.
	var inner errorBody
	if bytes.Contains(body, []byte(`"error"`)) && json.Unmarshal(body, &inner) == nil && inner.failed() {
		status, err := strconv.Atoi(inner.refused().code)
		if err != nil || status < 400 || status > 599 {
			status = http.StatusBadRequest
		}
		resp.StatusCode = status
		return body, c.status(resp, body) // the body may say what it took
	}
	return body, nil
}

// connection classifies an error below HTTP.
func (c *client) connection(ctx context.Context, err error) error {
	if ctx.Err() != nil { // the caller gave up: not the server's fault
		return ctx.Err()
	}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &model.Transient{Err: fmt.Errorf("%s gave no answer within %v", c.base, c.Timeout)}
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("%w: there is no host %q: check the address", model.ErrGone, dns.Name)
	case errors.As(err, &cert):
		return fmt.Errorf("%w: %s shows no valid certificate: %s", model.ErrGone, c.base,
			model.Excerpt(c.Secrets.Text(cert.Err.Error())))
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Errorf("%w: %s does not speak TLS: want http://", model.ErrGone, c.base)
	}
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	return &model.Transient{Err: fmt.Errorf("connection to %s failed: %s", c.base,
		model.Excerpt(c.Secrets.Text(err.Error())))}
}

// status classifies a response that is not 200, or holds an error. The body may show the key.
func (c *client) status(resp *http.Response, body []byte) error {
	spread := c.Secrets.Spread(body)
	body = c.Secrets.Bytes(body)
	r := &refused{status: resp.StatusCode}
	var e errorBody
	if json.Unmarshal(body, &e) == nil && e.failed() {
		r = e.refused()
		r.status = resp.StatusCode
	}
	switch {
	case spread: // a message may quote a list of strings
		r.message = secret.Mark
	case r.message == "":
		r.message = model.Excerpt(string(body))
	}
	keyed := fmt.Sprintf("no key was sent for the model %q: name its environment variable with --key-env", c.Name)
	if c.Key != "" {
		keyed = fmt.Sprintf("check the key in %s, which was sent for the model %q; --key-env names another variable",
			c.KeyName, c.Name)
	}
	switch s := r.status; {
	case s == http.StatusUnauthorized:
		return fmt.Errorf("%w: %s: %v; %s", model.ErrGone, c.base, r, keyed)
	case s == http.StatusForbidden:
		return fmt.Errorf("%w: %s: %v; %s", model.ErrDenied, c.base, r, keyed)
	case s == http.StatusPaymentRequired, r.code == "insufficient_quota",
		strings.Contains(r.message, "credit balance is too low"):
		return fmt.Errorf("%w: %s: %v; the account seems to have no credit left", model.ErrDenied, c.base, r)
	case s >= 300 && s < 400 && resp.Header.Get("Location") != "":
		to := c.Secrets.Text(resp.Header.Get("Location"))
		return fmt.Errorf("%w: %s redirects to %s, which is not followed: write that address in the model reference",
			model.ErrDenied, c.base, strconv.Quote(model.Excerpt(to)))
	case s == http.StatusTooManyRequests, s == 529: // 529 is Anthropic's overload
		return &model.Transient{After: c.retryAfter(resp.Header), Limited: true, Err: fmt.Errorf("%s: %w", c.base, r)}
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly,
		s >= 500 && s != http.StatusNotImplemented:
		return &model.Transient{After: c.retryAfter(resp.Header), Err: fmt.Errorf("%s: %w", c.base, r)}
	}
	return r
}

// named says what to do about a name that the server does not have, or not for this key.
func (c *client) named() string {
	with := "no key was sent; --key-env names its environment variable"
	if c.Key != "" {
		with = "the key in " + c.KeyName + " was sent, and may not see every model"
	}
	return fmt.Sprintf("check the name and the address: %s/models lists what the server has; %s", c.base, with)
}

// maxRetryAfter bounds the wait that a server may ask for.
const maxRetryAfter = time.Hour

// retryAfter returns the wait a server asked for, in [0, maxRetryAfter]; 0 where it asked for none that can be read.
func (c *client) retryAfter(h http.Header) time.Duration {
	var wait time.Duration
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && !math.IsNaN(s) {
		wait = time.Duration(min(max(s, 0), maxRetryAfter.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(v); err == nil {
		wait = at.Sub(c.Now())
	}
	return min(max(wait, 0), maxRetryAfter)
}
