//! `boardctl report`: the page and the pictures, by their structure and in a real browser.

mod browser;
mod files;
mod odd;
mod sample;
mod structure;

#[test]
#[ignore]
fn make() {
    let dir = std::path::Path::new("/tmp/wt/pics-out");
    std::fs::create_dir_all(dir).unwrap();
    let write = |name: &str, run: &boardkit::report::RunReport| {
        std::fs::write(dir.join(name), serde_json::to_vec_pretty(run).unwrap()).unwrap();
    };
    write("hot.json", &sample::hot(60, 1.0));
    write("slower.json", &sample::unwatched(58, 0.8));
    write("third.json", &sample::hot(45, 0.6));
    write("nothing.json", &sample::nothing());
    write("hostile.json", &sample::hostile());
}
