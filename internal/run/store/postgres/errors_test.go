package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// says fails unless an error says what is wanted, in one line that names the store.
func says(t testing.TB, err error, ref, want string) {
	t.Helper()
	if err == nil || strings.Count(err.Error(), ref+": ") != 1 || !strings.Contains(err.Error(), want) ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("got  %v\nwant %s: … %s", err, ref, want)
	}
}

// A schema that is not there, that a newer release wrote, or that somebody altered is left as it is.
func TestRefusedSchemas(t *testing.T) {
	ctx := context.Background()
	ref := place(t)
	if _, err := Read(ctx, ref); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a schema that is not there: %v", err)
	}
	s := opened(t, ref)
	defer s.Close()
	if n := number(t, s, "SELECT count(*) FROM migration"); n != len(migrations) {
		t.Errorf("%d migrations, want %d", n, len(migrations))
	}
	for _, c := range []struct{ change, want, back string }{
		{"INSERT INTO migration VALUES (99, 0)", fmt.Sprintf("was written by a newer hallmark (store version 99, this one "+
			"knows up to %d)", len(migrations)),
			"DELETE FROM migration WHERE version = 99"},
		{"CREATE RULE r AS ON INSERT TO record DO INSTEAD NOTHING", "holds the rule r, which hallmark does not make",
			"DROP RULE r ON record"},
		{"ALTER TABLE run ENABLE ROW LEVEL SECURITY", "holds row security", "ALTER TABLE run DISABLE ROW LEVEL SECURITY"},
		{"CREATE TRIGGER t BEFORE UPDATE ON usage FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
			"holds the trigger t", "DROP TRIGGER t ON usage"},
	} {
		do(t, ref, c.change)
		for _, open := range []func(context.Context, string) (*Store, error){Open, Read} {
			got, err := open(ctx, ref)
			if err == nil {
				got.Close()
			}
			says(t, err, ref, c.want)
		}
		do(t, ref, c.back)
	}
	do(t, ref, "ALTER TABLE record RENAME COLUMN raw TO body")
	_, err := s.Lookup(ctx, []run.Key{{}})
	says(t, err, ref, "is not as hallmark makes it (column \"raw\" does not exist)")

	other := place(t) // a schema in which somebody else has a table of such a name
	name := strings.Split(connected(t, other).schema, `"`)[0]
	do(t, ref, fmt.Sprintf("CREATE SCHEMA %q CREATE TABLE usage (x INT)", name))
	_, err = Open(ctx, other)
	says(t, err, other, `is not as hallmark makes it (relation "usage" already exists)`)
}

// An older schema is brought to this version by what writes, once, however many do at the same time; what was stored
// stays. What only reads says so, and changes nothing.
func TestMigration(t *testing.T) {
	ctx := context.Background()
	ref := place(t)
	s := opened(t, ref)
	defer s.Close()
	if err := s.Add(ctx, []run.Record{answer("a", "x")}); err != nil {
		t.Fatal(err)
	}
	defer func(m []string) { migrations = m }(migrations)
	now := len(migrations)
	migrations = append(append([]string{}, migrations...), "ALTER TABLE run ADD COLUMN more TEXT")
	_, err := Read(ctx, ref)
	says(t, err, ref, fmt.Sprintf("was written by an older hallmark (store version %d, this one reads %d)", now, now+1))
	failed := make(chan error, 4)
	for range cap(failed) {
		go func() {
			s, err := Open(ctx, ref)
			if err == nil {
				err = s.Close()
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if n := number(t, s, "SELECT count(*) FROM migration"); n != now+1 {
		t.Errorf("%d migrations, want %d", n, now+1)
	}
	if found, err := s.Lookup(ctx, []run.Key{answer("a", "x").Call.Key()}); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	migrations = append(migrations, "ALTER TABLE nowhere ADD COLUMN more TEXT") // a step that fails leaves all as it was
	if _, err := Open(ctx, ref); err == nil {
		t.Error("a migration that fails is no error")
	}
	if n := number(t, s, "SELECT count(*) FROM migration"); n != now+1 {
		t.Errorf("%d migrations, want %d", n, now+1)
	}
}

// A schema of each version that was ever released is brought to this one, and then is as a new one.
func TestEveryVersion(t *testing.T) {
	ctx := context.Background()
	const shape = "SELECT string_agg(concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default), " +
		"E'\n' " +
		"ORDER BY table_name, column_name) FROM information_schema.columns WHERE table_schema = current_schema()"
	shapeOf := func(ref string) (text string) {
		s := connected(t, ref)
		defer s.Close()
		if err := s.db.QueryRow(shape).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	fresh := place(t)
	opened(t, fresh).Close()
	for from := 1; from < len(migrations); from++ {
		ref := place(t)
		func() {
			defer func(m []string) { migrations = m }(migrations)
			migrations = migrations[:from]
			s := connected(t, ref)
			defer s.Close()
			if err := s.prepare(ctx, true); err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Exec("INSERT INTO model (identity) VALUES ('kept')"); err != nil {
				t.Fatal(err)
			}
		}()
		s := opened(t, ref)
		defer s.Close()
		if got, want := shapeOf(ref), shapeOf(fresh); got != want {
			t.Errorf("version %d becomes\n%s\nwant\n%s", from, got, want)
		}
		if n := number(t, s, "SELECT count(*) FROM model"); n != 1 {
			t.Errorf("version %d: %d models are kept, want 1", from, n)
		}
	}
}

// A user needs the rights that docs/store.md names, and no other; what lacks says so.
func TestRights(t *testing.T) {
	ctx := context.Background()
	ref := place(t)
	s := opened(t, ref)
	defer s.Close()
	role := fmt.Sprintf("hallmark_test_%d", os.Getpid())
	if _, err := s.db.Exec("CREATE ROLE " + role); err != nil {
		t.Skipf("cannot make a role here: %v", err)
	}
	schema := fmt.Sprintf("%q", s.schema)
	defer do(t, ref, "DROP OWNED BY "+role+"; DROP ROLE "+role)
	as := ref + "&role=" + role
	_, err := Open(ctx, as)
	says(t, err, as, "lacks a right (permission denied for schema ")
	_, err = Open(ctx, as+"&search_path=elsewhere")
	if err == nil || !strings.Contains(err.Error(), "lacks a right (permission denied for ") {
		t.Errorf("a schema that is to be made: %v", err)
	}
	do(t, ref, "GRANT USAGE ON SCHEMA "+schema+" TO "+role+"; GRANT SELECT ON ALL TABLES IN SCHEMA "+schema+" TO "+role)
	reads, err := Read(ctx, as)
	if err != nil {
		t.Fatal(err)
	}
	defer reads.Close()
	if _, err := reads.Check(ctx); err != nil {
		t.Error(err)
	}
	says(t, reads.Add(ctx, []run.Record{answer("a", "x")}), as, "lacks a right (permission denied for table ")
	page, err := os.ReadFile(filepath.FromSlash("../../../../docs/store.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, grants, found := strings.Cut(string(page), "Others need\n\n")
	grants, _, ended := strings.Cut(grants, "\n\n")
	if !found || !ended {
		t.Fatal("docs/store.md names no rights")
	}
	do(t, ref, strings.NewReplacer("hallmark", schema, "NAME", role).Replace(grants))
	if _, err := reads.Lease(ctx, "s", []run.Ask{{Model: "m", InFlight: 1, Want: 1}}); err != nil {
		t.Error(err)
	}
	do(t, ref, "REVOKE INSERT ON pace FROM "+role)
	_, err = reads.Lease(ctx, "s", []run.Ask{{Model: "another", InFlight: 1, Want: 1}})
	says(t, err, as, "lacks a right (permission denied for table pace): its owner can GRANT it, see docs/store.md")
	now := len(migrations)
	func() { // a store that is older is brought to this version by its owner alone
		defer func(m []string) { migrations = m }(migrations)
		migrations = append(append([]string{}, migrations...), "ALTER TABLE run ADD COLUMN more TEXT")
		_, err := Open(ctx, as)
		says(t, err, as, fmt.Sprintf("was written by an older hallmark (store version %d, this one needs %d), and the user ",
			now, now+1))
	}()
	hold := run.Hold{Run: "r", Total: run.Cost{Calls: 1}}
	for _, err := range []error{reads.Add(ctx, []run.Record{answer("a", "x")}), reads.PutRun(ctx, run.Header{ID: "r"}),
		reads.AddUsage(ctx, []run.Usage{{Run: "r", Tries: 1}}), reads.PutHold(ctx, &hold, nil),
		reads.PutHold(ctx, &hold, nil),
		reads.Annotate(ctx, []run.Annotation{{Run: "r", Unit: "u", Rater: "x", Label: json.RawMessage("1")}})} {
		if err != nil {
			t.Error(err)
		}
	}
}

// A full disk, by a tablespace on a file system of eight megabytes: the batch that does not fit is not stored, what
// was stored before is, and there is more once there is space.
func TestFullDisk(t *testing.T) {
	ctx := context.Background()
	s := connected(t, server(t).String())
	defer s.Close()
	var data string
	if err := s.db.QueryRow("SHOW data_directory").Scan(&data); err != nil {
		t.Skipf("cannot see where the server keeps its data: %v", err)
	}
	owner, err := exec.Command("stat", "-c", "%u:%g", data).Output()
	if err != nil {
		t.Skipf("the server is on another machine: %v", err)
	}
	dir, err := os.MkdirTemp("/tmp", "hallmark-full-") // below no folder that the server may not pass
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if os.Chmod(dir, 0o755); exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir).Run() != nil {
		t.Skip("cannot mount a small file system here (wants root on Linux)")
	}
	defer exec.Command("umount", "-l", dir).Run()
	if err := exec.Command("chown", strings.TrimSpace(string(owner)), dir).Run(); err != nil {
		t.Skip(err)
	}
	space := fmt.Sprintf("hallmark_full_%d", os.Getpid())
	do(t, server(t).String(), fmt.Sprintf("CREATE TABLESPACE %s LOCATION '%s'", space, dir))
	defer do(t, server(t).String(), "DROP TABLESPACE "+space)
	t.Run("full", func(t *testing.T) { // its schema is dropped before the space is
		ref := place(t, "default_tablespace", space)
		s := opened(t, ref)
		defer s.Close()
		stored := 0
		batch := func(n int) (rs []run.Record, keys []run.Key) {
			for i := range 50 {
				r := answer(fmt.Sprint(n, "/", i), "x")
				r.Response.Raw = make([]byte, 4000)
				for j := range r.Response.Raw {
					r.Response.Raw[j] = byte(j * (n*50 + i + 1) * 7919 >> 5)
				}
				rs, keys = append(rs, r), append(keys, r.Call.Key())
			}
			return rs, keys
		}
		for ; stored < 200; stored++ {
			rs, _ := batch(stored)
			if err = s.Add(ctx, rs); err != nil {
				break
			}
		}
		says(t, err, ref, "the server's disk is full (could not extend file ")
		if stored == 0 || stored == 200 {
			t.Fatalf("%d batches are stored: the test tests nothing", stored)
		}
		for n := range stored + 1 {
			_, keys := batch(n)
			want := 50
			if n == stored {
				want = 0
			}
			if found, err := s.Lookup(ctx, keys); err != nil || len(found) != want {
				t.Errorf("batch %d of %d: %d of 50 are stored, %v", n, stored, len(found), err)
			}
		}
		if out, err := exec.Command("mount", "-o", "remount,size=32m", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if rs, _ := batch(stored); s.Add(ctx, rs) != nil {
			t.Error("once there is space nothing is stored")
		}
	})
	if out, err := exec.Command("mount", "-o", "remount,size=8m", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Run("run", func(t *testing.T) { testFullRun(t, place(t, "default_tablespace", space), dir) })
}

// testFullRun has a disk fill up under a run with limits and a budget: it ends with one error, what it counts as asked
// is stored, and the same run goes on once there is space.
func testFullRun(t *testing.T, ref, dir string) {
	s := opened(t, ref)
	defer s.Close()
	asks := func() (run.Counts, error) {
		session, spent, err := run.OpenSession(t.Context(), s, "r", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		lease := run.Lease(t.Context(), s, session)
		defer lease.Close()
		defer session.Close()
		return run.Execute(t.Context(), s, map[string]model.Model{"m": long{}}, longCalls(9000), run.Options{Concurrency: 8,
			InFlight: 8, RPM: 1e6, Budget: run.Budget{Calls: 20000}, Spent: spent, Session: session, Admission: lease})
	}
	counts, err := asks()
	says(t, err, ref, "the server's disk is full (")
	stored := 0
	if err := s.db.QueryRow("SELECT count(*) FROM record").Scan(&stored); err != nil || stored != counts.Asked ||
		stored == 0 {
		t.Errorf("%d are stored and %d counted, %v", stored, counts.Asked, err)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=64m", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	again, err := asks()
	if err != nil || again.Reused != stored || again.Asked != 9000-stored {
		t.Errorf("once there is space: %+v, %v; %d were stored", again, err, stored)
	}
}

// A clock that is off is said once, and changes no order: what a rater said last counts.
func TestClock(t *testing.T) {
	ref := place(t)
	defer func(l *slog.Logger) { now = time.Now; slog.SetDefault(l) }(slog.Default())
	var said bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	opened(t, ref).Close()
	if said.Len() != 0 {
		t.Errorf("a clock that is right: %s", &said)
	}
	now = func() time.Time { return time.Now().Add(-time.Hour) }
	s := opened(t, ref)
	defer s.Close()
	if off := time.Since(s.Now()).Abs(); off > time.Minute {
		t.Errorf("the time of the server is %v off where the clock of this machine is", off)
	}
	if n := strings.Count(said.String(), "the clock of this machine and that of the store's server are"); n != 1 {
		t.Errorf("it is said %d times: %s", n, &said)
	}
	first := time.Unix(1e9, 0)
	for i, label := range []string{"1", "2", "3"} {
		if err := s.Annotate(t.Context(), []run.Annotation{{Run: "r", Unit: "u", Rater: "x",
			Label: json.RawMessage(label), At: first.Add(-time.Duration(i) * time.Hour)}}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Annotations(t.Context(), "r")
	if err != nil || len(all) != 3 || string(all[2].Label) != "3" {
		t.Errorf("%v, %v", all, err)
	}
}

// A process that keeps a lock for ever is an error; a commit is on the disk, also where the server is set up
// otherwise.
func TestSession(t *testing.T) {
	defer func(d time.Duration) { lockTimeout = d }(lockTimeout)
	lockTimeout = 300 * time.Millisecond
	ref := place(t, "synchronous_commit", "off")
	s := opened(t, ref)
	defer s.Close()
	var mode string
	if err := s.db.QueryRow("SHOW synchronous_commit").Scan(&mode); err != nil || mode != "on" {
		t.Errorf("synchronous_commit is %s, %v", mode, err)
	}
	tx, err := opened(t, ref).db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec("LOCK TABLE usage"); err != nil {
		t.Fatal(err)
	}
	says(t, s.AddUsage(t.Context(), []run.Usage{{Run: "r", Tries: 1}}), ref,
		"another process has kept the store locked for 300ms")
}

// What connecting takes from a file or the environment, and what is wrong with it, is said without the password.
func TestConnectionStrings(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return "postgres:" + path
	}
	for _, text := range []string{"postgres://me:secret@nowhere.invalid/db",
		"user=me password=secret host=nowhere.invalid dbname=db"} {
		c, err := config(write("good", text+"\n", 0o600))
		if err != nil || c.ConnConfig.Host != "nowhere.invalid" || c.ConnConfig.User != "me" ||
			c.ConnConfig.Password != "secret" || c.ConnConfig.Database != "db" {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
	t.Setenv("PGPASSWORD", "secret")
	t.Setenv("PGHOST", "nowhere.invalid")
	if c, err := config("postgres:///db"); err != nil || c.ConnConfig.Host != "nowhere.invalid" ||
		c.ConnConfig.Password != "secret" {
		t.Errorf("of the environment: %+v, %v", c, err)
	}
	pass := strings.TrimPrefix(write("pass", "nowhere.invalid:*:*:me:of the file\n", 0o600), "postgres:")
	os.Unsetenv("PGPASSWORD")
	t.Setenv("PGPASSFILE", pass)
	if c, err := config("postgres://me@nowhere.invalid/db?sslmode=require"); err != nil ||
		c.ConnConfig.Password != "of the file" ||
		c.ConnConfig.TLSConfig == nil {
		t.Errorf("of PGPASSFILE: %+v, %v", c, err)
	}
	if err := os.Chmod(pass, 0o644); err == nil && runtime.GOOS != "windows" {
		if _, err := config("postgres://me@nowhere.invalid/db"); err == nil ||
			!strings.Contains(err.Error(), "pass: others may read it") {
			t.Errorf("PGPASSFILE that others may read: %v", err)
		}
		os.Chmod(pass, 0o600)
	}
	for ref, want := range map[string]string{
		write("bad", "postgres://me:secret@host:port/db",
			0o600): "is no connection string that can be used: ",
		write("mode", "host=h password=secret sslmode=what",
			0o600): "is no connection string that can be used: ",
		write("ca", "host=h password=secret sslmode=verify-full sslrootcert=/nowhere/ca.pem",
			0o600): "is no connection string that can be used: ",
		"postgres:" + filepath.Join(dir, "missing"):          "no such file",
		"postgres://127.0.0.1:1/db?sslmode=disable":          "no server answers (",
		"postgres://me@nowhere.invalid/db?connect_timeout=2": "no server answers (",
	} {
		_, err := Open(t.Context(), ref)
		says(t, err, ref, want)
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "of the file")) {
			t.Errorf("%s: the error tells the password: %v", ref, err)
		}
	}
	if ref := write("open", "host=h", 0o644); runtime.GOOS != "windows" {
		if _, err := config(ref); err == nil || !strings.Contains(err.Error(), "others may read it") {
			t.Errorf("a file that others may read: %v", err)
		}
	}
}
