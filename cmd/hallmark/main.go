// Command hallmark measures how often a language model hallucinates, why, and
// how sure the figure is. docs/cli.md lists its commands, flags and exit codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/lists"
	_ "hallmark/internal/base/openfiles" // ends a process that may open too few
	"hallmark/internal/commands/console"
	"hallmark/internal/commands/setting"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/telemetry"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/commands/usage"
	"hallmark/internal/engine/kernel"
	"hallmark/internal/report"
	"hallmark/internal/text/program"
	"hallmark/internal/text/secret"
)

func main() { os.Exit(hallmark(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// An app is one invocation of the command: its streams and the flags that all commands share.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time

	json     bool
	quiet    bool
	logLevel string
	seed     uint64
	trust    setting.Trust // what files may decide

	resume  bool // --resume was typed: of model train and compress
	keeps   bool // the command has left something that the same command goes on from
	runs    *stored.Runs
	secrets *secret.Redactor
	models  *undertest.Builder
	shown   *telemetry.Telemetry

	detached []map[string]any // the runs of a plan with suites: that were put on the queue

	log     *slog.Logger
	started bool // flags and arguments were accepted: an error from here on is not one of usage by itself
}

// uninterrupted is what takes long and cannot be called off: the first interrupt ends the process.
var uninterrupted = []struct {
	now  func() bool
	with string
}{
	{inputfile.Waiting, "an input was read"},
	{program.Compiling, "a module of the suite was compiled"},
}

// hallmark is the whole command as a function: arguments and streams in, exit code out.
func hallmark(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		stop() // so that a second signal ends the process at once
		for _, busy := range uninterrupted {
			if busy.now() {
				fmt.Fprintln(os.Stderr, "hallmark: interrupted while "+busy.with)
				os.Exit(exit.Interrupted)
			}
		}
	})
	secrets := secret.New()
	printed := console.NewSieve(stdout, secrets)
	stderr = console.NewSieve(stderr, secrets)
	a := &app{stdin: inputfile.Stream{From: stdin}, stdout: printed, stderr: stderr, now: time.Now,
		secrets: secrets}
	secrets.Learn(os.Environ(), args) // before .env is read
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(printed)
	root.SetErr(stderr)
	err := printed.Whole(a.runs.End(root.ExecuteContext(ctx)))
	if err == nil {
		return exit.Done
	}
	e := a.ended(err)
	if e.Err != nil {
		fmt.Fprintf(stderr, "hallmark: %s\n", report.OneLine(e.Err.Error()))
	}
	return e.Code
}

// ended says how the command ended that returned an error.
func (a *app) ended(err error) *exit.Error {
	var e *exit.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled) && (a.keeps || a.runs.Keeps):
		return exit.With(exit.Interrupted, errors.New("interrupted; the same command resumes"))
	case errors.Is(err, context.Canceled):
		return exit.With(exit.Interrupted, errors.New("interrupted; the same command begins anew"))
	case !a.started:
		return exit.With(exit.Mistake, err)
	}
	return exit.With(exit.Failed, err)
}

func (a *app) root() *cobra.Command {
	a.models, a.runs = undertest.NewBuilder(a.now, a.secrets), &stored.Runs{Version: version, Build: build(),
		Program: planner}
	a.models.Damaged = a.runs.Damaged
	root := &cobra.Command{
		Use:           "hallmark",
		Version:       release(),
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
	}
	root.SetVersionTemplate("hallmark {{.Version}}\n")
	usage.Help(root)
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", false, "print one JSON document on stdout and nothing else there")
	f.BoolVar(&a.quiet, "quiet", false, "no progress line and no summary")
	f.StringVar(&a.logLevel, "log-level", "warn", "debug, info, warn or error; messages go to stderr")
	f.Uint64Var(&a.seed, "seed", 1, "seed of every draw: option orders, bootstrap, sampling")
	f.StringVar(&a.runs.Store, "store", "sqlite:"+stored.Default,
		"where records are kept: sqlite:PATH, or postgres://HOST/DATABASE for many machines")
	root.AddCommand(a.runCommand(), a.importCommand(), a.suiteCommand(), a.analyzeCommand(), a.compareCommand(),
		a.reportCommand(), a.showCommand(),
		a.planCommand(), a.modelCommand(), a.dataCommand(), a.schemaCommand(), a.guardCommand(), a.generateCommand(),
		a.annotateCommand(), a.verifyCommand(), a.checkCommand(), a.gradeCommand(), a.rubricCommand(), a.initCommand(),
		a.doctorCommand(), a.workerCommand())
	root.AddCommand(a.controlCommands()...)
	root.SetGlobalNormalizationFunc(setting.Renamed)
	root.Args, root.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	explain(root)
	usage.Remedies(root)
	return root
}

// command makes a command that does something with its arguments; its flags are the caller's to add.
func command(use string, args cobra.PositionalArgs,
	do func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		return do(cmd.Context(), args)
	}}
}

// group makes a command that only holds others, and says which where none of them is named.
func group(use string, subs ...*cobra.Command) *cobra.Command {
	names := lists.Map(subs, (*cobra.Command).Name)
	which, help, them := names[0], use+" "+names[0], "it"
	if last := len(names) - 1; last > 0 {
		which, help, them = strings.Join(names[:last], ", ")+" or "+names[last], use, "them"
	}
	cmd := &cobra.Command{Use: use, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return exit.Usagef("%s what? %s; `hallmark %s --help` shows %s", use, which, help, them)
	}}
	cmd.AddCommand(subs...)
	return cmd
}

// prepare fills flags from the environment and sets up the log. It is the last step that is the user's to fix alone.
func (a *app) prepare(cmd *cobra.Command) error {
	refused, err := setting.LoadDotEnv()
	if err != nil {
		return exit.Usage(err)
	}
	if err := setting.FromEnvironment(cmd.Flags()); err != nil {
		return exit.Usage(err)
	}
	a.runs.Named = cmd.Flags().Changed("store")
	if err := kernel.FromEnvironment(); err != nil {
		return exit.Usage(err)
	}
	if err := a.openLog(); err != nil {
		return exit.Usage(err)
	}
	if len(refused) > 0 {
		a.log.Warn(fmt.Sprintf(".env: %s is not taken from there, as a folder may be a stranger's: only *_API_KEY "+
			"is; give the flag, or set the variable yourself", strings.Join(refused, ", ")))
	}
	a.started = true
	return nil
}

// openLog sets up the log at the level that the flags say.
func (a *app) openLog() error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return fmt.Errorf("--log-level %q: use debug, info, warn or error", a.logLevel)
	}
	a.log = slog.New(slog.NewTextHandler(a.stderr,
		&slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
			if at.Value.Kind() == slog.KindString {
				at.Value = slog.StringValue(report.OneLine(at.Value.String()))
			}
			return at
		}}))
	a.models.Log, a.runs.Log = a.log, a.log
	slog.SetDefault(a.log) // and with it package log, to which net/http writes what servers send unasked
	return nil
}
