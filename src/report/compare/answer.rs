//! What the servers answered before the rounds: whether they do the same work at all.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::ProbeAnswer;

/// `: ` behind the name of a header field, and the line's end.
const AROUND_FIELD: u64 = 4;

/// The answer of a server to the very request of the load, asked a few times before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Bytes of its head.
    pub head_bytes: u64,
    /// Bytes of its content, as sent but without chunk sizes.
    pub body_bytes: u64,
    /// The shortest content and the longest one that came; the same where it does not change.
    pub body_range: (u64, u64),
    /// All bytes of the answer.
    pub wire_bytes: u64,
    /// Whether the server keeps the connection for another request.
    pub keep_alive: bool,
    /// How the content is coded, such as `gzip`; `null` where it is not.
    pub content_encoding: Option<String>,
    /// Header fields in the order they came.
    pub fields: Vec<Field>,
}

/// A header field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Field {
    /// Its name as the server writes it.
    pub name: String,
    /// Bytes of the whole line.
    pub bytes: u64,
}

impl Answer {
    /// The last of a server's answers, with the lengths of all; `None` when there are none.
    #[must_use]
    pub fn of(answers: &[ProbeAnswer]) -> Option<Self> {
        let last = answers.last()?;
        let lengths = || answers.iter().map(|answer| answer.body_bytes);
        let field = |(name, value): &(String, String)| Field {
            name: name.clone(),
            bytes: (name.len() + value.len()) as u64 + AROUND_FIELD,
        };
        Some(Self {
            status: last.status,
            head_bytes: last.head_bytes,
            body_bytes: last.body_bytes,
            body_range: (lengths().min()?, lengths().max()?),
            wire_bytes: last.wire_bytes,
            keep_alive: last.keep_alive,
            content_encoding: last.field("content-encoding").map(str::to_owned),
            fields: last.fields.iter().map(field).collect(),
        })
    }

    fn length(&self) -> String {
        match self.body_range {
            (least, most) if least == most => format!("{least} bytes"),
            (least, most) => format!("{least} to {most} bytes"),
        }
    }
}

/// A server's name and its answer.
pub(super) type Named<'a> = (&'a str, &'a Answer);

/// Why the servers may not be comparable, one sentence each.
pub(super) fn warnings(answers: &[Named<'_>]) -> Vec<String> {
    let mut warnings = Vec::new();
    let each = |tell: &dyn Fn(&Answer) -> String| {
        answers.iter().map(|(name, answer)| format!("{name} {}", tell(answer))).collect::<Vec<_>>().join(", ")
    };
    let Some((_, first)) = answers.first() else { return warnings };
    let differs = |same: &dyn Fn(&Answer) -> bool| !answers.iter().all(|(_, answer)| same(answer));
    let refused: Vec<_> = answers.iter().filter(|(_, answer)| answer.status > 399).collect();
    if differs(&|answer| answer.status == first.status) {
        let all = each(&|answer| answer.status.to_string());
        warnings.push(format!("the servers answer with different statuses: {all}"));
    } else if !refused.is_empty() {
        warnings.push(format!(
            "all servers answer with status {}: is that what was to be compared?",
            first.status
        ));
    }
    let overlaps = |answer: &Answer| {
        answer.body_range.0 <= first.body_range.1 && first.body_range.0 <= answer.body_range.1
    };
    if differs(&overlaps) {
        let all = each(&Answer::length);
        warnings
            .push(format!("the contents are of different sizes, so the servers do different work: {all}"));
    } else if differs(&|answer| answer.body_range.0 == answer.body_range.1) {
        warnings.push(format!("the length of the content changes: {}", each(&Answer::length)));
    }
    if differs(&|answer| answer.content_encoding == first.content_encoding) {
        let all = each(&|answer| answer.content_encoding.clone().unwrap_or_else(|| "none".to_owned()));
        warnings.push(format!("the contents are coded differently: {all}"));
    }
    if differs(&|answer| answer.keep_alive == first.keep_alive) {
        let all = each(&|answer| if answer.keep_alive { "keeps it" } else { "closes" }.to_owned());
        warnings.push(format!("not every server keeps the connection, and connecting costs: {all}"));
    }
    warnings
}

/// Which header fields not every server sends; `None` when all send the same.
pub(super) fn field_differences(answers: &[Named<'_>]) -> Option<String> {
    let mut senders: BTreeMap<String, (&str, Vec<String>)> = BTreeMap::new();
    for (server, answer) in answers {
        let mut own: BTreeMap<String, (&str, u64)> = BTreeMap::new();
        for field in &answer.fields {
            own.entry(field.name.to_ascii_lowercase()).or_insert((&field.name, 0)).1 += field.bytes;
        }
        for (key, (name, bytes)) in own {
            senders.entry(key).or_insert((name, Vec::new())).1.push(format!("{server} {bytes} bytes"));
        }
    }
    let partial = senders.values().filter(|(_, by)| by.len() < answers.len());
    let told: Vec<String> = partial.map(|(name, by)| format!("{name} ({})", by.join(", "))).collect();
    (!told.is_empty()).then(|| format!("header fields that not every server sends: {}", told.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: (u64, u64), fields: &[&str]) -> Answer {
        let field = |name: &&str| Field { name: (*name).to_owned(), bytes: 10 };
        Answer {
            status,
            body_bytes: body.1,
            body_range: body,
            keep_alive: true,
            fields: fields.iter().map(field).collect(),
            ..Answer::default()
        }
    }

    #[test]
    fn what_differs_is_said() {
        let plain = answer(200, (13, 13), &[]);
        let coded = Answer { content_encoding: Some("gzip".into()), ..plain.clone() };
        let closing = Answer { keep_alive: false, ..plain.clone() };
        let cases = [
            (plain.clone(), vec![]),
            (answer(404, (13, 13), &[]), vec!["different statuses: a 200, b 404"]),
            (
                answer(200, (15, 15), &[]),
                vec!["different sizes, so the servers do different work: a 13 bytes, b 15"],
            ),
            (answer(200, (12, 14), &[]), vec!["changes: a 13 bytes, b 12 to 14 bytes"]),
            (answer(500, (14, 20), &[]), vec!["different statuses", "different sizes"]),
            (coded, vec!["coded differently: a none, b gzip"]),
            (closing, vec!["connecting costs: a keeps it, b closes"]),
        ];
        for (other, expected) in cases {
            let found = warnings(&[("a", &plain), ("b", &other)]);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.contains(expected), "{found}");
            }
        }
        let missing = answer(404, (9, 9), &[]);
        assert!(
            warnings(&[("a", &missing), ("b", &missing)])[0].contains("all servers answer with status 404")
        );
        assert!(warnings(&[]).is_empty());
    }

    #[test]
    fn fields_that_some_send_are_named_with_their_bytes() {
        let (one, two) =
            (answer(200, (1, 1), &["Date", "SERVER", "Via", "Via"]), answer(200, (1, 1), &["date"]));
        let three = answer(200, (1, 1), &["Date", "Server"]);
        assert_eq!(field_differences(&[("a", &two), ("b", &two)]), None);
        let said = field_differences(&[("a", &one), ("b", &two), ("c", &three)]);
        let expected =
            "header fields that not every server sends: SERVER (a 10 bytes, c 10 bytes); Via (a 20 bytes)";
        assert_eq!(said.as_deref(), Some(expected));
    }
}
