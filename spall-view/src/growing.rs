//! A trace that grows while it is shown.

use alloc::sync::Arc;
use core::ops::Range;
use std::io::{ErrorKind, Read};

use spall_trace::layout::{Layout, LiveLayout, LiveView};
use spall_trace::model::{
    ByteRange, Diagnostics, Event, LendingParser as _, Limits, LiveSnapshot, LiveTrace, LiveTrack, Progress,
    Receiver, Slice, SliceId, Tick, Ticks, Trace, TraceView, TrackId,
};
use spall_trace::{Error, Format, Hidden, Loader, TraceParser, detect};

use crate::{
    DerivedTrack, Engine, Heights, Opened, Place, PlaceFile,
    element::{Element, Selected},
    filter::Filter,
    open::{HEAD, Note},
    shown::{Growth, Now, Parts, Shown, Work, at_once},
    task::Task,
};

/// How many bytes are read from a source at a time.
const PIECE: usize = 1 << 16;

/// An engine of a trace that grows. It is fed with bytes of a stream or, as a [`Receiver`], with events, and shows after
/// [`LiveEngine::grow`] what has come.
///
/// It answers the same questions as the engine of a finished trace. These answers differ, because what they say depends on
/// what is yet to come: spans of async tracks, flows, objects, samples and the call frames of stacks are known at the end; begins
/// and ends are paired as they come, and an open slice lasts until the latest time of all tracks. Elements and names have numbers
/// of their own, in the order in which they came, and keep them while the trace grows. [`LiveEngine::finish`] makes an engine of
/// the finished trace.
///
/// Questions that take long are answered at once, because what such a computation borrows from the trace cannot live while
/// the trace grows: the first call of [`Engine::go_on`] has the answer. A graph is placed step by step. A search goes on over
/// what comes.
///
/// ```
/// use spall_view::{Heights, LiveEngine};
/// let mut engine = LiveEngine::live("a.json", Heights::PAGE);
/// engine.feed(br#"[{"ph":"B","name":"load","pid":1,"tid":1,"ts":0},{"ph":"E","#)?;
/// engine.grow();
/// let first = engine.about().growth.unwrap();
/// engine.feed(br#""pid":1,"tid":1,"ts":5}]"#)?;
/// engine.end()?;
/// engine.grow();
/// let news = engine.news(first.state).unwrap();
/// assert!(news.growth.ended && news.changed.is_none(), "the same tracks");
/// assert_eq!(engine.news(news.growth.state), None);
/// assert_eq!(engine.finish().about().end, news.end);
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub type LiveEngine = Engine<Live>;

/// A trace that grows, and its layout.
#[derive(Debug)]
pub struct Live {
    trace: LiveTrace,
    layout: LiveLayout,
    limits: Limits,
    /// The first bytes, and the format that they are of.
    head: Vec<u8>,
    format: Option<Format>,
    has_events: bool,
    parser: Option<TraceParser>,
    /// The bytes that the parser has not read yet.
    data: Vec<u8>,
    growth: Growth,
    /// The state in which lines or titles have changed last.
    lines_changed: u64,
    /// What the lines depend on, besides what has come on tracks that had nothing of its kind.
    structure: (u64, usize, bool),
}

impl Shown for Live {
    type Trace<'s> = Now<LiveSnapshot<'s>>;
    type Layout<'s> = Now<LiveView<'s>>;

    fn trace(&self) -> Now<LiveSnapshot<'_>> {
        Now(self.trace.snapshot())
    }

    fn layout(&self) -> Now<LiveView<'_>> {
        Now(self.layout.view(&self.trace.snapshot()))
    }
}

impl Parts for Live {
    fn finished(&self) -> Option<&Trace> {
        None
    }

    fn held(&self) -> Option<(Arc<Trace>, Arc<Layout>)> {
        None
    }

    fn start<W: Work>(&self, work: W) -> Task<W::Output> {
        at_once(work, &*self.trace(), &*self.layout())
    }

    fn hide(&mut self, hidden: &Hidden) {
        self.layout = LiveLayout::new();
        lay_out(&mut self.layout, &self.trace.snapshot(), hidden);
    }

    fn pairing_faults(&self) -> Option<&Diagnostics> {
        Some(self.trace.snapshot().pairing_faults())
    }

    fn n_overlapping(&self) -> u64 {
        0
    }

    fn growth(&self) -> Option<Growth> {
        Some(self.growth)
    }

    fn lines_changed(&self) -> u64 {
        self.lines_changed
    }
}

/// Adds a commit to a layout. Open slices reach the latest time of all tracks.
fn lay_out<'l>(layout: &'l mut LiveLayout, trace: &LiveSnapshot<'l>, hidden: &Hidden) -> LiveView<'l> {
    let now = trace.bounds().map_or(Tick::MIN, |bounds| bounds.end);
    layout.update_slices(trace, now, |slice| hidden.shows_slice(trace, slice))
}

impl<'e> Receiver<'e> for Live {
    fn receive(&mut self, event: &Event<'e>, bytes: ByteRange) {
        self.trace.receive(event, bytes);
    }
}

impl Live {
    /// Reads what is complete of the bytes that have come.
    fn read(&mut self, bytes: &[u8], eof: bool) -> Result<(), Error> {
        self.data.extend_from_slice(bytes);
        self.find_format(bytes);
        let Self { parser, data, trace, has_events, growth, .. } = self;
        let mut receive = |event: &Event<'_>, bytes| {
            *has_events = true;
            trace.receive(event, bytes);
        };
        match parser {
            Some(parser) => {
                let mut at = 0;
                let read = loop {
                    match parser.lend(data.get(at..).unwrap_or_default(), eof, &mut receive) {
                        Ok(Progress::Read(n_bytes)) => at += n_bytes,
                        Ok(Progress::NeedMore(_)) => break Ok(()),
                        Ok(Progress::End) => {
                            growth.ended = true;
                            break Ok(());
                        }
                        Err(error) => break Err(error),
                    }
                };
                // An event of which only a part has come comes again with the next bytes.
                data.drain(..at.min(data.len()));
                read
            }
            // It may be compressed, which only a whole file may be.
            None if eof && !data.is_empty() => Loader::new().read_events(data, receive),
            None => Ok(()), // or the events come from a program
        }
    }

    /// Recognises the format. The first bytes of a file may not yet tell it, or tell another one.
    fn find_format(&mut self, bytes: &[u8]) {
        let room = HEAD.saturating_sub(self.head.len());
        if room == 0 || bytes.is_empty() {
            return;
        }
        self.head.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        let format = detect(&self.head);
        let is_other = core::mem::replace(&mut self.format, format) != format;
        let is_whole = room >= bytes.len();
        if is_other && !self.has_events && (is_whole || self.parser.is_none()) {
            self.parser = format.map(|format| TraceParser::new(format, &self.limits));
            if is_whole {
                self.data.clone_from(&self.head);
            }
        }
    }
}

impl<'e> Receiver<'e> for LiveEngine {
    fn receive(&mut self, event: &Event<'e>, bytes: ByteRange) {
        self.shown.receive(event, bytes);
    }
}

impl LiveEngine {
    /// Shows a trace of which nothing has come yet, in lines of these heights. A place calls it by this name.
    #[must_use]
    pub fn live(name: &str, heights: Heights) -> Self {
        let limits = Limits::default();
        let shown = Live {
            trace: LiveTrace::new(&limits),
            layout: LiveLayout::new(),
            limits,
            head: Vec::new(),
            format: None,
            has_events: false,
            parser: None,
            data: Vec::new(),
            growth: Growth::default(),
            lines_changed: 0,
            structure: (0, 0, false),
        };
        let mut engine = Self::bare(shown, heights);
        engine.said.files = vec![PlaceFile { name: name.into(), offset: None }];
        engine
    }

    /// Takes the next bytes of a stream of any format, which must not be compressed, and reads the events that are complete.
    /// They are shown by the next [`LiveEngine::grow`].
    ///
    /// # Errors
    ///
    /// If nothing behind some byte can be read, the error says why. What was read before stays, and nothing comes any more.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.shown.growth.ended {
            return Ok(());
        }
        self.read(bytes, false)
    }

    /// Takes what has come from a source, in pieces, for as long as `goes_on` returns `true`, and then returns `true`. It returns
    /// `false` if nothing more has come by now, which a source says with [`ErrorKind::WouldBlock`], or if nothing comes any more:
    /// the source has ended, or it or its bytes cannot be read. What is wrong then is a note, and what was read stays.
    /// What has come is shown by the next [`LiveEngine::grow`].
    pub fn feed_from(&mut self, source: &mut impl Read, mut goes_on: impl FnMut() -> bool) -> bool {
        let mut piece = alloc::vec![0; PIECE];
        while !self.shown.growth.ended {
            match source.read(&mut piece) {
                // What is wrong with the bytes is a note.
                Ok(0) => _ = self.end(),
                Ok(n_bytes) => {
                    _ = self.feed(piece.get(..n_bytes).unwrap_or_default());
                    if !goes_on() {
                        return !self.shown.growth.ended;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.said.notes.push(Note::new(error.to_string()));
                    _ = self.end();
                }
            }
        }
        false
    }

    /// Says that nothing comes any more, and reads what is left.
    ///
    /// # Errors
    ///
    /// The error says why what is left cannot be read. What was read before stays.
    pub fn end(&mut self) -> Result<(), Error> {
        if self.shown.growth.ended {
            return Ok(());
        }
        self.shown.growth.ended = true;
        self.read(&[], true)
    }

    fn read(&mut self, bytes: &[u8], eof: bool) -> Result<(), Error> {
        let read = self.shown.read(bytes, eof);
        self.said.format = self.shown.format.map_or("", |format| format.name()).into();
        if let Err(error) = &read {
            self.shown.growth.ended = true;
            self.said.notes.push(Note { byte: Some(error.offset()), ..Note::new(error.to_string()) });
        }
        read
    }

    /// Shows what has come. Returns whether anything has. This takes as long as there are new events, and if there are new tracks,
    /// rows or names of tracks, as long as there are tracks.
    pub fn grow(&mut self) -> bool {
        // A search looks at all that was there when it began.
        while self.searching.is_some() && self.step_find().is_none() {}
        let Self { shown, filter, view, pictures, search, .. } = self;
        let Live { trace, layout, growth, lines_changed, structure, .. } = shown;
        let trace = &trace.commit();
        filter.grow(trace, trace.changed(), view.place());
        let layout = &lay_out(layout, trace, &filter.hidden);
        let now = (trace.n_facts(), trace.n_tracks(), growth.ended);
        let has_other_facts = core::mem::replace(structure, now) != now;
        if trace.changed().is_empty() && !has_other_facts {
            return false;
        }
        growth.state += 1;
        search.grow(trace, layout, &filter.hidden);
        pictures.grow(trace);
        view.reach(trace.bounds().unwrap_or_default());
        if view.grow_derived(trace, layout) {
            *lines_changed = growth.state;
        }
        if has_other_facts || has_first_items(trace, layout, filter) {
            let has_instants = |track: TrackId| !filter.instants_of(trace, track).is_empty();
            if view.grow(trace, layout, has_instants) {
                *lines_changed = growth.state;
            }
        }
        self.asked.grow();
        self.gathered.grow();
        self.lists.grow();
        self.trees.grow();
        true
    }

    /// Makes an engine of the finished trace, which shows the same place. It has the samples, spans and flows too, and it is the
    /// engine of the file that the events are in. What can be taken back is forgotten, and lines have to be asked for again.
    #[must_use]
    pub fn finish(self) -> Engine {
        let (place, origin, heights) = (self.current_place(), self.view.origin(), *self.view.heights());
        let path = |selected: &Selected| self.path_of_element(selected.element).map(str::to_owned);
        let selected = place.selected.as_ref().and_then(|selected| Some((selected, path(selected)?)));
        let of_path = place.derived.iter().find_map(|track| match track {
            DerivedTrack::Path(slice) => Some((slice, path(slice)?)),
            _ => None,
        });
        let trace = self.shown.trace.finish();
        let name = self.said.files.first().map_or("", |file| &file.name);
        let mut opened = Opened::of(trace, name, &self.said.format);
        opened.notes.splice(..0, self.said.notes);
        let mut engine = Engine::new(opened, None, heights);
        let by = origin - engine.view.origin();
        let selected = selected.and_then(|(selected, path)| engine.find_element(selected, &path, by));
        let of_path = of_path.and_then(|(slice, path)| engine.find_element(slice, &path, by));
        let mut place = Place { selected, ..place.clone() };
        for track in &mut place.derived {
            match (track, &of_path) {
                (DerivedTrack::Path(slice), Some(found)) => slice.clone_from(found),
                // Slices have other numbers.
                (DerivedTrack::Rows(rows), _) => rows.change(|row| row.slice = None),
                _ => {}
            }
        }
        place.move_by(by);
        engine.apply(place);
        engine
    }
}

/// Whether a commit has brought the first items of a kind to a track, or to a row.
fn has_first_items(trace: &LiveSnapshot<'_>, layout: &LiveView<'_>, filter: &Filter) -> bool {
    let is_first = |new: Range<usize>| new.start == 0 && !new.is_empty();
    let has_first = |track: LiveTrack<'_>| {
        // Of instants that are partly hidden, the first ones may have been hidden.
        let instants = track.new_instants();
        is_first(track.new_counters())
            || is_first(track.new_states())
            || is_first(instants.clone())
            || (filter.hides() && !instants.is_empty())
    };
    trace.changed().iter().filter_map(|&track| trace.track(track)).any(has_first)
        || layout.changed_rows().any(|(_, n_kept)| n_kept == 0)
}

impl Engine {
    /// The element of a finished trace that was selected while it grew: what is on the same track at the same time, and has the
    /// same name. Times are later by `by`.
    fn find_element(&self, selected: &Selected, path: &str, by: Ticks) -> Option<Selected> {
        let (trace, at) = (self.trace(), self.tick(selected.at) + by);
        let tracks = self.view.tracks_of(trace, self.view.items.at_path(path)?);
        let found = |track: TrackId| match selected.element {
            Element::Slice(_) => {
                let mut slices = trace.slices_of(track);
                let is_it = |(_, slice): &(SliceId, Slice)| {
                    slice.start == at && trace.name(slice.name) == selected.name
                };
                slices.find(is_it).map(|(id, _)| Element::Slice(id))
            }
            Element::State(_) => {
                let position = trace.states_of(track).iter().position(|state| state.start == at)?;
                trace.state_id(track, position).map(Element::State)
            }
            Element::Instant(_) => {
                let position = trace.instants_of(track).iter().position(|instant| instant.at == at)?;
                trace.instant_number(track, position).map(Element::Instant)
            }
            Element::Counter(_) => Some(Element::Counter(track)),
            Element::Object(_) | Element::Derived(_) => None,
        };
        let element = tracks.into_iter().find_map(found)?;
        Some(Selected { element, ..selected.clone() })
    }
}
