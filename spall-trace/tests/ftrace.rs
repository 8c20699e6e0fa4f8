//! The text of ftrace and atrace, on lines that are written here, and against the trace processor.

use std::fmt::Write as _;

use spall_synth::{ftrace, gzip};
use spall_trace::{
    Error, Format, Loader, TraceParser, detect, load,
    model::{Clock, DiagnosticKind, Limits, LiveTrace, Receiver, Trace, TraceView, Track, Unit, Value},
};

/// Returns lines behind the comment of the kernel, each ` THREAD [CPU] .... 10.MICROSECONDS: EVENT`.
fn text(lines: &[(&str, u32, u32, &str)]) -> String {
    let mut text = String::from("# tracer: nop\n#\n");
    for (thread, cpu, us, event) in lines {
        writeln!(text, " {thread} [{cpu:03}] .... 10.{us:06}: {event}").unwrap();
    }
    text
}

fn read(lines: &[(&str, u32, u32, &str)]) -> Trace {
    load(text(lines).as_bytes()).unwrap()
}

/// Returns microseconds behind the tenth second.
fn us(at: i64) -> i64 {
    (at - 10_000_000_000) / 1000
}

/// The owner of a track: the ids of its thread, or the name of the track.
fn owner(trace: &Trace, track: spall_trace::model::TrackId) -> String {
    let track = &trace.tracks()[track.0 as usize];
    match (track.kind.tid(), track.process) {
        (Some(tid), Some(process)) => {
            let pid = trace.key_text(trace.processes()[process.0 as usize].pid).into_owned();
            format!("{pid}/{}", trace.key_text(tid))
        }
        _ => trace.name(track.name).into_owned(),
    }
}

/// Each slice as `OWNER NAME START-END`, in microseconds.
fn slices(trace: &Trace) -> Vec<String> {
    let mut found = Vec::new();
    for track in trace.tracks() {
        for (_, slice) in trace.slices_of(track.id) {
            let (start, end) = (us(slice.start.0), us(slice.end.0));
            found.push(format!("{} {} {start}-{end}", owner(trace, track.id), trace.name(slice.name)));
        }
    }
    found.sort();
    found
}

/// Each state as `TID NAME START-END ARGUMENTS`, in microseconds.
fn states(trace: &Trace) -> Vec<String> {
    let mut found = Vec::new();
    for track in trace.tracks() {
        for state in trace.states_of(track.id) {
            let tid = track.kind.tid().map(|tid| trace.key_text(tid).into_owned()).unwrap();
            let (start, end) = (us(state.start.0), us(state.end.0));
            let args = trace.args_of(state).to_string();
            found
                .push(format!("{tid} {} {start}-{end} {args}", trace.name(state.name)).trim_end().to_owned());
        }
    }
    found
}

/// Each value as `NAME AT VALUE`.
fn counters(trace: &Trace) -> Vec<String> {
    let mut found = Vec::new();
    for track in trace.tracks() {
        for value in trace.counters_of(track.id) {
            found.push(format!("{} {} {}", trace.name(track.name), us(value.at.0), value.value));
        }
    }
    found.sort();
    found
}

fn count(trace: &Trace, kind: DiagnosticKind) -> u64 {
    trace.diagnostics().count(kind)
}

fn fact(trace: &Trace, key: &str) -> String {
    let fact = trace.meta().iter().find(|fact| trace.name(fact.key) == key);
    fact.map_or(String::new(), |fact| match trace.meta_value(fact) {
        Value::Map(entries) => entries.to_string(),
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    })
}

const MARK: &str = " app-7 [000] .... 10.000001: print: B|7|a\n app-7 [000] .... 10.000002: print: E\n";

fn check_mark(file: &[u8]) {
    assert_eq!(detect(file), Some(Format::Ftrace));
    let trace = load(file).unwrap();
    assert_eq!(slices(&trace), ["7/7 a 1-2"]);
}

#[test]
fn ftrace_1_1_text_of_the_kernel_is_known_by_its_comment_or_its_lines() {
    check_mark(format!("# tracer: nop\n#\n{MARK}").as_bytes());
    check_mark(MARK.as_bytes());
    let junk = format!("no such line\n{}", MARK.repeat(5));
    assert_eq!(detect(junk.as_bytes()), Some(Format::Ftrace));
    for other in [
        "no such line\n app-7 [000] .... 10.000001: print: B|7|a\n",
        "main 71 [000] 12.5: cycles:\n\t401b97 parse+0x1f (/bin/main)\n",
        "a-7;b 3\na-7;c 4\n",
        "{\"traceEvents\":[],\"a\":\" app-7 [000] .... 10.000001: print: B|7|a\"}",
    ] {
        assert_ne!(detect(other.as_bytes()), Some(Format::Ftrace), "{other}");
    }
}

#[test]
fn ftrace_1_2_trace_cmd_says_first_what_it_has_read() {
    check_mark(format!("version = 6\nCPU 3 is empty\ncpus=6\n{MARK}").as_bytes());
}

#[test]
fn ftrace_1_3_the_output_of_atrace_may_be_compressed() {
    let head = "capturing trace... done\nTRACE:\n";
    check_mark(format!("{head}# tracer: nop\n{MARK}").as_bytes());
    let packed = [head.as_bytes(), &gzip::zlib(MARK.as_bytes())].concat();
    check_mark(&packed);
    let mut limits = Limits::default();
    limits.max_decompressed_bytes = 10;
    assert!(Loader::new().with_limits(limits).load(&packed).is_err());
}

#[test]
fn ftrace_1_4_a_page_of_systrace_has_text_and_processes_in_scripts() {
    let page = format!(
        "<!DOCTYPE html>\n<html><title>Android System Trace</title>\n<script>\"# tracer\"; '.trace-data'</script>\n\
         <script class=\"trace-data\" type=\"application/text\">\nPROCESS DUMP\n\
         USER PID PPID VSIZE RSS WCHAN PC NAME\nroot 7 1 640 496 c00bd520 00019fb8 S /bin/the app\n\
         USER PID TID CMD\nroot 7 9 worker 1\n</script>\n\
         <script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n{MARK} \
         x-9 [000] .... 10.000003: print: I|7|a < b && c\n</script>\n\
         <script class=\"trace-data\" type=\"application/text\">\n{{\"traceEvents\": []}}\n</script>\n</html>\n"
    );
    check_mark(page.as_bytes());
    let trace = load(page.as_bytes()).unwrap();
    assert_eq!(trace.name(trace.processes()[0].name), "/bin/the app");
    assert_eq!(trace.name(trace.instants()[0].name), "a < b && c");
    let names: Vec<_> = trace.tracks().iter().map(|track| trace.name(track.name).into_owned()).collect();
    assert_eq!(names, ["app", "x"], "the last name counts");
    assert_eq!(count(&trace, DiagnosticKind::NotRead), 1, "the script of JSON");
    // The end of the file ends a script.
    check_mark(&page.as_bytes()[..page.find(" x-9").unwrap()]);
    assert_ne!(detect(b"<html><body>a page</body></html>\n"), Some(Format::Ftrace));
}

#[test]
fn ftrace_1_5_an_older_page_has_a_text_in_javascript() {
    let head = "<!DOCTYPE HTML>\n<script>\n  var linuxPerfData = \"\\\n";
    let quoted = MARK.replace("|a\n", "|\\\"a\\\\\\/b\\\"\n").replace('\n', "\\n\\\n");
    let trace = load(format!("{head}# tracer: nop\\n\\\n{quoted}\";\n</script>\n{MARK}").as_bytes()).unwrap();
    assert_eq!(slices(&trace), ["7/7 \"a\\/b\" 1-2"]);
    check_mark(format!("{head}# tracer: nop\n{MARK}  </script>\n{MARK}").as_bytes());
}

#[test]
fn ftrace_1_6_a_document_of_json_may_have_text_beside_its_events() {
    let system = text(&[
        ("app-7", 0, 0, "print: trace_event_clock_sync: parent_ts=2.0"),
        ("app-7", 0, 1, "print: B|7|a\"b"),
        ("app-7", 0, 2, "print: E"),
    ]);
    let system = system.replace('"', "\\\"").replace('\n', "\\n");
    let events = r#""traceEvents":[{"ph":"X","name":"json","pid":1,"tid":1,"ts":2000000,"dur":1}]"#;
    let values = |trace: &Trace| {
        let slices = trace.slices();
        let mut found: Vec<_> = (0..slices.len())
            .map(|at| (slices.starts()[at].0, trace.name(slices.names()[at]).into_owned()))
            .collect();
        found.sort();
        found
    };
    let expected = [(2_000_000_000, "json".to_owned()), (2_000_001_000, "a\"b".to_owned())];
    for document in [
        format!("{{{events},\"systemTraceEvents\":\"{system}\"}}"),
        format!("{{\"systemTraceEvents\":\"{system}\",{events}}}"),
    ] {
        assert_eq!(values(&load(document.as_bytes()).unwrap()), expected);
        assert_eq!(values(&spall_trace::load_from(document.as_bytes()).unwrap()), expected);
        let limits = Limits::default();
        let mut live = LiveTrace::new(&limits);
        let mut parser = TraceParser::new(Format::TraceEventJson, &limits);
        parser.read(document.as_bytes(), true, |event, bytes| live.receive(event, bytes)).unwrap();
        assert_eq!(live.commit().n_slices(), 2);
    }
    let other = load(format!("{{{events},\"systemTraceEvents\":\"text\"}}").as_bytes()).unwrap();
    assert_eq!(fact(&other, "systemTraceEvents"), "text");
}

#[test]
fn ftrace_1_7_what_is_not_read_is_named() {
    for (file, named) in [
        ("# tracer: function_graph\n#\n 0)   0.289 us    |  f();\n", "function_graph"),
        ("# tracer: blk\n#\n", "blk"),
        ("# tracer: mmiotrace\n#\n", "mmiotrace"),
        ("# tracer: wakeup_rt\n#\n", "latencies"),
        ("# tracer: preemptirqsoff\n#\n", "latencies"),
        (
            "# tracer: function\n#\n bash-9 (9) [002] ..... 17.695425: mutex_unlock <-write\n",
            "without events",
        ),
    ] {
        let Error::UnknownFormat { found } = load(file.as_bytes()).unwrap_err() else { panic!("{file}") };
        assert!(found.contains("ftrace") && found.contains(named), "{found}");
    }
}

#[test]
fn ftrace_1_8_lines_may_end_with_a_carriage_return() {
    check_mark(format!("# tracer: nop\n{MARK}").replace('\n', "\r\n").as_bytes());
    let bad = [&b" a\xff-7 [0] 1.5: print: B|7|\xfe\n a-7 [0] 1.6: print: E\n"[..]].concat();
    let trace = load(&bad).unwrap();
    assert_eq!(trace.name(trace.slices().names()[0]), "\u{fffd}");
}

#[test]
fn ftrace_2_1_every_part_of_a_line_is_read() {
    let trace =
        load(b" my app-7 (   5)\t[003] d..2  10.000001: print: B|9|a\n a-7 (5) [1] 10.000002: 0: E\n")
            .unwrap();
    assert_eq!(slices(&trace), ["5/7 a 1-2"]);
    assert_eq!(trace.name(trace.tracks()[0].name), "a", "the last name counts");
}

#[test]
fn ftrace_2_3_a_thread_waits_until_its_process_is_known() {
    let trace = read(&[
        ("w-8", 0, 1, "workqueue_execute_start: work struct 0: function f"),
        ("w-8", 0, 2, "workqueue_execute_end: work struct 0"),
        ("w-8", 0, 3, "print: B|5|a"),
        ("w-8", 0, 4, "print: E|5"),
        ("k-9", 0, 5, "workqueue_execute_start: work struct 0: function g"),
        ("k-9", 0, 6, "workqueue_execute_end: work struct 0"),
        ("w-8", 0, 7, "sched_process_exit: comm=w pid=8 prio=120"),
        ("z-8", 0, 8, "print: B|6|of another thread"),
        ("z-8", 0, 9, "print: E|6"),
    ]);
    assert_eq!(slices(&trace), ["5/8 a 3-4", "5/8 f 1-2", "6/8 of another thread 8-9", "9/9 g 5-6"]);
}

#[test]
fn ftrace_2_5_times_without_a_point_are_ticks() {
    let trace = load(b" a-7 [0] .... 100: print: B|7|a\n a-7 [0] .... 130: print: E\n").unwrap();
    assert!(matches!(trace.clock().unit, Unit::Count(_)), "{:?}", trace.clock());
    assert_eq!(trace.slices().ends()[0].0, 130);
}

#[test]
fn ftrace_2_7_losses_are_counted_and_leave_states_unknown() {
    let switch = "sched_switch: prev_comm=a prev_pid=7 prev_prio=1 prev_state=S ==> next_comm=b next_pid=8 next_prio=1";
    let other = switch.replace("pid=7", "pid=9").replace("pid=8", "pid=7");
    let (first, then) =
        (text(&[("a-7", 0, 1, switch), ("b-8", 0, 3, "print: B|8|x")]), text(&[("c-9", 0, 6, &other)]));
    let text = format!(
        "{first}CPU:0 [LOST 12 EVENTS]\nCPU 1 [3 EVENTS DROPPED]\n##### CPU 2 buffer started ####\n{then}"
    );
    let trace = load(text.as_bytes()).unwrap();
    let expected = ["7 S 1-6", "7 Running 6-6 cpu=0", "8 Running 1-3 cpu=0", "9 S 6-6"];
    assert_eq!(states(&trace), expected);
    assert_eq!(count(&trace, DiagnosticKind::LostPackets), 3);
    assert_eq!(fact(&trace, "lost_events"), "U64(15)");
    assert_eq!(count(&trace, DiagnosticKind::SwitchMismatch), 0, "a loss explains it");
    let stack = load(format!("# tracer: nop\n{MARK} a-7 [0] .... 10.000003: <stack trace>\n => f\n a-7 [0] .... 10.000004: bprint: f: x\n gid=4\n").as_bytes());
    let stack = stack.unwrap();
    assert_eq!((count(&stack, DiagnosticKind::NotRead), count(&stack, DiagnosticKind::Junk)), (4, 0));
}

#[test]
fn ftrace_2_8_times_of_processors_go_back() {
    let trace = read(&[
        ("a-7", 1, 5, "print: E|7"),
        ("a-7", 0, 1, "print: B|7|outer"),
        ("a-7", 0, 2, "print: B|7|inner"),
        ("a-7", 0, 2, "print: E|7"),
    ]);
    assert_eq!(slices(&trace), ["7/7 inner 2-2", "7/7 outer 1-5"]);
}

#[test]
fn ftrace_3_1_and_3_2_programs_print_slices() {
    let trace = read(&[
        ("a-7", 0, 1, "tracing_mark_write: B|7|name | with: all"),
        ("a-7", 0, 2, "print: tracing_mark_write: B|7|"),
        ("a-7", 0, 3, "0: E|9|other"),
        ("a-7", 0, 4, "bprint: function: E|"),
        ("a-7", 0, 5, "bputs: function: I|7|now"),
        ("a-7", 0, 6, "tracing_mark_write: E"),
    ]);
    assert_eq!(slices(&trace), ["7/7  2-3", "7/7 name | with: all 1-4"]);
    assert_eq!(trace.instants().len(), 1);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedEnd), 1);
}

/// [ftrace 3.1] is in the test above.
#[test]
fn ftrace_3_2_the_first_process_that_a_thread_names_is_its_own() {
    let trace =
        read(&[("a-7", 0, 1, "print: B|5|a"), ("a-7", 0, 2, "print: E"), ("a-7", 0, 3, "print: I|6|b")]);
    assert_eq!(slices(&trace), ["5/7 a 1-2"]);
    assert_eq!(trace.processes().len(), 1);
}

#[test]
fn ftrace_3_3_programs_print_counters() {
    let trace = read(&[
        ("a-7", 0, 1, "print: C|7|heap|-5"),
        ("b-8", 0, 2, "print: C|7|heap|2|flag"),
        ("a-7", 0, 3, "print: C|7|heap|1.5"),
        ("a-7", 0, 4, "print: C|0|zero|3"),
    ]);
    assert_eq!(counters(&trace), ["heap 1 -5", "heap 2 2", "heap 3 1.5", "zero 4 3"]);
}

#[test]
fn ftrace_3_4_programs_print_async_spans() {
    let trace = read(&[
        ("a-7", 0, 1, "print: S|7|load|1"),
        ("a-7", 0, 2, "print: S|7|load|1"),
        ("b-8", 0, 3, "print: F|7|load|1"),
        ("a-7", 0, 4, "print: G|7|track|inside|-2"),
        ("a-7", 0, 5, "print: N|7|track|mark"),
        ("a-7", 0, 6, "print: H|7|track|-2"),
    ]);
    let names: Vec<_> =
        slices(&trace).iter().map(|found| found.split_once(' ').unwrap().1.to_owned()).collect();
    assert!(names.contains(&"load 1-3".to_owned()) && names.contains(&"inside 4-6".to_owned()), "{names:?}");
    assert_eq!(count(&trace, DiagnosticKind::DuplicateAsync), 1);
    assert_eq!(trace.instants().len(), 1);
}

#[test]
fn ftrace_3_5_damaged_texts_are_counted() {
    let damaged = ["B", "B|", "B|x|a", "C|7|a", "C|7|a|x", "S|7|a", "F|7|a|x", "N|7|track"];
    let lines: Vec<String> = damaged.iter().map(|text| format!("print: {text}")).collect();
    let mut lines: Vec<_> = lines.iter().map(|line| ("a-7", 0, 1, line.as_str())).collect();
    lines.extend([
        ("a-7", 0, 2, "print: Q|7|a"),
        ("a-7", 0, 3, "print: plain text"),
        ("a-7", 0, 4, "print: I|7|a"),
    ]);
    let trace = read(&lines);
    assert_eq!(count(&trace, DiagnosticKind::DamagedEvent), damaged.len() as u64);
    assert_eq!(count(&trace, DiagnosticKind::UnknownEvent), 1);
    assert_eq!(count(&trace, DiagnosticKind::NotRead), 1);
}

#[test]
fn ftrace_4_1_switches_give_states() {
    let keys = "sched_switch: prev_comm=a b=c prev_pid=7 prev_prio=120 prev_state=D|K ==> next_comm=x: y next_pid=8 next_prio=1";
    let raw = "sched_switch: prev_comm=x: y prev_pid=8 prev_prio=1 prev_state=64 next_comm=swapper/0 next_pid=0 next_prio=1";
    let trace_cmd = "sched_switch:      swapper/0:0 [120] R ==> a:b: c:9 [49]";
    let trace = read(&[
        ("a b=c-7", 0, 1, keys),
        ("x: y-8", 0, 3, raw),
        ("<idle>-0", 0, 5, trace_cmd),
        ("a:b: c-9", 0, 6, "sched_switch: a:b: c:9 [49] R+ ==> a b=c:7 [120]"),
        ("a b=c-7", 0, 8, "sched_switch: a:9 [49] S ==> b:10 [120]"),
    ]);
    let expected = [
        "7 DK 1-6",
        "7 Running 6-8 cpu=0",
        "8 Running 1-3 cpu=0",
        "8 64 3-8",
        "9 Running 5-6 cpu=0",
        "9 R+ 6-8",
        "9 S 8-8",
        "10 Running 8-8 cpu=0",
    ];
    let mut found = states(&trace);
    let mut expected = expected.map(str::to_owned);
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(count(&trace, DiagnosticKind::SwitchMismatch), 1);
    let names: Vec<_> = trace.tracks().iter().map(|track| trace.name(track.name).into_owned()).collect();
    assert!(names.contains(&"x: y".to_owned()), "{names:?}");
}

#[test]
fn ftrace_4_2_threads_wake_others_and_get_names() {
    let away = |tid| format!("sched_switch: a:{tid} [120] S ==> swapper/0:0 [120]");
    let trace = read(&[
        ("a-7", 0, 1, &away(7)),
        ("b-8", 1, 2, "sched_blocked_reason: pid=7 iowait=1 caller=f+0x1/0x2"),
        ("b-8", 1, 3, "sched_waking: comm=a b pid=7 prio=120 target_cpu=000"),
        ("c-9", 1, 4, "sched_waking: a:7 [120] success=1 CPU:000"),
        ("c-9", 1, 5, "sched_wakeup_new: comm=d pid=11 prio=120 success=1 target_cpu=001"),
        ("c-9", 1, 6, "task_newtask: pid=12 comm=e clone_flags=3d0f00 oom_score_adj=0"),
        ("c-9", 1, 7, "task_newtask: pid=13 comm=f clone_flags=1200011 oom_score_adj=0"),
        ("e-12", 1, 8, "task_rename: pid=12 oldcomm=e newcomm=the new one oom_score_adj=0"),
        ("c-9", 1, 9, "sched_waking: comm=the new one pid=12 prio=120 target_cpu=000"),
        ("c-9", 1, 10, "sched_process_exit: comm=c pid=9 prio=120"),
    ]);
    let expected =
        ["7 S 1-3 io_wait=true, blocked_function=f+0x1/0x2", "7 R 3-10 waker=8", "12 R 9-10 waker=9"];
    assert_eq!(states(&trace), expected);
    let names: Vec<_> = trace.tracks().iter().map(|track| trace.name(track.name).into_owned()).collect();
    assert_eq!(names, ["a", "the new one"]);
}

#[test]
fn ftrace_4_3_frequencies_are_counters() {
    let trace = read(&[
        ("<idle>-0", 0, 1, "cpu_idle: state=4294967295 cpu_id=3"),
        ("k-9", 0, 2, "cpu_frequency_limits: min=300 max=2000 cpu_id=1"),
        ("k-9", 0, 3, "clock_set_rate: gpu clk state=200 cpu_id=0"),
        ("k-9", 0, 4, "thermal_temperature: thermal_zone=cpu 0 id=1 temp_prev=41 temp=42"),
        ("k-9", 0, 5, "cdev_update: type=fan-0 target=3"),
        ("k-9", 0, 6, "rss_stat: size=8192 member=1"),
        ("k-9", 0, 7, "cpu_frequency: state=abc cpu_id=0"),
        ("k-9", 0, 8, "cpu_idle: state=1"),
    ]);
    let expected = [
        "Cpu 1 Max Freq Limit 2 2000",
        "Cpu 1 Min Freq Limit 2 300",
        "Cpu 3 cpuidle 1 4294967295",
        "cpu 0 Temperature 4 42",
        "fan-0 Cooling Device 5 3",
        "gpu clk Frequency 3 200",
        "mem.rss.anon 6 8192",
    ];
    assert_eq!(counters(&trace), expected);
    // A state that is no number is damage, and an event without a processor says nothing.
    assert_eq!(count(&trace, DiagnosticKind::DamagedEvent), 1);
    assert_eq!(count(&trace, DiagnosticKind::NotRead), 1);
}

#[test]
fn ftrace_4_4_interrupts_are_slices_of_their_processor() {
    let trace = read(&[
        ("a-7", 0, 1, "softirq_entry: vec=1 [action=TIMER]"),
        ("a-7", 0, 2, "irq_handler_entry: irq=30 name=eth0 rx"),
        ("a-7", 0, 3, "irq_handler_exit: irq=30 ret=handled"),
        ("a-7", 0, 4, "softirq_exit: vec=1 [action=TIMER]"),
        ("a-7", 1, 5, "ipi_entry: (Rescheduling interrupts)"),
        ("a-7", 1, 6, "ipi_exit: (Rescheduling interrupts)"),
    ]);
    let has_slices = |track: &&Track| trace.slices_of(track.id).next().is_some();
    let shown = trace.tracks().iter().filter(has_slices);
    let names: Vec<_> = shown.map(|track| trace.name(track.name).into_owned()).collect();
    assert_eq!(names, ["Cpu 0 Irq", "Cpu 0 SoftIrq", "Cpu 1 Ipi"]);
    let names: Vec<_> = trace.slices().names().iter().map(|&name| trace.name(name).into_owned()).collect();
    assert_eq!(names, ["IRQ (eth0 rx)", "TIMER", "IPI (Rescheduling interrupts)"]);
}

#[test]
fn ftrace_4_5_transactions_of_binder_are_slices_and_flows() {
    let sent = |number, reply, flags| {
        format!(
            "binder_transaction: transaction={number} dest_node=5 dest_proc=2 dest_thread=0 reply={reply} flags=0x{flags} code=0x1"
        )
    };
    let trace = read(&[
        ("client-7", 0, 1, &sent(1, 0, "10")),
        ("server-8", 1, 3, "binder_transaction_received: transaction=1"),
        ("server-8", 1, 5, &sent(2, 1, "0")),
        ("client-7", 0, 7, "binder_transaction_received: transaction=2"),
        ("client-7", 0, 8, &sent(3, 0, "11")),
        ("server-8", 1, 9, "binder_transaction_received: transaction=3"),
        ("client-7", 0, 10, "binder_lock: tag=ioctl"),
        ("client-7", 0, 11, "binder_locked: tag=ioctl"),
        ("client-7", 0, 12, "binder_unlock: tag=ioctl"),
        ("client-7", 0, 13, "binder_unlock: tag=ioctl"),
        ("client-7", 0, 14, &sent(4, 0, "10")),
        ("client-7", 0, 15, "binder_return: cmd=0x7211 BR_FAILED_REPLY"),
        ("client-7", 0, 16, "binder_return: cmd=0x7211 BR_FAILED_REPLY"),
    ]);
    let expected = [
        "7/7 binder lock held 11-12",
        "7/7 binder lock waiting 10-11",
        "7/7 binder transaction 1-7",
        "7/7 binder transaction 14-15",
        "7/7 binder transaction async 8-8",
        "8/8 binder async rcv 9-9",
        "8/8 binder reply 3-5",
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(trace.flows().len(), 2);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedEnd), 1);
}

#[test]
fn ftrace_4_6_other_events_are_counted_by_name() {
    let mut lines =
        vec![("a-7", 0, 1, "print: I|7|a"), ("a-7", 0, 2, "cpu_idle: [FAILED TO PARSE] state=1 cpu_id=0")];
    let names = ["one: x", "two: x", "three: x", "four: x", "sys_read(fd: 3)", "six: x"];
    lines.extend(names.iter().map(|&name| ("a-7", 0, 3, name)));
    lines.push(("a-7", 0, 4, "one: y"));
    let trace = read(&lines);
    assert_eq!(count(&trace, DiagnosticKind::NotRead), 8);
    assert_eq!(fact(&trace, "events_not_read"), "one=2, cpu_idle=1, four=1, six=1, sys_read=1, (others)=2");
}

#[test]
fn ftrace_5_1_ticks_are_nanoseconds_of_the_text() {
    let trace = load(b" a-7 [0] .... 9007199.254740993: print: I|7|a\n").unwrap();
    assert_eq!(trace.instants()[0].at.0, 9_007_199_254_740_993);
    assert_eq!(trace.clock(), Clock::NANOSECONDS);
}

#[test]
fn ftrace_5_2_a_text_says_what_other_clocks_showed() {
    let trace = read(&[
        ("a-7", 0, 0, "print: trace_event_clock_sync: parent_ts=9.500000"),
        ("a-7", 0, 0, "print: trace_event_clock_sync: realtime_ts=1448979311493"),
        ("a-7", 0, 1, "print: trace_event_clock_sync: realtime_ts=3720325137"),
        ("a-7", 0, 2, "print: I|7|a"),
    ]);
    let expected = Clock::NANOSECONDS
        .with_epoch_ns(Some(1_448_979_311_493_000_000 - 10_000_000_000))
        .with_monotonic_ns(Some(-500_000_000));
    assert_eq!(trace.clock(), expected);
    assert_eq!(us(trace.instants()[0].at.0), 2);
    assert_eq!(count(&trace, DiagnosticKind::BadEpoch), 1);
}

#[test]
fn ftrace_6_1_lines_that_fit_nothing_are_left_out() {
    let long = format!(" a-7 [000] .... 10.000003: print: B|7|{}\n", "x".repeat(70_000));
    let file = format!(
        "# tracer: nop\n{MARK} a-7 [000] .... 10.000002: cpu_idle: state=1 cpu_id=0\nwhat is this\n\0\x01\x02\n{long} a-7 [000] .... 10.000004: print: B|7|cut"
    );
    let trace = load(file.as_bytes()).unwrap();
    assert_eq!(slices(&trace), ["7/7 a 1-2"]);
    assert_eq!(count(&trace, DiagnosticKind::Junk), 3);
    assert_eq!(count(&trace, DiagnosticKind::Truncated), 1);
}

/// [ftrace 6.2]
#[test]
fn hostile_names_take_linear_time() {
    let line = format!("{} 10.000001: x\n", "-1 [0] ".repeat(9000));
    let file = format!("{MARK}{}", line.repeat(200));
    let trace = load(file.as_bytes()).unwrap();
    assert_eq!(slices(&trace), ["7/7 a 1-2"]);
}

/// Every slice, state and counter of the packets of Perfetto that a text has the events of.
#[test]
fn perfetto_4_6_text_and_packets_of_the_same_events_mean_the_same() {
    let (text, packets) = ftrace::both(60);
    let (text, packets) = (load(text.as_bytes()).unwrap(), load(&packets).unwrap());
    assert_eq!(slices(&text), slices(&packets));
    assert_eq!(states(&text), states(&packets));
    assert_eq!(counters(&text), counters(&packets));
    assert_eq!(text.flows().len(), packets.flows().len());
    assert!(text.slices().len() > 30 && text.states().len() > 30 && text.counters().len() > 10);
}
