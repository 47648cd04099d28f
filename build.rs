//! What the linker is told for boardd.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=boardd.ld");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    // A build for debugging panics by unwinding.
    if is("PROFILE", "release") {
        // Relative: the linker runs in this folder, which may be moved with what was built in it.
        println!("cargo::rustc-link-arg-bin=boardd=-Wl,-T,boardd.ld");
    }
    if is("CARGO_CFG_TARGET_ENV", "gnu") {
        // The addresses in a position-independent program, of which most are in a row: 22 KiB less. Read by glibc from
        // 2.36 on, Debian 12's; an older linker says that it does not know the word, and leaves them as they were.
        println!("cargo::rustc-link-arg-bin=boardd=-Wl,-z,pack-relative-relocs");
    }
}
