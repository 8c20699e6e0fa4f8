//! The slices of a thread that are open.

use alloc::vec::Vec;

use crate::record::{Kind, Records};

/// The begins of the slices of a thread that are open, outermost first, as words.
#[derive(Default)]
pub(crate) struct OpenSlices {
    words: Vec<u64>,
    /// Where each begin starts in `words`.
    starts: Vec<usize>,
}

impl OpenSlices {
    /// Takes note of the begins and ends in the next words of the thread.
    pub(crate) fn follow(&mut self, words: &[u64]) {
        for record in Records(words) {
            match record.kind {
                Kind::Begin => {
                    self.starts.push(self.words.len());
                    self.words.extend_from_slice(record.words);
                }
                Kind::End | Kind::EndWith => {
                    if let Some(start) = self.starts.pop() {
                        self.words.truncate(start);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the begins as words.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}
