//! Functions as texts for people.

use alloc::{format, string::String};

use crate::{Function, FunctionSource, TraceView};

impl Function {
    /// Returns a text for people: the name, followed by the URL and the line, counted from 1, if the source is known.
    ///
    /// ```
    /// use spall_model::{Function, FunctionSource, TraceView};
    /// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder};
    /// # let mut builder = TraceBuilder::new(&Limits::default());
    /// # for name in [&b"draw"[..], b"app.js"] {
    /// #     let event = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::plain(name));
    /// #     builder.push(&Event::Begin(event));
    /// # }
    /// # let trace = builder.finish();
    /// # let (name, url) = (trace.names().find(b"draw").unwrap(), trace.names().find(b"app.js").unwrap());
    /// assert_eq!(Function::named(name).describe(&trace), "draw");
    /// let source = FunctionSource { url, line: Some(11), column: None };
    /// assert_eq!(Function { name, source: Some(source) }.describe(&trace), "draw app.js:12");
    /// ```
    #[must_use]
    pub fn describe(self, trace: &impl TraceView) -> String {
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
