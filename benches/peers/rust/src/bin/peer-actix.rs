//! actix-web 4 with two workers, no logger, and keep-alive without an end.

use std::time::Duration;

use actix_web::http::header::{CONTENT_TYPE, HeaderValue, SERVER};
use actix_web::{App, HttpResponse, HttpServer, web};

async fn hello() -> HttpResponse {
    let mut response = HttpResponse::Ok().body("Hello, World!");
    response
        .headers_mut()
        .insert(SERVER, HeaderValue::from_static("boardd"));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let listen = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".into());
    let server = HttpServer::new(|| App::new().route("/plaintext", web::get().to(hello)))
        .workers(2)
        .backlog(4096)
        .keep_alive(Duration::from_secs(3600))
        .client_request_timeout(Duration::ZERO)
        .bind(listen)?;
    println!("listening on {}", server.addrs()[0]);
    server.run().await
}
