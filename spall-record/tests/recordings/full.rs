//! Rings and outputs that are full, slow or broken: nothing is lost in silence.

use core::time::Duration;
use std::io;
use std::sync::Barrier;
use std::thread;

use spall_record::{Encoding, Recorder, WhenFull, span};
use spall_trace::model::TraceView;

use crate::common::{Shared, alone, faults, load, lost, names, open_count, recorder};

#[test]
fn events_without_room_are_dropped_as_whole_slices_and_counted() {
    let _alone = alone();
    let (out, session) =
        recorder(Recorder::new().flush_every(None).when_full(WhenFull::Drop).ring_bytes(16 * 1024));
    for _ in 0..3 {
        let _outer = span!("outer");
        for _ in 0..2_000 {
            let _inner = span!("inner", "with arguments");
            drop(span!("leaf"));
        }
        session.flush().unwrap();
    }
    let missing = session.finish().unwrap();
    let trace = load(&out);
    assert_eq!(faults(&trace), []);
    assert_eq!(open_count(&trace), 0);
    let told = lost(&trace, "dropped");
    assert_eq!(told, missing.dropped);
    let n_markers = names(&trace).iter().filter(|name| *name == "lost events").count();
    let n_slices = trace.slices().len() - n_markers;
    assert_eq!(2 * n_slices as u64 + missing.dropped, 3 * 2 * (1 + 2 * 2_000));
    assert!(missing.dropped > 10_000 && n_markers == 3, "{missing:?}, {n_markers}");
}

/// Events that are no slices stop at the end of the ring, too.
#[test]
fn instants_without_room_are_dropped_and_counted() {
    let _alone = alone();
    let settings = Recorder::new().encoding(Encoding::Json).flush_every(None);
    // A ring has at least 16 KiB.
    let (out, session) = recorder(settings.when_full(WhenFull::Drop).ring_bytes(1));
    let outer: Vec<_> = (0..200).map(|_| span!("outer")).collect();
    (0..5_000).for_each(|number| spall_record::instant!("instant", "{number}"));
    drop(outer);
    let missing = session.finish().unwrap();
    let trace = load(&out);
    assert_eq!(faults(&trace), []);
    assert_eq!((names(&trace).len(), open_count(&trace)), (200, 0), "ends keep their room");
    let texts = trace.instants().iter().map(|instant| trace.args_of(instant).to_string());
    let numbers: Vec<u64> = texts.filter_map(|text| text.parse().ok()).collect();
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "the first ones are there");
    assert_eq!(numbers.len() as u64 + missing.dropped, 5_000);
    assert!(numbers.len() > 200, "{}", numbers.len());
}

/// Names that are not fixed are whole, too, up to the first one without room.
#[test]
fn slices_with_names_of_their_own_are_dropped_and_counted() {
    let _alone = alone();
    let (out, session) =
        recorder(Recorder::new().flush_every(None).when_full(WhenFull::Drop).ring_bytes(16 * 1024));
    (0..200).for_each(|_| spall_record::begin("outer"));
    for number in 0..5_000 {
        spall_record::begin(format!("{number}"));
        spall_record::end();
    }
    (0..200).for_each(|_| spall_record::end());
    let missing = session.finish().unwrap();
    let trace = load(&out);
    assert_eq!(faults(&trace), []);
    let n_outer = names(&trace).iter().filter(|name| *name == "outer").count();
    assert_eq!((n_outer, open_count(&trace)), (200, 0), "ends keep their room");
    let numbers: Vec<u64> = names(&trace).iter().filter_map(|name| name.parse().ok()).collect();
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "the first ones are there");
    assert_eq!(2 * numbers.len() as u64 + missing.dropped, 2 * 5_000);
    assert!(numbers.len() > 200, "{}", numbers.len());
}

#[test]
fn the_oldest_events_are_overwritten_and_counted() {
    let _alone = alone();
    // An eighth of the ring is forgotten at a time, however far the last time was.
    for n_slices in [2_000, 2_100] {
        let settings = Recorder::new().flush_every(None).when_full(WhenFull::Overwrite);
        let (out, session) = recorder(settings.ring_bytes(16 * 1024));
        {
            let _outer = span!("outer");
            for _ in 0..n_slices {
                drop(span!("inner"));
            }
            let _last = span!("last");
            session.flush().unwrap();
        }
        let missing = session.finish().unwrap();
        let trace = load(&out);
        assert_eq!(faults(&trace), []);
        let names = names(&trace);
        let count = |name: &str| names.iter().filter(|found| *found == name).count();
        // The outer slice began in what is lost, and still ends.
        assert_eq!((count("outer"), count("last"), open_count(&trace)), (0, 1, 0));
        assert!((1..=2).contains(&count("begin lost")), "and perhaps an inner one");
        assert_eq!(lost(&trace, "overwritten"), missing.overwritten);
        let n_kept = 2 * (count("inner") + count("last")) + count("begin lost");
        assert_eq!(n_kept as u64 + missing.overwritten, 2 * (1 + n_slices + 1));
        assert!(count("inner") > 500, "{}", count("inner"));
    }
}

/// The begin of a slice is in the output, and its end is overwritten.
#[test]
fn a_slice_ends_although_its_end_is_lost() {
    let _alone = alone();
    let (out, session) =
        recorder(Recorder::new().flush_every(None).when_full(WhenFull::Overwrite).ring_bytes(16 * 1024));
    let outer = span!("outer");
    session.flush().unwrap();
    drop(outer);
    for _ in 0..2_000 {
        drop(span!("after"));
    }
    let missing = session.finish().unwrap();
    let trace = load(&out);
    assert_eq!(faults(&trace), []);
    let names = names(&trace);
    let count = |name: &str| names.iter().filter(|found| *found == name).count();
    assert_eq!((count("outer"), open_count(&trace)), (1, 0));
    assert_eq!(lost(&trace, "overwritten"), missing.overwritten);
    let n_kept = 1 + 2 * count("after") + count("begin lost");
    assert_eq!(n_kept as u64 + missing.overwritten, 2 * (1 + 2_000));
}

/// One thread overwrites its ring while another one takes records from it: each slice is there whole or counted.
#[test]
fn what_is_overwritten_while_it_is_taken_is_not_taken() {
    let _alone = alone();
    let (out, session) = recorder(Recorder::new().when_full(WhenFull::Overwrite).ring_bytes(16 * 1024));
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            barrier.wait();
            for number in 0..50_000_u64 {
                spall_record::begin(format!("{number} {number} {number}"));
                spall_record::end();
            }
        });
        barrier.wait();
        for _ in 0..500 {
            session.flush().unwrap();
        }
    });
    let missing = session.finish().unwrap();
    let trace = load(&out);
    assert_eq!(faults(&trace), []);
    let mut last = None;
    let mut n_whole = 0;
    for name in names(&trace) {
        if name == "lost events" || name == "begin lost" {
            continue;
        }
        let numbers: Vec<u64> = name.split(' ').map(|number| number.parse().unwrap()).collect();
        assert!(numbers.len() == 3 && numbers.iter().all(|&number| number == numbers[0]), "{name}");
        assert!(last < Some(numbers[0]), "{last:?} {name}");
        last = Some(numbers[0]);
        n_whole += 1;
    }
    // Where events are missing, the slice before them may have lost its end, and the one after them its begin.
    let n_gaps = names(&trace).iter().filter(|name| *name == "lost events").count() as u64;
    assert!(missing.overwritten.abs_diff(2 * (50_000 - n_whole)) <= n_gaps, "{missing:?} {n_whole} {n_gaps}");
}

#[test]
fn a_recording_waits_for_a_slow_output_and_loses_nothing() {
    let _alone = alone();
    let (out, session) = recorder(Recorder::new().ring_bytes(16 * 1024));
    out.sleep(Duration::from_millis(1));
    for _ in 0..20_000 {
        drop(span!("span"));
    }
    assert!(session.finish().unwrap().is_empty());
    assert_eq!(load(&out).slices().len(), 20_000);
}

#[test]
fn a_full_disk_is_one_error_and_a_count() {
    let _alone = alone();
    for encoding in [Encoding::Spall, Encoding::Json] {
        let (out, session) =
            recorder(Recorder::new().flush_every(None).encoding(encoding).ring_bytes(16 * 1024));
        out.limit(100_000);
        let outer = span!("outer");
        for _ in 0..20_000 {
            drop(span!("span"));
        }
        let error = session.flush().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        // There is room again, and what follows is whole.
        out.limit(usize::MAX);
        drop(span!("after"));
        session.flush().unwrap();
        drop(outer);
        let missing = session.finish().unwrap();
        let trace = load(&out);
        assert_eq!(faults(&trace), []);
        let names = names(&trace);
        let count = |name: &str| names.iter().filter(|found| *found == name).count() as u64;
        assert_eq!((count("outer"), count("after"), open_count(&trace)), (1, 1, 0), "{encoding:?}");
        assert!(missing.not_written > 10_000, "{missing:?}");
        assert_eq!(lost(&trace, "not written"), missing.not_written);
        assert_eq!(2 * count("span") + count("begin lost") + missing.not_written, 2 * 20_000);
    }
}

#[test]
fn an_output_that_never_works_does_not_disturb_the_program() {
    let _alone = alone();
    let out = Shared::default();
    out.limit(0);
    let session = Recorder::new().ring_bytes(16 * 1024).writer(out.clone()).start().unwrap();
    for _ in 0..20_000 {
        drop(span!("span"));
    }
    let error = session.finish().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(error.to_string().ends_with(": 40000 events are not written"), "{error}");
    assert!(out.bytes().is_empty());
}

/// What an output took, and could not write when the recording ended, is counted as what it did not take.
#[test]
fn what_a_failing_finish_leaves_is_counted() {
    let _alone = alone();
    for encoding in [Encoding::Spall, Encoding::Json] {
        let (out, session) = recorder(Recorder::new().flush_every(None).encoding(encoding));
        drop(span!("before"));
        session.flush().unwrap();
        out.limit(out.bytes().len() + 10);
        (0..100).for_each(|_| drop(span!("after")));
        let error = session.finish().unwrap_err();
        assert!(error.to_string().ends_with(": 200 events are not written"), "{error}");
        assert_eq!(names(&load(&out)), ["before"], "{encoding:?}");
    }
}

#[test]
fn an_output_may_record_by_itself() {
    let _alone = alone();
    struct Recording(Shared);
    impl io::Write for Recording {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _span = span!("ignored");
            spall_record::flush()?;
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let out = Shared::default();
    let session = Recorder::new().writer(Recording(out.clone())).start().unwrap();
    for _ in 0..10_000 {
        drop(span!("span"));
    }
    session.flush().unwrap();
    session.finish().unwrap();
    assert_eq!(names(&load(&out)), vec!["span"; 10_000]);
}

#[test]
fn an_output_that_panics_is_an_output_that_fails() {
    let _alone = alone();
    struct Panicking(Shared);
    impl io::Write for Panicking {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // Without a message, which would be among those of the tests.
            self.0.write(bytes).or_else(|_| std::panic::resume_unwind(Box::new(())))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let out = Shared::default();
    let session = Recorder::new().flush_every(None).writer(Panicking(out.clone())).start().unwrap();
    out.limit(0);
    let slices = || (0..20_000).for_each(|_| drop(span!("span")));
    slices();
    thread::spawn(slices).join().unwrap();
    assert_eq!(session.flush().unwrap_err().kind(), io::ErrorKind::Other);
    out.limit(usize::MAX);
    let missing = session.finish().unwrap();
    let trace = load(&out);
    assert_eq!((faults(&trace), lost(&trace, "not written")), (vec![], missing.not_written));
    assert!(missing.not_written > 10_000, "{missing:?}");
}
