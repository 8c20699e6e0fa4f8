//! What has to be known of the profiler and of the program that wrote the slices.

use crate::{Frame, SliceArgs, Text, Ticks};

/// What the merge has to know of one runtime. The model knows none: the reader of a format has the table.
///
/// To change a rule, take the table of the format and replace the field.
#[derive(Debug, Clone, Copy)]
pub struct SampleRules {
    /// Names of slices in which the runtime calls functions that are sampled.
    pub invocations: &'static [&'static str],
    /// Names of slices below which nothing runs that began before: tasks of an event loop.
    pub resets: &'static [&'static str],
    /// The name of the frame below which all others lie; no frame itself.
    pub root: &'static str,
    /// Names of children of the root that mean that no function is known to run.
    pub idle: &'static [&'static str],
    /// Of these the one that is also found where the stack could not be read for a moment.
    pub program: &'static str,
    /// The name of the child of the root that runs on top of whatever ran before.
    pub collector: &'static str,
    /// What times of samples are multiples of.
    pub resolution: Ticks,
    /// Whether a frame is a function of the runtime that may call other functions by way of slices.
    pub is_native: fn(&Frame) -> bool,
    /// The number of the call site that a slice carries.
    pub call_site: fn(&SliceArgs<'_>) -> Option<u64>,
    /// The function that an invocation says to call.
    pub callee: for<'a> fn(&SliceArgs<'a>) -> Option<Callee<'a>>,
}

/// A function that an invocation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee<'a> {
    /// By the place where it begins; line and column from 0.
    Place {
        /// The number of its script.
        script: i64,
        /// The line.
        line: u32,
        /// The column.
        column: u32,
    },
    /// By name and source.
    Name {
        /// The name.
        name: Text<'a>,
        /// The source.
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
        program: "",
        collector: "",
        resolution: Ticks(1),
        is_native: |_| false,
        call_site: |_| None,
        callee: |_| None,
    };
}
