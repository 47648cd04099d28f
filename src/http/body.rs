//! Where a request body ends (RFC 9112 §6 and §7), found without keeping any of it.

use super::HttpError;

/// How a message says where its body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// No body.
    Empty,
    /// A body of exactly this many bytes; never 0.
    Length(u64),
    /// A chunked body.
    Chunked,
}

/// What a reader made of the bytes it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes consumed from the input, framing included.
    pub consumed: usize,
    /// Where in the input the next piece of content lies; empty when these bytes held framing only.
    pub content: (usize, usize),
    /// Whether the body ended with the consumed bytes.
    pub done: bool,
}

/// Reads a body piece by piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyReader {
    /// This many bytes are still to come.
    Length(u64),
    /// A chunked body, somewhere inside.
    Chunked(Chunked),
}

impl BodyReader {
    /// A reader for a body of this framing; `None` when there is no body.
    #[must_use]
    pub const fn new(framing: Framing) -> Option<Self> {
        match framing {
            Framing::Empty => None,
            Framing::Length(length) => Some(Self::Length(length)),
            Framing::Chunked => Some(Self::Chunked(Chunked::new())),
        }
    }

    /// Consumes bytes up to the end of the next piece of content, of the body, or of the input.
    ///
    /// # Errors
    /// [`HttpError::Chunk`] when a chunked body breaks its grammar.
    pub fn read(&mut self, input: &[u8]) -> Result<Progress, HttpError> {
        match self {
            Self::Length(left) => {
                let take = usize::try_from(*left).map_or(input.len(), |left| left.min(input.len()));
                *left -= take as u64;
                Ok(Progress { consumed: take, content: (0, take), done: *left == 0 })
            }
            Self::Chunked(chunked) => chunked.read(input),
        }
    }
}

/// Most bytes of chunk extensions and trailers together before the body is refused: they carry nothing that
/// is used here, so they may not cost much either.
const MAX_CHUNK_OVERHEAD_BYTES: u16 = 4 * 1024;

/// Longest run of chunk size digits: sixteen hold any `u64`.
const MAX_SIZE_DIGITS: u8 = 16;

/// A decoder for the chunked coding: at least one hex digit, CRLF only, extensions and trailers bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunked {
    state: ChunkState,
    /// Size being read, then bytes left in the chunk.
    left: u64,
    digits: u8,
    overhead: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChunkState {
    Size,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    /// At the start of a trailer line, or of the empty line that ends the body.
    TrailerStart,
    TrailerName,
    /// Behind the colon.
    Trailer,
    TrailerLf,
    EndLf,
}

impl Default for Chunked {
    fn default() -> Self {
        Self::new()
    }
}

impl Chunked {
    /// A decoder at the start of a body.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: ChunkState::Size, left: 0, digits: 0, overhead: 0 }
    }

    fn read(&mut self, input: &[u8]) -> Result<Progress, HttpError> {
        let mut at = 0;
        while at < input.len() {
            if self.state == ChunkState::Data {
                let rest = input.len() - at;
                let take = usize::try_from(self.left).map_or(rest, |left| left.min(rest));
                self.left -= take as u64;
                if self.left == 0 {
                    self.state = ChunkState::DataCr;
                }
                return Ok(Progress { consumed: at + take, content: (at, at + take), done: false });
            }
            let done = self.step(input[at])?;
            at += 1;
            if done {
                return Ok(Progress { consumed: at, content: (at, at), done: true });
            }
        }
        Ok(Progress { consumed: at, content: (at, at), done: false })
    }

    /// Takes one byte of framing; true when it was the body's last.
    fn step(&mut self, byte: u8) -> Result<bool, HttpError> {
        use ChunkState as S;
        self.state = match (self.state, byte) {
            (S::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                return self.size_digit(byte).map(|()| false);
            }
            (S::Size, b';') if self.digits > 0 => S::Extension,
            (S::Size, b'\r') if self.digits > 0 => S::SizeLf,
            (S::Extension, b'\r') => S::SizeLf,
            (S::Extension, _) => self.overhead_byte(byte, S::Extension)?,
            (S::SizeLf, b'\n') if self.left == 0 => S::TrailerStart,
            (S::SizeLf, b'\n') => S::Data,
            (S::DataCr, b'\r') => S::DataLf,
            (S::DataLf, b'\n') => {
                self.digits = 0;
                S::Size
            }
            (S::TrailerStart, b'\r') => S::EndLf,
            (S::Trailer, b'\r') => S::TrailerLf,
            (S::Trailer, _) => self.overhead_byte(byte, S::Trailer)?,
            // Trailers are dropped, but not unseen: a request that follows a body without its last line end would pass for
            // some.
            (S::TrailerName, b':') => self.overhead_byte(byte, S::Trailer)?,
            (S::TrailerStart | S::TrailerName, _) if is_token(byte) => {
                self.overhead_byte(byte, S::TrailerName)?
            }
            (S::TrailerLf, b'\n') => S::TrailerStart,
            (S::EndLf, b'\n') => return Ok(true),
            _ => return Err(HttpError::Chunk),
        };
        Ok(false)
    }

    fn size_digit(&mut self, byte: u8) -> Result<(), HttpError> {
        let digit = char::from(byte).to_digit(16).map(u64::from).ok_or(HttpError::Chunk)?;
        self.digits += 1;
        // `left` is 0 when a size begins: the chunk before it was read to its end.
        self.left = self.left << 4 | digit;
        if self.digits > MAX_SIZE_DIGITS { Err(HttpError::Chunk) } else { Ok(()) }
    }

    /// Counts a byte of an extension or trailer; controls never belong there (a bare LF least of all).
    fn overhead_byte(&mut self, byte: u8, next: ChunkState) -> Result<ChunkState, HttpError> {
        self.overhead += 1;
        let control = byte < b' ' && byte != b'\t' || byte == 0x7f;
        if control || self.overhead > MAX_CHUNK_OVERHEAD_BYTES { Err(HttpError::Chunk) } else { Ok(next) }
    }
}

/// Whether the byte may stand in a field's name (RFC 9110 §5.6.2).
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
