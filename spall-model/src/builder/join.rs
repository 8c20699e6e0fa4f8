//! The addition of a batch to the builder of its file.
//!
//! The builder is then as if it had seen the events of the batch one by one: names, threads and arguments get their numbers
//! in the order of the events, and a pair that begins before the batch and ends in it is closed where its end stands.

use alloc::vec::Vec;

use crate::{ByteRange, Key, NameId, Receiver, SliceFlags, Tick, args_table::ArgsId, index32};

use super::{
    TraceBuilder,
    batch::{EventBatch, Held},
    pairing::{Orphan, thread_of},
    registry::TrackKey,
    rows::{Appended, OpenRow},
};

impl TraceBuilder {
    /// Adds all events of a batch, whose strings the trace copies. The result is that of [`TraceBuilder::push`] for each
    /// event.
    ///
    /// Returns whether the events were added. If not, nothing has changed but that the batch is empty, and the events have
    /// to be pushed one by one. That happens where a limit may leave out events, and where an event is at fault in a way
    /// that only the events before the batch could tell.
    #[must_use]
    pub fn push_batch(&mut self, batch: &mut EventBatch<'_>) -> bool {
        let mut join = Join::new(batch, self.slices.rows.len());
        let can_join = join.is_within_limits(self) && join.find_threads(self);
        if can_join {
            for (held, event, bytes) in &batch.others {
                join.add_up_to(held, self);
                self.receive(event, *bytes);
            }
            join.add_up_to(&batch.held(), self);
            join.merge_threads(self);
        }
        batch.clear();
        can_join
    }
}

/// The work of adding a batch to a builder.
struct Join<'b> {
    batch: &'b EventBatch<'b>,
    /// The number of rows of the builder before the batch.
    first_row: u32,
    /// What has been added.
    added: Held,
    /// The number that the builder has for each name of the batch, and for each track.
    names: Vec<NameId>,
    tracks: Vec<u32>,
}

#[allow(clippy::indexing_slicing, reason = "names and tracks of the batch are mapped before they are used")]
impl<'b> Join<'b> {
    fn new(batch: &'b EventBatch<'b>, first_row: usize) -> Self {
        let (names, tracks) = (Vec::new(), Vec::new());
        Self { batch, first_row: index32(first_row), added: Held::NONE, names, tracks }
    }

    /// Returns whether no limit can leave out an event of the batch, and nothing of it was reported without the builder.
    fn is_within_limits(&self, builder: &TraceBuilder) -> bool {
        let Held { rows, tracks, args, .. } = self.batch.held();
        let (limits, others) = (&builder.limits, self.batch.others.len());
        let fits = |n_before: usize, n_more: usize, max: u32| n_before + n_more + others <= max as usize;
        !self.batch.is_irregular
            && self.batch.part.diagnostics.found.is_empty()
            && fits(builder.slices.rows.len(), rows, limits.max_slices)
            && fits(builder.registry.tracks.len(), tracks, limits.max_tracks)
            && fits(builder.args.len(), args, u32::MAX - 2)
            && builder.args.has_room_for_formats_of(&self.batch.part.args)
            && fits(builder.names.all.len(), self.batch.part.names.all.len(), u32::MAX)
    }

    /// Returns whether the begins and ends of each thread can follow those that the builder has.
    ///
    /// A thread that the builder does not know yet has none. Its name may be that of a thread of the batch all the same,
    /// because threads are looked up by their ids.
    fn find_threads(&self, builder: &TraceBuilder) -> bool {
        let part = &self.batch.part;
        let max_depth = builder.limits.max_depth.min(SliceFlags::MAX_OPEN_DEPTH);
        (0_u32..).zip(&part.slices.threads).all(|(number, thread)| {
            let (first, last) = thread.bounds();
            if first > last {
                return true;
            }
            let known = self.known_track(number, builder);
            let Some(before) = known.and_then(|track| builder.slices.threads.get(track as usize)) else {
                return thread.n_rows <= max_depth;
            };
            before.can_be_followed(thread, max_depth)
        })
    }

    /// Returns the track that the builder has for a thread of the batch; `None` if it has none yet.
    fn known_track(&self, number: u32, builder: &TraceBuilder) -> Option<u32> {
        let part = &self.batch.part;
        let key = |key: Key| match key {
            Key::Number(number) => Some(Key::Number(number)),
            Key::Text(name) => builder.names.all.find(part.names.all.bytes(name)).map(Key::Text),
        };
        let (pid, tid) = part.registry.thread(number)?;
        let process = builder.registry.find_process(key(pid)?)?;
        builder.registry.find(TrackKey::Thread { process, tid: key(tid)? })
    }

    /// Adds what the batch held at a moment and the builder does not have yet.
    fn add_up_to(&mut self, held: &Held, builder: &mut TraceBuilder) {
        let part = &self.batch.part;
        for next in part.diagnostics.next.iter().flat_map(|next| &next[self.added.next..held.next]) {
            builder.diagnostics.settle_at(*next);
        }
        if held.now != Tick::MIN {
            builder.diagnostics.now = held.now;
        }
        for name in self.added.names..held.names {
            self.names.push(builder.names.intern_bytes(part.names.all.bytes(NameId::new(name))));
        }
        for track in self.added.tracks..held.tracks {
            self.add_track(index32(track), builder);
        }
        // The arguments of the batch have successive numbers in the builder, up to those of the next other event.
        let shift = index32(builder.args.len()).wrapping_sub(index32(self.added.args));
        builder.args.append(&part.args, self.added.args..held.args);
        let mut early_ends = self.batch.early_ends[self.added.early_ends..held.early_ends].iter().peekable();
        let rows = index32(self.added.rows)..index32(held.rows);
        for (track, run) in part.slices.rows.runs_from(rows.start) {
            let mut rest = run.start..run.end.min(rows.end);
            if rest.is_empty() {
                break;
            }
            while let Some(end) = early_ends.next_if(|end| end.closed_at < rest.end) {
                self.add_rows(track, rest.start..end.closed_at, shift, builder);
                rest.start = rest.start.max(end.closed_at);
                self.close(end, end.args.shifted(shift), builder);
            }
            self.add_rows(track, rest, shift, builder);
        }
        for end in early_ends {
            self.close(end, end.args.shifted(shift), builder);
        }
        for &(row, args) in &part.slices.end_args[self.added.end_args..held.end_args] {
            builder.slices.end_args.push((row + self.first_row, args.shifted(shift)));
        }
        self.added = *held;
    }

    /// Adds a thread of the batch.
    fn add_track(&mut self, track: u32, builder: &mut TraceBuilder) {
        let Some((pid, tid)) = self.batch.part.registry.thread(track) else { return };
        let key = |key: Key| match key {
            Key::Number(number) => Key::Number(number),
            Key::Text(name) => Key::Text(self.names[name.index()]),
        };
        let process = builder.registry.process(key(pid));
        let key = TrackKey::Thread { process, tid: key(tid) };
        // There is room for it.
        let number = builder.track(key, ByteRange::default()).unwrap_or_default();
        if let Some(thread) =
            self.batch.part.slices.threads.get(track as usize).filter(|thread| thread.unordered)
        {
            thread_of(&mut builder.slices.threads, number).begin_append(thread);
        }
        self.tracks.push(number);
    }

    /// Adds rows of one track.
    fn add_rows(&self, track: u32, rows: core::ops::Range<u32>, args_shift: u32, builder: &mut TraceBuilder) {
        if rows.is_empty() {
            return;
        }
        let track = self.tracks[track as usize];
        // Without pairs the thread may be one that the builder has no begins and ends of.
        let (depth, around) = builder
            .slices
            .threads
            .get(track as usize)
            .map_or((0, OpenRow::NONE), |thread| (thread.depth(), thread.innermost));
        let names = &self.names;
        let first_row = self.first_row;
        builder.slices.rows.append(
            &self.batch.part.slices.rows,
            rows,
            &Appended { track, first_row, depth, around, names, args_shift },
        );
    }

    /// Closes a slice that began before the batch.
    fn close(&self, end: &Orphan, args: ArgsId, builder: &mut TraceBuilder) {
        let (track, name) = (self.tracks[end.track as usize], self.names[end.name.index()]);
        builder.end_interned(&Orphan { track, name, args, ..*end });
    }

    /// Adds what the batch knows of its tracks as a whole.
    fn merge_threads(&self, builder: &mut TraceBuilder) {
        let part = &self.batch.part;
        for (row, &track) in part.registry.tracks.iter().zip(&self.tracks) {
            builder.registry.track_mut(track).append(row);
        }
        for (thread, &track) in part.slices.threads.iter().zip(&self.tracks) {
            if thread.bounds().0 <= thread.bounds().1 {
                thread_of(&mut builder.slices.threads, track).append(thread, self.first_row);
            }
        }
        for (&row, &name) in &part.slices.other_names {
            builder.slices.other_names.insert(row + self.first_row, self.names[name.index()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::{
        DiagnosticKind, Event, Id, Limits, Scope, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceView,
    };

    /// Events of a few threads. Some ends have no begin or another name, and some times go back.
    fn events(seed: u64) -> Vec<(Event<'static>, ByteRange)> {
        const NAMES: [&str; 4] = ["", "a", "b", "long name of a slice that is not short"];
        let (mut random, mut now) = (spall_synth::Random(seed + 1), 100);
        let made = (0..600_u64).map(|number| {
            now += random.below(7) - i64::from(random.one_in(60)) * 9;
            let tid = [Id::Number(1), Id::Number(2), Id::Text(b"x")][random.below(3_usize)];
            let name = Text::from(NAMES[random.below(NAMES.len())]);
            let mut event = ThreadEvent::new(Thread { pid: Id::Number(1), tid }, Tick(now), name);
            if random.one_in(5) {
                event.args = crate::Args::text(b"n=1");
            }
            let event = match random.below(40) {
                0..=15 => Event::Begin(event),
                16..=31 => Event::End(event),
                32..=36 => Event::Complete(event, Ticks(random.below(9))),
                37 => Event::Unfinished(event),
                _ => Event::Instant(event, Scope::Thread),
            };
            (event, ByteRange::new(10 * number, 10 * number + 9))
        });
        made.collect()
    }

    /// Returns all that two traces of the same events have in common, the numbers of names included.
    fn text(trace: &Trace) -> alloc::string::String {
        let Trace { names, tracks, slices, instants, diagnostics, bounds, .. } = trace;
        let names: Vec<_> = names.iter().collect();
        let args: Vec<_> = slices.ids().into_iter().map(|id| format!("{:?}", trace.slice_args(id))).collect();
        format!("{names:?} {tracks:?} {slices:?} {instants:?} {diagnostics:?} {bounds:?} {args:?}")
    }

    #[test]
    fn batches_make_the_trace_that_single_events_make() {
        let mut n_joined = 0;
        for (seed, max_depth, max_slices) in (0..200).map(|seed| match seed % 4 {
            0 => (seed, 3, u32::MAX - 1),
            1 => (seed, 1 << 24, 40),
            _ => (seed, 1 << 24, u32::MAX - 1),
        }) {
            let limits = Limits { max_depth, max_slices, ..Limits::default() };
            let events = events(seed);
            let (mut alone, mut joined) = (TraceBuilder::new(&limits), TraceBuilder::new(&limits));
            events.iter().for_each(|(event, bytes)| alone.receive(event, *bytes));
            let mut batch = EventBatch::default();
            for part in events.chunks(1 + usize::try_from(seed % 50).unwrap()) {
                part.iter().for_each(|(event, bytes)| batch.receive(event, *bytes));
                if joined.push_batch(&mut batch) {
                    n_joined += 1;
                } else {
                    part.iter().for_each(|(event, bytes)| joined.receive(event, *bytes));
                }
                assert!(batch.is_empty());
            }
            assert_eq!(text(&alone.finish()), text(&joined.finish()), "{seed}");
        }
        assert!(n_joined > 1000, "only {n_joined} batches were added as a whole");
    }

    /// A thread whose only fault is that it ends inside of slices reports the outermost of these.
    #[test]
    fn open_slices_of_several_batches_are_reported_at_the_outermost_one() {
        let mut builder = TraceBuilder::new(&Limits::default());
        let mut batch = EventBatch::default();
        let thread = Thread::new(1_i64, 1_i64);
        for (is_begin, at) in
            [(true, 0_u64), (false, 1), (true, 2), (true, 3), (false, 4), (true, 5), (false, 6), (true, 7)]
        {
            let event = ThreadEvent::new(thread, Tick(at.cast_signed()), Text::from("a"));
            let event = if is_begin { Event::Begin(event) } else { Event::End(event) };
            batch.receive(&event, ByteRange::new(at, at + 1));
            assert!(builder.push_batch(&mut batch));
        }
        let trace = builder.finish();
        let places: Vec<_> = trace.diagnostics().kept().iter().map(|kept| (kept.kind, kept.bytes)).collect();
        let outermost = (DiagnosticKind::UnfinishedSlice, ByteRange::new(2, 3));
        assert_eq!(places, [outermost; 2]);
    }
}
