//! The arguments of slices.

use core::fmt;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::{Args, Text, ThreadMeasure, Value};

/// The arguments of a slice, from [`TraceView::slice_args`](crate::TraceView::slice_args): those of its begin, overlaid by
/// those of its end.
///
/// ```
/// use spall_model::{TraceView,
///     ArgsBuilder, Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, TraceBuilder, Value,
/// };
///
/// let (mut at_begin, mut at_end) = (ArgsBuilder::new(), ArgsBuilder::new());
/// at_begin.add("file", "a.png").add("size", 0);
/// at_end.add("size", 4096);
/// let event = |at, args| {
///     let event = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("load"));
///     ThreadEvent { args, ..event }
/// };
/// let mut builder = TraceBuilder::new(&Limits::default());
/// builder.push(&Event::Begin(event(0, at_begin.args())));
/// builder.push(&Event::End(event(9, at_end.args())));
/// let trace = builder.finish();
///
/// let args = trace.slice_args(SliceId(0));
/// assert_eq!(args.get(b"size"), Some(Value::I64(4096)));
/// let lines: Vec<_> = args.iter().map(|(key, value)| format!("{key}: {value}")).collect();
/// assert_eq!(lines, ["file: a.png", "size: 4096"]);
/// assert_eq!(args.to_string(), "file=a.png, size=4096");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliceArgs<'a> {
    /// The arguments of the begin, or of a slice that is one event.
    pub begin: Args<'a>,
    /// The arguments of the end; [`Args::NONE`] for a slice that is one event.
    pub end: Args<'a>,
}

impl<'a> SliceArgs<'a> {
    /// Returns whether neither the begin nor the end has arguments.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.begin.is_none() && self.end.is_none()
    }

    /// Iterates over the arguments: first those of the begin in their order, each with the end's value if the end has
    /// one, then those that only the end has.
    ///
    /// If both have arguments, their keys are put into tables first. This is meant for showing one slice, not for
    /// scanning a trace.
    pub fn iter(&self) -> impl Iterator<Item = (Text<'a>, Value<'a>)> {
        let Self { begin, end } = *self;
        let both = !begin.is_none() && !end.is_none();
        // Without both sides nothing can overlay anything, so that the common case decodes no key twice.
        let keys_of =
            |args: Args<'a>| args.iter().filter(move |_| both).map(|(key, value)| (key.unescape(), value));
        let over: HashMap<_, _, RandomState> = keys_of(end).collect();
        let known: HashSet<_, RandomState> = keys_of(begin).map(|(key, _)| key).collect();
        let overlaid = move |(key, value): (Text<'a>, Value<'a>)| {
            (key, over.get(&key.unescape()).copied().unwrap_or(value))
        };
        let only_end = end.iter().filter(move |(key, _)| !known.contains(&key.unescape()));
        begin.iter().map(overlaid).chain(only_end)
    }

    /// Returns the value of the argument `key`, or `None` if there is no such argument. The end's value counts.
    #[must_use]
    pub fn get(&self, key: &[u8]) -> Option<Value<'a>> {
        self.end.get(key).or_else(|| self.begin.get(key))
    }

    /// Returns the value of the field `key`, which is not an argument, or `None` if there is no such field. The end's
    /// value counts.
    #[must_use]
    pub fn field(&self, key: &[u8]) -> Option<Value<'a>> {
        self.end.field(key).or_else(|| self.begin.field(key))
    }

    /// Returns by how much a counter of the thread rose during the slice, or `None` if the file does not say it, or says
    /// that it fell. [pairing 8](crate::rules::pairing#8)
    #[must_use]
    pub fn thread_measure(&self, measure: ThreadMeasure) -> Option<i64> {
        let begin = self.begin.thread_count(measure);
        begin.during.or_else(|| {
            let risen = self.end.thread_count(measure).at?.checked_sub(begin.at?)?;
            Some(risen).filter(|&risen| risen >= 0)
        })
    }
}

/// Writes the arguments in one line, as `key=value, key=value`, like [`Args`].
impl fmt::Display for SliceArgs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.end.is_none() {
            return self.begin.fmt(f);
        }
        if self.begin.is_none() {
            return self.end.fmt(f);
        }
        for (index, (key, value)) in self.iter().enumerate() {
            let separator = if index > 0 { ", " } else { "" };
            write!(f, "{separator}{key}={value}")?;
        }
        Ok(())
    }
}
