//! The ids that a file gives to call frames.

use alloc::vec::Vec;

use crate::{FrameId, Key};

/// The call frames that threads share, by their ids in the file. Readers count the frames of a file, so that most ids are
/// positions in a list, and take four bytes each.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameIds {
    /// The frames of small numbers, or [`NONE`].
    by_number: Vec<u32>,
    /// The frames of other ids, sorted by them.
    others: Vec<(Key, FrameId)>,
}

const NONE: u32 = u32::MAX;

impl FrameIds {
    /// Makes the table of the frames whose ids are small numbers, or [`NONE`] for numbers without a frame, and of others.
    pub(crate) fn new(mut by_number: Vec<u32>, mut others: Vec<(Key, FrameId)>) -> Self {
        by_number.shrink_to_fit();
        others.shrink_to_fit();
        others.sort_unstable();
        Self { by_number, others }
    }

    /// Returns the frame with an id.
    pub(crate) fn get(&self, id: Key) -> Option<FrameId> {
        let number = match id {
            Key::Number(number) => usize::try_from(number).ok(),
            Key::Text(_) => None,
        };
        let by_number = number.and_then(|number| self.by_number.get(number)).copied();
        by_number.filter(|&frame| frame != NONE).map(FrameId).or_else(|| {
            let found = self.others.binary_search_by_key(&id, |&(id, _)| id).ok()?;
            self.others.get(found).map(|&(_, frame)| frame)
        })
    }

    /// Returns all ids with their frames.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, FrameId)> {
        let by_number = self.by_number.iter().zip(0..).filter(|&(&frame, _)| frame != NONE);
        by_number
            .map(|(&frame, number)| (Key::Number(number), FrameId(frame)))
            .chain(self.others.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_found_by_its_number_or_its_text() {
        let text = Key::Text(crate::NameId(3));
        let others =
            alloc::vec![(text, FrameId(9)), (Key::Number(-1), FrameId(8)), (Key::Number(1), FrameId(7))];
        let ids = FrameIds::new(alloc::vec![5, NONE, 6], others);
        let found = [0, 1, 2, 3, -1].map(|number| ids.get(Key::Number(number)));
        assert_eq!(found, [Some(5), Some(7), Some(6), None, Some(8)].map(|frame| frame.map(FrameId)));
        assert_eq!(ids.get(text), Some(FrameId(9)));
        assert!(ids.iter().all(|(id, frame)| ids.get(id) == Some(frame)));
        assert_eq!(ids.iter().count(), 5);
    }
}
