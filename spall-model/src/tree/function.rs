//! What makes two calls calls of the same function.

use alloc::{format, string::String};

use crate::{Frame, NameId, SliceId, Trace};

/// A function of a call tree: what a slice is called, or what a profiler knows of a function.
///
/// Two slices are the same function if they have the same name. Two call frames are the same function if their names
/// and their places in the source are the same. A slice and a call frame never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function {
    /// The name.
    pub name: NameId,
    /// The place in the source, for a call frame; `None` for a slice.
    pub source: Option<FunctionSource>,
}

/// Where a function that a profiler found begins in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionSource {
    /// The URL or path of the source, or what the function is a part of; empty if the file does not say.
    pub url: NameId,
    /// The line, from 0; `None` if the file does not say.
    pub line: Option<u32>,
    /// The column, from 0; `None` if the file does not say.
    pub column: Option<u32>,
}

impl Function {
    /// Returns the function of slices with this name.
    #[inline]
    #[must_use]
    pub const fn named(name: NameId) -> Self {
        Self { name, source: None }
    }

    /// Returns the function of a call frame, whoever calls it.
    #[inline]
    #[must_use]
    pub const fn of_frame(frame: &Frame) -> Self {
        let source = FunctionSource { url: frame.url, line: frame.line, column: frame.column };
        Self { name: frame.name, source: Some(source) }
    }

    /// Returns a text for people: the name, and if the source is known its URL and its line, counted from 1.
    ///
    /// ```
    /// use spall_model::{Function, FunctionSource};
    /// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder};
    /// # let mut builder = TraceBuilder::new(&Limits::default());
    /// # for name in [&b"draw"[..], b"app.js"] {
    /// #     let event = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::plain(name));
    /// #     builder.push(&Event::Begin(event), ByteRange::default());
    /// # }
    /// # let trace = builder.finish();
    /// # let (name, url) = (trace.names().find(b"draw").unwrap(), trace.names().find(b"app.js").unwrap());
    /// assert_eq!(Function::named(name).describe(&trace), "draw");
    /// let source = FunctionSource { url, line: Some(11), column: None };
    /// assert_eq!(Function { name, source: Some(source) }.describe(&trace), "draw app.js:12");
    /// ```
    #[must_use]
    pub fn describe(self, trace: &Trace<'_>) -> String {
        let name = trace.name(self.name);
        match self.source {
            Some(FunctionSource { url, line, .. }) if !url.is_empty() => match line {
                Some(line) => format!("{name} {}:{}", trace.name(url), u64::from(line) + 1),
                None => format!("{name} {}", trace.name(url)),
            },
            _ => name.into_owned(),
        }
    }
}

impl Trace<'_> {
    /// Returns the function that a slice is a call of: its name, and the place in the source if it was inferred from
    /// samples. O(log slices) for the latter.
    ///
    /// Returns `None` if the trace has no such slice.
    #[must_use]
    pub fn function_of(&self, id: SliceId) -> Option<Function> {
        let name = *self.slices.name.get(id.index())?;
        let frame = self.sampled(id).and_then(|sampled| self.frame(sampled.frame));
        Some(frame.map_or(Function::named(name), Function::of_frame))
    }
}
