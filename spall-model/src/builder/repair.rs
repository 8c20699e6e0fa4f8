//! Threads whose plain reading has faults are read up to four ways; the one with the fewest faults counts. [json 3.2]

use alloc::{collections::VecDeque, vec::Vec};
use core::cmp::Reverse;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{ByteRange, DiagnosticKind, NameId, SliceFlags, Tick, args_table::ArgsId};

use super::{
    TraceBuilder,
    pairing::{NO_PAIR, OPEN, PairLog},
    registry::index32,
};

const UNMATCHED_END: u64 = 1;
const UNFINISHED: u64 = 1;
const NAME_MISMATCH: u64 = 1;
const END_BEFORE_BEGIN: u64 = 3;

/// The begins and ends of one thread, back in the order of the file.
#[derive(Debug, Default)]
struct Story {
    begins: Vec<Begin>,
    ends: Vec<End>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy)]
struct Begin {
    row: u32,
    at: Tick,
    name: NameId,
}

#[derive(Debug, Clone, Copy)]
struct End {
    at: Tick,
    name: NameId,
    args: ArgsId,
    /// The row that the plain reading closed with it.
    plain: Option<u32>,
    bytes: Option<ByteRange>,
}

/// A position in [`Story::begins`] or [`Story::ends`].
#[derive(Debug, Clone, Copy)]
enum Step {
    Begin(u32),
    End(u32),
}

/// What became of a begin.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    /// Closed by this end.
    Closed(u32),
    /// Not closed, and over when a slice around it was closed.
    Cut(Tick),
    /// Not closed.
    Open,
}

/// One way to see which end closes which begin.
#[derive(Debug)]
struct Reading {
    faults: u64,
    /// By begin.
    outcomes: Vec<Outcome>,
    /// By begin, how many begins were open around it.
    depths: Vec<u32>,
    /// By begin, whether it was left open while a begin around it was closed: it follows that one.
    successor: Vec<bool>,
    unmatched: Vec<u32>,
    sorted: bool,
}

/// Reads every thread again whose plain reading has a fault.
pub(super) fn read_again(builder: &mut TraceBuilder<'_>, pairs: &mut PairLog) {
    let mut stories: HashMap<u32, Story, RandomState> = HashMap::default();
    for (track, thread) in (0_u32..).zip(&pairs.threads) {
        if thread.is_faulty() {
            stories.insert(track, Story::default());
        }
    }
    collect(builder, pairs, &mut stories);
    for (track, thread) in (0_u32..).zip(&pairs.threads) {
        let Some(story) = stories.get(&track) else { continue };
        let reading = story.best_reading(thread.unordered);
        let nests = reading.sorted || !thread.unordered;
        let somewhere = thread.fault.unwrap_or(thread.outermost);
        story.apply(&reading, nests, somewhere, builder, &mut pairs.end_args);
    }
}

/// Puts the begins and ends of the stories' threads back in order.
#[allow(clippy::indexing_slicing, reason = "rows are numbers of rows that were pushed")]
fn collect(builder: &TraceBuilder<'_>, pairs: &mut PairLog, stories: &mut HashMap<u32, Story, RandomState>) {
    let mut args: HashMap<u32, ArgsId, RandomState> = HashMap::default();
    pairs.end_args.retain(|&(row, id)| {
        let told = stories.contains_key(&builder.rows[row].track);
        if told {
            args.insert(row, id);
        }
        !told
    });
    // How many rows there were at each end, to put it between the right begins.
    let mut places: HashMap<u32, Vec<(u32, Reverse<u32>)>, RandomState> = HashMap::default();
    for (row, slice) in (0_u32..).zip(builder.rows.iter()) {
        let (track, closed_at) = (slice.track, slice.pair);
        if closed_at == NO_PAIR {
            continue;
        }
        let Some(story) = stories.get_mut(&track) else { continue };
        let name = slice.name;
        story.begins.push(Begin { row, at: slice.start, name });
        if closed_at == OPEN {
            continue;
        }
        let end_name = match pairs.other_names.get(&row) {
            Some(&other) => other,
            None if slice.flags.contains(SliceFlags::UNNAMED_END) => NameId::EMPTY,
            None => name,
        };
        story.ends.push(End {
            at: slice.end,
            name: end_name,
            args: args.get(&row).copied().unwrap_or_default(),
            plain: Some(row),
            bytes: None,
        });
        places.entry(track).or_default().push((closed_at, Reverse(row)));
    }
    for orphan in &pairs.orphans {
        let Some(story) = stories.get_mut(&orphan.track) else { continue };
        let bytes = Some(orphan.bytes);
        story.ends.push(End { at: orphan.at, name: orphan.name, args: orphan.args, plain: None, bytes });
        // Nothing was open then, so everything closed at the same place was closed before.
        places.entry(orphan.track).or_default().push((orphan.closed_at, Reverse(0)));
    }
    for (track, story) in stories {
        story.set_steps(&places.remove(track).unwrap_or_default());
    }
}

#[allow(clippy::indexing_slicing, reason = "positions are made by this module and never read from a file")]
impl Story {
    /// Orders begins and ends; `places` says for each end how many rows there were, and which row it closed.
    fn set_steps(&mut self, places: &[(u32, Reverse<u32>)]) {
        let mut order: Vec<u32> = (0..index32(self.ends.len())).collect();
        // Ends between the same two rows close from the inside out; orphans keep their order behind them.
        order.sort_by_key(|&end| places[end as usize]);
        let mut ends = order.into_iter().peekable();
        for (begin, position) in self.begins.iter().zip(0..) {
            while let Some(end) = ends.next_if(|&end| places[end as usize].0 <= begin.row) {
                self.steps.push(Step::End(end));
            }
            self.steps.push(Step::Begin(position));
        }
        self.steps.extend(ends.map(Step::End));
    }

    fn at(&self, step: Step) -> Tick {
        match step {
            Step::Begin(begin) => self.begins[begin as usize].at,
            Step::End(end) => self.ends[end as usize].at,
        }
    }

    fn best_reading(&self, unordered: bool) -> Reading {
        let mut best = self.read_by_name(&self.steps);
        let keep = |best: &mut Reading, other: Reading| {
            if other.faults < best.faults {
                *best = other;
            }
        };
        keep(&mut best, self.read_plainly(&self.steps));
        if unordered {
            let mut sorted = self.steps.clone();
            sorted.sort_by_key(|&step| self.at(step));
            keep(&mut best, Reading { sorted: true, ..self.read_by_name(&sorted) });
            keep(&mut best, Reading { sorted: true, ..self.read_plainly(&sorted) });
        }
        best
    }

    fn new_reading(&self) -> Reading {
        Reading {
            faults: 0,
            outcomes: alloc::vec![Outcome::Open; self.begins.len()],
            depths: alloc::vec![0; self.begins.len()],
            successor: alloc::vec![false; self.begins.len()],
            unmatched: Vec::new(),
            sorted: false,
        }
    }

    /// Each end closes the most recent open begin.
    fn read_plainly(&self, steps: &[Step]) -> Reading {
        let mut reading = self.new_reading();
        let mut open = Vec::new();
        for &step in steps {
            match step {
                Step::Begin(begin) => {
                    reading.depths[begin as usize] = index32(open.len());
                    open.push(begin);
                }
                Step::End(end) => match open.pop() {
                    Some(begin) => {
                        let Begin { name, .. } = self.begins[begin as usize];
                        let end_name = self.ends[end as usize].name;
                        if !end_name.is_empty() && end_name != name {
                            reading.faults += NAME_MISMATCH;
                        }
                        self.close(&mut reading, begin, end);
                    }
                    None => reading.orphan(end),
                },
            }
        }
        reading.faults += UNFINISHED * open.len() as u64;
        reading
    }

    /// Each named end closes the innermost open begin of its name.
    fn read_by_name(&self, steps: &[Step]) -> Reading {
        let mut reading = self.new_reading();
        let mut open = OpenBegins::new(self.begins.len());
        let mut rest = steps;
        while let Some((&step, tail)) = rest.split_first() {
            match step {
                Step::Begin(begin) => {
                    reading.depths[begin as usize] = index32(open.count);
                    open.push(begin, &self.begins[begin as usize]);
                    rest = tail;
                }
                Step::End(_) => {
                    let at = self.at(step);
                    let same = |step: &&Step| matches!(step, Step::End(_)) && self.at(**step) == at;
                    let (group, tail) = rest.split_at(rest.iter().take_while(same).count());
                    self.close_group(&mut reading, &mut open, group);
                    rest = tail;
                }
            }
        }
        reading.faults += UNFINISHED * open.count as u64;
        reading
    }

    /// Serves ends of one time: first whichever names the innermost open begin, else in order.
    fn close_group(&self, reading: &mut Reading, open: &mut OpenBegins, group: &[Step]) {
        let ends =
            || group.iter().filter_map(|step| if let Step::End(end) = step { Some(*end) } else { None });
        if group.len() == 1 {
            ends().for_each(|end| self.close_by_name(reading, open, end));
            return;
        }
        let mut waiting: HashMap<NameId, VecDeque<u32>, RandomState> = HashMap::default();
        for end in ends() {
            waiting.entry(self.ends[end as usize].name).or_default().push_back(end);
        }
        let mut served = hashbrown::HashSet::<u32, RandomState>::default();
        for next in ends() {
            while !served.contains(&next) {
                let top = open.top.map(|begin| self.begins[begin as usize].name);
                let naming_top =
                    top.filter(|name| !name.is_empty()).and_then(|name| waiting.get_mut(&name)?.pop_front());
                let end = naming_top.unwrap_or(next);
                if naming_top.is_none() {
                    // The first one waiting is also the first of its name.
                    waiting.entry(self.ends[end as usize].name).or_default().pop_front();
                }
                served.insert(end);
                self.close_by_name(reading, open, end);
            }
        }
    }

    fn close_by_name(&self, reading: &mut Reading, open: &mut OpenBegins, end: u32) {
        let End { at, name, .. } = self.ends[end as usize];
        let begin = if name.is_empty() { open.top } else { open.innermost(name) };
        let Some(begin) = begin else { return reading.orphan(end) };
        if open.top != Some(begin) && !open.only_successors_above(begin, at) {
            while let Some(inner) = open.top.filter(|&inner| inner != begin) {
                reading.outcomes[inner as usize] = Outcome::Cut(at);
                reading.faults += UNFINISHED;
                open.remove(inner);
            }
        }
        reading.successor[begin as usize] |= open.has_successors(begin);
        open.remove(begin);
        self.close(reading, begin, end);
    }

    fn close(&self, reading: &mut Reading, begin: u32, end: u32) {
        if self.ends[end as usize].at < self.begins[begin as usize].at {
            reading.faults += END_BEFORE_BEGIN;
        }
        reading.outcomes[begin as usize] = Outcome::Closed(end);
    }

    /// Writes a reading into the rows. `nests` says whether its pairs are known to lie in each other.
    fn apply(
        &self,
        reading: &Reading,
        nests: bool,
        somewhere: ByteRange,
        builder: &mut TraceBuilder<'_>,
        end_args: &mut Vec<(u32, ArgsId)>,
    ) {
        if reading.sorted {
            builder.diagnostics.add(DiagnosticKind::Resorted, somewhere);
        }
        for (position, begin) in self.begins.iter().enumerate() {
            let mut flags = SliceFlags::NONE.with_open_depth(reading.depths[position]);
            if nests && !reading.successor[position] {
                flags = flags.with(SliceFlags::PAIRED);
            }
            let end = match reading.outcomes[position] {
                Outcome::Closed(end) => {
                    let end = self.ends[end as usize];
                    if end.at < begin.at {
                        flags = flags.with(SliceFlags::CLAMPED);
                        builder.diagnostics.add(DiagnosticKind::EndBeforeBegin, somewhere);
                    }
                    if !end.name.is_empty() && end.name != begin.name {
                        flags = flags.with(SliceFlags::NAME_MISMATCH);
                        builder.diagnostics.add(DiagnosticKind::NameMismatch, somewhere);
                    }
                    if end.plain != Some(begin.row) {
                        flags = flags.with(SliceFlags::REPAIRED);
                    }
                    if end.args != ArgsId::NONE {
                        end_args.push((begin.row, end.args));
                    }
                    end.at
                }
                Outcome::Cut(at) => {
                    flags = flags.with(SliceFlags::UNFINISHED).with(SliceFlags::REPAIRED);
                    builder.diagnostics.add(DiagnosticKind::UnfinishedSlice, somewhere);
                    at
                }
                Outcome::Open => {
                    flags = flags.with(SliceFlags::UNFINISHED);
                    builder.unfinished.push(begin.row);
                    builder.diagnostics.add(DiagnosticKind::UnfinishedSlice, somewhere);
                    begin.at
                }
            };
            let row = &mut builder.rows[begin.row];
            row.end = end.max(begin.at);
            row.flags = flags;
        }
        for &end in &reading.unmatched {
            let bytes = self.ends[end as usize].bytes.unwrap_or(somewhere);
            builder.diagnostics.add(DiagnosticKind::UnmatchedEnd, bytes);
        }
    }
}

impl Reading {
    fn orphan(&mut self, end: u32) {
        self.faults += UNMATCHED_END;
        self.unmatched.push(end);
    }
}

/// Open begins, innermost on top, of which any may be taken out: a doubly linked list with an index by name.
#[derive(Debug)]
struct OpenBegins {
    top: Option<u32>,
    count: usize,
    /// By begin: what is below and above it, and its run.
    below: Vec<Option<u32>>,
    above: Vec<Option<u32>>,
    run: Vec<u32>,
    is_open: Vec<bool>,
    /// Neighbouring begins of one time: that time, and whether one was closed before what is above it.
    runs: Vec<(Tick, bool)>,
    by_name: HashMap<NameId, Vec<u32>, RandomState>,
}

#[allow(clippy::indexing_slicing, reason = "positions are made by this module and never read from a file")]
impl OpenBegins {
    fn new(begins: usize) -> Self {
        Self {
            top: None,
            count: 0,
            below: alloc::vec![None; begins],
            above: alloc::vec![None; begins],
            run: alloc::vec![0; begins],
            is_open: alloc::vec![false; begins],
            runs: Vec::new(),
            by_name: HashMap::default(),
        }
    }

    fn push(&mut self, begin: u32, what: &Begin) {
        let same_run =
            self.top.map(|top| self.run[top as usize]).filter(|&run| self.runs[run as usize].0 == what.at);
        let run = same_run.unwrap_or_else(|| {
            self.runs.push((what.at, false));
            index32(self.runs.len() - 1)
        });
        let index = begin as usize;
        (self.run[index], self.is_open[index]) = (run, true);
        (self.below[index], self.above[index]) = (self.top, None);
        if let Some(top) = self.top {
            self.above[top as usize] = Some(begin);
        }
        self.top = Some(begin);
        self.count += 1;
        self.by_name.entry(what.name).or_default().push(begin);
    }

    fn innermost(&mut self, name: NameId) -> Option<u32> {
        let open = self.by_name.get_mut(&name)?;
        while open.pop_if(|begin| !self.is_open[*begin as usize]).is_some() {}
        open.last().copied()
    }

    /// Whether all that is above `begin` began at exactly `at`; if so they are from now on known to follow it.
    fn only_successors_above(&mut self, begin: u32, at: Tick) -> bool {
        let (Some(above), Some(top)) = (self.above[begin as usize], self.top) else { return true };
        let run = self.run[top as usize];
        let follows = self.run[above as usize] == run && self.runs[run as usize].0 == at;
        if follows {
            self.runs[run as usize].1 = true;
        }
        follows
    }

    /// Whether `begin` belongs to a run of which some follow what they were begun in.
    fn has_successors(&self, begin: u32) -> bool {
        self.runs[self.run[begin as usize] as usize].1
    }

    fn remove(&mut self, begin: u32) {
        let index = begin as usize;
        let (below, above) = (self.below[index], self.above[index]);
        if let Some(below) = below {
            self.above[below as usize] = above;
        }
        match above {
            Some(above) => self.below[above as usize] = below,
            None => self.top = below,
        }
        self.is_open[index] = false;
        self.count -= 1;
    }
}
