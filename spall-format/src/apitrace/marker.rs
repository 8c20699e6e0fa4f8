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
    /// Opens a marker group, whose text is the argument of this index.
    Push(u64),
    /// Closes the innermost marker group of its thread.
    Pop,
    /// Marks a point in time, with a text that is the argument of this index.
    Mark(u64),
    /// Ends a frame.
    FrameEnd,
}

impl Role {
    /// The role of a function, by its name; `None` for most.
    #[must_use]
    pub fn of(function: &[u8]) -> Option<Self> {
        Some(match function {
            b"glPushDebugGroup" | b"glPushDebugGroupKHR" => Self::Push(3),
            b"glPushGroupMarkerEXT" | b"D3DPERF_BeginEvent" | b"ID3DUserDefinedAnnotation::BeginEvent" => {
                Self::Push(1)
            }
            b"glPopDebugGroup"
            | b"glPopDebugGroupKHR"
            | b"glPopGroupMarkerEXT"
            | b"D3DPERF_EndEvent"
            | b"ID3DUserDefinedAnnotation::EndEvent" => Self::Pop,
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
    /// A call that would close a group where none is open.
    UnmatchedPop,
    /// A point in time.
    Mark(MarkerText<'a>),
    /// The end of a frame.
    FrameEnd,
}

/// A group of calls, from the call that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group<'a> {
    /// Its thread.
    pub thread: u64,
    /// Its text.
    pub text: MarkerText<'a>,
    /// How many groups of its thread it is inside of.
    pub depth: usize,
    /// The number of the call that opened it.
    pub begin_call: u64,
    /// When that call was entered.
    pub begin: u64,
}

/// Follows the marker groups of all threads.
///
/// Groups of all extensions nest on one stack per thread. Calls count when they return; one that never did has no
/// part in this.
#[derive(Debug, Clone, Default)]
pub struct Markers<'a> {
    open: BTreeMap<u64, Vec<Group<'a>>>,
}

impl<'a> Markers<'a> {
    /// Takes note of the next call that returned; says what it means.
    pub fn see(&mut self, call: &Call<'a>, signatures: &Signatures<'a>) -> Option<Marker<'a>> {
        let end = call.left?;
        Some(match Role::of(call.function.name)? {
            Role::Push(text) => {
                let text = marker_text(call, text, signatures);
                let stack = self.open.entry(call.thread).or_default();
                let (thread, depth) = (call.thread, stack.len());
                stack.push(Group { thread, text, depth, begin_call: call.number, begin: call.entered });
                return None;
            }
            Role::Pop => match self.open.get_mut(&call.thread).and_then(Vec::pop) {
                Some(group) => Marker::Group { group, end_call: call.number, end },
                None => Marker::UnmatchedPop,
            },
            Role::Mark(text) => Marker::Mark(marker_text(call, text, signatures)),
            Role::FrameEnd => Marker::FrameEnd,
        })
    }

    /// The groups that are open, by thread, outer ones first.
    pub fn unclosed(&self) -> impl Iterator<Item = &Group<'a>> {
        self.open.values().flatten()
    }
}

/// The text of a marker: argument `index`. The one before it is a length in some functions, where 0 and negative numbers
/// mean that the text ends at NUL.
fn marker_text<'a>(call: &Call<'a>, index: u64, signatures: &Signatures<'a>) -> MarkerText<'a> {
    let scalar = |index| call.argument(index, signatures).and_then(|mut tokens| tokens.next());
    match scalar(index) {
        Some(Token::Text(text)) => {
            let name =
                usize::try_from(index - 1).ok().and_then(|before| call.function.args.iter().nth(before));
            let length = match scalar(index - 1) {
                Some(Token::Integer(length @ 1..)) if matches!(name, Some(b"length" | b"len")) => {
                    usize::try_from(length).unwrap_or(usize::MAX)
                }
                _ => text.iter().position(|&byte| byte == 0).unwrap_or(text.len()),
            };
            MarkerText::Plain(text.get(..length).unwrap_or(text))
        }
        Some(Token::Wide(text)) => MarkerText::Wide(text),
        _ => MarkerText::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c5_roles_by_name() {
        assert_eq!(Role::of(b"glPushDebugGroupKHR"), Some(Role::Push(3)));
        assert_eq!(Role::of(b"D3DPERF_EndEvent"), Some(Role::Pop));
        assert_eq!(Role::of(b"glDebugMessageInsertAMD"), Some(Role::Mark(4)));
        assert_eq!(Role::of(b"glFlush"), None);
        assert_eq!(Role::of(b""), None);
    }

    #[test]
    fn c5_frames_end_at_swaps_and_presents() {
        for name in [
            &b"glXSwapBuffers"[..],
            b"eglSwapBuffersWithDamageKHR",
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
