//! The tool that runs on the laptop.
fn main() {}
