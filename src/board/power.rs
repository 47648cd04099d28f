//! What the firmware of a Raspberry Pi says of heat and supply.

use super::{SysRoot, ThrottleWord};

const PLATFORM_DIR: &str = "sys/devices/platform";
const HWMON_DIR: &str = "sys/class/hwmon";

/// What `vcgencmd get_throttled` printed, in a recorded board.
const RECORDED: &str = "vcgencmd_get_throttled.txt";

/// Where this board says it; found once, since hwmon's numbers change only from boot to boot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Firmware {
    word: Option<String>,
    alarm: Option<String>,
}

impl Firmware {
    /// Looks for the throttle word and for the sensor of the supply; a board that is no Raspberry Pi has neither.
    #[must_use]
    pub fn find(root: &SysRoot) -> Self {
        // `soc/soc:firmware` up to the Pi 4, with an address in both names on the Pi 5.
        let socs = root.names(PLATFORM_DIR).into_iter().filter(|name| name.starts_with("soc"));
        let folders = socs.map(|soc| format!("{PLATFORM_DIR}/{soc}")).flat_map(|dir| {
            let below = root.names(&dir).into_iter().filter(|name| name.ends_with(":firmware"));
            below.map(move |name| format!("{dir}/{name}")).collect::<Vec<_>>()
        });
        let with_word = |dir: &String| root.names(dir).iter().any(|name| name == "get_throttled");
        let sensors = root.numbered(HWMON_DIR, "hwmon");
        let mut sensors = sensors.iter().map(|n| format!("{HWMON_DIR}/hwmon{n}"));
        let is_supply = |dir: &String| root.text(&format!("{dir}/name")).as_deref() == Some("rpi_volt");
        Self {
            word: folders.into_iter().find(with_word).map(|dir| format!("{dir}/get_throttled")),
            alarm: sensors.find(is_supply).map(|dir| format!("{dir}/in0_lcrit_alarm")),
        }
    }

    /// The throttle word. Cheap: the kernel asks the firmware every two seconds and keeps the answer. Kernels 4.19 to 6.12 log
    /// one warning at the first reading, and later ones don't have it. Source: get_throttled of the firmware's device.
    #[must_use]
    pub fn throttle_word(&self, root: &SysRoot) -> Option<ThrottleWord> {
        ThrottleWord::parse(&root.text(self.word.as_ref()?)?)
    }

    /// The throttle word and the file that said it. Of a recorded board also what vcgencmd said when it was recorded, which
    /// is the surer of the two: the kernel's file may say 0 while the firmware says otherwise.
    #[must_use]
    pub(crate) fn throttle(&self, root: &SysRoot) -> Option<(ThrottleWord, String)> {
        let said =
            root.text(RECORDED).filter(|_| !root.is_live()).and_then(|text| ThrottleWord::parse(&text));
        if let Some(word) = said {
            return Some((word, "vcgencmd".to_owned()));
        }
        Some((self.throttle_word(root)?, format!("/{}", self.word.as_ref()?)))
    }

    /// Whether the supply was too low within the last two seconds, the rate at which the kernel asks the firmware. Source:
    /// in0_lcrit_alarm of the sensor rpi_volt.
    #[must_use]
    pub fn under_voltage(&self, root: &SysRoot) -> Option<bool> {
        match root.text(self.alarm.as_ref()?)?.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn a_newer_board_has_addresses_in_the_names() {
        let path = "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled";
        let tree = Tree::new(&[(path, b"2\n"), ("sys/devices/platform/soc/other:firmware/x", b"")]);
        assert_eq!(Firmware::find(&tree.root()).throttle_word(&tree.root()), Some(ThrottleWord(2)));
    }

    #[test]
    fn the_supply_is_told_by_the_sensor_of_that_name() {
        for (text, low) in [("1\n", Some(true)), ("0\n", Some(false)), ("x", None)] {
            let tree = Tree::new(&[
                ("sys/class/hwmon/hwmon0/name", b"cpu_thermal\n"),
                ("sys/class/hwmon/hwmon0/in0_lcrit_alarm", b"0\n"),
                ("sys/class/hwmon/hwmon3/name", b"rpi_volt\n"),
                ("sys/class/hwmon/hwmon3/in0_lcrit_alarm", text.as_bytes()),
            ]);
            assert_eq!(Firmware::find(&tree.root()).under_voltage(&tree.root()), low, "{text:?}");
        }
        let bare = Tree::new(&[]);
        let firmware = Firmware::find(&bare.root());
        assert_eq!(
            (firmware.throttle_word(&bare.root()), firmware.under_voltage(&bare.root())),
            (None, None)
        );
    }
}
