//! Threads: what they record is in the file, whoever ends first.

use alloc::sync::Arc;
use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use spall_model::{Event, Key, Parser as _, Tick, TraceView, TrackKind};
use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use spall_record::{ClockSource, Recorder, SpanGuard, span};

use crate::common::{alone, load, names, open_count, recorder, slices_by_track};

#[test]
fn a_scoped_thread_loses_nothing_although_nobody_joins_it() {
    let _alone = alone();
    for _ in 0..50 {
        let (out, session) = recorder(Recorder::new());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _span = span!("work");
                    }
                });
            }
        });
        assert!(session.finish().unwrap().is_empty());
        let trace = load(&out);
        assert_eq!(slices_by_track(&trace), [100; 4]);
        assert_eq!(open_count(&trace), 0);
    }
}

#[test]
fn what_a_thread_recorded_is_written_while_it_is_blocked() {
    let _alone = alone();
    let (out, session) = recorder(Recorder::new());
    let (started, has_started) = mpsc::channel();
    let (stop, stopped) = mpsc::channel::<()>();
    let blocked = thread::spawn(move || {
        let _outer = span!("outer");
        drop(span!("done"));
        started.send(()).unwrap();
        let _ = stopped.recv();
    });
    has_started.recv().unwrap();
    session.flush().unwrap();
    let trace = load(&out);
    assert_eq!((names(&trace), open_count(&trace)), (vec!["outer".to_owned(), "done".to_owned()], 1));
    // The session ends before the thread does: what the thread does later is ignored.
    assert!(session.finish().unwrap().is_empty());
    let length = out.bytes().len();
    drop(stop);
    blocked.join().unwrap();
    assert_eq!(out.bytes().len(), length);
}

#[test]
fn a_panic_ends_the_slices_of_its_thread() {
    let _alone = alone();
    let (out, session) = recorder(Recorder::new());
    let panicked = thread::spawn(|| {
        let _outer = span!("outer");
        let _inner = span!("inner");
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(panicked.join().is_err());
    session.finish().unwrap();
    let trace = load(&out);
    assert_eq!((names(&trace).len(), open_count(&trace)), (2, 0));
}

#[test]
fn every_slice_of_every_thread_is_read_back_in_order() {
    let _alone = alone();
    // `SPANS=10000000` makes this the long check.
    let n = std::env::var("SPANS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000_u64);
    let path = std::env::temp_dir().join(format!("spall-record-order-{}.spall", std::process::id()));
    let ticks = Arc::new(AtomicU64::new(0));
    // The clock counts its readings, so times are different and tell the order in which they were read.
    let clock = ClockSource::new(move || ticks.fetch_add(1, Ordering::Relaxed), 1.0);
    let session = Recorder::new().clock(clock).file(&path).start().unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..n {
                    let _span = span!("span");
                }
            });
        }
        for _ in 0..100 {
            session.flush().unwrap();
        }
    });
    assert!(session.finish().unwrap().is_empty());
    let data = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    // Read without a trace, whose times would be sorted.
    let mut last = alloc::collections::BTreeMap::new();
    let parsed = spall_format::spall::Parser::new().parse_all(&data, |event, _| {
        let (Event::Begin(slice) | Event::End(slice)) = event else { return };
        let (seen, is_open, time) =
            last.entry(format!("{:?}", slice.thread)).or_insert((0_u64, false, Tick(0)));
        let begins = matches!(event, Event::Begin(_));
        assert!(*is_open != begins && slice.at > *time && (!begins || slice.name.is(b"span")));
        (*is_open, *time) = (begins, slice.at);
        *seen += u64::from(!begins);
    });
    parsed.unwrap();
    let seen: Vec<_> = last.values().map(|&(seen, is_open, _)| (seen, is_open)).collect();
    assert_eq!(seen, [(n, false); 4]);
}

#[test]
fn short_threads_leave_no_memory_and_lose_nothing() {
    let _alone = alone();
    let n = std::env::var("THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let (out, session) = recorder(Recorder::new());
    for _ in 0..n / 20 {
        thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| drop(span!("short")));
            }
        });
    }
    assert!(session.finish().unwrap().is_empty());
    let trace = load(&out);
    let slices = slices_by_track(&trace);
    // Once the system has given all ids, it gives those of ended threads again: the same id is the same track.
    const FEWEST_IDS: usize = 30_000;
    assert!(n > FEWEST_IDS || slices.iter().all(|&n_slices| n_slices == 1));
    assert_eq!(slices.into_iter().sum::<usize>(), n / 20 * 20);
}

/// Hundreds of threads may end at once, so each must not need much more than its ring.
#[test]
fn a_thread_that_records_little_takes_little_memory() {
    let _alone = alone();
    let session = Recorder::new().flush_every(None).ring_bytes(64 * 1024).writer(io::sink()).start().unwrap();
    let measured = allocation_counter::measure(|| {
        (0..100).for_each(|_| drop(span!("short")));
        session.flush().unwrap();
    });
    // Beside the ring, the places in the source that all tests use.
    assert!(measured.bytes_max < 2 * 64 * 1024, "{measured:?}");
    session.finish().unwrap();
}

/// Destructors of thread-local variables run in the opposite order of their making, so these run after the recorder's.
#[test]
fn destructors_of_a_thread_record_on_its_track() {
    struct Last(Option<SpanGuard>);
    impl Drop for Last {
        fn drop(&mut self) {
            {
                let _outer = span!("outer");
                drop(span!("inner"));
            }
            // The slice that the thread began.
            self.0 = None;
        }
    }
    thread_local! {
        static LAST: RefCell<Last> = const { RefCell::new(Last(None)) };
    }
    let _alone = alone();
    let (out, session) = recorder(Recorder::new());
    let work = || {
        LAST.with_borrow_mut(|_| ());
        drop(span!("work"));
        LAST.with_borrow_mut(|last| last.0 = Some(span!("held")));
    };
    thread::Builder::new().name("worker".into()).spawn(work).unwrap().join().unwrap();
    assert!(session.finish().unwrap().is_empty());
    let trace = load(&out);
    assert_eq!(names(&trace), ["work", "held", "outer", "inner"]);
    assert_eq!(
        (slices_by_track(&trace), open_count(&trace), trace.diagnostics().is_empty()),
        (vec![4], 0, true)
    );
    assert_eq!(trace.track_title(trace.tracks()[0].id), "worker");
}

#[test]
fn a_thread_has_its_name() {
    let _alone = alone();
    let (out, session) = recorder(Recorder::new().process_name("program"));
    thread::Builder::new().name("spawned".into()).spawn(|| drop(span!("a"))).unwrap().join().unwrap();
    let renamed = thread::spawn(|| {
        drop(span!("b"));
        spall_record::set_thread_name("renamed");
    });
    renamed.join().unwrap();
    session.finish().unwrap();
    let trace = load(&out);
    let labels: Vec<_> = trace.tracks().iter().map(|track| trace.track_title(track.id)).collect();
    assert!(labels.contains(&"spawned".into()) && labels.contains(&"renamed".into()), "{labels:?}");
    assert_eq!(trace.name(trace.processes()[0].name), "program");
}

#[test]
fn ends_without_a_begin_are_no_ends() {
    let _alone = alone();
    spall_record::begin("before the recording");
    let (out, session) = recorder(Recorder::new());
    spall_record::end();
    spall_record::begin("one");
    spall_record::begin_with_args("two", "args");
    spall_record::end();
    spall_record::end();
    spall_record::end();
    session.finish().unwrap();
    let trace = load(&out);
    assert_eq!((names(&trace), open_count(&trace)), (vec!["one".to_owned(), "two".to_owned()], 0));
    assert!(trace.diagnostics().is_empty());
}

#[test]
fn a_recording_that_has_ended_does_not_end_the_next() {
    let _alone = alone();
    let (first, session) = recorder(Recorder::new());
    drop(span!("first"));
    spall_record::finish().unwrap();
    let (second, next) = recorder(Recorder::new());
    session.finish().unwrap();
    drop(span!("second"));
    next.finish().unwrap();
    assert_eq!((names(&load(&first)), names(&load(&second))), (vec!["first".into()], vec!["second".into()]));
}

#[test]
fn a_slice_of_one_recording_does_not_end_one_of_the_next() {
    let _alone = alone();
    let (_, first) = recorder(Recorder::new());
    let of_first = span!("of the first");
    first.finish().unwrap();
    let (out, second) = recorder(Recorder::new());
    let of_second = span!("of the second");
    drop(of_first);
    drop(span!("inside"));
    drop(of_second);
    second.finish().unwrap();
    let trace = load(&out);
    let (starts, ends) = (trace.slices().starts(), trace.slices().ends());
    assert!(starts[0] <= starts[1] && ends[1] <= ends[0], "{starts:?} {ends:?}");
    assert_eq!(names(&trace), ["of the second", "inside"]);
}

#[test]
fn there_is_one_recording_at_a_time() {
    let _alone = alone();
    let (_, session) = recorder(Recorder::new());
    let second = Recorder::new().writer(Vec::new()).start();
    assert_eq!(second.unwrap_err().kind(), io::ErrorKind::ResourceBusy);
    assert!(spall_record::is_enabled());
    drop(session);
    assert!(!spall_record::is_enabled());
}

/// The ids and the clock by which a profiler of the system knows the same thread and the same time.
#[cfg(target_os = "linux")]
#[test]
fn a_recording_has_the_ids_and_the_clock_of_the_system() {
    let _alone = alone();
    let recorded = || {
        let started = Instant::now();
        let (out, session) = recorder(Recorder::new());
        drop(span!("work"));
        session.finish().unwrap();
        (load(&out), started)
    };
    // `/proc/thread-self` leads to `PID/task/TID`.
    let link = std::fs::read_link("/proc/thread-self").unwrap();
    let system: Vec<i64> = link.to_str().unwrap().split('/').filter_map(|part| part.parse().ok()).collect();
    let (first, first_start) = recorded();
    thread::sleep(Duration::from_millis(20));
    let (second, second_start) = recorded();
    for trace in [&first, &second] {
        let work = trace.tracks().iter().find(|track| !track.slices().is_empty()).unwrap();
        let TrackKind::Thread { tid } = work.kind else { panic!("{work:?}") };
        let pid = trace.processes()[work.process.unwrap().index()].pid;
        assert_eq!([pid, tid], [Key::Number(system[0]), Key::Number(system[1])]);
        assert!(trace.clock().epoch_ns.is_some());
    }
    let [first, second] = [&first, &second].map(|trace| trace.clock().monotonic_ns.unwrap());
    let apart = i64::try_from((second_start - first_start).as_nanos()).unwrap();
    assert!((second - first - apart).abs() < 10_000_000, "{first} and {second} are {apart} apart");
}

#[test]
fn a_thread_that_lives_on_does_not_keep_the_outputs() {
    let _alone = alone();
    struct Output(#[expect(dead_code, reason = "it is only held")] Arc<()>);
    impl io::Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let held = Arc::new(());
    let session = Recorder::new().writer(Output(Arc::clone(&held))).start().unwrap();
    drop(span!("span"));
    assert_eq!(Arc::strong_count(&held), 2);
    session.finish().unwrap();
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn what_a_thread_recorded_is_written_when_it_is_joined() {
    let _alone = alone();
    let (out, session) = recorder(Recorder::new().flush_every(None));
    for n_joined in 1..=3 {
        thread::spawn(|| drop(span!("span"))).join().unwrap();
        assert_eq!(names(&load(&out)).len(), n_joined);
    }
    session.finish().unwrap();
}
