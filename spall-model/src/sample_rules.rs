//! What a merge of samples and slices has to know of a runtime: the contract between the readers that know one and the
//! merge that knows none.

use crate::{Frame, SliceArgs, Text, Ticks};

/// The rules by which CPU samples and slices of one runtime are merged.
///
/// Which slices call functions, and which call frames are not functions, differs from runtime to runtime. The reader of a
/// format gives a table that fits its files. To change a rule, replace a field of that table:
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
    /// The names of the slices that are tasks of an event loop: functions that began before one do not run on in it.
    pub resets: &'static [&'static str],
    /// The name of the call frame that is the caller of all others and not a function itself.
    pub root: &'static str,
    /// The names of call frames directly below the root which mean that no function is known to run.
    pub idle: &'static [&'static str],
    /// The one of `idle` that is also found where the profiler could not read the stack for a moment.
    pub unreadable: &'static str,
    /// The name of the call frame directly below the root that runs on top of whatever ran before, such as a garbage
    /// collector.
    pub on_top: &'static str,
    /// The duration of which all times of samples are multiples.
    pub resolution: Ticks,
    /// Returns whether a call frame is a function of the runtime that may call other functions by way of slices.
    pub is_native: fn(&Frame) -> bool,
    /// Returns the number of the call site that the arguments of a slice carry, if they carry one.
    pub call_site: fn(&SliceArgs<'_>) -> Option<u64>,
    /// Returns the function that the arguments of an invocation name, if they name one.
    pub callee: for<'a> fn(&SliceArgs<'a>) -> Option<Callee<'a>>,
}

/// The function that an invocation calls, as its arguments name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee<'a> {
    /// The function that begins at this place.
    Place {
        /// The number of its script.
        script: i64,
        /// The line, from 0.
        line: u32,
        /// The column, from 0.
        column: u32,
    },
    /// The function of this name in this source.
    Name {
        /// The name.
        name: Text<'a>,
        /// The URL of the source.
        url: Text<'a>,
    },
}

impl SampleRules {
    /// The rules of a runtime of which nothing is known: every frame is a function, no slice calls functions, and
    /// samples are taken at whole ticks.
    pub const NONE: Self = Self {
        invocations: &[],
        resets: &[],
        root: "",
        idle: &[],
        unreadable: "",
        on_top: "",
        resolution: Ticks(1),
        is_native: |_| false,
        call_site: |_| None,
        callee: |_| None,
    };
}
