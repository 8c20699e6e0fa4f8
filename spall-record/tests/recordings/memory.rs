//! Recordings that stay in memory.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Mutex, mpsc};
use std::thread;

use spall_record::{ClockSource, Encoding, MemoryRing, Recorder, span};
use spall_trace::model::{Limits, LiveTrace, Tick, TraceView};

use crate::common::{alone, faults, names, open_count, slices};

#[test]
fn the_memory_ring_keeps_the_last_events() {
    let _alone = alone();
    let ring = MemoryRing::new(100_000);
    let ticks = Arc::new(AtomicU64::new(0));
    let clock = ClockSource::new(move || ticks.fetch_add(1, Ordering::Relaxed), 1.0);
    let session =
        Recorder::new().flush_every(None).clock(clock).ring_bytes(16 * 1024).memory(&ring).start().unwrap();
    let _outer = span!("outer", "argument");
    for _ in 0..50_000 {
        drop(span!("span"));
    }
    for encoding in [Encoding::Spall, Encoding::Json] {
        let data = ring.to_bytes(encoding);
        let trace = spall_trace::load(&data).unwrap();
        assert_eq!(faults(&trace), []);
        let title = trace.track_title(trace.tracks()[0].id).to_string();
        assert_eq!(Some(title.as_str()), thread::current().name());
        let slices = slices(&trace);
        assert_eq!((names(&trace)[0].as_str(), slices[0].1.start, open_count(&trace)), ("outer", Tick(1), 1));
        // 100 000 bytes are 4166 slices, without the records that are forgotten at once.
        assert!((3_000..=4_166).contains(&(slices.len() - 1)), "{}", slices.len());
        assert_eq!(slices.last().unwrap().1.end, Tick(100_001));
    }
    let worker = thread::Builder::new().name("worker".into());
    let worker = worker.spawn(|| (0..50_000).for_each(|_| drop(span!("span")))).unwrap();
    worker.join().unwrap();
    session.finish().unwrap();
    let data = ring.to_bytes(Encoding::Spall);
    assert!(data.len() > 50_000, "the ring outlives the session");
    let trace = spall_trace::load(&data).unwrap();
    let titles: Vec<_> = trace.tracks().iter().map(|track| trace.track_title(track.id).to_string()).collect();
    assert!(titles.contains(&"worker".to_owned()), "{titles:?}");
}

#[test]
fn a_live_trace_shows_what_goes_on() {
    let _alone = alone();
    let live = Arc::new(Mutex::new(LiveTrace::new(&Limits::default())));
    let session = Recorder::new().live(Arc::clone(&live)).start().unwrap();
    let _frame = span!("frame");
    drop(span!("draw"));
    session.flush().unwrap();
    {
        let mut trace = live.lock().unwrap();
        let snapshot = trace.commit();
        assert_eq!(snapshot.n_slices(), 2);
        // The program records while it looks at the trace.
        for _ in 0..10_000 {
            drop(span!("look"));
        }
        session.flush().unwrap();
    }
    session.flush().unwrap();
    {
        let mut trace = live.lock().unwrap();
        let snapshot = trace.commit();
        assert_eq!(snapshot.n_slices(), 10_002);
        let title = snapshot.track_title(snapshot.tracks().next().unwrap().id()).to_string();
        assert_eq!(Some(title.as_str()), thread::current().name());
    }
    // At the end, what came while the trace was in use waits for it.
    let (in_use, in_use_by_another) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let _trace = live.lock().unwrap();
            in_use.send(()).unwrap();
            thread::sleep(Duration::from_millis(100));
        });
        in_use_by_another.recv().unwrap();
        drop(span!("late"));
        session.finish().unwrap();
    });
    assert_eq!(live.lock().unwrap().commit().n_slices(), 10_003);
}
