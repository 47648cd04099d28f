//! Where the lines of a head end, told from the parts that httparse found: nothing is searched again.

/// Most bytes of empty lines before a request line: eight lines. RFC 9112 §2.2 asks for at least one to be skipped; old
/// clients send one after a body.
pub(super) const MAX_BLANK_BYTES: usize = 8 * b"\r\n".len();

/// Where in `bytes` `part` begins, which is a slice of them.
#[inline(always)] // One subtraction, once for each field of each request.
pub(super) fn offset(bytes: &[u8], part: &str) -> usize {
    part.as_ptr().addr().wrapping_sub(bytes.as_ptr().addr())
}

/// How many line end bytes, whole or broken, `bytes` begin with.
pub(super) fn begins_blank(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

/// Whether `bytes` are nothing but empty lines, the last one perhaps unfinished: no request has begun with them, as none
/// has with no bytes at all.
///
/// Some clients send an empty line behind a body (RFC 9112 §2.2), and then nothing for as long as they like. The lines
/// count in the length of the head that follows: they are kept for [`parse_head`](super::parse_head) or dropped in whole
/// lines of two bytes.
#[must_use]
pub fn is_blank(bytes: &[u8]) -> bool {
    bytes.chunks(2).all(|line| b"\r\n".starts_with(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_is_carriage_return_line_feed_as_often_as_it_comes() {
        for blank in ["", "\r", "\r\n", "\r\n\r", "\r\n\r\n"] {
            assert!(is_blank(blank.as_bytes()), "{blank:?}");
        }
        for begun in ["\n", "\r\r", "\r\n\n", "G", "\r\nG", "\r\n\rG", " "] {
            assert!(!is_blank(begun.as_bytes()), "{begun:?}");
        }
    }
}
