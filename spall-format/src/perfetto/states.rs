//! States of tracks, each of which ends where the next one of its track begins. [perfetto 4.6](crate::rules::perfetto#4.6)

use alloc::vec::Vec;

use spall_model::{Event, Text, ThreadEvent, Tick, Ticks};

use super::strings::{Place, Strings};
use super::track::Tracks;
use crate::ftrace::Output;

/// The changes of states of a file.
///
/// They come from all sequences, so that only the whole file tells their order.
#[derive(Debug, Clone, Default)]
pub(super) struct States {
    changes: Vec<StateChange>,
}

/// The begin of a state.
#[derive(Debug, Clone, Copy)]
struct StateChange {
    at: i64,
    name: Place,
    /// The position of the track.
    track: u32,
}

impl States {
    /// Adds the begin of a state of a track. An empty name ends the state before and begins none.
    pub(super) fn push(&mut self, track: usize, at: i64, name: Place) {
        let track = u32::try_from(track).unwrap_or(u32::MAX);
        self.changes.push(StateChange { at, name, track });
    }

    /// Hands over the states. The last one of each track lasts until `end`.
    pub(super) fn hand_over(
        mut self,
        end: i64,
        (tracks, strings): (&Tracks, &Strings),
        out: &mut Output<'_>,
    ) {
        self.changes.sort_by_key(|change| (change.track, change.at));
        for (at, change) in self.changes.iter().enumerate() {
            let next = self.changes.get(at + 1).filter(|next| next.track == change.track);
            let until = next.map_or(end.max(change.at), |next| next.at);
            if !change.name.is_empty() {
                let thread = tracks.get(change.track as usize).thread(strings);
                let event = ThreadEvent::new(thread, Tick(change.at), Text::plain(strings.get(change.name)));
                out.say(&Event::State(event, Ticks(until.saturating_sub(change.at))));
            }
        }
    }
}
