package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"hallmark/internal/base/inputfile"
)

// Is reports whether a reference names a store of this kind.
func Is(ref string) bool {
	scheme, _, ok := strings.Cut(ref, ":")
	return ok && (scheme == "postgres" || scheme == "postgresql")
}

// remedy is what to do instead of a password that others can read.
const remedy = "keep it in PGPASSWORD, in the file that PGPASSFILE names (~/.pgpass), in a service " +
	"(?service=NAME) or in a file that you alone can read: --store postgres:FILE"

// Check returns an error where a reference is no URL or holds a password, which the list of processes and what is
// printed would show. Its errors hold none.
func Check(ref string) error {
	scheme, rest, _ := strings.Cut(ref, ":")
	if !strings.HasPrefix(rest, "//") {
		if rest == "" || strings.Contains(rest, "@") || strings.Contains(rest, "password=") {
			return fmt.Errorf("store %s:…: want postgres://[USER@]HOST[:PORT]/DATABASE, or postgres:FILE with a "+
				"connection string in the file", scheme)
		}
		return nil
	}
	u, err := url.Parse(ref)
	if err != nil { // the error quotes it
		return fmt.Errorf("store %s://…: is no URL: want postgres://[USER@]HOST[:PORT]/DATABASE; a character such "+
			"as / or %% in a name is written %%2F, %%25", scheme)
	}
	_, has := u.User.Password()
	for name := range u.Query() {
		has = has || strings.Contains(strings.ToLower(name), "password")
	}
	if has {
		return fmt.Errorf("store %s://…: holds a password, which others could read: %s", scheme, remedy)
	}
	return nil
}

// maxConfig bounds a file with a connection string.
const maxConfig = 64 << 10

// config returns how to connect to the server that a reference names. What it does not say is taken from the
// environment and the files of libpq: PGHOST, PGPASSFILE, PGSERVICE and the like.
func config(ref string) (*pgxpool.Config, error) {
	text, err := connection(ref)
	if err != nil {
		return nil, err
	}
	c, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, &finding{ref, "is no connection string that can be used: " + why(err)}
	}
	if _, set := c.ConnConfig.RuntimeParams["application_name"]; !set {
		c.ConnConfig.RuntimeParams["application_name"] = "hallmark"
	}
	return c, private(ref, c.ConnConfig)
}

// connection returns the connection string of a reference, which may hold a password.
func connection(ref string) (string, error) {
	if err := Check(ref); err != nil {
		return "", err
	}
	text := ref
	if _, file, _ := strings.Cut(ref, ":"); !strings.HasPrefix(file, "//") {
		b, err := inputfile.Read(file, maxConfig)
		if err != nil {
			return "", fmt.Errorf("store %s: %w", ref, err)
		}
		text = strings.TrimSpace(string(b))
		info, err := os.Stat(file)
		if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			return "", fmt.Errorf("%s: others may read it, and it may hold a password: chmod 600 %s", file, file)
		}
	}
	return text, nil
}

// private returns an error where the file of passwords that one may come from can be read by others, as libpq does not
// use such a file.
func private(ref string, c *pgx.ConnConfig) error {
	_, named, _ := strings.Cut(ref, ":")
	if c.Password == "" || os.Getenv("PGPASSWORD") != "" || !strings.HasPrefix(named, "//") ||
		runtime.GOOS == "windows" {
		return nil
	}
	file := os.Getenv("PGPASSFILE")
	if u, err := url.Parse(ref); err == nil && u.Query().Get("passfile") != "" {
		file = u.Query().Get("passfile")
	}
	if home, err := os.UserHomeDir(); file == "" && err == nil {
		file = filepath.Join(home, ".pgpass")
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s: others may read it, and it holds a password: chmod 600 %s", file, file)
	}
	return nil
}

// why returns what is wrong with a connection string, or with connecting, without the string: it may hold a password.
func why(err error) string {
	if c, ok := errors.AsType[*pgconn.ParseConfigError](err); ok {
		text := c.Error()
		if i := strings.LastIndex(text, "`: "); i >= 0 {
			text = text[i+len("`: "):]
		}
		if c.Unwrap() != nil {
			text, _, _ = strings.Cut(text, " (")
		}
		return text
	}
	if c, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		err = c.Unwrap()
	}
	lines := strings.Split(err.Error(), "\n") // one for each address that was tried
	return strings.TrimSpace(lines[len(lines)-1])
}

// defaultSchema is the schema of the tables where search_path does not name another.
const defaultSchema = "hallmark"

// schemaOf takes the name of the schema out of the configuration.
func schemaOf(c *pgx.ConnConfig) (string, error) {
	name := strings.Trim(strings.TrimSpace(c.RuntimeParams["search_path"]), `"`)
	delete(c.RuntimeParams, "search_path")
	switch {
	case name == "":
		return defaultSchema, nil
	case strings.ContainsAny(name, `,"`) || strings.HasPrefix(name, "pg_"):
		return "", fmt.Errorf("search_path %q: name the one schema of the store", name)
	}
	return name, nil
}

// session sets up a connection. A commit is on the disk of the server when it returns, as run.Store promises, also
// where the server is set up otherwise; no process waits for ever for the locks of another, or keeps its own while
// it sleeps.
func (s *Store) session(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SELECT set_config('search_path', $1, FALSE), set_config('lock_timeout', $2, FALSE), "+
		"set_config('idle_in_transaction_session_timeout', '60s', FALSE), "+
		"set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "+
		"ELSE current_setting('synchronous_commit') END, FALSE)",
		pgx.Identifier{s.schema}.Sanitize()+", pg_temp", fmt.Sprint(lockTimeout.Milliseconds()))
	return err
}

// Pool connects to the schema of the store by pgx itself, for what is beside the records: the queue of runs. Its
// connections are set up as those of the store.
func (s *Store) Pool(ctx context.Context, most int32) (*pgxpool.Pool, error) {
	c, err := config(s.ref)
	if err != nil {
		return nil, err
	}
	delete(c.ConnConfig.RuntimeParams, "search_path")
	c.AfterConnect, c.MaxConns = s.session, most
	pool, err := pgxpool.NewWithConfig(ctx, c)
	return pool, s.Explain(err)
}

// Schema is the name of the schema of the store.
func (s *Store) Schema() string { return s.schema }

// Finding returns an error about the store that says all there is to say.
func (s *Store) Finding(what string) error { return &finding{s.ref, what} }
