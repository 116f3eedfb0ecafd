package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestKilledEverywhere kills commands in front of each system call that changes the store, one after the other. Under
// -short it leaves out most of them.
func TestKilledEverywhere(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	k := newKillStore(t, 3000, "-k=3", "-n=5", "--slice-size=64")
	for _, c := range killings {
		t.Run(c.name, func(t *testing.T) {
			for n := 0; ; n += step {
				c.before(k, t)
				call, killed := killAt(t, k.path, n, c.command(k))
				c.look(t, k, killed)
				if !killed {
					t.Logf("killed %d times", n/step)
					return
				}
				if t.Failed() {
					t.Fatalf("killed in front of call %d, %s", n, call)
				}
			}
		})
	}
	k.end(t)
}

// changes are the system calls that change files, by number.
var changes = map[uint64]string{
	unix.SYS_OPENAT:    "openat",
	unix.SYS_MKDIRAT:   "mkdirat",
	unix.SYS_WRITE:     "write",
	unix.SYS_PWRITE64:  "pwrite",
	unix.SYS_FTRUNCATE: "ftruncate",
	unix.SYS_FSYNC:     "fsync",
	unix.SYS_FLOCK:     "flock",
	unix.SYS_RENAMEAT:  "renameat",
	unix.SYS_UNLINKAT:  "unlinkat",
}

// killAt runs a program and kills it in front of the nth change of files below a folder, counted from 0. It returns
// that call, or false where the program ended before.
func killAt(t *testing.T, folder string, n int, args []string) (call string, killed bool) {
	t.Helper()
	// All requests for a traced process come from one thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid := startTraced(t, args)
	for seen := 0; ; {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !status.Stopped() {
			if tid != pid {
				continue // a thread
			}
			if !killed && status.ExitStatus() != 0 {
				t.Fatalf("%q ended with %d", args, status.ExitStatus())
			}
			return call, killed
		}
		signal := status.StopSignal()
		switch {
		case signal == unix.SIGTRAP|0x80: // a system call begins or ends
			if change := changeOf(pid, tid, folder); change != "" {
				if seen++; seen-1 == n {
					call, killed = change, true
					if err := unix.Kill(pid, unix.SIGKILL); err != nil {
						t.Fatal(err)
					}
					continue
				}
			}
			signal = 0
		case signal == unix.SIGTRAP, signal == unix.SIGSTOP: // a thread begins
			signal = 0
		}
		// A thread that was killed meanwhile is not there.
		if err := unix.PtraceSyscall(tid, int(signal)); err != nil && err != unix.ESRCH {
			t.Fatal(err)
		}
	}
}

// startTraced starts a program that stops at its first system call, and all its threads at each.
func startTraced(t *testing.T, args []string) (pid int) {
	t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	process, err := os.StartProcess(path, args, &os.ProcAttr{
		Files: []*os.File{null, null, os.Stderr},
		Sys:   &unix.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		t.Fatalf("a program that is traced: %v", err)
	}
	defer process.Release()
	pid = process.Pid
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, unix.WALL, nil); err != nil || !status.Stopped() {
		t.Fatalf("wait for a program to start: %#x, %v", status, err)
	}
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL); err != nil {
		t.Fatal(err)
	}
	if err := unix.PtraceSyscall(pid, 0); err != nil {
		t.Fatal(err)
	}
	return pid
}

// syscallInfo is the kernel's struct ptrace_syscall_info of a call that begins.
type syscallInfo struct {
	op                 uint8
	_                  [3]uint8
	arch               uint32
	pointer, stack, nr uint64
	args               [6]uint64
	_                  [8]uint64
}

// changeOf returns the call that a stopped thread begins, if it changes files below a folder.
func changeOf(pid, tid int, folder string) string {
	var info syscallInfo
	const entry = 1
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	name := changes[info.nr]
	if errno != 0 || info.op != entry || name == "" {
		return ""
	}
	if info.nr == unix.SYS_OPENAT && info.args[2]&unix.O_CREAT == 0 {
		return ""
	}
	// The first argument is a file, or the folder that a path begins at, or tells that the path is absolute.
	var path string
	if int32(info.args[0]) == unix.AT_FDCWD {
		path = pathAt(tid, uintptr(info.args[1]))
	} else {
		path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(info.args[0])))
	}
	if path != folder && !strings.HasPrefix(path, folder+"/") {
		return ""
	}
	return name + " in " + filepath.Base(path)
}

// pathAt reads the path at an address in a stopped thread's memory.
func pathAt(tid int, address uintptr) string {
	var path []byte
	for word := make([]byte, 8); ; address += 8 {
		if _, err := unix.PtracePeekData(tid, address, word); err != nil {
			return ""
		}
		if text, _, ends := bytes.Cut(word, []byte{0}); ends {
			return string(append(path, text...))
		}
		path = append(path, word...)
	}
}
