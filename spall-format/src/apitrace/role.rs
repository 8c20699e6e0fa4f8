//! The meaning that the name of a function gives its calls. [apitrace C.5](crate::rules::apitrace#C.5)

/// The meaning of a function for the structure of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CallRole {
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
pub(super) enum GroupKind {
    /// A marker group of any debugging extension.
    Marker,
    /// The calls from `glBegin` to `glEnd`. The text is the name of the mode.
    Primitives,
    /// The calls from `glNewList` to `glEndList`. The text is the name of the function.
    List,
}

impl CallRole {
    /// Returns the role of the function with this name, or `None` if it has no such role, as most functions.
    pub(super) fn of(function: &[u8]) -> Option<Self> {
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
