//! The replay of sampling profiles.

use alloc::vec::Vec;

use crate::{
    CallSite, Event, Frame, FrameEvent, FrameId, FrameParent, FrameTable, Id, Key, LineHits, LineHitsEvent,
    Profile, ProfileEvent, ProfileId, ProfileKey, ProfilePart, ProfileStart, SampleEvent, SampleStack, Ticks,
    TraceView, Weights,
};

use super::{
    Replay,
    ids::{self, ThreadIds},
};

/// The call frames that the file shares between threads, with their ids in the file, sorted by frame.
pub(super) struct FrameKeys(Vec<(FrameId, Key)>);

impl FrameKeys {
    /// Returns the id of a frame in the file, or `None` if it is not shared.
    fn key(&self, frame: FrameId) -> Option<Key> {
        let found = self.0.binary_search_by_key(&frame, |&(frame, _)| frame).ok()?;
        self.0.get(found).map(|&(_, key)| key)
    }
}

impl<'t, E> Replay<'t, E> {
    /// Emits all shared frames, and returns their ids.
    pub(super) fn shared_frames(&mut self) -> Result<FrameKeys, E> {
        let mut shared: Vec<_> = self.trace.shared_frames.iter().map(|(key, frame)| (frame, key)).collect();
        shared.sort_unstable();
        let shared = FrameKeys(shared);
        let (mut id_text, mut parent_text) = (Vec::new(), Vec::new());
        for &(frame, key) in &shared.0 {
            let Some(frame) = self.trace.frame(frame) else { continue };
            let id = ids::id(self.trace, key, &mut id_text);
            let parent = frame.parent.and_then(|parent| shared.key(parent));
            let parent = parent.map(|parent| ids::id(self.trace, parent, &mut parent_text));
            self.emit(Event::Frame(self.frame(FrameTable::Shared, id, parent, frame)))?;
        }
        Ok(shared)
    }

    /// Returns the event of a call frame, with the ids of the frame and of its caller.
    fn frame<'e>(
        &self,
        table: FrameTable<'e>,
        id: Id<'e>,
        parent: Option<Id<'e>>,
        frame: &Frame,
    ) -> FrameEvent<'e>
    where
        't: 'e,
    {
        let &Frame { name, url, source, line, column, .. } = frame;
        let (name, url) = (self.text(name), self.text(url));
        let parent = parent.map_or(FrameParent::Unknown, FrameParent::Id);
        FrameEvent { table, id, parent, name, url, source, line, column }
    }

    /// Emits the profile with a number. A stack that is neither one of shared frames nor one of the profile's own is in the field
    /// `stack` of the sample's arguments, which the builder kept.
    pub(super) fn profile(&mut self, number: u64, profile: &'t Profile, shared: &FrameKeys) -> Result<(), E> {
        let Some((pid, tid)) = self.thread_of(profile.track) else { return Ok(()) };
        let mut ids = ThreadIds::default();
        let thread = ids.thread(self.trace, pid, tid);
        let &Profile { start, end, rank, resolution, weights, .. } = profile;
        let value = self.text(profile.name);
        let part = ProfilePart::new(thread, ProfileKey::Number(number), start);
        let mut event = ProfileEvent::new(ProfileId::OfThread(thread, value));
        if !profile.frames_are_shared {
            event.profile = part.into();
            event.begins = Some(ProfileStart { start, offset: Ticks::ZERO, resolution });
        }
        (event.end, event.rank, event.weights) = (end, Some(rank), Some(weights));
        if !profile.frames_are_shared || (weights, rank) != (Weights::Samples, Profile::SHARED_RANK) {
            self.emit(Event::Profile(event))?;
        }
        // The ids of its own frames count from 1.
        let number =
            |frame: FrameId| Id::Number(1 + i64::from(frame.0) - i64::from(profile.frames().start().0));
        if !profile.frames_are_shared {
            self.own_frames(profile, part, &number)?;
        }
        let mut escaped = Vec::new();
        for sample in self.trace.samples_of(profile) {
            let stack = match sample.frame() {
                // No frame has the id 0.
                frame if !profile.frames_are_shared => {
                    SampleStack::Frame(frame.map_or(Id::Number(0), number))
                }
                None => SampleStack::Unknown,
                Some(frame) => match shared.key(frame) {
                    Some(key) => SampleStack::Frame(ids::id(self.trace, key, &mut escaped)),
                    None => SampleStack::Names,
                },
            };
            let mut sample_event = SampleEvent::new(event.profile, sample.at, stack);
            (sample_event.line, sample_event.column) = (sample.line(), sample.column());
            (sample_event.weight, sample_event.args) = (sample.weight, self.trace.args_of(sample));
            self.emit(Event::Sample(sample_event))?;
        }
        Ok(())
    }

    /// Emits the frames of a profile that has frames of its own, with the hits of their lines, and its call sites.
    fn own_frames(
        &mut self,
        profile: &'t Profile,
        part: ProfilePart<'_>,
        number: &dyn Fn(FrameId) -> Id<'static>,
    ) -> Result<(), E> {
        for id in profile.frames() {
            let Some(frame) = self.trace.frame(id) else { continue };
            let parent = frame.parent.map(number);
            self.emit(Event::Frame(self.frame(part.into(), number(id), parent, frame)))?;
            for &LineHits { line, hits, .. } in self.trace.line_hits(id) {
                self.emit(Event::LineHits(LineHitsEvent::new(part, number(id), line, hits)))?;
            }
        }
        for &CallSite { number: site, frame } in self.trace.call_sites_of(profile) {
            self.emit(Event::CallSite(part, site, number(frame)))?;
        }
        Ok(())
    }
}
