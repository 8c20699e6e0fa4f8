//! What packets about devices leave behind for later ones: names, sums, and counters whose value is still to come.

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use spall_model::{Id, NameId};

use super::strings::Place;

/// The names that packets refer to by number, and the sums of what they count.
#[derive(Debug, Default)]
pub(super) struct Probes {
    /// The names of power rails, by the session and the index.
    pub(super) rails: HashMap<(u64, u32), NameId, RandomState>,
    /// The names of what takes energy.
    pub(super) consumers: HashMap<i32, NameId, RandomState>,
    /// The names of entities and of their states.
    pub(super) entities: HashMap<i32, NameId, RandomState>,
    pub(super) entity_states: HashMap<(i32, i32), NameId, RandomState>,
    /// The names of wake locks, by the sequence and the number.
    pub(super) wakelocks: HashMap<(u32, u32), NameId, RandomState>,
    /// How long each wake lock of a sequence was held, in milliseconds.
    pub(super) held: HashMap<(u32, NameId), u64, RandomState>,
    /// The number of clusters of processors, and the time of each user on each.
    pub(super) clusters: u32,
    pub(super) of_uids: HashMap<(u32, u32), u64, RandomState>,
    pub(super) names: spall_model::Names,
}

/// The names that packets refer to by number, and what waits for a later packet.
#[derive(Debug, Default)]
pub(super) struct Gpus {
    pub(super) queues: Vec<NameId>,
    pub(super) stages: Vec<NameId>,
    /// The counters by what describes them and their numbers.
    pub(super) counters: HashMap<(Described, u32), Counter, RandomState>,
    /// The interned descriptions that were read.
    pub(super) described: HashSet<Place, RandomState>,
    pub(super) names: spall_model::Names,
}

/// Where counters are described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Described {
    /// In packets of a processor.
    Gpu(i32),
    /// In an interned description.
    Interned(Place),
}

/// A counter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counter {
    pub(super) name: NameId,
    pub(super) gpu: i32,
    /// Whether a value counts until the next one, and not since the one before.
    pub(super) is_ahead: bool,
    /// The time of the last packet, from which the value of the next one counts.
    pub(super) since: Option<i64>,
}

impl Counter {
    /// Returns what tells the counter apart from those of its name.
    pub(super) fn id(self) -> Option<Id<'static>> {
        Some(Id::from(self.gpu)).filter(|_| self.gpu != 0)
    }
}
