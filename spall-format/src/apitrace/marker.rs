//! Calls that structure a recording: marker groups, marks, and ends of frames. \[apitrace C.5\]

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::call::Call;
use super::signature::Signatures;
use super::value::{Token, WideText};

/// What a call means for the structure of the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Opens a group, whose text is the argument of this index.
    Push(GroupKind, u64),
    /// Closes the innermost group of this kind on its thread.
    Pop(GroupKind),
    /// Marks a point in time, with a text that is the argument of this index.
    Mark(u64),
    /// Ends a frame.
    FrameEnd,
}

/// What encloses calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum GroupKind {
    /// A marker group, of any extension.
    Marker,
    /// Vertices from `glBegin` to `glEnd`; the text is the name of the mode.
    Primitives,
    /// A display list from `glNewList` to `glEndList`.
    List,
}

impl Role {
    /// The role of a function, by its name; `None` for most.
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

/// How much of a name is looked at for the class it may begin with.
const MAX_NAME: usize = 64;

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
    // No name that counts is longer. A long one is not searched, for every call repeats it.
    let name = name.get(..MAX_NAME).unwrap_or(name);
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
    /// Bytes, up to the length that the call says, or up to NUL.
    Plain(&'a [u8]),
    /// Wide characters.
    Wide(WideText<'a>),
}

impl Default for MarkerText<'_> {
    fn default() -> Self {
        Self::Plain(b"")
    }
}

/// Something that structures a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Marker<'a> {
    /// A group that was closed.
    Group {
        /// The group.
        group: Group<'a>,
        /// The number of the call that closed it.
        end_call: u64,
        /// When that call returned.
        end: u64,
    },
    /// A call that would close a group where none of its kind is open.
    UnmatchedPop(GroupKind),
    /// A point in time.
    Mark(MarkerText<'a>),
    /// The end of a frame.
    FrameEnd,
}

/// A group of calls, from the call that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group<'a> {
    /// What kind of group.
    pub kind: GroupKind,
    /// Its thread.
    pub thread: u64,
    /// Its text; the name of the function that opened it if it has none and is no marker group.
    pub text: MarkerText<'a>,
    /// How many groups of its kind and thread it is inside of.
    pub depth: usize,
    /// The number of the call that opened it.
    pub begin_call: u64,
    /// When that call was entered.
    pub begin: u64,
    /// Where that call is in the stream.
    pub begin_byte: u64,
}

/// Follows the groups of all threads.
///
/// Marker groups of all extensions nest on one stack per thread, and each other kind of group on one of its own. Calls
/// count when they return; one that never did has no part in this.
#[derive(Debug, Clone, Default)]
pub struct Markers<'a> {
    open: BTreeMap<(u64, GroupKind), Vec<Group<'a>>>,
}

impl<'a> Markers<'a> {
    /// Takes note of the next call that returned; says what it means.
    pub fn see(&mut self, call: &Call<'a>, signatures: &Signatures<'a>) -> Option<Marker<'a>> {
        let end = call.left?;
        Some(match Role::of(call.function.name)? {
            Role::Push(kind, text) => {
                let text = match (marker_text(call, text, signatures), kind) {
                    (Some(text), _) => text,
                    (None, GroupKind::Marker) => MarkerText::default(),
                    (None, _) => MarkerText::Plain(call.function.name),
                };
                let stack = self.open.entry((call.thread, kind)).or_default();
                let (thread, depth, begin_call, begin) =
                    (call.thread, stack.len(), call.number, call.entered);
                let begin_byte = call.enter.0;
                stack.push(Group { kind, thread, text, depth, begin_call, begin, begin_byte });
                return None;
            }
            Role::Pop(kind) => match self.open.get_mut(&(call.thread, kind)).and_then(Vec::pop) {
                Some(group) => Marker::Group { group, end_call: call.number, end },
                None => Marker::UnmatchedPop(kind),
            },
            Role::Mark(text) => Marker::Mark(marker_text(call, text, signatures).unwrap_or_default()),
            Role::FrameEnd => Marker::FrameEnd,
        })
    }

    /// The groups that are open, by thread and kind, outer ones first.
    pub fn unclosed(&self) -> impl Iterator<Item = &Group<'a>> {
        self.open.values().flatten()
    }
}

/// The text of a marker: argument `index`, if it has something like a text. The one before it is a length in some
/// functions, where 0 and negative numbers mean that the text ends at NUL.
fn marker_text<'a>(call: &Call<'a>, index: u64, signatures: &Signatures<'a>) -> Option<MarkerText<'a>> {
    let scalar = |index| call.argument(index, signatures).and_then(|mut tokens| tokens.next());
    match scalar(index)? {
        Token::Text(text) => {
            let before = index.checked_sub(1);
            let name = before.and_then(|before| call.function.args.iter().nth(usize::try_from(before).ok()?));
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
        let roles: [(Role, &[&str]); 10] = [
            (Role::Push(Marker, 3), &["glPushDebugGroup", "glPushDebugGroupKHR"]),
            (
                Role::Push(Marker, 1),
                &["glPushGroupMarkerEXT", "D3DPERF_BeginEvent", "ID3DUserDefinedAnnotation::BeginEvent"],
            ),
            (
                Role::Pop(Marker),
                &[
                    "glPopDebugGroup",
                    "glPopDebugGroupKHR",
                    "glPopGroupMarkerEXT",
                    "D3DPERF_EndEvent",
                    "ID3DUserDefinedAnnotation::EndEvent",
                ],
            ),
            (Role::Push(Primitives, 0), &["glBegin"]),
            (Role::Pop(Primitives), &["glEnd"]),
            (Role::Push(List, 0), &["glNewList"]),
            (Role::Pop(List), &["glEndList"]),
            (Role::Mark(5), &["glDebugMessageInsert", "glDebugMessageInsertARB", "glDebugMessageInsertKHR"]),
            (Role::Mark(4), &["glDebugMessageInsertAMD"]),
            (
                Role::Mark(1),
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
                assert_eq!(Role::of(name.as_bytes()), Some(role), "{name}");
            }
        }
        for name in ["glFlush", "", "glEndQuery", "glBeginQuery", "ID3D11DeviceContext::Begin"] {
            assert_eq!(Role::of(name.as_bytes()), None, "{name}");
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
            assert_eq!(Role::of(name), Some(Role::FrameEnd), "{}", name.escape_ascii());
        }
        for name in
            [&b"glXSwapIntervalEXT"[..], b"ID3D11Device::Present", b"IDXGIFactory::Present", b"::Present"]
        {
            assert_eq!(Role::of(name), None, "{}", name.escape_ascii());
        }
    }
}
