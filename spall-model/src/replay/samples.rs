//! The replay of sampling profiles.

use alloc::vec::Vec;

use crate::{
    CallSite, Event, Frame, FrameEvent, FrameId, FrameParent, Id, Key, LineHits, LineHitsEvent, Profile,
    ProfileEvent, ProfileKey, ProfileStart, Sample, SampleEvent, SampleStack, SampleTime, Thread,
    ThreadProfileEvent, ThreadSampleEvent, Ticks, TraceView,
};

use super::{
    Replay,
    ids::{self, ThreadIds},
};

/// The call frames that the file shares between threads, with their ids in the file, sorted by frame.
pub(super) struct SharedFrames(Vec<(FrameId, Key)>);

impl SharedFrames {
    /// Returns the id of a frame in the file, or `None` if it is not shared.
    fn key(&self, frame: FrameId) -> Option<Key> {
        let found = self.0.binary_search_by_key(&frame, |&(frame, _)| frame).ok()?;
        self.0.get(found).map(|&(_, key)| key)
    }
}

impl<'t, E> Replay<'t, E> {
    /// Emits all shared frames, and returns their ids.
    pub(super) fn shared_frames(&mut self) -> Result<SharedFrames, E> {
        let mut shared: Vec<_> = self.trace.shared_frames.iter().map(|&(key, frame)| (frame, key)).collect();
        shared.sort_unstable();
        let shared = SharedFrames(shared);
        let (mut id_text, mut parent_text) = (Vec::new(), Vec::new());
        for &(frame, key) in &shared.0 {
            let Some(frame) = self.trace.frame(frame) else { continue };
            let id = ids::id(self.trace, key, &mut id_text);
            let parent = frame.parent.and_then(|parent| shared.key(parent));
            let parent = parent.map(|parent| ids::id(self.trace, parent, &mut parent_text));
            self.emit(Event::SharedFrame(self.frame(id, parent, frame)))?;
        }
        Ok(shared)
    }

    /// Returns the event of a call frame, with the ids of the frame and of its caller.
    fn frame<'e>(&self, id: Id<'e>, parent: Option<Id<'e>>, frame: &Frame) -> FrameEvent<'e>
    where
        't: 'e,
    {
        let &Frame { name, url, source, line, column, .. } = frame;
        let (name, url) = (self.text(name), self.text(url));
        let parent = parent.map_or(FrameParent::Unknown, FrameParent::Id);
        FrameEvent { id, parent, name, url, source, line, column }
    }

    /// Emits a profile.
    pub(super) fn profile(&mut self, profile: &'t Profile, shared: &SharedFrames) -> Result<(), E> {
        let Some((pid, tid)) = self.thread_of(profile.track) else { return Ok(()) };
        let mut ids = ThreadIds::default();
        let thread = ids.thread(self.trace, pid, tid);
        if profile.of_thread_samples {
            self.thread_samples(profile, thread, shared)
        } else {
            self.own_samples(profile, thread)
        }
    }

    /// Emits a profile whose samples name their thread. A stack that is not one of shared frames is in the field
    /// `stack` of the sample's arguments, which the builder kept.
    fn thread_samples(
        &mut self,
        profile: &'t Profile,
        thread: Thread<'_>,
        shared: &SharedFrames,
    ) -> Result<(), E> {
        let name = self.text(profile.name);
        let &Profile { rank, weights, .. } = profile;
        let said = ThreadProfileEvent { thread, name, weights, rank };
        if said != ThreadProfileEvent::new(thread, name) {
            self.emit(Event::ThreadProfile(said))?;
        }
        let mut escaped = Vec::new();
        for sample in self.trace.samples_of(profile) {
            let stack = match sample.frame().map(|frame| shared.key(frame)) {
                Some(Some(key)) => SampleStack::Frame(ids::id(self.trace, key, &mut escaped)),
                Some(None) => SampleStack::Names,
                None => SampleStack::Unknown,
            };
            let mut event = ThreadSampleEvent::new(thread, sample.at, name, stack);
            event.weight = sample.weight;
            event.args = self.trace.args_of(sample);
            self.emit(Event::ThreadSample(event))?;
        }
        Ok(())
    }

    /// Emits a profile with frames and samples of its own. The ids of its frames count from 1.
    fn own_samples(&mut self, profile: &'t Profile, thread: Thread<'_>) -> Result<(), E> {
        let &Profile { start, end, rank, resolution, .. } = profile;
        let begins = Some(ProfileStart { start, offset: Ticks::ZERO, rank, resolution });
        self.emit(Event::Profile(ProfileEvent { thread, key: ProfileKey::Whole, at: start, begins, end }))?;
        let number =
            |frame: FrameId| Id::Number(1 + i64::from(frame.0) - i64::from(profile.frames().start().0));
        for id in profile.frames() {
            let Some(frame) = self.trace.frame(id) else { continue };
            self.emit(Event::Frame(self.frame(number(id), frame.parent.map(number), frame)))?;
            for &LineHits { line, hits, .. } in self.trace.line_hits(id) {
                self.emit(Event::LineHits(LineHitsEvent { frame: number(id), line, hits }))?;
            }
        }
        for &CallSite { number: site, frame } in self.trace.call_sites_of(profile) {
            self.emit(Event::CallSite(site, number(frame)))?;
        }
        for sample in self.trace.samples_of(profile) {
            let &Sample { at, weight, .. } = sample;
            // No frame has the id 0.
            let frame = sample.frame().map_or(Id::Number(0), number);
            let (line, column) = (sample.line(), sample.column());
            self.emit(Event::Sample(SampleEvent { at: SampleTime::At(at), frame, weight, line, column }))?;
        }
        Ok(())
    }
}
