//! The slices and instants of a recording: calls, groups of calls, marks and frames. [apitrace
//! C.5](crate::rules::apitrace#C.5)

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use spall_model::{
    Args, ByteRange, DiagnosticKind, Event, Id, Receiver, Scope, Text, Thread, ThreadEvent, Tick,
};

use super::call::{Call, DetailPlaces};
use super::role::{CallRole, GroupKind};
use super::signature::Signatures;
use super::value::Token;

/// The id of the only process of a recording.
pub(super) const PROCESS: Id<'static> = Id::Number(0);
/// The track of the frames. It is a thread of its own because frames and marker groups need not nest.
pub(super) const FRAMES: Thread<'static> = Thread { pid: PROCESS, tid: Id::Text(b"frames") };

/// The length at which the name of a function is cut, in bytes. The file gives a name once and each call repeats it, so
/// long names would cost a trace builder far more than they cost the file.
const MAX_NAME: usize = 256;

/// Returns the tick at which a call was entered.
#[inline]
fn entered(call: &Call) -> Tick {
    tick(call.entered)
}

/// Returns the tick at which a call returned, or `None` if it never did.
#[inline]
fn left(call: &Call) -> Option<Tick> {
    call.left.map(tick)
}

/// The open groups and the current frame.
///
/// The marker groups of all extensions share one stack on each thread. Each other kind of group has a stack of its own.
/// A call takes effect when it returns, so a call that never returned neither opens nor closes a group.
#[derive(Debug, Clone, Default)]
pub(super) struct Timeline {
    /// The open groups by thread and kind, outer ones first.
    open: BTreeMap<(u64, GroupKind), Vec<Group>>,
    /// The tick at which the current frame began.
    frame_start: Tick,
}

/// An open group, described by the call that opened it. Its text is read from the stream at its end: a copy for each
/// open group could be many times as large as the file, in which one text may serve any number of groups.
#[derive(Debug, Clone, Copy)]
struct Group {
    begin: Tick,
    function_id: u64,
    details: DetailPlaces,
}

impl Timeline {
    /// Returns the slice of a call, with its bytes of the stream.
    #[inline]
    pub(super) fn slice<'a>(&self, call: &Call, name: &'a [u8], args: Args<'a>) -> (Event<'a>, ByteRange) {
        let category = if call.is_fake { &b"fake"[..] } else { b"call" };
        let name = name.get(..MAX_NAME).unwrap_or(name);
        let slice = on_thread(call.thread, entered(call), name, category);
        let slice = ThreadEvent { args, ..slice };
        let event = match left(call) {
            Some(left) => complete(slice, left),
            None => Event::Unfinished(slice),
        };
        (event, bytes_of(call))
    }

    /// Hands over the events of a call that follow its slice, if its function has a meaning for the structure.
    pub(super) fn follow(
        &mut self,
        call: &Call,
        signatures: Signatures<'_, '_>,
        to: &mut dyn for<'e> Receiver<'e>,
    ) {
        let (Some(role), Some(left)) = (signatures.role(call.function_id), left(call)) else {
            return;
        };
        let bytes = bytes_of(call);
        match role {
            CallRole::Push(kind, _) => self.open.entry((call.thread, kind)).or_default().push(Group {
                begin: entered(call),
                function_id: call.function_id,
                details: call.details,
            }),
            CallRole::Pop(kind) => {
                let group = self.open.get_mut(&(call.thread, kind)).and_then(Vec::pop);
                let event = match group {
                    Some(group) => complete(group.slice(call.thread, kind, signatures), left),
                    None => Event::Diagnostic(DiagnosticKind::UnmatchedEnd),
                };
                to.receive(&event, bytes);
            }
            CallRole::Mark(index) => {
                let text = marker_text(call.function_id, call.details, index, signatures);
                let at = entered(call);
                let mark = on_thread(call.thread, at, text.unwrap_or_default(), b"mark");
                to.receive(&Event::Instant(mark, Scope::Thread), bytes);
            }
            CallRole::FrameEnd => {
                let name = call.function(signatures).name;
                let end = on_thread(call.thread, left, name, b"frame");
                to.receive(&Event::Instant(end, Scope::Thread), bytes);
                let start = core::mem::replace(&mut self.frame_start, left);
                let frame = ThreadEvent::new(FRAMES, start, Text::plain(b"frame"));
                let frame = ThreadEvent { category: Text::plain(b"frame"), ..frame };
                to.receive(&complete(frame, left), bytes);
            }
        }
    }

    /// Hands over the groups that were never closed.
    pub(super) fn finish(&mut self, signatures: Signatures<'_, '_>, to: &mut dyn for<'e> Receiver<'e>) {
        for ((thread, kind), groups) in core::mem::take(&mut self.open) {
            for group in groups {
                let slice = group.slice(thread, kind, signatures);
                to.receive(&Event::Unfinished(slice), ByteRange::default());
            }
        }
    }
}

impl Group {
    /// Returns the slice of the group, without its end. If the call that opened it has no text, a marker group has no
    /// name, and a group of another kind has the name of the function.
    fn slice<'a>(&self, thread: u64, kind: GroupKind, signatures: Signatures<'_, 'a>) -> ThreadEvent<'a> {
        let text = match signatures.role(self.function_id) {
            Some(CallRole::Push(_, index)) => marker_text(self.function_id, self.details, index, signatures),
            _ => None,
        };
        let (category, default) = match kind {
            GroupKind::Marker => (&b"group"[..], None),
            GroupKind::Primitives => (&b"primitives"[..], signatures.function(self.function_id)),
            GroupKind::List => (&b"list"[..], signatures.function(self.function_id)),
        };
        let name = text.unwrap_or_else(|| default.unwrap_or_default().name);
        on_thread(thread, self.begin, name, category)
    }
}

/// Returns the text of a marker, which is the value of argument `index` if that is a text or the name of a constant. A
/// text of wide characters ends at the first one that is NUL or not ASCII.
///
/// Some functions take the length in the argument before it. There, 0 and negative numbers mean that the text ends at
/// NUL.
fn marker_text<'a>(
    function_id: u64,
    details: DetailPlaces,
    index: u64,
    signatures: Signatures<'_, 'a>,
) -> Option<&'a [u8]> {
    let scalar = |index| details.argument(index, signatures).and_then(|mut tokens| tokens.next());
    match scalar(index)? {
        Token::Text(text) => {
            let names = signatures.function(function_id).unwrap_or_default().args;
            let before = index.checked_sub(1);
            let name = before.and_then(|before| names.iter().nth(usize::try_from(before).ok()?));
            let length = match before.and_then(scalar) {
                Some(Token::Integer(length @ 1..)) if matches!(name, Some(b"length" | b"len")) => {
                    usize::try_from(length).unwrap_or(usize::MAX)
                }
                _ => text.iter().position(|&byte| byte == 0).unwrap_or(text.len()),
            };
            Some(text.get(..length).unwrap_or(text))
        }
        Token::Wide(text) => Some(text.ascii_prefix()),
        Token::Enum(id, value) => signatures.enumeration(id)?.name(value),
        _ => None,
    }
}

/// Returns the bytes of the stream from the enter of a call to its leave.
#[inline]
fn bytes_of(call: &Call) -> ByteRange {
    ByteRange::new(call.enter.start, call.leave.unwrap_or(call.enter).end)
}

fn tick(ordinal: u64) -> Tick {
    Tick(i64::try_from(ordinal).unwrap_or(i64::MAX))
}

#[inline]
fn on_thread<'a>(thread: u64, at: Tick, name: &'a [u8], category: &'a [u8]) -> ThreadEvent<'a> {
    // The number is a small one, or in the first versions an address: the top bit does not matter.
    let thread = Thread::new(PROCESS, thread.cast_signed());
    ThreadEvent { category: Text::plain(category), ..ThreadEvent::new(thread, at, Text::plain(name)) }
}

#[inline]
fn complete(slice: ThreadEvent<'_>, end: Tick) -> Event<'_> {
    Event::Complete(slice, end - slice.at)
}
