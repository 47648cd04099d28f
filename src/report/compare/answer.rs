//! What the servers answer: whether they do the same work at all.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Server;
use crate::load::ProbeAnswer;

/// `: ` behind the name of a header field, and the line's end.
const AROUND_FIELD: u64 = 4;

/// The answer of a server to the very request of the load, asked before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Bytes of its head.
    pub head_bytes: u64,
    /// Bytes of its content, as sent but without chunk sizes.
    pub body_bytes: u64,
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
    /// What is kept of an answer.
    #[must_use]
    pub fn new(answer: &ProbeAnswer) -> Self {
        let field = |(name, value): &(String, String)| Field {
            name: name.clone(),
            bytes: (name.len() + value.len()) as u64 + AROUND_FIELD,
        };
        Self {
            status: answer.status,
            head_bytes: answer.head_bytes,
            body_bytes: answer.body_bytes,
            wire_bytes: answer.wire_bytes,
            keep_alive: answer.keep_alive,
            content_encoding: answer.field("content-encoding").map(str::to_owned),
            fields: answer.fields.iter().map(field).collect(),
        }
    }
}

/// A server's answers: the one before the rounds, and how long the contents were, under load if there was any.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    name: &'a str,
    answer: &'a Answer,
    lengths: (u64, u64),
}

impl<'a> Seen<'a> {
    /// `None` of a server that did not answer.
    pub(super) fn of(server: &'a Server) -> Option<Self> {
        let answer = server.answer.as_ref()?;
        let lengths = server.typical.body_range.unwrap_or((answer.body_bytes, answer.body_bytes));
        Some(Self { name: &server.name, answer, lengths })
    }

    fn length(&self) -> String {
        match self.lengths {
            (least, most) if least == most => format!("{least} bytes"),
            (least, most) => format!("{least} to {most} bytes"),
        }
    }
}

/// Why the servers may not be comparable, one sentence each.
pub(super) fn warnings(servers: &[Seen<'_>]) -> Vec<String> {
    let Some(first) = servers.first() else { return Vec::new() };
    let differ = |same: &dyn Fn(&Seen<'_>) -> bool| !servers.iter().all(same);
    let each = |tell: &dyn Fn(&Seen<'_>) -> String| {
        servers.iter().map(|seen| format!("{} {}", seen.name, tell(seen))).collect::<Vec<_>>().join(", ")
    };
    let mut warnings = Vec::new();
    if differ(&|seen| seen.answer.status == first.answer.status) {
        let all = each(&|seen| seen.answer.status.to_string());
        warnings.push(format!("the servers answer with different statuses: {all}"));
    } else if first.answer.status > 399 {
        let status = first.answer.status;
        warnings.push(format!("all servers answer with status {status}: is that what was to be compared?"));
    }
    if differ(&|seen| seen.lengths.0 <= first.lengths.1 && first.lengths.0 <= seen.lengths.1) {
        let all = each(&|seen| seen.length());
        warnings
            .push(format!("the contents are of different sizes, so the servers do different work: {all}"));
    } else if differ(&|seen| seen.lengths.0 == seen.lengths.1) {
        warnings.push(format!("the length of the content changes: {}", each(&|seen| seen.length())));
    }
    if differ(&|seen| seen.answer.content_encoding == first.answer.content_encoding) {
        let all = each(&|seen| seen.answer.content_encoding.clone().unwrap_or_else(|| "none".to_owned()));
        warnings.push(format!("the contents are coded differently: {all}"));
    }
    if differ(&|seen| seen.answer.keep_alive == first.answer.keep_alive) {
        let all = each(&|seen| if seen.answer.keep_alive { "keeps it" } else { "closes it" }.to_owned());
        warnings.push(format!("not every server keeps the connection, and connecting costs: {all}"));
    }
    warnings
}

/// Which header fields not every server sends; `None` when all send the same.
pub(super) fn field_differences(servers: &[Seen<'_>]) -> Option<String> {
    // By the name in lower case: the name as the first one writes it, and who sends how many bytes of it.
    let mut senders: BTreeMap<String, (&str, Vec<String>)> = BTreeMap::new();
    for Seen { name: server, answer, .. } in servers {
        let mut own: BTreeMap<String, (&str, u64)> = BTreeMap::new();
        for field in &answer.fields {
            own.entry(field.name.to_ascii_lowercase()).or_insert((&field.name, 0)).1 += field.bytes;
        }
        for (key, (name, bytes)) in own {
            senders.entry(key).or_insert((name, Vec::new())).1.push(format!("{server} {bytes} bytes"));
        }
    }
    let partial = senders.values().filter(|(_, by)| by.len() < servers.len());
    let told: Vec<String> = partial.map(|(name, by)| format!("{name} ({})", by.join(", "))).collect();
    (!told.is_empty()).then(|| format!("header fields that not every server sends: {}", told.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, fields: &[&str]) -> Answer {
        let field = |name: &&str| Field { name: (*name).to_owned(), bytes: 10 };
        Answer { status, keep_alive: true, fields: fields.iter().map(field).collect(), ..Answer::default() }
    }

    #[test]
    fn what_differs_is_said() {
        let plain = answer(200, &[]);
        let coded = Answer { content_encoding: Some("gzip".into()), ..plain.clone() };
        let closing = Answer { keep_alive: false, ..plain.clone() };
        let first = Seen { name: "a", answer: &plain, lengths: (13, 13) };
        let cases: [(Answer, (u64, u64), &[&str]); 7] = [
            (plain.clone(), (13, 13), &[]),
            (answer(404, &[]), (13, 13), &["different statuses: a 200, b 404"]),
            (
                plain.clone(),
                (15, 15),
                &["different sizes, so the servers do different work: a 13 bytes, b 15"],
            ),
            (plain.clone(), (12, 14), &["changes: a 13 bytes, b 12 to 14 bytes"]),
            (answer(500, &[]), (14, 20), &["different statuses", "different sizes"]),
            (coded, (13, 13), &["coded differently: a none, b gzip"]),
            (closing, (13, 13), &["connecting costs: a keeps it, b closes it"]),
        ];
        for (answer, lengths, expected) in cases {
            let found = warnings(&[first, Seen { name: "b", answer: &answer, lengths }]);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.contains(expected), "{found}");
            }
        }
        let missing = answer(404, &[]);
        let missing = Seen { name: "a", answer: &missing, lengths: (9, 9) };
        assert!(warnings(&[missing, missing])[0].contains("all servers answer with status 404"));
        assert!(warnings(&[]).is_empty());
    }

    #[test]
    fn fields_that_some_send_are_named_with_their_bytes() {
        let (one, two) = (answer(200, &["Date", "SERVER", "Via", "Via"]), answer(200, &["date"]));
        let three = answer(200, &["Date", "Server"]);
        let seen = |name: &'static str, answer| Seen { name, answer, lengths: (1, 1) };
        assert_eq!(field_differences(&[seen("a", &two), seen("b", &two)]), None);
        let said = field_differences(&[seen("a", &one), seen("b", &two), seen("c", &three)]);
        let expected =
            "header fields that not every server sends: SERVER (a 10 bytes, c 10 bytes); Via (a 20 bytes)";
        assert_eq!(said.as_deref(), Some(expected));
    }
}
