package postgres

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hallmark/internal/run"
)

// An authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

func newAuthority(t *testing.T, dir, name string) *authority {
	t.Helper()
	a := &authority{dir: dir}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.cert, a.key = a.sign(t, name, template)
	return a
}

// sign writes NAME.crt and NAME.key.
func (a *authority) sign(t *testing.T, name string, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".crt": {Type: "CERTIFICATE", Bytes: der},
		name + ".key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(a.dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// tlsServer starts a Postgres of its own that is reached by TLS alone: the user me with the password secret, and the
// user certified with a certificate. It returns its port and the folder of the certificates.
func tlsServer(t *testing.T) (port int, dir string) {
	t.Helper()
	server(t) // tests on Postgres are wanted
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(bins) == 0 {
		t.Skip("no initdb in /usr/lib/postgresql")
	}
	slices.Sort(bins)
	bin := filepath.Dir(bins[len(bins)-1])
	dir, err := os.MkdirTemp("/tmp", "hallmark-tls-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ca := newAuthority(t, dir, "ca")
	newAuthority(t, dir, "other")
	ca.sign(t, "server", &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{"localhost"},
		Subject: pkix.Name{CommonName: "localhost"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	ca.sign(t, "client", &x509.Certificate{SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: "certified"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	if err := os.WriteFile(filepath.Join(dir, "password"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	script := fmt.Sprintf(`set -e; cd %[1]s
%[2]s/initdb -D %[3]s -A scram-sha-256 --pwfile password -U me -E UTF8 --locale=C.UTF-8 >log
echo 'hostssl all certified 127.0.0.1/32 cert
hostssl all me 127.0.0.1/32 scram-sha-256' >data/pg_hba.conf
%[2]s/pg_ctl -D %[3]s -l log -w start -o "-k %[1]s -p %[4]d -c listen_addresses=127.0.0.1 -c fsync=off -c ssl=on -c ssl_cert_file=%[1]s/server.crt -c ssl_key_file=%[1]s/server.key -c ssl_ca_file=%[1]s/ca.crt"`,
		dir, bin, data, port)
	as := func(script string) error {
		cmd := exec.Command("sh", "-c", script)
		if os.Getuid() == 0 { // which Postgres refuses to run as
			cmd = exec.Command("su", "postgres", "-s", "/bin/sh", "-c", script)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			return fmt.Errorf("%v: %s\n%s", err, out, log)
		}
		return nil
	}
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", "-R", "postgres", dir).CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, out)
		}
	}
	if err := as(script); err != nil {
		t.Skipf("no server with TLS can be started here: %v", err)
	}
	t.Cleanup(func() {
		if err := as(fmt.Sprintf("%s/pg_ctl -D %s -m immediate stop", bin, data)); err != nil {
			t.Error(err)
		}
	})
	mine := fmt.Sprintf("chown -R %d %s/*.crt %s/client.key", os.Getuid(), dir, dir)
	if out, err := exec.Command("sh", "-c", mine).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return port, dir
}

// TLS is as libpq has it: what sslmode promises is kept, with the authority that sslrootcert names, and the password
// comes from PGPASSFILE. What is refused says what to do, and no password.
func TestTLS(t *testing.T) {
	port, dir := tlsServer(t)
	pass := filepath.Join(dir, "pass")
	if err := os.WriteFile(pass, fmt.Appendf(nil, "localhost:%d:*:me:secret\n127.0.0.1:%d:*:me:secret\n", port, port),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PGPASSWORD", "PGHOST", "PGSSLMODE", "PGSSLROOTCERT", "PGSERVICE", "PGPASSFILE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("HOME", dir)
	t.Setenv("PGPASSFILE", pass)
	url := func(user, host, query string) string {
		return fmt.Sprintf("postgres://%s@%s:%d/postgres?connect_timeout=10&%s", user, host, port, query)
	}
	root := "sslrootcert=" + dir + "/ca.crt"
	const untrusted = "the server is not known to be the one that is meant ("
	for _, c := range []struct{ ref, want string }{
		{url("me", "localhost", ""), ""},
		{url("me", "localhost", "sslmode=require"), ""},
		{url("me", "localhost", "sslmode=verify-full&"+root), ""},
		{url("me", "127.0.0.1", "sslmode=verify-ca&"+root), ""},
		{url("me", "127.0.0.1", "sslmode=require"), ""},
		{url("certified", "localhost", "sslmode=verify-full&"+root+"&sslcert="+dir+"/client.crt&sslkey="+dir+"/client.key"),
			"lacks a right (permission denied for schema"},
		{url("me", "localhost", "sslmode=disable"), "the server does not let the user in without TLS ("},
		{url("me", "127.0.0.1", "sslmode=verify-full&"+root), untrusted},
		{url("me", "localhost", "sslmode=verify-full"), untrusted},
		{url("me", "localhost", "sslmode=verify-full&sslrootcert="+dir+"/other.crt"), untrusted},
		{url("me", "127.0.0.1", "sslmode=verify-ca&sslrootcert="+dir+"/other.crt"), untrusted},
		{url("me", "localhost", "sslmode=require&sslrootcert="+dir+"/other.crt"), untrusted}, // as libpq: it is checked then
		{url("certified", "localhost", "sslmode=require"), "the server does not let the user in ("},
		{url("me", "localhost", "sslmode=verify-full&sslrootcert="+dir+"/nowhere.crt"),
			"is no connection string that can be used: "},
	} {
		if strings.HasPrefix(c.want, "lacks") { // somebody who may connect, and no more
			s := opened(t, url("me", "localhost", ""))
			s.db.Exec("CREATE ROLE certified LOGIN")
			s.Close()
		}
		s, err := Open(t.Context(), c.ref)
		if c.want == "" && err == nil {
			var encrypted bool
			if err := s.db.QueryRow("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").Scan(&encrypted); err != nil ||
				!encrypted {
				t.Errorf("%s: not encrypted, %v", c.ref, err)
			}
			if err := s.AddUsage(t.Context(), []run.Usage{{Run: "r", Tries: 1}}); err != nil {
				t.Error(err)
			}
		} else if c.want == "" {
			t.Errorf("%s: %v", c.ref, err)
		} else {
			says(t, err, c.ref, c.want)
		}
		if err == nil {
			s.Close()
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells the password: %v", c.ref, err)
		}
	}
	// the same by the environment, and a password that is wrong
	t.Setenv("PGSSLMODE", "verify-full")
	t.Setenv("PGSSLROOTCERT", dir+"/other.crt")
	_, err := Open(t.Context(), url("me", "localhost", ""))
	says(t, err, url("me", "localhost", ""), untrusted)
	t.Setenv("PGSSLROOTCERT", dir+"/ca.crt")
	opened(t, url("me", "localhost", "")).Close()
	t.Setenv("PGPASSWORD", "a wrong secret")
	_, err = Open(t.Context(), url("me", "localhost", ""))
	says(t, err, url("me", "localhost", ""), "the server does not let the user in (")
	if strings.Contains(err.Error(), "wrong secret") {
		t.Error(err)
	}
}
