//! The letters of the phases of events with a key, which the parser reads and the writer writes. [json
//! 1](crate::rules::json#1)

use spall_model::{AsyncPhase, FlowPhase, ObjectPhase};

/// The phases of async events. The letter of a step into also stands for a state.
pub(crate) const ASYNC: [(u8, AsyncPhase); 7] = [
    (b'b', AsyncPhase::Begin),
    (b'e', AsyncPhase::End),
    (b'n', AsyncPhase::Instant),
    (b'S', AsyncPhase::Start),
    (b'T', AsyncPhase::StepInto),
    (b'p', AsyncPhase::StepPast),
    (b'F', AsyncPhase::Finish),
];

/// The phases of objects.
pub(crate) const OBJECT: [(u8, ObjectPhase); 3] =
    [(b'N', ObjectPhase::New), (b'O', ObjectPhase::Snapshot), (b'D', ObjectPhase::Delete)];

/// The phases of flows.
pub(crate) const FLOW: [(u8, FlowPhase); 5] = [
    (b's', FlowPhase::Start),
    (b't', FlowPhase::Step),
    (b'f', FlowPhase::End),
    // What other formats have is written as the letter that comes closest, and not read.
    (b't', FlowPhase::Pass),
    (b'f', FlowPhase::Stop),
];

/// Returns the phase that has this letter.
#[inline]
pub(crate) fn phase_of<P: Copy>(phases: &[(u8, P)], letter: u8) -> Option<P> {
    phases.iter().find(|&&(known, _)| known == letter).map(|&(_, phase)| phase)
}

/// Returns the letter of a phase.
pub(crate) fn letter_of<P: PartialEq>(phases: &[(u8, P)], phase: P) -> char {
    phases.iter().find(|(_, known)| *known == phase).map_or('?', |&(letter, _)| char::from(letter))
}
