//! The text of `perf script`, against what other programs read from it.

use std::collections::BTreeMap;

use spall_synth::perf_script::recording;
use spall_trace::{
    Format, detect,
    export::StackRoot,
    load,
    model::{Measure, Sample, Tick, Ticks, Trace, TraceView, TrackSet, Unit, UnitName, Weights},
};

/// The share of each stack, in parts of 10⁹. The first name of a line, the command or the thread, does not count.
fn shares(folded: &str) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::<String, f64>::new();
    for line in folded.lines() {
        let (stack, weight) = line.rsplit_once(' ').unwrap();
        let Some((_, stack)) = stack.split_once(';') else { continue };
        *sums.entry(stack.to_owned()).or_default() += weight.parse::<f64>().unwrap();
    }
    let total: f64 = sums.values().sum();
    sums.into_iter()
        .filter(|&(_, sum)| sum > 0.0)
        .map(|(stack, sum)| (stack, (sum / total * 1e9).round()))
        .collect()
}

fn folded(trace: &Trace) -> String {
    folded_by(trace, Measure::WallTime)
}

fn folded_by(trace: &Trace, measure: Measure) -> String {
    let mut out = Vec::new();
    let _ =
        spall_trace::export::folded(trace, TrackSet::Threads, measure, StackRoot::Name, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn profiles_4_2_sums_by_stack_are_those_of_inferno() {
    let Some(folder) = spall_testdata::collection("profiles/perf") else { return };
    let mut n_files = 0;
    for expected in spall_testdata::files(&folder.join("collapsed"), ".default.txt") {
        let name = expected.file_name().unwrap().to_str().unwrap();
        let data = std::fs::read(folder.join(name.replace(".default", ""))).unwrap();
        let trace = load(&data).unwrap();
        assert_eq!(
            shares(&folded_by(&trace, Measure::Samples)),
            shares(&std::fs::read_to_string(&expected).unwrap()),
            "{name}"
        );
        n_files += 1;
    }
    assert_eq!(n_files, 17);
}

/// The samples of the profile that counts of the only thread.
fn samples(trace: &Trace) -> &[Sample] {
    trace.samples_of(&trace.profiles()[0])
}

/// The times and weights of samples.
fn rows(trace: &Trace) -> Vec<(Tick, f64)> {
    samples(trace).iter().map(|sample| (sample.at, sample.weight)).collect()
}

#[test]
fn profiles_4_1_every_field_of_a_sample_is_kept() {
    let text = b"\
# hostname : box
# cmdline : /usr/bin/perf record -F 999 -g ./a: b
# CPU_TOPOLOGY info available, use -I to display
my 2 app 71/73 [003] 12.000000250: 7 sched:sched_switch: prev_comm=x next_pid=9
\t401b97 parse(int)+0x1f (/bin/main)
\t401a02 [unknown] (/lib/libc.so.6)

";
    assert_eq!(detect(text), Some(Format::PerfScript));
    let trace = load(text).unwrap();
    let facts: Vec<_> =
        trace.meta().iter().map(|meta| (trace.name(meta.key), trace.meta_value(meta).to_string())).collect();
    assert_eq!(facts.len(), 2);
    assert_eq!((&*facts[0].0, &*facts[0].1), ("hostname", "box"));
    assert_eq!(facts[1].1, "/usr/bin/perf record -F 999 -g ./a: b");
    let track = &trace.tracks()[0];
    assert_eq!(trace.name(track.name), "my 2 app");
    assert_eq!(trace.key_text(trace.processes()[0].pid), "71");
    let profile = &trace.profiles()[0];
    assert_eq!(trace.name(profile.name), "sched:sched_switch");
    let sample = samples(&trace)[0];
    assert_eq!((sample.at, sample.weight), (Tick(12_000_000_250), 7.0));
    let args = trace.args_of(&sample).to_string();
    assert_eq!(args, "command=my 2 app, cpu=3, address=4201367, fields=prev_comm=x next_pid=9");
    let frame = trace.frame(sample.frame().unwrap()).unwrap();
    assert_eq!((trace.name(frame.name), trace.name(frame.url)), ("parse".into(), "/bin/main".into()));
    let caller = trace.frame(frame.parent.unwrap()).unwrap();
    assert_eq!((&*trace.name(caller.name), caller.parent), ("[libc.so.6]", None));
}

#[test]
fn profiles_4_1_a_sample_ends_where_the_next_one_begins() {
    let without_frames = b"a 1 1.5: x:y_z: v=1\n  b 2 2.5: x:y_z: v=2\n\nc 3 3.5: x:y_z:\n";
    assert_eq!(load(without_frames).unwrap().samples().len(), 3);
    let in_one_line = b"  a 1 1.5: 1 cycles:  7f f+0x1 (/a)\n  a 1 1.6: 1 cycles:u:  7f g+0x1 (/a)\n";
    let trace = load(in_one_line).unwrap();
    assert_eq!(samples(&trace).iter().filter(|sample| sample.frame().is_some()).count(), 2);
    // The text may end without an empty line, and lines with a carriage return.
    let cut = b"a 1 1.5: x:\r\n\t7f f (/a)\r\n\r\na 1 1.6: x:\r\n\t7f g (/a)";
    let trace = load(cut).unwrap();
    assert_eq!(samples(&trace).iter().filter(|sample| sample.frame().is_some()).count(), 2);
}

#[test]
fn profiles_4_4_a_clock_counts_nanoseconds() {
    // The thread sleeps for four seconds, for which no sample stands.
    let text = b"a 1 1.0: 1000000 cpu-clock:\n\t1 f (/a)\n\na 1 5.0: 1000000 cpu-clock:\n\t1 f (/a)\n";
    let trace = load(text).unwrap();
    assert_eq!(rows(&trace), [(Tick(1_000_000_000), 1e6), (Tick(5_000_000_000), 1e6)]);
    assert_eq!(trace.profiles()[0].weights, Weights::TimeBefore(1.0));
    assert_eq!(folded(&trace), "a;f 2000000\n");
}

fn text_of(events: &[(u32, &str, &str)]) -> String {
    events.iter().map(|(thread, at, event)| format!("a {thread} {at}: {event}:\n\t1 f (/a)\n\n")).collect()
}

#[test]
fn profiles_4_4_cycles_share_out_the_distances_of_samples() {
    // Distances of 1, 2 and 9 ms, one of them of another thread, so that a sample stands for 2 ms.
    let events = [
        (1, "1.0", "cycles"),
        (1, "1.002", "cycles"),
        (2, "1.003", "cycles"),
        (2, "1.004", "cycles"),
        (1, "1.011", "cycles"),
    ];
    let trace = load(text_of(&events).as_bytes()).unwrap();
    assert!(trace.profiles().iter().all(|profile| profile.weights == Weights::TimeBefore(2e6)));
    // The pause of 9 ms is none of the time that samples stand for, and the one of 1 ms is all that there is.
    assert_eq!(folded(&trace), "a-1/1;f 6000000\na-2/2;f 3000000\n");
    // A weight of 500 stands for 1 ms.
    let events = [
        (1, "1.0", "500 cycles"),
        (1, "1.001", "500 cycles"),
        (1, "1.002", "1000 cycles"),
        (1, "1.003", "500 cycles"),
    ];
    let trace = load(text_of(&events).as_bytes()).unwrap();
    assert_eq!(trace.profiles()[0].weights, Weights::TimeBefore(2000.0));
    // More cycles than nanoseconds: ten samples of 10 ms are 100 ms.
    let times: Vec<_> = (0..10).map(|at| format!("1.{at}0")).collect();
    let events: Vec<_> = times.iter().map(|at| (1, &**at, "300000000 cycles")).collect();
    let trace = load(text_of(&events).as_bytes()).unwrap();
    assert_eq!(folded(&trace), "a;f 1000000000\n");
    let merged = spall_trace::merge_samples(trace);
    assert_eq!(merged.bounds(), Some(Tick(900_000_000)..Tick(1_900_000_000)));
}

/// [samples 3] [samples 4]
#[test]
fn what_is_no_time_is_counted_in_its_own_unit() {
    let events = [(1, "1.0", "3 page-faults"), (1, "1.5", "2 page-faults"), (2, "1.7", "4 page-faults")];
    let trace = load(text_of(&events).as_bytes()).unwrap();
    let faults = Unit::Count(UnitName::new("page-faults"));
    assert!(trace.profiles().iter().all(|profile| profile.weights == Weights::Counted(faults)));
    assert_eq!(rows(&trace)[..2], [(Tick(1_000_000_000), 3.0), (Tick(1_500_000_000), 2.0)]);
    let trace = trace.with_value(None);
    assert_eq!((trace.clock().unit, trace.bounds()), (faults, Some(Tick(0)..Tick(5))));
    assert_eq!(folded(&trace), "a-1/1;f 5\na-2/2;f 4\n");
}

/// [profiles 4.4] A thread of a hybrid processor runs on cores of two kinds.
#[test]
fn cores_of_both_kinds_count_the_same_event() {
    let events = [
        (1, "1.0", "1 cpu_core/cycles/P"),
        (1, "1.1", "1 cpu_atom/cycles/P"),
        (1, "1.2", "1 cpu/event=0x3c,umask=0/"),
    ];
    let trace = load(text_of(&events).as_bytes()).unwrap();
    let names: Vec<_> =
        trace.sample_values().iter().map(|value| (trace.name(value.name), value.n_samples)).collect();
    assert_eq!(names, [("cycles".into(), 2), ("cpu/event=0x3c,umask=0/".into(), 1)]);
}

#[test]
fn profiles_4_5_the_event_of_the_first_sample_counts() {
    let text = b"\
a 1 1.0: cycles:u:\n\t1 f (/a)\n
a 1 1.1: instructions:\n\t1 g (/a)\n
a 1 1.2: cycles:\n\t1 f (/a)\n
b 2 1.3: instructions:\n\t1 h (/a)\n
";
    let trace = load(text).unwrap();
    let profiles: Vec<_> = trace
        .profiles()
        .iter()
        .map(|profile| (profile.track.0, trace.name(profile.name), profile.rank))
        .collect();
    let expected = [(0, "cycles", 3), (0, "instructions", 4), (1, "instructions", 4)];
    assert!(profiles.iter().map(|(track, name, rank)| (*track, &**name, *rank)).eq(expected));
    assert_eq!(shares(&folded(&trace)).into_keys().collect::<Vec<_>>(), ["f", "h"]);
}

#[test]
fn profiles_1_2_samples_without_times_lie_one_after_another() {
    let text = b"a 1 5 page-faults:\n\t1 f (/a)\n\na 1 3 page-faults:\n\t1 g (/a)\n\n";
    let trace = load(text).unwrap();
    assert_eq!(rows(&trace), [(Tick(0), 5.0), (Tick(5), 3.0)]);
    assert_eq!(
        (trace.clock().unit.counted(), trace.profiles()[0].weights),
        (Some("page-faults"), Weights::Axis(Ticks(1)))
    );
    assert_eq!(folded(&trace), "a;f 5\na;g 3\n");
    let ids = load(b"a 1/2 \n\t1 f (/a)\n\na 1/2\n\t1 f (/a)\n\n").map(|trace| trace.clock().unit);
    assert!(ids.is_err(), "a file needs a time or an event to be recognised");
    let clock = load(b"a 1 5 cpu-clock:\n\t1 f (/a)\n\n").unwrap().clock().unit;
    assert_eq!(clock, Unit::Nanoseconds(1.0));
}

#[test]
fn profiles_4_3_what_is_no_sample_is_counted() {
    let text = b"\
a 1 1.0: x:\n\t1 f (/a)\n\tnot a frame\n
\t1 alone (/a)
a 1 1.1: PERF_RECORD_MMAP: 1/1: [0x1(0x1)]
a 1 x:
a 1 99999999999999.0: x:\n
";
    let trace = load(text).unwrap();
    let counts: Vec<_> =
        trace.diagnostics().counts().iter().map(|count| (count.kind.name(), count.count)).collect();
    assert_eq!(counts, [("junk", 2), ("not-read", 1), ("missing-time", 1), ("time-out-of-range", 1)]);
    assert_eq!(rows(&trace), [(Tick(1_000_000_000), 1.0), (Tick(i64::MAX), 1.0)]);
}

#[test]
fn profiles_4_1_records_of_lost_events_are_no_samples() {
    let text = b"\
a 1 1.0: 1000 cpu-clock: \n\t1 f (/a)\n
a 1 1.1: PERF_RECORD_LOST lost 5
a 1 1.2: 1000 cpu-clock: \n\t1 f (/a)
a 1 1.3: PERF_RECORD_LOST: lost 7
a 1 1.4: PERF_RECORD_FORK(2:2):(1:1)
";
    let trace = load(text).unwrap();
    assert_eq!(trace.samples().len(), 2);
    let counts: Vec<_> =
        trace.diagnostics().counts().iter().map(|count| (count.kind.name(), count.count)).collect();
    assert_eq!(counts, [("lost-packets", 2), ("not-read", 1)]);
    let facts: Vec<_> =
        trace.meta().iter().map(|meta| (trace.name(meta.key), trace.meta_value(meta).to_string())).collect();
    assert_eq!(facts, [("lost_events".into(), "12".to_owned())]);
}

#[test]
fn profiles_4_1_a_tab_may_follow_the_address() {
    let text = b"\
Gecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:
        b3cea6c4\tLock::unlock() (/system/lib/libc.so)
        b3cea535\tshould_trace() (/system/lib/libc.so)
";
    assert_eq!(detect(text), Some(Format::PerfScript));
    let trace = load(text).unwrap();
    assert_eq!(shares(&folded(&trace)).into_keys().collect::<Vec<_>>(), ["should_trace;Lock::unlock"]);
    assert_eq!(trace.name(trace.tracks()[0].name), "Gecko");
    assert!(trace.args_of(&samples(&trace)[0]).to_string().contains("address=3016664772"));
}

#[test]
fn profiles_4_6_a_line_of_a_source_belongs_to_the_frame_before_it() {
    let text = b"\
a 1 1.0: 1000 cpu-clock: \n\t55d0 work+0x1 (/x/a)\n  work.c:12\n\t55d1 main+0x2 (/x/a)\n  main.c:5 (discriminator 2)\n
a 1 1.1: 1000 cpu-clock: \n\t55d0 work+0x1 (/x/a)\n  work.c:13\n\t55d1 main+0x2 (/x/a)\n  main.c:5 (discriminator 2)\n
a 1 1.2: 1000 cpu-clock: \n\t55d0 work+0x1 (/x/a)\n  work.c:13\n\t55d1 main+0x2 (/x/a)\n  ??:0\n\t1 go (/y)\n  y[1]\n
";
    let trace = load(text).unwrap();
    assert_eq!(trace.diagnostics().counts(), []);
    let places = |sample: &Sample| {
        let mut places = Vec::new();
        let mut at = sample.frame().and_then(|id| trace.frame(id));
        while let Some(frame) = at {
            let line = frame.line.map_or(0, |line| line + 1);
            places.push(format!("{} {}:{line}", trace.name(frame.name), trace.name(frame.url)));
            at = frame.parent.and_then(|id| trace.frame(id));
        }
        places
    };
    let found: Vec<_> = samples(&trace).iter().map(places).collect();
    assert_eq!(found[0], ["work work.c:12", "main main.c:5"]);
    assert_eq!(found[1], ["work work.c:13", "main main.c:5"]);
    assert_eq!(found[2], ["work work.c:13", "main /x/a:0", "go /y:0"]);
    // A line of a source needs a frame.
    let alone =
        load(b"a 1 1.0: x:\n\t1 f (/a)\n  a.c:1\n  a.c:2\n\na 1 1.1: x:\n  a.c:1\n\t1 f (/a)\n  a.c:1\n")
            .unwrap();
    assert_eq!(alone.diagnostics().counts().iter().map(|count| count.count).collect::<Vec<_>>(), [2]);
    assert_eq!(alone.frames().len(), 1);
}

/// A thread that calls `exec` twice, and one that never does.
const RENAMED: &[u8] = b"\
sh 3 1.0: 1000 cpu-clock:\n\t1 f (/a)\n
perf-exec 2 1.0: 1000 cpu-clock:\n\t1 f (/a)\n
perf-exec 2 1.000001: 1000 cpu-clock:\n\t1 f (/a)\n
my prog 2 1.000002: 1000 cpu-clock:\n\t1 f (/a)\n
my prog 2 1.000003: 1000 cpu-clock:\n\t2 g (/a)\n\t1 f (/a)\n
sh 2 1.000004: 1000 cpu-clock:\n\t1 f (/a)\n
my prog 2 1.000005: 1000 cpu-clock:\n\t1 f (/a)\n
";

/// The same text without times, in which samples lie one after another.
fn without_times() -> Vec<u8> {
    let text = std::str::from_utf8(RENAMED).unwrap();
    let without = |line: &str| match line.split_once(" 1.0") {
        Some((start, rest)) => format!("{start} {}", rest.split_once(": ").unwrap().1),
        None => line.to_owned(),
    };
    text.lines().map(|line| without(line) + "\n").collect::<String>().into_bytes()
}

/// [samples 6]
#[test]
fn profiles_4_7_a_stack_is_rooted_in_the_command_of_its_time() {
    for text in [RENAMED, &without_times()] {
        let trace = load(text).unwrap();
        let names: Vec<_> = trace.tracks().iter().map(|track| trace.name(track.name)).collect();
        assert_eq!(names, ["my prog", "sh"], "a track has the last name");
        let expected = "perf-exec;f 2000\nmy_prog;f 2000\nmy_prog;f;g 1000\nsh-2/2;f 1000\nsh-3/3;f 1000\n";
        assert_eq!(folded(&trace), expected);
        assert_eq!(folded(&spall_trace::merge_samples(trace.clone())), expected, "merged");
        assert_eq!(folded_by(&trace, Measure::Samples), expected, "sums of weights");
        let mut nested = Vec::new();
        let _ =
            spall_trace::export::nested(&trace, TrackSet::Threads, Measure::WallTime, &mut nested).unwrap();
        let nested = String::from_utf8(nested).unwrap();
        assert!(nested.contains(r#"{"name":"my prog","value":3000"#), "{nested}");
        let whole = spall_trace::samples::call_tree(&trace, trace.tracks()[0].id, &spall_trace::json::V8);
        assert_eq!((whole.tree.total(), &*whole.name), (Ticks(6000), "my prog"));
    }
}

/// [profiles 1.4]
#[test]
fn a_renamed_thread_has_each_stack_once_under_its_ids() {
    let mut out = Vec::new();
    let trace = load(RENAMED).unwrap();
    let _ =
        spall_trace::export::folded(&trace, TrackSet::Threads, Measure::WallTime, StackRoot::Ids, &mut out)
            .unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "2:2;f 5000\n2:2;f;g 1000\n3:3;f 1000\n");
}

#[test]
fn profiles_4_7_names_of_their_time_survive_a_merge_and_a_choice_of_a_value() {
    let trace = load(RENAMED).unwrap();
    let names = |trace: &Trace| {
        let names = trace.thread_names(&trace.profiles()[0]);
        names.map(|(at, name)| format!("{at} {name}")).collect::<Vec<_>>()
    };
    let expected = ["0 perf-exec", "2 my prog", "4 sh", "5 my prog"];
    assert_eq!(names(&trace), expected);
    assert_eq!(names(&trace.clone().with_value(Some(trace.profiles()[0].name))), expected);
    let mut again = spall_trace::model::TraceBuilder::new(&spall_trace::model::Limits::default());
    trace
        .replay(|event| {
            again.push(event);
            Ok::<_, std::convert::Infallible>(())
        })
        .unwrap();
    assert_eq!(names(&again.finish()), expected);
    // The samples of each event say it for themselves.
    let events = b"a 1 1.0: x:\n\t1 f (/a)\n\na 1 1.1: y:\n\t1 f (/a)\n\nb 1 1.2: x:\n\t1 f (/a)\n";
    let trace = load(events).unwrap();
    let all = trace.profiles().iter().map(|profile| trace.thread_names(profile).count());
    assert_eq!(all.collect::<Vec<_>>(), [2, 1]);
    assert_eq!(trace.thread_names(&trace.profiles()[1]).next().unwrap().1, "a");
}

/// [samples 4]
#[test]
fn events_of_other_threads_that_count_other_things_need_a_value() {
    let text = b"a 1 1.0: 5 cycles:\n\t1 f (/a)\n\na 1 1.1: 5 cycles:\n\t1 f (/a)\n\nb 2 1.2: 7 cache-misses:\n\t1 g (/a)\n";
    let trace = load(text).unwrap();
    assert!(trace.needs_value());
    let shown = trace.clone().with_value(None);
    assert!(!shown.needs_value());
    assert_eq!((trace.profiles().len(), shown.profiles().len()), (2, 1));
    let mut pprof = Vec::new();
    let _ = spall_trace::export::pprof(&trace, TrackSet::Threads, &mut pprof).unwrap();
    let again = load(&pprof).unwrap().with_value(None);
    let totals = |trace: &Trace| {
        spall_trace::samples::call_trees(trace, &spall_trace::json::V8, TrackSet::Threads, Measure::WallTime)
            .map(|of| of.tree.total())
            .collect::<Vec<_>>()
    };
    assert_eq!(totals(&again), totals(&shown));
    // Events of one thread stand behind one another, and the first is shown.
    let one = load(b"a 1 1.0: 5 cycles:\n\t1 f (/a)\n\na 1 1.1: 7 cache-misses:\n\t1 g (/a)\n").unwrap();
    assert!(!one.needs_value());
}

#[test]
fn other_text_is_not_taken_for_it() {
    for text in [
        "",
        "# comment\n",
        "a 1 1.5: x:\nand then some text\n",
        "main;run;work 12\nmain;run 3\n",
        "# tracer: nop\n bash-1 [000] d..1 12.5: sched_switch: a\n bash-1 [000] d..1 12.6: sched_switch: b\n",
        "2026-11-23 20:00:01.5: started 1 job:\n  at main (file.rs)\n",
    ] {
        assert_ne!(detect(text.as_bytes()), Some(Format::PerfScript), "{text:?}");
    }
}

#[test]
fn a_generated_recording_is_read_whole() {
    let text = recording(200);
    let trace = load(&text).unwrap();
    assert_eq!((trace.samples().len(), trace.profiles().len()), (200, 4));
    assert!(trace.samples().iter().all(|sample| sample.frame().is_some()));
    assert_eq!(trace.diagnostics().counts(), []);
    let total: i64 = shares(&folded(&trace)).len().try_into().unwrap();
    assert!(total > 100, "{total} stacks");
}
