//! Folded stacks, which tools for flame graphs read and write: a line of text for each stack. [profiles
//! 6](spall_model::rules::profiles#6)
//!
//! This module needs the feature `profiles`.
//!
//! ```
//! use spall_format::folded::Parser;
//! use spall_model::{Event, Parser as _, SampleTime, Tick};
//!
//! let mut samples = Vec::new();
//! Parser::new().parse_all(b"main;read 3\nmain;write 2\n", |event, _| {
//!     if let Event::Sample(sample) = event {
//!         samples.push((sample.at, sample.weight));
//!     }
//! })?;
//! assert_eq!(samples, [(SampleTime::At(Tick(0)), 3.0), (SampleTime::At(Tick(3)), 2.0)]);
//! # Ok::<(), spall_format::FormatError>(())
//! ```

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use memchr::memchr;

use spall_model::{
    ByteRange, Clock, DiagnosticKind, Event, FrameEvent, FrameParent, FrameTable, Id, NameId, Names,
    ProfileEvent, ProfileId, Progress, Receiver, SampleEvent, SampleStack, StackNode, StackTree, Text,
    Thread, Tick, Ticks, Unit, UnitName, Weights, index32,
};

use crate::FormatError;

/// The names of the two values of a stack in a file that compares two recordings.
const BEFORE: &[u8] = b"before";
const AFTER: &[u8] = b"after";

/// What the weights count.
const SAMPLES: Unit = Unit::Count(UnitName::new("samples"));

/// The number of lines that tell whether a text is folded stacks.
const FIRST_LINES: usize = 10;

/// So many stacks need no further proof, and may have a line among them that is none.
const FEW_LINES: usize = 5;

/// Returns whether a text is folded stacks, by its first lines. [profiles 6.1](spall_model::rules::profiles#6.1)
///
/// A last line without an end may be cut, so it counts only if it fits or is the only one. Any text may end with a number: of fewer
/// than five stacks one has a caller, and of more than those most have one, or are a single word that a function may be called.
///
/// ```
/// use spall_format::folded::is_folded;
///
/// assert!(is_folded(b"main;read 3\nmain;write 2"));
/// assert!(!is_folded(b"a text with a number 3\nand more\n"));
/// assert!(is_folded(b"main;read 3") && !is_folded(b"error code 5"));
/// ```
#[must_use]
pub fn is_folded(text: &[u8]) -> bool {
    let (mut n_with_callers, mut n_names) = (0, 0);
    let (fit, other) = count_first_lines(text, |line| {
        let stack = Stack::read(line);
        match stack {
            Some(stack) if stack.has_callers() => n_with_callers += 1,
            Some(stack) if stack.is_name() => n_names += 1,
            _ => {}
        }
        stack.is_some()
    });
    let are_most = 2 * (n_with_callers + n_names) > fit;
    match other {
        0 => are_most && (fit >= FEW_LINES || n_with_callers > 0),
        _ => are_most && other == 1 && fit >= FEW_LINES,
    }
}

/// Counts the first lines that have a property, and those that do not.
fn count_first_lines(text: &[u8], mut has: impl FnMut(&[u8]) -> bool) -> (usize, usize) {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let (mut yes, mut no) = (0, 0);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if is_without_stack(line) {
            continue;
        }
        if has(line) {
            yes += 1;
        } else if line.ends_with(b"\n") || yes + no == 0 {
            no += 1;
        }
        if yes + no == FIRST_LINES {
            break;
        }
    }
    (yes, no)
}

/// Returns whether a line is empty or a comment.
fn is_without_stack(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line.starts_with(b"#") || line.starts_with(b"//")
}

/// A line, split.
#[derive(Debug, Clone, Copy)]
struct Stack<'a> {
    names: &'a [u8],
    weight: f64,
}

impl<'a> Stack<'a> {
    /// Splits a line. Returns `None` if it does not end with a number behind a blank, or if nothing stands before that, or
    /// something that no name has.
    fn read(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let blank = line.iter().rposition(u8::is_ascii_whitespace)?;
        let (names, number) = line.split_at_checked(blank)?;
        let names = names.trim_ascii_end();
        let is_text = names.iter().all(|&byte| byte >= b' ' || byte == b'\t');
        let weight = weight(number.trim_ascii_start())?;
        (is_text && !names.is_empty()).then_some(Self { names, weight })
    }
}

impl Stack<'_> {
    /// Returns whether this is one word that a function may be called. A list of numbers has none, and a list of the symbols of a
    /// library has versions behind them.
    fn is_name(&self) -> bool {
        let is_digit = self.names.first().is_none_or(u8::is_ascii_digit);
        !is_digit && !self.names.iter().any(|byte| byte.is_ascii_whitespace() || b",=@#\"".contains(byte))
    }

    /// Returns whether there is a semicolon between two names. In prose, a blank follows it.
    fn has_callers(&self) -> bool {
        self.names.windows(3).any(|part| matches!(part, [_, b';', next] if !next.is_ascii_whitespace()))
    }
}

/// Reads a number without an exponent.
fn weight(number: &[u8]) -> Option<f64> {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    let is_number =
        digits.first()?.is_ascii_digit() && digits.iter().all(|&byte| byte.is_ascii_digit() || byte == b'.');
    let number = core::str::from_utf8(number).ok().filter(|_| is_number)?;
    number.parse().ok().filter(|weight: &f64| weight.is_finite())
}

/// A parser of folded stacks. It takes input in pieces of any size, and a call reads a line. [profiles
/// 6.1](spall_model::rules::profiles#6.1)
///
/// Each line is a sample. A first name such as `7:8` is the ids of process and thread, as the export of `spall-trace` writes
/// it; all other stacks are of one thread. The two numbers of a file that compares recordings are the profiles `before`
/// and `after` of a thread, of which the latter counts.
///
/// # Damage
/// The parser steps over every fault, so it never returns an error.
///
/// | diagnostic | fault | effect |
/// |---|---|---|
/// | `Junk` | a line that is no stack | left out |
/// | `NegativeWeight` | a number below 0 | left out |
/// | `StackLimit` | a stack for which there are too many different ones in a file of this size | its innermost functions are left out |
/// | `TimeOutOfRange` | weights of a thread whose sum is beyond 63 bits | the samples behind them are at the last time |
///
/// # Memory
/// The parser keeps each name and each different beginning of a stack once.
#[derive(Debug, Default)]
pub struct Parser {
    offset: u64,
    has_begun: bool,
    compares: bool,
    names: Names,
    tree: StackTree,
    /// The functions of the line before, with the ends of their names in it and their nodes: lines that follow each other
    /// have most of them in common.
    last: (Vec<u8>, Vec<(u32, u32)>),
    /// The time of each thread.
    times: HashMap<(i64, i64), Time, RandomState>,
}

/// The sum of the weights before: a whole number, and the rest below 1.
#[derive(Debug, Clone, Copy, Default)]
struct Time {
    whole: i64,
    rest: f64,
}

impl Time {
    #[expect(clippy::cast_possible_truncation, reason = "float to integer casts saturate")]
    #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 a weight has no fraction")]
    /// Adds a weight. Returns whether the sum had to be clamped.
    fn add(&mut self, weight: f64) -> bool {
        let whole = weight as i64;
        let rest = weight - whole as f64;
        self.rest += if (0.0..1.0).contains(&rest) { rest } else { 0.0 };
        let carry = self.rest >= 1.0;
        self.rest -= if carry { 1.0 } else { 0.0 };
        let sum = self.whole.checked_add(whole).and_then(|sum| sum.checked_add(i64::from(carry)));
        self.whole = sum.unwrap_or(i64::MAX);
        sum.is_none() || whole == i64::MAX
    }
}

impl Parser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads what the first lines say about the file. Returns `None` if they are not all there.
    fn begin<'a>(&mut self, data: &'a [u8], eof: bool, to: &mut impl Receiver<'a>) -> Option<usize> {
        let n_lines =
            data.split_inclusive(|&byte| byte == b'\n').filter(|line| !is_without_stack(line)).count();
        if !eof && n_lines <= FIRST_LINES {
            return None;
        }
        let is_pair = |line: &[u8]| {
            Stack::read(line).is_some_and(|stack| {
                Stack::read(stack.names).is_some_and(|stack| stack.names.contains(&b';'))
            })
        };
        let (pairs, others) = count_first_lines(data, is_pair);
        self.compares = pairs > others;
        self.has_begun = true;
        let clock = Clock::new(SAMPLES);
        to.receive(&Event::Clock(clock), ByteRange::default());
        let mark: &[u8] = b"\xef\xbb\xbf";
        let skipped = if data.starts_with(mark) { mark.len() } else { 0 };
        self.offset = skipped as u64;
        Some(skipped)
    }

    /// Reads a line.
    fn line<'a>(&mut self, line: &'a [u8], to: &mut impl Receiver<'a>) {
        let start = self.offset;
        self.offset += line.len() as u64;
        let bytes = ByteRange::new(start, self.offset);
        if is_without_stack(line) {
            return;
        }
        let Some(mut stack) = Stack::read(line) else {
            to.receive(&Event::Diagnostic(DiagnosticKind::Junk), bytes);
            return;
        };
        let before = if self.compares { Stack::read(stack.names) } else { None };
        stack.names = before.map_or(stack.names, |before| before.names);
        let mut names = stack.names.split(|&byte| byte == b';').peekable();
        let ids = names.next_if(|first| ids(first).is_some()).and_then(ids);
        let (pid, tid) = ids.unwrap_or((1, 1));
        let thread = Thread::new(pid, tid);
        let profile = |value| ProfileId::OfThread(thread, Text::plain(value));
        let after = profile(if self.compares { AFTER } else { b"" });
        if !self.times.contains_key(&(pid, tid)) {
            let facts = ProfileEvent::new(after).with_weights(Weights::Axis(Ticks(1))).with_rank(3);
            to.receive(&Event::Profile(facts), bytes);
            if self.compares {
                let facts = ProfileEvent::new(profile(BEFORE)).with_weights(Weights::Counted(SAMPLES));
                to.receive(&Event::Profile(facts), bytes);
            }
        }
        let innermost = self.innermost(names, bytes, to);
        let time = self.times.entry((pid, tid)).or_default();
        let node = innermost.map_or(SampleStack::Unknown, |node| SampleStack::Frame(Id::from(node)));
        let weights = [(after, Some(stack.weight)), (profile(BEFORE), before.map(|before| before.weight))];
        for (profile, weight) in weights {
            let Some(weight) = weight else { continue };
            if weight < 0.0 {
                to.receive(&Event::Diagnostic(DiagnosticKind::NegativeWeight), bytes);
                continue;
            }
            let mut sample = SampleEvent::new(profile, Tick(time.whole), node);
            sample.weight = weight;
            to.receive(&Event::Sample(sample), bytes);
        }
        if time.add(stack.weight.max(0.0)) {
            to.receive(&Event::Diagnostic(DiagnosticKind::TimeOutOfRange), bytes);
        }
    }

    /// Finds the node of the innermost function of a stack, and hands over the call frames that are new.
    fn innermost<'a>(
        &mut self,
        names: impl Iterator<Item = &'a [u8]>,
        bytes: ByteRange,
        to: &mut impl Receiver<'a>,
    ) -> Option<u32> {
        let (last, path) = &mut self.last;
        let (mut depth, mut start) = (0, 0);
        for name in names {
            let known = path.get(depth).and_then(|&(end, _)| last.get(start..end as usize));
            if known != Some(name) {
                path.truncate(depth);
                last.truncate(start);
                let NameId(number) = self.names.intern_bytes(name);
                let caller = path.last().map(|&(_, node)| node);
                let node = match self.tree.child(caller, number, bytes.end) {
                    StackNode::Known(node) => node,
                    StackNode::New(node) => {
                        let parent =
                            caller.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
                        let frame = FrameEvent::new(FrameTable::Shared, node, parent, Text::plain(name));
                        to.receive(&Event::Frame(frame), bytes);
                        node
                    }
                    StackNode::Unpaid => {
                        to.receive(&Event::Diagnostic(DiagnosticKind::StackLimit), bytes);
                        return caller;
                    }
                };
                last.extend_from_slice(name);
                path.push((index32(last.len()), node));
            }
            depth += 1;
            start += name.len();
        }
        path.truncate(depth);
        last.truncate(start);
        path.last().map(|&(_, node)| node)
    }
}

/// Returns the ids of a process and a thread that a name such as `7:8` is.
fn ids(name: &[u8]) -> Option<(i64, i64)> {
    let (pid, tid) = core::str::from_utf8(name).ok()?.split_once(':')?;
    let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+'));
    Some((number(pid)?, number(tid)?))
}

impl spall_model::Parser for Parser {
    type Error = FormatError;

    fn read<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        to: &mut impl Receiver<'a>,
    ) -> Result<Progress, FormatError> {
        // A buffer that is doubled each time is searched again for no more than it is long.
        let need_more = Progress::NeedMore(data.len().max(1));
        if !self.has_begun {
            return Ok(self.begin(data, eof, to).map_or(need_more, Progress::Read));
        }
        let line = match memchr(b'\n', data) {
            Some(end) => data.get(..=end).unwrap_or(data),
            None if !eof => return Ok(need_more),
            None if data.is_empty() => return Ok(Progress::End),
            None => data,
        };
        self.line(line, to);
        Ok(Progress::Read(line.len()))
    }
}
