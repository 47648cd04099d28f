use super::*;
use crate::board::{ClockPolicy, ClockSource, Core, Quota};

fn facts(online: &str) -> BoardFacts {
    let mut facts = BoardFacts::default();
    facts.cores.online = CoreSet::parse(online);
    facts
}

fn workers_under(millicores: u64, cores: &str) -> usize {
    let mut facts = facts(cores);
    facts.cores.quota = Some(Quota { millicores, source: "/sys/fs/cgroup/cpu.max".to_owned() });
    plan(&facts, &Wanted::default()).workers.len()
}

fn of<'a>(plan: &'a Plan, setting: &str) -> &'a Decision {
    plan.decisions.iter().find(|decision| decision.setting == setting).expect(setting)
}

#[test]
fn one_worker_for_each_usable_core() {
    let mut facts = facts("0-3");
    assert_eq!(plan(&facts, &Wanted::default()).workers.len(), 4);
    facts.cores.allowed = CoreSet::parse("1,3,5");
    let plan = plan(&facts, &Wanted::default());
    assert_eq!(plan.workers.len(), 2);
    assert_eq!(of(&plan, "workers").because, "one for each usable core (1,3)");
    assert!(plan.workers.iter().all(|worker| worker.core.is_none() && worker.share_ppm == 500_000));
}

#[test]
fn a_quota_is_rounded_down_and_never_to_none() {
    for (quota, workers) in
        [(250, 1), (1000, 1), (1250, 1), (1500, 1), (2000, 2), (3900, 3), (4000, 4), (80_000, 4)]
    {
        assert_eq!(workers_under(quota, "0-3"), workers, "quota {quota}");
    }
}

#[test]
fn a_quota_is_told_with_its_fraction_and_file() {
    let mut facts = facts("0-3");
    facts.cores.quota = Some(Quota { millicores: 1500, source: "/sys/fs/cgroup/cpu.max".to_owned() });
    let plan = plan(&facts, &Wanted::default());
    assert!(of(&plan, "workers").because.contains("1.5 of 4"), "{plan}");
    assert_eq!(of(&plan, "workers").source, "/sys/fs/cgroup/cpu.max");
}

#[test]
fn what_was_typed_is_done_and_nothing_known_is_one() {
    let seven = Wanted { workers: NonZeroUsize::new(7), pin: true };
    let typed = plan(&facts("0-1"), &seven);
    assert_eq!((typed.workers.len(), of(&typed, "workers").source.as_str()), (7, "--workers"));
    let on_core = |core| typed.workers.iter().filter(|worker| worker.core == Some(core)).count();
    assert_eq!((on_core(0), on_core(1)), (4, 3));
    let shares: u32 = typed.workers.iter().map(|worker| worker.share_ppm).sum();
    assert!((1_000_000 - 7..=1_000_000).contains(&shares), "{shares}");
    let unknown = plan(&BoardFacts::default(), &Wanted { workers: None, pin: true });
    assert_eq!((unknown.workers.len(), unknown.workers[0].core), (1, None));
}

#[test]
fn pinned_workers_take_the_strong_cores_and_their_share() {
    let mut facts = facts("0-3");
    let core = |id, capacity| Core { id, online: true, part: None, capacity: Some(capacity) };
    facts.cores.each = vec![core(0, 512), core(1, 512), core(2, 1024), core(3, 1024)];
    let wanted = |workers| Wanted { workers: NonZeroUsize::new(workers), pin: true };
    let two = plan(&facts, &wanted(2));
    assert_eq!(two.workers.iter().map(|worker| worker.core).collect::<Vec<_>>(), [Some(2), Some(3)]);
    assert_eq!(of(&two, "share").value, "equal");
    let four = plan(&facts, &wanted(4));
    let expected =
        [(2, 333_333), (3, 333_333), (0, 166_666), (1, 166_666)].map(|(core, share)| (Some(core), share));
    for (worker, (core, share)) in four.workers.iter().zip(expected) {
        assert_eq!(worker.core, core);
        assert_eq!(worker.share_ppm, share);
    }
    assert_eq!(of(&four, "share").value, "33 33 17 17 %");
}

#[test]
fn a_lowered_clock_cap_counts() {
    let mut facts = facts("0-1");
    let policy = |core: u32, cap_khz| ClockPolicy {
        cpus: CoreSet::from_iter([core]),
        min_khz: None,
        max_khz: Some(2_000_000),
        cap_khz,
        cur_khz: None,
        cur_source: ClockSource::Requested,
        governor: None,
    };
    facts.clocks = vec![policy(0, Some(1_000_000)), policy(1, None)];
    let plan = plan(&facts, &Wanted { workers: None, pin: true });
    assert_eq!((plan.workers[0].core, plan.workers[1].core), (Some(1), Some(0)));
    assert_eq!(plan.workers[0].share_ppm, 666_666);
}

#[test]
fn the_backlog_knows_the_kernels_ceiling() {
    for (somaxconn, backlog) in [(Some(128), 128), (Some(4096), 4096), (Some(65_535), 4096), (None, 4096)] {
        let facts = BoardFacts { somaxconn, ..BoardFacts::default() };
        assert_eq!(plan(&facts, &Wanted::default()).backlog, backlog);
    }
}

#[test]
fn connections_fit_the_descriptor_limit() {
    for (nofile, connections) in [(Some(64), 28), (Some(524_288), 524_252), (Some(3), 1), (None, 988)] {
        let facts = BoardFacts { nofile, ..BoardFacts::default() };
        assert_eq!(plan(&facts, &Wanted::default()).max_connections, connections);
    }
}

#[test]
fn the_text_is_aligned_and_gives_reason_and_source() {
    let text = plan(&facts("0-1"), &Wanted::default()).to_string();
    let first = "workers         = 2      (one for each usable core (0-1); /sys/devices/system/cpu/online)";
    assert_eq!(text.lines().next(), Some(first), "\n{text}");
    assert!(text.lines().all(|line| line.find(" = ") == Some(15)), "\n{text}");
}
