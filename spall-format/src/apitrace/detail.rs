//! The details of a call: its arguments, returned value, call stack and flags. [apitrace
//! C.4.4](crate::rules::apitrace#C.4.4)

use super::input::ReadFailure;
use super::signature::{SignatureAccess, SignatureKind, skip_signature};
use super::value::skip_value;
use crate::FormatErrorKind;
use crate::cursor::Cursor;

/// A detail of an enter or leave event, with the position of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// An argument, with its index and the position of its value.
    Argument(u64, usize),
    /// The returned value, with its position.
    Return(usize),
    /// A call stack, with the number of frames and the position of their ids.
    Backtrace(u64, usize),
    /// Flags, of which bit 0 marks a call that the tracer inserted.
    Flags(u64),
    /// The thread, which versions before 4 give here. It is not used.
    Thread,
}

/// Reads a detail and steps over its value. Returns `None` behind the last detail of an event.
pub(super) fn read_detail(
    input: &mut Cursor<'_>,
    access: &mut impl SignatureAccess,
) -> Result<Option<Detail>, ReadFailure> {
    Ok(Some(match input.u8()? {
        0 => return Ok(None),
        1 => {
            let index = input.uint()?;
            let at = input.pos();
            skip_value(input, access)?;
            Detail::Argument(index, at)
        }
        2 => {
            let at = input.pos();
            skip_value(input, access)?;
            Detail::Return(at)
        }
        3 if access.table().version < 4 => {
            input.uint()?;
            Detail::Thread
        }
        4 => {
            let count = input.uint()?;
            let at = input.pos();
            for _ in 0..count {
                let id = input.uint()?;
                skip_signature(SignatureKind::Frame, id, input, access)?;
            }
            Detail::Backtrace(count, at)
        }
        5 => Detail::Flags(input.uint()?),
        tag => return Err(ReadFailure::Invalid(FormatErrorKind::UnknownDetail { tag })),
    }))
}
