//! The replay of the slices, instants and states of a thread.

use crate::{
    Event, Instant, Key, NameId, Slice, SliceArgs, SliceFlags, SliceId, State, Text, Thread, ThreadEvent,
    TraceView, Track,
};

use super::{Replay, flows::SliceBoundEnds, ids::ThreadIds};

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
    /// next begin of a pair that is not inside it.
    fn slices(
        &mut self,
        track: &'t Track,
        thread: Thread<'_>,
        bound: &mut SliceBoundEnds<'t>,
    ) -> Result<(), E> {
        for (id, slice) in self.trace.slices_of(track.id) {
            if slice.flags.contains(SliceFlags::SAMPLED) {
                continue;
            }
            if !slice.flags.is_paired() {
                self.whole(thread, id, &slice, bound)?;
                continue;
            }
            // A pair whose begin was still open when a pair around it was closed counts as open until its own end. So
            // the depth alone does not tell whether a slice that begins exactly at the end of another one lies inside
            // it.
            let is_around = |outer: &Slice| {
                let ends_inside = !slice.flags.is_unfinished() && slice.end <= outer.end;
                outer.flags.open_depth() < slice.flags.open_depth()
                    && (outer.flags.is_unfinished()
                        || outer.end > slice.start
                        || outer.end == slice.start && ends_inside)
            };
            self.close_pairs(thread, |outer| !is_around(outer))?;
            if slice.flags.is_unfinished() && self.is_end_expected(&slice) {
                self.whole(thread, id, &slice, bound)?;
                continue;
            }
            let args = self.trace.slice_args(id).begin;
            self.emit(Event::Begin(self.begin(thread, &slice, args)))?;
            self.bound_ends(id, thread, bound)?;
            self.open_pairs.push(slice.name, (id, slice));
        }
        self.close_pairs(thread, |_| true)
    }

    /// Emits the ends of the innermost open pairs, from the top to the first one of which `is_over` is false.
    fn close_pairs(&mut self, thread: Thread<'_>, is_over: impl Fn(&Slice) -> bool) -> Result<(), E> {
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
            self.close_pairs(thread, is_over)?;
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
