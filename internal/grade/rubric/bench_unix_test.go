//go:build unix

package rubric

import "syscall"

func init() {
	cpuSeconds = func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return 0
		}
		return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
	}
}
