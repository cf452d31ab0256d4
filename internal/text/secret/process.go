package secret

import (
	"cmp"
	"net/url"
	"strings"

	"hallmark/internal/base/pattern"
)

// Learn makes known the keys that this process holds without being told: the variables *_API_KEY, the passwords of
// proxies, and what looks like a key in the command of a program. It comes before .env is read: what a stranger's
// folder holds is a key only where something takes it as one (undertest.Builder.LearnKey), and rewrites no answers
// else.
func (r *Redactor) Learn(environ, args []string) {
	for _, set := range environ {
		name, value, _ := strings.Cut(set, "=")
		switch name = strings.ToUpper(name); {
		case strings.HasSuffix(name, "_API_KEY"):
			r.Add(value)
		case strings.HasSuffix(name, "_PROXY"):
			r.Add(proxyKeys(value)...)
		}
	}
	for i, arg := range args {
		if strings.Contains(arg, "exec:") || strings.Contains(arg, "://") {
			r.Add(InCommand(arg)...)
		}
		name, value, set := strings.Cut(arg, "=")
		if !set && i+1 < len(args) {
			value = args[i+1]
		}
		// the key, in the place of its name
		if strings.HasSuffix(name, "key-env") && strings.HasPrefix(name, "--") && !variable.MatchString(value) {
			r.Add(value)
		}
	}
}

// variable is a name that a variable of the environment may have.
var variable = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// proxyKeys returns the password of a proxy's address, as it is written and as it is sent; where there is a user
// and no password, the user, which is a token then. The scheme may be missing, and the password may hold an @.
func proxyKeys(address string) (keys []string) {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return nil
	}
	user, password, _ := strings.Cut(address[:at], ":")
	key := cmp.Or(password, user)
	plain, _ := url.PathUnescape(key) // "" where it is not escaped as it should be
	return []string{key, plain}
}
