//! Temperatures: which zone is the processor's, what it reads, and where the kernel starts to act.

use super::SysRoot;
use serde::Serialize;

const ZONES_DIR: &str = "sys/class/thermal";
const HWMON_DIR: &str = "sys/class/hwmon";

/// Below this a reading is in whole degrees (old Allwinner kernels), from here on in thousandths: no board runs at 200 °C,
/// and none that is on is within 0.2 °C of freezing.
const DEGREES_BELOW: i64 = 200;

/// What a board's processor can read, in thousandths of a degree: the ratings end at -40 and 125 °C. Anything else is a
/// sensor that failed.
const PLAUSIBLE_MILLICELSIUS: std::ops::RangeInclusive<i64> = -40_000..=150_000;

/// Parts of a zone's type that mean the processor, after `_` became `-`.
const CPU_WORDS: [&str; 5] = ["cpu", "core", "soc", "package", "pkg"];
/// Processor zones and sensors whose names do not say so: Allwinner's vendor kernels, ARM's SCPI firmware, NXP, AMD.
const CPU_NAMES: [&str; 4] = ["sunxi-therm-1", "scpi-sensors", "imx-thermal-zone", "k10temp"];
/// Parts of a zone's type that mean another chip, whatever else the type says.
const OTHER_WORDS: [&str; 5] = ["gpu", "npu", "battery", "nvme", "rtc"];

/// The unit in which a sensor reports. It is decided by the first reading that makes sense, and kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    Degrees,
    Millidegrees,
}

/// What the kernel does at a trip point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TripKind {
    /// Lowers the clock.
    Passive,
    /// Starts a fan: no loss of speed.
    Active,
    /// Warns drivers.
    Hot,
    /// Shuts the board down.
    Critical,
}

/// A temperature at which the kernel acts. Source: trip_point_N_type and trip_point_N_temp of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TripPoint {
    /// What happens.
    pub kind: TripKind,
    /// When, in thousandths of a degree Celsius, 1 to 150000.
    pub temp_millicelsius: i32,
}

/// One thermal zone. Source: /sys/class/thermal/thermal_zoneN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThermalZone {
    /// N of thermal_zoneN; may change from boot to boot.
    pub index: u32,
    /// The zone's type as the kernel spells it, for example `cpu-thermal`.
    pub kind: Option<String>,
    /// Whether the type means the processor.
    pub is_cpu: bool,
    /// The reading in thousandths of a degree Celsius, -40000 to 150000.
    pub temp_millicelsius: Option<i32>,
    /// The trip points that are in use.
    pub trips: Vec<TripPoint>,
    #[serde(skip)]
    scale: Option<Scale>,
}

/// The board's temperatures, in thousandths of a degree Celsius.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Thermal {
    /// All zones, by number.
    pub zones: Vec<ThermalZone>,
    /// The hottest of the processor's zones; on a machine without any, the hwmon sensor of that name (temp1_input).
    pub cpu_millicelsius: Option<i32>,
    /// Where the kernel starts to lower the clock: the lowest passive trip of the processor's zones.
    pub throttle_millicelsius: Option<i32>,
    /// Where the kernel shuts the board down: the lowest critical trip of the processor's zones.
    pub critical_millicelsius: Option<i32>,
}

impl Thermal {
    pub(crate) fn read(root: &SysRoot, notes: &mut Vec<String>) -> Self {
        let zones = root.numbered(ZONES_DIR, "thermal_zone");
        let zones: Vec<_> = zones.iter().map(|index| ThermalZone::read(root, index, notes)).collect();
        let lowest = |kind| {
            let trips = zones.iter().filter(|zone| zone.is_cpu).flat_map(|zone| &zone.trips);
            trips.filter(|trip| trip.kind == kind).map(|trip| trip.temp_millicelsius).min()
        };
        let (throttle, critical) = (lowest(TripKind::Passive), lowest(TripKind::Critical));
        let mut thermal = Self {
            throttle_millicelsius: throttle,
            critical_millicelsius: critical,
            zones,
            cpu_millicelsius: None,
        };
        thermal.cpu_millicelsius = thermal.hottest_cpu(root);
        thermal
    }

    /// Reads every zone's temperature again, in the unit that was decided before. Types and trips are kept.
    pub fn refresh(&mut self, root: &SysRoot) {
        for zone in &mut self.zones {
            zone.refresh(root);
        }
        self.cpu_millicelsius = self.hottest_cpu(root);
    }

    /// The same for the processor's zones alone.
    pub fn refresh_cpu(&mut self, root: &SysRoot) {
        self.zones.iter_mut().filter(|zone| zone.is_cpu).for_each(|zone| zone.refresh(root));
        self.cpu_millicelsius = self.hottest_cpu(root);
    }

    fn hottest_cpu(&self, root: &SysRoot) -> Option<i32> {
        let mut zones = self.zones.iter().filter(|zone| zone.is_cpu).peekable();
        // A processor zone that does not answer is a processor of unknown heat: no other sensor stands in for it.
        if zones.peek().is_some() {
            return zones.filter_map(|zone| zone.temp_millicelsius).max();
        }
        let sensors = root.numbered(HWMON_DIR, "hwmon");
        let sensors = sensors.iter().map(|n| format!("{HWMON_DIR}/hwmon{n}"));
        let cpus =
            sensors.filter(|dir| root.text(&format!("{dir}/name")).is_some_and(|name| means_cpu(&name)));
        cpus.filter_map(|dir| read_temp(root, &format!("{dir}/temp1_input"), &mut None)).max()
    }
}

impl ThermalZone {
    fn read(root: &SysRoot, index: u32, notes: &mut Vec<String>) -> Self {
        let dir = format!("{ZONES_DIR}/thermal_zone{index}");
        let kind = root.text(&format!("{dir}/type"));
        let mut zone = Self {
            index,
            is_cpu: kind.as_deref().is_some_and(means_cpu),
            kind,
            temp_millicelsius: None,
            trips: trips(root, &dir),
            scale: None,
        };
        zone.refresh(root);
        if zone.temp_millicelsius.is_none() {
            let kind = zone.kind.as_deref().unwrap_or("no type");
            notes.push(format!("thermal zone {index} ({kind}) has no reading that can be true"));
        }
        zone
    }

    fn refresh(&mut self, root: &SysRoot) {
        let path = format!("{ZONES_DIR}/thermal_zone{}/temp", self.index);
        self.temp_millicelsius = read_temp(root, &path, &mut self.scale);
    }
}

/// A reading in thousandths of a degree. What cannot be true is read once more: bad readings come alone.
#[inline(never)]
fn read_temp(root: &SysRoot, path: &str, scale: &mut Option<Scale>) -> Option<i32> {
    let mut once = || plausible(root.text(path)?.parse().ok()?, scale);
    once().or_else(once)
}

/// `raw` in thousandths of a degree, if that can be true. Decides the scale with the first reading that is; 0 is the same in
/// both, and decides nothing.
fn plausible(raw: i64, scale: &mut Option<Scale>) -> Option<i32> {
    let by_size = if raw.abs() < DEGREES_BELOW { Scale::Degrees } else { Scale::Millidegrees };
    let used = scale.unwrap_or(by_size);
    let milli = match used {
        Scale::Degrees => raw.checked_mul(1000)?,
        Scale::Millidegrees => raw,
    };
    let milli =
        i32::try_from(milli).ok().filter(|milli| PLAUSIBLE_MILLICELSIUS.contains(&i64::from(*milli)))?;
    if raw != 0 {
        *scale = Some(used);
    }
    Some(milli)
}

/// The trip points in use: drivers mark the others with 0 or with a temperature that no board survives.
fn trips(root: &SysRoot, dir: &str) -> Vec<TripPoint> {
    // Numbers run without a gap; the kernel allows 64 at most.
    let kinds = (0..64).map_while(|n| Some((n, root.text(&format!("{dir}/trip_point_{n}_type"))?)));
    let trip = |(n, kind): (u32, String)| {
        let kind = match kind.as_str() {
            "passive" => TripKind::Passive,
            "active" => TripKind::Active,
            "hot" => TripKind::Hot,
            "critical" => TripKind::Critical,
            _ => return None,
        };
        let temp_millicelsius = read_temp(root, &format!("{dir}/trip_point_{n}_temp"), &mut None)?;
        (temp_millicelsius > 0).then_some(TripPoint { kind, temp_millicelsius })
    };
    kinds.filter_map(trip).collect()
}

/// Whether a zone's type or a sensor's name means the processor.
fn means_cpu(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase().replace('_', "-");
    let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    !has(&OTHER_WORDS) && (has(&CPU_WORDS) || CPU_NAMES.contains(&kind.as_str()))
}

#[cfg(test)]
mod tests;
