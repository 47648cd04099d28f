//! How messages look, and which are shown.

use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::str::FromStr;

use crate::server::Level;

/// The form of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `name: message`, with the program's name.
    Plain,
    /// `<level>message`, as journald takes the level from a line (sd-daemon(3)); it adds name and time itself.
    Journal,
}

impl Style {
    /// Journal when the error output goes to journald, by what systemd leaves in `JOURNAL_STREAM` (systemd.exec(5)): device
    /// and inode of that stream. Inherited by a program whose output was led elsewhere, it does not fit.
    #[must_use]
    pub fn detect() -> Self {
        let error_output = std::io::stderr().as_fd().try_clone_to_owned().map(std::fs::File::from);
        let stream = std::env::var("JOURNAL_STREAM").unwrap_or_default();
        let metadata = error_output.and_then(|file| file.metadata());
        match metadata {
            Ok(found) if stream == format!("{}:{}", found.dev(), found.ino()) => Self::Journal,
            _ => Self::Plain,
        }
    }

    /// Appends one line. Bytes that could begin another, or command a terminal, become `?`.
    pub(super) fn line(self, level: Level, subject: &str, text: &str, to: &mut Vec<u8>) {
        match self {
            Self::Plain => {
                to.extend_from_slice(super::name().as_bytes());
                to.extend_from_slice(b": ");
            }
            Self::Journal => to.extend_from_slice(&[b'<', b'0' + level as u8, b'>']),
        }
        let separator = if subject.is_empty() { "" } else { ": " };
        for part in [subject, separator, text] {
            let from = to.len();
            to.extend_from_slice(part.as_bytes());
            for byte in &mut to[from..] {
                // Those of UTF-8 beyond ASCII are not control bytes.
                if byte.is_ascii_control() {
                    *byte = b'?';
                }
            }
        }
        to.push(b'\n');
    }
}

impl FromStr for Style {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "plain" => Ok(Self::Plain),
            "journal" => Ok(Self::Journal),
            _ => Err(()),
        }
    }
}

/// The least grave level that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLevel(pub Level);

impl Default for LogLevel {
    fn default() -> Self {
        Self(Level::Info)
    }
}

impl FromStr for LogLevel {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(Self(match text {
            "err" => Level::Error,
            "warning" => Level::Warning,
            "notice" => Level::Notice,
            "info" => Level::Info,
            "debug" => Level::Debug,
            _ => return Err(()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_form_that_was_asked_for_and_are_one_line() {
        let cases = [
            (Style::Plain, Level::Error, "", "gone", "boardd: gone\n"),
            (Style::Plain, Level::Info, "access log", "full", "boardd: access log: full\n"),
            (Style::Journal, Level::Error, "", "gone", "<3>gone\n"),
            (Style::Journal, Level::Debug, "a", "b", "<7>a: b\n"),
            (Style::Journal, Level::Notice, "", "a\n<0>b\x1b[2J", "<5>a?<0>b?[2J\n"),
        ];
        for (style, level, subject, text, expected) in cases {
            let mut line = Vec::new();
            style.line(level, subject, text, &mut line);
            assert_eq!(String::from_utf8(line).expect("text"), expected);
        }
    }
}
