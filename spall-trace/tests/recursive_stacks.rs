//! A program that calls itself has hardly two equal stacks. Its profile keeps all of them, and a file that makes stacks
//! without end of a few bytes keeps its samples.

use core::fmt::Write as _;
use std::collections::HashMap;

use spall_synth::Random;
use spall_synth::perfetto::Message;
use spall_trace::load;
use spall_trace::model::{Budget, DiagnosticKind, Trace, TraceView};

const NAMES: [&str; 6] =
    ["parse_expr", "parse_call", "parse_term", "walk_tree", "visit_children", "eval_node"];

/// Returns so many stacks of functions by their numbers, outermost first.
fn stacks(n: usize) -> Vec<Vec<usize>> {
    let mut random = Random(5);
    let mut stack = || (0..20 + random.below(40_usize)).map(|_| random.below(NAMES.len())).collect();
    (0..n).map(|_| stack()).collect()
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>, between: &str) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(between)
}

fn folded(stacks: &[Vec<usize>]) -> Vec<u8> {
    let line = |stack: &Vec<usize>| list(stack.iter().map(|&at| NAMES[at]), ";") + " 1\n";
    stacks.iter().map(line).collect::<String>().into_bytes()
}

fn perf_script(stacks: &[Vec<usize>]) -> Vec<u8> {
    let mut text = String::new();
    for (stack, at) in stacks.iter().zip(0..) {
        _ = writeln!(text, "prog 7/7 [000] 1.{at:06}: 1 cycles:");
        stack.iter().rev().for_each(|&at| _ = writeln!(text, "\t{at:x} {} (/bin/x)", NAMES[at]));
        text.push('\n');
    }
    text.into_bytes()
}

fn pprof(stacks: &[Vec<usize>]) -> Vec<u8> {
    let number = |field, value| Message::new().number(field, value);
    let mut file = Message::new().message(1, &number(1, 1).number(2, 2));
    for stack in stacks {
        let locations: Vec<_> = stack.iter().rev().map(|&at| at as u64 + 1).collect();
        file = file.message(2, &Message::new().packed(1, &locations).packed(2, &[1]));
    }
    for id in 1..=NAMES.len() as u64 {
        file = file.message(4, &number(1, id).message(4, &number(1, id)));
        file = file.message(5, &number(1, id).number(2, id + 2));
    }
    let texts = ["", "samples", "count"].into_iter().chain(NAMES);
    texts.fold(file, |file, text| file.text(6, text)).bytes().to_vec()
}

fn perfetto(stacks: &[Vec<usize>]) -> Vec<u8> {
    let number = |field, value| Message::new().number(field, value);
    let mut data = Message::new();
    for (name, iid) in NAMES.into_iter().zip(1..) {
        data = data.message(5, &number(1, iid).raw(2, name.as_bytes()));
        data = data.message(6, &number(1, iid).number(2, iid));
    }
    for (stack, iid) in stacks.iter().zip(1..) {
        let stack = stack.iter().fold(number(1, iid), |all, &at| all.number(2, at as u64 + 1));
        data = data.message(7, &stack);
    }
    let file = Message::new().message(1, &number(8, 1).number(10, 1).number(13, 1).message(12, &data));
    let sample = |iid| number(2, 7).number(3, 7).number(4, iid);
    let packet = |iid| number(8, iid).number(10, 1).number(13, 2).message(66, &sample(iid));
    (1..=stacks.len() as u64).fold(file, |file, iid| file.message(1, &packet(iid))).bytes().to_vec()
}

fn speedscope(stacks: &[Vec<usize>]) -> Vec<u8> {
    let frames = list(NAMES.map(|name| format!("{{\"name\":\"{name}\"}}")), ",");
    let samples = list(stacks.iter().map(|stack| format!("[{}]", list(stack, ","))), ",");
    let weights = list(stacks.iter().map(|_| 1), ",");
    format!(
        "{{\"shared\":{{\"frames\":[{frames}]}},\"profiles\":[{{\"type\":\"sampled\",\"unit\":\"milliseconds\",\
         \"startValue\":0,\"samples\":[{samples}],\"weights\":[{weights}]}}]}}"
    )
    .into_bytes()
}

fn firefox(stacks: &[Vec<usize>]) -> Vec<u8> {
    let (mut rows, mut frames, mut prefixes, mut samples) = (HashMap::new(), vec![], vec![], vec![]);
    for stack in stacks {
        let mut caller = None;
        for &function in stack {
            let row = *rows.entry((caller, function)).or_insert_with(|| {
                frames.push(function);
                prefixes.push(caller.map_or("null".to_owned(), |caller: usize| caller.to_string()));
                frames.len() - 1
            });
            caller = Some(row);
        }
        samples.push(caller.unwrap());
    }
    let (numbers, names) = (list(0..NAMES.len(), ","), list(NAMES.map(|name| format!("\"{name}\"")), ","));
    format!(
        "{{\"meta\":{{\"preprocessedProfileVersion\":60,\"interval\":1}},\"threads\":[{{\"samples\":{{\"stack\":[{}],\
         \"time\":[{}]}},\"stackTable\":{{\"frame\":[{}],\"prefix\":[{}]}},\"frameTable\":{{\"func\":[{numbers}]}},\
         \"funcTable\":{{\"name\":[{numbers}]}},\"stringArray\":[{names}]}}]}}",
        list(&samples, ","),
        list(1..=samples.len(), ","),
        list(&frames, ","),
        list(&prefixes, ",")
    )
    .into_bytes()
}

type Writer = fn(&[Vec<usize>]) -> Vec<u8>;

const FORMATS: [(&str, Writer); 6] = [
    ("folded", folded),
    ("perf script", perf_script),
    ("pprof", pprof),
    ("perfetto", perfetto),
    ("speedscope", speedscope),
    ("firefox", firefox),
];

/// Returns the stacks of all samples, sorted.
fn read(trace: &Trace) -> Vec<Vec<&str>> {
    let mut found: Vec<_> = trace
        .samples()
        .iter()
        .map(|sample| {
            let frames = core::iter::successors(sample.frame(), |&frame| trace.frame(frame).unwrap().parent);
            let names = frames
                .map(|frame| core::str::from_utf8(trace.names().bytes(trace.frame(frame).unwrap().name)));
            let mut names: Vec<_> = names.map(Result::unwrap).collect();
            names.reverse();
            names
        })
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn profiles_1_7_a_profile_of_a_recursive_program_keeps_every_stack() {
    let stacks = stacks(250);
    let mut expected: Vec<Vec<_>> =
        stacks.iter().map(|stack| stack.iter().map(|&at| NAMES[at]).collect()).collect();
    expected.sort_unstable();
    for (name, write) in FORMATS {
        let trace = load(&write(&stacks)).unwrap();
        assert_eq!(trace.diagnostics().count(DiagnosticKind::StackLimit), 0, "{name}");
        assert!(read(&trace) == expected, "{name}: {:?}", trace.diagnostics().counts());
    }
}

#[test]
fn profiles_1_7_a_file_of_nothing_but_new_stacks_keeps_every_sample() {
    // A deep stack spends the budget. The one behind it begins like it, and the last one is below no known caller.
    let deep = vec![0; 60_000];
    let mut stacks = vec![vec![0]; 12];
    stacks.extend([deep, vec![0, 1], vec![1, 0]]);
    let mut n_formats_cut = 0;
    for (name, write) in FORMATS {
        let data = write(&stacks);
        let trace = load(&data).unwrap();
        let n_paid = (Budget::FREE + data.len() as u64) / Budget::FRAME;
        let is_cut = n_paid < 60_000;
        let found = read(&trace);
        assert_eq!(found.len(), 15, "{name}");
        let n_cut = trace.diagnostics().count(DiagnosticKind::StackLimit);
        // The bytes of the last samples may pay for a frame.
        assert!(if is_cut { (1..=3).contains(&n_cut) } else { n_cut == 0 }, "{name}: {n_cut}");
        n_formats_cut += u64::from(is_cut);
        let depth = found.iter().map(Vec::len).max().unwrap();
        assert!(if is_cut { (10_000..60_000).contains(&depth) } else { depth == 60_000 }, "{name}: {depth}");
        let others = found.iter().filter(|stack| stack[..] != [NAMES[0]]).count();
        assert!(others <= 3, "{name}: {others}");
    }
    // A call takes more bytes than its price in the others.
    assert_eq!(n_formats_cut, 3);
}

#[test]
fn profiles_1_7_a_sample_of_json_needs_the_bytes_of_a_stack_or_a_time() {
    let n_samples = 100_000;
    for (stack, is_whole) in [("[]", false), ("[0]", true)] {
        let samples = list(core::iter::repeat_n(stack, n_samples), ",");
        let profile = format!("{{\"type\":\"sampled\",\"samples\":[{samples}]}}");
        let file = format!("{{\"shared\":{{\"frames\":[{{\"name\":\"f\"}}]}},\"profiles\":[{profile}]}}");
        let trace = load(file.as_bytes()).unwrap();
        let n_missing = trace.diagnostics().count(DiagnosticKind::SampleCount);
        let n_paid = (Budget::FREE + file.len() as u64) / Budget::SAMPLE;
        assert_eq!(trace.samples().len() as u64, n_paid.min(n_samples as u64), "{stack}");
        assert_eq!(trace.samples().len() as u64 + n_missing, n_samples as u64, "{stack}");
        assert_eq!(n_missing == 0, is_whole, "{stack}: {n_missing}");
    }
}

#[test]
fn profiles_1_7_a_thread_of_perf_script_needs_the_bytes_of_a_sample() {
    let n_threads = 10_000;
    for (event, is_whole) in
        [("", false), (" a-trace-point:of-a-name-of-a-usual-length-with-its-group:", true)]
    {
        let file: String = (0..n_threads).map(|n| format!("a {n} 1.5:{event}\n")).collect();
        // Without frames, only the comment tells what the first of them is.
        let file = ["# ========\n# captured on: today\n", &file].concat();
        let trace = load(file.as_bytes()).unwrap();
        let n_missing = trace.diagnostics().count(DiagnosticKind::TrackLimit);
        assert_eq!(trace.samples().len() as u64 + n_missing, n_threads);
        assert_eq!(n_missing == 0, is_whole, "{event}: {n_missing}");
    }
}
