//! may_minihttp with two workers. Its Server header is fixed to one letter.

use std::io;
use std::net::TcpListener;

use may_minihttp::{HttpServer, HttpService, Request, Response};

#[derive(Clone)]
struct Hello;

impl HttpService for Hello {
    fn call(&mut self, _: Request<'_, '_, '_>, response: &mut Response<'_>) -> io::Result<()> {
        response.header("Content-Type: text/plain").body("Hello, World!");
        Ok(())
    }
}

fn main() -> io::Result<()> {
    may::config().set_workers(2);
    let mut listen = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".into());
    if listen.ends_with(":0") {
        // It tells nobody which port it got, so a free one is asked for first.
        listen = TcpListener::bind(&listen)?.local_addr()?.to_string();
    }
    let server = HttpServer(Hello).start(&listen)?;
    println!("listening on {listen}");
    let _ = server.join();
    Ok(())
}
