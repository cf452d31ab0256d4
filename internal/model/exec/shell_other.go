//go:build !unix

package exec

import "os/exec"

func shell(command string) *exec.Cmd { return exec.Command("cmd", "/c", command) }

// killGroup ends the process only: there are no process groups to end with it.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
