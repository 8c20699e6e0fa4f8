//! Slices to lay out. They are made without a file, because a file of a hundred million slices would not fit in memory.

use std::ops::Range;

use spall_synth::Random;
use spall_trace::layout::{Row, RowView};
use spall_trace::model::{
    Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder,
};

/// Returns a duration. Most are short and a few very long: every power of two up to `2^24` comes half as often as the one
/// before.
fn heavy_tailed(random: &mut Random) -> i64 {
    let bits = random.bits();
    let power = 4 + bits.trailing_ones().min(20);
    i64::try_from(bits >> 7 & ((1 << power) - 1)).unwrap_or(0)
}

/// The durations and gaps of the slices of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Character {
    /// Ten ticks each, a tick apart. Equal durations are the worst case for a search for the longest.
    Even,
    /// Durations and gaps of every magnitude.
    Mixed,
}

impl Character {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Even, Self::Mixed];

    /// Returns the name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::Mixed => "mixed",
        }
    }
}

/// Returns `rows` rows that have `slices` slices together.
#[must_use]
pub fn rows(character: Character, slices: u32, rows: u32) -> Vec<Row> {
    let mut random = Random(7);
    let row = |_| {
        let mut row = Row::new();
        let mut at = 0;
        for index in 0..slices / rows {
            let (gap, duration) = match character {
                Character::Even => (1, 10),
                Character::Mixed => (heavy_tailed(&mut random), heavy_tailed(&mut random)),
            };
            row.push(Tick(at + gap), Tick(at + gap + duration), SliceId(index));
            at += gap + duration;
        }
        row
    };
    (0..rows).map(row).collect()
}

/// Returns the time from the first start to the last end of a row.
#[must_use]
pub fn extent(row: &RowView<'_>) -> Range<Tick> {
    row.starts().first().copied().unwrap_or_default()..row.ends().last().copied().unwrap_or_default()
}

/// Returns the middle of a range, which is `2^zoom` times shorter than the range.
#[must_use]
pub fn middle(range: &Range<Tick>, zoom: u32) -> Range<Tick> {
    let duration = (range.end.0 - range.start.0) >> zoom;
    let start = range.start.0 + (range.end.0 - range.start.0 - duration) / 2;
    Tick(start)..Tick(start + duration)
}

/// Returns the nested slices of 8 threads, as their thread, start and duration: families of a parent with 7 children.
///
/// If `shuffled` is set, they come in an order that has nothing to do with time.
pub fn family_slices(slices: u32, shuffled: bool) -> impl Iterator<Item = (u32, i64, i64)> {
    // The factor is odd, so prime to a power of two, and every number is visited once.
    const STEP: u32 = 0x9e37_79b1;
    let slices = slices.next_power_of_two();
    (0..slices).map(move |index| {
        let index = if shuffled { index.wrapping_mul(STEP) & (slices - 1) } else { index };
        let (thread, family, member) = (index / 8 % 8, i64::from(index / 64), i64::from(index % 8));
        let (at, duration) = if member == 0 { (0, 100) } else { (10 * member, 9) };
        (thread, family * 101 + at, duration)
    })
}

/// Returns a builder with [`family_slices`].
#[must_use]
pub fn families(slices: u32, shuffled: bool) -> TraceBuilder {
    let mut builder = TraceBuilder::new(&Limits::default());
    for (thread, at, duration) in family_slices(slices, shuffled) {
        let event = ThreadEvent::new(Thread::new(1_u32, thread), Tick(at), Text::plain(b"work"));
        builder.push(&Event::Complete(event, Ticks(duration)));
    }
    builder
}

/// Returns a trace of calls as a program makes them: `slices` of 16 names on 4 threads, up to 12 deep, some recursive.
#[must_use]
pub fn calls(slices: u32) -> Trace {
    const NAMES: &[u8; 41] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno";
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut random = Random(11);
    for thread in 0..4_u32 {
        let event = |at: i64, name| ThreadEvent::new(Thread::new(1_u32, thread), Tick(at), Text::plain(name));
        let (mut at, mut left, mut open) = (0_i64, slices / 4, Vec::new());
        while left > 0 || !open.is_empty() {
            at += 1 + heavy_tailed(&mut random);
            let begins = left > 0 && open.len() < 12 && (open.is_empty() || random.bits().is_multiple_of(2));
            let event = if begins {
                left -= 1;
                // A caller has two callees, and calls one of them most of the time. Some names come again further down.
                let name = (usize::from(random.bits().is_multiple_of(4)) + 5 * open.len()) % 40;
                let name: &[u8] = &NAMES[name..=name];
                open.push(name);
                Event::Begin(event(at, name))
            } else {
                Event::End(event(at, open.pop().unwrap_or_default()))
            };
            builder.push(&event);
        }
    }
    builder.finish()
}
