//! Counters of track events, and what those of threads mean for slices. [perfetto 4.2](crate::rules::perfetto#4.2)

use spall_model::{ArgsBuilder, DiagnosticKind, Id, Thread, ThreadCount, ThreadMeasure};

use super::counters::counter_name;
use super::schema::{EXTRA, LegacyEvent, MAX_EXTRA};
use super::sequence::Sequence;
use super::state::State;
use crate::ftrace::Output;
use crate::ftrace::signed_float;
use crate::protobuf::{Packed, Repeated, Wire};

/// The fields of counters of one kind that an event has beside its own meaning.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ExtraCounters<'a> {
    pub(super) values: Repeated<'a>,
    pub(super) tracks: Repeated<'a>,
}

/// What counters of the thread of an event showed: its time in nanoseconds, and its instructions. [perfetto
/// 4.8](crate::rules::perfetto#4.8)
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ThreadCounts {
    time: Option<i64>,
    instructions: Option<i64>,
}

impl ThreadCounts {
    /// Returns what an event says in fields of its own, in microseconds and instructions, each with whether it is a
    /// difference from what the sequence had before.
    #[inline(never)]
    pub(super) fn of_fields([time, instructions]: [Option<(bool, i64)>; 2], sequence: &mut Sequence) -> Self {
        let thread = sequence.thread.get_or_insert_default();
        let count = |field: Option<(bool, i64)>, multiplier, sum: &mut i64| {
            let (is_delta, value) = field?;
            let value = value.saturating_mul(multiplier);
            if is_delta {
                *sum = sum.saturating_add(value);
            }
            Some(if is_delta { *sum } else { value })
        };
        Self {
            time: count(time, 1000, &mut thread.thread_time_ns),
            instructions: count(instructions, 1, &mut thread.instructions),
        }
    }

    /// Returns the same, and what `others` say beside it.
    pub(super) fn or(self, others: Self) -> Self {
        Self { time: self.time.or(others.time), instructions: self.instructions.or(others.instructions) }
    }

    /// Adds what the counters showed to the arguments of an event, and by how much they rose during it.
    #[inline]
    pub(super) fn add_to(&self, args: &mut ArgsBuilder<'static>, legacy: Option<&LegacyEvent<'_>>) {
        let complete = legacy.filter(|legacy| legacy.phase == u32::from(b'X'));
        let mut add = |measure, at: Option<i64>, during: Option<i64>| {
            if at.or(during).is_some() {
                args.add_thread_count(measure, ThreadCount { at, during });
            }
        };
        let time = complete.and_then(|legacy| legacy.thread_duration_us);
        add(ThreadMeasure::Time, self.time, time.map(|us| us.saturating_mul(1000)));
        let instructions = complete.and_then(|legacy| legacy.thread_instructions);
        add(ThreadMeasure::Instructions, self.instructions, instructions);
    }
}

impl LegacyEvent<'_> {
    /// Returns whether counters of the thread say something about the event. An async event has to say so. [pairing
    /// 8](spall_model::rules::pairing#8)
    pub(super) fn is_of_thread(&self) -> bool {
        let is_of_thread = |phase| matches!(phase, 0 | b'B' | b'E' | b'X' | b'I' | b'R' | b'i');
        self.use_async_tts || u8::try_from(self.phase).is_ok_and(is_of_thread)
    }
}

impl State {
    /// Hands over a value of a counter track. Returns the value, and what it says of a thread.
    pub(super) fn counter_event(
        &mut self,
        track_at: usize,
        value: Option<f64>,
        at: i64,
        out: &mut Output<'_>,
    ) -> Option<(f64, Option<ThreadMeasure>)> {
        let Self { sequences, strings, tracks, .. } = self;
        let (track, counter) = tracks.settle(track_at);
        let kind = if value.is_none() { DiagnosticKind::EmptyCounter } else { DiagnosticKind::UnknownEntry };
        let Some((value, counter)) = value.zip(counter) else {
            out.report(kind);
            return None;
        };
        let mut value = counter.scaled(value);
        if counter.is_incremental {
            let sums = &mut sequences.current().counters;
            match sums.get_mut(&track.uuid) {
                Some(sum) => {
                    *sum += value;
                    value = *sum;
                }
                None => _ = sums.insert(track.uuid, value),
            }
        }
        let Thread { pid, tid } = track.thread(strings);
        out.counter((pid, Some(tid)), strings.get(track.name), at, value);
        Some((value, counter.measure))
    }

    /// Hands over the values of counters that an event has beside its own meaning. Returns those of its thread.
    #[inline]
    pub(super) fn extra_counters(
        &mut self,
        (message, fields): (&[u8], &[ExtraCounters<'_>; 2]),
        at: i64,
        out: &mut Output<'_>,
    ) -> ThreadCounts {
        let mut counts = ThreadCounts::default();
        let [whole, fractions] = fields;
        match whole.values.single() {
            None if whole.values.is_empty() => {}
            // Most events have one value, on the first track of the defaults.
            Some((_, Wire::Varint(bits))) if whole.tracks.is_empty() => {
                let track = self.default_track(0, 0);
                self.extra_counter(0, (track, bits), at, &mut counts, out);
            }
            _ => self.several_counters(0, (message, *whole), at, &mut counts, out),
        }
        if !fractions.values.is_empty() {
            self.several_counters(1, (message, *fractions), at, &mut counts, out);
        }
        counts
    }

    /// Hands over the values of counters of one kind, which is given by its position in [`EXTRA`].
    #[inline(never)]
    fn several_counters(
        &mut self,
        kind: usize,
        (message, ExtraCounters { values, tracks }): (&[u8], ExtraCounters<'_>),
        at: i64,
        counts: &mut ThreadCounts,
        out: &mut Output<'_>,
    ) {
        let Some(extra) = EXTRA.get(kind) else { return };
        let mut said = (!tracks.is_empty())
            .then(|| tracks.numbers(message, extra.tracks, Packed::Varint).take(MAX_EXTRA));
        for (n, bits) in values.numbers(message, extra.values, extra.packed).enumerate() {
            // The tracks of the defaults count where the event does not say others.
            let track = said.as_mut().and_then(Iterator::next).or_else(|| self.default_track(kind, n));
            if !self.extra_counter(kind, (track, bits), at, counts, out) {
                break;
            }
        }
    }

    /// Returns the track that the defaults have for the value of a counter.
    fn default_track(&mut self, kind: usize, n: usize) -> Option<u64> {
        self.sequences.current().defaults.counters.get(kind)?.get(n).copied()
    }

    /// Hands over a value, which is in `counts` from then on if it is one of the thread. Returns whether it has a track.
    #[inline]
    fn extra_counter(
        &mut self,
        kind: usize,
        (track, bits): (Option<u64>, u64),
        at: i64,
        counts: &mut ThreadCounts,
        out: &mut Output<'_>,
    ) -> bool {
        let Some(uuid) = track else {
            out.report(DiagnosticKind::UnknownEntry);
            return false;
        };
        let track = self.tracks.find(uuid, &mut self.strings);
        if !self.tracks.get(track).is_shown {
            self.show(track, out);
        }
        let is_float = EXTRA.get(kind).is_some_and(|extra| extra.packed == Packed::Fixed64);
        let value = if is_float { f64::from_bits(bits) } else { signed_float(bits.cast_signed()) };
        #[allow(clippy::cast_possible_truncation, reason = "the cast saturates")]
        match self.counter_event(track, Some(value), at, out) {
            Some((value, Some(ThreadMeasure::Time))) => counts.time = Some(value as i64),
            Some((value, Some(ThreadMeasure::Instructions))) => counts.instructions = Some(value as i64),
            _ => {}
        }
        true
    }

    /// Hands over what counters of a thread show that have no tracks, as in older files.
    #[inline(never)]
    pub(super) fn thread_counters(
        &mut self,
        (pid, tid): (i64, i64),
        counts: &ThreadCounts,
        at: i64,
        out: &mut Output<'_>,
    ) {
        let counts = [(ThreadMeasure::Time, counts.time), (ThreadMeasure::Instructions, counts.instructions)];
        for (measure, count) in counts {
            let Some(count) = count else { continue };
            let counter = (Id::Number(pid), Some(Id::Number(tid)));
            out.counter(counter, counter_name(measure).as_bytes(), at, signed_float(count));
        }
    }
}
