//! The identity of functions in call trees.

use crate::{Frame, NameId};

/// A function of a call tree, identified by the name of slices or by the facts that a profiler has about it.
///
/// Two slices are the same function if they have the same name. Two call frames are the same function if their names
/// and their places in the source are the same. A slice and a call frame are never the same function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Function {
    /// The name of the slices or of the function; empty if the file has none.
    pub name: NameId,
    /// The place in the source, for a call frame; `None` for a slice.
    pub source: Option<FunctionSource>,
}

/// The place in the source at which a function that a profiler found begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FunctionSource {
    /// The URL or path of the source, or the library; empty if the file does not say.
    pub url: NameId,
    /// The line, counted from 0; `None` if the file does not say.
    pub line: Option<u32>,
    /// The column, counted from 0; `None` if the file does not say.
    pub column: Option<u32>,
}

impl Function {
    /// Returns the function of slices with this name.
    #[inline]
    #[must_use]
    pub const fn named(name: NameId) -> Self {
        Self { name, source: None }
    }

    /// Returns the function of a call frame. The caller of the frame makes no difference.
    #[inline]
    #[must_use]
    pub const fn of_frame(frame: &Frame) -> Self {
        let source = FunctionSource { url: frame.url, line: frame.line, column: frame.column };
        Self { name: frame.name, source: Some(source) }
    }
}
