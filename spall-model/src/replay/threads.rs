//! The replay of the slices, instants and states of a thread.

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

use crate::{
    Event, Instant, Key, NameId, Slice, SliceArgs, SliceFlags, SliceId, State, Text, Thread, ThreadEvent,
    Tick, TraceView, Track,
};

use super::{Replay, flows::SliceBoundEnds, ids::ThreadIds};

/// The ends of open pairs and their positions in the stack: the earliest end on top, and of equal ends that of the innermost
/// pair.
pub(super) type PairEnds = BinaryHeap<(Reverse<Tick>, u32)>;

impl<'t, E> Replay<'t, E> {
    /// Emits everything on the track of a thread: slices first, then instants, then states.
    pub(super) fn thread(
        &mut self,
        track: &'t Track,
        tid: Key,
        bound: &mut SliceBoundEnds<'t>,
    ) -> Result<(), E> {
        let mut ids = ThreadIds::default();
        let thread = ids.thread(self.trace, self.pid(track.process), tid);
        self.slices(track, thread, bound)?;
        self.instants_of(track, thread)?;
        for state in self.trace.states_of(track.id) {
            let &State { start: at, end, name, .. } = state;
            let (name, args) = (self.text(name), self.trace.args_of(state));
            let event = ThreadEvent { thread, at, name, category: Text::EMPTY, args };
            self.emit(Event::State(event, end - at))?;
        }
        Ok(())
    }

    /// Emits the instants of a process or of the whole trace. Their thread does not matter.
    pub(super) fn instants(&mut self, track: &'t Track) -> Result<(), E> {
        let mut ids = ThreadIds::default();
        let pid = self.pid(track.process);
        let thread = ids.thread(self.trace, pid, pid);
        self.instants_of(track, thread)
    }

    /// Emits the instants of a track with the ids of a thread.
    fn instants_of(&mut self, track: &'t Track, thread: Thread<'_>) -> Result<(), E> {
        for instant in self.trace.instants_of(track.id) {
            let &Instant { at, name, category, scope, .. } = instant;
            let (name, category) = (self.text(name), self.text(category));
            let args = self.trace.args_of(instant);
            self.emit(Event::Instant(ThreadEvent { thread, at, name, category, args }, scope))?;
        }
        Ok(())
    }

    /// Emits slices in display order, which is the order of the begins of pairs. The end of a pair comes before the
    /// next begin of a pair that is not inside it. From the first pair on that ends after the one around it, ends come in the
    /// order of time, each with its name. [pairing 2.5](crate::rules::pairing#2.5)
    fn slices(
        &mut self,
        track: &'t Track,
        thread: Thread<'_>,
        bound: &mut SliceBoundEnds<'t>,
    ) -> Result<(), E> {
        let mut crosses = None;
        for (id, slice) in self.trace.slices_of(track.id) {
            if slice.flags.contains(SliceFlags::SAMPLED) {
                continue;
            }
            if !slice.flags.is_paired() {
                self.whole(thread, id, &slice, bound)?;
                continue;
            }
            self.close_pairs(thread, slice.start, |outer| !is_around(outer, &slice))?;
            if slice.flags.is_unfinished()
                && (self.is_end_expected(&slice) || *crosses.get_or_insert_with(|| self.has_crossing(track)))
            {
                self.whole(thread, id, &slice, bound)?;
                continue;
            }
            let args = self.trace.slice_args(id).begin;
            self.emit(Event::Begin(self.begin(thread, &slice, args)))?;
            self.bound_ends(id, thread, bound)?;
            self.open_pair(id, &slice);
        }
        self.close_pairs(thread, Tick::MAX, |_| true)?;
        self.open_pairs.drain().for_each(drop);
        self.pair_ends = None;
        Ok(())
    }

    /// Returns whether a pair of a thread ends after one around it. Then the end of a pair might be taken for that of any
    /// unfinished slice that was begun before.
    fn has_crossing(&self, track: &Track) -> bool {
        let mut open: Vec<Slice> = Vec::new();
        self.trace.slices_of(track.id).filter(|(_, slice)| slice.flags.is_paired()).any(|(_, slice)| {
            while open.pop_if(|outer| !is_around(outer, &slice)).is_some() {}
            let crosses = open.last().is_some_and(|outer| slice.end > outer.end);
            open.push(slice);
            crosses && !slice.flags.is_unfinished()
        })
    }

    /// Adds a pair to the open ones.
    fn open_pair(&mut self, id: SliceId, slice: &Slice) {
        let outer = self.open_pairs.top().map(|top| top.item.1);
        let crosses = outer.is_some_and(|outer| slice.end > outer.end && !slice.flags.is_unfinished());
        if crosses && self.pair_ends.is_none() {
            let positions = 0..=self.open_pairs.top_position().unwrap_or_default();
            let open =
                positions.filter_map(|position| Some((position, self.open_pairs.get(position)?.item.1)));
            let open = open.filter(|(_, slice)| !slice.flags.is_unfinished());
            self.pair_ends = Some(open.map(|(position, slice)| (Reverse(slice.end), position)).collect());
        }
        let position = self.open_pairs.push(slice.name, (id, *slice));
        if let Some(ends) = &mut self.pair_ends
            && !slice.flags.is_unfinished()
        {
            ends.push((Reverse(slice.end), position));
        }
    }

    /// Emits the ends of open pairs up to the time `now`, from the innermost to the first one of which `is_over` is false.
    fn close_pairs(
        &mut self,
        thread: Thread<'_>,
        now: Tick,
        is_over: impl Fn(&Slice) -> bool,
    ) -> Result<(), E> {
        while let Some(&(Reverse(end), position)) = self.pair_ends.as_ref().and_then(PairEnds::peek) {
            let Some(&open) = self.open_pairs.get(position) else { break };
            if end > now || !is_over(&open.item.1) {
                return Ok(());
            }
            self.pair_ends.as_mut().and_then(PairEnds::pop);
            self.open_pairs.remove(position);
            self.end(thread, open.item.0, &open.item.1)?;
        }
        if self.pair_ends.is_some() {
            return Ok(());
        }
        while let Some(position) = self.open_pairs.top_position() {
            let (id, slice) = match self.open_pairs.get(position) {
                Some(top) if is_over(&top.item.1) => top.item,
                _ => break,
            };
            self.open_pairs.remove(position);
            self.end(thread, id, &slice)?;
        }
        Ok(())
    }

    /// Returns whether an end is still to come that would end an unfinished slice if that were emitted as a begin: the
    /// end of a pair of the same name, or of one without a name, which ends whatever is open.
    fn is_end_expected(&self, unfinished: &Slice) -> bool {
        let pairs = [unfinished.name, NameId::EMPTY].map(|name| self.open_pairs.innermost(name));
        let mut pairs = pairs.into_iter().flatten().filter_map(|position| self.open_pairs.get(position));
        pairs.any(|pair| !pair.item.1.flags.is_unfinished())
    }

    /// Emits a slice at once: as one event if its duration and arguments allow, and as begin and end otherwise.
    fn whole(
        &mut self,
        thread: Thread<'_>,
        id: SliceId,
        slice: &Slice,
        bound: &mut SliceBoundEnds<'t>,
    ) -> Result<(), E> {
        let SliceArgs { begin, end } = self.trace.slice_args(id);
        let event = self.begin(thread, slice, begin);
        if slice.flags.is_unfinished() {
            self.emit(Event::Unfinished(event))?;
        } else if end.is_none() && event.at + slice.duration() == slice.end {
            self.emit(Event::Complete(event, slice.duration()))?;
        } else {
            // The end must not come between the begin and the end of a pair that is over when the slice begins.
            let is_over = |outer: &Slice| !outer.flags.is_unfinished() && outer.end <= slice.start;
            self.close_pairs(thread, slice.start, is_over)?;
            self.emit(Event::Begin(event))?;
            self.bound_ends(id, thread, bound)?;
            return self.end(thread, id, slice);
        }
        self.bound_ends(id, thread, bound)
    }

    /// Returns the event at the start of a slice, with these arguments.
    fn begin<'e>(&self, thread: Thread<'e>, slice: &Slice, args: crate::Args<'e>) -> ThreadEvent<'e>
    where
        't: 'e,
    {
        let (name, category) = (self.text(slice.name), self.text(slice.category));
        ThreadEvent { thread, at: slice.start, name, category, args }
    }

    /// Emits the end of a slice, unless it is unfinished.
    fn end(&mut self, thread: Thread<'_>, id: SliceId, slice: &Slice) -> Result<(), E> {
        if slice.flags.is_unfinished() {
            return Ok(());
        }
        let event = self.begin(thread, slice, self.trace.slice_args(id).end);
        self.emit(Event::End(ThreadEvent { at: slice.end, ..event }))
    }
}

/// Returns whether a slice lies inside a pair that is open.
///
/// A pair whose begin was still open when a pair around it was closed counts as open until its own end. So the depth alone
/// does not tell whether a slice that begins exactly at the end of another one lies inside it.
fn is_around(outer: &Slice, slice: &Slice) -> bool {
    let ends_inside = !slice.flags.is_unfinished() && slice.end <= outer.end;
    outer.flags.open_depth() < slice.flags.open_depth()
        && (outer.flags.is_unfinished() || outer.end > slice.start || outer.end == slice.start && ends_inside)
}
