//! A line of the text: the thread, the processor, the time, and the event. [ftrace 2](crate::rules::ftrace#2)

use memchr::memchr_iter;

/// What a line says: `COMM-TID (TGID) [CPU] FLAGS SECONDS.FRACTION: EVENT: ARGS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The name of the thread, which may have anything in it.
    pub(super) comm: &'a [u8],
    pub(super) tid: u32,
    /// The process, if the line has a column for it and it is known.
    pub(super) tgid: Option<u32>,
    pub(super) cpu: u32,
    pub(super) time: Time,
    /// What follows the time, without blanks around it.
    pub(super) rest: &'a [u8],
}

/// A time of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    /// In nanoseconds, clamped to the greatest one.
    Ns(u64),
    /// Of a counter of the processor, whose unit the file does not say.
    Ticks(u64),
}

/// The most bytes of flags, of a number, and of the process in its brackets.
const MAX_WORD: usize = 24;

impl<'a> Line<'a> {
    /// Reads a line without its end, or returns `None` if it has another form.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        memchr_iter(b'[', line)
            .find_map(|at| Self::around(line, at))
            .or_else(|| memchr_iter(b'-', line).find_map(|at| Self::latency(line, at)))
    }

    /// Reads a line whose processor is in the bracket at a position.
    ///
    /// The work is bounded by the bytes up to the brackets before and behind, but for words of a bounded length.
    fn around(line: &'a [u8], bracket: usize) -> Option<Self> {
        let (before, behind) = line.split_at_checked(bracket)?;
        let (cpu, rest) = digits(behind.get(1..)?);
        let cpu = decimal(cpu).and_then(|cpu| u16::try_from(cpu).ok())?;
        let rest = rest.strip_prefix(b"]").filter(|rest| rest.first().is_some_and(is_blank))?;
        let (time, rest) = flags_and_time(rest.trim_ascii_start())?;
        let (task, tgid) = task_and_process(before.trim_ascii_end())?;
        let (comm, tid) = comm_and_thread(task)?;
        Some(Self { comm, tid, tgid, cpu: u32::from(cpu), time, rest })
    }

    /// Reads a line of the latency format, `COMM-TID CPUFLAGS TIME`, whose thread is behind the dash at a position.
    /// [ftrace 2.6](crate::rules::ftrace#2.6)
    fn latency(line: &'a [u8], dash: usize) -> Option<Self> {
        let (comm, behind) = line.split_at_checked(dash)?;
        let (tid, rest) = digits(behind.get(1..)?);
        let tid = decimal(tid).and_then(|tid| u32::try_from(tid).ok())?;
        if !rest.first().is_some_and(is_blank) {
            return None;
        }
        let (cpu, flags) = digits(rest.trim_ascii_start());
        let cpu = decimal(cpu).and_then(|cpu| u16::try_from(cpu).ok())?;
        let (flags, rest) = word(flags)?;
        if flags.len() < 3 || !flags.iter().all(is_flag) {
            return None;
        }
        let rest = rest.trim_ascii_start();
        let (time, rest) = seconds(rest).or_else(|| microseconds(rest))?;
        Some(Self { comm: comm.trim_ascii(), tid, tgid: None, cpu: u32::from(cpu), time, rest })
    }

    /// Splits what follows the time into the name of the event and its arguments. Returns `None` for the name of a function,
    /// as function tracers have it, and for stacks.
    pub(super) fn event(&self) -> Option<(&'a [u8], &'a [u8])> {
        let colon = memchr::memchr2(b':', b' ', self.rest)?;
        let (name, args) = self.rest.split_at_checked(colon)?;
        Some((name, args.strip_prefix(b":")?))
    }
}

const fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns whether a character is one of those that say in what state the processor was.
const fn is_flag(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'#')
}

/// Splits off the digits at the start, as many as a number may have.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let len = text.iter().take(MAX_WORD).position(|byte| !byte.is_ascii_digit());
    text.split_at_checked(len.unwrap_or(text.len().min(MAX_WORD))).unwrap_or_default()
}

/// Splits off the word at the start, which has a bounded length and is followed by a blank.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    text.split_at_checked(text.iter().take(MAX_WORD).position(is_blank)?)
}

/// Reads a decimal number, clamped to the greatest one. Returns `None` if there is no digit.
fn decimal(digits: &[u8]) -> Option<u64> {
    let add =
        |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0')));
    (!digits.is_empty()).then(|| digits.iter().fold(0, add))
}

/// Steps over flags, which may be missing, and reads the time behind them. [ftrace 2.4](crate::rules::ftrace#2.4)
fn flags_and_time(text: &[u8]) -> Option<(Time, &[u8])> {
    if let Some(found) = seconds(text) {
        return Some(found);
    }
    let (flags, rest) = word(text)?;
    if flags.iter().all(is_flag) { seconds(rest.trim_ascii_start()) } else { None }
}

/// Reads decimal seconds with up to nine digits behind the point, and a colon. [ftrace 2.5](crate::rules::ftrace#2.5)
fn seconds(text: &[u8]) -> Option<(Time, &[u8])> {
    let (whole, rest) = digits(text);
    let whole = decimal(whole)?;
    let (time, rest) = match rest.strip_prefix(b".") {
        Some(fraction) => {
            let (fraction, rest) = digits(fraction);
            let n_digits =
                u32::try_from(fraction.len()).ok().filter(|n_digits| (1..=9).contains(n_digits))?;
            let below = decimal(fraction)? * 10_u64.pow(9 - n_digits);
            (Time::Ns(whole.saturating_mul(1_000_000_000).saturating_add(below)), rest)
        }
        None => (Time::Ticks(whole), rest),
    };
    Some((time, rest.strip_prefix(b":")?.trim_ascii_start()))
}

/// Reads microseconds with a mark that says how long it took to the next event, and a colon.
fn microseconds(text: &[u8]) -> Option<(Time, &[u8])> {
    let (us, rest) = digits(text);
    let us = decimal(us)?;
    let rest = rest.strip_prefix(b"us")?;
    let rest = match rest {
        [b'!' | b'+' | b'#' | b'*' | b'@' | b'$', rest @ ..] => rest,
        _ => rest,
    };
    Some((Time::Ns(us.saturating_mul(1000)), rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start()))
}

/// Splits off the process in brackets at the end, which may be missing or unknown. [ftrace 2.3](crate::rules::ftrace#2.3)
fn task_and_process(text: &[u8]) -> Option<(&[u8], Option<u32>)> {
    let Some(inside) = text.strip_suffix(b")") else { return Some((text, None)) };
    let from_end = inside.iter().rev().take(MAX_WORD).position(|&byte| byte == b'(')?;
    let (task, process) = inside.split_at_checked(inside.len() - from_end)?;
    let task = task.strip_suffix(b"(")?.trim_ascii_end();
    let process = process.trim_ascii();
    if !process.is_empty() && process.iter().all(|&byte| byte == b'-') {
        return Some((task, None));
    }
    let is_number = process.iter().all(u8::is_ascii_digit);
    let number = decimal(process).filter(|_| is_number).and_then(|pid| u32::try_from(pid).ok())?;
    Some((task, Some(number)))
}

/// Splits the name of a thread from its id, the digits behind the last dash. [ftrace 2.2](crate::rules::ftrace#2.2)
fn comm_and_thread(text: &[u8]) -> Option<(&[u8], u32)> {
    let from_end = text.iter().rev().take(MAX_WORD).position(|byte| !byte.is_ascii_digit())?;
    let (comm, tid) = text.split_at_checked(text.len() - from_end)?;
    let tid = decimal(tid).and_then(|tid| u32::try_from(tid).ok())?;
    Some((comm.strip_suffix(b"-")?.trim_ascii(), tid))
}

/// Reads a line about events that were lost. Returns the processor and the number of events, as far as the line says them.
/// [ftrace 2.7](crate::rules::ftrace#2.7)
pub(super) fn loss(line: &[u8]) -> Option<(Option<u32>, u64)> {
    let line = line.trim_ascii();
    let (hashes, rest) = line.split_at_checked(line.iter().position(|&byte| byte != b'#')?)?;
    let rest = rest.trim_ascii_start().strip_prefix(b"CPU")?;
    let rest = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start();
    let (cpu, rest) = digits(rest);
    let cpu = decimal(cpu).and_then(|cpu| u32::try_from(cpu).ok());
    let rest = rest.trim_ascii_start();
    if !hashes.is_empty() {
        return rest.starts_with(b"buffer started").then_some((cpu, 0));
    }
    let inside = rest.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let words = inside.strip_prefix(b"LOST ").unwrap_or(inside);
    let (number, rest) = digits(words);
    let is_loss = matches!(rest.trim_ascii(), b"EVENTS" | b"EVENTS DROPPED" | b"EVENT" | b"EVENT DROPPED");
    is_loss.then(|| (cpu, decimal(number).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// The name of the thread, its id, its process, the processor, the time, and what follows.
    type Found<'a> = (&'a str, u32, Option<u32>, u32, Time, &'a str);

    fn read(line: &str) -> Option<Found<'_>> {
        let text = |bytes| core::str::from_utf8(bytes).unwrap();
        let line = Line::of(line.as_bytes())?;
        Some((text(line.comm), line.tid, line.tgid, line.cpu, line.time, text(line.rest)))
    }

    #[test]
    fn ftrace_2_2_a_name_may_have_anything_in_it() {
        for comm in [
            "a: b", "x [003]", "-", "foo(bar)", "12:34.5", "<...>", "", "name-99", "Thread 1", "a-1 [x]",
            "1234", "([)",
        ] {
            let line = format!(" {comm}-207   [003] d..2   20.000071: print: B|1|a-5 [000] .... 1.0: x");
            let expected =
                Some((comm, 207, None, 3, Time::Ns(20_000_071_000), "print: B|1|a-5 [000] .... 1.0: x"));
            assert_eq!(read(&line), expected, "{line}");
        }
    }

    #[test]
    fn ftrace_2_3_the_process_may_be_unknown() {
        for (process, tgid) in
            [("(  200)", Some(200)), ("(200)", Some(200)), ("(-----)", None), ("(-------)", None)]
        {
            let line = format!("a(b)-7 {process} [000] .... 1.5: e: x");
            assert_eq!(read(&line), Some(("a(b)", 7, tgid, 0, Time::Ns(1_500_000_000), "e: x")), "{line}");
        }
        assert_eq!(read("a-7 (x) [000] .... 1.5: e: x"), None);
    }

    #[test]
    fn ftrace_2_4_flags_are_any_run_of_letters_digits_and_points() {
        for flags in ["", "....", "d..2", ".Ns1", "d.h2.", "d.h2..", "dNh3...", "d..a", "#...", "1234"] {
            let line = format!("a-7\t[010]\t{flags}\t162534.215764: cpu_idle: state=2");
            let expected = Some(("a", 7, None, 10, Time::Ns(162_534_215_764_000), "cpu_idle: state=2"));
            assert_eq!(read(&line), expected, "{line}");
        }
        assert_eq!(read("a-7 [010] d..|2 1.5: e: x"), None);
    }

    #[test]
    fn ftrace_2_5_times_are_exact() {
        let time = |time: &str| read(&format!("a-7 [0] {time}: e: x")).map(|found| found.4);
        assert_eq!(time("9007199.254740993"), Some(Time::Ns(9_007_199_254_740_993)));
        assert_eq!(time("1.5"), Some(Time::Ns(1_500_000_000)));
        assert_eq!(time("0.000000001"), Some(Time::Ns(1)));
        assert_eq!(time("1234567890"), Some(Time::Ticks(1_234_567_890)));
        for bad in ["1.", ".5", "1.0000000001", "-1.5", "1e3", "1.5x", "99999999999999999999999999.5"] {
            assert_eq!(time(bad), None, "{bad}");
        }
        assert_eq!(time("99999999999.5"), Some(Time::Ns(u64::MAX)));
    }

    #[test]
    fn ftrace_2_6_the_latency_format_has_the_processor_before_the_flags() {
        for (line, expected) in [
            ("   app-100       0...1.    1us : e: x", ("app", 100, None, 0, Time::Ns(1000), "e: x")),
            ("   app-100       0...1.   15us!: e: x", ("app", 100, None, 0, Time::Ns(15_000), "e: x")),
            ("   a-b c-100     1d..2. 1234us+: e: x", ("a-b c", 100, None, 1, Time::Ns(1_234_000), "e: x")),
            (
                " trace-cmd-6244  15d..4. 162534.5: e: x",
                ("trace-cmd", 6244, None, 15, Time::Ns(162_534_500_000_000), "e: x"),
            ),
        ] {
            assert_eq!(read(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn ftrace_6_2_numbers_of_the_line_have_limits() {
        assert_eq!(
            read("a-4294967295 [65535] 1.5: e: x").map(|found| (found.1, found.3)),
            Some((u32::MAX, 65535))
        );
        assert_eq!(read("a-4294967296 [0] 1.5: e: x"), None);
        assert_eq!(read("a-1 [65536] 1.5: e: x"), None);
    }

    #[test]
    fn ftrace_2_7_losses_say_their_processor_and_number() {
        for (line, expected) in [
            ("CPU:0 [LOST 123 EVENTS]", Some((Some(0), 123))),
            ("CPU 3 [6 EVENTS DROPPED]", Some((Some(3), 6))),
            ("CPU 1 [LOST EVENTS]", Some((Some(1), 0))),
            ("##### CPU 2 buffer started ####", Some((Some(2), 0))),
            ("# CPU 3", None),
            ("CPU 3 is empty", None),
        ] {
            assert_eq!(loss(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn lines_of_other_programs_are_none() {
        for line in [
            "",
            "main 71 [000] 12.5: cycles:",
            "main 71/73 12.5: 100 cycles:",
            "main;a-b;work 12",
            "V8 WorkerThread 24636/25607 [000] 94564.109216: cycles:u:",
            "kworker/0:1-eve 7 [000] 1.5: sched:sched_switch: prev_comm=a",
            "version = 6",
            " => do_one_initcall",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
