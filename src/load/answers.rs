//! What the answers were made of.

use super::head::Answer;

/// Sizes of the answers of finished requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerCounts {
    /// Bytes of all content, without the chunks around it.
    pub body_bytes: u64,
    /// Content of the shortest and of the longest answer in bytes; `None` when there is no answer.
    pub body_range: Option<(u64, u64)>,
    /// Answers whose content had another length than that of the first answer of the run; the warm-up is a part of it.
    pub other_length: u64,
    /// Answers after which the server kept the connection.
    pub kept: u64,
}

impl AnswerCounts {
    /// Counts one answer of a run whose first one had so much content.
    #[inline]
    pub(super) fn count(&mut self, answer: &Answer, first_body: u64) {
        self.other_length += u64::from(answer.body_bytes != first_body);
        self.body_bytes += answer.body_bytes;
        self.kept += u64::from(answer.keep_alive);
        self.widen((answer.body_bytes, answer.body_bytes));
    }

    #[inline]
    fn widen(&mut self, (least, most): (u64, u64)) {
        let (shortest, longest) = self.body_range.unwrap_or((least, most));
        self.body_range = Some((shortest.min(least), longest.max(most)));
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.body_bytes += other.body_bytes;
        self.other_length += other.other_length;
        self.kept += other.kept;
        if let Some(range) = other.body_range {
            self.widen(range);
        }
    }
}
