//! Paths: whatever they say, what comes out stays below the root.

use boardkit::http::{decode_path, media_type};

/// Checks all of it; bytes that are no text are none that a target can hold.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut path = b"left over".to_vec();
    let Ok(is_folder) = decode_path(text, &mut path) else {
        assert_eq!(path, b"", "nothing to go on with");
        return;
    };
    assert!(text.starts_with('/') && path.len() < text.len());
    assert!(!path.contains(&0) && !path.contains(&b'\\'));
    if path.is_empty() {
        assert!(is_folder, "the root is a folder");
    } else {
        let fine = |name: &[u8]| !matches!(name, b"" | b"." | b"..");
        assert!(path.split(|&byte| byte == b'/').all(fine), "{:?}", String::from_utf8_lossy(&path));
    }
    // The same by another spelling.
    let names =
        path.split(|&byte| byte == b'/').map(|name| name.iter().map(|byte| format!("%{byte:02X}")).collect());
    let names: Vec<String> = names.collect();
    let again = format!("/{}{}", names.join("/"), if is_folder { "/" } else { "" });
    let mut second = Vec::new();
    assert_eq!(decode_path(&again, &mut second), Ok(is_folder));
    assert_eq!(second, path);
    assert!(media_type(&path).contains('/'));
}
