//! The replay of async spans. [pairing 5](crate::rules::pairing#5)

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

use crate::{
    Args, AsyncPhase, Event, Id, Instant, KeyedEvent, Slice, SliceId, Tick, TraceView, Track, TrackKind,
    open_stack::OpenStack, span_parents::NO_ID,
};

use super::{
    Replay,
    ids::{self, KeyFields},
};

impl<'t, E> Replay<'t, E> {
    /// Emits the spans and instants of an async track.
    pub(super) fn spans(&mut self, track: &'t Track) -> Result<(), E> {
        let TrackKind::Async { category, id, local, scope, stepped } = track.kind else { return Ok(()) };
        let (mut pid_text, mut id_text) = (Vec::new(), Vec::new());
        let key = KeyFields {
            pid: ids::id(self.trace, self.pid(track.process), &mut pid_text),
            id: ids::id(self.trace, id, &mut id_text),
            local,
            any_category: category.is_empty() && !stepped,
            scope: self.text(scope),
            span: Id::NONE,
            parent: Id::NONE,
        };
        if track.slices.is_empty() && track.instants.is_empty() {
            // The track only exists because of an event that could not be matched. Another one makes it again.
            let phase = if stepped { AsyncPhase::Finish } else { AsyncPhase::End };
            let (name, category) = (self.text(track.name), self.text(category));
            let event = key.event(self.some_time(), name, category, Args::NONE);
            return self.emit(Event::Async(phase, event));
        }
        match stepped {
            true => return self.stepped(track, key),
            false if self.trace.nests_by_parent(track.id) && !self.by_name => return self.by_id(track, &key),
            false => {}
        }
        let instants = self.trace.instants_of(track.id);
        let Some(lanes) = self.lanes_by_name(track) else {
            return self.nestable(self.trace.slices_of(track.id), instants, true, &key);
        };
        let trace = self.trace;
        for lane in lanes.chunk_by(|a, b| a.0 == b.0) {
            let slices = lane.iter().filter_map(|&(_, id)| Some((id, trace.slice(id)?)));
            match lane.first() {
                Some((1.., _)) => {
                    let (lane_id, mut escaped) = (self.lane_id(id), Vec::new());
                    let key = KeyFields { id: ids::escaped(&lane_id, &mut escaped), ..key };
                    self.nestable(slices, &[], false, &key)?;
                }
                _ => self.nestable(slices, instants, false, &key)?,
            }
        }
        Ok(())
    }

    /// Emits spans that say ids or parents: those with ids one by one in the order of the file, on which it depends which of two
    /// spans of one id is meant, and then the others in the order of time.
    fn by_id(&mut self, track: &'t Track, key: &KeyFields<'_>) -> Result<(), E> {
        let trace = self.trace;
        for instant in trace.instants_of(track.id) {
            self.step(SpanStep::Instant(instant), key)?;
        }
        let id_of = |slice| trace.said_span(slice).map_or(NO_ID, |said| said.span);
        let with_ids = trace.slices_of(track.id).filter(|&(slice, _)| id_of(slice) != NO_ID);
        let mut in_file: Vec<_> = with_ids.collect();
        in_file.sort_by_cached_key(|&(slice, _)| trace.said_span(slice).map(|said| said.order));
        for (id, slice) in in_file {
            self.step(SpanStep::Begin(id, slice), key)?;
            self.step(SpanStep::End(id, slice), key)?;
        }
        let others = trace.slices_of(track.id).filter(|&(slice, _)| id_of(slice) == NO_ID);
        self.nestable(others, &[], true, key)
    }

    /// Emits spans that nest, in the order of time. [`OpenSpans::replay`] says which of them `has_depths`.
    fn nestable(
        &mut self,
        slices: impl Iterator<Item = (SliceId, Slice)>,
        instants: &'t [Instant],
        has_depths: bool,
        key: &KeyFields<'_>,
    ) -> Result<(), E> {
        let mut open = core::mem::take(&mut self.open_spans);
        let result = open.replay(slices, instants, has_depths, |step| self.step(step, key));
        self.open_spans = open;
        result
    }

    /// Emits the event of a step.
    fn step(&mut self, step: SpanStep<'t>, key: &KeyFields<'_>) -> Result<(), E> {
        match step {
            SpanStep::Begin(id, slice) => self.span(AsyncPhase::Begin, key, id, &slice),
            SpanStep::End(id, slice) => self.span(AsyncPhase::End, key, id, &slice),
            SpanStep::Instant(instant) => {
                let (name, category) = (self.text(instant.name), self.text(instant.category));
                let event = key.event(instant.at, name, category, self.trace.args_of(instant));
                self.emit(Event::Async(AsyncPhase::Instant, event))
            }
        }
    }

    /// Emits spans of the older kind, each followed by its steps.
    fn stepped(&mut self, track: &'t Track, key: KeyFields<'_>) -> Result<(), E> {
        let mut slices = self.trace.slices_of(track.id).peekable();
        let mut steps = Vec::new();
        while let Some((id, span)) = slices.next() {
            self.span(AsyncPhase::Start, &key, id, &span)?;
            steps.clear();
            while let Some(step) = slices.next_if(|(_, step)| step.flags.open_depth() > 0) {
                steps.push(step);
            }
            // The file has one kind of steps for each span. A step past begins where the step before ends, so that
            // the first one begins with the span. A step into ends where the next one begins. Slices that both kinds
            // describe may be emitted as either.
            let from_start = steps.first().is_some_and(|(_, first)| first.start == span.start);
            let into_past = from_start && steps.iter().all(|(_, step)| !step.flags.is_unfinished());
            for &(id, step) in &steps {
                let (phase, at) = match into_past {
                    true => (AsyncPhase::StepPast, step.end),
                    false => (AsyncPhase::StepInto, step.start),
                };
                let (category, args) = (self.text(step.category), self.trace.slice_args(id).begin);
                // The name of the step is one of its arguments.
                self.emit(Event::Async(phase, key.event(at, self.text(track.name), category, args)))?;
            }
            self.span(AsyncPhase::Finish, &key, id, &span)?;
        }
        Ok(())
    }

    /// Emits the begin or the end of a span, as `phase` says. An unfinished span has no end.
    fn span(&mut self, phase: AsyncPhase, key: &KeyFields<'_>, id: SliceId, span: &Slice) -> Result<(), E> {
        let args = self.trace.slice_args(id);
        let (at, args) = match phase {
            AsyncPhase::End | AsyncPhase::Finish if span.flags.is_unfinished() => return Ok(()),
            AsyncPhase::End | AsyncPhase::Finish => (span.end, args.end),
            _ => (span.start, args.begin),
        };
        let (name, category) = (self.text(span.name), self.text(span.category));
        let event = key.event(at, name, category, args);
        let Some(said) = self.trace.said_span(id) else { return self.emit(Event::Async(phase, event)) };
        let (mut span_text, mut parent_text) = (Vec::new(), Vec::new());
        let span = ids::id(self.trace, said.span, &mut span_text);
        let parent = ids::id(self.trace, said.parent, &mut parent_text);
        self.emit(Event::Async(phase, KeyedEvent { span, parent, ..event }))
    }
}

/// An event of a span that nests.
#[derive(Debug, Clone, Copy)]
pub(super) enum SpanStep<'t> {
    /// The begin of a slice.
    Begin(SliceId, Slice),
    /// The end of a slice, which an unfinished one does not have.
    End(SliceId, Slice),
    /// An instant.
    Instant(&'t Instant),
}

/// The open spans of one track, and the times at which they end.
#[derive(Debug, Default)]
pub(super) struct OpenSpans {
    spans: OpenStack<(SliceId, Slice)>,
    /// The end and the position of each span that has an end: the earliest end on top, and of equal ends the
    /// innermost span. The entry of a span that is closed early stays until its time comes. The id tells it from a
    /// later span at the same position.
    ends: BinaryHeap<(Reverse<Tick>, u32, SliceId)>,
}

impl OpenSpans {
    /// Calls `emit` with the events of spans that nest, in the order of time.
    ///
    /// The order of events at one time follows from the depths, if the slices `has_depths`: a span needs exactly as many open
    /// spans around its begin as its depth says. So spans end as late as possible, but before the begin of a span that their
    /// end would close instead. Slices of one lane of a track have other depths there, and end as early as possible.
    pub(super) fn replay<'t, E>(
        &mut self,
        slices: impl Iterator<Item = (SliceId, Slice)>,
        instants: &'t [Instant],
        has_depths: bool,
        mut emit: impl FnMut(SpanStep<'t>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut begins = slices.peekable();
        let mut instants = instants.iter().peekable();
        let depth_of = |slice: &Slice| if has_depths { slice.flags.open_depth() } else { 0 };
        loop {
            let times = [
                begins.peek().map(|(_, slice)| slice.start),
                instants.peek().map(|instant| instant.at),
                self.next_end(),
            ];
            let Some(now) = times.into_iter().flatten().min() else { break };
            loop {
                let begin = begins.peek().filter(|(_, slice)| slice.start == now);
                let begin_depth = begin.map(|(_, slice)| depth_of(slice));
                let instant = instants.next_if(|instant| {
                    let comes_first = |depth| instant.depth >= depth && instant.depth <= self.spans.depth();
                    instant.at == now && begin_depth.is_none_or(comes_first)
                });
                if let Some(instant) = instant {
                    self.close(&mut emit, |open| open.top_ending(now, instant.depth))?;
                    emit(SpanStep::Instant(instant))?;
                    continue;
                }
                let Some((id, slice)) = begins.next_if(|(_, slice)| slice.start == now) else { break };
                self.close(&mut emit, |open| open.top_ending(now, depth_of(&slice)))?;
                if slice.end > now || slice.flags.is_unfinished() || !has_depths {
                    self.close(&mut emit, |open| open.innermost_ending(now, &slice))?;
                }
                emit(SpanStep::Begin(id, slice))?;
                self.push(id, slice);
            }
            self.close(&mut emit, |open| open.ending(now))?;
        }
        // Only unfinished spans are still open.
        self.spans.drain().for_each(drop);
        Ok(())
    }

    /// Emits the ends of open spans as long as `next` returns the position of one.
    fn close<'t, E>(
        &mut self,
        emit: &mut impl FnMut(SpanStep<'t>) -> Result<(), E>,
        mut next: impl FnMut(&mut Self) -> Option<u32>,
    ) -> Result<(), E> {
        while let Some((id, slice)) = next(self).and_then(|position| self.spans.remove(position)) {
            emit(SpanStep::End(id, slice))?;
        }
        Ok(())
    }

    /// Adds a span that begins.
    fn push(&mut self, id: SliceId, span: Slice) {
        let position = self.spans.push(span.name, (id, span));
        if !span.flags.is_unfinished() {
            self.ends.push((Reverse(span.end), position, id));
        }
    }

    /// Returns the earliest end of a span, or `None` if no span has an end to come.
    fn next_end(&self) -> Option<Tick> {
        self.ends.peek().map(|&(Reverse(end), ..)| end)
    }

    /// Returns the position of the top if it ends now and has at least this depth.
    fn top_ending(&mut self, now: Tick, depth: u32) -> Option<u32> {
        let top = self.spans.top().filter(|top| ends(&top.item.1, now) && self.spans.depth() > depth);
        top.and_then(|_| self.spans.top_position())
    }

    /// Returns the position of the open span that the end of `span` would close in its place, if that one ends now.
    fn innermost_ending(&mut self, now: Tick, span: &Slice) -> Option<u32> {
        let innermost = self.spans.innermost(span.name);
        innermost.filter(|&position| self.spans.get(position).is_some_and(|open| ends(&open.item.1, now)))
    }

    /// Returns the position of the innermost open span that ends now.
    fn ending(&mut self, now: Tick) -> Option<u32> {
        while let Some(&(Reverse(end), position, id)) = self.ends.peek().filter(|entry| entry.0.0 == now) {
            self.ends.pop();
            if let Some(span) = self.spans.get(position).filter(|span| span.item.0 == id) {
                debug_assert_eq!(span.item.1.end, end);
                return Some(position);
            }
        }
        None
    }
}

/// Returns whether a span has its end at a time.
fn ends(span: &Slice, now: Tick) -> bool {
    span.end == now && !span.flags.is_unfinished()
}
