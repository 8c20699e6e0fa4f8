//! Costs by function: Callgrind, Cachegrind and Xdebug, and profiles of memory by dhat and V8. [callgrind] [heap]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value as Json;
use spall_synth::costs;
use spall_trace::{
    Error, Format, Loader, detect,
    format::container::decompress,
    load,
    model::{DiagnosticKind, Frame, Limits, Measure, Tick, Trace, TraceView, TrackSet, Unit},
};

/// The weights of a profile.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    /// By the innermost function.
    own: BTreeMap<String, f64>,
    /// By each function of a stack, once.
    inclusive: BTreeMap<String, f64>,
    stacks: BTreeMap<String, f64>,
}

fn sums(trace: &Trace) -> BTreeMap<String, Sums> {
    let mut all: BTreeMap<String, Sums> = BTreeMap::new();
    let frame = |id| *trace.frame(id).unwrap();
    for profile in trace.profiles() {
        let sums = all.entry(trace.name(profile.name).into_owned()).or_default();
        for sample in trace.samples_of(profile) {
            let up = |of: &Frame| of.parent.map(frame);
            let path = core::iter::successors(sample.frame().map(frame), up);
            let mut stack: Vec<_> = path.map(|frame| trace.name(frame.name).into_owned()).collect();
            *sums.own.entry(stack[0].clone()).or_default() += sample.weight;
            stack.reverse();
            for name in stack.iter().collect::<BTreeSet<_>>() {
                *sums.inclusive.entry(name.clone()).or_default() += sample.weight;
            }
            *sums.stacks.entry(stack.join(";")).or_default() += sample.weight;
        }
    }
    all
}

/// Returns the stacks of a profile with their weights.
fn stacks(trace: &Trace, profile: &str) -> Vec<(String, f64)> {
    sums(trace).remove(profile).unwrap_or_default().stacks.into_iter().collect()
}

fn check(file: &str, profile: &str, expected: &[(&str, f64)]) -> Trace {
    let trace = load(file.as_bytes()).unwrap();
    let expected: Vec<_> = expected.iter().map(|&(stack, weight)| (stack.to_owned(), weight)).collect();
    assert_eq!(stacks(&trace, profile), expected, "{file}");
    trace
}

/// Returns the innermost frames of the samples of the profile that counts.
fn innermost(trace: &Trace) -> impl Iterator<Item = &Frame> {
    trace.samples_of(&trace.profiles()[0]).iter().map(|sample| trace.frame(sample.frame().unwrap()).unwrap())
}

fn count(trace: &Trace, kind: DiagnosticKind) -> u64 {
    trace.diagnostics().count(kind)
}

/// [callgrind 2.1] [callgrind 2.2] [heap 2.1] [heap 3.1]
#[test]
fn formats_are_told_by_their_headers_and_keys() {
    for (data, format) in [
        (costs::callgrind(9), Format::Callgrind),
        (costs::xdebug(9), Format::Callgrind),
        (costs::dhat(9), Format::Dhat),
        (costs::heap_profile(9), Format::HeapProfile),
    ] {
        assert_eq!(detect(&data), Some(format));
        let trace = load(&data).unwrap();
        assert!(
            !trace.samples().is_empty() && trace.diagnostics().is_empty(),
            "{format}: {}",
            trace.diagnostics()
        );
    }
    for text in [
        "events: Ir\nfn=f\n1 2\n",
        "\u{feff}desc: a\r\ncmd: ./a\r\nevents: Ir\r\nfl=a.c\r\nfn=f\r\n",
        "version: 1\ncreator: callgrind-3\nevents: Ir Dr\n\ntotals: 0\n",
        "# a comment\n\npositions: line\nfl=a.c\nevents: Ir\nfn=f\n",
    ] {
        assert_eq!(detect(text.as_bytes()), Some(Format::Callgrind), "{text}");
    }
    for text in [
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nevents: a\r\n\r\nfn=f\r\n",
        "From: a@b\nSubject: events: a\n\nfn=f\n",
        "name: ci\nevents: push\njobs:\n  - a\n",
        "events: push\n",
        "[events]\nfn=f\nevents: a\n",
        "name: a\nfn=f\n",
        "fn=f\nevents: Ir\n",
    ] {
        assert_ne!(detect(text.as_bytes()), Some(Format::Callgrind), "{text}");
    }
    for document in [
        r#"{"head":{"functionName":"(root)","hitCount":1,"children":[]},"startTime":1}"#,
        r#"{"snapshot":{"meta":{}},"nodes":[],"strings":[]}"#,
        r#"{"head":{},"samples":[]}"#,
        r#"{"traceEvents":[],"pps":[],"ftbl":[]}"#,
    ] {
        assert!(
            !matches!(detect(document.as_bytes()), Some(Format::HeapProfile | Format::Dhat)),
            "{document}"
        );
    }
    let snapshot = load(br#"{"snapshot":{"meta":{}},"nodes":[],"strings":[]}"#).unwrap_err();
    assert!(snapshot.to_string().contains("a heap snapshot of V8"), "{snapshot}");
    let version = load(br#"{"dhatFileVersion":3,"pps":[],"ftbl":[]}"#).unwrap_err();
    assert!(version.to_string().contains("version 3"), "{version}");
}

/// [callgrind 1.1] [callgrind 1.2] [callgrind 2.5] [callgrind 4.1]
#[test]
fn each_event_is_a_profile() {
    let file = "desc: I1 cache: 1\ncmd: ./a\nevents: Ir Dr Bc\nfl=a.c\nfn=f\n1 4\n+1 3 0x2\nfn=g\n* 5 1 0 7\n9\n1 x\n";
    let trace = check(file, "Ir", &[("f", 7.0), ("g", 5.0)]);
    assert_eq!(stacks(&trace, "Dr"), [("f".to_owned(), 2.0), ("g".to_owned(), 1.0)]);
    assert_eq!(
        trace.profiles().iter().map(|profile| trace.name(profile.name)).collect::<Vec<_>>(),
        ["Ir", "Dr"]
    );
    assert_eq!(count(&trace, DiagnosticKind::DamagedEvent), 1);
    assert_eq!(trace.clock().unit.counted(), Some("Ir"));
    assert_eq!(trace.bounds(), Some(Tick(0)..Tick(12)));
    let frames: Vec<_> = innermost(&trace).map(|frame| frame.line).collect();
    assert_eq!(frames, [Some(0), Some(1)]);
    // A sum below 0 is no width. [callgrind 1.2]
    let file = "creator: xdebug 3\nevents: Time_(10ns) Memory_(bytes)\nfn=f\n1 5 -8\nfn=g\n1 5 8\n";
    let trace = check(file, "Memory_(bytes)", &[("g", 8.0)]);
    assert_eq!(count(&trace, DiagnosticKind::NegativeWeight), 1);
}

/// [callgrind 2.3] [callgrind 2.4] [callgrind 2.6]
#[test]
fn names_files_and_calls_are_those_in_force() {
    let file = "events: Ir\nob=(1) a.so\nfl=(1) a.c\nfn=(1) main\n1 1\nfi=(2) b.h\n2 1\n\
        cfn=(2) g\ncalls=1 1\n3 10\nfn=(3) (12x) f\n4 1\ncob=(9)\ncfn=(2)\ncalls=1 1\n4 5\nfl=(2)\nfn=(2)\n1 10\njump=1 3\n9\njcnd=1/2 0\n* \n";
    let trace = check(file, "Ir", &[("(12x) f", 1.0), ("main", 2.0), ("main;g", 10.0)]);
    // The object (9) was never given.
    assert_eq!(count(&trace, DiagnosticKind::UnknownEntry), 1);
    // The only function of the name in the object is meant.
    let file = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfi=c.c\ncfn=g\ncalls=1 1\n3 10\nfl=b.c\nfn=g\n1 10\n";
    check(file, "Ir", &[("main", 1.0), ("main;g", 10.0)]);
}

/// [callgrind 2.7] [callgrind 2.8]
#[test]
fn parts_add_up_and_threads_are_threads() {
    let part =
        |thread: u32, cost: u32| format!("part: 1\nthread: {thread}\nevents: Ir\nfn=(1) f\n1 {cost}\n\n");
    let file = ["pid: 7\n".to_owned(), part(1, 3), part(2, 5), part(1, 4)].concat();
    let trace = load(file.as_bytes()).unwrap();
    let of_thread = |thread: usize| trace.samples_of(&trace.profiles()[thread])[0].weight;
    assert_eq!((trace.profiles().len(), of_thread(0), of_thread(1)), (2, 7.0, 5.0));
    for (event, creator, unit) in [
        ("Time_(10ns)", "xdebug 3", Unit::Nanoseconds(10.0)),
        ("Time_(µs)", "xdebug 3", Unit::Nanoseconds(1000.0)),
        ("Time", "xdebug 2", Unit::Nanoseconds(1000.0)),
        ("Memory", "xdebug 2", Unit::Bytes),
    ] {
        let file = format!("creator: {creator}\nevents: {event}\nfn=f\n1 3\n");
        let trace = check(&file, event, &[("f", 3.0)]);
        assert_eq!(trace.clock().unit, unit);
    }
}

/// [callgrind 2.9]
#[test]
fn events_and_sums_have_limits() {
    let names: Vec<_> = (0..70).map(|event| format!("e{event}")).collect();
    let file = format!("events: {}\nfn=f\n1{}\n", names.join(" "), " 1".repeat(70));
    let trace = load(file.as_bytes()).unwrap();
    assert_eq!((trace.profiles().len(), count(&trace, DiagnosticKind::BadField)), (64, 1));
    let file = "events: Ir Ir\nfn=f\n1 9223372036854775807 7\n1 9223372036854775808\n";
    let trace = load(file.as_bytes()).unwrap();
    assert_eq!(
        (count(&trace, DiagnosticKind::BadField), count(&trace, DiagnosticKind::TimeOutOfRange)),
        (1, 1)
    );
}

/// [callgrind 3.1] [callgrind 3.2] [callgrind 3.3] [callgrind 3.4] [callgrind 3.6]
#[test]
fn the_tree_of_a_graph_has_the_costs_of_all_functions() {
    let file = String::from_utf8(costs::callgrind(200)).unwrap();
    let trace = load(file.as_bytes()).unwrap();
    assert!(trace.stacks_are_estimated());
    let mut own = BTreeMap::new();
    let mut function = String::new();
    let mut lines = file.lines();
    while let Some(line) = lines.next() {
        if let Some((_, name)) = line.strip_prefix("fn=").and_then(|name| name.split_once(' ')) {
            function = name.to_owned();
        } else if line.starts_with("calls=") {
            lines.next();
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            *own.entry(function.clone()).or_default() +=
                line.split(' ').nth(1).unwrap().parse::<f64>().unwrap();
        }
    }
    let all = sums(&trace);
    for (name, cost) in &own {
        assert!((all["Ir"].own[name] - cost).abs() < 1e-6 * cost, "{name}");
    }
    // The widths of a function on the axis are whole numbers, and add up.
    let tree = spall_trace::merged_call_tree(&trace, TrackSet::All, Measure::WallTime);
    let mut widths: BTreeMap<String, f64> = BTreeMap::new();
    for function in tree.functions() {
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let width = function.self_time.0 as f64;
        *widths.entry(trace.name(function.function.name).into_owned()).or_default() += width;
    }
    widths.retain(|_, width| *width > 0.0);
    assert_eq!(widths, own);
}

/// [callgrind 3.5]
#[test]
fn what_has_no_place_in_a_tree_lies_below_the_rest() {
    let (_, file) = costs::attacks(60).swap_remove(0);
    let trace = load(&file).unwrap();
    assert_eq!(count(&trace, DiagnosticKind::CallGraphLimit), 2);
    let rest = trace.meta().iter().find(|meta| trace.name(meta.key) == "(rest)").unwrap();
    assert!(trace.meta_value(rest).to_string().ends_with(" % of Ir"));
    assert!(sums(&trace)["Ir"].inclusive["(rest)"] > 0.0);
}

/// [callgrind 3.7]
#[test]
fn xdebug_has_the_tree_of_the_calls_themselves() {
    let call = |name: &str, cost: u32| format!("cfl=a\ncfn={name}\ncalls=1 0 0\n2 {cost} 0\n");
    let head = "version: 1\ncreator: xdebug 3.2.0\nevents: Time_(10ns) Memory_(bytes)\n";
    let block = |name: &str, cost: u32, calls: &str| format!("fl=a\nfn={name}\n1 {cost} 0\n{calls}\n");
    let file = [
        head.to_owned(),
        block("leaf", 1, ""),
        block("a", 2, &call("leaf", 1)),
        block("leaf", 10, ""),
        block("leaf", 20, ""),
        block("b", 5, &(call("leaf", 10) + &call("leaf", 20))),
        block("leaf", 3, ""),
        block("a", 4, &call("leaf", 3)),
        block("{main}", 7, &(call("a", 3) + &call("b", 35) + &call("a", 7))),
    ];
    let expected = [
        ("{main}", 7.0),
        ("{main};a", 6.0),
        ("{main};a;leaf", 4.0),
        ("{main};b", 5.0),
        ("{main};b;leaf", 30.0),
    ];
    let trace = check(&file.concat(), "Time_(10ns)", &expected);
    assert!(!trace.stacks_are_estimated());
    // A block that does not fit makes it a graph, whose averages are others.
    let cut = [&file[..1], &file[2..]].concat().concat();
    let trace = load(cut.as_bytes()).unwrap();
    assert!(trace.stacks_are_estimated());
    assert_eq!(sums(&trace)["Time_(10ns)"].own["leaf"], 33.0);
    // So does memory that is given back, but for the event of its own alone.
    let given_back = file.concat().replace("1 20 0\n", "1 20 -5\n").replace("1 5 0\n", "1 5 9\n");
    let trace = check(&given_back, "Time_(10ns)", &expected);
    assert_eq!(sums(&trace)["Memory_(bytes)"].own["b"], 9.0);
}

/// [callgrind 2.5] [callgrind 2.6]
#[test]
fn lines_that_fit_nothing_are_counted() {
    let file = "events: Ir\n\n1 5\nfn=f\n1 4\nnonsense\n2 x\n4 2\ncalls=1 5\ncfn=g\n5 6\nzz=(1) a\n+99999999999999999999 7\ncfn=g\ncalls=1 5\n";
    let trace = check(&["# callgrind format\n", file].concat(), "Ir", &[("f", 6.0)]);
    assert_eq!((count(&trace, DiagnosticKind::Junk), count(&trace, DiagnosticKind::DamagedEvent)), (5, 2));
    let error = load(b"# callgrind format\nversion: 1\n").unwrap_err();
    assert!(error.to_string().contains("Callgrind"), "{error}");
    let error = Loader::new().with_format(Format::Callgrind).load(b"fn=f\n1 2\n").unwrap_err();
    assert!(matches!(error, Error::Binary(_) | Error::UnknownFormat { .. }), "{error}");
}

const FRAMES: &str =
    r#""ftbl":["[root]","0x1: f (a.c:4)","0x2: main (a.c:9)","0x3: f (a.c:2)","0x4: ??? (in /lib/x.so)"]"#;

/// [heap 1.1] [heap 2.2] [heap 2.3] [heap 2.5]
#[test]
fn dhat_has_profiles_of_bytes_and_blocks() {
    let file = format!(
        r#"{{"pps":[{{"tb":10,"tbk":2,"tl":8,"gb":0,"gbk":0,"mb":4,"fs":[1,2]}},{{"fs":[3,0,2],"tb":5,"tbk":1,"mb":5}},
            {{"tb":3,"tbk":1,"fs":[]}},{{"tb":2,"tbk":1,"fs":[0]}},{{"tb":9,"fs":[1,7]}},{{"tb":6,"tbk":1,"fs":[4]}}],
            {FRAMES},"cmd":"./a","pid":9,"mode":"heap","tu":"instrs","dhatFileVersion":2}}"#
    );
    let expected = [("0x4", 6.0), ("[root]", 5.0), ("main", 0.0), ("main;f", 15.0)];
    let expected: Vec<_> = expected.into_iter().filter(|&(_, weight)| weight > 0.0).collect();
    let trace = check(&file, "total/bytes", &expected);
    assert_eq!(stacks(&trace, "total/blocks").len(), 3);
    assert_eq!(stacks(&trace, "max/bytes"), [("main;f".to_owned(), 9.0)]);
    assert_eq!(sums(&trace).len(), 3, "values that are 0 everywhere are no profile");
    assert_eq!((trace.clock().unit, count(&trace, DiagnosticKind::UnknownEntry)), (Unit::Bytes, 1));
    let fact = |key: &str| trace.meta().iter().any(|meta| trace.name(meta.key) == key);
    assert!(fact("mode") && fact("tu") && fact("max/bytes"));
    let lines: BTreeSet<_> = innermost(&trace).map(|frame| frame.line).collect();
    assert_eq!(lines, [None, Some(1)].into());
    // Other words for what is counted. [heap 2.3]
    let ad_hoc = format!(
        r#"{{"dhatFileVersion":2,"mode":"ad-hoc","bsu":"units","bksu":"events","pps":[{{"tb":7,"tbk":2,"fs":[1]}}],{FRAMES}}}"#
    );
    let trace = check(&ad_hoc, "total/units", &[("f", 7.0)]);
    assert_eq!(
        (trace.clock().unit.counted(), sums(&trace).contains_key("total/events")),
        (Some("units"), true)
    );
}

/// [heap 1.2]
#[test]
fn a_document_that_is_cut_or_broken_is_an_error_with_its_place() {
    for (file, behind) in [
        (r#"{"dhatFileVersion":2,"pps":[{"tb":1,"fs":[1"#, ""),
        (r#"{"dhatFileVersion":2,"pps":[{"tb":1}],"ftbl":["[root]"],"#, ""),
        (r#"{"head":{"callFrame":{},"selfSize":1,"children":["#, ""),
        (r#"{"head":{"callFrame":{},"selfSize":1,"children":["#, "}]}}"),
    ] {
        let error = load([file, behind].concat().as_bytes()).unwrap_err();
        assert_eq!(error.offset(), file.len() as u64, "{file}: {error}");
    }
    let file = format!(
        r#"{{"dhatFileVersion":2,"pps":[{{"tb":"x","tbk":1,"fs":[1]}},{{"tb":-5,"tbk":1,"fs":[1]}}],{FRAMES}}} x"#
    );
    let trace = check(&file, "total/blocks", &[("f", 2.0)]);
    let kinds = [DiagnosticKind::BadField, DiagnosticKind::NegativeWeight, DiagnosticKind::TrailingData];
    assert_eq!(kinds.map(|kind| count(&trace, kind)), [1, 1, 1]);
}

fn heap(children: &str, samples: &str) -> String {
    format!(
        r#"{{"head":{{"callFrame":{{"functionName":"(root)","lineNumber":-1}},"selfSize":0,"id":1,"children":[{children}]}}{samples}}}"#
    )
}

/// [heap 3.2] [heap 3.3]
#[test]
fn heap_profiles_have_the_sizes_of_nodes() {
    let node = |name: &str, size: u32, id: u32, children: &str| {
        format!(
            r#"{{"children":[{children}],"selfSize":{size},"id":{id},"callFrame":{{"functionName":"{name}","url":"a.js","lineNumber":4,"columnNumber":2}}}}"#
        )
    };
    let tree = [node("f", 30, 2, &node("", 5, 3, "")), node("(V8 API)", 7, 4, "")].join(",");
    let expected = [("(root);(V8 API)", 7.0), ("(root);f", 30.0), ("(root);f;(anonymous)", 5.0)];
    let samples = |id: u32| {
        format!(
            r#","samples":[{{"size":20,"nodeId":2,"ordinal":9}},{{"size":7,"nodeId":{id},"ordinal":1}},
            {{"size":5,"nodeId":3,"ordinal":4}},{{"size":10,"nodeId":2,"ordinal":2}}]"#
        )
    };
    let weights = |trace: &Trace| trace.samples().iter().map(|sample| sample.weight).collect::<Vec<_>>();
    let trace = check(&heap(&tree, &samples(4)), "space/bytes", &expected);
    assert_eq!((weights(&trace), trace.diagnostics().is_empty()), (vec![7.0, 10.0, 5.0, 20.0], true));
    let frame = innermost(&trace).next().unwrap();
    assert_eq!((frame.line, frame.column), (Some(4), Some(2)));
    // Samples of a node that is not there, and none at all: the order is that of the tree.
    for (samples, unknown) in [(samples(44), 1), (r#","samples":[]"#.to_owned(), 0), (String::new(), 0)] {
        let trace = check(&heap(&tree, &samples), "space/bytes", &expected);
        assert_eq!(
            (weights(&trace), count(&trace, DiagnosticKind::UnknownEntry)),
            (vec![30.0, 5.0, 7.0], unknown)
        );
    }
    let nothing = load(heap("", r#","samples":[]"#).as_bytes()).unwrap();
    assert!(nothing.samples().is_empty() && nothing.diagnostics().is_empty());
}

/// [heap 3.4]
#[test]
fn nodes_may_lie_a_hundred_thousand_levels_deep() {
    let open = r#"{"callFrame":{"functionName":"f"},"selfSize":1,"children":["#;
    let file = heap(&[open.repeat(100_000), "]}".repeat(100_000)].concat(), "");
    let trace = load(file.as_bytes()).unwrap();
    assert_eq!(trace.samples().len(), 100_000);
}

/// What `.sums.json` files of the collection say. [callgrind] [heap]
#[test]
fn files_have_the_sums_of_an_independent_reading() {
    let mut n_files = 0;
    for folder in ["callgrind", "memory"] {
        let expected = [".sums.json", ".sums.json.gz"].map(|suffix| spall_testdata::inputs(folder, suffix));
        for path in expected.iter().flatten() {
            n_files += 1;
            compare(path);
        }
    }
    if n_files == 0 {
        spall_testdata::skipped("callgrind and memory of the collection");
    }
}

fn compare(path: &Path) {
    let data = std::fs::read(path).unwrap();
    let data = if path.extension().is_some_and(|end| end == "gz") {
        decompress(&data, &Limits::default()).unwrap().stream.into_owned()
    } else {
        data
    };
    let expected: Json = serde_json::from_slice(&data).unwrap();
    let name = path.to_string_lossy();
    let base = name.split(".sums.json").next().unwrap();
    let file = [base.to_owned(), format!("{base}.gz")].into_iter().find(|file| Path::new(file).exists());
    let all = sums(&load(&std::fs::read(file.unwrap()).unwrap()).unwrap());
    let is_graph = expected["events"].is_array();
    let is_close = |found: f64, wanted: f64| {
        (found - wanted).abs() <= if is_graph { (1e-6 * wanted).max(1.0) } else { 0.0 }
    };
    for (kind, values) in expected["values"].as_object().unwrap() {
        let wanted = values["self"].as_object().unwrap();
        let Some(found) = all.get(kind) else {
            assert!(wanted.is_empty(), "{name}: no {kind}");
            continue;
        };
        assert!(
            wanted
                .iter()
                .all(|(of, sum)| is_close(found.own.get(of).copied().unwrap_or(0.0), sum.as_f64().unwrap())),
            "{name} {kind}"
        );
        assert!(found.own.keys().all(|of| wanted.contains_key(of)), "{name} {kind}");
        if let Some(stacks) = values["stacks"].as_u64() {
            assert_eq!(found.stacks.len() as u64, stacks, "{name} {kind}");
        }
        let is_whole = !found.inclusive.contains_key("(rest)");
        for (of, sum) in values["inclusive"].as_object().into_iter().flatten().filter(|_| is_whole) {
            let found = found.inclusive.get(of).copied().unwrap_or(0.0);
            assert!(is_close(found, sum.as_f64().unwrap()), "{name} {kind}: {of} has {found}, not {sum}");
        }
    }
}
