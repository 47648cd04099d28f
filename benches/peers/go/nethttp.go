// Go's own net/http on two processors.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
)

var hello = []byte("Hello, World!")

func main() {
	runtime.GOMAXPROCS(2)
	listener, err := net.Listen("tcp4", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Println("listening on", listener.Addr())
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "boardd")
		w.Header().Set("Content-Type", "text/plain")
		w.Write(hello)
	})
	fmt.Fprintln(os.Stderr, (&http.Server{Handler: handler}).Serve(listener))
}
