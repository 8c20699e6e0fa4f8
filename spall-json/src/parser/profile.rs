//! The steps through CPU profiles, each of which is a record that becomes many events. [cpu 1](crate::rules::cpu#1)

use super::{JsonParser, State, Step};
use crate::cpu_profile::ProfileCursor;
use crate::lexer;

impl JsonParser {
    /// Begins a document that is a CPU profile. All of it must be in the data, because its arrays are read side by
    /// side.
    #[cold]
    pub(super) fn start_of_profile<'a>(&mut self, data: &'a [u8], start: usize, eof: bool) -> Step<'a> {
        // A damaged profile waits for the end of the file: where it ends is not known before.
        if !eof && lexer::nested_end(data, start).is_err() {
            return Step::Wait(start);
        }
        let (cursor, event) = ProfileCursor::of_document(data.get(start..).unwrap_or_default());
        self.state = State::Profile;
        self.yielded = 1;
        self.profile = Some(cursor);
        Step::Event { consumed: start, event, bytes: (start, start + cursor.end) }
    }

    /// Returns the next event of the CPU profile in the record at `pos`.
    #[cold]
    pub(super) fn profile<'a>(&mut self, data: &'a [u8], pos: usize) -> Step<'a> {
        let Some(cursor) = &mut self.profile else { return Step::Continue(pos) };
        if let Some((event, (start, end))) = cursor.next(data.get(pos..).unwrap_or_default()) {
            return Step::Event { consumed: pos, event, bytes: (pos + start, pos + end) };
        }
        let (end, is_cut) = (pos + cursor.end, cursor.truncated);
        self.profile = None;
        self.yielded = 0;
        self.commas = 0;
        self.after_damage = false;
        if self.state == State::Profile {
            self.state = if is_cut { State::End } else { State::Trailing };
            if is_cut {
                return Step::truncated(data, end);
            }
        }
        Step::Skip(end)
    }
}
