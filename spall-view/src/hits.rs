//! What was found, one after the other: each hit has a position, says what it is, and can be gone to.
//!
//! Processes, tracks and counters come first, from top to bottom. What has a time follows in the order of time: from what was in
//! view when it was found up to the end of the trace, and then from the start of the trace on. Of hits at one time, slices
//! come first, then instants, flows and notes.

use core::ops::Range;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use spall_trace::layout::{Hits, LayoutView, PackId};
use spall_trace::model::{FlowId, NameId, ProcessId, SliceId, Text, Tick, TraceView, TrackId, Value};
use spall_trace::{Sought as _, Timed};

use crate::{
    Engine, Since,
    element::Element,
    item::{Item, Numbered},
    place::Mark,
    shown::Shown,
};

/// Something that can be gone to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(as = "Numbered<TargetKind>"))]
#[serde(from = "Numbered<TargetKind>", into = "Numbered<TargetKind>")]
pub enum Target {
    /// A process, a track, or async tracks that share lines.
    Item(Item),
    /// A slice.
    Slice(SliceId),
    /// An instant, by its number in the trace.
    Instant(u32),
    /// A flow.
    Flow(FlowId),
    /// A note, by its position among the marks of the place.
    Note(u32),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum TargetKind {
    Process,
    Track,
    Pack,
    Derived,
    Slice,
    Instant,
    Flow,
    Note,
}

impl From<Numbered<TargetKind>> for Target {
    fn from(Numbered { kind, id }: Numbered<TargetKind>) -> Self {
        match kind {
            TargetKind::Process => Self::Item(Item::Process(ProcessId(id))),
            TargetKind::Track => Self::Item(Item::Track(TrackId(id))),
            TargetKind::Pack => Self::Item(Item::Pack(PackId(id))),
            TargetKind::Derived => Self::Item(Item::Derived(id)),
            TargetKind::Slice => Self::Slice(SliceId(id)),
            TargetKind::Instant => Self::Instant(id),
            TargetKind::Flow => Self::Flow(FlowId(id)),
            TargetKind::Note => Self::Note(id),
        }
    }
}

impl From<Target> for Numbered<TargetKind> {
    fn from(target: Target) -> Self {
        let (kind, id) = match target {
            Target::Item(Item::Process(process)) => (TargetKind::Process, process.0),
            Target::Item(Item::Track(track)) => (TargetKind::Track, track.0),
            Target::Item(Item::Pack(pack)) => (TargetKind::Pack, pack.0),
            Target::Item(Item::Derived(track)) => (TargetKind::Derived, track),
            Target::Slice(slice) => (TargetKind::Slice, slice.0),
            Target::Instant(number) => (TargetKind::Instant, number),
            Target::Flow(flow) => (TargetKind::Flow, flow.0),
            Target::Note(number) => (TargetKind::Note, number),
        };
        Self { kind, id }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hit {
    /// What to go to.
    pub target: Target,
    /// Its position among all hits.
    pub rank: usize,
    /// What it is, such as `slice`, `thread` or `counter`.
    pub what: &'static str,
    /// Its name, or the text of a note.
    pub name: String,
    /// The path of its track; of a flow that of the track that it leaves.
    pub track: String,
    /// When it starts; `None` for processes and tracks.
    pub start: Option<Since>,
    /// How long it lasts, if it is no point in time.
    pub duration: Option<Since>,
    /// The argument that matches, if it is not the name.
    pub matched: Option<String>,
}

/// All hits, in their order.
struct All<'f, L> {
    layout: &'f L,
    items: Vec<Item>,
    slices: &'f Hits,
    /// Instants, flows and notes, each in the order of time.
    others: [&'f [Timed]; 3],
    /// The number of those with a time that start before the first one that is visited.
    first: usize,
}

impl<'f, L: LayoutView> All<'f, L> {
    fn len(&self) -> usize {
        self.items.len() + self.n_in_time()
    }

    fn n_in_time(&self) -> usize {
        self.slices.len() as usize + self.others.iter().map(|list| list.len()).sum::<usize>()
    }

    /// How many of those with a time start before a time.
    fn n_before(&self, at: Tick) -> usize {
        let others = self.others.iter().map(|list| list.partition_point(|other| other.at < at));
        self.slices.n_before(self.layout, at) as usize + others.sum::<usize>()
    }

    /// The rank of what has a position in the order of time.
    fn rank_in_time(&self, position: usize) -> usize {
        let n_in_time = self.n_in_time().max(1);
        self.items.len() + (position + n_in_time - self.first) % n_in_time
    }

    /// Those from a rank on.
    fn from(&self, rank: usize) -> impl Iterator<Item = Target> {
        let items = self.items.iter().copied().map(Target::Item).skip(rank);
        let position = rank.saturating_sub(self.items.len()) + self.first;
        let position = position.checked_rem(self.n_in_time()).unwrap_or(0);
        let wrapped = core::iter::once_with(|| self.in_time(0)).flatten();
        items.chain(self.in_time(position)).chain(wrapped).take(self.len().saturating_sub(rank))
    }

    /// Those with a time, from a position in the order of time on.
    fn in_time(&self, position: usize) -> impl Iterator<Item = Target> {
        let start = self.time_of(position);
        let mut slice = self.slices.first_from(self.layout, start);
        let mut rest = self.others.map(|list| {
            list.get(list.partition_point(|other| other.at < start)..).unwrap_or_default().iter().peekable()
        });
        let next = move || {
            let of_slice = slice.and_then(|slice| Some((self.layout.place(slice)?.start, 0)));
            let others = rest.iter_mut().zip(1..).filter_map(|(list, kind)| Some((list.peek()?.at, kind)));
            let (_, kind) = of_slice.into_iter().chain(others).min()?;
            let [instants, flows, notes] = &mut rest;
            Some(match kind {
                0 => {
                    let found = slice?;
                    slice = self.slices.next(self.layout, found);
                    Target::Slice(found)
                }
                1 => Target::Instant(instants.next()?.number),
                2 => Target::Flow(FlowId(flows.next()?.number)),
                _ => Target::Note(notes.next()?.number),
            })
        };
        core::iter::from_fn(next).skip(position - self.n_before(start).min(position))
    }

    /// When the one starts that has a position in the order of time.
    fn time_of(&self, position: usize) -> Tick {
        let (mut start, mut end) = (Tick::MIN, Tick::MAX);
        loop {
            let middle = Tick(start.0.midpoint(end.0));
            match () {
                () if middle == start || middle == end => return start,
                () if self.n_before(middle) <= position => start = middle,
                () => end = middle,
            }
        }
    }

    /// The rank of an instant, a flow or a note: its kind, its position among those of its kind, and its time.
    fn rank_of_other(&self, kind: usize, position: usize, at: Tick) -> usize {
        let behind = Tick(at.0.saturating_add(1));
        let others = self.others.iter().enumerate().map(|(other, list)| match other {
            _ if other == kind => position,
            _ if other < kind => list.partition_point(|other| other.at <= at),
            _ => list.partition_point(|other| other.at < at),
        });
        let n_slices = self.slices.n_before(self.layout, behind) as usize;
        self.rank_in_time(n_slices + others.sum::<usize>())
    }

    /// The rank of a slice that is a hit.
    fn rank_of_slice(&self, slice: SliceId, start: Tick) -> usize {
        let others = self.others.iter().map(|list| list.partition_point(|other| other.at < start));
        self.rank_in_time(self.slices.rank(self.layout, slice) as usize + others.sum::<usize>())
    }
}

impl<S: Shown> Engine<S> {
    /// The notes that were found, in the order of time, by their numbers among the marks of the place.
    pub(crate) fn notes_found(&self) -> Vec<Timed> {
        let Some(matches) = self.search.matches.as_ref().filter(|matches| matches.finds_others()) else {
            return Vec::new();
        };
        let is_found = |mark: &Mark| {
            let path = || self.path_of_element(mark.of.as_ref()?.element);
            let is_there = matches.path().is_none_or(|fits| path().is_some_and(fits));
            !mark.text.is_empty() && is_there && matches.matches(&mark.text)
        };
        let marks = self.view.place().marks.iter().zip(0..).filter(|(mark, _)| is_found(mark));
        let mut notes: Vec<Timed> =
            marks.map(|(mark, number)| Timed::new(self.tick(mark.at), number)).collect();
        notes.sort();
        notes
    }

    /// The processes, tracks and packs that were found, from top to bottom.
    pub(crate) fn items_found(&self) -> Vec<Item> {
        let Some(found) = &self.search.found else { return Vec::new() };
        let items = &self.view.items;
        let tracks = found.tracks.iter().chain(&found.counters).map(|&track| items.item_of(track));
        let wanted: HashSet<Item> =
            found.processes.iter().copied().map(Item::Process).chain(tracks).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let (trace, layout) = (&*self.trace(), &*self.layout());
        let in_order = self.view.items_in_order(trace, layout).into_iter();
        in_order.filter(|item| wanted.contains(item)).collect()
    }

    /// All hits, with the notes among them; `None` if nothing was looked for.
    fn all_hits<'f, L: LayoutView>(&'f self, layout: &'f L, notes: &'f [Timed]) -> Option<All<'f, L>> {
        let found = self.search.found.as_ref()?;
        let (items, slices) = (self.items_found(), &found.slices);
        let mut all = All { layout, items, slices, others: [&found.instants, &found.flows, notes], first: 0 };
        all.first = all.n_before(self.search.from);
        Some(all)
    }

    /// The rank of something, if it is a hit.
    fn rank(&self, all: &All<'_, impl LayoutView>, target: Target) -> Option<usize> {
        let (found, trace) = (self.search.found.as_ref()?, &*self.trace());
        let [_, _, notes] = all.others;
        match target {
            Target::Item(item) => all.items.iter().position(|&other| other == item),
            Target::Slice(slice) => {
                let start = all.layout.place(slice)?.start;
                found.slices.has(all.layout, slice).then(|| all.rank_of_slice(slice, start))
            }
            Target::Instant(number) => {
                let position = found.position_of_instant(trace, number)?;
                Some(all.rank_of_other(0, position, found.instants.get(position)?.at))
            }
            Target::Flow(flow) => {
                let at = trace.flows().get(flow.index())?.leaves;
                let position = found.flows.binary_search(&Timed::new(at, flow.0)).ok()?;
                Some(all.rank_of_other(1, position, at))
            }
            Target::Note(number) => {
                let position = notes.iter().position(|note| note.number == number)?;
                Some(all.rank_of_other(2, position, notes.get(position)?.at))
            }
        }
    }

    /// Returns up to `count` hits from a position among all of them on. Without a search there are none.
    #[must_use]
    pub fn hits(&self, rank: usize, count: usize) -> Vec<Hit> {
        let (layout, notes) = (self.layout(), self.notes_found());
        let all = self.all_hits(&*layout, &notes);
        let found = all.iter().flat_map(|all| (rank..).zip(all.from(rank).take(count)));
        found.filter_map(|(rank, target)| self.hit(rank, target)).collect()
    }

    /// Returns the hit that was gone to, or else what is selected if it is a hit.
    #[must_use]
    pub fn current_hit(&self) -> Option<Hit> {
        let target = self.current_target()?;
        let (layout, notes) = (self.layout(), self.notes_found());
        self.hit(self.rank(&self.all_hits(&*layout, &notes)?, target)?, target)
    }

    fn current_target(&self) -> Option<Target> {
        let selected = &self.view.place().selected;
        let visited = self.search.visited.as_ref().filter(|(_, before)| before == selected);
        visited.map(|&(target, _)| target).or_else(|| match selected.as_ref()?.element {
            Element::Slice(slice) => Some(Target::Slice(slice)),
            Element::Instant(number) => Some(Target::Instant(number)),
            _ => None,
        })
    }

    /// Goes to the next hit, or to the one before.
    pub(crate) fn step_to_hit(&mut self, is_next: bool) {
        self.hit_beside(is_next).into_iter().for_each(|target| self.visit(target));
    }

    /// The next hit, or the one before: from the current one, or from what is in view if that one is not. The first hit comes after
    /// the last one.
    fn hit_beside(&self, is_next: bool) -> Option<Target> {
        let (layout, notes) = (self.layout(), self.notes_found());
        let all = self.all_hits(&*layout, &notes)?;
        let Range { start, end } = self.view.window().viewport().range();
        let is_in_view = |target| match self.time_of_target(target) {
            Some(times) => times.start < end && times.end >= start,
            None => true,
        };
        let current = self.current_target();
        let current = current.and_then(|target| Some((target, self.rank(&all, target)?)));
        let (n_hits, n_in_time) = (all.len(), all.n_in_time());
        let rank = match current {
            Some((target, rank)) if is_in_view(target) && is_next => rank + 1,
            Some((target, rank)) if is_in_view(target) => rank + n_hits - 1,
            None if is_next && !all.items.is_empty() => 0,
            _ if n_in_time == 0 => n_hits.saturating_sub(1),
            _ if is_next => all.rank_in_time(all.n_before(start) % n_in_time),
            _ => all.rank_in_time((all.n_before(end) + n_in_time - 1) % n_in_time),
        };
        all.from(rank.checked_rem(n_hits)?).next()
    }

    /// Goes to something: brings it into view, if need be by opening what it is folded into, and selects what can be selected.
    pub(crate) fn visit(&mut self, target: Target) {
        let (trace, layout) = (self.shown.trace(), self.shown.layout());
        let (trace, layout, view) = (&*trace, &*layout, &mut self.view);
        match target {
            Target::Item(item) => view.reveal(item, trace, layout),
            Target::Slice(slice) => view.go(slice, trace, layout),
            Target::Instant(number) => {
                let Some((track, instant)) = trace.instant(number) else { return };
                view.go_to_header(Element::Instant(number), (track, instant.at), trace, layout);
            }
            Target::Flow(id) => {
                let Some(flow) = trace.flows().get(id.index()) else { return };
                view.go(flow.from, trace, layout);
                let before = trace.flows().iter().take(id.index());
                view.flow = before.filter(|before| before.from == flow.from).count();
            }
            Target::Note(number) => view.go_to_mark(number as usize, trace, layout),
        }
        self.search.visited = Some((target, self.view.place().selected.clone()));
    }

    /// When something is that has a time.
    fn time_of_target(&self, target: Target) -> Option<Range<Tick>> {
        let trace = self.trace();
        Some(match target {
            Target::Item(_) => return None,
            Target::Slice(slice) => self.layout().place(slice).map(|placed| placed.start..placed.end)?,
            Target::Instant(number) => trace.instant(number).map(|(_, instant)| instant.at..instant.at)?,
            Target::Flow(flow) => trace.flows().get(flow.index()).map(|flow| flow.leaves..flow.arrives)?,
            Target::Note(number) => {
                let Range { start, end } = self.view.place().marks.get(number as usize)?.range();
                self.tick(start)..self.tick(end)
            }
        })
    }

    fn hit(&self, rank: usize, target: Target) -> Option<Hit> {
        let trace = &*self.trace();
        let (items, marks) = (&self.view.items, &self.view.place().marks);
        let (what, name, element) = match target {
            Target::Item(item) => {
                let (what, name) = items.named(item, trace)?;
                (what, name, None)
            }
            Target::Slice(slice) => {
                ("slice", trace.slice_name(slice).into_owned(), Some(Element::Slice(slice)))
            }
            Target::Instant(number) => {
                let (_, instant) = trace.instant(number)?;
                ("instant", trace.name(instant.name).into_owned(), Some(Element::Instant(number)))
            }
            Target::Flow(flow) => {
                let flow = trace.flows().get(flow.index())?;
                ("flow", trace.name(flow.name).into_owned(), Some(Element::Slice(flow.from)))
            }
            Target::Note(number) => {
                let mark = marks.get(number as usize)?;
                ("note", mark.text.clone(), mark.of.as_ref().map(|of| of.element))
            }
        };
        let times = self.time_of_target(target);
        let track = match target {
            Target::Item(item) => items.path(item),
            _ => element.and_then(|element| self.path_of_element(element)),
        };
        Some(Hit {
            target,
            rank,
            what,
            name,
            track: track.unwrap_or_default().into(),
            start: times.as_ref().map(|times| self.since(times.start)),
            duration: times
                .filter(|times| matches!(target, Target::Slice(_)) || times.end > times.start)
                .map(|times| Since(times.end - times.start)),
            matched: self.matched(target),
        })
    }

    /// What the track of an element is called.
    pub(crate) fn path_of_element(&self, element: Element) -> Option<&str> {
        let trace = self.trace();
        let track = match element {
            Element::Slice(slice) => trace.track_of(slice)?,
            Element::State(state) => trace.state(state)?.0,
            Element::Instant(number) => trace.instant(number)?.0,
            Element::Counter(track) => track,
            Element::Object(_) | Element::Derived(_) => return None,
        };
        self.view.items.path(self.view.items.item_of(track))
    }

    /// The first argument that matches, unless the name does.
    fn matched(&self, target: Target) -> Option<String> {
        let (matches, trace) = (self.search.matches.as_ref()?, &*self.trace());
        let text = |(key, value): (Text<'_>, Value<'_>)| format!("{key}: {value}");
        let (name, args): (NameId, Vec<String>) = match target {
            Target::Slice(slice) => {
                (trace.slice_name_id(slice)?, trace.slice_args(slice).iter().map(text).collect())
            }
            Target::Instant(number) => {
                let (_, instant) = trace.instant(number)?;
                (instant.name, trace.args_of(&instant).iter().map(text).collect())
            }
            Target::Flow(flow) => {
                let flow = trace.flows().get(flow.index())?;
                let (leaving, arriving) = trace.flow_args(flow);
                (flow.name, leaving.iter().chain(arriving.iter()).map(text).collect())
            }
            Target::Item(_) | Target::Note(_) => return None,
        };
        if self.search.is_name(name) { None } else { args.into_iter().find(|arg| matches.matches(arg)) }
    }
}
