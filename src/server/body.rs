//! Bodies that are sent from where they lie.

use std::io::IoSlice;
use std::sync::{Arc, LazyLock};

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
#[derive(Debug, Clone, Default)]
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
}

impl Body {
    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Empty => 0,
            Self::Static(bytes) => bytes.len() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Shared(bytes) => bytes.len() as u64,
            Self::Fill(length) => *length,
        }
    }

    /// Whether there is nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes from `at` on, in as many of `pieces` as it takes; returns how many those are.
    pub(super) fn pieces<'a>(&'a self, at: u64, pieces: &mut [IoSlice<'a>]) -> usize {
        let whole: &[u8] = match self {
            Self::Empty => &[],
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

/// The unsent rest of a large body.
#[derive(Debug)]
pub(super) struct Tail {
    body: Body,
    at: u64,
}

impl Tail {
    pub(super) const fn of(body: Body) -> Self {
        Self { body, at: 0 }
    }

    /// The next pieces to send; returns how many of `pieces` they fill.
    pub(super) fn pieces<'a>(&'a self, pieces: &mut [IoSlice<'a>]) -> usize {
        self.body.pieces(self.at, pieces)
    }

    /// Notes that `count` bytes left; true when none are left to send.
    pub(super) fn advance(&mut self, count: u64) -> bool {
        self.at += count;
        self.at >= self.body.len()
    }
}
