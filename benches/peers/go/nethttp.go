// Go's own net/http on two processors.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

var hello = []byte("Hello, World!")
var done = []byte("done\n")

// CLOCK_THREAD_CPUTIME_ID, which package syscall has no name for.
const threadCPU = 3

func spent() int64 {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// /work?us=N: uses up so much time of a core, as a handler that computes would.
func work(w http.ResponseWriter, r *http.Request) {
	us, err := strconv.ParseInt(r.URL.Query().Get("us"), 10, 64)
	if err != nil {
		http.Error(w, "us", http.StatusBadRequest)
		return
	}
	// The clock is the thread's, so the goroutine has to stay on it.
	runtime.LockOSThread()
	for end := spent() + us*1000; spent() < end; {
	}
	runtime.UnlockOSThread()
	w.Header().Set("Content-Type", "text/plain")
	w.Write(done)
}

func main() {
	runtime.GOMAXPROCS(2)
	listener, err := net.Listen("tcp4", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Println("listening on", listener.Addr())
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/work" {
			work(w, r)
			return
		}
		w.Header().Set("Server", "boardd")
		w.Header().Set("Content-Type", "text/plain")
		w.Write(hello)
	})
	fmt.Fprintln(os.Stderr, (&http.Server{Handler: handler}).Serve(listener))
}
