package setting

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/within"
	"hallmark/internal/commands/suites"
	"hallmark/internal/model"
	"hallmark/internal/run/store"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/text/secret"
)

// TypedOnly are the flags that only a command line can set: they let a file decide what it may not decide by
// itself, and are worth nothing where the file, or the environment that a tool filled from it, can set them; or they
// say what a user calls a run and asks of it, which is of no file.
var TypedOnly = []string{"allow-exec", "allow-host", "allow-path", "pass-env", "key-cmd", "server-key-cmd",
	"name", "accept", "metrics"}

// A Trust says what a file, such as a plan, may decide: one that came with a folder is a stranger's until somebody
// says otherwise.
type Trust struct {
	Exec, Host, Path bool
	folder           string // of the file, below which it may name others
}

// Of returns the trust in a file: it may name what is below its own folder.
func (t Trust) Of(file string) Trust {
	t.folder = filepath.Dir(file)
	return t
}

// permits returns an error where a plan sets a flag to what it may not decide: a program, a server or the variable
// of a key, a path outside its folder. What kind of value a flag takes is told by the name that its usage gives it:
// REF, FILE, DIR.
func (t *Trust) permits(f *pflag.Flag, value string) error {
	kind, _ := pflag.UnquoteUsage(f)
	switch {
	case slices.Contains(TypedOnly, f.Name):
		return fmt.Errorf("%s counts where it is typed only; take it out, and type --%s", f.Name, f.Name)
	case strings.HasSuffix(f.Name, "key-env"):
		return allow(t.Host, "host", "%s %q names the variable of a key", f.Name, value)
	case strings.HasSuffix(f.Name, "guard-memory"), strings.HasSuffix(f.Name, "guard-index"):
		return fmt.Errorf("%s names answers that are given in place of the model's, which a file may not decide, "+
			"as it may be a stranger's; type --%s %s if you trust it", f.Name, f.Name, value)
	case strings.Contains(f.Usage, "`REF`"):
		return t.PermitsModel(f.Name, value)
	case f.Name == "store" && store.Remote(value): // it would be told the user's password
		return allow(t.Host, "host", "%s %q names a server", f.Name, secret.Shown(value))
	case f.Name == "store":
		return t.permitsPath(f.Name, strings.TrimPrefix(value, "sqlite:"))
	case f.Name == "suite":
		return t.permitsSuite(f.Name, value)
	case strings.Contains(kind, "FILE"), strings.Contains(kind, "DIR"):
		for part := range strings.SplitSeq(value, ",") {
			if err := t.permitsPath(f.Name, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// permitsSuite is permits for a suite: a built-in one, or a file with those that its reference names.
func (t *Trust) permitsSuite(flag, value string) error {
	if slices.Contains(suites.Builtins, value) {
		return nil
	}
	r, _, err := benchmark.ParseReference(value)
	for _, file := range []string{r.Path, r.Pool, r.Instruction, r.Examples, r.Tokenizer} {
		if err == nil && file != "" {
			err = t.permitsPath(flag, file)
		}
	}
	return err
}

// PermitsModel is permits for a model reference. One that cannot be read is the business of whoever reads it.
func (t *Trust) PermitsModel(flag, text string) error {
	_, text = model.Named(text)
	if file, ok := strings.CutPrefix(text, "file:"); ok {
		return t.permitsPath(flag, file)
	}
	ref, err := model.ParseRef(text)
	switch {
	case err != nil:
	case ref.Scheme == model.Exec:
		return allow(t.Exec, "exec", "%s %q runs a program", flag, secret.Shown(text))
	case ref.Scheme == model.HTTP, ref.Scheme == model.OpenAI, ref.Scheme == model.Anthropic:
		return allow(t.Host, "host", "%s %q names a server", flag, text)
	case ref.Scheme == model.HF, ref.Scheme == model.Simulated, ref.Scheme == model.Regression && ref.Name != "":
		return t.permitsFolder(flag, ref.Name)
	}
	return nil
}

// permitsFolder is permitsPath for a folder and for what is in it, as its files may be links. One that is not there is
// the business of whoever reads it.
func (t *Trust) permitsFolder(flag, path string) error {
	if err := t.permitsPath(flag, path); err != nil {
		return err
	}
	return filepath.WalkDir(path, func(file string, _ fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		return t.permitsPath(flag, file)
	})
}

// permitsPath is permits for a file or folder: below the folder of the file that names it, or in .hallmark of the
// working folder, where records and fetched benchmarks are. Links are followed, so that none leads out.
func (t *Trust) permitsPath(flag, path string) error {
	inside, err := within.Folder(t.folder, path)
	if own, _ := within.Folder(".", ".hallmark"); own && !inside && err == nil {
		inside, err = within.Folder(".hallmark", path)
	}
	if err != nil {
		return fmt.Errorf("%s %q: %v", flag, path, err)
	}
	return allow(inside || t.Path, "path", "%s %q is outside the folder of the file that names it", flag, path)
}

// ReportsDir is where reports go that nobody gave another place.
var ReportsDir = filepath.Join(".hallmark", "reports")

// Stays returns an error where a folder of this program's in the working folder is elsewhere by a link, as the
// working folder may be a stranger's.
func Stays(dir string) error {
	if why := within.InTheWay(dir); why != "" {
		return exit.Usagef("%s: remove it, or type a folder with --output", why)
	}
	if in, err := within.Folder(".", dir); err != nil || !in {
		return exit.Usagef("%s leads out of the working folder by a link, which may have come with the folder: "+
			"remove the link, or type a folder with --output", dir)
	}
	return nil
}

// OwnFolder makes a folder of this program's in the working folder.
func OwnFolder(dir string) error {
	if err := Stays(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}

// allow returns what is refused and the flag that allows it, nil where that is typed.
func allow(typed bool, flag, format string, args ...any) error {
	if typed {
		return nil
	}
	return fmt.Errorf(format+
		", which a file may not decide, as it may be a stranger's; type --allow-%s if you trust it",
		append(args, flag)...)
}
