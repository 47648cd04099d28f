//! A server of one's own: the board's temperature as JSON.
//!
//! `cargo run --release --example thermometer -- serve --listen 127.0.0.1:8080`, then
//! `curl http://127.0.0.1:8080/temperature`. It has boardd's flags, its end, its limits and its speed.

use std::process::ExitCode;

use boardkit::server::{Failure, Response, Routes, blocking};
use serde::Serialize;

/// Where the kernel has the temperature of the first sensor, in thousandths of a degree Celsius.
const SENSOR: &str = "/sys/class/thermal/thermal_zone0/temp";

#[derive(Serialize)]
struct Reading {
    millicelsius: i32,
}

fn main() -> ExitCode {
    let routes = Routes::new().get_async("/temperature", |_| async {
        // A sensor takes its time: not on the worker.
        let text = blocking(|| std::fs::read_to_string(SENSOR)).await??;
        let millicelsius = text.trim().parse().map_err(std::io::Error::other)?;
        Ok::<_, Failure>(Response::json(&Reading { millicelsius }))
    });
    boardkit::daemon::main("thermometer", routes)
}
