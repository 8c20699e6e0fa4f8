//! The events of a list as parts of a document that can be read on their own.

use super::{JsonParser, State};
use crate::fields::{Field, Fields};
use crate::lexer::{self, TokenKind};

/// The number of bytes in which the end of an event is looked for.
const WINDOW: usize = 1 << 16;

/// The number of objects that are tried. Together with the window, it bounds the time of a search.
const TRIES: usize = 64;

impl JsonParser {
    /// Returns whether the parser is behind an event of a list.
    pub(super) fn is_between_parts(&self) -> bool {
        let in_list = matches!(self.state, State::Array | State::TraceEvents);
        in_list && self.commas == 0 && !self.after_damage && self.junk.is_none()
    }
}

/// Looks for the end of an event: a brace behind which another event begins. Arguments may hold lists of objects too, but
/// those hardly ever have a phase.
pub(super) fn find(data: &[u8], from: usize) -> Option<usize> {
    let window = data.get(..from.saturating_add(WINDOW)).unwrap_or(data);
    let mut fields = Fields::new();
    let mut tries = 0;
    for brace in memchr::memchr_iter(b'}', window.get(from..)?) {
        let end = from + brace + 1;
        let Some((comma, b',')) = lexer::skip_blanks(window, end) else { continue };
        let Some((start, b'{')) = lexer::skip_blanks(window, comma + 1) else { continue };
        let is_event = fields.read(window, start).is_ok()
            && fields.get(Field::Ph).is_some_and(|phase| phase.kind == TokenKind::String);
        if is_event {
            return Some(end);
        }
        tries += 1;
        if tries == TRIES {
            return None;
        }
    }
    None
}
