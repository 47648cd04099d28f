use super::*;
use crate::board::tree::Tree;
use std::fs;

fn read(files: &[(&str, &[u8])]) -> (Thermal, Vec<String>) {
    let mut notes = Vec::new();
    let thermal = Thermal::read(&Tree::new(files).root(), &mut notes);
    (thermal, notes)
}

fn one_zone(temp: &[u8]) -> Thermal {
    read(&[
        ("sys/class/thermal/thermal_zone0/type", b"cpu_thermal\n"),
        ("sys/class/thermal/thermal_zone0/temp", temp),
    ])
    .0
}

#[test]
fn whole_degrees_thousandths_and_what_cannot_be_true() {
    for (text, milli) in [
        (&b"48\n"[..], Some(48_000)),
        (b"65", Some(65_000)),
        (b"65000", Some(65_000)),
        (b"-5", Some(-5_000)),
        (b"0", Some(0)),
        (b"150", Some(150_000)),
        (b"151", None),
        (b"-41000", None),
        (b"-650788984", None),
        (b"2147483647", None),
        (b"9223372036854775807", None),
        (b"398800", None),
        (b"hot", None),
    ] {
        assert_eq!(one_zone(text).cpu_millicelsius, milli, "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn the_scale_is_decided_once() {
    let mut scale = None;
    assert_eq!(plausible(2_147_483_647, &mut scale), None);
    assert_eq!(plausible(0, &mut scale), Some(0));
    assert_eq!(scale, None, "neither a failed reading nor 0 decides");
    assert_eq!(plausible(52_000, &mut scale), Some(52_000));
    assert_eq!(plausible(150, &mut scale), Some(150), "a cold board in thousandths");
    let mut scale = Some(Scale::Degrees);
    assert_eq!(plausible(250, &mut scale), None, "a degree zone does not change its unit");
}

#[test]
fn a_refresh_keeps_the_scale() {
    let tree = Tree::new(&[
        ("sys/class/thermal/thermal_zone0/type", b"cpu-thermal"),
        ("sys/class/thermal/thermal_zone0/temp", b"52000"),
    ]);
    let mut thermal = Thermal::read(&tree.root(), &mut Vec::new());
    let temp = tree.path("sys/class/thermal/thermal_zone0/temp");
    fs::write(&temp, "100").expect("write");
    thermal.refresh(&tree.root());
    assert_eq!(thermal.cpu_millicelsius, Some(100));
    fs::remove_file(&temp).expect("remove");
    thermal.refresh(&tree.root());
    assert_eq!(thermal.cpu_millicelsius, None);
}

#[test]
fn processor_zones_by_their_many_names() {
    for kind in "cpu-thermal cpu_thermal cpu0-thermal cpu-thermal-zone cpu_thermal_zone cpub_thermal_zone soc-thermal \
                 soc_thermal soc-thmzone bigcore0-thermal littlecore-thermal package-thermal sunxi-therm-1 scpi_sensors \
                 imx_thermal_zone CPU-therm cpuss0-top-thermal x86_pkg_temp coretemp"
        .split_whitespace()
    {
        assert!(means_cpu(kind), "{kind}");
    }
    for kind in [
        "gpu-thermal",
        "npu_thermal",
        "battery",
        "nvme",
        "rtc-core",
        "soc-gpu",
        "tcpm_source_psy_6_0022",
        "acpitz",
    ] {
        assert!(!means_cpu(kind), "{kind}");
    }
}

#[test]
fn the_hottest_processor_zone_and_the_lowest_trips() {
    let (thermal, notes) = read(&[
        ("sys/class/thermal/thermal_zone0/type", b"gpu-thermal"),
        ("sys/class/thermal/thermal_zone0/temp", b"99000"),
        ("sys/class/thermal/thermal_zone0/trip_point_0_type", b"passive"),
        ("sys/class/thermal/thermal_zone0/trip_point_0_temp", b"50000"),
        ("sys/class/thermal/thermal_zone1/type", b"soc-thermal"),
        ("sys/class/thermal/thermal_zone1/temp", b"40000"),
        ("sys/class/thermal/thermal_zone1/trip_point_0_type", b"critical"),
        ("sys/class/thermal/thermal_zone1/trip_point_0_temp", b"110000"),
        ("sys/class/thermal/thermal_zone1/trip_point_1_type", b"active"),
        ("sys/class/thermal/thermal_zone1/trip_point_1_temp", b"50000"),
        ("sys/class/thermal/thermal_zone2/type", b"bigcore0-thermal"),
        ("sys/class/thermal/thermal_zone2/temp", b"41000"),
        ("sys/class/thermal/thermal_zone2/trip_point_0_type", b"passive"),
        ("sys/class/thermal/thermal_zone2/trip_point_0_temp", b"0"),
        ("sys/class/thermal/thermal_zone2/trip_point_1_type", b"passive"),
        ("sys/class/thermal/thermal_zone2/trip_point_1_temp", b"85000"),
        ("sys/class/thermal/thermal_zone2/trip_point_2_type", b"passive"),
        ("sys/class/thermal/thermal_zone2/trip_point_2_temp", b"75000"),
    ]);
    assert_eq!(thermal.cpu_millicelsius, Some(41_000));
    assert_eq!((thermal.throttle_millicelsius, thermal.critical_millicelsius), (Some(75_000), Some(110_000)));
    assert_eq!((thermal.zones.len(), notes), (3, Vec::<String>::new()));
}

#[test]
fn a_fan_is_no_throttle_point() {
    let (thermal, _) = read(&[
        ("sys/class/thermal/thermal_zone0/type", b"cpu-thermal"),
        ("sys/class/thermal/thermal_zone0/temp", b"74010"),
        ("sys/class/thermal/thermal_zone0/trip_point_0_type", b"active"),
        ("sys/class/thermal/thermal_zone0/trip_point_0_temp", b"70000"),
    ]);
    assert_eq!((thermal.throttle_millicelsius, thermal.critical_millicelsius), (None, None));
}

#[test]
fn a_silent_processor_zone_is_unknown_and_hwmon_stands_in_only_where_there_is_no_zone() {
    let sensors: [(&str, &[u8]); 4] = [
        ("sys/class/hwmon/hwmon2/name", b"k10temp"),
        ("sys/class/hwmon/hwmon2/temp1_input", b"51000"),
        ("sys/class/hwmon/hwmon3/name", b"nvme"),
        ("sys/class/hwmon/hwmon3/temp1_input", b"60000"),
    ];
    assert_eq!(read(&sensors).0.cpu_millicelsius, Some(51_000));
    let mut with_zone = sensors.to_vec();
    with_zone.push(("sys/class/thermal/thermal_zone0/type", b"cpu-thermal"));
    let (thermal, notes) = read(&with_zone);
    assert_eq!(thermal.cpu_millicelsius, None);
    assert_eq!(notes, ["thermal zone 0 (cpu-thermal) has no reading that can be true"]);
}
