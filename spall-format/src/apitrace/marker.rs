//! The calls that give a recording its structure: marker groups, marks and ends of frames. [apitrace
//! C.5](crate::rules::apitrace#C.5)

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::call::{Call, DetailPlaces};
use super::signature::{FunctionSignature, Signatures};
use super::value::{Token, WideText};

/// The meaning of a function for the structure of a recording.
///
/// ```
/// use spall_format::apitrace::{CallRole, GroupKind};
///
/// assert_eq!(CallRole::of(b"glEnd"), Some(CallRole::Pop(GroupKind::Primitives)));
/// assert_eq!(CallRole::of(b"IDXGISwapChain::Present"), Some(CallRole::FrameEnd));
/// assert_eq!(CallRole::of(b"glFlush"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallRole {
    /// The function opens a group of this kind. The number is the index of the argument with the group's text.
    Push(GroupKind, u64),
    /// The function closes the innermost open group of this kind on its thread.
    Pop(GroupKind),
    /// The function marks a point in time. The number is the index of the argument with the text.
    Mark(u64),
    /// The function ends a frame.
    FrameEnd,
}

/// The kind of a group of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum GroupKind {
    /// A marker group of any debugging extension.
    Marker,
    /// The calls from `glBegin` to `glEnd`. The text is the name of the mode.
    Primitives,
    /// The calls from `glNewList` to `glEndList`. The text is the name of the function.
    List,
}

impl CallRole {
    /// Returns the role of the function with this name, or `None` if it has no such role, as most functions.
    #[must_use]
    pub fn of(function: &[u8]) -> Option<Self> {
        use GroupKind::{List, Marker, Primitives};
        Some(match function {
            b"glPushDebugGroup" | b"glPushDebugGroupKHR" => Self::Push(Marker, 3),
            b"glPushGroupMarkerEXT" | b"D3DPERF_BeginEvent" | b"ID3DUserDefinedAnnotation::BeginEvent" => {
                Self::Push(Marker, 1)
            }
            b"glPopDebugGroup"
            | b"glPopDebugGroupKHR"
            | b"glPopGroupMarkerEXT"
            | b"D3DPERF_EndEvent"
            | b"ID3DUserDefinedAnnotation::EndEvent" => Self::Pop(Marker),
            b"glBegin" => Self::Push(Primitives, 0),
            b"glEnd" => Self::Pop(Primitives),
            b"glNewList" => Self::Push(List, 0),
            b"glEndList" => Self::Pop(List),
            b"glDebugMessageInsert" | b"glDebugMessageInsertARB" | b"glDebugMessageInsertKHR" => {
                Self::Mark(5)
            }
            b"glDebugMessageInsertAMD" => Self::Mark(4),
            b"glInsertEventMarkerEXT"
            | b"glStringMarkerGREMEDY"
            | b"D3DPERF_SetMarker"
            | b"ID3DUserDefinedAnnotation::SetMarker" => Self::Mark(1),
            name if ends_frame(name) => Self::FrameEnd,
            _ => return None,
        })
    }
}

/// The length of the part of a name that is searched for a class name.
const MAX_CLASS_NAME: usize = 64;

/// Returns whether the function with this name shows a finished frame.
fn ends_frame(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 12] = [
        b"glXSwapBuffers",
        b"glXSwapBuffersMscOML",
        b"eglSwapBuffers",
        b"eglSwapBuffersWithDamageEXT",
        b"eglSwapBuffersWithDamageKHR",
        b"wglSwapBuffers",
        b"wglSwapLayerBuffers",
        b"wglSwapMultipleBuffers",
        b"glFrameTerminatorGREMEDY",
        b"CGLFlushDrawable",
        b"IDirect3DDevice9::GetRenderTargetData",
        b"IDirect3DDevice9Ex::GetRenderTargetData",
    ];
    // No name that matters is longer. The file gives a name once and each call is checked, so searching whole names
    // would be quadratic in the file.
    let name = name.get(..MAX_CLASS_NAME).unwrap_or(name);
    let Some(separator) = name.windows(2).position(|pair| pair == b"::") else {
        return NAMES.contains(&name);
    };
    let (class, method) = (name.get(..separator).unwrap_or_default(), name.get(separator + 2..));
    let presents = method.is_some_and(|method| method.starts_with(b"Present"))
        && [&b"IDirect3D"[..], b"IDXGISwapChain", b"IDXGIDecodeSwapChain"]
            .iter()
            .any(|prefix| class.starts_with(prefix));
    presents || NAMES.contains(&name)
}

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
        let text = match CallRole::of(function.name) {
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
        Some(match CallRole::of(call.function(signatures).name)? {
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
        let function = self.function(signatures);
        match CallRole::of(function.name)? {
            CallRole::Mark(index) => marker_text(self.details, function, index, signatures),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c5_roles_by_name() {
        use GroupKind::{List, Marker, Primitives};
        let roles: [(CallRole, &[&str]); 10] = [
            (CallRole::Push(Marker, 3), &["glPushDebugGroup", "glPushDebugGroupKHR"]),
            (
                CallRole::Push(Marker, 1),
                &["glPushGroupMarkerEXT", "D3DPERF_BeginEvent", "ID3DUserDefinedAnnotation::BeginEvent"],
            ),
            (
                CallRole::Pop(Marker),
                &[
                    "glPopDebugGroup",
                    "glPopDebugGroupKHR",
                    "glPopGroupMarkerEXT",
                    "D3DPERF_EndEvent",
                    "ID3DUserDefinedAnnotation::EndEvent",
                ],
            ),
            (CallRole::Push(Primitives, 0), &["glBegin"]),
            (CallRole::Pop(Primitives), &["glEnd"]),
            (CallRole::Push(List, 0), &["glNewList"]),
            (CallRole::Pop(List), &["glEndList"]),
            (
                CallRole::Mark(5),
                &["glDebugMessageInsert", "glDebugMessageInsertARB", "glDebugMessageInsertKHR"],
            ),
            (CallRole::Mark(4), &["glDebugMessageInsertAMD"]),
            (
                CallRole::Mark(1),
                &[
                    "glInsertEventMarkerEXT",
                    "glStringMarkerGREMEDY",
                    "D3DPERF_SetMarker",
                    "ID3DUserDefinedAnnotation::SetMarker",
                ],
            ),
        ];
        for (role, names) in roles {
            for name in names {
                assert_eq!(CallRole::of(name.as_bytes()), Some(role), "{name}");
            }
        }
        for name in ["glFlush", "", "glEndQuery", "glBeginQuery", "ID3D11DeviceContext::Begin"] {
            assert_eq!(CallRole::of(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn c5_frames_end_at_swaps_and_presents() {
        for name in [
            &b"glXSwapBuffers"[..],
            b"glXSwapBuffersMscOML",
            b"eglSwapBuffers",
            b"eglSwapBuffersWithDamageEXT",
            b"eglSwapBuffersWithDamageKHR",
            b"wglSwapBuffers",
            b"wglSwapLayerBuffers",
            b"wglSwapMultipleBuffers",
            b"glFrameTerminatorGREMEDY",
            b"CGLFlushDrawable",
            b"IDirect3DDevice9::GetRenderTargetData",
            b"IDirect3DDevice9::Present",
            b"IDirect3DSwapChain9Ex::PresentEx",
            b"IDirect3DDevice9Ex::GetRenderTargetData",
            b"IDXGISwapChain::Present",
            b"IDXGISwapChain4::Present1",
            b"IDXGIDecodeSwapChain::PresentBuffer",
        ] {
            assert_eq!(CallRole::of(name), Some(CallRole::FrameEnd), "{}", name.escape_ascii());
        }
        for name in
            [&b"glXSwapIntervalEXT"[..], b"ID3D11Device::Present", b"IDXGIFactory::Present", b"::Present"]
        {
            assert_eq!(CallRole::of(name), None, "{}", name.escape_ascii());
        }
    }
}
