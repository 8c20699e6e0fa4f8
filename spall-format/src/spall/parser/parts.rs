//! The buffers of version 3 as parts of a file that can be read on their own.

use spall_model::SplitParser;
use zerocopy::FromBytes;

use super::{Parser, Rest, Skip, State};
use crate::spall::Version;
use crate::spall::wire::BufferHeader;

impl SplitParser for Parser {
    fn is_between_parts(&self) -> bool {
        let is_at_buffer = match self.rest.state {
            State::V3 => self.buffer_end <= self.offset && self.rest.noted == 0,
            // The end of padding or damage that is the end of its buffer too.
            State::Skip(Skip { until, damage: None, buffer_end, .. }) => until.max(buffer_end) <= self.offset,
            _ => false,
        };
        is_at_buffer && self.rest.version == Some(Version::V3)
    }

    fn at_part(&self, offset: u64) -> Self {
        let rest = Rest { state: State::V3, ..self.rest };
        Self { rest, offset, buffer_end: offset, ..*self }
    }

    fn find_part(&self, data: &[u8], known: usize, from: usize) -> Option<usize> {
        let mut at = known;
        while at < from {
            let (header, _) = BufferHeader::ref_from_prefix(data.get(at..)?).ok()?;
            at = at
                .checked_add(size_of::<BufferHeader>())?
                .checked_add(usize::try_from(header.size.get()).ok()?)?;
        }
        (at < data.len()).then_some(at)
    }
}
