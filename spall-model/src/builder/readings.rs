//! The readings of a thread whose plain reading has faults. [pairing 2](crate::rules::pairing#2)
//!
//! Such a thread is read in up to five ways: by the names of ends or without them, in the order of the file or, if its
//! times go back, in the order of time, and by names with slices that overlap. The reading with the fewest faults counts.

mod open_begins;

use alloc::{collections::VecDeque, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::{NameId, Tick, index32};

use super::{
    pairing::Orphan,
    rows::{PairState, Rows},
};

use self::open_begins::OpenBegins;

// The weights of the faults. An end before its begin weighs most: it is a sure sign of a wrong pair, while each of the
// others can be a single lost event.
const UNMATCHED_END: u64 = 1;
const UNFINISHED: u64 = 1;
const NAME_MISMATCH: u64 = 1;
const END_BEFORE_BEGIN: u64 = 3;

/// A begin of the current thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairBegin {
    pub(super) row: u32,
    pub(super) at: Tick,
    pub(super) name: NameId,
}

/// An end of the current thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairEnd {
    pub(super) at: Tick,
    /// The name of the end; empty if it has none.
    pub(super) name: NameId,
    /// The row that the plain reading closed with it; `None` for an end that found nothing open.
    pub(super) plain: Option<u32>,
    /// The number of rows that existed when it came.
    closed_at: u32,
}

/// What becomes of the open begins inside one that an end closes by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// They are unfinished, and over as well.
    IsCut,
    /// They stay open, so that their slices may overlap the one that is over. Those without an end are cut.
    GoesOn,
}

/// A position in [`PairingInput::begins`] or [`PairingInput::ends`].
#[derive(Debug, Clone, Copy)]
enum PairEvent {
    Begin(u32),
    End(u32),
}

/// The begins and ends of one thread.
#[derive(Debug, Default)]
pub(super) struct PairingInput {
    pub(super) begins: Vec<PairBegin>,
    pub(super) ends: Vec<PairEnd>,
    /// The ends that found nothing open, which are the last of `ends`.
    orphans: Vec<Orphan>,
    /// All begins and ends in the order of the file.
    events: Vec<PairEvent>,
    /// The positions of ends that close an open begin, while the events are put in order.
    to_close: Vec<u32>,
}

/// The fate of a begin in a reading.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome {
    /// The begin is closed by this end.
    Closed(u32),
    /// No end closes the begin, and the slice is over at the time at which the first slice around it was closed.
    Cut(Tick),
    /// No end closes the begin or a slice around it.
    Open,
}

/// An assignment of ends to begins, and its faults.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The sum of the weights of all faults.
    faults: u64,
    /// The fate of each begin.
    pub(super) outcomes: Vec<Outcome>,
    /// The depth of each begin: one more than that of the begin in which it came, without successors, which are no pairs.
    pub(super) depths: Vec<u32>,
    /// Whether each begin was left open when a begin around it was closed, because it follows that slice and does not
    /// lie inside it. It may get an end of its own later or not.
    pub(super) successor: Vec<bool>,
    /// The ends that close nothing.
    pub(super) unmatched: Vec<u32>,
    /// Whether the events were read in the order of time instead of that of the file.
    pub(super) sorted: bool,
}

/// The readings of one thread. Their buffers are used again for the next one.
#[derive(Debug, Default)]
pub(super) struct Readings {
    pub(super) best: Reading,
    other: Reading,
    open: OpenBegins,
    sorted: Vec<PairEvent>,
}

#[allow(clippy::indexing_slicing, reason = "positions are made by this module and never read from a file")]
impl PairingInput {
    /// Removes everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.begins.clear();
        self.ends.clear();
        self.orphans.clear();
        self.events.clear();
    }

    /// Adds the begin of a row and, if it has one, the end that the plain reading closed it with.
    pub(super) fn add_row(&mut self, row: u32, rows: &Rows, end_name: NameId) {
        self.begins.push(PairBegin { row, at: rows.start(row), name: rows.name(row) });
        if let PairState::Closed { n_rows: closed_at } = rows.pair(row) {
            let (at, plain) = (rows.end(row), Some(row));
            self.ends.push(PairEnd { at, name: end_name, plain, closed_at });
        }
    }

    /// Adds an end that found nothing open.
    pub(super) fn add_orphan(&mut self, orphan: &Orphan) {
        let &Orphan { closed_at, at, name, .. } = orphan;
        self.ends.push(PairEnd { at, name, plain: None, closed_at });
        self.orphans.push(*orphan);
    }

    /// Returns an end that found nothing open, by its position in [`PairingInput::ends`]; `None` for other ends.
    pub(super) fn orphan(&self, end: u32) -> Option<&Orphan> {
        let n_closed = self.ends.len() - self.orphans.len();
        self.orphans.get((end as usize).checked_sub(n_closed)?)
    }

    /// Restores the order of the file.
    ///
    /// The plain reading closed begins from the inside out, so those that are still to be closed form a stack. An orphan
    /// found nothing open: it comes behind all ends that closed a begin before it.
    fn put_in_order(&mut self) {
        let Self { begins, ends, orphans, events, to_close } = self;
        let n_closed = ends.len() - orphans.len();
        let mut closing = (0..index32(n_closed)).peekable();
        let mut orphans = (index32(n_closed)..index32(ends.len())).peekable();
        for (position, begin) in (0..).zip(&*begins) {
            let is_before = |&end: &u32| ends[end as usize].closed_at <= begin.row;
            while let Some(end) = to_close.pop_if(|end| is_before(end)) {
                events.push(PairEvent::End(end));
            }
            while let Some(orphan) = orphans.next_if(is_before) {
                events.push(PairEvent::End(orphan));
            }
            events.push(PairEvent::Begin(position));
            to_close.extend(closing.next_if(|&end| ends[end as usize].plain == Some(begin.row)));
        }
        events.extend(to_close.drain(..).rev().chain(orphans).map(PairEvent::End));
    }

    /// Returns the time of an event.
    fn time_of(&self, event: PairEvent) -> Tick {
        match event {
            PairEvent::Begin(begin) => self.begins[begin as usize].at,
            PairEvent::End(end) => self.ends[end as usize].at,
        }
    }

    /// Puts the events into the order of time.
    fn sort(&self, sorted: &mut Vec<PairEvent>) {
        sorted.clear();
        sorted.extend_from_slice(&self.events);
        sorted.sort_by_key(|&event| self.time_of(event));
    }

    /// Sets `readings.best` to the reading with the fewest faults; on a tie, to the first one. If `by_time`, the order of
    /// the file says nothing about a thread whose times go back.
    pub(super) fn read(&mut self, unordered: bool, by_time: bool, readings: &mut Readings) {
        self.put_in_order();
        let Readings { best, other, open, sorted } = readings;
        if unordered && by_time {
            self.sort(sorted);
            self.read_plainly(sorted, true, best, open);
            return;
        }
        let keep_better = |best: &mut Reading, other: &mut Reading| {
            if other.faults < best.faults {
                core::mem::swap(best, other);
            }
        };
        self.read_by_name(&self.events, false, Inside::IsCut, best, open);
        // So many begins or ends have no partner in any reading.
        let least_faults = self.begins.len().abs_diff(self.ends.len()) as u64;
        if best.faults == least_faults {
            return;
        }
        self.read_plainly(&self.events, false, other, open);
        keep_better(best, other);
        if unordered {
            self.sort(sorted);
            self.read_by_name(sorted, true, Inside::IsCut, other, open);
            keep_better(best, other);
            self.read_plainly(sorted, true, other, open);
            keep_better(best, other);
        }
        if best.faults > least_faults {
            let in_order = if best.sorted { sorted } else { &self.events };
            open.endless.clear();
            open.endless.resize(self.begins.len(), false);
            self.read_by_name(in_order, best.sorted, Inside::GoesOn, other, open);
            if other.faults < best.faults {
                // Now it is known which begins get an end.
                let has_no_end = |outcome: &Outcome| !matches!(outcome, Outcome::Closed(_));
                open.endless.clear();
                open.endless.extend(other.outcomes.iter().map(has_no_end));
                if open.endless.contains(&true) {
                    self.read_by_name(in_order, best.sorted, Inside::GoesOn, other, open);
                }
            }
            keep_better(best, other);
        }
    }

    /// Reads the events so that each end closes the most recent open begin.
    fn read_plainly(&self, events: &[PairEvent], sorted: bool, reading: &mut Reading, open: &mut OpenBegins) {
        reading.reset(self.begins.len(), sorted);
        let open = &mut open.plain;
        open.clear();
        for &event in events {
            match event {
                PairEvent::Begin(begin) => {
                    reading.depths[begin as usize] = index32(open.len());
                    open.push(begin);
                }
                PairEvent::End(end) => match open.pop() {
                    Some(begin) => {
                        let PairBegin { name, .. } = self.begins[begin as usize];
                        let end_name = self.ends[end as usize].name;
                        if !end_name.is_empty() && end_name != name {
                            reading.faults += NAME_MISMATCH;
                        }
                        self.close(reading, begin, end);
                    }
                    None => reading.add_unmatched(end),
                },
            }
        }
        reading.faults += UNFINISHED * open.len() as u64;
    }

    /// Reads the events so that each named end closes the innermost open begin of its name. `inside` says what becomes of
    /// the slices above it.
    fn read_by_name(
        &self,
        events: &[PairEvent],
        sorted: bool,
        inside: Inside,
        reading: &mut Reading,
        open: &mut OpenBegins,
    ) {
        reading.reset(self.begins.len(), sorted);
        open.clear();
        let mut rest = events;
        while let Some((&event, tail)) = rest.split_first() {
            match event {
                PairEvent::Begin(begin) => {
                    reading.depths[begin as usize] = open.push(begin, &self.begins[begin as usize]);
                    rest = tail;
                }
                PairEvent::End(_) => {
                    let at = self.time_of(event);
                    let same = |event: &&PairEvent| {
                        matches!(event, PairEvent::End(_)) && self.time_of(**event) == at
                    };
                    let (group, tail) = rest.split_at(rest.iter().take_while(same).count());
                    self.close_group(reading, open, inside, group);
                    rest = tail;
                }
            }
        }
        reading.faults += UNFINISHED * u64::from(open.stack.len());
        while let Some(begin) = open.stack.top_position().and_then(|top| open.remove(top, reading)) {
            debug_assert!(!matches!(reading.outcomes[begin as usize], Outcome::Closed(_)));
        }
    }

    /// Handles successive ends of one time. Ends of one time need not be written from the inside out. So an end that
    /// names the top goes first as long as there is one, and otherwise the ends go in their order.
    fn close_group(&self, reading: &mut Reading, open: &mut OpenBegins, inside: Inside, group: &[PairEvent]) {
        let ends = || {
            group.iter().filter_map(|event| if let PairEvent::End(end) = event { Some(*end) } else { None })
        };
        // Nearly every end is alone at its time, and needs no queues.
        if group.len() == 1 {
            ends().for_each(|end| self.close_by_name(reading, open, inside, end));
            return;
        }
        let mut waiting: HashMap<NameId, VecDeque<u32>, RandomState> = HashMap::default();
        for end in ends() {
            waiting.entry(self.ends[end as usize].name).or_default().push_back(end);
        }
        let mut handled = HashSet::<u32, RandomState>::default();
        for next in ends() {
            while !handled.contains(&next) {
                let top = open.stack.top().map(|top| top.name);
                let naming_top =
                    top.filter(|name| !name.is_empty()).and_then(|name| waiting.get_mut(&name)?.pop_front());
                let end = naming_top.unwrap_or(next);
                if naming_top.is_none() {
                    // The first end that waits is also the first of its name.
                    waiting.entry(self.ends[end as usize].name).or_default().pop_front();
                }
                handled.insert(end);
                self.close_by_name(reading, open, inside, end);
            }
        }
    }

    /// Closes the begin that an end names. Slices above it follow it if all of them began at the time of the end, and
    /// otherwise `inside` says what becomes of them.
    fn close_by_name(&self, reading: &mut Reading, open: &mut OpenBegins, inside: Inside, end: u32) {
        let PairEnd { at, name, .. } = self.ends[end as usize];
        let Some(position) = open.stack.closed_by(name) else { return reading.add_unmatched(end) };
        if open.stack.top_position() != Some(position) && !open.only_successors_above(position, at) {
            match inside {
                Inside::IsCut => Self::cut_above(reading, open, position, at),
                Inside::GoesOn => open.outlive(position, at, reading),
            }
        }
        let Some(begin) = open.remove(position, reading) else { return };
        self.close(reading, begin, end);
    }

    /// Cuts all slices above a position.
    fn cut_above(reading: &mut Reading, open: &mut OpenBegins, position: u32, at: Tick) {
        while let Some(top) = open.stack.top_position().filter(|&top| top != position)
            && let Some(inner) = open.remove(top, reading)
        {
            reading.outcomes[inner as usize] = Outcome::Cut(at);
            reading.faults += UNFINISHED;
        }
    }

    /// Records that an end closes a begin.
    fn close(&self, reading: &mut Reading, begin: u32, end: u32) {
        if self.ends[end as usize].at < self.begins[begin as usize].at {
            reading.faults += END_BEFORE_BEGIN;
        }
        reading.outcomes[begin as usize] = Outcome::Closed(end);
    }
}

impl Reading {
    /// Removes the former reading, and makes room for a thread with this many begins.
    fn reset(&mut self, n_begins: usize, sorted: bool) {
        self.outcomes.clear();
        self.outcomes.resize(n_begins, Outcome::Open);
        self.depths.clear();
        self.depths.resize(n_begins, 0);
        self.successor.clear();
        self.successor.resize(n_begins, false);
        self.unmatched.clear();
        (self.faults, self.sorted) = (0, sorted);
    }

    /// Cuts a begin that outlives a slice around it, unless an end closes it later.
    #[allow(clippy::indexing_slicing, reason = "a reading has an outcome for each begin")]
    fn cut_for_now(&mut self, begin: u32, at: Tick) {
        let outcome = &mut self.outcomes[begin as usize];
        if matches!(outcome, Outcome::Open) {
            *outcome = Outcome::Cut(at);
        }
    }

    /// Records an end that closes nothing.
    fn add_unmatched(&mut self, end: u32) {
        self.faults += UNMATCHED_END;
        self.unmatched.push(end);
    }
}
