//! The line with which a sample begins. [profiles 4.1](spall_model::rules::profiles#4.1)

use super::frame::FrameLine;

/// The number of bytes in which the ids and the time begin. A command has 15 at most.
const MAX_HEAD: usize = 256;

/// What the line says: `comm pid/tid [cpu] time: period event:`, of which most fields may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header<'a> {
    /// The command, which the system calls the name of the thread.
    pub(super) comm: &'a [u8],
    /// The process, unless the file has threads alone.
    pub(super) pid: Option<i64>,
    pub(super) tid: i64,
    pub(super) cpu: Option<u64>,
    /// The time in nanoseconds, clamped to the greatest one.
    pub(super) at: Option<u64>,
    /// How much of what the event counts passed since the sample before.
    pub(super) period: Option<u64>,
    /// The name of the event without modifiers.
    pub(super) event: &'a [u8],
    /// What follows: a frame, or fields of the event.
    pub(super) rest: &'a [u8],
}

impl<'a> Header<'a> {
    /// Reads a line, or returns `None` if it is none of a sample.
    ///
    /// A command may have words that look like a thread, so the last of them before the time counts. Without a time, it is
    /// the first one behind which a line can go on.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        let mut words = Words { line, end: 0 };
        let mut thread = None;
        while let Some(word) = words.next().filter(|_| words.end < MAX_HEAD) {
            if let Some((comm, ids, behind)) = thread
                && let Some(at) = time(word)
            {
                let cpu = Words { end: behind, ..words }.next().and_then(cpu);
                return Some(Self { at: Some(at), cpu, ..Self::with_event(comm, ids, words) });
            }
            thread = thread_ids(word).and_then(|ids| Some((words.before(word)?, ids, words.end))).or(thread);
        }
        Self::timeless(line)
    }

    /// Reads a line without a time.
    fn timeless(line: &'a [u8]) -> Option<Self> {
        let mut words = Words { line, end: 0 };
        while let Some(word) = words.next().filter(|_| words.end < MAX_HEAD) {
            let Some((comm, ids)) = words.before(word).zip(thread_ids(word)) else { continue };
            let mut behind = words;
            let cpu = behind.next().and_then(cpu);
            let head = Self::with_event(comm, ids, if cpu.is_some() { behind } else { words });
            let is_name = |first: &u8| !first.is_ascii_digit() && *first != b'[';
            let goes_on = head.event.first().map_or(head.rest.is_empty(), is_name);
            if goes_on {
                return Some(Self { cpu, ..head });
            }
        }
        None
    }

    /// Reads the period and the event that may follow the words so far.
    fn with_event(comm: &'a [u8], (pid, tid): (Option<i64>, i64), words: Words<'a>) -> Self {
        let mut behind = words;
        let first = behind.next().unwrap_or_default();
        let period = number(first);
        let event = if period.is_some() { behind.next().unwrap_or_default() } else { first };
        let (period, event, rest) = match event.strip_suffix(b":") {
            Some(event @ [_, ..]) => (period, of_any_core(without_modifiers(event)), behind.rest()),
            _ => (None, &b""[..], words.rest()),
        };
        Self { comm, pid, tid, cpu: None, at: None, period, event, rest }
    }

    /// Returns whether the only frame of the sample is in the line.
    pub(super) fn has_frame(&self) -> bool {
        FrameLine::of(self.rest).is_some_and(|frame| frame.is_certain())
    }

    /// Returns the record that is no sample, if the line is one: `PERF_RECORD_` and its name, with fields behind it.
    pub(super) fn record(&self) -> Option<&'a [u8]> {
        let is_record = |text: &&[u8]| text.starts_with(b"PERF_RECORD_");
        [self.event, self.rest].into_iter().find(is_record)
    }

    /// Returns how many events a record says that were lost, or `None` if it is another record.
    pub(super) fn n_lost(&self) -> Option<u64> {
        self.record()?.strip_prefix(b"PERF_RECORD_LOST")?;
        let line = self.rest;
        let lost = memchr::memmem::find(line, b"lost ").and_then(|at| line.get(at + b"lost ".len()..));
        let mut words = Words { line: lost.unwrap_or_default(), end: 0 };
        Some(words.next().and_then(number).unwrap_or(0))
    }

    /// Returns whether the line has a time or an event, without which it may as well be anything else.
    pub(super) fn is_certain(&self) -> bool {
        self.at.is_some() || !self.event.is_empty()
    }

    /// Returns whether the line is of a kind that nothing but perf writes, so that it counts without a frame: it has a time and
    /// an event, and a processor, a period or a tracepoint.
    pub(super) fn is_of_perf(&self) -> bool {
        let is_tracepoint = self.event.contains(&b':');
        self.at.is_some()
            && !self.event.is_empty()
            && (self.cpu.is_some() || self.period.is_some() || is_tracepoint)
    }
}

/// The words of a line, of which some were taken.
#[derive(Clone, Copy)]
struct Words<'a> {
    line: &'a [u8],
    /// The end of the last word that was taken.
    end: usize,
}

impl<'a> Words<'a> {
    /// Takes the next word.
    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        let rest = self.line.get(self.end..)?;
        let start = self.end + rest.iter().position(|byte| !is_blank(byte))?;
        let rest = self.line.get(start..)?;
        self.end = start + rest.iter().position(is_blank).unwrap_or(rest.len());
        self.line.get(start..self.end)
    }

    /// Returns what comes before the last word, which is `word`, if there is anything.
    #[inline]
    fn before(&self, word: &[u8]) -> Option<&'a [u8]> {
        let before = self.line.get(..self.end - word.len())?.trim_ascii();
        Some(before).filter(|before| !before.is_empty())
    }

    /// Returns what follows the last word.
    fn rest(&self) -> &'a [u8] {
        self.line.get(self.end..).unwrap_or_default().trim_ascii()
    }
}

/// Reads `pid/tid`, or a `tid` alone.
fn thread_ids(word: &[u8]) -> Option<(Option<i64>, i64)> {
    let id = |digits: &[u8]| match digits {
        // Threads that have ended before they were known.
        b"-1" => Some(-1),
        _ => number(digits).and_then(|id| i64::try_from(id).ok()),
    };
    match word.iter().position(|&byte| byte == b'/') {
        Some(slash) => Some((Some(id(word.get(..slash)?)?), id(word.get(slash + 1..)?)?)),
        None => Some((None, id(word)?)),
    }
}

fn cpu(word: &[u8]) -> Option<u64> {
    number(word.strip_prefix(b"[")?.strip_suffix(b"]")?)
}

/// Reads decimal seconds and a colon. Digits below nanoseconds do not count. [profiles
/// 4.2](spall_model::rules::profiles#4.2)
fn time(word: &[u8]) -> Option<u64> {
    let word = word.strip_suffix(b":")?;
    let point = word.iter().position(|&byte| byte == b'.').filter(|&point| point > 0)?;
    let (mut ns, mut decimals) = (0_u64, 0);
    for (at, byte) in word.iter().enumerate().filter(|&(at, _)| at != point) {
        let digit = digit(*byte)?;
        if decimals < 9 {
            ns = ns.saturating_mul(10).saturating_add(digit);
            decimals += u32::from(at > point);
        }
    }
    (point + 1 < word.len()).then(|| ns.saturating_mul(10_u64.pow(9 - decimals)))
}

fn digit(byte: u8) -> Option<u64> {
    let digit = byte.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

/// Reads a decimal number.
fn number(digits: &[u8]) -> Option<u64> {
    let add = |number: u64, byte: &u8| number.checked_mul(10)?.checked_add(digit(*byte)?);
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

/// Returns the name of an event without its modifiers, which say in which modes of the processor it counts. The second
/// part of `sched:sched_switch` is none.
fn without_modifiers(name: &[u8]) -> &[u8] {
    let Some(colon) = name.iter().rposition(|&byte| byte == b':') else { return name };
    let (event, modifiers) = name.split_at(colon);
    let is_modifier = |byte: &u8| b"ukhGHIpPSDWeb".contains(byte);
    let is_event = event.is_empty() || !modifiers.iter().skip(1).all(is_modifier);
    if is_event { name } else { event }
}

/// Returns the name of an event that cores of a kind count, as `cpu_core/cycles/P` and `cpu_atom/cycles/P` of a hybrid
/// processor, without the kind: a thread runs on all of them, and what they count adds up. [profiles
/// 4.4](spall_model::rules::profiles#4.4)
fn of_any_core(name: &[u8]) -> &[u8] {
    let mut parts = name.splitn(3, |&byte| byte == b'/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(cores), Some(event @ [_, ..]), Some(_))
            if cores.starts_with(b"cpu") && !event.iter().any(|byte| b"=,".contains(byte)) =>
        {
            event
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command, the ids, the time, the period and the event of a line.
    type Found<'a> = (&'a str, Option<i64>, i64, Option<u64>, Option<u64>, &'a str);

    fn read(line: &str) -> Option<Found<'_>> {
        let text = |bytes| core::str::from_utf8(bytes).unwrap();
        let line = Header::of(line.as_bytes())?;
        Some((text(line.comm), line.pid, line.tid, line.at, line.period, text(line.event)))
    }

    #[test]
    fn profiles_4_1_fields_may_be_missing() {
        let us = |us: u64| Some(us * 1000);
        for (line, expected) in [
            (
                "java 25607 4794564.109216: cycles:",
                ("java", None, 25607, us(4_794_564_109_216), None, "cycles"),
            ),
            (
                "java 12688/12764 6544038.708352: cpu-clock:",
                ("java", Some(12688), 12764, us(6_544_038_708_352), None, "cpu-clock"),
            ),
            (
                "vote   913    72.176760:     257597 cycles:uppp: ",
                ("vote", None, 913, us(72_176_760), Some(257_597), "cycles"),
            ),
            ("   a  9/9     1.5: cpu-clock: ", ("a", Some(9), 9, us(1_500_000), None, "cpu-clock")),
            ("a 9 [003] sched:sched_switch:", ("a", None, 9, None, None, "sched:sched_switch")),
            ("a 9", ("a", None, 9, None, None, "")),
            ("a 9 7 cpu/event=0x3c,umask=1/u:", ("a", None, 9, None, Some(7), "cpu/event=0x3c,umask=1/u")),
            ("a 9 1.000000001:", ("a", None, 9, Some(1_000_000_001), None, "")),
            (":-1 -1/-1 1.5: x:", (":-1", Some(-1), -1, us(1_500_000), None, "x")),
        ] {
            assert_eq!(read(line), Some(expected), "{line}");
        }
        let cpu = Header::of(b"swapper     0 [012] 2281339.604067:   20834821 cycles:").unwrap().cpu;
        assert_eq!(cpu, Some(12));
    }

    #[test]
    fn profiles_4_1_a_command_may_have_blanks_digits_and_colons() {
        for (comm, line) in [
            ("V8 WorkerThread", "V8 WorkerThread 24636/25607 [000] 94564.109216: cycles:u:"),
            ("worker 3", "worker 3 1234/1240 1.5: cycles:"),
            ("my 2 app", "my 2 app 1234 [001] 1.5: 250000 cycles:"),
            ("tokio: 7/8 io", "tokio: 7/8 io 1234/1235 1.5: cycles:"),
            ("worker 3", "worker 3 1234/1240 250000 cycles:"),
            ("kworker/0:1-eve", "kworker/0:1-eve 7 1.5: cycles:"),
        ] {
            assert_eq!(read(line).map(|found| found.0), Some(comm), "{line}");
        }
    }

    #[test]
    fn profiles_4_1_records_of_lost_events_say_their_number() {
        let lost = |line: &str| Header::of(line.as_bytes()).unwrap().n_lost();
        assert_eq!(lost("a 9 1.5: PERF_RECORD_LOST lost 5"), Some(5));
        assert_eq!(lost("a 9 [001] 1.5: PERF_RECORD_LOST: lost 12\n"), Some(12));
        assert_eq!(lost("a 9 1.5: PERF_RECORD_LOST_SAMPLES"), Some(0));
        assert_eq!(lost("a 9 1.5: PERF_RECORD_FORK(1:2):(3:4)"), None);
        assert_eq!(lost("a 9 1.5: cycles:"), None);
    }

    #[test]
    fn lines_of_other_programs_are_no_headers() {
        for line in [
            "",
            "1234 1.5: cycles:",
            "\t 401b94 main+0x1c (./inline-counter)",
            " bash-1234  [000] d..1  12.345: sched_switch: prev_comm=bash",
            "main;run;work 12 more",
            "a 9 1:5.5: cycles:",
            "a 9: 1.5: cycles:",
            "heap profile: 13: 1595680 [47130736: 2584596557304] @ heap/1048576",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn profiles_4_2_times_are_exact_decimals() {
        assert_eq!(time(b"198792.736893:"), Some(198_792_736_893_000));
        assert_eq!(time(b"9007199.254740993:"), Some(9_007_199_254_740_993));
        assert_eq!(time(b"0.0000000019:"), Some(1));
        assert_eq!(time(b"99999999999999999999.5:"), Some(u64::MAX));
        for bad in ["1.5", "1:", "1.:", ".5:", "1.5x:", "1e3.5:"] {
            assert_eq!(time(bad.as_bytes()), None, "{bad}");
        }
    }
}
