//! Profiles of memory: those of dhat, and V8's sampling heap profiles. [heap](crate::rules::heap)

pub(crate) mod dhat;
pub(crate) mod v8;

use spall_model::{DiagnosticKind, Event, Id, MetaEvent, Receiver};

use crate::args;
use crate::call::file_range;
use crate::error::{JsonError, JsonErrorKind};
use crate::lexer::{self, KeyToken, Token, TokenError, TokenKind};

/// The thread of all samples: the formats know none.
const THREAD: Id<'static> = Id::Number(1);

/// A document, and who gets its events.
struct Document<'a, 't> {
    data: &'a [u8],
    to: &'t mut dyn for<'e> Receiver<'e>,
}

impl<'a> Document<'a, '_> {
    /// Returns the position behind the brace that begins the document.
    fn start(&self) -> Result<usize, JsonError> {
        let start = if self.data.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let object = lexer::skip_blanks(self.data, start).filter(|&(_, byte)| byte == b'{');
        object.map(|(start, _)| start + 1).ok_or_else(|| JsonError::new(JsonErrorKind::NotJson, 0))
    }

    /// Returns the error of a value that cannot be read. [heap 1.2](crate::rules::heap#1.2)
    fn error(&self, error: TokenError) -> JsonError {
        match error {
            TokenError::Incomplete => JsonError::new(JsonErrorKind::Cut, self.data.len() as u64),
            TokenError::Damaged(at) => JsonError::new(JsonErrorKind::Damaged, at as u64),
        }
    }

    fn event(&mut self, event: &Event<'_>, bytes: (usize, usize)) {
        self.to.receive(event, file_range(0, bytes));
    }

    fn report(&mut self, kind: DiagnosticKind, bytes: (usize, usize)) {
        self.event(&Event::Diagnostic(kind), bytes);
    }

    /// Hands over a member of the document as a fact of the file, unless it is an object or an array.
    fn fact(&mut self, key: &KeyToken, value: Token) {
        if !matches!(value.kind, TokenKind::Object | TokenKind::Array) {
            let fact = MetaEvent::new(key.text(self.data), args::value(self.data, value));
            self.event(&Event::Meta(fact), (value.start, value.end));
        }
    }

    /// Reports what stands behind the document, whose end is at `end`.
    fn end(&mut self, end: usize) {
        if let Some((at, _)) = lexer::skip_blanks(self.data, end) {
            self.report(DiagnosticKind::TrailingData, (at, self.data.len()));
        }
    }

    /// Reads the next item of an array, and moves `pos` behind it, or behind the array if there is none.
    fn next_item(&self, pos: &mut usize) -> Result<Option<Token>, JsonError> {
        let Some(start) = lexer::item_start(self.data, *pos) else {
            *pos = lexer::array_end(self.data, *pos).map_err(|error| self.error(error))?;
            return Ok(None);
        };
        let item = lexer::token(self.data, start).map_err(|error| self.error(error))?;
        *pos = item.end;
        Ok(Some(item))
    }

    /// Returns an amount. One that is no whole number, or below 0, is reported, and is 0. So is one that is missing.
    fn amount(&mut self, token: Option<Token>) -> i64 {
        let Some(token) = token else { return 0 };
        let amount = crate::scalar::number(token.bytes(self.data)).and_then(|number| number.as_i64());
        match amount {
            Some(amount @ 0..) => amount,
            Some(_) => {
                self.report(DiagnosticKind::NegativeWeight, (token.start, token.end));
                0
            }
            None => {
                self.report(DiagnosticKind::BadField, (token.start, token.end));
                0
            }
        }
    }
}
