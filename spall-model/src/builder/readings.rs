//! The readings of a thread whose plain reading has faults. [json 3.2](crate::rules::json#3.2)
//!
//! Such a thread is read in up to four ways: by the names of ends or without them, and in the order of the file or,
//! if its times go back, in the order of time. The reading with the fewest faults counts.

use alloc::{collections::VecDeque, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::{NameId, Tick, index32, open_stack::OpenStack};

use super::{
    pairing::Orphan,
    rows::{PairState, Rows},
};

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
    /// No end closes the begin, and the slice is over at the time at which a slice around it was closed.
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
    /// The number of begins that were open when each begin came, without successors, which are no pairs.
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
        self.read_by_name(&self.events, false, best, open);
        // So many begins or ends have no partner in any reading.
        let least_faults = self.begins.len().abs_diff(self.ends.len()) as u64;
        if best.faults == least_faults {
            return;
        }
        self.read_plainly(&self.events, false, other, open);
        keep_better(best, other);
        if unordered {
            self.sort(sorted);
            self.read_by_name(sorted, true, other, open);
            keep_better(best, other);
            self.read_plainly(sorted, true, other, open);
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

    /// Reads the events so that each named end closes the innermost open begin of its name, and cuts the slices above
    /// it.
    fn read_by_name(&self, events: &[PairEvent], sorted: bool, reading: &mut Reading, open: &mut OpenBegins) {
        reading.reset(self.begins.len(), sorted);
        open.clear();
        let mut rest = events;
        while let Some((&event, tail)) = rest.split_first() {
            match event {
                PairEvent::Begin(begin) => {
                    reading.depths[begin as usize] = open.stack.len() - open.n_successors;
                    open.push(begin, &self.begins[begin as usize]);
                    rest = tail;
                }
                PairEvent::End(_) => {
                    let at = self.time_of(event);
                    let same = |event: &&PairEvent| {
                        matches!(event, PairEvent::End(_)) && self.time_of(**event) == at
                    };
                    let (group, tail) = rest.split_at(rest.iter().take_while(same).count());
                    self.close_group(reading, open, group);
                    rest = tail;
                }
            }
        }
        reading.faults += UNFINISHED * u64::from(open.stack.len());
        while let Some(begin) = open.stack.top_position().and_then(|top| open.remove(top, reading)) {
            debug_assert!(matches!(reading.outcomes[begin as usize], Outcome::Open));
        }
    }

    /// Handles successive ends of one time. Ends of one time need not be written from the inside out. So an end that
    /// names the top goes first as long as there is one, and otherwise the ends go in their order.
    fn close_group(&self, reading: &mut Reading, open: &mut OpenBegins, group: &[PairEvent]) {
        let ends = || {
            group.iter().filter_map(|event| if let PairEvent::End(end) = event { Some(*end) } else { None })
        };
        // Nearly every end is alone at its time, and needs no queues.
        if group.len() == 1 {
            ends().for_each(|end| self.close_by_name(reading, open, end));
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
                self.close_by_name(reading, open, end);
            }
        }
    }

    /// Closes the begin that an end names. Slices above it are cut, unless all of them began at the time of the end.
    fn close_by_name(&self, reading: &mut Reading, open: &mut OpenBegins, end: u32) {
        let PairEnd { at, name, .. } = self.ends[end as usize];
        let Some(position) = open.stack.closed_by(name) else { return reading.add_unmatched(end) };
        if open.stack.top_position() != Some(position) && !open.only_successors_above(position, at) {
            while let Some(top) = open.stack.top_position().filter(|&top| top != position)
                && let Some(inner) = open.remove(top, reading)
            {
                reading.outcomes[inner as usize] = Outcome::Cut(at);
                reading.faults += UNFINISHED;
            }
        }
        let Some(begin) = open.remove(position, reading) else { return };
        self.close(reading, begin, end);
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

    /// Records an end that closes nothing.
    fn add_unmatched(&mut self, end: u32) {
        self.faults += UNMATCHED_END;
        self.unmatched.push(end);
    }
}

/// The begins that a reading has not closed yet.
#[derive(Debug, Default)]
struct OpenBegins {
    stack: OpenStack<OpenBegin>,
    /// The runs of all begins since the last [`OpenBegins::clear`].
    runs: Vec<SameTime>,
    /// The number of open begins that follow a closed one.
    n_successors: u32,
    /// The begins of a plain reading, which needs neither names nor runs.
    plain: Vec<u32>,
}

/// A begin that a reading has not closed yet.
#[derive(Debug, Clone, Copy)]
struct OpenBegin {
    begin: u32,
    /// The position of its run in [`OpenBegins::runs`].
    run: u32,
}

/// A group of neighbouring open begins of one time.
#[derive(Debug)]
struct SameTime {
    at: Tick,
    /// The lowest position of a begin that follows a closed one instead of lying inside it: the begin below was closed
    /// at the time of the run. [`NO_POSITION`] if there is none.
    first_successor: u32,
}

/// A position above those of all open begins.
const NO_POSITION: u32 = u32::MAX;

#[allow(clippy::indexing_slicing, reason = "positions are made by this module and never read from a file")]
impl OpenBegins {
    /// Removes all begins, for the next reading.
    fn clear(&mut self) {
        self.stack.drain().for_each(drop);
        self.runs.clear();
        self.n_successors = 0;
    }

    /// Adds a begin on top, to the run of the top if both have one time.
    fn push(&mut self, begin: u32, event: &PairBegin) {
        let top_run = self.stack.top().map(|top| top.item.run);
        let run = top_run.filter(|&run| self.runs[run as usize].at == event.at).unwrap_or_else(|| {
            self.runs.push(SameTime { at: event.at, first_successor: NO_POSITION });
            index32(self.runs.len() - 1)
        });
        let position = self.stack.push(event.name, OpenBegin { begin, run });
        let run = &mut self.runs[run as usize];
        // Positions become free from the top, so all successors of the run are gone if theirs are given out again.
        if position <= run.first_successor {
            run.first_successor = NO_POSITION;
        }
        self.n_successors += u32::from(run.first_successor != NO_POSITION);
    }

    /// Removes the begin at a position and returns it. Records in the reading whether it follows a begin instead of
    /// lying inside it.
    fn remove(&mut self, position: u32, reading: &mut Reading) -> Option<u32> {
        let OpenBegin { begin, run } = self.stack.remove(position)?;
        let is_successor = position >= self.runs[run as usize].first_successor;
        reading.successor[begin as usize] = is_successor;
        self.n_successors -= u32::from(is_successor);
        Some(begin)
    }

    /// Returns whether all begins above a position began at exactly `at`. If so, they are marked as following the
    /// slice at that position. That slice itself may be of the same run, and is not marked.
    ///
    /// Begins of one time that are neighbours form a run, so the lowest and the highest entry above answer for all: a
    /// walk over all of them for each end would be quadratic.
    fn only_successors_above(&mut self, position: u32, at: Tick) -> bool {
        let (Some(above), Some(top)) = (self.stack.above(position), self.stack.top()) else { return true };
        let run = &mut self.runs[top.item.run as usize];
        let follows = above.item.run == top.item.run && run.at == at;
        if follows && position < run.first_successor {
            // Each open begin is counted once, when the mark moves past it, so all walks together are linear.
            let mut next = self.stack.above_position(position);
            while let Some(at) = next.filter(|&at| at < run.first_successor) {
                self.n_successors += 1;
                next = self.stack.above_position(at);
            }
            run.first_successor = position + 1;
        }
        follows
    }
}
