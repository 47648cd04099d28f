//! The chunked coding for answers whose length is not known when they begin (RFC 9112 §7.1).

/// What ends a chunked body: the chunk of no bytes, and no trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// The interim answer that a client waits for before it sends a body (RFC 9110 §15.2.1).
pub const CONTINUE_LINE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Appends `data` as one chunk. Empty data would end the body and is left out.
pub fn write_chunk(data: &[u8], out: &mut Vec<u8>) {
    if data.is_empty() {
        return;
    }
    let mut started = false;
    for shift in (0..usize::BITS / 4).rev().map(|digit| digit * 4) {
        let digit = data.len() >> shift & 0xf;
        started |= digit != 0;
        if started {
            out.push(b"0123456789abcdef"[digit]);
        }
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{BodyReader, Framing};

    #[test]
    fn what_is_written_is_read_back() {
        for length in [1, 9, 10, 15, 16, 17, 255, 256, 4096, 70_000] {
            let (data, mut wire) = (vec![b'x'; length], Vec::new());
            write_chunk(&data, &mut wire);
            assert!(wire.starts_with(format!("{length:x}\r\n").as_bytes()));
            write_chunk(b"", &mut wire);
            wire.extend_from_slice(LAST_CHUNK);
            let mut reader = BodyReader::new(Framing::Chunked).expect("a body");
            let (mut at, mut content, mut done) = (0, Vec::new(), false);
            while !done {
                let progress = reader.read(&wire[at..]).expect("well formed");
                content.extend_from_slice(&wire[at..][progress.content.0..progress.content.1]);
                at += progress.consumed;
                done = progress.done;
            }
            assert_eq!((content, at), (data, wire.len()));
        }
    }
}
