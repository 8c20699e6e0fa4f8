//! The calls that give a recording its structure: marker groups, marks and ends of frames. [apitrace
//! C.5](crate::rules::apitrace#C.5)

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::call::{Call, DetailPlaces};
use super::role::{CallRole, GroupKind};
use super::signature::{FunctionSignature, Signatures};
use super::value::{Token, WideText};

/// The text of a group or mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerText<'a> {
    /// Bytes up to the length that the call gives, or up to the first NUL. Their encoding is unknown.
    Plain(&'a [u8]),
    /// Wide characters up to the end that the recording gives.
    Wide(WideText<'a>),
}

impl Default for MarkerText<'_> {
    fn default() -> Self {
        Self::Plain(b"")
    }
}

/// The meaning of a call for the structure of a recording. [`Markers::observe`] returns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Marker<'a> {
    /// The call closes a group.
    Group {
        /// The group that is closed.
        group: Group,
        /// The number of the call that closes the group.
        end_call: u64,
        /// The time at which that call returned, counted as [`Call::left`].
        end: u64,
    },
    /// The call would close a group of this kind, but none is open on its thread.
    UnmatchedPop(GroupKind),
    /// The call marks a point in time. The text is empty if the call has none.
    Mark(MarkerText<'a>),
    /// The call ends a frame.
    FrameEnd,
}

/// A group of calls, described by the call that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The kind of the group.
    pub kind: GroupKind,
    /// The number of the thread of the group, as in [`Call::thread`].
    pub thread: u64,
    /// The number of groups of the same kind and thread around it, which is 0 for the outermost one.
    pub depth: usize,
    /// The number of the call that opened the group.
    pub begin_call: u64,
    /// The time at which that call was entered, counted as [`Call::entered`].
    pub begin: u64,
    /// The position in bytes of that call in the decompressed stream.
    pub begin_byte: u64,
    function_id: u64,
    details: DetailPlaces,
}

impl Group {
    /// Returns the text of the group.
    ///
    /// If the call has no text, the text of a marker group is empty, and that of a group of another kind is the name of
    /// the function that opened it.
    // The text is read from the stream when it is asked for. A copy for each open group could be many times as large as
    // the file, in which one text may serve any number of groups.
    #[must_use]
    pub fn text<'a>(&self, signatures: Signatures<'_, 'a>) -> MarkerText<'a> {
        let function = signatures.function(self.function_id).unwrap_or_default();
        let text = match signatures.role(self.function_id) {
            Some(CallRole::Push(_, index)) => marker_text(self.details, function, index, signatures),
            _ => None,
        };
        match (text, self.kind) {
            (Some(text), _) => text,
            (None, GroupKind::Marker) => MarkerText::default(),
            (None, _) => MarkerText::Plain(function.name),
        }
    }
}

/// The open groups of all threads, which [`observe`](Self::observe) keeps up to date.
///
/// The marker groups of all extensions share one stack on each thread. Each other kind of group has a stack of its
/// own. A call takes effect when it returns, so a call that never returned neither opens nor closes a group.
///
/// ```
/// use spall_format::apitrace::{Calls, Marker, Markers};
///
/// let stream = b"\x05\0\0\0\x0eglXSwapBuffers\0\0\x01\0\0";
/// let (mut calls, mut markers) = (Calls::new(stream)?, Markers::default());
/// let swap = calls.next().unwrap()?;
/// assert_eq!(markers.observe(&swap, calls.signatures()), Some(Marker::FrameEnd));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Markers {
    open: BTreeMap<(u64, GroupKind), Vec<Group>>,
}

impl Markers {
    /// Takes note of the next call that returned, and returns its meaning.
    ///
    /// Returns `None` for a call that opens a group, and for a call without a meaning for the structure, which most
    /// are.
    pub fn observe<'a>(&mut self, call: &Call, signatures: Signatures<'_, 'a>) -> Option<Marker<'a>> {
        let end = call.left?;
        Some(match signatures.role(call.function_id)? {
            CallRole::Push(kind, _) => {
                let stack = self.open.entry((call.thread, kind)).or_default();
                stack.push(Group {
                    kind,
                    thread: call.thread,
                    depth: stack.len(),
                    begin_call: call.number,
                    begin: call.entered,
                    begin_byte: call.enter.start,
                    function_id: call.function_id,
                    details: call.details,
                });
                return None;
            }
            CallRole::Pop(kind) => match self.open.get_mut(&(call.thread, kind)).and_then(Vec::pop) {
                Some(group) => Marker::Group { group, end_call: call.number, end },
                None => Marker::UnmatchedPop(kind),
            },
            CallRole::Mark(_) => Marker::Mark(call.mark_text(signatures).unwrap_or_default()),
            CallRole::FrameEnd => Marker::FrameEnd,
        })
    }

    /// Returns an iterator over the groups that are open, by thread and kind, outer ones first.
    pub fn unclosed(&self) -> impl Iterator<Item = &Group> {
        self.open.values().flatten()
    }
}

impl Call {
    /// Returns the text of a call that is a mark, or `None` if it is not a mark or has no text.
    pub(super) fn mark_text<'a>(&self, signatures: Signatures<'_, 'a>) -> Option<MarkerText<'a>> {
        match signatures.role(self.function_id)? {
            CallRole::Mark(index) => marker_text(self.details, self.function(signatures), index, signatures),
            _ => None,
        }
    }
}

/// Returns the text of a marker, which is the value of argument `index` if that is a text or the name of a constant.
///
/// Some functions take the length in the argument before it. There, 0 and negative numbers mean that the text ends at
/// NUL.
fn marker_text<'a>(
    details: DetailPlaces,
    function: FunctionSignature<'a>,
    index: u64,
    signatures: Signatures<'_, 'a>,
) -> Option<MarkerText<'a>> {
    let scalar = |index| details.argument(index, signatures).and_then(|mut tokens| tokens.next());
    match scalar(index)? {
        Token::Text(text) => {
            let before = index.checked_sub(1);
            let name = before.and_then(|before| function.args.iter().nth(usize::try_from(before).ok()?));
            let length = match before.and_then(scalar) {
                Some(Token::Integer(length @ 1..)) if matches!(name, Some(b"length" | b"len")) => {
                    usize::try_from(length).unwrap_or(usize::MAX)
                }
                _ => text.iter().position(|&byte| byte == 0).unwrap_or(text.len()),
            };
            Some(MarkerText::Plain(text.get(..length).unwrap_or(text)))
        }
        Token::Wide(text) => Some(MarkerText::Wide(text)),
        Token::Enum(id, value) => signatures.enumeration(id)?.name(value).map(MarkerText::Plain),
        _ => None,
    }
}
