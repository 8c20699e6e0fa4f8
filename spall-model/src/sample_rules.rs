//! Rules about a runtime, by which samples and slices are merged. The crate of a format provides them, and the merge in
//! another crate follows them, so that neither depends on the other.

use crate::{Frame, SliceArgs, Text};

/// The rules by which CPU samples and slices of one runtime are merged.
///
/// Which slices call functions, and which call frames are not functions, differs from runtime to runtime. The reader
/// of a format gives a table that fits its files. To change a rule, replace a field of that table:
///
/// ```
/// use spall_model::SampleRules;
/// const MINE: SampleRules = SampleRules { invocations: &["MyEngine::call"], root: "(root)", ..SampleRules::NONE };
/// assert!(MINE.idle.is_empty());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SampleRules {
    /// The names of the slices in which the runtime calls functions that are sampled.
    pub invocations: &'static [&'static str],
    /// The names of the slices that are tasks of an event loop. A function that began before such a slice does not
    /// run on in it.
    pub resets: &'static [&'static str],
    /// The name of the call frame that is the caller of all others and not a function itself; empty if there is none.
    pub root: &'static str,
    /// The names of call frames directly below the root that mean that no function is known to run.
    pub idle: &'static [&'static str],
    /// The one of the names in `idle` that a profiler also reports when it cannot read the stack for a moment; empty if
    /// there is none.
    pub unreadable: &'static str,
    /// The name of the call frame directly below the root that runs on top of whatever ran before, such as a garbage
    /// collector; empty if there is none.
    pub on_top: &'static str,
    /// A function that returns whether a call frame is a function of the runtime that may call other functions by way
    /// of slices.
    pub is_native: fn(&Frame) -> bool,
    /// A function that returns the number of the call site in the arguments of a slice, or `None` if there is none.
    pub call_site: fn(&SliceArgs<'_>) -> Option<u64>,
    /// A function that returns the callee that the arguments of an invocation name, or `None` if they name none.
    pub callee: for<'a> fn(&SliceArgs<'a>) -> Option<Callee<'a>>,
}

/// The function that an invocation calls, as its arguments name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee<'a> {
    /// The function that begins at this place.
    Position {
        /// The number that the file gives the source.
        source: i64,
        /// The line at which the function begins, counted from 0.
        line: u32,
        /// The column at which the function begins, counted from 0.
        column: u32,
    },
    /// The function of this name in this source.
    Name {
        /// The name of the function.
        name: Text<'a>,
        /// The URL or path of the source.
        url: Text<'a>,
    },
}

impl SampleRules {
    /// The rules of a runtime of which nothing is known: every frame is a function, and no slice calls functions.
    pub const NONE: Self = Self {
        invocations: &[],
        resets: &[],
        root: "",
        idle: &[],
        unreadable: "",
        on_top: "",
        is_native: |_| false,
        call_site: |_| None,
        callee: |_| None,
    };
}
