//! `boardd facts`, `plan`, `doctor` and `clock`: what the board is, what follows from it, and what is wrong with it.

use std::fmt::Write as _;

use serde::Serialize;

use super::args::{BoardArgs, Told};
use super::error::DaemonError;
use super::print;
use crate::board::{BoardFacts, CoreClock, Health, SysRoot, measure};
use crate::tune::{KernelPlan, Outcome, Plan, Wanted, examine, plan};

/// What boardd sets for itself, and what is to be set in the kernel.
#[derive(Serialize)]
struct WholePlan {
    #[serde(flatten)]
    plan: Plan,
    kernel: KernelPlan,
}

/// Prints it, as text or as JSON.
pub(super) fn tell(what: Told, args: &BoardArgs) -> Result<(), DaemonError> {
    if let Some(folder) = args.root.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(DaemonError::NoBoard { path: folder.display().to_string() });
    }
    let root = args.root.as_ref().map_or_else(SysRoot::live, SysRoot::at);
    let facts = BoardFacts::read(&root);
    match what {
        Told::Facts => say(args.json, &facts, || format!("{facts:#}")),
        Told::Plan => {
            let whole = WholePlan { plan: plan(&facts, &Wanted::default()), kernel: KernelPlan::new(&facts) };
            say(args.json, &whole, || {
                format!("{}\nFor the kernel (boardd does not set it)\n{}", whole.plan, whole.kernel)
            })
        }
        Told::Doctor => {
            // A clock is measured where there is one.
            let clocks = if root.is_live() { clocks(&facts, &root) } else { Vec::new() };
            let checks = examine(&facts, &Health::read(&root), &clocks);
            let lines = || checks.iter().map(|check| format!("{check}\n")).collect::<String>();
            say(args.json, &checks, lines)?;
            match checks.iter().filter(|check| check.outcome == Outcome::Wrong).count() {
                0 => Ok(()),
                wrong => Err(DaemonError::Unwell { wrong }),
            }
        }
        Told::Clock => {
            let clocks = clocks(&facts, &root);
            say(args.json, &clocks, || table(&clocks))
        }
    }
}

fn clocks(facts: &BoardFacts, root: &SysRoot) -> Vec<CoreClock> {
    measure(&facts.cores.usable(), || BoardFacts::read(root).clocks)
}

fn say(json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), DaemonError> {
    if !json {
        return print(&text());
    }
    // Of plain structs with text for keys, which is what JSON has.
    print(&(serde_json::to_string(value).unwrap_or_default() + "\n"))
}

/// `core   real MHz   claimed MHz`, a dash for what is not known.
fn table(clocks: &[CoreClock]) -> String {
    let mhz = |khz: Option<u64>| khz.map_or_else(|| "-".to_owned(), |khz| (khz / 1000).to_string());
    let mut out = format!("{:>4} {:>9} {:>12}\n", "core", "real MHz", "claimed MHz");
    for clock in clocks {
        let lies = if clock.lies == Some(true) { "  more than 9 % apart" } else { "" };
        // Writing to a string can't fail.
        let _ = writeln!(
            out,
            "{:>4} {:>9} {:>12}{lies}",
            clock.core,
            mhz(clock.real_khz),
            mhz(clock.claimed_khz)
        );
    }
    out
}
