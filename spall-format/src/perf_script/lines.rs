//! The lines of frames that were read lately, so that a line that comes again need not be read again.

use alloc::vec::Vec;
use core::hash::{BuildHasher as _, Hasher as _};
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::stacks::Node;

/// The bytes of lines that are kept. A large recording has about so many lines that come again and again.
const MAX_BYTES: usize = 4 << 20;

/// The innermost frames of lines. Without it, the parser takes two to three times as long.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    known: HashTable<Line>,
    hasher: RandomState,
}

/// The frame that calls the function of a line, and whether the program is in Java.
pub(super) type Caller = (Node, bool);

/// A line that was read.
#[derive(Debug, Clone)]
struct Line {
    caller: Caller,
    text: Range<usize>,
    frame: Node,
}

impl Lines {
    #[inline]
    fn hash(hasher: &RandomState, caller: Caller, line: &[u8]) -> u64 {
        let mut hash = hasher.build_hasher();
        hash.write_u64(u64::from(caller.0) << 1 | u64::from(caller.1));
        hash.write(line);
        hash.finish()
    }

    /// Returns the frame of a line below a caller, if it was read lately.
    #[inline]
    pub(super) fn get(&self, caller: Caller, line: &[u8]) -> Option<Node> {
        let is_same =
            |known: &Line| known.caller == caller && self.bytes.get(known.text.clone()) == Some(line);
        self.known.find(Self::hash(&self.hasher, caller, line), is_same).map(|known| known.frame)
    }

    /// Keeps the frame of a line that is not known.
    pub(super) fn insert(&mut self, caller: Caller, line: &[u8], frame: Node) {
        if self.bytes.len() + line.len() > MAX_BYTES {
            self.bytes.clear();
            self.known.clear();
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(line);
        let Self { bytes, known, hasher } = self;
        let hash_again =
            |line: &Line| Self::hash(hasher, line.caller, bytes.get(line.text.clone()).unwrap_or_default());
        let new = Line { caller, text: start..bytes.len(), frame };
        known.insert_unique(Self::hash(hasher, caller, line), new, hash_again);
    }
}
