//! CPU profiles: records that make many events. \[cpu 1\]

use super::{JsonParser, State, Step, truncated};
use crate::cpu_profile::Cursor;
use crate::lexer;

impl JsonParser {
    /// A document that is a CPU profile is read when all of it is there: its arrays are read side by side.
    #[cold]
    pub(super) fn start_of_profile<'a>(&mut self, data: &'a [u8], start: usize, eof: bool) -> Step<'a> {
        // Of a damaged one, too: how far it reaches is not known before the end of the file.
        if !eof && lexer::nested_end(data, start).is_err() {
            return Step::Wait(start);
        }
        let (cursor, event) = Cursor::of_document(data.get(start..).unwrap_or_default());
        self.state = State::Profile;
        self.step = 1;
        self.profile = Some(cursor);
        Step::Event { consumed: start, event, bytes: (start, start + cursor.end) }
    }

    /// The next event of the CPU profile in the record at `pos`.
    #[cold]
    pub(super) fn profile<'a>(&mut self, data: &'a [u8], pos: usize) -> Step<'a> {
        let Some(cursor) = &mut self.profile else { return Step::Continue(pos) };
        if let Some((event, (start, end))) = cursor.next(data.get(pos..).unwrap_or_default()) {
            return Step::Event { consumed: pos, event, bytes: (pos + start, pos + end) };
        }
        let (end, is_cut) = (pos + cursor.end, cursor.truncated);
        self.profile = None;
        self.step = 0;
        self.commas = 0;
        self.doubtful = false;
        if self.state == State::Profile {
            self.state = if is_cut { State::End } else { State::Trailing };
            if is_cut {
                return truncated(data, end);
            }
        }
        Step::Skip(end)
    }
}
