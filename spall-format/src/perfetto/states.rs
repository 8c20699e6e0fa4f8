//! States, each of which ends where the next one of its owner begins. [perfetto 4.6](crate::rules::perfetto#4.6)

use alloc::vec::Vec;

use spall_model::{Event, Id, Text, Thread, ThreadEvent, Tick, Ticks};

use super::output::Output;
use super::strings::{Place, Strings};
use super::track::Tracks;

/// The changes of states of a file.
///
/// They come from all processors and sequences, so that only the whole file tells their order.
#[derive(Debug, Clone, Default)]
pub(super) struct States {
    changes: Vec<StateChange>,
    /// The names of the states of tracks.
    names: Vec<Place>,
}

/// The begin of a state.
// A switch of a processor may be 5 bytes of a file, and is two of these.
#[derive(Debug, Clone, Copy)]
struct StateChange {
    at: i64,
    /// The position of a track, or the id of a thread with the highest bit set.
    owner: u32,
    name: StateName,
}

const _: () = assert!(size_of::<StateChange>() == 16);

/// The bit of an owner that is a thread of the system.
const THREAD: u32 = 1 << 31;

/// What a state is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StateName(u32);

/// The states of threads, under the letters that `ps` uses. The last one only counts for a thread that can neither run nor
/// does.
const OF_THREADS: [&str; 12] = ["Running", "R", "R+", "S", "D", "T", "t", "X", "Z", "P", "I", "R"];

/// The state of a thread that runs.
pub(super) const RUNNING: u32 = 0;
/// The change to a thread that is able to run, if it was not before.
pub(super) const WOKEN: u32 = 11;

/// Returns the number of the state in which a thread no longer runs, by the bits that the kernel gives it.
pub(super) fn state_of_bits(state: i64) -> u32 {
    // Bits above these, of one version of Linux or another, mean that the thread could have gone on.
    match state & 0xff {
        0 if state & 0x1d00 != 0 => 2,
        0 => 1,
        bits if bits & 0x82 == 0x82 => 10,
        bits => 3 + bits.trailing_zeros(),
    }
}

impl States {
    /// Adds the begin of a state of a track. An empty name ends the state before and begins none.
    pub(super) fn push_track(&mut self, track: usize, at: i64, name: Place) {
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name);
        let owner = u32::try_from(track).unwrap_or(u32::MAX) & !THREAD;
        self.changes.push(StateChange { at, owner, name: StateName(number) });
    }

    /// Adds the begin of a state of a thread, by the number of the state. The idle thread, 0, has no states.
    pub(super) fn push_thread(&mut self, tid: i32, at: i64, state: u32) {
        if tid > 0 {
            self.changes.push(StateChange {
                at,
                owner: tid.cast_unsigned() | THREAD,
                name: StateName(state),
            });
        }
    }

    /// Hands over the states. The last one of each owner lasts until `end`.
    pub(super) fn hand_over(
        mut self,
        end: i64,
        (tracks, strings): (&Tracks, &Strings),
        process_of: impl Fn(i32) -> i64,
        out: &mut Output<'_>,
    ) {
        self.changes.sort_by_key(|change| (change.owner, change.at));
        let mut last: Option<StateChange> = None;
        self.changes.retain(|change| {
            let before = last.filter(|last| last.owner == change.owner);
            let is_up = before.is_some_and(|last| last.name.0 <= 2 || last.name.0 == WOKEN);
            let counts = change.owner & THREAD == 0 || change.name.0 != WOKEN || !is_up;
            if counts {
                last = Some(*change);
            }
            counts
        });
        for (at, change) in self.changes.iter().enumerate() {
            let next = self.changes.get(at + 1).filter(|next| next.owner == change.owner);
            let until = next.map_or(end.max(change.at), |next| next.at);
            let (thread, name) = if change.owner & THREAD == 0 {
                let name = self.names.get(change.name.0 as usize).copied().unwrap_or_default();
                let thread = tracks.get(change.owner as usize).thread(strings);
                (thread, Text::plain(strings.get(name)))
            } else {
                let tid = (change.owner & !THREAD).cast_signed();
                let name = OF_THREADS.get(change.name.0 as usize).unwrap_or(&"");
                (Thread { pid: Id::Number(process_of(tid)), tid: Id::from(tid) }, Text::from(*name))
            };
            if !name.is_empty() {
                let event = ThreadEvent::new(thread, Tick(change.at), name);
                out.say(&Event::State(event, Ticks(until.saturating_sub(change.at))));
            }
        }
    }
}
