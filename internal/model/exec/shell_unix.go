//go:build unix

package exec

import (
	"os/exec"
	"syscall"
)

// shell runs the command in a process group of its own, so that what it starts can be ended with it.
func shell(command string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func killGroup(cmd *exec.Cmd) {
	// The group's number is the shell's and stays taken while any member lives, so it can hit no other group unless all
	// members are gone, which is what is wanted.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
