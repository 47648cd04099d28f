use super::*;
use std::sync::mpsc;

const ROOM: QueueLimits = QueueLimits { most: 2, wait: Duration::from_secs(60) };

#[test]
fn a_result_comes_back_and_a_panic_too() {
    let pool = Pool::new("test", 1, ROOM);
    assert_eq!(smol::block_on(pool.run(|| 7)), Ok(7));
    let panics = AssertUnwindSafe(|| smol::block_on(pool.run(|| -> u8 { panic!("on purpose") })));
    assert!(catch_unwind(panics).is_err());
    assert_eq!(smol::block_on(pool.run(|| 8)), Ok(8), "the thread lives");
}

#[test]
fn a_full_queue_refuses_and_a_dropped_job_is_left_out() {
    let pool = Pool::new("test", 1, ROOM);
    let (release, held) = mpsc::channel::<()>();
    let (ran, runs) = mpsc::channel();
    smol::block_on(async {
        let (begun, begins) = mpsc::channel();
        let mut first = Box::pin(pool.run(move || {
            begun.send(()).expect("the test lives");
            held.recv()
        }));
        assert!(smol::future::poll_once(&mut first).await.is_none());
        begins.recv().expect("the thread has it");
        let (one, two) = (ran.clone(), ran.clone());
        let mut kept = Box::pin(pool.run(move || one.send("kept")));
        let mut dropped = Box::pin(pool.run(move || two.send("dropped")));
        assert!(smol::future::poll_once(&mut kept).await.is_none());
        assert!(smol::future::poll_once(&mut dropped).await.is_none());
        assert_eq!(pool.run(|| ()).await, Err(Refused(())));
        assert_eq!(pool.refused(), 1);
        drop(dropped);
        release.send(()).expect("it waits");
        assert!(kept.await.is_ok() && first.await.is_ok());
        assert_eq!(pool.run(|| "last").await, Ok("last"));
    });
    drop(ran);
    assert_eq!(runs.iter().collect::<Vec<_>>(), ["kept"]);
}

#[test]
fn those_that_come_at_once_wait_for_nobody_while_there_are_threads() {
    let pool = Pool::new("test", 4, QueueLimits { most: 10, wait: Duration::from_millis(1) });
    pool.lock().mean = Some(Duration::from_secs(10));
    let mut jobs: Vec<_> = (0..4).map(|_| Box::pin(pool.run(|| ()))).collect();
    for job in &mut jobs {
        let begun = smol::block_on(smol::future::poll_once(job));
        assert_ne!(begun, Some(Err(Refused(()))));
    }
}

#[test]
fn without_a_server_there_is_no_pool() {
    assert_eq!(smol::block_on(blocking(|| 1)), Err(Refused(())));
}
