//! The facts as JSON: flat, with the names by which people ask for them, and `null` for the unknown.

use super::{
    BoardFacts, ClockPolicy, Core, CoreSet, Memory, Nic, NicIrq, Swap, ThermalZone, ThrottleWord, TripPoint,
};
use serde::{Serialize, Serializer};

/// Thousandths in one.
const MILLI: f64 = 1000.0;

/// The form of the facts that this version writes.
const FORM: &str = "boardkit-board-1";

#[derive(Serialize)]
struct Flat<'a> {
    form: &'static str,
    model: Option<&'a str>,
    model_source: Option<&'a str>,
    compatible: &'a [String],
    soc: Option<&'a str>,
    kernel: Option<&'a str>,
    arch: Option<&'a str>,
    userland: Option<String>,
    userland_bits: Option<u8>,
    float_abi: Option<&'a str>,
    cores_present: Option<usize>,
    cores_online: Option<usize>,
    present: Option<&'a CoreSet>,
    online: Option<&'a CoreSet>,
    usable: CoreSet,
    cpu_quota: Option<f64>,
    cpu_quota_source: Option<&'a str>,
    cores: &'a [Core],
    clusters: Vec<Cluster>,
    policies: &'a [ClockPolicy],
    real_mhz: Option<u64>,
    zones: Vec<Zone<'a>>,
    cpu_temp_c: Option<f64>,
    throttle_trip_c: Option<f64>,
    critical_trip_c: Option<f64>,
    throttled: Option<ThrottleWord>,
    throttled_source: Option<&'a str>,
    under_voltage: Option<bool>,
    memory: &'a Memory,
    swaps: &'a [Swap],
    memory_cgroup: Option<bool>,
    nics: &'a [Nic],
    nic_irq: Option<&'a NicIrq>,
    nic_irqs: &'a [NicIrq],
    somaxconn: Option<u32>,
    nofile: Option<u64>,
    notes: &'a [String],
}

/// Cores of one kind.
#[derive(Serialize)]
struct Cluster {
    cpus: CoreSet,
    part: Option<String>,
    capacity: Option<u32>,
}

#[derive(Serialize)]
struct Zone<'a> {
    index: u32,
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    is_cpu: bool,
    temp_c: Option<f64>,
    trips: Vec<Trip>,
}

#[derive(Serialize)]
struct Trip {
    #[serde(rename = "type")]
    kind: super::TripKind,
    temp_c: f64,
}

impl Serialize for BoardFacts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (id, cores, thermal) = (&self.identity, &self.cores, &self.thermal);
        let count = |set: &Option<CoreSet>| set.as_ref().map(CoreSet::len);
        Flat {
            form: FORM,
            model: id.model.as_deref(),
            model_source: id.model_source.as_deref(),
            compatible: &id.compatible,
            soc: id.soc.as_deref(),
            kernel: id.kernel.as_deref(),
            arch: id.machine.as_deref(),
            userland: id.userland_in_words(),
            userland_bits: id.userland_bits,
            float_abi: id.float_abi,
            cores_present: count(&cores.present),
            cores_online: count(&cores.online),
            present: cores.present.as_ref(),
            online: cores.online.as_ref(),
            usable: cores.usable(),
            cpu_quota: cores.quota.as_ref().map(|quota| quota.millicores as f64 / MILLI),
            cpu_quota_source: cores.quota.as_ref().map(|quota| quota.source.as_str()),
            cores: &cores.each,
            clusters: clusters(&cores.each),
            policies: &self.clocks,
            real_mhz: self.real_mhz,
            zones: thermal.zones.iter().map(Zone::new).collect(),
            cpu_temp_c: celsius(thermal.cpu_millicelsius),
            throttle_trip_c: celsius(thermal.throttle_millicelsius),
            critical_trip_c: celsius(thermal.critical_millicelsius),
            throttled: self.throttled,
            throttled_source: self.throttled_source.as_deref(),
            under_voltage: self.under_voltage,
            memory: &self.memory,
            swaps: &self.swaps,
            memory_cgroup: self.memory_cgroup,
            nics: &self.nics,
            nic_irq: self.nic_irqs.first(),
            nic_irqs: &self.nic_irqs,
            somaxconn: self.somaxconn,
            nofile: self.nofile,
            notes: &self.notes,
        }
        .serialize(serializer)
    }
}

impl<'a> Zone<'a> {
    fn new(zone: &'a ThermalZone) -> Self {
        let trip =
            |trip: &TripPoint| Trip { kind: trip.kind, temp_c: f64::from(trip.temp_millicelsius) / MILLI };
        Self {
            index: zone.index,
            kind: zone.kind.as_deref(),
            is_cpu: zone.is_cpu,
            temp_c: celsius(zone.temp_millicelsius),
            trips: zone.trips.iter().map(trip).collect(),
        }
    }
}

fn celsius(milli: Option<i32>) -> Option<f64> {
    milli.map(|milli| f64::from(milli) / MILLI)
}

/// The cores by what they are, in the order of their first core: the same part and the same capacity.
fn clusters(cores: &[Core]) -> Vec<Cluster> {
    let part = |core: &Core| core.part.map(|part| format!("{part:#x}"));
    let mut found: Vec<Cluster> = Vec::new();
    for core in cores {
        let (part, capacity) = (part(core), core.capacity);
        match found.iter_mut().find(|known| known.part == part && known.capacity == capacity) {
            Some(known) => known.cpus.insert(core.id),
            None => found.push(Cluster { cpus: CoreSet::from_iter([core.id]), part, capacity }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn what_is_not_known_is_null_and_the_names_are_there() {
        let json = serde_json::to_value(BoardFacts::read(&Tree::new(&[]).root())).expect("JSON");
        for name in [
            "model",
            "cores_present",
            "cores_online",
            "cpu_quota",
            "cpu_temp_c",
            "throttle_trip_c",
            "critical_trip_c",
            "throttled",
            "real_mhz",
            "memory_cgroup",
        ] {
            assert!(json.get(name).is_some_and(serde_json::Value::is_null), "{name}: {json}");
        }
        for name in ["policies", "zones", "nics", "notes", "clusters", "swaps"] {
            assert_eq!(json[name], serde_json::json!([]), "{name}");
        }
    }

    #[test]
    fn cores_of_one_kind_are_a_cluster() {
        let core = |id, part| Core { id, online: true, part: Some(part), capacity: None };
        let found = clusters(&[core(0, 0xd05), core(1, 0xd05), core(4, 0xd0b), core(5, 0xd0b)]);
        let told: Vec<_> = found.iter().map(|one| (one.cpus.to_string(), one.part.clone())).collect();
        assert_eq!(
            told,
            [("0-1".to_owned(), Some("0xd05".to_owned())), ("4-5".to_owned(), Some("0xd0b".to_owned()))]
        );
    }
}
