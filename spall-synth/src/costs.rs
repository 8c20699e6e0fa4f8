//! The generators of costs by function: Callgrind's text, that of Xdebug, and profiles of memory by dhat and V8.

use core::fmt::Write as _;

use crate::Random;

/// What begins a file of Callgrind with two events.
const HEAD: &str = "# callgrind format\nversion: 1\ncreator: synth\npositions: line\nevents: Ir Dr\n\n";

/// Returns a call graph of this many functions, of which each calls up to three others with larger numbers, and itself at times.
#[must_use]
pub fn callgrind(functions: usize) -> Vec<u8> {
    let mut random = Random(21);
    let mut text = String::from(HEAD);
    for function in 0..functions {
        let file = function / 8;
        _ = writeln!(text, "fl=({file}) src/file_{file}.c\nfn=({function}) function_{function}(int, char*)");
        for line in 0..1 + random.below(4) {
            _ = writeln!(text, "{} {} {}", 10 + line, 1 + random.below(900_usize), random.below(90_usize));
        }
        for _ in 0..random.below(4_usize) {
            let callee = function + random.below(functions - function);
            _ = writeln!(
                text,
                "cfi=({0}) src/file_{0}.c\ncfn=({callee}) function_{callee}(int, char*)",
                callee / 8
            );
            _ = writeln!(
                text,
                "calls={} 10\n+1 {} {}",
                1 + random.below(9_usize),
                random.below(9000_usize),
                random.below(900_usize)
            );
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// A call that Xdebug has recorded, and the calls that it made.
struct Call {
    function: usize,
    calls: Vec<Call>,
}

/// Returns a file of Xdebug with at least this many calls.
#[must_use]
pub fn xdebug(calls: usize) -> Vec<u8> {
    let mut random = Random(22);
    let mut main = Call { function: 0, calls: Vec::new() };
    let mut n_calls = 1;
    while n_calls < calls {
        let call = random_call(&mut random, 6, &mut n_calls);
        main.calls.push(call);
    }
    let mut text = String::from(
        "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: /srv/main.php\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n",
    );
    write_call(&main, &mut text);
    text += "summary: 100 100\n\n";
    text.into_bytes()
}

fn random_call(random: &mut Random, depth: usize, n_calls: &mut usize) -> Call {
    *n_calls += 1;
    let n = if depth == 0 { 0 } else { random.below(3_usize) };
    let calls = (0..n).map(|_| random_call(random, depth - 1, n_calls)).collect();
    Call { function: 1 + random.below(9_usize), calls }
}

/// Writes a call behind those that it made. Returns its cost with theirs.
fn write_call(call: &Call, text: &mut String) -> usize {
    let costs: Vec<usize> = call.calls.iter().map(|call| write_call(call, text)).collect();
    let own = 5 + call.function;
    _ = writeln!(text, "fl=(1) /srv/main.php\nfn=({0}) function_{0}\n3 {own} 16", call.function);
    for (callee, cost) in call.calls.iter().zip(&costs) {
        _ = writeln!(
            text,
            "cfl=(1)\ncfn=({})\ncalls=1 0 0\n4 {cost} {}",
            callee.function,
            16 * callee.count()
        );
    }
    text.push('\n');
    own + costs.iter().sum::<usize>()
}

impl Call {
    fn count(&self) -> usize {
        1 + self.calls.iter().map(Self::count).sum::<usize>()
    }
}

/// Returns a file of dhat with this many program points.
#[must_use]
pub fn dhat(points: usize) -> Vec<u8> {
    let mut random = Random(23);
    let mut text = String::from(
        "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,\"bkacc\":false,\"tu\":\"instrs\",\
         \"cmd\":\"./main\",\"pid\":7,\"te\":1000,\"tg\":500,\n\"pps\":[",
    );
    for point in 0..points {
        let (bytes, blocks) = (16 * (1 + random.below(99_usize)), 1 + random.below(4_usize));
        let frames: Vec<String> =
            (0..2 + random.below(9_usize)).map(|_| (1 + random.below(60_usize)).to_string()).collect();
        _ = write!(
            text,
            "{}\n{{\"tb\":{bytes},\"tbk\":{blocks},\"tl\":{},\"mb\":{bytes},\"mbk\":{blocks},\"gb\":{},\"gbk\":1,\"eb\":0,\"ebk\":0,\"fs\":[{}]}}",
            if point > 0 { "," } else { "" },
            random.below(9000_usize),
            bytes / 2,
            frames.join(",")
        );
    }
    text += "],\n\"ftbl\":[\"[root]\"";
    for frame in 1..=60 {
        _ = write!(text, ",\n\"0x{:X}: function_{}(int) (src/a.c:{frame})\"", 0x1000 + frame, frame / 2);
    }
    text += "]}\n";
    text.into_bytes()
}

/// Returns a heap profile of V8 with this many nodes.
#[must_use]
pub fn heap_profile(nodes: usize) -> Vec<u8> {
    let mut random = Random(24);
    let mut text = String::from("{\"head\":");
    let (mut samples, mut depth) = (Vec::new(), 0);
    for id in 1..=nodes.max(1) {
        let size = if id > 1 { 8 * random.below(40_usize) } else { 0 };
        if size > 0 {
            samples.push((id, size));
        }
        _ = write!(
            text,
            "{{\"callFrame\":{{\"functionName\":\"{}\",\"scriptId\":\"7\",\"url\":\"file:///srv/a.js\",\"lineNumber\":{id},\"columnNumber\":3}},\
             \"selfSize\":{size},\"id\":{id},\"children\":[",
            if id == 1 { "(root)".to_owned() } else { format!("function{}", id % 50) }
        );
        depth += 1;
        let mut closed = if id == nodes.max(1) { depth } else { random.below(depth.min(3)) };
        closed = if id == nodes.max(1) { depth } else { closed.min(depth - 1) };
        text += &"]}".repeat(closed);
        depth -= closed;
        if closed > 0 && depth > 0 {
            text.push(',');
        }
    }
    text += ",\"samples\":[";
    for (at, (node, size)) in samples.iter().rev().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        _ = write!(text, "{comma}{{\"size\":{size},\"nodeId\":{node},\"ordinal\":{}}}", samples.len() - at);
    }
    text += "]}";
    text.into_bytes()
}

/// Returns files that cost a reader as much as they can, each with a name. Their sizes are proportional to `parts`.
#[must_use]
pub fn attacks(parts: usize) -> Vec<(&'static str, Vec<u8>)> {
    let graph = |function: &dyn Fn(usize) -> String| {
        let text = (0..parts).fold(String::from(HEAD), |text, part| text + &function(part));
        text.into_bytes()
    };
    let call = |callee: usize| format!("cfn=f{callee}\ncalls=1 1\n1 9 9\n");
    let xdebug = |blocks: &dyn Fn(usize) -> String| {
        let head = String::from("creator: xdebug 3\nevents: Time_(10ns)\n");
        (0..parts).fold(head, |text, part| text + &blocks(part)).into_bytes()
    };
    let xdebug_call = |name: &str| format!("cfn={name}\ncalls=1 0 0\n1 1\n");
    let line = |text: &str| [HEAD, "fn=f\n", &text.repeat(parts)].concat().into_bytes();
    let nodes = |open: &str, close: &str| {
        format!(
            "{{\"head\":{{\"callFrame\":{{}},\"selfSize\":1,\"children\":[{}{}]}}}}",
            open.repeat(parts),
            close.repeat(parts)
        )
        .into_bytes()
    };
    let dhat = |points: &str, frames: &str| {
        format!(
            "{{\"dhatFileVersion\":2,\"pps\":[{}{{}}],\"ftbl\":[{}\"[root]\"]}}",
            points.repeat(parts),
            frames.repeat(parts)
        )
        .into_bytes()
    };
    let side = (1..).find(|side| side * side >= parts).unwrap_or(1);
    let events = (0..64).fold(String::from("events:"), |text, event| text + &format!(" e{event}"));
    let costs = format!("1{}\n", " 1".repeat(64));
    vec![
        ("callgrind: a chain of diamonds", {
            graph(&|part| {
                let next = 3 * part + 3;
                let [a, b] = [next - 2, next - 1];
                format!(
                    "fn=f{}\n1 1 1\n{}{}fn=f{a}\n{}fn=f{b}\n{}",
                    3 * part,
                    call(a),
                    call(b),
                    call(next),
                    call(next)
                )
            })
        }),
        ("callgrind: a chain of calls", graph(&|part| format!("fn=f{part}\n1 1 1\n{}", call(part + 1)))),
        (
            "callgrind: a circle of calls",
            // Two functions have costs, as each stack is as long as all names together.
            graph(&|part| {
                let own = [(0, 99), (parts - 1, 1)].into_iter().find(|&(with, _)| with == part);
                format!(
                    "fn=f{part}\n1 {0} {0}\n{1}",
                    own.map_or(0, |(_, cost)| cost),
                    call((part + 1) % parts)
                )
            }),
        ),
        (
            "callgrind: circles in a chain",
            graph(&|part| format!("fn=f{part}\n1 1 1\n{}{}", call(part ^ 1), call(part + 1))),
        ),
        (
            "callgrind: all call all",
            graph(&|part| format!("fn=f{}\n1 1 1\n{}", part / side, call(part % side))),
        ),
        (
            "callgrind: one function calls all",
            graph(&|part| format!("fn=f{part}\n1 1 1\nfn=main\n{}", call(part))),
        ),
        ("callgrind: all functions call one", graph(&|part| format!("fn=f{part}\n1 1 1\n{}", call(0)))),
        ("callgrind: functions", graph(&|part| format!("fn=f{part}\n1 1 1\n"))),
        ("callgrind: threads", graph(&|part| format!("thread: {part}\nfn=f\n1 1 1\n"))),
        ("callgrind: threads that call", graph(&|part| format!("thread: {part}\nfn=f\n1 1 1\n{}", call(0)))),
        ("callgrind: numbers of names", graph(&|part| format!("fn=({part}) f\n1 1 1\n"))),
        ("callgrind: names of one number", graph(&|part| format!("fl=(1) f{part}\n"))),
        ("callgrind: parts", graph(&|_| "part: 1\nfn=f\n1 1 1\n".to_owned())),
        ("callgrind: many events", {
            [
                &*events,
                "\n",
                &(0..parts / 16).fold(String::new(), |text, part| text + &format!("fn=f{part}\n{costs}")),
            ]
            .concat()
            .into_bytes()
        }),
        ("callgrind: too many events", graph(&|part| format!("events: a{part} b{part}\n"))),
        ("callgrind: events of one line", {
            (0..parts).fold(String::from("events:"), |text, part| text + &format!(" e{part}")).into_bytes()
        }),
        ("callgrind: lists of events", graph(&|part| format!("events: Ir\nfn=f{part}\n1 1\n"))),
        ("callgrind: facts", graph(&|_| "desc: a\n".to_owned())),
        ("callgrind: lines of costs", line("1 1\n")),
        ("callgrind: costs of one line", line("1 ")),
        ("callgrind: calls without costs", line("cfn=g\ncalls=1 1\n")),
        ("callgrind: large sums", line("1 9223372036854775807\n")),
        ("callgrind: junk", line("a\n")),
        ("xdebug: calls without a caller", xdebug(&|part| format!("fn=f{part}\n1 1\n\n"))),
        ("xdebug: a chain of calls", {
            xdebug(&|part| {
                let callee = if part > 0 { xdebug_call("f") } else { String::new() };
                format!("fn=f\n1 1\n{callee}\n")
            })
        }),
        ("xdebug: many callees move", {
            // A node with many callees joins one without any, again and again.
            let leaves = (0..parts).fold(String::new(), |text, leaf| text + &format!("fn=l{leaf}\n1 1\n"));
            let calls = (0..parts).fold(String::new(), |text, leaf| text + &xdebug_call(&format!("l{leaf}")));
            let mut text = format!("creator: xdebug 3\nevents: Time\n{leaves}fn=g\n1 1\n{calls}");
            for _ in 0..side / 2 {
                text += &format!("fn=h\n1 1\n{0}fn=g\n1 1\n{0}", xdebug_call("g"));
            }
            text.into_bytes()
        }),
        ("dhat: points", dhat("{\"tb\":1,\"fs\":[0]},", "")),
        (
            "dhat: values",
            dhat("{\"tb\":1,\"tbk\":1,\"gb\":1,\"gbk\":1,\"eb\":1,\"ebk\":1,\"mb\":1,\"mbk\":1},", ""),
        ),
        ("dhat: frames", dhat("", "\"0x1: a (b:1)\",")),
        ("dhat: a deep stack", {
            format!(
                "{{\"dhatFileVersion\":2,\"pps\":[{{\"tb\":1,\"fs\":[{}0]}}],\"ftbl\":[\"[root]\",\"a\"]}}",
                "1,".repeat(parts)
            )
            .into_bytes()
        }),
        ("dhat: lifetimes", dhat("{\"tb\":1,\"tbk\":1,\"tl\":1},", "")),
        ("heap: nodes in nodes", nodes("{\"callFrame\":{},\"selfSize\":1,\"children\":[", "]}")),
        ("heap: nodes in one", nodes("{\"selfSize\":1},", "")),
        ("heap: empty nodes", nodes("{},", "")),
        ("heap: lists of one node", {
            format!("{{\"head\":{{\"callFrame\":{{}},{}\"selfSize\":1}}}}", "\"children\":[],".repeat(parts))
                .into_bytes()
        }),
        ("heap: samples", {
            format!(
                "{{\"head\":{{\"callFrame\":{{}},\"selfSize\":{parts},\"id\":1}},\"samples\":[{}{{}}]}}",
                "{\"size\":1,\"nodeId\":1,\"ordinal\":1},".repeat(parts)
            )
            .into_bytes()
        }),
    ]
}
