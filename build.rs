//! What the linker is told for boardd.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // The addresses in a position-independent program, of which most are in a row: 22 KiB less. Read by glibc from
        // 2.36 on, Debian 12's; an older linker says that it does not know the word, and leaves them as they were.
        println!("cargo::rustc-link-arg-bin=boardd=-Wl,-z,pack-relative-relocs");
    }
}
