//! The state of the profile that is being written.

use spall_model::{FrameEvent, FrameParent, Id, ProfileKey, ProfilePart, Tick, Ticks};

/// The greatest number of samples in an event, which is also V8's. The samples are kept until the event is closed,
/// because their times stand behind the frames of all of them.
pub(super) const MAX_SAMPLES: usize = 100;

/// The number of callers that are remembered for frames whose callers are only known by their depths.
const MAX_DEPTH: usize = 256;

/// The profile that is being written.
#[derive(Debug)]
pub(super) struct ProfileChunk {
    /// The head of the profile's events, or `None` if no profile was begun.
    pub(super) header: Option<ChunkHeader>,
    pub(super) section: ChunkSection,
    /// Whether a comma is needed before the next entry of the list or object.
    pub(super) comma: bool,
    /// The frame whose object is open.
    pub(super) frame: Option<OpenFrame>,
    /// The ids of the frames from the root to the frame written last, where only depths are known.
    callers: [i64; MAX_DEPTH],
    pub(super) n_callers: usize,
    /// The depth of a frame that was left out. Deeper frames are called by it and left out, too.
    pub(super) lost_below: Option<u32>,
    /// The samples in the open event, whose times are not written yet.
    pub(super) samples: [BufferedSample; MAX_SAMPLES],
    pub(super) n_samples: usize,
    /// The time of the last sample, if it is known.
    pub(super) now: Option<Tick>,
    /// The duration to add to times of the profile's clock.
    pub(super) shift: Ticks,
    /// The number of profiles that had no id, negated. It is the id of the last one.
    pub(super) n_whole: i64,
    /// The number of the current profile, if it is one of them.
    pub(super) number: Option<u64>,
}

/// A frame whose object is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenFrame {
    /// The id if it is a number. Without it, nobody can ask for a list of the frame.
    pub(super) id: Option<i64>,
    /// The list that is open.
    pub(super) list: Option<FrameList>,
}

/// A list in a frame. A frame has them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FrameList {
    Children,
    Lines,
}

/// The parts of a sample that are written behind the frames of all samples of an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct BufferedSample {
    /// The duration since the sample before, in nanoseconds.
    pub(super) delta: i64,
    /// The line, counted from 1, or 0 if it is not known.
    pub(super) line: u32,
    /// The column, counted from 1, or 0 if it is not known.
    pub(super) column: u32,
}

/// The fields that each event of a profile begins with.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkHeader {
    pub(super) pid: OwnedId,
    pub(super) tid: OwnedId,
    pub(super) id: Option<OwnedId>,
    pub(super) at: Tick,
}

/// The part of a `ProfileChunk` event that is being written. Parts are in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ChunkSection {
    /// No event is open.
    Outside,
    /// The members before the profile.
    Data,
    /// The list of frames.
    Frames,
    /// The object of call sites.
    CallSites,
    /// The list of samples.
    Samples,
}

/// An id that outlives its event. Texts of up to [`MAX_LEN`](Self::MAX_LEN) bytes are copied.
#[derive(Debug, Clone, Copy)]
pub(super) enum OwnedId {
    Number(i64),
    Text([u8; Self::MAX_LEN], usize),
}

impl OwnedId {
    /// The length of the longest text that is copied.
    const MAX_LEN: usize = 32;

    /// Copies an id. Returns `None` if the id is a text longer than [`MAX_LEN`](Self::MAX_LEN).
    pub(super) fn new(id: Id<'_>) -> Option<Self> {
        match id {
            Id::Number(number) => Some(Self::Number(number)),
            Id::Text(text) => {
                let mut kept = [0; Self::MAX_LEN];
                kept.get_mut(..text.len())?.copy_from_slice(text);
                Some(Self::Text(kept, text.len()))
            }
        }
    }

    /// Returns the id.
    pub(super) fn get(&self) -> Id<'_> {
        match self {
            Self::Number(number) => Id::Number(*number),
            Self::Text(text, len) => Id::Text(text.get(..*len).unwrap_or_default()),
        }
    }
}

impl ProfileChunk {
    /// Returns the state before the first profile.
    pub(super) const fn new() -> Self {
        Self {
            header: None,
            section: ChunkSection::Outside,
            comma: false,
            frame: None,
            callers: [0; MAX_DEPTH],
            n_callers: 0,
            lost_below: None,
            samples: [BufferedSample { delta: 0, line: 0, column: 0 }; MAX_SAMPLES],
            n_samples: 0,
            now: None,
            shift: Ticks::ZERO,
            n_whole: 0,
            number: None,
        }
    }

    /// Returns whether this is the part of a profile that is being written.
    pub(super) fn is_of(&self, ProfilePart { thread, key, at }: ProfilePart<'_>) -> bool {
        self.header.as_ref().is_some_and(|header| {
            let is_same_profile = match key {
                ProfileKey::Id(id) => self.number.is_none() && header.id.is_some_and(|of| of.get() == id),
                ProfileKey::Thread => header.id.is_none() && header.tid.get() == thread.tid,
                ProfileKey::Number(number) => self.number == Some(number),
            };
            is_same_profile && header.at == at && header.pid.get() == thread.pid
        })
    }

    /// Returns the frame that calls `frame`, if it is known, and an error if `frame` cannot be written: the id of a
    /// frame in a tree must be a number, its depth within bounds, and its caller written.
    pub(super) fn caller<'a>(&mut self, frame: &FrameEvent<'a>) -> Result<Option<Id<'a>>, ()> {
        let depth = match frame.parent {
            FrameParent::Unknown => return Ok(None),
            FrameParent::Id(id) => return Ok(Some(id)),
            FrameParent::Depth(depth) => depth,
        };
        if self.lost_below.is_some_and(|lost| depth > lost) {
            return Err(());
        }
        // A frame ends all frames of its depth and deeper ones. If its depth skips a level, the deepest known frame
        // calls it.
        self.n_callers = self.n_callers.min(usize::try_from(depth).unwrap_or(MAX_DEPTH));
        let caller = self.n_callers.checked_sub(1).and_then(|last| self.callers.get(last).copied());
        match (frame.id, self.callers.get_mut(self.n_callers)) {
            (Id::Number(id), Some(slot)) => {
                *slot = id;
                self.n_callers += 1;
                self.lost_below = None;
                Ok(caller.map(Id::Number))
            }
            _ => {
                self.lost_below = Some(depth);
                Err(())
            }
        }
    }
}
