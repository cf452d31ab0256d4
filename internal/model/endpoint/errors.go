package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"hallmark/internal/engine/token"
)

// A problem is an answer that is an error, in the shape of the OpenAI API.
type problem struct {
	status  int
	code    string        // error.code, "" for null
	param   string        // error.param, "" for null
	message string        // one sentence for a person
	after   time.Duration // when to try again, where that may help
}

func (p *problem) Error() string { return p.message }

// refusal is a problem with a status and a code.
func refusal(status int, code, format string, args ...any) *problem {
	return &problem{status: status, code: code, message: fmt.Sprintf(format, args...)}
}

// failed is a 500 for what the engine says.
func failed(err error) *problem { return refusal(http.StatusInternalServerError, "", "%v", err) }

// invalid is a 400 about a parameter, "" for the body as a whole.
func invalid(param, format string, args ...any) *problem {
	p := refusal(http.StatusBadRequest, "invalid_value", format, args...)
	p.param = param
	return p
}

// as is the problem under another code.
func (p *problem) as(code string) *problem {
	p.code = code
	return p
}

// unsupported is a 400 for a parameter with which the answer would have to differ from what this server can give.
func unsupported(param, why string) *problem {
	return invalid(param, "Unsupported parameter: '%s' is not supported with this model%s.", param, why).
		as("unsupported_parameter")
}

// overflow is a prompt that does not fit into the context.
func overflow(param string, tokens any, context int) *problem {
	return invalid(param, "This model's maximum context length is %d tokens. However, your %s has %v tokens. Please "+
		"reduce its length.", context, param, tokens).as("context_length_exceeded")
}

// tooLong is the overflow of a text that was not read to its end, if err is of one.
func tooLong(param string, err error, context int) *problem {
	var long *token.TooLong
	if !errors.As(err, &long) {
		return nil
	}
	return overflow(param, fmt.Sprintf("at least %d", long.Least), context)
}

// write sends the problem.
func (p *problem) write(w http.ResponseWriter) {
	if p.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(max(1, p.after.Round(time.Second)/time.Second))))
	}
	writeJSON(w, p.status, p.document())
}

// document is the body, which is also the event that ends a broken stream.
func (p *problem) document() any {
	kind := "invalid_request_error"
	switch {
	case p.status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case p.status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	return map[string]any{"error": map[string]any{
		"message": p.message, "type": kind, "param": orNull(p.param), "code": orNull(p.code),
	}}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
