//! A trace takes at most 16 times its input and a mebibyte, finished or while it grows, whatever the input is.

use allocation_counter::measure;
use spall_synth::{
    apitrace, costs, ftrace, heph, json_profiles, perf_script, perfetto, profiles, services, spall as synth,
};
use spall_testdata::sized;
use spall_trace::Format;
use spall_trace::format::container::decompress;
use spall_trace::model::{Limits, LiveTrace, Receiver};

/// Returns the bytes that the trace of an input takes, and the most that were allocated while it was built.
fn cost(data: &[u8]) -> (u64, u64) {
    let mut trace = None;
    let info = measure(|| trace = spall_trace::load(data).ok());
    drop(trace);
    (u64::try_from(info.bytes_current).unwrap(), info.bytes_max)
}

/// Returns the bytes that a live trace takes, and the most that were allocated while it grew with a commit every thousand
/// events.
fn live_cost(data: &[u8]) -> (u64, u64) {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut n_events = 0_u64;
    let info = measure(|| {
        _ = spall_trace::Loader::new().read_events(data, |event, bytes| {
            trace.receive(event, bytes);
            n_events += 1;
            if n_events.is_multiple_of(1000) {
                trace.commit();
            }
        });
        trace.commit();
    });
    (u64::try_from(info.bytes_current).unwrap(), info.bytes_max)
}

fn check(name: &str, data: &[u8]) -> f64 {
    let (trace, peak) = cost(data);
    let is_packed =
        spall_trace::json::is_compressed(data) || spall_trace::detect(data) == Some(Format::Apitrace);
    // The decompressed bytes count. Their number has a limit of its own.
    let unpacked = if is_packed { decompress(data, &Limits::default()).ok() } else { None };
    let input = unpacked.map_or(data.len(), |unpacked| unpacked.stream.len().max(data.len()));
    let input = input as u64;
    println!(
        "{name}: {trace} {peak} for {input}: {:.1} {:.1}",
        trace as f64 / input as f64,
        peak as f64 / input as f64
    );
    assert!(trace <= 16 * input + (1 << 20), "{name}: {trace} bytes for {input}");
    assert!(peak <= 28 * input + (4 << 20), "{name}: {peak} bytes at most for {input}");
    let (live, live_peak) = live_cost(data);
    assert!(live <= 16 * input + (1 << 20), "{name}: {live} bytes live for {input}");
    assert!(live_peak <= 28 * input + (4 << 20), "{name}: {live_peak} bytes live at most for {input}");
    if input < 1 << 20 {
        return 0.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "for a human")]
    let factors = (trace as f64 / input as f64, peak as f64 / input as f64);
    println!("{name}: {:.1} x the input, {:.1} x at most while building", factors.0, factors.1);
    factors.0
}

/// Some attacks may take more than 16 times their input, at rest too: `most` times.
fn check_attack(name: &str, data: &[u8], most: Option<u64>) {
    let Some(most) = most else {
        check(name, data);
        return;
    };
    let ((trace, peak), (live, live_peak)) = (cost(data), live_cost(data));
    let most = most * data.len() as u64 + (4 << 20);
    let costs = [trace, peak, live, live_peak];
    assert!(costs.iter().all(|&bytes| bytes <= most), "{name}: {costs:?} for {}", data.len());
}

#[test]
fn traces_of_generated_and_hostile_input_are_small() {
    // Tables have the most unused room just above a power of two.
    check("end flood", &synth::end_flood(sized(270_000)));
    check("nested begins", &synth::nested_begins(sized(200_000)));
    check("many threads", &synth::many_threads(sized(50_000)));
    check("heph", &heph::trace(sized(20_000), 8, 4, true));
    let game = apitrace::game(sized(40_000));
    check("apitrace", &game);
    check("apitrace in snappy", &apitrace::snappy(&game, 1 << 20));
    for (name, data) in synth::attacks() {
        check(name, &data);
    }
    check("perfetto", &perfetto::trace(sized(20_000)));
    for (name, attack) in perfetto::ATTACKS {
        let most = match *name {
            // A track takes up to 950 bytes while it is live, and an event on a track of its own is 14 bytes of a file, or 31
            // with its descriptor.
            "undeclared tracks" | "tracks of one parent" => Some(68),
            // A sample of another process is 14 bytes of a file, a printed slice of another thread 27, and a counter of another
            // wake lock or user hardly more.
            "users of a deep stack" | "printed texts" | "wake locks" | "times of users on many clusters" => {
                Some(64)
            }
            _ => None,
        };
        check_attack(name, &attack(sized(20_000)), most);
    }
    check("folded", profiles::folded(sized(40_000)).as_bytes());
    check("pprof", &profiles::pprof(sized(40_000)));
    for (name, data) in profiles::attacks(sized(2 << 20)) {
        check_attack(
            name,
            &data,
            match name {
                // A sample that names another thread is 9 bytes of a file, or 14.
                "folded: many threads" | "pprof: many threads" => Some(64),
                _ => None,
            },
        );
    }
    check("perf script", &perf_script::recording(sized(4000)));
    for (name, data) in perf_script::attacks(sized(100_000)) {
        check(name, &data);
    }
    check("ftrace", &ftrace::recording(sized(4000)));
    for (name, data) in ftrace::attacks(sized(100_000)) {
        // A slice of another thread is 26 bytes of a file, and a counter or an interrupt of another processor not many more.
        let of_tracks =
            ["threads", "threads that wait", "switches of threads", "counters", "spans", "interrupts"];
        let most = of_tracks.contains(&name).then_some(64);
        check_attack(name, &data, most);
    }
    check("otlp json", &services::otlp_json(sized(20_000)));
    check("otlp", &services::otlp(sized(20_000)));
    check("jaeger", &services::jaeger(sized(20_000)));
    check("zipkin", &services::zipkin(sized(20_000)));
    for (name, data) in services::attacks(sized(100_000)) {
        check_attack(name, &data, None);
    }
    check("callgrind", &costs::callgrind(sized(20_000)));
    check("xdebug", &costs::xdebug(sized(20_000)));
    check("dhat", &costs::dhat(sized(20_000)));
    check("heap profile", &costs::heap_profile(sized(20_000)));
    for (name, data) in costs::attacks(sized(20_000)) {
        // A thread of its own is 20 bytes of a file, and a function of two events that calls another one 40.
        let of_few_bytes =
            ["callgrind: threads", "callgrind: threads that call", "callgrind: a chain of calls"];
        check_attack(name, &data, of_few_bytes.contains(&name).then_some(64));
    }
    check("firefox", &json_profiles::firefox(sized(100_000)));
    for (name, data) in json_profiles::attacks(sized(100_000)) {
        check(name, &data);
    }
    let shape = synth::Shape { slices: sized(100_000), ..synth::Shape::default() };
    check("spall", &synth::trace(&shape));
    let repeated = |event: &str| format!("[{}]", event.repeat(sized(100_000)));
    for event in [
        "{},",
        r#"{"ph":"X","ts":1},"#,
        r#"{"ph":"B","ts":1},"#,
        r#"{"ph":"E","ts":1},"#,
        r#"{"ph":"i","ts":1},"#,
        r#"{"ph":"M","name":"x","args":{"a":1}},"#,
        r#"{"ph":"C","ts":1,"args":{"a":1,"b":1,"c":1,"d":1}},"#,
        r#"{"ph":"b","id":1,"ts":1},"#,
        r#"{"ph":"S","id":1,"ts":1},"#,
        r#"{"ph":"O","id":1,"ts":1},"#,
        r#"{"ph":"s","id":1,"ts":1},"#,
        r#"{"ph":"(","ts":1},"#,
        r#"{"ph":"X","ts":1,"args":{"a":1}},"#,
        "1,",
        ",",
    ] {
        check(event, repeated(event).as_bytes());
    }
    let distinct = |event: fn(usize) -> String| {
        format!("[{}]", (0..sized(50_000)).map(event).collect::<Vec<_>>().join(","))
    };
    check("names", distinct(|n| format!(r#"{{"ph":"B","ts":1,"name":"{n}"}}"#)).as_bytes());
    check("threads", distinct(|n| format!(r#"{{"ph":"X","ts":1,"tid":{n}}}"#)).as_bytes());
    check("processes", distinct(|n| format!(r#"{{"ph":"X","ts":1,"pid":{n}}}"#)).as_bytes());
    check("spans", distinct(|n| format!(r#"{{"ph":"b","ts":1,"id":{n}}}"#)).as_bytes());
    check("objects", distinct(|n| format!(r#"{{"ph":"N","ts":1,"id":{n}}}"#)).as_bytes());
    check("flows", distinct(|n| format!(r#"{{"ph":"s","ts":1,"id":{n}}}"#)).as_bytes());
    check("series", distinct(|n| format!(r#"{{"ph":"C","ts":1,"args":{{"{n}":1}}}}"#)).as_bytes());
    check("samples", distinct(|n| format!(r#"{{"ph":"P","ts":1,"tid":{n},"stack":["{n}"]}}"#)).as_bytes());
    let deep: Vec<_> = (1..sized(50_000)).map(|n| format!(r#""{n}":{{"parent":"{}"}}"#, n - 1)).collect();
    let samples = distinct(|n| format!(r#"{{"ts":1,"tid":{n},"sf":"{}"}}"#, sized(50_000) - 1));
    let shared = format!(r#"{{"samples":{samples},"stackFrames":{{{}}}}}"#, deep.join(","));
    check("samples of a deep shared stack", shared.as_bytes());
    let frames: Vec<_> = (0..sized(50_000)).map(|n| format!(r#""{n}":{{}}"#)).collect();
    let shared = format!(r#"{{"traceEvents":[],"stackFrames":{{{}}}}}"#, frames.join(","));
    check("shared frames", shared.as_bytes());
    check(
        "counters",
        distinct(|n| format!(r#"{{"ph":"C","ts":1,"name":"{n}","args":{{"":1}}}}"#)).as_bytes(),
    );
}

#[test]
fn traces_of_files_are_small() {
    for folder in ["spall", "heph", "json", "apitrace", "chrome", "recordings", "perfetto"] {
        for path in spall_testdata::inputs(folder, "") {
            check(&path.file_name().unwrap().to_string_lossy(), &std::fs::read(&path).unwrap());
        }
    }
}
