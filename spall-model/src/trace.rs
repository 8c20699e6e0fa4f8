//! The finished trace, which holds the facts of a file and nothing derived.

mod said;
mod view;

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use crate::{
    CallSite, ChildOrder, Clock, Conventions, CounterValue, Diagnostics, Flow, Frame, FrameId, Id, Instant,
    Key, LineHits, Metadata, NameId, Names, Object, OtherEvent, Process, ProcessId, Profile, Sample, Sampled,
    SliceFlags, SliceId, Slices, Snapshot, SpanParents, State, Text, Tick, Ticks, TraceView, Track, TrackId,
    TrackKind, TrackSet, Value,
    args_table::ArgsTable,
    facts::MetaValue,
    frame_ids::FrameIds,
    profile::{Side, spans},
    span_parents::SaidSpan,
    track::widen,
};

/// A finished trace: processes with their tracks, and everything on the tracks.
///
/// The elements of a track have consecutive numbers, in the order of the tracks, so that one column serves all tracks:
/// [`Track::slices`] is a range of [`SliceId`], and [`TraceView::slices_of`] looks up the slices. A trace owns its names
/// and arguments. The queries that a live trace answers too
/// are methods of [`TraceView`], which has to be imported.
///
/// ```
/// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let work = ThreadEvent::new(Thread::new(1, 7), Tick(0), Text::from("work"));
/// builder.push(&Event::Complete(work, Ticks(1500)));
/// let trace = builder.finish();
///
/// let mut lines = Vec::new();
/// for track in trace.tracks() {
///     for (_, slice) in trace.slices_of(track.id) {
///         let duration = trace.clock().duration(slice.duration());
///         lines.push(format!("{}: {} {duration}", trace.track_title(track.id), trace.name(slice.name)));
///     }
/// }
/// assert_eq!(lines, ["Thread 7: work 1.5 µs"]);
/// ```
#[doc(alias("profile", "timeline"))]
#[derive(Debug, Clone)]
pub struct Trace {
    pub(crate) clock: Clock,
    pub(crate) conventions: Conventions,
    pub(crate) names: Names,
    pub(crate) args: ArgsTable,
    pub(crate) processes: Vec<Process>,
    pub(crate) tracks: Vec<Track>,
    pub(crate) slices: Slices,
    /// What async spans say of their ids, by slice. Most traces have no such spans.
    pub(crate) said_spans: Vec<SaidSpan>,
    pub(crate) span_parents: SpanParents,
    pub(crate) instants: Vec<Instant>,
    pub(crate) counters: Vec<CounterValue>,
    pub(crate) states: Vec<State>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) objects: Vec<Object>,
    pub(crate) snapshots: Vec<Snapshot>,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) frames: Vec<Frame>,
    /// The call frames that the file shares between threads, sorted by their ids.
    pub(crate) shared_frames: FrameIds,
    pub(crate) samples: Vec<Sample>,
    pub(crate) call_sites: Vec<CallSite>,
    /// The numbers of samples by line, sorted by frame and line.
    pub(crate) line_hits: Vec<LineHits>,
    /// The samples behind slices that were inferred from them, sorted by slice.
    pub(crate) sampled: Vec<(SliceId, Sampled)>,
    pub(crate) meta: Vec<Metadata>,
    pub(crate) others: Vec<OtherEvent>,
    pub(crate) diagnostics: Diagnostics,
    /// The earliest and the latest time of anything.
    pub(crate) bounds: Option<(Tick, Tick)>,
}

impl Trace {
    /// Returns the processes, in display order.
    #[must_use]
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// Returns the tracks, in display order. The tracks of a process are consecutive, and tracks of no process come
    /// first.
    #[must_use]
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// Returns the tracks of a process, in display order.
    #[must_use]
    pub fn tracks_of(&self, process: ProcessId) -> &[Track] {
        let tracks = self.processes.get(process.index()).map(Process::tracks).unwrap_or_default();
        self.tracks.get(tracks.indices()).unwrap_or_default()
    }

    /// Returns the columns of all slices, track by track.
    #[doc(alias("zones", "spans"))]
    #[must_use]
    pub fn slices(&self) -> &Slices {
        &self.slices
    }

    /// Returns all instants, track by track.
    #[must_use]
    pub fn instants(&self) -> &[Instant] {
        &self.instants
    }

    /// Returns all counter values, track by track.
    #[must_use]
    pub fn counters(&self) -> &[CounterValue] {
        &self.counters
    }

    /// Returns all thread states, track by track.
    #[must_use]
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Returns the objects, ordered by the time of their first event.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Returns all snapshots, object by object.
    #[must_use]
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    /// Returns the snapshots of an object, ordered by time.
    #[must_use]
    pub fn snapshots_of(&self, object: &Object) -> &[Snapshot] {
        self.snapshots.get(object.snapshots()).unwrap_or_default()
    }

    /// Returns the sampling profiles, ordered by track. Of several profiles of a track the first one counts.
    #[must_use]
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// Returns the sampling profiles of a track, of which the first one counts. This takes O(log n) for n profiles.
    #[must_use]
    pub fn profiles_of(&self, track: TrackId) -> &[Profile] {
        let first = self.profiles.partition_point(|profile| profile.track < track);
        let end = self.profiles.partition_point(|profile| profile.track <= track);
        self.profiles.get(first..end).unwrap_or_default()
    }

    /// Returns the first sampling profile of a track, which is the one that counts, or `None` if the track has none.
    /// This takes O(log n) for n profiles.
    #[must_use]
    pub fn profile_of(&self, track: TrackId) -> Option<&Profile> {
        self.profiles_of(track).first()
    }

    /// Returns all call frames, profile by profile.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Returns the call frames of a profile.
    #[must_use]
    pub fn frames_of(&self, profile: &Profile) -> &[Frame] {
        self.frames.get(profile.frames().indices()).unwrap_or_default()
    }

    /// Returns a call frame, or `None` if there is no such frame.
    #[must_use]
    pub fn frame(&self, id: FrameId) -> Option<&Frame> {
        self.frames.get(id.index())
    }

    /// Returns the call frame that the file shares between threads under this id, or `None` if there is none. The field
    /// `sf` of JSON events refers to such frames. This takes O(log n) for n frames.
    #[must_use]
    pub fn shared_frame(&self, id: Id<'_>) -> Option<FrameId> {
        let id = match id {
            Id::Number(number) => Key::Number(number),
            Id::Text(raw) => Key::Text(self.names.find(&Text::escaped(raw).unescape())?),
        };
        self.shared_frames.get(id)
    }

    /// Returns all samples, profile by profile.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Returns the samples of a profile, ordered by time.
    #[must_use]
    pub fn samples_of(&self, profile: &Profile) -> &[Sample] {
        self.samples.get(profile.samples()).unwrap_or_default()
    }

    /// Returns the half-open interval of time that each sample of a profile stands for, in the order of the samples. No two
    /// of them overlap, and between them nothing is known to run. This is the time that timelines and call trees give to
    /// the functions of a sample. [samples 2](crate::rules::samples#2)
    pub fn sample_spans(&self, profile: &Profile) -> impl Iterator<Item = Range<Tick>> {
        let slices = self.tracks.get(profile.track.index()).map(Track::slices).unwrap_or_default();
        let flags = self.slices.flags.get(slices.indices()).unwrap_or_default();
        // In a thread with slices they tell what ran before a sample.
        let has_slices = flags.iter().any(|flags| !flags.contains(SliceFlags::SAMPLED));
        let side = if has_slices { Side::After } else { Side::Before };
        spans(profile.weights, side, profile.samples_end, self.samples_of(profile))
    }

    /// Iterates over the names that the thread of a profile has one after another, each with the position of its first sample
    /// among those of the profile. A thread gets another name when it calls `exec`; the name of its track is the last one. The
    /// argument `command` of a sample says it. There is at least one name, which may be empty. [samples 6](crate::rules::samples#6)
    pub fn thread_names(&self, profile: &Profile) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
        let samples = self.samples_of(profile);
        let name_at = |sample: &Sample| match self.args.get(sample.args).get(b"command") {
            Some(Value::Text(name)) => Some(name.decode()),
            _ => None,
        };
        let is_named = samples.first().and_then(name_at).is_some();
        let name = self.tracks.get(profile.track.index()).map(|track| self.names.text(track.name));
        let first = (0, name.unwrap_or_default());
        let renamed = samples.iter().enumerate();
        let renamed = renamed.filter_map(move |(at, sample)| Some((at, name_at(sample)?)));
        (!is_named).then_some(first).into_iter().chain(renamed)
    }

    /// Returns all call sites, profile by profile, ordered by number.
    #[must_use]
    pub fn call_sites(&self) -> &[CallSite] {
        &self.call_sites
    }

    /// Returns the call sites of a profile, ordered by their number.
    #[must_use]
    pub fn call_sites_of(&self, profile: &Profile) -> &[CallSite] {
        self.call_sites.get(widen(&profile.sites)).unwrap_or_default()
    }

    /// Returns the numbers of samples that found a call frame at each line of its source, ordered by line. The slice
    /// is empty unless the file counts lines beside its samples. A line may occur more than once. This takes O(log n)
    /// for n lines.
    #[must_use]
    pub fn line_hits(&self, frame: FrameId) -> &[LineHits] {
        let from = self.line_hits.partition_point(|hits| hits.frame < frame);
        let to = self.line_hits.partition_point(|hits| hits.frame <= frame);
        self.line_hits.get(from..to).unwrap_or_default()
    }

    /// Returns the facts that nothing else in the trace expresses, in the order of the file.
    #[must_use]
    pub fn meta(&self) -> &[Metadata] {
        &self.meta
    }

    /// Returns the value of a fact of [`Trace::meta`].
    #[must_use]
    pub fn meta_value(&self, meta: &Metadata) -> Value<'_> {
        match meta.value {
            MetaValue::Scalar(value) => value,
            MetaValue::Text(name) => Value::Text(Text::plain(self.names.bytes(name))),
            MetaValue::Bytes(id) => Value::Bytes(self.args.get(id).bytes()),
            MetaValue::List(id) => Value::List(self.args.get(id)),
            MetaValue::Map(id) => Value::Map(self.args.get(id)),
        }
    }

    /// Returns the events of kinds that the model does not interpret, in the order of the file.
    #[must_use]
    pub fn others(&self) -> &[OtherEvent] {
        &self.others
    }

    /// Returns the set of tracks that is shown if none is chosen: the threads, or everything if they have neither slices nor
    /// samples. [tree 7](crate::rules::tree#7)
    ///
    /// ```
    /// use spall_model::{AsyncPhase, Event, KeyedEvent, Limits, Text, Tick, TraceBuilder, TrackSet};
    ///
    /// let mut builder = TraceBuilder::new(&Limits::default());
    /// for (phase, at) in [(AsyncPhase::Begin, 10), (AsyncPhase::End, 40)] {
    ///     builder.push(&Event::Async(phase, KeyedEvent::new(1, Tick(at), 7, Text::from("request"))));
    /// }
    /// let trace = builder.finish();
    /// assert_eq!((trace.shown_tracks(), trace.n_left_out(TrackSet::Threads)), (TrackSet::All, 1));
    /// ```
    #[must_use]
    pub fn shown_tracks(&self) -> TrackSet {
        let has_sums = |track: &Track| !track.slices().is_empty() || self.profile_of(track.id).is_some();
        if self.tracks_in(TrackSet::Threads).any(has_sums) { TrackSet::Threads } else { TrackSet::All }
    }

    /// Returns the tracks of a set, in their order.
    pub fn tracks_in(&self, set: TrackSet) -> impl Iterator<Item = &Track> {
        self.tracks.iter().filter(move |track| set.contains(&track.kind))
    }

    /// Returns how many slices are on tracks that are not in a set, so that its sums leave them out.
    #[must_use]
    pub fn n_left_out(&self, set: TrackSet) -> usize {
        TraceView::n_left_out(self, set)
    }

    /// Returns the slices of a set of tracks that overlap `range`, longest first, but at most `max` of them.
    /// The whole duration of a slice counts, and not only the part inside the range. Slices of one duration are in
    /// the order of their ids. A slice without duration overlaps the range if its time lies in it.
    /// The work is proportional to the number of slices in the trace.
    ///
    /// ```
    /// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView, TrackSet};
    ///
    /// let mut builder = TraceBuilder::new(&Limits::default());
    /// for (name, at, lasts) in [("load", 0, 90), ("draw", 100, 20), ("swap", 130, 30)] {
    ///     let work = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from(name));
    ///     builder.push(&Event::Complete(work, Ticks(lasts)));
    /// }
    /// let trace = builder.finish();
    ///
    /// let longest = trace.longest_slices(TrackSet::All, Tick(100)..Tick(200), 10);
    /// let names: Vec<_> = longest.into_iter().map(|id| trace.slice_name(id)).collect();
    /// assert_eq!(names, ["swap", "draw"]);
    /// ```
    #[must_use]
    pub fn longest_slices(&self, tracks: TrackSet, range: Range<Tick>, max: usize) -> Vec<SliceId> {
        let mut found: Vec<(Reverse<Ticks>, SliceId)> = Vec::new();
        let keep_longest = |found: &mut Vec<_>| {
            if found.len() > max {
                if max > 0 {
                    found.select_nth_unstable(max - 1);
                }
                found.truncate(max);
            }
        };
        for track in self.tracks_in(tracks) {
            for (id, slice) in self.slices_of(track.id).filter(|(_, slice)| slice.overlaps(&range)) {
                found.push((Reverse(slice.duration()), id));
                // Selecting takes time linear in the list. At twice the size it halves the list, so that each slice
                // pays a constant share, and memory stays in proportion to `max`.
                if found.len() >= max.saturating_mul(2).max(1024) {
                    keep_longest(&mut found);
                }
            }
        }
        keep_longest(&mut found);
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).collect()
    }
}

/// The place of a track of its own, or of a counter, among such tracks.
pub(crate) struct OwnPlace {
    pub(crate) id: Key,
    /// The name; empty for a counter, whose events have it.
    pub(crate) name: NameId,
    /// The id of the track above; `None` directly below the process.
    pub(crate) parent: Option<Key>,
}

impl Trace {
    /// Returns the place of a track among tracks of their own, or `None` if it has none. A counter has one only if that says
    /// something, or if tracks lie below it, which come right after it.
    pub(crate) fn own_place(&self, track: &Track) -> Option<OwnPlace> {
        let parent = track.parent.and_then(|parent| match self.tracks.get(parent.index())?.kind {
            TrackKind::Counter { id } => id,
            kind => kind.tid(),
        });
        match track.kind {
            TrackKind::Track { id } => Some(OwnPlace { id, name: track.name, parent }),
            TrackKind::Counter { id: Some(id) } => {
                let next = self.tracks.get(track.id.index() + 1);
                let has_children = next.is_some_and(|next| next.parent == Some(track.id));
                let says = (parent, track.sort_index, track.children) != (None, 0, ChildOrder::Unspecified);
                (has_children || says).then_some(OwnPlace { id, name: NameId::EMPTY, parent })
            }
            _ => None,
        }
    }
}
