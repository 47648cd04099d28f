//! Ranges, and the conditions and codings that come with them: nothing beyond the length, nothing that is not there.

use boardkit::http::{AcceptEncoding, ByteRange, Coding, CodingSet, ConditionOutcome, Conditions, Method};

const ETAG: &str = "\"1a2b\"";
const MODIFIED: u64 = 784_111_777;

/// Checks all of it: eight bytes of length, then header lines; the value of the first is also taken as a Range alone.
pub fn check(bytes: &[u8]) {
    let Some((length, lines)) = bytes.split_first_chunk() else { return };
    let length = u64::from_le_bytes(*length);
    let value = lines.split(|&byte| byte == b'\n').next().unwrap_or_default();
    check_range(ByteRange::of(value, length), length);
    check_range(ByteRange::of(&[b"bytes=", value].concat(), length), length);

    let mut conditions = Conditions::new(ETAG, Some(MODIFIED));
    let mut accept = AcceptEncoding::default();
    for line in lines.split(|&byte| byte == b'\n') {
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let Ok(name) = std::str::from_utf8(name) else { continue };
        conditions.see(name, value);
        accept.see(value);
    }
    for method in Method::ROUTABLE {
        let reads = matches!(method, Method::Get | Method::Head);
        assert!(reads || conditions.outcome(method) != ConditionOutcome::NotModified);
        let range = conditions.range(method, length);
        check_range(range, length);
        assert!(method == Method::Get || range == ByteRange::Whole);
    }
    for available in 0..8_u8 {
        let there = Coding::ALL.into_iter().filter(|coding| available & 1 << *coding as u8 != 0);
        let there = there.fold(CodingSet::default(), CodingSet::with);
        assert!(accept.choose(there).is_none_or(|coding| there.contains(coding)));
    }
}

fn check_range(range: ByteRange, length: u64) {
    if let ByteRange::Part { first, last } = range {
        assert!(first <= last && last < length, "{first} to {last} of {length}");
    }
}
