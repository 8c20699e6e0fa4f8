//! The stacks that an export writes have an end, however often a small file repeats them.
#![cfg(feature = "pprof")]

use spall_trace::{
    export::{self, ExportReport, Loss, StackRoot},
    model::{Measure, Trace, TrackSet},
};

/// A profile whose stacks all are of one long function: `n` stacks of which each calls the next, and a sample of each.
fn stacks_of_a_long_name(n: usize) -> String {
    let list = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(",");
    let prefixes = list(&|at| if at == 0 { "null".to_owned() } else { (at - 1).to_string() });
    let (numbers, zeros) = (list(&|at| at.to_string()), list(&|_| "0".to_owned()));
    format!(
        r#"{{"meta":{{"interval":1,"startTime":0,"preprocessedProfileVersion":49}},"threads":[{{"name":"t",
        "pid":1,"tid":1,"stringArray":["{}"],"funcTable":{{"name":[0]}},"frameTable":{{"func":[0]}},
        "stackTable":{{"prefix":[{prefixes}],"frame":[{zeros}]}},
        "samples":{{"stack":[{numbers}],"time":[{numbers}]}}}}]}}"#,
        "n".repeat(10_000)
    )
}

/// A small file may have stacks without end: all samples of one that is deep, or many that have a long name.
#[test]
fn exports_of_call_stacks_have_an_end_and_count_what_is_missing() {
    let n = 20_000;
    let long = stacks_of_a_long_name(n);
    let deep = stacks_of_a_long_name(n).replace(&"n".repeat(10_000), "n");
    let bound = |data: &str, trace: &Trace| {
        let items = trace.slices().len() + trace.samples().len() + trace.frames().len();
        // As much again for all that is not in a stack.
        (64 << 20) + 64 * (data.len() + 32 * items) as u64 + 512 * items as u64
    };
    type Export = fn(&Trace, &mut Vec<u8>) -> std::io::Result<ExportReport>;
    let exports: [(&str, &str, Export); 4] = [
        ("folded", &long, |trace, out| {
            export::folded(trace, TrackSet::Threads, Measure::WallTime, StackRoot::Name, out)
        }),
        ("nested", &long, |trace, out| export::nested(trace, TrackSet::Threads, Measure::WallTime, out)),
        ("speedscope", &deep, |trace, out| export::speedscope(trace, "", out)),
        ("pprof", &deep, |trace, out| export::pprof(trace, TrackSet::Threads, out)),
    ];
    for (format, data, export) in exports {
        let trace = spall_trace::load(data.as_bytes()).unwrap();
        let mut file = Vec::new();
        let report = export(&trace, &mut file).unwrap();
        let bound = bound(data, &trace);
        assert!((file.len() as u64) < bound, "{format}: {} bytes, {bound} at most", file.len());
        assert!(report.count(Loss::DeepStack) > 0, "{format}");
    }
}

/// Threads of a few bytes each may share a stack. A path for each function of it would be a multiple of one.
#[test]
fn pprof_writes_a_path_where_samples_are() {
    let mut json = String::from(r#"{"stackFrames":{"#);
    for id in 0..200 {
        json += &format!(r#""{id}":{{"name":"f{id}","parent":"{}"}},"#, id - 1);
    }
    json += r#""end":{}},"samples":["#;
    for thread in 0..100 {
        json += &format!(r#"{{"pid":1,"tid":{thread},"ts":1,"weight":1,"sf":"199"}},"#);
    }
    json += "]}";
    let trace = spall_trace::load(json.as_bytes()).unwrap();
    let mut file = Vec::new();
    _ = export::pprof(&trace, TrackSet::Threads, &mut file).unwrap();
    assert!(file.len() < 100 * 600 + 20_000, "{} bytes", file.len());
}
