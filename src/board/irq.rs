//! Which core takes the interrupts of the network.

use super::{CoreSet, SysRoot};
use serde::Serialize;

/// How names of network devices begin, with a number behind: where the kernel's list of devices is not there, as in a
/// recorded board, the rows of interrupts name them.
const NIC_NAMES: [&str; 7] = ["eth", "end", "enp", "enx", "enu", "wlan", "wlp"];

/// The USB controller of a Raspberry Pi up to the 3, behind which its Ethernet is.
const USB_CONTROLLER: &str = "dwc_otg";

/// The interrupts of one network device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NicIrq {
    /// The device, or what stands for it: `eth0`, `dwc_otg (USB Ethernet)`.
    pub name: String,
    /// The interrupts' numbers; one alone is a number and no list.
    #[serde(serialize_with = "one_or_all")]
    pub irq: Vec<u32>,
    /// The core that took all of them so far; `None` when several did, or when none came yet.
    pub all_on_cpu: Option<u32>,
    /// How many each core took since boot.
    pub by_cpu: Vec<(u32, u64)>,
}

fn one_or_all<S: serde::Serializer>(irqs: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
    match irqs {
        [one] => serializer.serialize_u32(*one),
        all => serializer.collect_seq(all),
    }
}

/// A row of /proc/interrupts with a number of its own.
struct Row<'a> {
    irq: u32,
    counts: Vec<u64>,
    /// What follows the counts: controller, line, and who listens, by commas.
    rest: &'a str,
}

impl NicIrq {
    /// The interrupts of each network device, those of the busiest first. `devices` are the names of the devices, each with other
    /// names that its rows may have. Source: /proc/interrupts.
    #[must_use]
    pub(crate) fn read(root: &SysRoot, devices: &[(String, Vec<String>)]) -> Vec<Self> {
        let text = root.text("proc/interrupts").unwrap_or_default();
        let mut lines = text.lines();
        let Some(cores) = lines.next().and_then(columns) else { return Vec::new() };
        let rows: Vec<Row<'_>> = lines.filter_map(|line| row(line, cores.len())).collect();
        let mut found: Vec<Self> = Vec::new();
        for row in &rows {
            let Some(name) = owner(row, devices) else { continue };
            let at = found.iter().position(|nic| nic.name == name).unwrap_or_else(|| {
                let by_cpu = cores.iter().map(|core| (*core, 0)).collect();
                found.push(Self { name, by_cpu, ..Self::default() });
                found.len() - 1
            });
            found[at].irq.push(row.irq);
            for ((_, sum), count) in found[at].by_cpu.iter_mut().zip(&row.counts) {
                *sum += count;
            }
        }
        for nic in &mut found {
            let taking: CoreSet =
                nic.by_cpu.iter().filter(|(_, count)| *count > 0).map(|(core, _)| *core).collect();
            nic.all_on_cpu = taking.iter().next().filter(|_| taking.len() == 1);
        }
        // The others stay in their order.
        let taken = |nic: &Self| nic.by_cpu.iter().map(|(_, count)| *count).sum::<u64>();
        if let Some(busiest) = (0..found.len()).rev().max_by_key(|at| taken(&found[*at])) {
            found[..=busiest].rotate_right(1);
        }
        found
    }
}

/// `CPU0 CPU1 …`: a core that is off has no column.
fn columns(line: &str) -> Option<Vec<u32>> {
    let core = |word: &str| super::root::number_after("CPU", word);
    let cores: Vec<u32> = line.split_ascii_whitespace().map_while(core).collect();
    (!cores.is_empty()).then_some(cores)
}

/// A row with a number; those of the processor's own (`IPI0`, `Err`) have a name.
fn row(line: &str, cores: usize) -> Option<Row<'_>> {
    let (irq, mut rest) = line.trim_ascii_start().split_once(':')?;
    let irq = super::root::number_after("", irq)?;
    let mut counts = Vec::with_capacity(cores);
    for _ in 0..cores {
        rest = rest.trim_ascii_start();
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        counts.push(word.parse().ok()?);
        rest = after;
    }
    Some(Row { irq, counts, rest })
}

/// Whose row it is.
fn owner(row: &Row<'_>, devices: &[(String, Vec<String>)]) -> Option<String> {
    // The last words, by commas: `dwc_otg, dwc_otg_pcd`; queues have more behind the name: `eth0-TxRx-1`, `virtio0-input.0`.
    let listeners = || row.rest.split([',', ' ', '\t']).map(str::trim_ascii).filter(|word| !word.is_empty());
    let is_of = |word: &str, name: &str| {
        word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '.', '@']))
    };
    let known = devices.iter().find(|(name, others)| {
        listeners().any(|word| is_of(word, name) || others.iter().any(|other| is_of(word, other)))
    });
    if !devices.is_empty() {
        return known.map(|(name, _)| name.clone());
    }
    let looks = listeners().find(|word| looks_like_nic(word)).map(|word| first_part(word).to_owned());
    let usb = || listeners().find(|word| *word == USB_CONTROLLER).map(|usb| format!("{usb} (USB Ethernet)"));
    looks.or_else(usb)
}

/// The device of a queue: `eth0` of `eth0-TxRx-1`.
fn first_part(word: &str) -> &str {
    word.split('-').next().unwrap_or(word)
}

fn looks_like_nic(word: &str) -> bool {
    let numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    NIC_NAMES.iter().any(|prefix| first_part(word).strip_prefix(prefix).is_some_and(numbered))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    fn read(text: &str, devices: &[(&str, &[&str])]) -> Vec<NicIrq> {
        let tree = Tree::new(&[("proc/interrupts", text.as_bytes())]);
        let devices: Vec<_> = devices
            .iter()
            .map(|(name, others)| {
                ((*name).to_owned(), others.iter().map(|other| (*other).to_owned()).collect())
            })
            .collect();
        NicIrq::read(&tree.root(), &devices)
    }

    const PI4: &str = "           CPU0       CPU1
 11:     320323     316857     GICv2  30 Level     arch_timer
 28:      14132          0     GICv2 189 Level     eth0
 29:          0          0     GICv2 190 Level     eth0
 37:     722574          0     GICv2 158 Level     mmc1, mmc0
IPI0:      1837       2580       Rescheduling interrupts
Err:          0
";

    #[test]
    fn a_device_has_all_its_rows_and_the_core_that_took_them() {
        let found = read(PI4, &[("eth0", &[])]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].all_on_cpu), ("eth0", Some(0)));
        assert_eq!(
            (found[0].irq.as_slice(), found[0].by_cpu.as_slice()),
            (&[28, 29][..], &[(0, 14132), (1, 0)][..])
        );
        // Nobody says which devices there are.
        assert_eq!(read(PI4, &[]), found);
        assert_eq!(read(PI4, &[("wlan0", &[])]), []);
    }

    #[test]
    fn ethernet_behind_usb_is_its_controller() {
        let text = "            CPU0       CPU1
 56:   478426356          0  ARMCTRL-level  64 Edge      dwc_otg, dwc_otg_pcd, dwc_otg_hcd:usb1
 75:           1          0  ARMCTRL
FIQ:                         usb_fiq
";
        let found = read(text, &[]);
        assert_eq!((found[0].name.as_str(), found[0].irq.as_slice()), ("dwc_otg (USB Ethernet)", &[56][..]));
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn queues_and_other_names_belong_to_the_device_and_columns_have_numbers() {
        let text = "           CPU0       CPU2
 24:          5          7   PCI-MSI 49152-edge      virtio0-input.0
 25:          1          0   PCI-MSI 49153-edge      virtio0-output.0
 30:          9          9   GICv3 1 Level   eth10
131:          0          0   GICv3 292 Level     (null)
";
        let found = read(text, &[("eth1", &["virtio0"])]);
        assert_eq!((found.len(), found[0].irq.as_slice()), (1, &[24, 25][..]));
        assert_eq!((found[0].by_cpu.as_slice(), found[0].all_on_cpu), (&[(0, 6), (2, 7)][..], None));
        let quiet = read("  CPU0\n 7: 0 GICv2 1 Level eth0\n", &[("eth0", &[])]);
        assert_eq!(quiet[0].all_on_cpu, None);
        for nonsense in ["", "CPU0", "x\n1: 2 3\n", "  CPU0 CPU1\n 7: 1\n", "  CPU0\n99999999999: 1 eth0\n"] {
            assert_eq!(read(nonsense, &[]), [], "{nonsense:?}");
        }
    }

    #[test]
    fn one_interrupt_is_a_number_and_several_are_a_list() {
        let json =
            |irq| serde_json::to_value(NicIrq { irq, ..NicIrq::default() }).expect("JSON")["irq"].clone();
        assert_eq!((json(vec![35]), json(vec![28, 29])), (35.into(), serde_json::json!([28, 29])));
    }
}
