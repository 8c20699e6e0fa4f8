//! Of which tracks slices are added up.

use crate::TrackKind;

/// The kinds of tracks whose slices are added up. [tree 7](crate::rules::tree#7)
///
/// The spans of asynchronous work wait most of the time, and many wait at once, so that the time of threads would be lost
/// among them. So each kind is added up by itself, unless all are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TrackSet {
    /// Threads, with the functions that samples of them found.
    #[default]
    Threads,
    /// Everything else with slices: async spans, tracks of their own, and the timelines of processors and frames.
    Async,
    /// All tracks: the other two sets together.
    All,
}

impl TrackSet {
    /// The sets that are added up apart, which have no track in common.
    pub const KINDS: [Self; 2] = [Self::Threads, Self::Async];

    /// Every set, in the order in which they are offered for choice.
    pub const ALL: [Self; 3] = [Self::Threads, Self::Async, Self::All];

    /// Returns the name, such as `threads`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Async => "async",
            Self::All => "all",
        }
    }

    /// Returns the set with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Returns whether tracks of a kind are in the set.
    #[must_use]
    pub const fn contains(self, kind: &TrackKind) -> bool {
        match self {
            Self::Threads => matches!(kind, TrackKind::Thread { .. }),
            Self::Async => !Self::Threads.contains(kind),
            Self::All => true,
        }
    }
}
