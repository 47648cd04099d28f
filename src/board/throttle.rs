//! The firmware's throttle word, taken apart.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// What its bits mean, from bit 0 on; the same from bit 16 on since boot.
const NAMES: [&str; 4] = ["under_voltage", "capped", "throttled", "soft_limit"];

/// Where the bits since boot begin.
const SINCE_BOOT: u32 = 16;

/// The word in which the firmware of a Raspberry Pi says what slows the processor down: the supply is too low, the clock is
/// capped, throttled, or at the soft limit of heat. Bits 0 to 3 are what is now, 16 to 19 what has been since boot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThrottleWord(pub u32);

impl ThrottleWord {
    /// Reads the word, which is hexadecimal with or without `0x`: `80008`, `0x50005`, and as vcgencmd prints it
    /// `throttled=0x20002`. `None` when it is anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_ascii();
        let text = text.strip_prefix("throttled=").unwrap_or(text);
        let digits = text.strip_prefix("0x").unwrap_or(text);
        // A sign is no digit, though the library takes it.
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| u32::from_str_radix(digits, 16).ok().map(Self)).flatten()
    }

    /// What is now, by name.
    pub fn now(self) -> impl Iterator<Item = &'static str> {
        self.named(0)
    }

    /// What has been since boot, by name.
    pub fn since_boot(self) -> impl Iterator<Item = &'static str> {
        self.named(SINCE_BOOT)
    }

    fn named(self, from: u32) -> impl Iterator<Item = &'static str> {
        (from..).zip(NAMES).filter(move |(bit, _)| self.has(*bit)).map(|(_, name)| name)
    }

    fn has(self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }
}

/// The word as it is written, both lists, and each bit by a name of its own.
impl Serialize for ThrottleWord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ThrottleWord", 11)?;
        fields.serialize_field("raw", &format!("{:#x}", self.0))?;
        fields.serialize_field("now", &self.now().collect::<Vec<_>>())?;
        fields.serialize_field("since_boot", &self.since_boot().collect::<Vec<_>>())?;
        fields.serialize_field("under_voltage", &self.has(0))?;
        fields.serialize_field("capped_now", &self.has(1))?;
        fields.serialize_field("throttled_now", &self.has(2))?;
        fields.serialize_field("soft_limit_now", &self.has(3))?;
        fields.serialize_field("under_voltage_since_boot", &self.has(SINCE_BOOT))?;
        fields.serialize_field("capped_since_boot", &self.has(SINCE_BOOT + 1))?;
        fields.serialize_field("throttled_since_boot", &self.has(SINCE_BOOT + 2))?;
        fields.serialize_field("soft_limit_since_boot", &self.has(SINCE_BOOT + 3))?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_hexadecimal_whoever_prints_it() {
        for (text, word) in [
            ("80008\n", Some(0x8_0008)),
            ("50000", Some(0x5_0000)),
            ("0x50005\n", Some(0x5_0005)),
            ("throttled=0x20002\n", Some(0x2_0002)),
            ("0", Some(0)),
            ("throttled", None),
            ("+1", None),
            ("0x", None),
            ("100000000", None),
            ("", None),
        ] {
            assert_eq!(ThrottleWord::parse(text), word.map(ThrottleWord), "{text:?}");
        }
    }

    #[test]
    fn nothing_wrong_is_not_everything_wrong() {
        let json = |raw| serde_json::to_value(ThrottleWord(raw)).expect("JSON");
        let fine = json(0);
        assert_eq!((&fine["raw"], &fine["now"]), (&"0x0".into(), &serde_json::json!([])));
        let hot = json(0x8_0008);
        assert_eq!((&hot["now"][0], &hot["since_boot"][0]), (&"soft_limit".into(), &"soft_limit".into()));
        let weak = json(0x5_0005);
        assert_eq!(weak["now"], serde_json::json!(["under_voltage", "throttled"]));
        assert_eq!((&weak["under_voltage"], &weak["capped_now"]), (&true.into(), &false.into()));
    }
}
