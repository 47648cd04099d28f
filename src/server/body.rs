//! Bodies that are sent from where they lie.

use std::io::IoSlice;
use std::sync::{Arc, LazyLock};

use super::file::FilePart;
use super::flow::PieceStream;
use super::response::Pieces;

/// Length of the block that [`Body::Fill`] repeats: long enough to fill a socket buffer in few pieces, and small beside the 3 MiB of the
/// whole server.
const FILL_BLOCK_BYTES: usize = 64 * 1024;

/// Pieces of a body handed to the kernel at once: 1 MiB of fill blocks, more than any socket buffer takes.
pub(super) const MAX_PIECES: usize = 16;

/// The block: lines of 64 bytes, so that a person who looks at it sees where they are.
pub(super) static FILL_BLOCK: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let line = b"0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ\n";
    line.iter().copied().cycle().take(FILL_BLOCK_BYTES).collect()
});

/// The body of a [`Response`](super::Response).
#[derive(Debug, Default)]
pub enum Body {
    /// None.
    #[default]
    Empty,
    /// Bytes that live as long as the program.
    Static(&'static [u8]),
    /// Bytes of its own.
    Bytes(Vec<u8>),
    /// Bytes shared with other answers.
    Shared(Arc<[u8]>),
    /// This many bytes of filler from one shared block.
    Fill(u64),
    /// Part of an open file, sent by the kernel itself.
    File(FilePart),
    /// Pieces that are made one by one; only [`Response::stream`](super::Response::stream) makes these, and only a handler
    /// that awaits can answer with them.
    Pieces(Pieces),
}

impl Body {
    /// Length in bytes; `None` when only the end will tell.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        Some(match self {
            Self::Empty => 0,
            Self::Static(bytes) => bytes.len() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Shared(bytes) => bytes.len() as u64,
            Self::Fill(length) => *length,
            Self::File(part) => part.length(),
            Self::Pieces(_) => return None,
        })
    }

    /// Takes the pieces out, if that is what it is made of.
    pub(super) fn take_pieces(&mut self) -> Option<PieceStream> {
        match std::mem::take(self) {
            Self::Pieces(Pieces(pieces)) => Some(pieces),
            other => {
                *self = other;
                None
            }
        }
    }

    /// The bytes from `at` on, in as many of `pieces` as it takes; returns how many those are. None of a file, which is
    /// not in this program's memory.
    pub(super) fn pieces<'a>(&'a self, at: u64, pieces: &mut [IoSlice<'a>]) -> usize {
        let whole: &[u8] = match self {
            Self::Empty | Self::File(_) | Self::Pieces(_) => return 0,
            Self::Static(bytes) => bytes,
            Self::Bytes(bytes) => bytes,
            Self::Shared(bytes) => bytes,
            Self::Fill(length) => return fill_pieces(at, *length, pieces),
        };
        let at = usize::try_from(at).map_or(whole.len(), |at| at.min(whole.len()));
        pieces[0] = IoSlice::new(&whole[at..]);
        1
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Bytes(text.into_bytes())
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Self::Static(text.as_bytes())
    }
}

impl From<Arc<[u8]>> for Body {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Shared(bytes)
    }
}

/// Blocks that together make bytes `at..length` of the filler, starting where the last answer left off.
fn fill_pieces(mut at: u64, length: u64, pieces: &mut [IoSlice<'_>]) -> usize {
    let block: &'static [u8] = &FILL_BLOCK;
    let mut count = 0;
    for piece in pieces {
        let from = usize::try_from(at % FILL_BLOCK_BYTES as u64).unwrap_or(0);
        let left = usize::try_from(length.saturating_sub(at)).unwrap_or(usize::MAX);
        let take = left.min(FILL_BLOCK_BYTES - from);
        if take == 0 {
            break;
        }
        *piece = IoSlice::new(&block[from..from + take]);
        at += take as u64;
        count += 1;
    }
    count
}
