//! The generator of the text that `perf script` prints. [profiles 4.1]

use core::fmt::Write as _;

use crate::Random;

/// The number of functions of the program.
const FUNCTIONS: usize = 600;
const THREADS: usize = 4;

/// Returns a recording of a program with four threads, whose stacks are 10 to 40 calls deep. A sample takes about 2 kB.
///
/// The callers of a function are at the same addresses as long as they run. Most of the outer calls of a sample are those
/// of the sample before, and most functions call one other function, as in a real program.
///
/// ```
/// let text = spall_synth::perf_script::recording(2);
/// assert_eq!(text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"pool ")).count(), 2);
/// ```
#[must_use]
pub fn recording(samples: usize) -> Vec<u8> {
    let mut random = Random(4);
    let mut stacks: [Vec<usize>; THREADS] = Default::default();
    let mut text = String::from(
        "# ========\n# captured on    : Mon Nov 23 20:00:00 2026\n# hostname : synth\n# ========\n#\n",
    );
    for sample in 0..samples {
        let thread = random.below(THREADS);
        let Some(stack) = stacks.get_mut(thread) else { continue };
        let depth: usize = 10 + random.below(30);
        stack.truncate(depth.saturating_sub(random.below(8)).max(5));
        while stack.len() < depth {
            // A function mostly calls the same one, and never more than four.
            let callee = if random.one_in(24) { 1 + random.below(3) } else { 0 };
            stack.push((stack.last().unwrap_or(&0) * 5 + 77 * callee + 1) % FUNCTIONS);
        }
        let (us, cpu) = (250 * sample, thread % 2);
        let (seconds, us) = (8000 + us / 1_000_000, us % 1_000_000);
        _ = writeln!(
            text,
            "pool {thread}: io 4200/{} [{cpu:03}] {seconds}.{us:06}:    1000000 cpu-clock: ",
            4200 + thread
        );
        let mut callee = random.below(0x300);
        for &function in stack.iter().rev() {
            let offset = (7 * callee) % 0x3f0;
            let address = 0x5580_0000_0000 + (0x400 * function + offset) as u64;
            frame(&mut text, function, address, offset);
            callee = function;
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// Writes the line of a frame. The kind of name depends on the function.
fn frame(text: &mut String, n: usize, address: u64, offset: usize) {
    _ = match n % 6 {
        0 => writeln!(
            text,
            "\t{address:16x} <engine::store::Map<K{n},V> as core::iter::traits::iterator::Iterator>::next+{offset:#x} (/opt/engine/bin/engine)"
        ),
        1 => writeln!(
            text,
            "\t{address:16x} std::vector<Job{n}, std::allocator<Job{n}> >::push_back(Job{n} const&)+{offset:#x} (/usr/lib/libengine.so.4.2)"
        ),
        2 => writeln!(
            text,
            "\t{address:16x} engine::net::session_{n}::poll+{offset:#x} (/opt/engine/bin/engine)"
        ),
        3 => writeln!(text, "\t{address:16x} [unknown] (/usr/lib/x86_64-linux-gnu/libc-{n}.so.6)"),
        4 => writeln!(text, "\t{address:16x} do_syscall_{n}+{offset:#x} ([kernel.kallsyms])"),
        _ => writeln!(text, "\t{address:16x} inner_{n} (inlined)"),
    };
}

/// Returns inputs of about so many lines that cost as much as possible for their size.
#[must_use]
pub fn attacks(lines: usize) -> Vec<(&'static str, Vec<u8>)> {
    let head = "a 1 1.5: b:\n";
    let each = |line: fn(usize) -> String| (0..lines).map(line).collect::<String>().into_bytes();
    let stack = |line: fn(usize) -> String| [head.as_bytes(), &each(line)].concat();
    // Without frames, the comment about the recording tells what the text is.
    let heads = |line: fn(usize) -> String| [b"# ========\n# captured on", &each(line)[..]].join(&b"\n"[..]);
    vec![
        ("one stack of short frames", stack(|n| format!("\t1 {n:x} (a)\n"))),
        ("one stack of long frames", stack(|n| format!("\t{n:16x} function_{n} (/usr/lib/a)\n"))),
        ("frames without libraries", stack(|n| format!("\t{n:x}\n"))),
        ("frames of Java that inline", stack(|n| format!("\t1 a->b{n}->c->d->e->f->g (/tmp/perf-1.map)\n"))),
        (
            "one symbol of Java",
            [head.as_bytes(), b"\t1 f", &each(|n| format!("->{n:x}")), b" (/tmp/perf-1.map)\n"].concat(),
        ),
        ("samples without frames", heads(|n| format!("a 1 1.{n:09}:\n"))),
        ("a stack for each sample", each(|n| format!("a 1 1.{n:09}: b:\n\t1 f{n} (a)\n\n"))),
        ("events", heads(|n| format!("a 1 1.5: b{n}:\n"))),
        ("threads", heads(|n| format!("a {n} 1.5:\n"))),
        ("names of one thread", heads(|n| format!("a{n} 1 1.5:\n"))),
        ("comments", each(|n| format!("# {n}: a\n"))),
        ("junk", each(|_| "\tx\n".to_owned())),
        ("one line", "a 1 ".repeat(2 * lines).into_bytes()),
    ]
}
