//! What a recording holds.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::io;
use std::sync::Mutex;
use std::thread;
#[cfg(feature = "quanta")]
use std::time::Instant;

use spall_record::{ClockSource, Encoding, MemoryRing, Recorder, async_span, counter, instant, span};
use spall_trace::model::{ArgsBuilder, SourceLocation, Tick, TraceView, Value};

use crate::common::{alone, args, faults, load, names, recorder, slices};

#[test]
fn a_slice_takes_the_bytes_of_its_two_records() {
    let _alone = alone();
    let write = |n: usize| {
        let (out, session) = recorder(Recorder::new().flush_every(None));
        for _ in 0..n {
            let _span = span!("nine char");
        }
        session.finish().unwrap();
        out.bytes().len()
    };
    // A full ring is written with a header of 20 bytes: 2730 slices of 24 bytes fit in 64 KiB.
    let (few, many) = (write(1_000), write(2_000));
    assert_eq!(many - few, 1_000 * ((11 + 9) + 9));
    assert!(write(101_000) - few <= 100_000 * 29 + 20 * (101_000 / 2_730 + 1));
}

#[test]
fn arguments_are_in_the_file() {
    let _alone = alone();
    for encoding in [Encoding::Spall, Encoding::Json] {
        let (out, session) = recorder(Recorder::new().encoding(encoding));
        let (path, level) = ("a/b", 7);
        drop(span!("text", "{path} at {}", level));
        drop(span!("typed", path = path, level = level));
        drop(span!("long", "{}", "é".repeat(300)));
        session.finish().unwrap();
        let trace = load(&out);
        let long = "é".repeat(127);
        assert_eq!(args(&trace), ["a/b at 7", "path=a/b, level=7", &long], "{encoding:?}");
        // Only JSON has the key.
        let (typed, _) = slices(&trace)[1];
        let level = trace.slice_args(typed).begin.get(b"level");
        assert_eq!(level, (encoding == Encoding::Json).then_some(Value::I64(7)));
    }
}

#[test]
fn each_place_in_the_source_is_in_the_file_once() {
    struct Worker;
    impl Worker {
        fn work() -> u32 {
            drop(span!("place of a method"));
            let closure = || drop(span!("place in a closure", n = 1));
            closure();
            line!() - 3
        }
    }
    let _alone = alone();
    for encoding in [Encoding::Spall, Encoding::Json] {
        let (out, session) = recorder(Recorder::new().encoding(encoding));
        let line = Worker::work();
        session.flush().unwrap();
        Worker::work();
        session.finish().unwrap();
        let trace = load(&out);
        let places: Vec<_> =
            trace.source_locations().filter(|place| place.name.decode().starts_with("place ")).collect();
        let test = concat!(module_path!(), "::each_place_in_the_source_is_in_the_file_once::Worker::work");
        let closure = format!("{test}::{{{{closure}}}}");
        let expected = [
            SourceLocation::new("place of a method", test, file!(), line),
            SourceLocation::new("place in a closure", &closure, file!(), line + 1),
        ];
        assert_eq!(places, expected, "{encoding:?}");
        assert_eq!(faults(&trace), []);
        assert!(trace.clock().monotonic_ns.is_some() || !cfg!(target_os = "linux"));
        assert!(trace.clock().epoch_ns.is_some());
    }
}

#[test]
fn json_holds_what_spall_cannot() {
    let _alone = alone();
    let record = |encoding| {
        let (out, session) = recorder(Recorder::new().encoding(encoding));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _span = span!("produce");
                instant!("made");
                instant!("sent", "{} bytes", 3);
                counter!("queue", 1.5);
                spall_record::flow_start("job", u64::MAX);
                scope.spawn(|| {
                    let _span = span!("consume");
                    spall_record::flow_end("job", u64::MAX);
                    spall_record::instant("dynamic");
                    spall_record::counter("dynamic", 2.0);
                });
            });
        });
        (session.finish().unwrap(), load(&out))
    };
    let (missing, trace) = record(Encoding::Json);
    assert!(missing.is_empty());
    assert_eq!(faults(&trace), []);
    assert_eq!((trace.slices().len(), trace.instants().len(), trace.counters().len()), (2, 3, 2));
    let [flow] = trace.flows() else { panic!("{:?}", trace.flows()) };
    assert_eq!(
        (trace.slice_name(flow.from).to_string(), trace.slice_name(flow.to).to_string()),
        ("produce".into(), "consume".into())
    );
    // Spall counts what it cannot hold, in the file too.
    let (missing, trace) = record(Encoding::Spall);
    assert_eq!((missing.left_out, trace.slices().len()), (7, 2 + 1));
    assert!(names(&trace).contains(&"left out".to_owned()));
    assert!(args(&trace).contains(&"7 events that the format cannot hold".to_owned()));
}

/// Systems take whole pages faster than parts of pages.
#[test]
fn an_output_gets_blocks_of_bytes() {
    let _alone = alone();
    /// The positions up to which was written.
    struct Positions(Arc<Mutex<Vec<usize>>>);
    impl io::Write for Positions {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut positions = self.0.lock().unwrap();
            let last = positions.last().copied().unwrap_or(0);
            positions.push(last + bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let positions = Arc::new(Mutex::new(Vec::new()));
    for ring_bytes in [16 << 10, 64 << 10, 1 << 20] {
        positions.lock().unwrap().clear();
        let recorder = Recorder::new().flush_every(None).ring_bytes(ring_bytes);
        let session = recorder.writer(Positions(Arc::clone(&positions))).start().unwrap();
        for n in 0..100_000 {
            drop(span!("nine char"));
            if n == 1_000 {
                session.flush().unwrap();
            }
        }
        session.finish().unwrap();
        let positions = positions.lock().unwrap();
        let [_start, flushed, middle @ .., end] = &positions[..] else { panic!("{positions:?}") };
        assert!(
            middle.len() >= 3 && middle.iter().all(|position| position % (128 << 10) == 0),
            "{positions:?}"
        );
        assert!((29_000..32_000).contains(flushed) && (2_900_000..2_910_000).contains(end), "{positions:?}");
    }
}

#[test]
fn a_thread_of_the_recorder_flushes_if_asked() {
    let _alone = alone();
    let (out, session) = recorder(Recorder::new().flush_every(Duration::from_millis(1)));
    drop(span!("span"));
    while names(&load(&out)) != ["span"] {
        thread::sleep(Duration::from_millis(1));
    }
    session.finish().unwrap();
}

/// A program may abort before the thread of the recorder flushes for the first time.
#[test]
fn a_thread_writes_its_first_slices_through() {
    let _alone = alone();
    let (out, session) = recorder(Recorder::new().flush_every(Duration::from_secs(3600)));
    for n in 1..=2_000 {
        drop(span!("early"));
        assert!(n % 50 != 0 || load(&out).slices().len() + if n <= 1_000 { 16 } else { n / 2 } >= n, "{n}");
    }
    session.finish().unwrap();
    assert_eq!(load(&out).slices().len(), 2_000);
}

#[test]
fn times_are_those_of_the_clock() {
    let _alone = alone();
    let time = Arc::new(AtomicU64::new(1_000_000));
    let clock = {
        let time = Arc::clone(&time);
        ClockSource::new(move || time.load(Ordering::Relaxed), 250.0)
    };
    let (out, session) = recorder(Recorder::new().clock(clock));
    time.store(1_000_010, Ordering::Relaxed);
    let slice = span!("slice");
    time.store(1_000_030, Ordering::Relaxed);
    drop(slice);
    session.finish().unwrap();
    let trace = load(&out);
    assert_eq!((trace.slices().starts(), trace.slices().ends()), (&[Tick(10)][..], &[Tick(30)][..]));
    assert_eq!(trace.clock().duration(Tick(30) - Tick(10)).to_string(), "5 µs");
}

#[cfg(feature = "quanta")]
#[test]
fn the_counter_of_the_processor_agrees_with_instant() {
    let _alone = alone();
    let path = std::env::temp_dir().join(format!("spall-record-counter-{}.spall", std::process::id()));
    let begun = Instant::now();
    let session = Recorder::new().clock(ClockSource::counter()).file(&path).start().unwrap();
    let outer = Instant::now();
    let slice = span!("slice");
    let inner = Instant::now();
    thread::sleep(Duration::from_millis(100));
    let at_least = inner.elapsed();
    drop(slice);
    let at_most = outer.elapsed();
    session.flush().unwrap();
    let unfinished = std::fs::read(&path).unwrap();
    session.finish().unwrap();
    let file = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let scale_of = |file: &[u8]| f64::from_le_bytes(file[16..24].try_into().unwrap());
    // The header has the duration of a tick in nanoseconds, which is known well at the end, and roughly before.
    let ns_per_tick = scale_of(&file);
    assert!((scale_of(&unfinished) / ns_per_tick - 1.0).abs() < 0.01, "{}", scale_of(&unfinished));
    let trace = spall_trace::load(&file).unwrap();
    let ticks = trace.slices().ends()[0].0 - trace.slices().starts()[0].0;
    let ns = ticks as f64 * ns_per_tick;
    // Both readings at the start and at the finish are good to a microsecond on a machine that is not interrupted.
    let range = at_least.as_nanos() as f64 * 0.999..=at_most.as_nanos() as f64 * 1.001;
    assert!(range.contains(&ns), "{ns} {range:?}");
    let start = trace.slices().starts()[0].0 as f64 * ns_per_tick;
    assert!(start <= outer.duration_since(begun).as_nanos() as f64 + ns, "times count from the start");
}

#[test]
fn a_slice_allocates_nothing() {
    let _alone = alone();
    let session = Recorder::new().writer(io::sink()).start().unwrap();
    let work = || {
        for number in 0..10_000 {
            let _span = span!("plain");
            let _span = span!("text", "number {number}");
            let _span = span!("typed", number = number);
        }
    };
    // The first slices give the thread its ring, and memory to write it, which happens several times.
    work();
    let allocated = allocation_counter::measure(work);
    assert_eq!(allocated.count_total, 0);
    session.finish().unwrap();
}

#[test]
fn the_name_of_a_file_decides_on_its_format() {
    let _alone = alone();
    let folder = std::env::temp_dir().join(format!("spall-record-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, encoding, first) in [
        ("a.json", Encoding::Spall, b'{'),
        ("b.JSON", Encoding::Spall, b'{'),
        ("c.spall", Encoding::Json, 0x0d),
        ("d", Encoding::Json, b'{'),
        ("e", Encoding::Spall, 0x0d),
    ] {
        let (path, ring) = (folder.join(name), MemoryRing::new(1 << 16));
        let recorder = Recorder::new().encoding(encoding).memory(&ring).file(&path);
        let session = recorder.start().unwrap();
        drop(span!("span"));
        session.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[0], first, "{name}");
        ring.save(&path, encoding).unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[0], first, "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn values_of_all_kinds_are_in_the_file() {
    let _alone = alone();
    let long = "0123456789".repeat(200);
    for encoding in [Encoding::Spall, Encoding::Json] {
        let (out, session) = recorder(Recorder::new().encoding(encoding));
        drop(span!("all", a = -7, b = u64::MAX, c = true, d = 0.25, e = "é", f = None::<u32>));
        drop(span!("text", text = "alone"));
        let list = [Value::from(1), Value::from(2)];
        let mut builder = ArgsBuilder::new();
        builder.add_list("list", list);
        drop(span!("list", list = builder.args().get(b"list").unwrap()));
        drop(span!("long", short = 1, long = &long[..], last = 2));
        session.finish().unwrap();
        let expected = [
            "a=-7, b=18446744073709551615, c=true, d=0.25, e=é, f=null",
            "alone",
            "list=[1, 2]",
            // There is room for 1024 bytes.
            "short=1, last=2",
        ];
        assert_eq!(args(&load(&out)), expected, "{encoding:?}");
    }
}

#[test]
fn an_async_slice_may_end_on_another_thread() {
    let _alone = alone();
    let ticks = Arc::new(AtomicU64::new(0));
    let clock = ClockSource::new(move || ticks.fetch_add(1, Ordering::Relaxed), 1.0);
    let (out, session) = recorder(Recorder::new().flush_every(None).encoding(Encoding::Json).clock(clock));
    let [first, second] = [1, 2].map(|number| async_span!("request", number = number));
    assert_ne!(first.id(), second.id());
    thread::spawn(move || drop(first)).join().unwrap();
    drop(second);
    assert!(session.finish().unwrap().is_empty());
    let trace = load(&out);
    assert_eq!(faults(&trace), []);
    let mut found: Vec<_> = slices(&trace)
        .into_iter()
        .map(|(id, slice)| (trace.slice_args(id).begin.to_string(), slice.start, slice.end))
        .collect();
    found.sort();
    let expected = [("number=1", Tick(1), Tick(3)), ("number=2", Tick(2), Tick(4))];
    assert_eq!(found, expected.map(|(args, start, end)| (args.to_owned(), start, end)));
    assert_eq!(names(&trace), ["request"; 2]);
    // Without a recording, there is nothing to end.
    assert_eq!(async_span!("request").id(), 0);
}
