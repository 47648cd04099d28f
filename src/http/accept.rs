//! Which content coding a client wants (RFC 9110 §12.5.3).

/// A content coding that a file may lie beside itself in. The order is our preference: the smallest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Coding {
    /// Brotli (RFC 7932), `br`.
    Brotli = 0,
    /// Zstandard (RFC 8878), `zstd`.
    Zstd,
    /// gzip (RFC 1952).
    Gzip,
}

impl Coding {
    /// All of them, the preferred first.
    pub const ALL: [Self; 3] = [Self::Brotli, Self::Zstd, Self::Gzip];

    /// Its name in Content-Encoding.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// What a file's name ends in that holds it, with the dot.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Zstd => ".zst",
            Self::Gzip => ".gz",
        }
    }

    fn from_name(name: &[u8]) -> Option<Self> {
        // `x-gzip` is the same (RFC 9110 §8.4.1.3).
        let name = if name.eq_ignore_ascii_case(b"x-gzip") { b"gzip" } else { name };
        Self::ALL.into_iter().find(|coding| name.eq_ignore_ascii_case(coding.name().as_bytes()))
    }
}

/// A set of codings: those in which something is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CodingSet(u8);

impl CodingSet {
    /// The set with `coding` added.
    #[must_use]
    pub const fn with(self, coding: Coding) -> Self {
        Self(self.0 | 1 << coding as u8)
    }

    /// Whether `coding` is in the set.
    #[must_use]
    pub const fn contains(self, coding: Coding) -> bool {
        self.0 & (1 << coding as u8) != 0
    }
}

/// What the Accept-Encoding headers of one request say; weights in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AcceptEncoding {
    /// In the order of [`Coding::ALL`].
    codings: [Option<u16>; Coding::ALL.len()],
    identity: Option<u16>,
    /// `*`: whatever is not named.
    others: Option<u16>,
}

impl AcceptEncoding {
    /// Looks at the value of one Accept-Encoding header; several count as one list. What does not follow the grammar is
    /// passed over.
    pub fn see(&mut self, value: &[u8]) {
        for member in value.split(|&byte| byte == b',') {
            let mut parts = member.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
            let name = parts.next().unwrap_or_default();
            let Some(weight) = parts.try_fold(1000, |weight, part| weight_of(part, weight)) else { continue };
            if let Some(coding) = Coding::from_name(name) {
                self.codings[coding as usize] = Some(weight);
            } else if name.eq_ignore_ascii_case(b"identity") {
                self.identity = Some(weight);
            } else if name == b"*" {
                self.others = Some(weight);
            }
        }
    }

    /// The coding to send, out of those that are there; `None` for the plain bytes.
    ///
    /// The highest weight wins, our preference among equals, the plain bytes only if they are named with a higher one.
    /// They are also sent when nothing that is there is wanted, as a server may (RFC 9110 §12.5.3).
    #[must_use]
    pub fn choose(&self, available: CodingSet) -> Option<Coding> {
        let mut best = (None, 0);
        for coding in Coding::ALL.into_iter().filter(|coding| available.contains(*coding)) {
            let weight = self.codings[coding as usize].or(self.others).unwrap_or(0);
            if weight > best.1 {
                best = (Some(coding), weight);
            }
        }
        // Unnamed, they are acceptable but no client that names a coding wants them more.
        if self.identity.is_some_and(|plain| plain > best.1) { None } else { best.0 }
    }
}

/// The weight that a parameter sets, or the one so far if it is another parameter; none for a weight that is none.
fn weight_of(parameter: &[u8], so_far: u16) -> Option<u16> {
    match parameter {
        [b'q' | b'Q', b'=', weight @ ..] => thousandths(weight),
        _ => Some(so_far),
    }
}

/// `0` to `1` with up to three digits behind the point (RFC 9110 §12.4.2), in thousandths.
fn thousandths(weight: &[u8]) -> Option<u16> {
    let (whole, digits) = match weight {
        [whole] => (whole, &[][..]),
        [whole, b'.', digits @ ..] if digits.len() <= 3 => (whole, digits),
        _ => return None,
    };
    let mut sum = 0;
    for place in 0..4 {
        let digit = if place == 0 { *whole } else { digits.get(place - 1).copied().unwrap_or(b'0') };
        sum = sum * 10 + u16::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    (sum <= 1000).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::Coding::{Brotli, Gzip, Zstd};
    use super::*;

    fn choose(values: &[&str], available: &[Coding]) -> Option<Coding> {
        let mut accept = AcceptEncoding::default();
        for value in values {
            accept.see(value.as_bytes());
        }
        accept.choose(available.iter().fold(CodingSet::default(), |set, coding| set.with(*coding)))
    }

    #[test]
    fn the_best_of_what_is_there() {
        let cases = [
            ("", None),
            ("gzip, deflate, br, zstd", Some(Brotli)),
            ("gzip, zstd", Some(Zstd)),
            ("gzip", Some(Gzip)),
            ("x-gzip", Some(Gzip)),
            ("GZIP", Some(Gzip)),
            ("deflate", None),
            ("*", Some(Brotli)),
            ("*;q=0.1", Some(Brotli)),
            ("br;q=0, *", Some(Zstd)),
            ("br;q=0, zstd;q=0.0, gzip;q=0.000, *;q=1", None),
            ("gzip;q=0", None),
            ("*;q=0", None),
            ("identity;q=0, *;q=0", None),
            ("br;q=0.5, gzip;q=0.501", Some(Gzip)),
            ("br;q=0.5, gzip;q=0.5", Some(Brotli)),
            ("gzip;q=1.000, br;q=0.999", Some(Gzip)),
            ("identity, gzip;q=0.5", None),
            ("identity;q=0.5, gzip;q=0.5", Some(Gzip)),
            ("identity;q=0.5, gzip;q=0.4", None),
            ("identity;q=0, gzip;q=0.001", Some(Gzip)),
            ("gzip;q=0.001", Some(Gzip)),
            ("gzip ; q=0.2 ,\tbr ;Q=0.1", Some(Gzip)),
            (",,gzip,,", Some(Gzip)),
        ];
        for (value, expected) in cases {
            assert_eq!(choose(&[value], &Coding::ALL), expected, "{value}");
            assert_eq!(choose(&[value], &[]), None, "{value}");
        }
        assert_eq!(choose(&["br, gzip;q=0.1"], &[Gzip]), Some(Gzip));
        assert_eq!(choose(&["br"], &[Gzip, Zstd]), None);
        assert_eq!(choose(&["gzip;q=0.1", "zstd;q=0.2"], &Coding::ALL), Some(Zstd), "two headers");
        assert_eq!(choose(&[], &Coding::ALL), None, "no header: browsers always send one");
    }

    #[test]
    fn a_weight_that_is_none_takes_its_coding_away() {
        for weight in
            ["", "2", "1.001", "-1", "0.1234", ".5", "0,5", "0.5x", "abc", "1.", "00.5", "0.-1", " 1"]
        {
            let expected = if weight == "1." { Some(Gzip) } else { None };
            assert_eq!(choose(&[&format!("gzip;q={weight}")], &[Gzip]), expected, "{weight}");
        }
    }
}
