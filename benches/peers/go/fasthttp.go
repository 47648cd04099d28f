// fasthttp on two processors.
package main

import (
	"fmt"
	"net"
	"os"
	"runtime"

	"github.com/valyala/fasthttp"
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
	server := &fasthttp.Server{
		Name: "boardd",
		Handler: func(ctx *fasthttp.RequestCtx) {
			ctx.Response.Header.SetContentType("text/plain")
			ctx.Response.SetBody(hello)
		},
	}
	fmt.Fprintln(os.Stderr, server.Serve(listener))
}
