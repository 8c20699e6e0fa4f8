//! The generators of sampling profiles: pprof's messages and folded stacks. [profiles 3] [profiles 6]

use crate::Random;
use crate::perfetto::Message;

/// Returns the functions of a stack, outermost first: neighbours have their beginnings in common.
fn stack(random: &mut Random, stack: &mut Vec<u64>) {
    stack.truncate(1 + random.below(stack.len() + 1));
    while stack.len() < 3 + random.below(12_usize) {
        stack.push(random.below(200));
    }
}

/// Returns folded stacks of this many lines.
#[must_use]
pub fn folded(lines: usize) -> String {
    let (mut random, mut functions) = (Random(11), Vec::new());
    let mut text = String::new();
    for _ in 0..lines {
        stack(&mut random, &mut functions);
        let names: Vec<_> = functions.iter().map(|function| format!("module::function_{function}")).collect();
        text += &format!("{} {}\n", names.join(";"), 1 + random.below(30));
    }
    text
}

/// Returns a profile of pprof with this many samples on four threads.
#[must_use]
pub fn pprof(samples: usize) -> Vec<u8> {
    let (mut random, mut functions) = (Random(12), Vec::new());
    let texts = ["", "samples", "count", "cpu", "nanoseconds", "a.rs", "thread", "/bin/x"];
    let value_type = |kind, unit| Message::new().number(1, kind).number(2, unit);
    let mut file = Message::new().message(1, &value_type(1, 2)).message(1, &value_type(3, 4));
    for _ in 0..samples {
        stack(&mut random, &mut functions);
        let locations: Vec<u64> = functions.iter().rev().map(|function| function + 1).collect();
        let n = 1 + random.below(30);
        let label = Message::new().number(1, 6).number(3, 1 + random.below(4));
        let sample = Message::new().packed(1, &locations).packed(2, &[n, n * 10_000_000]).message(3, &label);
        file = file.message(2, &sample);
    }
    file = file.message(3, &Message::new().number(1, 1).number(5, 7));
    for id in 1..=200 {
        let line = Message::new().number(1, id).number(2, 3 * id);
        file = file
            .message(4, &Message::new().number(1, id).number(2, 1).number(3, 0x1000 + id).message(4, &line));
        file = file.message(5, &Message::new().number(1, id).number(2, 7 + id).number(4, 5).number(5, id));
    }
    file = texts.iter().fold(file, |file, text| file.text(6, text));
    file = (1..=200).fold(file, |file, function| file.text(6, &format!("module::function_{function}")));
    file.bytes().to_vec()
}

/// Returns profiles that cost a reader as much as they can, each with a name.
#[must_use]
pub fn attacks(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let types =
        |n: usize| (0..n).fold(Message::new(), |file, _| file.message(1, &Message::new().number(1, 1)));
    let with_text = |file: Message| file.text(6, "").text(6, "a");
    let samples = |n_types: usize, sample: &Message| {
        let n = size / (sample.bytes().len() + 2);
        with_text((0..n).fold(types(n_types), |file, _| file.message(2, sample)))
    };
    let function = |file: Message| {
        let line = Message::new().number(1, 1);
        file.message(4, &Message::new().number(1, 1).message(4, &line)).message(5, &line)
    };
    let value = |values: &[u64]| Message::new().packed(2, values);
    // So many fields are a profile, whatever follows.
    let many_texts = |file| (0..70).fold(file, |file: Message, _| file.text(6, ""));
    let deep = many_texts(function(types(1))).message(2, &value(&[1]).packed(1, &vec![1; size]));
    // Locations of the same two functions.
    let two = |id| {
        let line = Message::new().number(1, 1);
        Message::new().number(1, id).message(4, &line).message(4, &line)
    };
    let inlined = (2..10).fold(many_texts(function(types(1))), |file, id| file.message(4, &two(id)));
    let inlined =
        (2..10).fold(inlined, |file, id| file.message(2, &value(&[1]).packed(1, &vec![id; size / 8])));
    let half = many_texts(function(types(1))).message(2, &value(&[1]).packed(1, &vec![1; size / 2]));
    let half = (0..size / 10).fold(half, |file, _| file.message(2, &value(&[1])));
    let labels = |n: u64| value(&[1]).message(3, &Message::new().number(1, 1).number(3, n));
    let threads = (0..size as u64 / 14).fold(types(1), |file, n| file.message(2, &labels(n)));
    let names = (0..size / 5).fold(String::new(), |text, n| text + &format!("{n:x} 1\n"));
    let ids = (0..size / 9).fold(String::new(), |text, n| text + &format!("1:{n} 1\n"));
    vec![
        ("folded: many threads", ids.into_bytes()),
        ("folded: one stack", b"a 1\n".repeat(size / 4)),
        ("folded: two stacks", b"a 1\nb 1\n".repeat(size / 8)),
        ("folded: many names", names.into_bytes()),
        ("folded: a deep stack", [&b"a;b 1\n"[..], &b"a;".repeat(size / 2), b"a 1"].concat()),
        (
            "folded: a deep stack and small samples",
            [&b"a;b 1\n"[..], &b"a;".repeat(size / 4), b"a 1\n", &b"a 1\n".repeat(size / 8)].concat(),
        ),
        ("pprof: small samples", samples(1, &value(&[1])).bytes().to_vec()),
        ("pprof: many values", samples(8, &value(&[1; 8])).bytes().to_vec()),
        ("pprof: a deep stack", deep.bytes().to_vec()),
        ("pprof: a deep stack and small samples", half.bytes().to_vec()),
        ("pprof: locations of the same functions", inlined.bytes().to_vec()),
        (
            "pprof: empty functions",
            (0..size / 2).fold(with_text(types(1)), |file, _| file.raw(5, b"")).bytes().to_vec(),
        ),
        (
            "pprof: empty locations",
            (0..size / 2).fold(with_text(types(1)), |file, _| file.raw(4, b"")).bytes().to_vec(),
        ),
        ("pprof: empty texts", (0..size / 2).fold(types(1), |file, _| file.text(6, "")).bytes().to_vec()),
        ("pprof: many threads", threads.text(6, "").text(6, "tid").bytes().to_vec()),
    ]
}
