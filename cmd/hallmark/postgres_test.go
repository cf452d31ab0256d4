package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptSchemas counts the schemas of scripts.
var scriptSchemas atomic.Int32

// postgres puts the name of a store in an empty schema of the server that HALLMARK_POSTGRES names into $POSTGRES. The
// schema is dropped at the end. The condition [postgres] says whether there is a server.
func postgres(ts *testscript.TestScript, _ bool, _ []string) {
	u, err := url.Parse(os.Getenv("HALLMARK_POSTGRES"))
	ts.Check(err)
	q := u.Query()
	q.Set("search_path", fmt.Sprintf("script-%d-%d", os.Getpid(), scriptSchemas.Add(1)))
	u.RawQuery = q.Encode()
	ts.Setenv("POSTGRES", u.String())
	for _, name := range []string{"PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE"} {
		ts.Setenv(name, os.Getenv(name))
	}
	ts.Defer(func() { execute(ts, nil, fmt.Sprintf("DROP SCHEMA %q CASCADE", q.Get("search_path"))) })
}

// changes executes a statement in the store of $POSTGRES, past it, and checks how many rows it changed: changes N
// STATEMENT.
func changes(ts *testscript.TestScript, _ bool, args []string) {
	var n int64
	_, err := fmt.Sscan(args[0], &n)
	ts.Check(err)
	execute(ts, &n, strings.Join(args[1:], " "))
}

func execute(ts *testscript.TestScript, want *int64, statement string) {
	db, err := sql.Open("pgx", ts.Getenv("POSTGRES"))
	ts.Check(err)
	defer db.Close()
	r, err := db.Exec(statement)
	ts.Check(err)
	if n, _ := r.RowsAffected(); want != nil && n != *want {
		ts.Fatalf("%s: changed %d rows, want %d", statement, n, *want)
	}
}
