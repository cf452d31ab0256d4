package usage

import (
	"errors"
	"fmt"
	"strings"

	"hallmark/internal/commands/setting"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Remedies makes the library's errors about the flags and arguments of a command and those below it say what would
// be right.
func Remedies(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(flagError)
	accept := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := accept(cmd, args)
		switch {
		case err == nil:
			return nil
		case cmd.HasAvailableSubCommands() && cmd.Annotations[TakesArguments] == "":
			return noCommand(cmd, args[0])
		case len(args) == 0:
			return fmt.Errorf("%s needs arguments; want %s", cmd.CommandPath(), cmd.UseLine())
		}
		return fmt.Errorf("%s takes other arguments than %q; want %s", cmd.CommandPath(), args, cmd.UseLine())
	}
	for _, sub := range cmd.Commands() {
		Remedies(sub)
	}
}

// noCommand says that a group of commands has none of the name, and which it has.
func noCommand(group *cobra.Command, name string) error {
	var names []string
	for _, sub := range group.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			names = append(names, sub.Name())
		}
	}
	return fmt.Errorf("%s has no command %q; did you mean %q? There are %s", group.CommandPath(), name,
		setting.Nearest(name, names), strings.Join(names, ", "))
}

// flagError says what is wrong with a flag and what would be right.
func flagError(cmd *cobra.Command, err error) error {
	// the flag is that of a misspelt command
	if before := cmd.Flags().Args(); cmd.HasAvailableSubCommands() && len(before) > 0 &&
		cmd.Annotations[TakesArguments] == "" {
		return noCommand(cmd, before[0])
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		return fmt.Errorf("%s has no flag --%s; did you mean --%s?", cmd.CommandPath(), unknown.GetSpecifiedName(),
			setting.Nearest(unknown.GetSpecifiedName(), setting.FlagNames(cmd.Flags())))
	}
	return setting.BadValue(err)
}
