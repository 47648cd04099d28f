//! The chunked transfer coding, decoded as it arrives; the data itself is only counted.
//!
//! ```text
//! chunked-body = *chunk last-chunk trailer-section CRLF          (RFC 9112, 7.1)
//! chunk        = chunk-size [ chunk-ext ] CRLF chunk-data CRLF
//! last-chunk   = 1*("0") [ chunk-ext ] CRLF
//! ```

use super::response::ResponseError;

/// Hex digits of a chunk size that still fit into 64 bits.
const MAX_SIZE_DIGITS: u8 = 16;
/// Extensions and trailers together; a server that sends more than this without end is broken.
const MAX_OVERHEAD: u32 = 64 * 1024;

/// A decoder in the middle of a chunked body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunks {
    state: State,
    overhead: u32,
    /// Bytes of data so far, without sizes, line ends and trailers.
    data: u64,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// In the hex digits of a size.
    Size { value: u64, digits: u8 },
    /// Behind the digits, up to the end of the line.
    SizeLine { value: u64 },
    /// In the data; so many bytes are left.
    Data(u64),
    /// At the line end behind the data.
    DataEnd,
    /// In the trailer section; whether the current line is empty so far.
    Trailers { empty: bool },
}

impl Chunks {
    pub(super) fn new() -> Self {
        Self { state: State::Size { value: 0, digits: 0 }, overhead: 0, data: 0 }
    }

    /// Bytes of data so far.
    pub(super) fn data(&self) -> u64 {
        self.data
    }

    /// Takes what it can of `bytes`: how many were used, and whether the body ended with the last of them.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(usize, bool), ResponseError> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if let State::Data(left) = self.state {
                let rest = bytes.len() - at;
                let take = usize::try_from(left).map_or(rest, |left| left.min(rest));
                at += take;
                self.data += take as u64;
                let left = left - take as u64;
                self.state = if left == 0 { State::DataEnd } else { State::Data(left) };
                continue;
            }
            at += 1;
            if self.line_byte(byte)? {
                return Ok((at, true));
            }
        }
        Ok((at, false))
    }

    /// One byte outside the data; `true` when it ends the body.
    fn line_byte(&mut self, byte: u8) -> Result<bool, ResponseError> {
        self.state = match (self.state, byte) {
            (State::Size { value, digits: 1.. } | State::SizeLine { value }, b'\n') => {
                if value == 0 {
                    State::Trailers { empty: true }
                } else {
                    State::Data(value)
                }
            }
            (State::Size { value, digits: 1.. }, b'\r' | b';' | b' ' | b'\t') => State::SizeLine { value },
            (State::Size { value, digits }, _) => {
                let digit = char::from(byte).to_digit(16).ok_or(ResponseError::Chunk)?;
                if digits == MAX_SIZE_DIGITS {
                    return Err(ResponseError::Chunk);
                }
                State::Size { value: value << 4 | u64::from(digit), digits: digits + 1 }
            }
            (State::DataEnd, b'\r') => State::DataEnd,
            (State::DataEnd, b'\n') => State::Size { value: 0, digits: 0 },
            (State::DataEnd, _) => return Err(ResponseError::Chunk),
            (State::Trailers { empty: true }, b'\n') => return Ok(true),
            (State::Trailers { .. }, b'\n') => State::Trailers { empty: true },
            (State::Trailers { empty }, b'\r') => State::Trailers { empty },
            (State::Trailers { .. }, _) => self.spend(State::Trailers { empty: false })?,
            (state @ (State::SizeLine { .. } | State::Data(_)), _) => self.spend(state)?,
        };
        Ok(false)
    }

    fn spend(&mut self, next: State) -> Result<State, ResponseError> {
        self.overhead += 1;
        if self.overhead > MAX_OVERHEAD { Err(ResponseError::Chunk) } else { Ok(next) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `body` in pieces of `step` bytes: how many bytes were used, if it ended.
    fn decode(body: &[u8], step: usize) -> Result<Option<usize>, ResponseError> {
        let mut chunks = Chunks::new();
        let mut used = 0;
        for piece in body.chunks(step) {
            let (n, done) = chunks.feed(piece)?;
            used += n;
            if done {
                return Ok(Some(used));
            }
        }
        Ok(None)
    }

    #[test]
    fn ends_behind_the_trailers_however_it_is_cut() {
        for body in [
            "5\r\nhello\r\n0\r\n\r\n",
            "5;name=\"v\"\r\nhello\r\n000\r\nX-Sum: 1\r\nY: 2\r\n\r\n",
            "5\nhello\n0\nX: 1\n\n",
            "a \r\n0123456789\r\n0\r\n\r\n",
        ] {
            let glued = format!("{body}HTTP/1.1 200");
            for step in 1..glued.len() {
                assert_eq!(decode(glued.as_bytes(), step), Ok(Some(body.len())), "{body:?} by {step}");
            }
        }
    }

    #[test]
    fn broken_sizes_are_errors() {
        for body in ["\r\n", "xyz\r\n", "5\r\nhelloXX", "11112222333344445\r\n", "-1\r\n"] {
            assert_eq!(decode(body.as_bytes(), 3), Err(ResponseError::Chunk), "{body:?}");
        }
    }

    #[test]
    fn endless_trailers_are_an_error() {
        let body = format!("0\r\nX: {}", "y".repeat(MAX_OVERHEAD as usize));
        assert_eq!(decode(body.as_bytes(), 4096), Err(ResponseError::Chunk));
    }
}
