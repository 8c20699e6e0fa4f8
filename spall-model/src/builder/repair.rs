//! The final pairing, once all events were read: threads whose plain reading has faults are read again, unless a recording
//! only cuts them, and the best reading is written into the rows. [pairing 2](crate::rules::pairing#2)
//!
//! There may be very many such threads with very few slices each, as in a file of which every thread ends inside a
//! slice. So nothing here is allocated for each thread: begins and ends of a thread are put into buffers that the
//! next one uses again. (200 000 threads with one open slice each: 0.34 s became 0.08 s, and 3.2 million allocations
//! a few hundred.)

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{DiagnosticKind, NameId, SliceFlags, Tick, args_table::ArgsId, index32};

use super::{
    TraceBuilder,
    by_track::ByTrack,
    cut_threads,
    pairing::{Orphan, PairFacts, SliceLog, ThreadPairs},
    readings::{Outcome, PairingInput, Reading, Readings},
    reports::{Reports, Spot},
    rows::Rows,
};

impl TraceBuilder {
    /// Decides which end belongs to which begin once all events were read, and joins the arguments of ends to those of
    /// begins. Spans are paired already, and their ends are among those. Returns the rows, which are then taken.
    pub(super) fn finish_pairs(&mut self) -> Rows {
        let mut slices = core::mem::take(&mut self.slices);
        let by_time = self.conventions.by_time;
        if by_time {
            // The order of the file says nothing, so such threads are read again, too.
            for thread in slices.threads.iter_mut().filter(|thread| thread.unordered) {
                thread.add_fault(thread.went_back());
            }
        }
        for (track, thread) in (0_u32..).zip(&slices.threads) {
            let (first, last) = thread.bounds();
            // The list has a place for every track up to the last thread, also for those without begins and ends.
            if first > last {
                continue;
            }
            self.touch(track, first, last);
            let row = self.registry.track_mut(track);
            // Pairs alone are in order as they come. Pairs and complete slices of one track are compared later.
            row.in_order &= row.n_slices == 0 && !thread.unordered && !thread.is_faulty();
            row.n_slices += thread.n_rows;
        }
        if slices.threads.iter().any(ThreadPairs::is_faulty) {
            slices.repair(by_time, &mut self.diagnostics);
        }
        let SliceLog { mut rows, threads, end_args, .. } = slices;
        for thread in threads.iter().filter(|thread| thread.unordered && !by_time) {
            self.diagnostics.add_at(DiagnosticKind::Unordered, thread.went_back());
        }
        // Pairs of a thread whose times go back are not known to nest. [pairing 2]
        let unpair = |thread: &ThreadPairs| thread.unordered && !thread.is_faulty();
        if threads.iter().any(unpair) {
            rows.change_flags(|track, flags| match threads.get(track as usize) {
                Some(thread) if unpair(thread) => flags.without(SliceFlags::PAIRED),
                _ => flags,
            });
        }
        for (row, args) in end_args {
            let args = self.args.join(rows.args(row), args);
            rows.set_args(row, args);
        }
        rows
    }
}

#[allow(clippy::indexing_slicing, reason = "positions are made by this module and never read from a file")]
impl SliceLog {
    /// Reads every thread again whose plain reading has a fault, unless it is only cut, and writes the best reading into the
    /// rows. If `by_time`, the order of the file says nothing about a thread whose times go back.
    fn repair(&mut self, by_time: bool, reports: &mut Reports) {
        cut_threads::find(self);
        let Self { rows, threads, orphans, other_names, end_args } = self;
        let is_read_again = |track: u32| threads.get(track as usize).is_some_and(ThreadPairs::is_read_again);
        let threads_read_again = threads.iter().filter(|thread| thread.is_read_again());
        let n_pairs: u64 = threads_read_again.map(|thread| u64::from(thread.n_rows)).sum();
        let mut pairs: Vec<u32> = Vec::with_capacity(usize::try_from(n_pairs).unwrap_or(0));
        let pairs_read_again =
            rows.runs().filter(|&(track, _)| is_read_again(track)).flat_map(|(track, run)| {
                let pairs = run.filter(|&row| rows.flags(row).is_paired());
                pairs.map(move |row| (track, row))
            });
        pairs.extend(pairs_read_again.clone().map(|(_, row)| row));
        let tracks: Vec<u32> = (0..index32(threads.len())).collect();
        let pairs_by_track = ByTrack::new(pairs_read_again.map(|(track, _)| track), &tracks);
        let orphans_by_track = ByTrack::new(orphans.iter().map(|orphan| orphan.track), &tracks);
        let (mut input, mut readings, mut moved) =
            (PairingInput::default(), Readings::default(), MovedEnds::default());
        for (track, thread) in (0_u32..).zip(&*threads).filter(|(_, thread)| thread.is_faulty()) {
            // Without a fault a row is open, and so the last begin at depth 0 is.
            let outermost = || rows.outermost(thread.innermost).map_or(Tick::MIN, |row| rows.start(row));
            let somewhere = thread.fault().unwrap_or_else(|| Spot::new(thread.outermost, outermost()));
            let orphans = orphans_by_track.items(track).iter().map(|&orphan| &orphans[orphan as usize]);
            if thread.is_cut {
                cut_threads::finish(rows, reports, thread, orphans, somewhere);
                continue;
            }
            input.clear();
            for row in pairs_by_track.items(track).iter().map(|&position| pairs[position as usize]) {
                let end_name = match other_names.get(&row) {
                    Some(&other) => other,
                    None if rows.flags(row).contains(SliceFlags::UNNAMED_END) => NameId::EMPTY,
                    None => rows.name(row),
                };
                input.add_row(row, rows, end_name);
            }
            orphans.for_each(|orphan| input.add_orphan(orphan));
            input.read(thread.unordered, by_time, &mut readings);
            let reading = &readings.best;
            if reading.sorted && !by_time {
                reports.add_at(DiagnosticKind::Resorted, somewhere);
            }
            let nests = reading.sorted || !thread.unordered;
            input.apply(reading, nests, somewhere, rows, reports, &mut moved);
        }
        moved.apply(end_args);
    }
}

#[allow(clippy::indexing_slicing, reason = "positions are made by this module and never read from a file")]
impl PairingInput {
    /// Writes a reading into the rows. `nests` is whether its pairs are known to nest, and `somewhere` is a place of
    /// the thread, for diagnostics whose own place is not kept.
    fn apply(
        &self,
        reading: &Reading,
        nests: bool,
        somewhere: Spot,
        rows: &mut Rows,
        reports: &mut Reports,
        moved: &mut MovedEnds,
    ) {
        for (position, begin) in self.begins.iter().enumerate() {
            let mut pair = PairFacts {
                start: begin.at,
                end: None,
                has_other_name: false,
                nests: nests && !reading.successor[position],
                open_depth: reading.depths[position],
            };
            let (end, is_repaired) = match reading.outcomes[position] {
                Outcome::Closed(closing) => {
                    let end = self.ends[closing as usize];
                    pair.end = Some(end.at);
                    pair.has_other_name = !end.name.is_empty() && end.name != begin.name;
                    let is_moved = end.plain != Some(begin.row);
                    if is_moved {
                        moved.add(self, closing, Some(begin.row));
                    }
                    (end.at, is_moved)
                }
                Outcome::Cut(at) => (at, true),
                Outcome::Open => {
                    rows.unfinished.push(begin.row);
                    (begin.at, false)
                }
            };
            let flags = pair.flags();
            for (flag, fault) in [
                (SliceFlags::UNFINISHED, DiagnosticKind::UnfinishedSlice),
                (SliceFlags::CLAMPED, DiagnosticKind::EndBeforeBegin),
                (SliceFlags::NAME_MISMATCH, DiagnosticKind::NameMismatch),
            ] {
                if flags.contains(flag) {
                    reports.add_at(fault, somewhere);
                }
            }
            rows.set_end(begin.row, end.max(begin.at));
            let repaired = if is_repaired { SliceFlags::REPAIRED } else { SliceFlags::NONE };
            rows.set_flags(begin.row, flags.with(repaired));
        }
        for &end in &reading.unmatched {
            moved.add(self, end, None);
            let spot = self.orphan(end).map_or(somewhere, Orphan::spot);
            reports.add_at(DiagnosticKind::UnmatchedEnd, spot);
        }
    }
}

/// The ends that close another row than the plain reading closed with them, whose arguments move along.
#[derive(Debug, Default)]
struct MovedEnds {
    /// The row that each closes now, by the row of the plain reading.
    rows: HashMap<u32, Option<u32>, RandomState>,
    /// The arguments of those that found nothing open, and their rows.
    of_orphans: Vec<(u32, ArgsId)>,
}

impl MovedEnds {
    /// Adds an end of a thread, by its position, that closes `row` now, or nothing.
    fn add(&mut self, thread: &PairingInput, end: u32, row: Option<u32>) {
        if let Some(orphan) = thread.orphan(end) {
            self.of_orphans.extend(row.filter(|_| orphan.args != ArgsId::NONE).map(|row| (row, orphan.args)));
        } else if let Some(plain) = thread.ends.get(end as usize).and_then(|end| end.plain) {
            self.rows.insert(plain, row);
        }
    }

    /// Moves the arguments of ends, which are given with their rows. An end that closes nothing has none.
    fn apply(self, end_args: &mut Vec<(u32, ArgsId)>) {
        if !self.rows.is_empty() {
            end_args.retain_mut(|(row, _)| match self.rows.get(row) {
                Some(&now) => now.map(|now| *row = now).is_some(),
                None => true,
            });
        }
        end_args.extend(self.of_orphans);
    }
}
