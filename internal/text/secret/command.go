package secret

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/base/pattern"
)

// looks are what a key or a password in a command line looks like; the group is the secret. Where sure is set, any
// value is one, and else one that is not of words alone, so that sort_key=name and --pad-token x are none.
var looks = []struct {
	sure    bool
	pattern pattern.Pattern
}{
	{true, pattern.New(`(?i)\b[a-z0-9_]*(?:secret|password|passwd|passphrase)\s*=\s*` + value)},
	{true, pattern.New(`(?i)\b[a-z0-9_]*api_?key\s*=\s*` + value)},
	{true, pattern.New(`(?i)(?:^|\s)--?(?:[a-z0-9]+[-_])*api[-_]?key[=\s]\s*` + value)},
	{false, pattern.New(`(?i)\b[a-z0-9_]*(?:key|token|credentials?|auth|pwd)\s*=\s*` + value)},
	{true, pattern.New(`(?i)(?:^|\s)--?(?:[a-z0-9]+[-_])*(?:secret|password|passwd|passphrase)[=\s]\s*` +
		value)},
	{false,
		pattern.New(
			`(?i)(?:^|\s)--?(?:[a-z0-9]+[-_])*(?:key|apikey|token|credentials?|auth|pass|pw|pwd)[=\s]\s*` + value)},
	{false, pattern.New(`(?i)\b(?:bearer|basic)\s+` + value)},
	{false, pattern.New(`(?i)\b(?:authorization|[a-z0-9-]*(?:api-key|apikey|token))\s*:\s*` + value)},
	{true, pattern.New(`://[^/\s:@]*:([^/\s@$]+)@`)},                            // http://user:password@host
	{true, pattern.New(`\bcurl\b.*\s(?:-u|--user)\s*["']?[^\s:]+:([^\s"'$]+)`)}, // curl -u user:password
	{false, pattern.New(`\b(` + prefixed + `)`)},
}

// prefixed are keys with the prefixes that those who hand out keys give them: OpenAI and Anthropic, Stripe, Groq,
// Hugging Face, GitHub, GitLab, Slack, AWS, Google, NVIDIA, xAI, Perplexity, Replicate; and JSON web tokens.
const prefixed = `(?:sk|rk|pk)[-_][A-Za-z0-9_-]{8,}|gsk_\w{8,}|hf_\w{8,}|gh[pousr]_\w{8,}|github_pat_\w{8,}|` +
	`glpat-[\w-]{8,}|xox[a-z]-[\w-]{8,}|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[\w-]{20,}|nvapi-[\w-]{8,}|xai-\w{8,}|` +
	`pplx-\w{8,}|r8_\w{8,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*`

var issued = pattern.New(`^(?:` + prefixed + `)$`)

// value is a word of a shell, or what stands in quotes; of a variable's value nothing is in the command.
const value = `(?:'([^']+)'|"([^"$]+)"|["']?([^\s"'$;&|<>()]+))`

// InCommand returns what looks like a secret in a command line, each once. docs/security.md lists the looks.
func InCommand(command string) []string {
	var found []string
	for _, l := range looks {
		for _, m := range l.pattern.FindAllStringSubmatch(command, -1) {
			if v := cmp.Or(m[1:]...); (l.sure || keyLike(v)) && !slices.Contains(found, v) {
				found = append(found, v)
			}
		}
	}
	return found
}

// keyLike reports whether a value is none of words alone and no path. A short one, or one with signs of a shell such
// as <|end|>, has letters and digits.
func keyLike(v string) bool {
	const few = 6
	mixed := strings.ContainsAny(v, "0123456789") && strings.ContainsFunc(v, unicode.IsLetter)
	return (mixed && len(v) >= few || len(v) >= shortest && !strings.ContainsAny(v, " ;&|<>()")) && !wordy(v) &&
		!strings.ContainsRune("/.~", rune(v[0])) && !strings.Contains(v, "://")
}

// wordy reports whether a value is letters of one case, with - _ and . between them.
func wordy(value string) bool {
	lower, upper := false, false
	for i := range len(value) {
		switch c := value[i]; {
		case 'a' <= c && c <= 'z':
			lower = true
		case 'A' <= c && c <= 'Z':
			upper = true
		case c != '-' && c != '_' && c != '.':
			return false
		}
	}
	return !lower || !upper
}

// Shown returns a text in which what looks like a secret is blotted out.
func Shown(text string) string {
	found := InCommand(text)
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	for _, v := range found {
		text = strings.ReplaceAll(text, v, Mark)
	}
	return text
}

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
